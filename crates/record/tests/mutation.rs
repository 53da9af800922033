//! Every leaf of an evidence file, changed in turn: with stale digests, and with all digests that cover it refreshed.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_record::{
    Basis, Digest, Disturbance, Evidence, Facts, PriorRun, Samples, UNBOUND, VoidCause, VoidFinding, audit,
    audit_bytes, is_unbound,
};
use kforge_testkit::SampleExperiment;
use serde_json::Value;

/// Evidence that uses every optional part once, small enough to be judged a thousand times.
fn evidence(wrong: bool) -> Evidence {
    let prior = PriorRun {
        run: Digest::of_bytes(b"earlier"),
        started_at: "2026-02-01T10:00:00Z".to_owned(),
        verdict: Some("slower".to_owned()),
        evidence: Some(Digest::of_bytes(b"earlier evidence")),
    };
    let sample = SampleExperiment {
        wrong,
        claim: Some("1.2x on decode".to_owned()),
        prior: vec![prior],
        ..SampleExperiment::new("rmsnorm", "vec")
    };
    let mut facts = sample.facts().expect("facts");
    facts.policy.set("min_effect", &serde_json::json!(0.005), Some("launch-bound op")).expect("a policy");
    facts.policy.set("resamples", &serde_json::json!(200), Some("a short test")).expect("a policy");
    facts.policy.set("drawn_cases", &serde_json::json!(1), Some("a short test")).expect("a policy");
    facts.cases.truncate(3);
    facts.checks.retain(|check| facts.cases.iter().any(|case| case.name == check.case));
    facts.environment.observations.insert("temperature".to_owned(), "61 C".to_owned());
    let mut launches = sample.samples().expect("samples");
    if let Some(series) = launches.first_mut().and_then(|launch| launch.series.first_mut()) {
        series.dropped.push(3);
        facts.disturbances.push(Disturbance {
            launch: 0,
            case: Some(series.case.clone()),
            block: Some(3),
            cause: "another process".to_owned(),
            dropped: true,
        });
    }
    Evidence::seal(facts, launches).expect("seals").evidence
}

/// The paths and values of every leaf.
fn leaves(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(name.clone());
                leaves(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (position, value) in items.iter().enumerate() {
                path.push(position.to_string());
                leaves(value, path, found);
                path.pop();
            }
        }
        _ => found.push(path.clone()),
    }
}

/// Other values of the same kind, from near to far.
fn changed(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![Value::from(1), Value::from("x")],
        Value::Bool(value) => vec![Value::from(!value)],
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => {
                vec![Value::from(whole + 1), Value::from(whole * 2 + 7), Value::from(whole.saturating_sub(1))]
            }
            (None, Some(real)) => vec![Value::from(real * 1.25 + 0.001), Value::from(-real)],
            _ => Vec::new(),
        },
        Value::String(text) => {
            let real = text.parse::<f64>().ok().filter(|_| text.contains(['.', 'e']));
            let mut near: Vec<u8> = text.clone().into_bytes();
            if let Some(last) = near.last_mut() {
                *last = if *last == b'0' {
                    b'1'
                } else if last.is_ascii_digit() {
                    b'0'
                } else {
                    b'a'
                };
            }
            let near = String::from_utf8(near).expect("ascii");
            let mut all = vec![Value::from(near), Value::from(format!("{text}x"))];
            all.extend(real.map(|real| Value::from(format!("{:?}", real * 1.25 + 0.125))));
            // A word of a known kind also becomes each other one, so that an enum changes into a legal value.
            let words = [
                &["faster", "slower", "same", "incorrect"][..],
                &["declared", "drawn"],
                &["before", "refill", "timed", "after"],
                &["baseline", "vec", "reference"],
                &["100644", "100755"],
                &["apb", "bpa", "pab"],
            ];
            let kind = words.iter().find(|kind| kind.contains(&text.as_str()));
            all.extend(kind.into_iter().flat_map(|kind| kind.iter()).map(|word| Value::from(*word)));
            all
        }
        _ => Vec::new(),
    }
}

/// The evidence with one leaf replaced; absent where it is then no evidence at all.
fn with_leaf(whole: &Value, path: &[String], leaf: &Value) -> Option<Evidence> {
    let mut edited = whole.clone();
    let slot = path.iter().try_fold(&mut edited, |at, part| match at {
        Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
        Value::Object(fields) => fields.get_mut(part),
        _ => None,
    })?;
    if slot == leaf {
        return None;
    }
    *slot = leaf.clone();
    let evidence: Evidence = serde_json::from_value(edited).ok()?;
    // A value with a second spelling reads as what it was: nothing was changed.
    (serde_json::to_value(&evidence).expect("writes") != *whole).then_some(evidence)
}

/// All digests made fresh: ids, samples, basis. What refers to an id is left to the forger's next leaf.
fn refreshed(mut evidence: Evidence, path: &str) -> Evidence {
    let facts = &mut evidence.facts;
    let launches = evidence.samples.inline.clone().expect("inline");
    if path != "samples.blake3"
        && !path.starts_with("samples.launches")
        && !path.starts_with("samples.blocks")
    {
        evidence.samples = Samples::of(launches).expect("samples");
    }
    for (name, side) in [
        ("reference", &mut facts.sides.reference),
        ("baseline", &mut facts.sides.baseline),
        ("candidate", &mut facts.sides.candidate),
    ] {
        if path != format!("facts.sides.{name}.subject.id") {
            side.subject.id = side.subject.computed_id().expect("an id");
        }
        if let Some(build) = side.build.as_mut().filter(|_| path != format!("facts.sides.{name}.build.id")) {
            if path != format!("facts.sides.{name}.build.subject") {
                build.subject = side.subject.id;
            }
            build.id = build.computed_id().expect("an id");
        }
    }
    if path != "facts.environment.id" {
        facts.environment.id = facts.environment.computed_id().expect("an id");
    }
    let built = |side: &kforge_record::Side| side.build.as_ref().expect("built").id;
    let (baseline, candidate) = (built(&facts.sides.baseline), built(&facts.sides.candidate));
    for (position, check) in facts.checks.iter_mut().enumerate() {
        if path != format!("facts.checks.{position}.build") {
            check.build = if check.side == "baseline" { baseline } else { candidate };
        }
    }
    if let Some(launches) = &mut evidence.samples.inline {
        for (position, launch) in launches.iter_mut().enumerate() {
            if !path.starts_with(&format!("samples.inline.{position}.builds")) {
                launch.builds = [baseline, candidate];
            }
        }
        if path != "samples.blake3" {
            evidence.samples.blake3 = Samples::of(launches.clone()).expect("samples").blake3;
        }
    }
    if path != "facts.run.pair" {
        facts.run.pair =
            kforge_record::Run::pair_of(&facts.sides.baseline.subject.id, &facts.sides.candidate.subject.id)
                .expect("a pair");
    }
    if path != "facts.run.id" {
        facts.run.id = facts.run.computed_id().expect("an id");
    }
    if !path.starts_with("basis.") {
        evidence.basis = Basis::of(&evidence.facts, &evidence.samples).expect("a basis");
    }
    evidence
}

#[test]
fn every_leaf_is_refused_where_the_digests_were_left_as_they_are() {
    for wrong in [false, true] {
        let evidence = evidence(wrong);
        let whole = serde_json::to_value(&evidence).expect("writes");
        let mut paths = Vec::new();
        leaves(&whole, &mut Vec::new(), &mut paths);
        assert!(paths.len() > 250, "{} leaves", paths.len());
        for path in paths {
            let leaf = path.iter().fold(&whole, |at, part| match at {
                Value::Array(items) => &items[part.parse::<usize>().expect("a position")],
                other => &other[part],
            });
            let mutants =
                changed(leaf).into_iter().filter_map(|value| with_leaf(&whole, &path, &value)).take(2);
            for mutant in mutants {
                // The file takes the name of its new bytes; everything inside is as the editor left it.
                let bytes = mutant.to_bytes().expect("bytes");
                let answer = audit_bytes(&Digest::of_bytes(&bytes), &bytes, None);
                assert!(answer.is_err(), "{} was changed and nobody noticed", path.join("."));
            }
        }
    }
}

#[test]
fn every_leaf_that_nothing_recomputes_is_in_the_printed_table_and_no_other() {
    let mut survived = std::collections::BTreeSet::new();
    let mut unlisted = std::collections::BTreeSet::new();
    let mut refused = 0_usize;
    {
        let evidence = evidence(false);
        let launches = |evidence: &Evidence| evidence.samples.inline.clone().unwrap_or_default();
        let whole = serde_json::to_value(&evidence).expect("writes");
        let mut paths = Vec::new();
        leaves(&whole, &mut Vec::new(), &mut paths);
        // Samples are alike: one launch stands for all.
        paths.retain(|path| {
            !(path.starts_with(&["samples".to_owned(), "inline".to_owned()])
                && path[2] != "0"
                && path[2] != "5")
        });
        for path in paths {
            let name = path.join(".");
            let leaf = path.iter().fold(&whole, |at, part| match at {
                Value::Array(items) => &items[part.parse::<usize>().expect("a position")],
                other => &other[part],
            });
            for value in changed(leaf) {
                let Some(mutant) = with_leaf(&whole, &path, &value) else { continue };
                let mutant = refreshed(mutant, &name);
                if mutant == evidence {
                    continue;
                }
                match audit(&mutant, &launches(&mutant)) {
                    Ok(_) => {
                        if !is_unbound(&name) {
                            unlisted.insert(name.clone());
                        }
                        survived.insert(name.clone());
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(unlisted.is_empty(), "the table does not say so: {unlisted:#?}");
    assert!(refused > 500, "{refused} refused");
    for field in UNBOUND {
        let fits = survived.iter().any(|path| kforge_record::fits_pattern(field.path, path));
        assert!(fits, "{} is in the table, but every change of it is refused", field.path);
    }
}

#[test]
fn a_finding_that_voids_cannot_be_dropped_without_judging_again() {
    let mut facts = SampleExperiment::new("rmsnorm", "vec").facts().expect("facts");
    facts
        .voids
        .push(VoidFinding { cause: VoidCause::Shadowed, detail: "numpy came from elsewhere".to_owned() });
    let sealed = Evidence::seal(facts, SampleExperiment::new("rmsnorm", "vec").samples().expect("samples"))
        .expect("seals");
    assert_eq!(sealed.evidence.judgement.verdict.word(), "void");
    let mut forged = sealed.evidence.clone();
    forged.facts.voids.clear();
    forged.basis = Basis::of(&forged.facts, &forged.samples).expect("a basis");
    let launches = forged.samples.inline.clone().unwrap_or_default();
    assert!(audit(&forged, &launches).is_err());
}

#[test]
fn a_comparison_with_a_commit_names_the_commit_that_its_baseline_was_taken_from() {
    type Edit = fn(&mut Facts);
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let mut facts = sample.facts().expect("facts");
    let commit = "c".repeat(40);
    facts.run.base = Some(commit.clone());
    facts.run = facts.run.identified().expect("an id");
    facts.sides.baseline.subject.tree = format!("git:{commit}");
    facts.sides.baseline.subject.rev = Some(commit);
    let sealed = Evidence::seal(facts, sample.samples().expect("samples")).expect("seals").evidence;
    let launches = sealed.samples.inline.clone().unwrap_or_default();
    assert!(audit(&sealed, &launches).is_ok());
    let edits: [(&str, Edit); 4] = [
        ("facts.run.base", |facts| facts.run.base = Some("d".repeat(40))),
        ("facts.run.base", |facts| facts.sides.baseline.subject.rev = None),
        ("facts.run.base", |facts| "path:old".clone_into(&mut facts.sides.baseline.subject.tree)),
        ("facts.run.base", |facts| "git:HEAD".clone_into(&mut facts.sides.candidate.subject.tree)),
    ];
    for (path, edit) in edits {
        let mut forged = sealed.clone();
        edit(&mut forged.facts);
        forged.facts.run = forged.facts.run.identified().expect("an id");
        forged.basis = Basis::of(&forged.facts, &forged.samples).expect("a basis");
        let broken = audit(&forged, &launches).expect_err("refused");
        assert_eq!(broken.first().map(|broken| broken.path.as_str()), Some(path), "{broken:?}");
    }
}

#[test]
fn a_win_without_what_would_have_spoken_against_it_is_refused_with_fresh_digests_too() {
    type Edit = fn(&mut Facts);
    let sealed = SampleExperiment::new("rmsnorm", "vec").seal().expect("seals").evidence;
    let launches = sealed.samples.inline.clone().unwrap_or_default();
    assert!(sealed.judgement.verdict.is_faster() && audit(&sealed, &launches).is_ok());
    let kept: [(&str, Edit); 5] = [
        ("facts.clock", |facts| facts.clock.clear()),
        ("facts.clock", |facts| facts.clock.retain(|clock| clock.side == "vec")),
        ("facts.clock", |facts| facts.clock.retain(|clock| clock.side == "baseline")),
        ("facts.floor", |facts| facts.floor.clear()),
        ("facts.floor", |facts| facts.floor.truncate(1)),
    ];
    for (path, edit) in kept {
        let mut forged = sealed.clone();
        edit(&mut forged.facts);
        forged.basis = Basis::of(&forged.facts, &forged.samples).expect("a basis");
        let broken = audit(&forged, &launches).expect_err("refused");
        assert_eq!(broken.first().map(|broken| broken.path.as_str()), Some(path), "{broken:?}");
    }
}

#[test]
fn the_page_about_evidence_prints_the_table() {
    let path = kforge_testkit::workspace_root().join("docs/evidence.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let rows: String = UNBOUND
        .iter()
        .map(|field| format!("| `{}` | {} |\n", field.path, field.why))
        .collect::<Vec<_>>()
        .concat();
    let expected =
        format!("<!-- unbound -->\n| field | what it states |\n|---|---|\n{rows}<!-- /unbound -->");
    assert!(page.contains(&expected), "docs/evidence.md should hold:\n{expected}");
}
