//! Ctrl-C and SIGTERM: the first asks long work to stop and clean up, the second ends the process at once.
//!
//! Work asks whether it should stop; work that is blocked (a pipe that nobody writes to, a reader that does not read) never asks. So a verb says how
//! long the first signal may go unanswered. Invariant: a verb that moves branches or files of the ledger is never cut off by the first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

static ASKED: AtomicBool = AtomicBool::new(false);
static HEARD: AtomicBool = AtomicBool::new(false);

/// What happens where the first signal is not followed by an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// The verb reads and answers; nothing is left behind by cutting it off.
    Reader,
    /// The verb cleans up once it has heard; blocked, it never hears, and what it started ends with it.
    Listener,
    /// The verb ends when it is done.
    Finisher,
}

/// A reader has this long.
const READER: Duration = Duration::from_secs(1);
/// A listener asks many times a second; one that has not asked for this long is blocked.
const LISTENER: Duration = Duration::from_secs(10);

/// Installs the handler. Where that fails the process keeps the default behaviour, which also ends it.
pub fn install(patience: Patience) {
    let _ = ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            stop_now();
        }
        // The handler has a thread of its own; if the verb ends first, this ends with it.
        match patience {
            Patience::Reader => {
                std::thread::spawn(|| {
                    sleep(READER);
                    stop_now();
                });
            }
            Patience::Listener => {
                std::thread::spawn(|| {
                    sleep(LISTENER);
                    if !HEARD.load(Ordering::SeqCst) {
                        stop_now();
                    }
                });
            }
            Patience::Finisher => {}
        }
    });
}

/// True once the user asked to stop.
pub fn asked() -> bool {
    let asked = ASKED.load(Ordering::Relaxed);
    if asked {
        HEARD.store(true, Ordering::SeqCst);
    }
    asked
}

#[expect(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "the user asked twice, or nothing answers; nothing is left to clean up politely"
)]
fn stop_now() {
    std::process::exit(i32::from(kforge_workbench::ExitClass::Interrupted.code()));
}
