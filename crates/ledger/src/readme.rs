//! The index of all recorded versions: `kernels/README.md`, one table an op.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::block::{cell, day, headline};
use crate::rebuild::Truth;
use crate::versions;

/// The content of the index's block; ends in a line end.
pub(crate) fn index(all: &[(String, Vec<Truth>)]) -> String {
    let mut text = String::from("Derived by `kforge record`; text outside this block is kept.\n");
    for (op, truth) in all.iter().filter(|(_, truth)| !truth.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n## [{op}]({op}/notes.md)\n");
        text.push_str("| version | verdict | layer | device | date | candidate | evidence |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for (truth, version) in truth.iter().zip(versions::number(truth)) {
            let facts = &truth.evidence.facts;
            let layer = truth.lesson.layer.map_or("-", |layer| layer.word());
            let _ = writeln!(
                text,
                "| v{} {} | {} | {layer} | {} | {} | {} | [{}]({op}/evidence/{}.json) |",
                version.number,
                cell(&version.tag),
                headline(&truth.evidence.judgement.verdict),
                cell(&facts.environment.device.name),
                day(&facts.run.started_at),
                cell(&facts.candidate),
                truth.id.short(),
                truth.id,
            );
        }
    }
    text
}

/// `| vN …`, not the heads of the tables.
fn is_row(line: &&str) -> bool {
    line.strip_prefix("| v").is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// Whether an index lacks a row of what is recorded, or has another one about the same evidence.
pub(crate) fn differs(present: &[u8], all: &[(String, Vec<Truth>)]) -> bool {
    let present = String::from_utf8_lossy(present);
    let present: BTreeSet<&str> = present.lines().filter(is_row).collect();
    let fresh = index(all);
    let fresh: BTreeSet<&str> = fresh.lines().filter(is_row).collect();
    let ids: Vec<String> =
        all.iter().flat_map(|(_, truth)| truth).map(|truth| truth.id.to_string()).collect();
    let about = |line: &str| ids.iter().any(|id| line.contains(id));
    !fresh.is_subset(&present) || present.difference(&fresh).any(|line| about(line))
}
