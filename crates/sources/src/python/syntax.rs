//! The part of Python's syntax that matters here, owned and small.
//!
//! Invariant: every node knows its bytes in the file, so that code can be handed on in its author's own words. What is not modelled is kept
//! as [`Kind::Other`] with its parts, so that no name is ever lost.

use std::ops::Range;
use std::rc::Rc;

/// An expression and its place.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    /// Its bytes in the file.
    pub(crate) span: Range<usize>,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Name(String),
    Attribute(Box<Expression>, String),
    Call(Box<Expression>, Vec<Argument>),
    Integer(i64),
    Real(f64),
    Text(Rc<str>),
    Bool(bool),
    None,
    /// A tuple or a list.
    Sequence(Vec<Expression>),
    Binary(String, Box<Expression>, Box<Expression>),
    Negate(Box<Expression>),
    Not(Box<Expression>),
    Subscript(Box<Expression>, Vec<Expression>),
    Splat(Box<Expression>),
    /// Anything else, with its parts.
    Other(Vec<Expression>),
}

/// One argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Its keyword.
    pub(crate) name: Option<String>,
    /// Its value.
    pub(crate) value: Expression,
    /// The bytes of all of it.
    pub(crate) span: Range<usize>,
}

/// One parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// Its name, without stars.
    pub(crate) name: String,
    /// Its annotation, as written.
    pub(crate) annotation: Option<String>,
    /// What it is where nothing is given.
    pub(crate) default: Option<Expression>,
    /// It takes what is left over (`*args`, `**kwargs`).
    pub(crate) rest: bool,
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// Its bytes in the file, decorators included.
    pub(crate) span: Range<usize>,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// What it does.
    pub(crate) step: Step,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Names and the dotted paths that they mean.
    Import(Vec<(String, String)>),
    Assign(Expression, Expression),
    /// `target += value` and its kind.
    Augment(Expression, Expression),
    Evaluate(Expression),
    Return(Option<Expression>),
    /// Conditions with their blocks; the last one may have no condition.
    If(Vec<(Option<Expression>, Vec<Statement>)>),
    For {
        target: Expression,
        iterable: Expression,
        body: Vec<Statement>,
    },
    Function {
        name: String,
        parameters: Vec<Parameter>,
        decorators: Vec<Expression>,
        body: Vec<Statement>,
    },
    Class {
        name: String,
        bases: Vec<Expression>,
        body: Vec<Statement>,
    },
    /// Anything else: the expressions and the blocks in it.
    Other(Vec<Expression>, Vec<Statement>),
}

impl Expression {
    /// The name, where it is one.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// `a.b.c` as text, where it is nothing but names.
    pub(crate) fn dotted(&self) -> Option<String> {
        match &self.kind {
            Kind::Name(name) => Some(name.clone()),
            Kind::Attribute(object, name) => Some(format!("{}.{name}", object.dotted()?)),
            _ => None,
        }
    }

    /// The expressions directly inside.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Attribute(object, _) => vec![object],
            Kind::Call(function, arguments) => {
                std::iter::once(&**function).chain(arguments.iter().map(|argument| &argument.value)).collect()
            }
            Kind::Sequence(parts) | Kind::Other(parts) => parts.iter().collect(),
            Kind::Binary(_, left, right) => vec![left, right],
            Kind::Negate(inner) | Kind::Not(inner) | Kind::Splat(inner) => vec![inner],
            Kind::Subscript(object, indices) => std::iter::once(&**object).chain(indices).collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `see` with this expression and everything in it.
    pub(crate) fn walk<'a>(&'a self, see: &mut dyn FnMut(&'a Self)) {
        see(self);
        for part in self.parts() {
            part.walk(see);
        }
    }

    /// Every name in it, attributes aside.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.walk(&mut |part| names.extend(part.name()));
        names
    }
}

impl Statement {
    /// The blocks directly inside, a function's and a class's own aside.
    pub(crate) fn blocks(&self) -> Vec<&[Self]> {
        match &self.step {
            Step::If(branches) => branches.iter().map(|(_, block)| block.as_slice()).collect(),
            Step::For { body, .. } | Step::Other(_, body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// Calls `see` with every statement in it, itself first; functions and classes too.
    pub(crate) fn walk<'a>(&'a self, see: &mut dyn FnMut(&'a Self)) {
        see(self);
        let inner: Vec<&[Self]> = match &self.step {
            Step::Function { body, .. } | Step::Class { body, .. } => vec![body],
            _ => self.blocks(),
        };
        for statement in inner.into_iter().flatten() {
            statement.walk(see);
        }
    }

    /// The expressions directly in it.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match &self.step {
            Step::Assign(target, value) | Step::Augment(target, value) => vec![target, value],
            Step::Evaluate(value) => vec![value],
            Step::Return(value) => value.iter().collect(),
            Step::If(branches) => branches.iter().filter_map(|(condition, _)| condition.as_ref()).collect(),
            Step::For { target, iterable, .. } => vec![target, iterable],
            Step::Function { parameters, decorators, .. } => {
                decorators.iter().chain(parameters.iter().filter_map(|p| p.default.as_ref())).collect()
            }
            Step::Class { bases, .. } => bases.iter().collect(),
            Step::Other(parts, _) => parts.iter().collect(),
            Step::Import(_) => Vec::new(),
        }
    }

    /// Every name that it or anything in it mentions.
    pub(crate) fn mentions(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.walk(&mut |statement| {
            for expression in statement.expressions() {
                names.extend(expression.names());
            }
        });
        names
    }

    /// The names that it binds, those of its blocks included.
    pub(crate) fn binds(&self) -> Vec<&str> {
        match &self.step {
            Step::Import(names) => names.iter().map(|(name, _)| name.as_str()).collect(),
            Step::Assign(target, value) => {
                let mut names = bound(target);
                // `a = b = value`: the inner assignment is the value.
                if let Kind::Other(parts) = &value.kind
                    && let [Expression { kind: Kind::Sequence(inner), .. }, _] = parts.as_slice()
                {
                    names.extend(inner.iter().flat_map(bound));
                }
                names
            }
            Step::Augment(target, _) => bound(target),
            Step::Function { name, .. } | Step::Class { name, .. } => vec![name],
            Step::For { target, body, .. } => {
                bound(target).into_iter().chain(body.iter().flat_map(Self::binds)).collect()
            }
            _ => self.blocks().into_iter().flatten().flat_map(Self::binds).collect(),
        }
    }
}

/// The names that a target binds; what is stored into an object or a subscript changes that object.
fn bound(target: &Expression) -> Vec<&str> {
    match &target.kind {
        Kind::Name(name) => vec![name],
        Kind::Sequence(parts) => parts.iter().flat_map(bound).collect(),
        Kind::Splat(inner) | Kind::Attribute(inner, _) | Kind::Subscript(inner, _) => bound(inner),
        _ => Vec::new(),
    }
}
