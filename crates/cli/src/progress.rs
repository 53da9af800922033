//! Progress on stderr, only where a person watches.

use crate::interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kforge_report::{harmless_line, harmless_lines};
use kforge_workbench::{Observer, Progress};
use std::io::IsTerminal;
use std::sync::OnceLock;

/// Shows stages and steps on a terminal, and nothing elsewhere; passes the user's wish to stop on.
///
/// The bar is made at the first report, so that a quick answer pays nothing for it.
#[derive(Default)]
pub struct Terminal {
    bar: OnceLock<Option<ProgressBar>>,
}

impl Terminal {
    fn bar(&self) -> Option<&ProgressBar> {
        self.bar
            .get_or_init(|| {
                if !std::io::stderr().is_terminal() {
                    return None;
                }
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
                if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}") {
                    bar.set_style(style);
                }
                Some(bar)
            })
            .as_ref()
    }

    /// Removes the bar, so that the answer starts on a clean line.
    pub fn finish(&self) {
        if let Some(Some(bar)) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Terminal {
    fn progress(&self, progress: Progress) {
        let Some(bar) = self.bar() else { return };
        match progress {
            Progress::Stage(name) => bar.set_message(harmless_line(&name).into_owned()),
            Progress::Step { done, total } => {
                if let Some(total) = total {
                    bar.set_length(total);
                }
                bar.set_position(done);
            }
            Progress::Line(line) => bar.println(harmless_lines(&line)),
        }
    }

    fn cancelled(&self) -> bool {
        interrupt::asked()
    }
}
