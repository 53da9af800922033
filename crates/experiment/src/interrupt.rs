//! How long work learns that the user wants to stop.

/// Asked often; must be cheap.
pub trait Interrupt: Sync {
    /// True once the user has asked to stop.
    fn is_set(&self) -> bool;
}

/// Nobody interrupts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uninterrupted;

impl Interrupt for Uninterrupted {
    fn is_set(&self) -> bool {
        false
    }
}
