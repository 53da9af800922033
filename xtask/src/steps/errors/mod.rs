//! The error enums of the rooms: read from their source once, checked here, printed by the reference step.

mod calls;
mod catalogue;
mod rules;
mod source;

pub(crate) use catalogue::{Entry, catalogue, notes};
pub(crate) use rules::run;
pub(crate) use source::{Enum, Note};
