//! The page of exit codes: a row for each class of answer, in the order of the codes.

use std::fmt::Write as _;

use super::compare::GENERATED;
use crate::kforge::ExitCode;

pub(super) fn page(codes: &[ExitCode]) -> String {
    let mut text =
        format!("{GENERATED}# Exit codes\n\nThe same for every verb.\n\n| code | meaning |\n|---:|---|\n");
    for one in codes {
        let _ = writeln!(text, "| {} | {} |", one.code, one.meaning.replace('|', "\\|"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::kforge::ExitCode;

    #[test]
    fn every_code_is_a_row() {
        let codes =
            [ExitCode { code: 0, meaning: "yes".into() }, ExitCode { code: 130, meaning: "stop".into() }];
        assert!(page(&codes).ends_with("| 0 | yes |\n| 130 | stop |\n"));
    }
}
