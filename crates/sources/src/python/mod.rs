//! Python as a syntax tree: what a file says, with the line of everything. Nothing is imported or executed.

mod edit;
mod syntax;
mod tree;

pub(crate) use edit::Edits;
pub(crate) use syntax::{Argument, Expression, Kind, Parameter, Statement, Step};
pub(crate) use tree::Module;
