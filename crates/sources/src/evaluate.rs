//! What expressions and statements are known to be, by reading: a small abstract interpreter.
//!
//! It follows constants, shapes and element types through assignments, decided conditions and the file's own functions. What it does not
//! know is [`Value::Unknown`]; it never guesses.

use crate::budget::Budget;
use crate::builtin::builtin;
use crate::dtype::dtype;
use crate::given::Given;
use crate::layer;
use crate::operator;
use crate::python::{Argument, Expression, Kind, Module, Statement, Step};
use crate::scope::{Scope, assign, forget};
use crate::task::Finding;
use crate::tensor;
use crate::timing::{is_timer, timed};
use crate::value::{Int, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Calls of the file's functions within one another that are followed.
const DEEPEST: usize = 12;

/// A statement that was met, and what an assignment assigned.
#[derive(Clone, Debug)]
pub(crate) struct Seen<'m> {
    /// The statement.
    pub(crate) statement: &'m Statement,
    /// The value, as a whole.
    pub(crate) value: Value,
}

/// A file whose top level has been read.
pub(crate) struct Evaluator<'m> {
    /// The file.
    pub(crate) module: &'m Module,
    /// What the names of the top level are.
    pub(crate) globals: Scope,
    /// The file's functions and classes.
    pub(crate) definitions: BTreeMap<&'m str, &'m Statement>,
    /// What imported names mean.
    pub(crate) imports: BTreeMap<&'m str, &'m str>,
    /// The statements of the top level that bind a name, by their place in the file.
    pub(crate) binders: BTreeMap<&'m str, Vec<usize>>,
    budget: Budget,
}

impl<'m> Evaluator<'m> {
    /// Reads the top level. Whole numbers under the names of `parameters` stay names.
    pub(crate) fn new(module: &'m Module, parameters: &BTreeSet<String>) -> Self {
        let mut new = Self {
            module,
            globals: Scope::new(),
            definitions: BTreeMap::new(),
            imports: BTreeMap::new(),
            binders: BTreeMap::new(),
            budget: Budget::new(),
        };
        for (at, statement) in module.body.iter().enumerate() {
            statement.walk(&mut |inner| {
                if let Step::Import(names) = &inner.step {
                    new.imports.extend(names.iter().map(|(name, path)| (name.as_str(), path.as_str())));
                }
            });
            if let Step::Function { name, .. } | Step::Class { name, .. } = &statement.step {
                new.definitions.insert(name, statement);
            }
            for name in statement.binds() {
                new.binders.entry(name).or_default().push(at);
            }
        }
        new.top_level(parameters);
        new
    }

    /// What the names of the top level are once the file has been gone through. A statement that the command line has a say in changes
    /// nothing, since the file is read as it runs where nothing is said; another one that binds a name again leaves that name unknown.
    fn top_level(&mut self, parameters: &BTreeSet<String>) {
        let module = self.module;
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for statement in &module.body {
            match &statement.step {
                Step::Import(_) | Step::Function { .. } | Step::Class { .. } => continue,
                _ if is_main(self, statement) => continue,
                _ => {}
            }
            let from_command_line = statement.mentions().iter().any(|name| told.contains(name));
            if from_command_line || parses_arguments(statement) {
                told.extend(statement.binds().into_iter().filter(|name| !self.globals.contains_key(*name)));
            }
            let known = |name: &str| self.globals.contains_key(name);
            if from_command_line && statement.binds().into_iter().all(known) {
                continue;
            }
            let Step::Assign(target, value) = &statement.step else {
                forget(&mut self.globals, statement);
                continue;
            };
            let value = self.value(&Scope::new(), value, 0);
            let mut bound = Scope::new();
            assign(&mut bound, target, value);
            for (name, value) in &bound {
                let value = match value {
                    _ if self.globals.contains_key(name) => Value::Unknown,
                    Value::Int(int) if parameters.contains(name) => Value::parameter(name, int.value),
                    other => other.clone(),
                };
                self.globals.insert(name.clone(), value);
            }
            // What was stored into an object, or by a second target of the same statement.
            for name in statement.binds().into_iter().filter(|name| !bound.contains_key(*name)) {
                self.globals.insert(name.to_owned(), Value::Unknown);
            }
        }
    }

    /// What is to be said where the file asks for more than is followed.
    pub(crate) fn beyond(&self, line: usize) -> Option<Finding> {
        let cut = self.module.cut.map(|line| (line, "code is nested deeper here than is read".to_owned()));
        let spent = self.budget.spent().then(|| {
            (line, "the file computes more than is followed by reading; what is unknown below may be known to you".to_owned())
        });
        cut.or(spent).map(|(line, text)| Finding { line, text })
    }

    /// The dotted path of a name, imports resolved.
    pub(crate) fn path(&self, expression: &Expression) -> Option<String> {
        let dotted = expression.dotted()?;
        let (root, rest) = dotted.split_once('.').map_or((dotted.as_str(), None), |(a, b)| (a, Some(b)));
        let root = self.imports.get(root).copied().unwrap_or(root);
        Some(rest.map_or_else(|| root.to_owned(), |rest| format!("{root}.{rest}")))
    }

    /// What an expression is.
    pub(crate) fn value(&self, scope: &Scope, expression: &Expression, depth: usize) -> Value {
        if !self.budget.take(1) {
            return Value::Unknown;
        }
        let value = self.budget.deeper(|| self.followed(scope, expression, depth)).unwrap_or(Value::Unknown);
        // What is made anew is there as a whole, and a name shares what it names.
        let made = matches!(expression.kind, Kind::Binary(..) | Kind::Call(..) | Kind::Sequence(_));
        let work = if made { value.weight() } else { value.copied() };
        if self.budget.take(work) { value } else { Value::Unknown }
    }

    fn followed(&self, scope: &Scope, expression: &Expression, depth: usize) -> Value {
        match &expression.kind {
            Kind::Name(name) => {
                scope.get(name).or_else(|| self.globals.get(name)).cloned().unwrap_or(Value::Unknown)
            }
            Kind::Integer(value) => Value::Int(Int::literal(*value)),
            Kind::Real(value) => Value::Real(*value),
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Bool(value) => Value::Bool(*value),
            Kind::None => Value::None,
            Kind::Sequence(parts) => match self.spread(scope, parts.iter(), depth) {
                (values, true) => Value::sequence(values),
                (_, false) => Value::Unknown,
            },
            Kind::Not(inner) => {
                self.truth(scope, inner, depth).map_or(Value::Unknown, |truth| Value::Bool(!truth))
            }
            Kind::Negate(inner) => match self.value(scope, inner, depth) {
                Value::Int(int) => Int::literal(0).join("-", &int).map_or(Value::Unknown, Value::Int),
                Value::Real(value) => Value::Real(-value),
                Value::Tensor(tensor) => Value::Tensor(Tensor::computed(tensor.shape, tensor.dtype)),
                _ => Value::Unknown,
            },
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.value(scope, left, depth), self.value(scope, right, depth));
                operator::binary(operator, &left, &right)
            }
            Kind::Attribute(object, name) => self.attribute(scope, expression, object, name, depth),
            Kind::Subscript(object, indices) => self.subscript(scope, object, indices, depth),
            Kind::Call(function, arguments) => self.call(scope, function, arguments, depth),
            Kind::Splat(_) | Kind::Other(_) => Value::Unknown,
        }
    }

    /// Whether a condition holds: it may be known where its value is not.
    fn truth(&self, scope: &Scope, condition: &Expression, depth: usize) -> Option<bool> {
        let of = |inner: &Expression| self.budget.deeper(|| self.truth(scope, inner, depth)).flatten();
        match &condition.kind {
            Kind::Binary(operator, left, right) if operator == "and" || operator == "or" => {
                let decides = operator == "or";
                match (of(left), of(right)) {
                    (Some(truth), _) | (_, Some(truth)) if truth == decides => Some(decides),
                    (Some(_), Some(_)) => Some(!decides),
                    _ => None,
                }
            }
            Kind::Not(inner) => of(inner).map(|truth| !truth),
            _ => self.value(scope, condition, depth).truth(),
        }
    }

    /// The values of some expressions; false where there is a `*more` of unknown length, which is the last of them.
    fn spread<'a>(
        &self,
        scope: &Scope,
        parts: impl Iterator<Item = &'a Expression>,
        depth: usize,
    ) -> (Vec<Value>, bool) {
        let mut values = Vec::new();
        for part in parts {
            let Kind::Splat(inner) = &part.kind else {
                values.push(self.value(scope, part, depth));
                continue;
            };
            match self.value(scope, inner, depth) {
                Value::Sequence(inner) if self.budget.take(inner.iter().map(Value::copied).sum()) => {
                    values.extend(inner.iter().cloned());
                }
                _ => {
                    values.push(Value::Unknown);
                    return (values, false);
                }
            }
        }
        (values, true)
    }

    fn attribute(
        &self,
        scope: &Scope,
        whole: &Expression,
        object: &Expression,
        name: &str,
        depth: usize,
    ) -> Value {
        if let Some(dotted) = whole.dotted()
            && let Some(value) = scope.get(&dotted)
        {
            return value.clone();
        }
        if let Some(path) = self.path(whole)
            && let Some(found) = element_type(&path)
        {
            return Value::Dtype(found);
        }
        match (self.value(scope, object, depth), name) {
            (Value::Tensor(tensor), "shape") => tensor
                .shape
                .map_or(Value::Unknown, |shape| Value::sequence(shape.into_iter().map(Value::Int).collect())),
            (Value::Tensor(tensor), "dtype") => tensor.dtype.map_or(Value::Unknown, Value::Dtype),
            (Value::Tensor(tensor), "T" | "mT") => tensor::method(&tensor, "t", &Given::default()),
            _ => Value::Unknown,
        }
    }

    fn subscript(&self, scope: &Scope, object: &Expression, indices: &[Expression], depth: usize) -> Value {
        let [index] = indices else { return Value::Unknown };
        let index = self.value(scope, index, depth);
        if let (Some(path), Value::Text(word)) = (object.dotted(), &index)
            && path.ends_with("dtypes")
        {
            return dtype(word).map_or(Value::Unknown, Value::Dtype);
        }
        match (self.value(scope, object, depth), index) {
            (Value::Sequence(parts), Value::Int(Int { value: Some(at), .. })) => {
                let length = i64::try_from(parts.len()).unwrap_or(i64::MAX);
                let at = if at < 0 { at + length } else { at };
                usize::try_from(at).ok().and_then(|at| parts.get(at).cloned()).unwrap_or(Value::Unknown)
            }
            (Value::Tensor(tensor), _) => Value::Tensor(Tensor::computed(None, tensor.dtype)),
            _ => Value::Unknown,
        }
    }

    /// The values of a call's arguments.
    pub(crate) fn given(&self, scope: &Scope, arguments: &[Argument], depth: usize) -> Given {
        let mut given = Given::default();
        for argument in arguments {
            match &argument.name {
                Some(name) => {
                    given.word.insert(name.clone(), self.value(scope, &argument.value, depth));
                }
                // Nobody knows which place an argument behind a `*more` takes.
                None if given.endless => {}
                None => {
                    let (values, complete) = self.spread(scope, std::iter::once(&argument.value), depth);
                    given.place.extend(values);
                    given.endless = !complete;
                }
            }
        }
        given
    }

    fn call(&self, scope: &Scope, function: &Expression, arguments: &[Argument], depth: usize) -> Value {
        if let Some(timed) = timed(function, arguments) {
            return Value::sequence(vec![self.call(scope, timed.0, timed.1, depth), Value::Unknown]);
        }
        let given = self.given(scope, arguments, depth);
        if let Some(name) = function.name()
            && let Some(definition) = self.definitions.get(name)
        {
            let value = self.apply(definition, &given, depth);
            return if is_timer(definition) { Value::sequence(vec![value, Value::Unknown]) } else { value };
        }
        if let Kind::Attribute(object, method) = &function.kind {
            if let Some(Value::Layer(class, made)) = function.dotted().and_then(|name| scope.get(&name)) {
                return layer::apply(class, made, &given);
            }
            if let Value::Tensor(tensor) = self.value(scope, object, depth) {
                return tensor::method(&tensor, method, &given);
            }
        }
        let Some(path) = self.path(function) else { return Value::Unknown };
        match path.rsplit_once('.') {
            Some((owner, name)) if owner == "torch" || owner.starts_with("torch.") => {
                if name == "Parameter" {
                    return match given.place.into_iter().next() {
                        Some(Value::Tensor(tensor)) => {
                            Value::Tensor(Tensor::computed(tensor.shape, tensor.dtype))
                        }
                        _ => Value::Unknown,
                    };
                }
                if owner.starts_with("torch.nn") && name.starts_with(char::is_uppercase) {
                    return Value::layer(name, given);
                }
                tensor::function(name, &given)
            }
            _ => builtin(&path, &given),
        }
    }

    /// What one of the file's functions gives.
    pub(crate) fn apply(&self, definition: &'m Statement, given: &Given, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Unknown;
        }
        let Step::Function { parameters, body, .. } = &definition.step else { return Value::Unknown };
        let mut scope = Scope::new();
        for (at, parameter) in parameters.iter().filter(|parameter| !parameter.rest).enumerate() {
            let value = given.get(at, &parameter.name).cloned().unwrap_or_else(|| {
                let default = parameter.default.as_ref();
                default.map_or(Value::Unknown, |default| self.value(&Scope::new(), default, depth + 1))
            });
            scope.insert(parameter.name.clone(), value);
        }
        self.run(&mut scope, body, &mut Vec::new(), depth + 1).unwrap_or(Value::None)
    }

    /// Goes through statements, decided conditions entered; gives what they return. `seen` gets the statements that were met.
    pub(crate) fn run(
        &self,
        scope: &mut Scope,
        statements: &'m [Statement],
        seen: &mut Vec<Seen<'m>>,
        depth: usize,
    ) -> Option<Value> {
        for statement in statements {
            match &statement.step {
                Step::If(branches) => match self.entered(scope, branches, depth) {
                    Some(block) => {
                        // Too deep a block could have returned anything.
                        let inside = self.budget.deeper(|| self.run(scope, block, seen, depth));
                        if let Some(value) = inside.unwrap_or(Some(Value::Unknown)) {
                            return Some(value);
                        }
                    }
                    None => self.pass(scope, statement, seen),
                },
                Step::Assign(target, expression) => {
                    let value = self.value(scope, expression, depth);
                    assign(scope, target, value.clone());
                    // `a = b = value` is an assignment in an assignment.
                    if let Kind::Other(_) = expression.kind {
                        scope.extend(
                            statement.binds().into_iter().map(|name| (name.to_owned(), Value::Unknown)),
                        );
                    }
                    seen.push(Seen { statement, value });
                }
                Step::Return(value) => {
                    seen.push(Seen { statement, value: Value::Unknown });
                    return Some(value.as_ref().map_or(Value::None, |value| self.value(scope, value, depth)));
                }
                _ => self.pass(scope, statement, seen),
            }
            // Of the operation itself every statement is met, of what it calls no more.
            if !self.budget.take(1) && depth > 0 {
                return Some(Value::Unknown);
            }
        }
        None
    }

    /// The block that is entered, an empty one where none is; absent where that is not known.
    fn entered(
        &self,
        scope: &Scope,
        branches: &'m [(Option<Expression>, Vec<Statement>)],
        depth: usize,
    ) -> Option<&'m [Statement]> {
        for (condition, block) in branches {
            let holds = condition.as_ref().map_or(Some(true), |known| self.truth(scope, known, depth))?;
            if holds {
                return Some(block);
            }
        }
        Some(&[])
    }

    /// A statement that is not followed.
    fn pass(&self, scope: &mut Scope, statement: &'m Statement, seen: &mut Vec<Seen<'m>>) {
        seen.push(Seen { statement, value: Value::Unknown });
        self.budget.take(statement.span.len() / 16);
        forget(scope, statement);
    }
}

/// `if __name__ == "__main__":`, which runs a file rather than define anything.
pub(crate) fn is_main(evaluator: &Evaluator<'_>, statement: &Statement) -> bool {
    matches!(&statement.step, Step::If(branches) if branches.iter().any(|(condition, _)| {
        condition.as_ref().is_some_and(|condition| evaluator.module.slice(&condition.span).contains("__name__"))
    }))
}

/// True where a statement reads the command line.
fn parses_arguments(statement: &Statement) -> bool {
    let mut found = false;
    for expression in statement.expressions() {
        expression.walk(&mut |part| {
            let Kind::Call(function, _) = &part.kind else { return };
            found |= matches!(&function.kind, Kind::Attribute(_, name) if name.starts_with("parse_"));
        });
    }
    found
}

/// An element type by its path: `torch.bfloat16`, `aiter.dtypes.fp16`.
fn element_type(path: &str) -> Option<&'static str> {
    let (owner, word) = path.rsplit_once('.')?;
    let known = owner == "torch" || owner == "dtypes" || owner.ends_with(".dtypes");
    if known { dtype(word) } else { None }
}
