//! The battery (`tests/battery`): every cheat is caught by its own name, and honest candidates that look odd are timed like any other.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::Command;

/// Asks about some candidates, once each.
fn holds(which: &[&str]) {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/battery/battery.py");
    let mut python = Command::new("python3");
    python.arg(driver).arg(env!("CARGO_BIN_EXE_kforge")).args(["--patience", "4"]).args(which);
    let done = python.output().unwrap();
    let (said, erred) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}\n{erred}");
    assert!(said.contains(" 0 unexpected."), "{said}");
}

#[test]
fn cheats_are_caught_by_name_and_honest_oddities_are_timed() {
    // One after the other: a battery beside a battery is the kind of machine that its detectors warn of.
    holds(&["--only", "cheats"]);
    // Where only a verdict is asked for, samples may be short.
    holds(&["--only", "honest", "--sample-us", "200"]);
}
