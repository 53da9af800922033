//! Ctrl-C and SIGTERM: the first asks long work to stop and clean up, the second ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler. Where that fails the process keeps the default behaviour, which also ends it.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            stop_now();
        }
    });
}

/// True once the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

#[expect(
    clippy::disallowed_methods,
    clippy::exit,
    reason = "the user asked twice; nothing is left to clean up politely"
)]
fn stop_now() {
    std::process::exit(i32::from(kforge_workbench::ExitClass::Interrupted.code()));
}
