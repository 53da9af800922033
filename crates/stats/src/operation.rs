//! One look at an operation: every case, their weighted geometric mean, and the verdict over both.
//!
//! Invariant: a single case's verdict is the operation's verdict; with several, `faster` needs the mean beyond the boundary and no
//! case slower after Holm, and a biased or unusable case is never averaged away.

use crate::assess::{Assessment, Bar, Finding, Series, assess};
use crate::bootstrap;
use crate::holm;
use crate::interval::{ratio, round_near};
use crate::judgement::{CaseJudgement, Judgement, LookTaken, Note};
use crate::launches::{CaseTable, LaunchRatios, median, tabulate};
use crate::policy::JudgePolicy;
use crate::samples::OpSamples;
use crate::verdict::{CaseOutcome, Verdict, Why};

/// A look: which one, how many launches, how strict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) number: u32,
    pub(crate) launches: u32,
    pub(crate) level: f64,
    pub(crate) bias_level: f64,
}

/// Judges the first `look.launches` launches of checked samples.
pub(crate) fn judge_at(samples: &OpSamples, policy: &JudgePolicy, look: Look, version: u32) -> Judgement {
    let upto = look.launches as usize;
    let several = samples.cases.len() > 1;
    // The mean is one more place at which a sound machine could look biased by chance.
    let places = samples.cases.len() + usize::from(several);
    let bar = Bar {
        margin: libm::log1p(policy.min_effect),
        level: look.level,
        exact_level: policy.exact_level(),
        bias_level: look.bias_level / places as f64,
        resamples: policy.resamples,
        launches: look.launches,
    };
    let tables: Vec<CaseTable> = samples.cases.iter().map(|case| tabulate(case, upto, policy)).collect();
    let total: f64 = samples.cases.iter().map(|case| case.weight).sum();
    let shares: Vec<f64> = samples.cases.iter().map(|case| case.weight / total).collect();
    let mut cases = Vec::new();
    let mut notes = Vec::new();
    for (case, table) in samples.cases.iter().zip(&tables) {
        let seed = bootstrap::seed(samples, upto, &case.case);
        let assessment = assess(&series(&[(1.0, table)], seed), bar);
        note_case(&case.case, table, &assessment, &mut notes);
        cases.push((case.case.as_str(), table, assessment));
    }
    let overall = if several {
        let parts: Vec<(f64, &CaseTable)> = shares.iter().copied().zip(&tables).collect();
        let assessment = assess(&series(&parts, bootstrap::seed(samples, upto, "")), bar);
        note_bias("all cases", &assessment, &mut notes);
        Some(assessment)
    } else {
        None
    };
    let verdict = match &overall {
        Some(mean) => over_cases(mean, &cases, bar, &mut notes),
        None => {
            cases.first().map_or_else(nothing, |(name, table, found)| verdict_of(name, Some(table), found))
        }
    };
    Judgement {
        judge_version: version,
        verdict,
        look: Some(LookTaken { number: look.number, launches: look.launches, level: round_near(look.level) }),
        overall: overall
            .or_else(|| cases.first().map(|(_, _, found)| found.clone()))
            .and_then(|found| found.measured),
        cases: cases.into_iter().map(|(name, table, found)| case_judgement(name, table, found)).collect(),
        notes,
    }
}

type Case<'a> = (&'a str, &'a CaseTable, Assessment);

/// The operation's verdict from the mean and the cases.
fn over_cases(mean: &Assessment, cases: &[Case<'_>], bar: Bar, notes: &mut Vec<Note>) -> Verdict {
    let found: Vec<Verdict> =
        cases.iter().map(|(name, table, found)| verdict_of(name, Some(table), found)).collect();
    let unusable = |v: &&Verdict| matches!(v, Verdict::Void { .. });
    if let Some(void) = found.iter().find(unusable) {
        return void.clone();
    }
    if let Some(why) = cases.iter().find_map(|(_, table, _)| table.obstacle.clone()) {
        return Verdict::Inconclusive { why, interval: mean.measured.as_ref().map(|m| m.speedup) };
    }
    let marked = |p: Vec<f64>| holm::rejected(&p, bar.level);
    let faster = marked(cases.iter().map(|(_, _, found)| found.p.0).collect());
    let slower = marked(cases.iter().map(|(_, _, found)| found.p.1).collect());
    let any = |marks: &[bool]| marks.iter().any(|mark| *mark);
    let verdict = verdict_of("the mean of all cases", None, mean);
    let contradicted = match &verdict {
        Verdict::Faster { .. } => any(&slower),
        Verdict::Slower { .. } => any(&faster),
        Verdict::Same { .. } => any(&slower) || any(&faster),
        _ => any(&slower) && any(&faster),
    };
    if contradicted && !matches!(verdict, Verdict::Void { .. }) {
        return Verdict::Mixed { cases: outcomes(cases, &faster, &slower) };
    }
    if verdict.is_faster() {
        let open = cases
            .iter()
            .zip(&found)
            .filter(|(_, v)| matches!(v, Verdict::Slower { .. } | Verdict::Inconclusive { .. }));
        for ((name, _, assessment), _) in open {
            let low = assessment.measured.as_ref().map_or(0.0, |m| m.speedup.low);
            if low < ratio(-bar.margin) {
                notes.push(Note::CaseOpen { case: (*name).to_owned(), low });
            }
        }
    }
    verdict
}

fn outcomes(cases: &[Case<'_>], faster: &[bool], slower: &[bool]) -> Vec<CaseOutcome> {
    let mut list = Vec::new();
    for (((name, _, assessment), fast), slow) in cases.iter().zip(faster).zip(slower) {
        let outcome = match (fast, slow) {
            (true, _) => "faster",
            (_, true) => "slower",
            _ => continue,
        };
        if let Some(measured) = &assessment.measured {
            list.push(CaseOutcome {
                case: (*name).to_owned(),
                outcome: outcome.to_owned(),
                interval: measured.speedup,
            });
        }
    }
    list
}

/// Puts a finding into words; an obstacle of the samples comes before what they seem to show.
fn verdict_of(of: &str, table: Option<&CaseTable>, assessment: &Assessment) -> Verdict {
    let interval = assessment.measured.as_ref().map(|m| m.speedup);
    if let Some(why) = table.and_then(|table| table.obstacle.clone()) {
        return Verdict::Inconclusive { why, interval };
    }
    match (&assessment.finding, interval) {
        (Finding::Biased(noise), _) => Verdict::Void {
            cause: "biased".to_owned(),
            detail: format!(
                "{of}: a second process of the baseline differs from it by {:.4} to {:.4}",
                noise.low, noise.high
            ),
        },
        (Finding::Faster, Some(interval)) => Verdict::Faster { interval },
        (Finding::Slower, Some(interval)) => Verdict::Slower { interval },
        (Finding::Same, Some(interval)) => Verdict::Same { interval },
        (Finding::Open(why), interval) => Verdict::Inconclusive { why: why.clone(), interval },
        (Finding::Faster | Finding::Slower | Finding::Same, None) => nothing(),
    }
}

fn nothing() -> Verdict {
    Verdict::Inconclusive { why: Why::TooFewLaunches { have: 0, need: 2 }, interval: None }
}

fn case_judgement(name: &str, table: &CaseTable, found: Assessment) -> CaseJudgement {
    CaseJudgement {
        case: name.to_owned(),
        verdict: verdict_of(name, Some(table), &found),
        baseline_ns: table.baseline_ns,
        candidate_ns: table.candidate_ns,
        blocks: table.blocks,
        dropped: table.dropped,
        measured: found.measured,
    }
}

fn note_case(name: &str, table: &CaseTable, assessment: &Assessment, notes: &mut Vec<Note>) {
    if table.dropped > 0 {
        notes.push(Note::DroppedDisturbed {
            case: name.to_owned(),
            dropped: table.dropped,
            of: table.blocks,
        });
    }
    note_bias(name, assessment, notes);
}

fn note_bias(of: &str, assessment: &Assessment, notes: &mut Vec<Note>) {
    if assessment.allowance > 0.0 && !matches!(assessment.finding, Finding::Biased(_)) {
        notes.push(Note::SmallBias { of: of.to_owned(), ratio: round_near(ratio(assessment.noise_mid)) });
    }
}

/// The launches that every part has, as one weighted series.
fn series<'a>(parts: &[(f64, &'a CaseTable)], seed: [u8; 32]) -> Series<'a> {
    let mut all =
        Series { speedup: Vec::new(), noise: Vec::new(), blocks: Vec::new(), resolution: 0.0, seed };
    let launches = parts.iter().map(|(_, table)| table.launches.len()).min().unwrap_or(0);
    for launch in 0..launches {
        let found: Vec<(f64, &LaunchRatios)> = parts
            .iter()
            .filter_map(|(share, table)| {
                table.launches.get(launch).and_then(Option::as_ref).map(|ratios| (*share, ratios))
            })
            .collect();
        if found.len() < parts.len() {
            continue;
        }
        let mean = |side: fn(&LaunchRatios) -> &Vec<f64>| {
            found.iter().map(|(share, r)| share * median(&mut side(r).clone())).sum()
        };
        all.speedup.push(mean(|r| &r.speedup));
        all.noise.push(mean(|r| &r.noise));
        all.blocks.push(found.iter().map(|(share, r)| (*share, r.speedup.as_slice())).collect());
    }
    all.resolution = parts.iter().map(|(share, table)| share * table.resolution).sum();
    all
}
