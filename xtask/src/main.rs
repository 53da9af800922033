//! Checks and generators of this repository: `cargo xtask check`, `cargo xtask docs` and `cargo xtask cut`.
//!
//! Answers whether the tree keeps its own rules, and writes the pages under `docs/reference/`. It refuses to
//! call a step green that looked at nothing. Invariant: `check` never writes to the tree.

mod check;
mod cut;
mod finding;
mod kforge;
mod markdown;
mod repository;
#[cfg(test)]
mod seeded;
mod steps;
mod test_code;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use finding::Stop;
use repository::Repository;

const USAGE: &str = "\
usage: cargo xtask check [STEP...]   run every step, or the named ones, and report what is wrong
       cargo xtask docs              write docs/reference/ from the built kforge and the error enums
       cargo xtask steps             list the steps
       cargo xtask cut CAPTURE STEP OUT   write one annotated step of a capture as a small capture of its own
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match answer(&words) {
        Ok(code) => code,
        Err(stop) => {
            let _ = writeln!(std::io::stderr(), "xtask: {stop}\nhint: {}", stop.hint());
            ExitCode::from(4)
        }
    }
}

fn answer(words: &[&str]) -> Result<ExitCode, Stop> {
    match words {
        ["check", named @ ..] => check::run(&Repository::find()?, named),
        ["docs"] => steps::reference::write(&Repository::find()?).map(|()| ExitCode::SUCCESS),
        ["cut", capture, step, out] => {
            let kept = cut::cut(Path::new(capture), step, Path::new(out))?;
            let _ = writeln!(std::io::stdout(), "{out}: {} of {} events", kept.events, kept.of);
            Ok(ExitCode::SUCCESS)
        }
        ["steps"] => {
            let _ = write!(std::io::stdout(), "{}", check::list());
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            let _ = write!(std::io::stderr(), "{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}
