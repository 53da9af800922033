//! The report of a bring-up as Markdown: what somebody else needs to see what works on a machine that they do not have.

use super::answer::{Finding, Step};
use crate::init::Class;
use std::fmt::Write as _;

/// The text of the report.
pub(super) fn text(class: Class, findings: &[Finding], steps: &[Step], at: &str) -> String {
    let works = steps.iter().all(|step| step.works);
    let word = if works { "works" } else { "does not work" };
    let mut text = format!(
        "# Bring-up of {}: {word}\n\nkforge {}, {at}\n\n## Machine\n\n",
        class.word(),
        env!("CARGO_PKG_VERSION")
    );
    for finding in findings {
        let _ = writeln!(text, "- {}: {}", finding.what, finding.fact);
    }
    text += "\n## Steps\n";
    for step in steps {
        let word = if step.works { "works" } else { "FAILS" };
        let _ = writeln!(text, "\n### {}: {word}\n\n`{}`, {} ms\n", step.what, step.command, step.ms);
        for line in &step.seen {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_that_fails_is_in_the_title() {
        let step = |works| Step {
            what: "a step",
            command: "kforge bench softmax".into(),
            works,
            seen: vec!["seen".into()],
            ms: 7,
        };
        let report = text(Class::Hip, &[], &[step(true), step(false)], "now");
        assert!(report.starts_with("# Bring-up of hip: does not work\n"));
        assert!(report.contains("### a step: FAILS\n\n`kforge bench softmax`, 7 ms\n\n    seen\n"));
    }
}
