//! What both sides are made from: the statements of the test, and what its parameters are.

use super::reading::Reading;
use crate::dtype;
use crate::evaluate::Seen;
use crate::python::Parameter;
use crate::scope::Scope;
use crate::slice::{Needed, filled, single};
use crate::task::Finding;
use crate::value::{Made, Tensor, Value};
use std::collections::BTreeSet;

/// What both sides are made from.
#[derive(Clone, Copy)]
pub(super) struct Side<'s, 'm> {
    /// The statements that were met.
    pub(super) seen: &'s [Seen<'m>],
    /// What the parameters are.
    pub(super) fixed: &'s Scope,
    /// The parameters.
    pub(super) parameters: &'s [Parameter],
    /// The statement that is measured.
    pub(super) measured: Option<usize>,
}

impl Side<'_, '_> {
    /// Tensors that the test allocates to be written.
    pub(super) fn allocated(&self) -> BTreeSet<String> {
        let made = self
            .seen
            .iter()
            .filter(|met| matches!(&met.value, Value::Tensor(Tensor { made: Made::Allocated, .. })));
        made.filter_map(|met| single(met.statement)).map(str::to_owned).collect()
    }

    /// Names that the module has to bring.
    pub(super) fn free(&self, found: &Needed) -> BTreeSet<String> {
        found.free.iter().filter(|name| !self.fixed.contains_key(*name)).cloned().collect()
    }

    /// Inputs, and the test's parameters, as the first lines of the operation.
    pub(super) fn prologue(&self, reading: &mut Reading<'_, '_>, found: &Needed, widen: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut by_place: Vec<(&String, &usize)> = found.inputs.iter().collect();
        by_place.sort_by_key(|(_, at)| **at);
        for (name, at) in by_place {
            let float =
                filled(&self.seen[*at]).and_then(|(_, tensor)| tensor.dtype).is_none_or(dtype::widens);
            let wide = if widen && float { ".double()" } else { "" };
            lines.push(format!("{name} = call.input(\"{name}\"){wide}"));
        }
        for parameter in self.parameters.iter().filter(|parameter| found.free.contains(&parameter.name)) {
            let name = &parameter.name;
            let value = self.fixed.get(name);
            let text = match value {
                Some(Value::Int(int)) if !int.literal => Some(format!("call.param(\"{name}\")")),
                Some(Value::Dtype(found)) if widen && dtype::widens(found) => {
                    Some("torch.float64".to_owned())
                }
                _ => value.and_then(Value::python),
            };
            if text.is_none() {
                let text = format!("nothing says what `{name}` of the test is");
                if !reading.open.iter().any(|known| known.text == text) {
                    reading.open.push(Finding { line: 1, text });
                }
            }
            lines.push(format!("{name} = {}", text.as_deref().unwrap_or("None")));
        }
        lines
    }
}
