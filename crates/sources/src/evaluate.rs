//! What expressions and statements are known to be, by reading: a small abstract interpreter.
//!
//! It follows constants, shapes and element types through assignments, decided conditions and the file's own functions. What it does not
//! know is [`Value::Unknown`]; it never guesses.

use crate::dtype::dtype;
use crate::layer;
use crate::operator;
use crate::python::{Argument, Expression, Kind, Module, Statement, Step};
use crate::tensor;
use crate::value::{Int, Tensor, Value};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Calls of the file's functions within one another that are followed.
const DEEPEST: usize = 12;

/// Calls that are followed in one file: functions that call one another many times over would take for ever.
const CALLS: u32 = 20_000;

/// Names and what they are.
pub(crate) type Scope = BTreeMap<String, Value>;

/// The values of a call's arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// By position.
    pub(crate) place: Vec<Value>,
    /// By keyword.
    pub(crate) word: BTreeMap<String, Value>,
}

impl Given {
    /// The argument at a position or under a keyword.
    pub(crate) fn get(&self, at: usize, word: &str) -> Option<&Value> {
        self.word.get(word).or_else(|| self.place.get(at))
    }
}

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
    calls: Cell<u32>,
}

impl<'m> Evaluator<'m> {
    /// Reads the top level. The first value of a name stands: later ones come from command lines. Whole numbers under the names of
    /// `parameters` stay names.
    pub(crate) fn new(module: &'m Module, parameters: &BTreeSet<String>) -> Self {
        let mut new = Self {
            module,
            globals: Scope::new(),
            definitions: BTreeMap::new(),
            imports: BTreeMap::new(),
            calls: Cell::new(0),
        };
        for statement in &module.body {
            statement.walk(&mut |inner| {
                if let Step::Import(names) = &inner.step {
                    new.imports.extend(names.iter().map(|(name, path)| (name.as_str(), path.as_str())));
                }
            });
            if let Step::Function { name, .. } | Step::Class { name, .. } = &statement.step {
                new.definitions.insert(name, statement);
            }
        }
        for statement in &module.body {
            if let Step::Assign(target, value) = &statement.step {
                let value = new.value(&Scope::new(), value, 0);
                let mut scope = Scope::new();
                assign(&mut scope, target, value);
                for (name, value) in scope {
                    let value = match value {
                        Value::Int(int) if parameters.contains(&name) => {
                            Value::Int(Int::parameter(&name, int.value))
                        }
                        other => other,
                    };
                    new.globals.entry(name).or_insert(value);
                }
            }
        }
        new
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
        match &expression.kind {
            Kind::Name(name) => {
                scope.get(name).or_else(|| self.globals.get(name)).cloned().unwrap_or(Value::Unknown)
            }
            Kind::Integer(value) => Value::Int(Int::literal(*value)),
            Kind::Real(value) => Value::Real(*value),
            Kind::Text(text) => Value::Text(text.clone()),
            Kind::Bool(value) => Value::Bool(*value),
            Kind::None => Value::None,
            Kind::Sequence(parts) => Value::Sequence(self.spread(scope, parts.iter(), depth)),
            Kind::Not(inner) => {
                self.value(scope, inner, depth).truth().map_or(Value::Unknown, |truth| Value::Bool(!truth))
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

    fn spread<'a>(
        &self,
        scope: &Scope,
        parts: impl Iterator<Item = &'a Expression>,
        depth: usize,
    ) -> Vec<Value> {
        let mut values = Vec::new();
        for part in parts {
            match &part.kind {
                Kind::Splat(inner) => match self.value(scope, inner, depth) {
                    Value::Sequence(inner) => values.extend(inner),
                    _ => values.push(Value::Unknown),
                },
                _ => values.push(self.value(scope, part, depth)),
            }
        }
        values
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
                .map_or(Value::Unknown, |shape| Value::Sequence(shape.into_iter().map(Value::Int).collect())),
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
                None => given.place.extend(self.spread(scope, std::iter::once(&argument.value), depth)),
            }
        }
        given
    }

    fn call(&self, scope: &Scope, function: &Expression, arguments: &[Argument], depth: usize) -> Value {
        if let Some(timed) = timed(function, arguments) {
            return Value::Sequence(vec![self.call(scope, timed.0, timed.1, depth), Value::Unknown]);
        }
        let given = self.given(scope, arguments, depth);
        if let Some(name) = function.name()
            && let Some(definition) = self.definitions.get(name)
        {
            let value = self.apply(definition, given, depth);
            return if is_timer(definition) { Value::Sequence(vec![value, Value::Unknown]) } else { value };
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
                    return Value::Layer(name.to_owned(), Box::new(given));
                }
                tensor::function(name, &given)
            }
            _ => builtin(&path, &given),
        }
    }

    /// What one of the file's functions gives.
    pub(crate) fn apply(&self, definition: &'m Statement, given: Given, depth: usize) -> Value {
        self.calls.set(self.calls.get() + 1);
        if depth > DEEPEST || self.calls.get() > CALLS {
            return Value::Unknown;
        }
        let Step::Function { parameters, body, .. } = &definition.step else { return Value::Unknown };
        let mut scope = Scope::new();
        let mut place = given.place.into_iter();
        let mut word = given.word;
        for parameter in parameters.iter().filter(|parameter| !parameter.rest) {
            let value = place.next().or_else(|| word.remove(&parameter.name)).unwrap_or_else(|| {
                parameter
                    .default
                    .as_ref()
                    .map_or(Value::Unknown, |default| self.value(&Scope::new(), default, depth + 1))
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
                Step::If(branches) => {
                    let mut entered = None;
                    let mut decided = true;
                    for (condition, block) in branches {
                        let truth = condition
                            .as_ref()
                            .map_or(Some(true), |condition| self.value(scope, condition, depth).truth());
                        match truth {
                            Some(true) => {
                                entered = Some(block);
                                break;
                            }
                            Some(false) => {}
                            None => {
                                decided = false;
                                break;
                            }
                        }
                    }
                    match (decided, entered) {
                        (true, Some(block)) => {
                            if let Some(value) = self.run(scope, block, seen, depth) {
                                return Some(value);
                            }
                        }
                        (true, None) => {}
                        (false, _) => {
                            seen.push(Seen { statement, value: Value::Unknown });
                            forget(scope, statement);
                        }
                    }
                }
                Step::Assign(target, value) => {
                    let value = self.value(scope, value, depth);
                    assign(scope, target, value.clone());
                    seen.push(Seen { statement, value });
                }
                Step::Return(value) => {
                    seen.push(Seen { statement, value: Value::Unknown });
                    return Some(value.as_ref().map_or(Value::None, |value| self.value(scope, value, depth)));
                }
                _ => {
                    seen.push(Seen { statement, value: Value::Unknown });
                    forget(scope, statement);
                }
            }
        }
        None
    }
}

/// Methods that change the extents of their tensor.
const RESHAPING: &[&str] = &["resize_", "squeeze_", "swapaxes_", "t_", "transpose_", "unsqueeze_"];

/// After a statement that was not followed, its names are anything; so is a list whose methods were called.
fn forget(scope: &mut Scope, statement: &Statement) {
    for name in statement.binds() {
        scope.insert(name.to_owned(), Value::Unknown);
    }
    statement.walk(&mut |inner| {
        let Step::Evaluate(Expression { kind: Kind::Call(function, _), .. }) = &inner.step else { return };
        let Kind::Attribute(object, method) = &function.kind else { return };
        let Some(name) = object.dotted() else { return };
        let changed = match scope.get(&name) {
            Some(Value::Sequence(_) | Value::Layer(..)) => true,
            Some(Value::Tensor(_)) => RESHAPING.contains(&method.as_str()),
            _ => false,
        };
        if changed {
            scope.insert(name, Value::Unknown);
        }
    });
}

/// Binds a target to a value, sequences by their parts.
pub(crate) fn assign(scope: &mut Scope, target: &Expression, value: Value) {
    match (&target.kind, value) {
        (Kind::Name(name), value) => {
            scope.insert(name.clone(), value);
        }
        (Kind::Attribute(..), value) => {
            if let Some(name) = target.dotted() {
                scope.insert(name, value);
            }
        }
        (Kind::Sequence(targets), Value::Sequence(values)) => {
            let mut values = values.into_iter();
            for target in targets {
                if let Kind::Splat(inner) = &target.kind {
                    assign(scope, inner, Value::Unknown);
                } else {
                    assign(scope, target, values.next().unwrap_or(Value::Unknown));
                }
            }
        }
        (Kind::Sequence(targets), _) => {
            for target in targets {
                assign(scope, target, Value::Unknown);
            }
        }
        (Kind::Splat(inner), _) => assign(scope, inner, Value::Unknown),
        _ => {}
    }
}

fn builtin(path: &str, given: &Given) -> Value {
    let ints = || {
        given.place.iter().map(|value| match value {
            Value::Int(int) => Some(int.clone()),
            _ => None,
        })
    };
    match path {
        "int" | "tuple" | "list" => given.place.first().cloned().unwrap_or(Value::Unknown),
        "len" => match given.place.first() {
            Some(Value::Sequence(parts)) => {
                Value::Int(Int::literal(i64::try_from(parts.len()).unwrap_or(i64::MAX)))
            }
            _ => Value::Unknown,
        },
        "range" => range(&ints().collect::<Option<Vec<Int>>>().unwrap_or_default()),
        "float" => given.place.first().and_then(Value::number).map_or(Value::Unknown, Value::Real),
        "math.sqrt" => given
            .place
            .first()
            .and_then(Value::number)
            .map_or(Value::Unknown, |value| Value::Real(value.sqrt())),
        _ => Value::Unknown,
    }
}

/// `range(…)` of known numbers, at most so many.
fn range(ends: &[Int]) -> Value {
    const MOST: usize = 4096;
    let known: Option<Vec<i64>> = ends.iter().map(|end| end.value).collect();
    let (low, high, step) = match known.as_deref() {
        Some([high]) => (0, *high, 1),
        Some([low, high]) => (*low, *high, 1),
        Some([low, high, step]) if *step > 0 => (*low, *high, *step),
        _ => return Value::Unknown,
    };
    let step = usize::try_from(step).unwrap_or(1);
    Value::Sequence(
        (low..high).step_by(step).take(MOST).map(|value| Value::Int(Int::literal(value))).collect(),
    )
}

/// The call inside a call of a timing function: `run_perftest(f, x)` is `f(x)`, timed.
pub(crate) fn timed<'a>(
    function: &Expression,
    arguments: &'a [Argument],
) -> Option<(&'a Expression, &'a [Argument])> {
    let name = function.dotted()?;
    if !name.rsplit('.').next()?.starts_with("run_perftest") {
        return None;
    }
    let (first, rest) = arguments.split_first()?;
    (first.name.is_none() || first.name.as_deref() == Some("func")).then_some((&first.value, rest))
}

/// True where a decorator times the function, so that it gives its result and a time.
pub(crate) fn is_timer(definition: &Statement) -> bool {
    let Step::Function { decorators, .. } = &definition.step else { return false };
    decorators.iter().any(|decorator| {
        let called = match &decorator.kind {
            Kind::Call(function, _) => function,
            _ => decorator,
        };
        called.dotted().is_some_and(|name| name.rsplit('.').next() == Some("perftest"))
    })
}

/// An element type by its path: `torch.bfloat16`, `aiter.dtypes.fp16`.
fn element_type(path: &str) -> Option<&'static str> {
    let (owner, word) = path.rsplit_once('.')?;
    let known = owner == "torch" || owner == "dtypes" || owner.ends_with(".dtypes");
    if known { dtype(word) } else { None }
}
