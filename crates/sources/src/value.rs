//! What an expression is known to be, without running it.

use crate::dtype;
use crate::given::Given;
use crate::task::Fill;
use std::rc::Rc;

/// Values within one, with all that lies in them: a sequence in a sequence doubles with every line, and no file says more than this.
const MOST_HELD: usize = 1 << 16;

/// Sequences and layers in one another: what walks through them does so by recursion.
const DEEPEST_HELD: usize = 24;

/// A longer name is no parameter: it would be copied with every expression over it.
const LONGEST_NAME: usize = 100;

/// PyTorch has no tensor of more extents (torch 2.9, `torch.zeros`).
const MOST_EXTENTS: usize = 64;

/// A whole number: an expression over the parameters, and its value where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Int {
    /// The expression, in the language of experiment.toml.
    pub(crate) text: String,
    /// Its value for the declared parameters.
    pub(crate) value: Option<i64>,
    /// It needs no parentheses.
    pub(crate) atom: bool,
    /// It depends on no parameter.
    pub(crate) literal: bool,
}

impl Int {
    /// A number that is what it is.
    pub(crate) fn literal(value: i64) -> Self {
        Self { text: value.to_string(), value: Some(value), atom: value >= 0, literal: true }
    }

    /// How much there is to copy.
    fn weight(&self) -> usize {
        1 + self.text.len() / 32
    }

    /// Two numbers under Python's operator.
    pub(crate) fn join(&self, operator: &str, other: &Self) -> Option<Self> {
        let both = self.value.zip(other.value);
        let value = match both {
            None => None,
            Some((a, b)) => Some(match operator {
                "+" => a.checked_add(b)?,
                "-" => a.checked_sub(b)?,
                "*" => a.checked_mul(b)?,
                "//" if b > 0 => a.checked_div_euclid(b)?,
                "%" if b > 0 => a.checked_rem_euclid(b)?,
                "**" => a.checked_pow(u32::try_from(b).ok()?)?,
                "/" if a.checked_rem(b)? == 0 => a.checked_div(b)?,
                _ => return None,
            }),
        };
        if self.literal && other.literal {
            return value.map(Self::literal);
        }
        if !matches!(operator, "+" | "-" | "*" | "//" | "%" | "**" | "/") {
            return None;
        }
        let wrap = |int: &Self| if int.atom { int.text.clone() } else { format!("({})", int.text) };
        let text = format!("{} {operator} {}", wrap(self), wrap(other));
        // No person reads more, and text that doubles line by line has no end.
        if text.len() > 300 {
            return None;
        }
        Some(Self { text, value, atom: false, literal: false })
    }
}

/// How a tensor came to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Made {
    /// Filled by a generator: an input.
    Filled(Fill),
    /// Allocated, to be written.
    Allocated,
    /// Computed from others.
    Computed,
}

/// A tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    /// Its extents.
    pub(crate) shape: Option<Vec<Int>>,
    /// Its element type, as experiment.toml has it.
    pub(crate) dtype: Option<&'static str>,
    /// How it came to be.
    pub(crate) made: Made,
}

impl Tensor {
    /// A tensor; its shape is not known where PyTorch has none of so many extents.
    pub(crate) fn new(shape: Option<Vec<Int>>, dtype: Option<&'static str>, made: Made) -> Self {
        Self { shape: shape.filter(|shape| shape.len() <= MOST_EXTENTS), dtype, made }
    }

    /// The result of a computation.
    pub(crate) fn computed(shape: Option<Vec<Int>>, dtype: Option<&'static str>) -> Self {
        Self::new(shape, dtype, Made::Computed)
    }
}

/// What holds other values, shared by all that name it.
#[derive(Debug, PartialEq)]
pub(crate) struct Held<T> {
    content: T,
    /// How much there is in it, and in what lies in that.
    weight: usize,
    /// How deep the deepest lies.
    depth: usize,
}

impl<T> std::ops::Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(Int),
    Real(f64),
    Bool(bool),
    Text(Rc<str>),
    Dtype(&'static str),
    None,
    Sequence(Rc<Held<Vec<Self>>>),
    Tensor(Tensor),
    /// An object of a layer's class, with its arguments.
    Layer(Rc<str>, Rc<Held<Given>>),
    Unknown,
}

impl Value {
    /// A parameter.
    pub(crate) fn parameter(name: &str, value: Option<i64>) -> Self {
        if name.len() > LONGEST_NAME {
            return Self::Unknown;
        }
        Self::Int(Int { text: name.to_owned(), value, atom: true, literal: false })
    }

    /// Values in a row; unknown where there are more than anybody writes.
    pub(crate) fn sequence(parts: Vec<Self>) -> Self {
        match measured(parts.iter()) {
            Some((weight, depth)) => Self::Sequence(Rc::new(Held { content: parts, weight, depth })),
            None => Self::Unknown,
        }
    }

    /// A layer; unknown where more is in it than anybody writes.
    pub(crate) fn layer(class: &str, given: Given) -> Self {
        match measured(given.place.iter().chain(given.word.values())) {
            Some((weight, depth)) => {
                Self::Layer(class.into(), Rc::new(Held { content: given, weight, depth }))
            }
            None => Self::Unknown,
        }
    }

    /// How much there is in it, with all that lies inside.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Sequence(held) => held.weight,
            Self::Layer(_, held) => held.weight,
            other => other.copied(),
        }
    }

    /// How much a copy of it takes: what is shared is not copied.
    pub(crate) fn copied(&self) -> usize {
        match self {
            Self::Int(int) => int.weight(),
            Self::Tensor(tensor) => 1 + tensor.shape.iter().flatten().map(Int::weight).sum::<usize>(),
            _ => 1,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Sequence(held) => held.depth,
            Self::Layer(_, held) => held.depth,
            _ => 0,
        }
    }

    /// Python's truth, where it is known.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::None => Some(false),
            Self::Int(int) => int.value.map(|value| value != 0),
            Self::Real(value) => Some(*value != 0.0),
            Self::Text(text) => Some(!text.is_empty()),
            Self::Sequence(parts) => Some(!parts.is_empty()),
            Self::Dtype(_) | Self::Layer(..) => Some(true),
            Self::Tensor(_) | Self::Unknown => None,
        }
    }

    /// The number, where it is a known one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(int) if int.literal => int.value.map(|value| value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// Extents, where it is a whole number or a sequence of them.
    pub(crate) fn extents(&self) -> Option<Vec<Int>> {
        match self {
            Self::Int(int) => Some(vec![int.clone()]),
            Self::Sequence(parts) => {
                let mut all = Vec::new();
                for part in parts.iter() {
                    all.extend(part.extents()?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// A value as Python writes it; absent where it is not known, or is no constant.
    pub(crate) fn python(&self) -> Option<String> {
        Some(match self {
            Self::Int(int) => int.text.clone(),
            Self::Real(value) if value.is_finite() => format!("{value:?}"),
            Self::Real(value) => format!("float(\"{value}\")"),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Text(text) => quoted(text),
            Self::Dtype(found) => dtype::torch(found).to_owned(),
            Self::None => "None".to_owned(),
            Self::Sequence(parts) if parts.is_empty() => "()".to_owned(),
            Self::Sequence(parts) => {
                let parts: Option<Vec<String>> = parts.iter().map(Self::python).collect();
                format!("({},)", parts?.join(", "))
            }
            Self::Tensor(_) | Self::Layer(..) | Self::Unknown => return None,
        })
    }
}

/// Weight and depth of what holds some values; absent where it is too much.
fn measured<'a>(inside: impl Iterator<Item = &'a Value>) -> Option<(usize, usize)> {
    let (mut weight, mut depth) = (1_usize, 0);
    for value in inside {
        weight = weight.saturating_add(value.weight());
        depth = depth.max(value.depth());
    }
    (weight <= MOST_HELD && depth < DEEPEST_HELD).then_some((weight, depth + 1))
}

/// A text as Python writes it.
fn quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
