//! Which statements and definitions of a file make a value, and their text for a file of their own.
//!
//! Invariant: the code that is handed on is the author's. What is changed is what cannot stand elsewhere: timing calls become the calls that
//! they time, a device by name becomes the device that is there, and, for a reference only, floats become binary64.

use crate::dtype;
use crate::evaluate::{Evaluator, Seen, is_main};
use crate::python::{Argument, Edits, Expression, Kind, Statement, Step};
use crate::timing::{is_timer, timed};
use crate::value::{Made, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the device in code that is handed on.
const DEVICE: &str = "kforge_device";

/// The line that finds the device.
pub(crate) const DEVICE_LINE: &str =
    "kforge_device = torch.device(\"cuda\" if torch.cuda.is_available() else \"cpu\")";

/// Arguments of timing functions that mean nothing to the function that they time.
const TIMING: &[&str] =
    &["num_iters", "num_warmup", "testGraph", "num_rotate_args", "needTrace", "use_cuda_event", "num_rotate"];

/// The statements that some names need.
#[derive(Debug, Default)]
pub(crate) struct Needed {
    /// Positions, in the file's order.
    pub(crate) statements: Vec<usize>,
    /// Inputs, by name, with the position of the statement that makes them.
    pub(crate) inputs: BTreeMap<String, usize>,
    /// Names that no statement binds.
    pub(crate) free: BTreeSet<String>,
}

/// The one name that a statement assigns to.
pub(crate) fn single(statement: &Statement) -> Option<&str> {
    match &statement.step {
        Step::Assign(target, _) => target.name(),
        _ => None,
    }
}

/// The tensor of a generator that a statement makes.
pub(crate) fn filled<'a>(seen: &'a Seen<'_>) -> Option<(&'a str, &'a Tensor)> {
    match (single(seen.statement), &seen.value) {
        (Some(name), Value::Tensor(tensor)) if matches!(tensor.made, Made::Filled(_)) => Some((name, tensor)),
        _ => None,
    }
}

/// Goes backwards from the end and keeps what `targets` rest on. A call writes the allocated tensors that it is given; tensors of `handed` are
/// handed in, so that nothing is needed to allocate them.
pub(crate) fn needed(
    seen: &[Seen<'_>],
    targets: &BTreeSet<String>,
    allocated: &BTreeSet<String>,
    handed: &BTreeSet<String>,
) -> Needed {
    let mut found = Needed { free: targets.clone(), ..Needed::default() };
    for (at, met) in seen.iter().enumerate().rev() {
        let binds = met.statement.binds();
        let bound = binds.iter().any(|name| found.free.contains(*name));
        let written = !matches!(met.value, Value::Tensor(Tensor { made: Made::Allocated, .. }))
            && calls(met.statement)
            && met
                .statement
                .mentions()
                .into_iter()
                .any(|name| allocated.contains(name) && found.free.contains(name));
        if !bound && !written {
            continue;
        }
        if let Some((name, _)) = filled(met) {
            found.inputs.insert(name.to_owned(), at);
            found.free.remove(name);
            continue;
        }
        found.statements.push(at);
        if let Step::Assign(target, _) = &met.statement.step
            && matches!(target.kind, Kind::Name(_) | Kind::Sequence(_))
        {
            for name in &binds {
                found.free.remove(*name);
            }
        }
        let is_allocation = matches!(met.value, Value::Tensor(Tensor { made: Made::Allocated, .. }));
        if is_allocation && single(met.statement).is_some_and(|name| handed.contains(name)) {
            continue;
        }
        let mut own: BTreeSet<&str> = BTreeSet::new();
        if let Step::Assign(target, value) = &met.statement.step
            && matches!(target.kind, Kind::Name(_) | Kind::Sequence(_))
        {
            own.extend(value.names());
        } else {
            own.extend(met.statement.mentions());
        }
        // The loop that times a call stays behind.
        let own = own.into_iter().filter(|name| !name.starts_with("run_perftest"));
        found.free.extend(own.map(str::to_owned));
    }
    found.statements.reverse();
    found
}

/// True where a statement is a call, or assigns what one gives.
fn calls(statement: &Statement) -> bool {
    match &statement.step {
        Step::Evaluate(value) | Step::Assign(_, value) => matches!(value.kind, Kind::Call(..)),
        _ => false,
    }
}

/// Text with its changes, and what it needs beside it.
pub(crate) struct Writer<'e, 'm> {
    evaluator: &'e Evaluator<'m>,
    edits: Edits,
    widen: bool,
    /// The device is named.
    device: bool,
    /// Lines where a float was widened.
    pub(crate) widened: BTreeSet<usize>,
}

impl<'e, 'm> Writer<'e, 'm> {
    /// Code as it is, or with its floats widened.
    pub(crate) fn new(evaluator: &'e Evaluator<'m>, widen: bool) -> Self {
        Self { evaluator, edits: Edits::default(), widen, device: false, widened: BTreeSet::new() }
    }

    /// A statement's text.
    pub(crate) fn statement(&mut self, statement: &Statement) -> String {
        self.prepare(statement);
        self.edits.text(self.evaluator.module, &statement.span, 0)
    }

    /// An expression's text.
    pub(crate) fn expression(&mut self, expression: &Expression) -> String {
        self.look(expression);
        self.edits.text(self.evaluator.module, &expression.span, 0)
    }

    fn prepare(&mut self, statement: &Statement) {
        statement.walk(&mut |inner| {
            if let Step::Function { decorators, .. } = &inner.step {
                self.undecorate(decorators);
            }
            if let Step::Assign(target, value) = &inner.step {
                self.untime(target, value);
            }
            for expression in inner.expressions() {
                self.look(expression);
            }
        });
    }

    /// Decorators of timing and of test runners go.
    fn undecorate(&mut self, decorators: &[Expression]) {
        for decorator in decorators {
            if is_harness(decorator) {
                let text = &self.evaluator.module.text;
                let rest = &text[decorator.span.end..];
                let end = decorator.span.end + (rest.len() - rest.trim_start().len());
                self.edits.replace(decorator.span.start.saturating_sub(1)..end, "");
            }
        }
    }

    /// `result, time = timed(…)` becomes `result = call`.
    fn untime(&mut self, target: &Expression, value: &Expression) {
        let Kind::Call(function, arguments) = &value.kind else { return };
        let timer = function
            .name()
            .and_then(|name| self.evaluator.definitions.get(name))
            .is_some_and(|definition| is_timer(definition));
        let inner = timed(function, arguments);
        if !timer && inner.is_none() {
            return;
        }
        if let Kind::Sequence(parts) = &target.kind
            && let [result, _] = parts.as_slice()
        {
            let text = self.evaluator.module.slice(&result.span).to_owned();
            self.edits.replace(target.span.clone(), text);
        }
        if let Some((inner, rest)) = inner {
            let text = self.call(inner, rest);
            self.edits.replace(value.span.clone(), text);
        }
    }

    /// A call with the arguments that mean something to it.
    fn call(&mut self, function: &Expression, arguments: &[Argument]) -> String {
        let kept: Vec<String> = arguments
            .iter()
            .filter(|argument| argument.name.as_deref().is_none_or(|name| !TIMING.contains(&name)))
            .map(|argument| {
                self.look(&argument.value);
                self.edits.text(self.evaluator.module, &argument.span, 0)
            })
            .collect();
        format!("{}({})", self.evaluator.module.slice(&function.span), kept.join(", "))
    }

    /// Devices by name, and floats of a reference.
    fn look(&mut self, expression: &Expression) {
        expression.walk(&mut |part| match &part.kind {
            Kind::Text(text) if &**text == "cuda" || text.starts_with("cuda:") => {
                self.edits.replace(part.span.clone(), DEVICE);
                self.device = true;
            }
            Kind::Call(function, arguments) if arguments.is_empty() => {
                let Kind::Attribute(object, method) = &function.kind else { return };
                let after = object.span.end..part.span.end;
                if method == "cuda" {
                    self.edits.replace(after, format!(".to({DEVICE})"));
                    self.device = true;
                } else if self.widen && matches!(method.as_str(), "float" | "half" | "bfloat16") {
                    self.edits.replace(after, ".double()");
                    self.widened.insert(part.line);
                }
            }
            Kind::Attribute(..) if self.widen => {
                if let Value::Dtype(found) = self.evaluator.value(&BTreeMap::new(), part, 0)
                    && dtype::widens(found)
                    && part.dotted().is_some()
                {
                    self.edits.replace(part.span.clone(), "torch.float64");
                    self.widened.insert(part.line);
                }
            }
            _ => {}
        });
    }

    /// The file's definitions that some names need, in the file's order, and imports last-minute needs. Gives relative imports too.
    pub(crate) fn definitions(&mut self, names: &BTreeSet<String>) -> Vec<String> {
        let module = self.evaluator.module;
        let mut open: Vec<String> = names.iter().cloned().collect();
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut kept: BTreeMap<usize, (usize, BTreeSet<String>)> = BTreeMap::new();
        while let Some(name) = open.pop() {
            if !known.insert(name.clone()) {
                continue;
            }
            for at in self.evaluator.binders.get(name.as_str()).into_iter().flatten().copied() {
                let statement = &module.body[at];
                if is_main(self.evaluator, statement) {
                    continue;
                }
                let entry = kept.entry(statement.span.start).or_insert((at, BTreeSet::new()));
                entry.1.insert(name.clone());
                open.extend(needs(statement).into_iter().map(str::to_owned));
            }
        }
        let mut pieces = Vec::new();
        for (at, names) in kept.into_values() {
            let statement = &module.body[at];
            pieces.push(match &statement.step {
                Step::Import(imports) => import(module.slice(&statement.span), imports, &names),
                _ => self.statement(statement),
            });
        }
        self.with_torch(pieces)
    }

    /// Code uses `torch` and the device where edits brought them in.
    fn with_torch(&self, mut pieces: Vec<String>) -> Vec<String> {
        let has = pieces.iter().any(|piece| piece.lines().any(|line| line == "import torch"));
        if !has {
            pieces.insert(0, "import torch".to_owned());
        }
        let after =
            pieces.iter().rposition(|piece| piece.starts_with("import ") || piece.starts_with("from "));
        if self.device {
            pieces.insert(after.map_or(0, |at| at + 1), DEVICE_LINE.to_owned());
        }
        pieces
    }
}

/// A decorator of timing or of a test runner.
fn is_harness(decorator: &Expression) -> bool {
    let called = match &decorator.kind {
        Kind::Call(function, _) => function,
        _ => decorator,
    };
    let name = called.dotted().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "perftest" | "benchmark") || name.starts_with("pytest.")
}

/// The names that a definition needs once its decorators of timing are gone.
fn needs(statement: &Statement) -> Vec<&str> {
    let Step::Function { decorators, .. } = &statement.step else { return statement.mentions() };
    let gone: Vec<&str> =
        decorators.iter().filter(|decorator| is_harness(decorator)).flat_map(Expression::names).collect();
    let mut names = statement.mentions();
    for name in gone {
        if let Some(at) = names.iter().position(|known| *known == name) {
            names.swap_remove(at);
        }
    }
    names
}

/// The import of some names out of a statement that may import more.
fn import(text: &str, imports: &[(String, String)], names: &BTreeSet<String>) -> String {
    if !text.starts_with("from") {
        return text.to_owned();
    }
    let mut lines = Vec::new();
    for (name, path) in imports.iter().filter(|(name, _)| names.contains(name)) {
        let (module, last) = path.rsplit_once('.').unwrap_or(("", path));
        let module = if module.is_empty() { "." } else { module };
        let alias = if last == name { String::new() } else { format!(" as {name}") };
        lines.push(format!("from {module} import {last}{alias}"));
    }
    lines.join("\n")
}
