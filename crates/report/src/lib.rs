//! The only renderer: a verb's `Response` to text, Markdown, CSV, JSON and workbook.
//!
//! Invariant: nothing is computed here that the `Response` does not hold; a shortened name or a cut table says so.

pub mod bench;
pub mod commit;
pub mod doctor;
mod envelope;
mod failure;
mod format;
mod harmless;
pub mod history;
pub mod hooks;
pub mod init;
pub mod inspect;
mod judgement;
mod kernel_name;
mod module_tree;
mod page;
pub mod pairs;
pub mod record;
mod rendered;
pub mod reuse;
mod table;
pub mod tour;
pub mod trace;
pub mod tuned;
pub mod validate;
pub mod verify;
pub mod workbook;

pub use envelope::{event_line, success};
pub use failure::{failure_json, failure_text};
pub use format::Format;
pub use harmless::{lines as harmless_lines, one_line as harmless_line};
pub use rendered::Rendered;
pub use table::{Align, Table};
