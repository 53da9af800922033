//! How the tour reads: each command line before its output, and the whole at the end.

use crate::Rendered;
use crate::harmless::one_line;
use kforge_units::counted;
use kforge_workbench::tour::{Response, Step};

/// What stands before a step's own output.
pub fn announcement(step: &Step) -> Rendered {
    let why = if step.why.is_empty() { String::new() } else { format!("\n# {}\n", step.why) };
    Rendered::new(format!("{why}$ {}", one_line(&step.command_line())))
}

/// The last lines of the tour.
pub fn render(response: &Response) -> Rendered {
    if response.complete {
        return Rendered::new(format!(
            "\nThe circle is closed: {}. The folder is kept for looking around: {}",
            counted(response.steps.len(), "step", "steps"),
            one_line(&response.folder)
        ));
    }
    let failed = response.steps.last().map_or_else(String::new, |step| {
        let exit = step.exit.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        format!("`{}` ended with {exit} where {} was expected. ", one_line(&step.command), step.expected)
    });
    Rendered::new(format!(
        "\nThe tour stopped: {failed}A verdict that is `inconclusive`, or void by `environment` or `biased`, means that this machine was too busy to measure; run the tour again on a quiet one.\nThe folder is kept: {}",
        one_line(&response.folder)
    ))
}
