//! Defects seeded into a copy of this very repository, each of which its step must find.
//!
//! A fixture shows that a rule works on a fixture; this shows that it works on the tree that it guards. Answers for the
//! steps that need no build. Invariant: the copy without a defect is the measure, so that the test does not depend on
//! the tree being clean at the moment.

use std::collections::BTreeMap;
use std::path::Path;

use crate::check::STEPS;
use crate::repository::Repository;

/// The step, the file (which may be new), and what is appended to it.
const DEFECTS: [(&str, &str, &str); 17] = [
    ("words", "README.md", "\nSee /home/\u{61}da/notes.\n"),
    ("words", "crates/units/src/lib.rs", "\n// FIX\u{4d}E: later\n"),
    ("sizes", "crates/units/src/fresh.rs", "LINES"),
    ("modules", "crates/units/src/fresh.rs", "fn undocumented() {}\n"),
    ("modules", "crates/units/src/lib.rs", "\npub use std::fmt::*;\n"),
    ("modules", "crates/units/src/lib.rs", "\n#[allow(dead_code)]\nconst A: u8 = 1;\n"),
    ("links", "docs/glossary.md", "\n[gone](nowhere.md)\n"),
    ("layers", "crates/units/Cargo.toml", "\n[build-dependencies]\nclap.workspace = true\n"),
    ("layers", "layers.toml", "\n[external.none]\nrooms = [\"nowhere\"]\nreason = \"x\"\n"),
    ("doors", "crates/units/src/lib.rs", "\nuse std::fs;\n"),
    ("dependencies", "xtask/dependencies.toml", "\nnever_used = \"x\"\n"),
    ("dependencies", "Cargo.toml", "\n[patch.none]\n"),
    ("errors", "crates/units/src/fresh.rs", "ENUM"),
    ("errors", "crates/formats/src/error.rs", "SECOND"),
    ("errors", "crates/units/src/lib.rs", "\nconst A: &str = \"verify.unlisted\";\n"),
    ("fmt", "crates/units/src/lib.rs", "\n\n\nconst   A : u8=1;\n"),
    ("fmt", "xtask/src/main.rs", "\nfn  spaced( ) {}\n"),
];

#[test]
fn every_seeded_defect_is_found_by_its_step() {
    let here = Repository::find().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    for file in here.files() {
        let to = scratch.path().join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(here.root().join(file), to).unwrap();
    }
    let mut clean: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (step, file, text) in DEFECTS {
        let clean = clean.entry(step).or_insert_with(|| findings(scratch.path(), step));
        let path = scratch.path().join(file);
        let before = std::fs::read_to_string(&path).ok();
        std::fs::write(&path, format!("{}{}", before.clone().unwrap_or_default(), defect(text))).unwrap();
        let found = findings(scratch.path(), step);
        assert!(
            found.iter().any(|finding| !clean.contains(finding)),
            "{step} does not see the defect in {file}: {text}\nclean: {clean:#?}"
        );
        match before {
            Some(before) => std::fs::write(&path, before).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
}

fn defect(text: &str) -> String {
    let variants = |count: usize, code: &str| {
        let shapes: Vec<String> = (0..count).map(|n| format!("#[error(\"fact {n}\")]\nV{n},")).collect();
        let shapes = shapes.join("\n");
        format!(
            "#[derive(Debug, thiserror::Error)]\npub enum Fresh {{\n{shapes}}}\nimpl Fresh {{ pub fn code(&self) \
             -> &'static str {{ match self {{ Self::V0 => \"{code}\", _ => \"fresh.other\" }} }} }}\n"
        )
    };
    match text {
        "LINES" => "// a line\n".repeat(600),
        "ENUM" => variants(21, "fresh.zero"),
        "SECOND" => variants(1, "fresh.zero"),
        plain => plain.to_owned(),
    }
}

/// What `step` says of the tree at `root`; a step that cannot look says so, which also counts.
fn findings(root: &Path, step: &str) -> Vec<String> {
    let repository = Repository::at(root).unwrap();
    let run = STEPS.iter().find(|one| one.name == step).unwrap().run;
    match run(&repository) {
        Ok(examined) => examined.findings.iter().map(ToString::to_string).collect(),
        Err(refusal) => vec![refusal.to_string()],
    }
}
