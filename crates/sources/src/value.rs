//! What an expression is known to be, without running it.

use crate::dtype;
use crate::evaluate::Given;
use crate::task::Fill;

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

    /// A parameter.
    pub(crate) fn parameter(name: &str, value: Option<i64>) -> Self {
        Self { text: name.to_owned(), value, atom: true, literal: false }
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
    /// The result of a computation.
    pub(crate) fn computed(shape: Option<Vec<Int>>, dtype: Option<&'static str>) -> Self {
        Self { shape, dtype, made: Made::Computed }
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(Int),
    Real(f64),
    Bool(bool),
    Text(String),
    Dtype(&'static str),
    None,
    Sequence(Vec<Self>),
    Tensor(Tensor),
    /// An object of a layer's class, with its arguments.
    Layer(String, Box<Given>),
    Unknown,
}

impl Value {
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
                for part in parts {
                    all.extend(part.extents()?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// A value as Python writes it.
    pub(crate) fn python(&self) -> String {
        match self {
            Self::Int(int) => int.text.clone(),
            Self::Real(value) => format!("{value:?}"),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Text(text) => format!("{text:?}"),
            Self::Dtype(found) => dtype::torch(found).to_owned(),
            Self::Sequence(parts) => {
                format!("({},)", parts.iter().map(Self::python).collect::<Vec<_>>().join(", "))
            }
            _ => "None".to_owned(),
        }
    }
}
