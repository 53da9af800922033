//! The code of the two sides: the statements that their results rest on, in the author's words, for a file of its own.
//!
//! What would be timed here and was not timed there is marked.

use super::reading::Reading;
use super::side::Side;
use crate::evaluate::Seen;
use crate::python::{Expression, Kind, Step};
use crate::slice::{Writer, needed, single};
use crate::task::{Finding, Program};
use crate::timing::{is_timer, timed};
use crate::value::{Made, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

impl<'m> Reading<'_, 'm> {
    /// What the test compares with.
    pub(super) fn reference(
        &mut self,
        side: &Side<'_, 'm>,
        expected: &[&Expression],
        inputs: &mut BTreeMap<String, usize>,
    ) -> Program {
        let targets: BTreeSet<String> = expected.iter().flat_map(|e| e.names()).map(str::to_owned).collect();
        let found = needed(side.seen, &targets, &side.allocated(), &BTreeSet::new());
        let mut writer = Writer::new(self.evaluator, true);
        let mut body = side.prologue(self, &found, true);
        body.extend(found.statements.iter().map(|at| writer.statement(side.seen[*at].statement)));
        let results: Vec<String> =
            expected.iter().map(|e| format!("{}.double()", writer.expression(e))).collect();
        body.push(format!("return {}", results.join(", ")));
        let definitions = writer.definitions(&side.free(&found));
        self.relative(&definitions);
        let mut lines: Vec<String> = writer.widened.iter().map(ToString::to_string).collect();
        lines.truncate(8);
        if !lines.is_empty() {
            let text = format!(
                "the reference computes in binary64 where lines {} name a narrower float",
                lines.join(", ")
            );
            self.said.push(Finding { line: writer.widened.first().copied().unwrap_or(1), text });
        }
        inputs.extend(found.inputs);
        Program {
            title: "The reference: what the test compares with, in binary64.".to_owned(),
            definitions,
            body,
        }
    }

    /// What the test measures.
    pub(super) fn baseline(
        &mut self,
        side: &Side<'_, 'm>,
        actual: &[(String, &Expression)],
        inputs: &mut BTreeMap<String, usize>,
    ) -> Program {
        let targets: BTreeSet<String> =
            actual.iter().flat_map(|(_, e)| e.names()).map(str::to_owned).collect();
        let handed = actual.iter().filter_map(|(_, e)| e.name()).map(str::to_owned).collect();
        let found = needed(side.seen, &targets, &side.allocated(), &handed);
        let mut writer = Writer::new(self.evaluator, false);
        let mut body = side.prologue(self, &found, false);
        let mut written = 0;
        for at in &found.statements {
            let met = &side.seen[*at];
            let allocated = matches!(&met.value, Value::Tensor(Tensor { made: Made::Allocated, .. }));
            if allocated
                && let Some((name, _)) =
                    actual.iter().find(|(_, e)| e.name() == single(met.statement) && e.name().is_some())
            {
                body.push(format!("{} = call.output(\"{name}\")", single(met.statement).unwrap_or(name)));
                written += 1;
                continue;
            }
            if side.measured.is_some_and(|measured| *at < measured)
                && matches!(met.value, Value::Tensor(_) | Value::Unknown)
                && !allocated
            {
                let line = met.statement.line;
                body.push(format!("# TODO(kforge): {}:{line} does this before it measures, and here it would be timed; make it an input of [inputs], or delete this line to time it", self.file));
            }
            body.push(writer.statement(met.statement));
        }
        for (name, expression) in actual {
            if expression.names().iter().any(|root| found.inputs.contains_key(*root)) {
                let text = format!(
                    "`{name}` is an input that the operation changes; declare it `inout = true` and return nothing for it"
                );
                self.open.push(Finding { line: expression.line, text });
            }
        }
        if written < actual.len() {
            let results: Vec<String> = actual.iter().map(|(_, e)| writer.expression(e)).collect();
            body.push(format!("return {}", results.join(", ")));
        }
        let definitions = writer.definitions(&side.free(&found));
        self.relative(&definitions);
        inputs.extend(found.inputs);
        Program { title: "The baseline: what the test measures today.".to_owned(), definitions, body }
    }

    fn relative(&mut self, definitions: &[String]) {
        for piece in definitions.iter().filter(|piece| piece.starts_with("from .")) {
            let text = format!("`{piece}` is relative to the file; name the module in full");
            if !self.open.iter().any(|known| known.text == text) {
                self.open.push(Finding { line: 1, text });
            }
        }
    }

    /// What else the test measures: further candidates.
    pub(super) fn others(&mut self, seen: &[Seen<'m>], measured: Option<usize>) {
        for (at, met) in seen.iter().enumerate() {
            let Step::Assign(_, value) = &met.statement.step else { continue };
            let Kind::Call(function, arguments) = &value.kind else { continue };
            let called = timed(function, arguments).map(|(inner, _)| inner);
            let timer = function
                .name()
                .and_then(|name| self.evaluator.definitions.get(name))
                .is_some_and(|d| is_timer(d));
            if Some(at) == measured || !timer && called.is_none() || !self.foreign(&met.statement.mentions())
            {
                continue;
            }
            let name = self.evaluator.module.slice(&called.unwrap_or(function).span).to_owned();
            self.said.push(Finding {
                line: met.statement.line,
                text: format!("the test measures `{name}` too: another candidate"),
            });
        }
    }
}
