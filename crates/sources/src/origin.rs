//! What kind of file a text is: a task with a class, or a test. Refuses what Python would not accept, and what is neither.

use crate::error::Error;
use crate::model::{self, is_model};
use crate::op_test::{self, tests};
use crate::python::Module;
use crate::task::Task;

/// The file as a module that Python would accept.
pub(crate) fn parsed(file: &str, text: &str) -> Result<Module, Error> {
    let broken = |line| Error::Syntax { file: file.to_owned(), line };
    let module = Module::parse(text).ok_or_else(|| broken(1))?;
    match module.broken {
        Some(line) => Err(broken(line)),
        None => Ok(module),
    }
}

/// Reads a file as what it is: a task with a class, or a test; `name` picks one of several tests.
///
/// # Errors
/// [`Error::Syntax`] where it is not Python, [`Error::NoTask`] where it is neither, [`Error::Several`] where a name is needed.
pub fn read(file: &str, text: &str, name: Option<&str>, op: &str) -> Result<Task, Error> {
    let module = parsed(file, text)?;
    if name.is_none_or(|name| name == "Model") && is_model(&module) {
        return model::from_module(file, &module);
    }
    if tests(&module).is_empty() {
        let missing = "no class Model with get_inputs, and no function that compares two results".to_owned();
        return Err(Error::NoTask { file: file.to_owned(), missing });
    }
    op_test::from_module(file, &module, name, op)
}
