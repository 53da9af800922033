//! Operators between tensors, numbers and constants.

use crate::dtype;
use crate::task::Fill;
use crate::tensor::product;
use crate::value::{Int, Made, Tensor, Value};

/// Two shapes under broadcasting; absent where they cannot be compared by their text.
pub(crate) fn broadcast(a: &[Int], b: &[Int]) -> Option<Vec<Int>> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let ahead = long.len() - short.len();
    let mut out = long[..ahead].to_vec();
    for (x, y) in long[ahead..].iter().zip(short) {
        out.push(match (x.text.as_str(), y.text.as_str()) {
            (x_text, y_text) if x_text == y_text => x.clone(),
            ("1", _) => y.clone(),
            (_, "1") => x.clone(),
            _ => return None,
        });
    }
    Some(out)
}

/// Two values under an operator.
pub(crate) fn binary(operator: &str, left: &Value, right: &Value) -> Value {
    match (left, right) {
        _ if operator == "and" || operator == "or" => match left.truth() {
            Some(truth) if truth == (operator == "or") => left.clone(),
            Some(_) => right.clone(),
            None => Value::Unknown,
        },
        (a, Value::None) | (Value::None, a) if matches!(operator, "is" | "is not" | "==" | "!=") => match a {
            Value::Unknown => Value::Unknown,
            other => Value::Bool(matches!(other, Value::None) == matches!(operator, "is" | "==")),
        },
        (Value::Tensor(a), Value::Tensor(b)) if operator == "@" => Value::Tensor(product(a, b)),
        (Value::Tensor(a), Value::Tensor(b)) => {
            let shape = a.shape.as_ref().zip(b.shape.as_ref()).and_then(|(a, b)| broadcast(a, b));
            Value::Tensor(Tensor::computed(shape, result_type(operator, a, b)))
        }
        (Value::Tensor(tensor), other) => scaled(operator, tensor, other, false),
        (other, Value::Tensor(tensor)) => scaled(operator, tensor, other, true),
        (Value::Int(a), Value::Int(b)) => ints(operator, a, b),
        (Value::Sequence(a), Value::Sequence(b)) if operator == "+" && a.len() + b.len() < 4096 => {
            Value::sequence(a.iter().chain(b.iter()).cloned().collect())
        }
        _ => constants(operator, left, right),
    }
}

fn ints(operator: &str, a: &Int, b: &Int) -> Value {
    if let Some((a, b)) = a.value.zip(b.value) {
        let truth = match operator {
            "==" => Some(a == b),
            "!=" => Some(a != b),
            "<" => Some(a < b),
            "<=" => Some(a <= b),
            ">" => Some(a > b),
            ">=" => Some(a >= b),
            _ => None,
        };
        if let Some(truth) = truth {
            return Value::Bool(truth);
        }
    }
    match (a.join(operator, b), operator) {
        (Some(int), _) => Value::Int(int),
        (None, "/") if a.literal && b.literal => match a.value.zip(b.value) {
            Some((a, b)) if b != 0 => Value::Real(a as f64 / b as f64),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// Constants that are no whole numbers.
fn constants(operator: &str, left: &Value, right: &Value) -> Value {
    if let (Some(a), Some(b)) = (left.number(), right.number()) {
        return match operator {
            "+" => Value::Real(a + b),
            "-" => Value::Real(a - b),
            "*" => Value::Real(a * b),
            "/" if b != 0.0 => Value::Real(a / b),
            "**" => Value::Real(a.powf(b)),
            "<" => Value::Bool(a < b),
            ">" => Value::Bool(a > b),
            "<=" => Value::Bool(a <= b),
            ">=" => Value::Bool(a >= b),
            _ => Value::Unknown,
        };
    }
    let equal = match (left, right) {
        // A type by its name may stand for either.
        (Value::Dtype(known), Value::Text(text)) | (Value::Text(text), Value::Dtype(known)) => {
            (dtype::dtype(text) != Some(known)).then_some(false)
        }
        _ if plain(left) && plain(right) => Some(left == right),
        _ => None,
    };
    match (operator, equal) {
        ("==", Some(equal)) => Value::Bool(equal),
        ("!=", Some(equal)) => Value::Bool(!equal),
        _ => Value::Unknown,
    }
}

fn plain(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Dtype(_) | Value::Bool(_))
}

/// A comparison gives truth, and a division of whole numbers a float; otherwise the wider float wins, and a number without extents adds
/// nothing (torch 2.9, `torch.result_type`).
fn result_type(operator: &str, a: &Tensor, b: &Tensor) -> Option<&'static str> {
    if matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=") {
        return Some("bool");
    }
    let (x, y) = (a.dtype?, b.dtype?);
    let scalar = |tensor: &Tensor| tensor.shape.as_ref().is_some_and(Vec::is_empty);
    Some(match (dtype::widens(x), dtype::widens(y)) {
        (true, true) if scalar(b) && !scalar(a) => x,
        (true, true) if scalar(a) && !scalar(b) => y,
        (true, true) if x == y => x,
        (true, true) if x == "f64" || y == "f64" => "f64",
        (true, true) => "f32",
        (true, false) => x,
        (false, true) => y,
        _ if operator == "/" && dtype::whole(x) && dtype::whole(y) => "f32",
        _ if x == y => x,
        _ => return None,
    })
}

/// The element type of a tensor with a number: a float keeps its own, and a number of a higher kind than the tensor's decides.
fn with_number(operator: &str, tensor: &Tensor, other: &Value) -> Option<&'static str> {
    let own = tensor.dtype?;
    match other {
        _ if dtype::widens(own) => Some(own),
        _ if !dtype::whole(own) => None,
        Value::Real(_) => Some("f32"),
        _ if operator == "/" => Some("f32"),
        Value::Int(_) if own == "bool" => Some("i64"),
        _ => Some(own),
    }
}

/// A tensor and a number: a generator's distribution moves along.
fn scaled(operator: &str, tensor: &Tensor, other: &Value, mirrored: bool) -> Value {
    if matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=") {
        return Value::Tensor(Tensor::computed(tensor.shape.clone(), Some("bool")));
    }
    // Only a number is known to leave the extents as they are.
    if !matches!(other, Value::Int(_) | Value::Real(_) | Value::Bool(_)) {
        return Value::Tensor(Tensor::computed(None, None));
    }
    let dtype = with_number(operator, tensor, other);
    let (factor, shift) = match (operator, other.number(), mirrored) {
        ("*", Some(k), _) => (k, 0.0),
        ("/", Some(k), false) if k != 0.0 => (1.0 / k, 0.0),
        ("+", Some(c), _) => (1.0, c),
        ("-", Some(c), false) => (1.0, -c),
        ("-", Some(c), true) => (-1.0, c),
        _ => return Value::Tensor(Tensor::computed(tensor.shape.clone(), dtype)),
    };
    let made = match &tensor.made {
        Made::Filled(Fill::Uniform(low, high)) => {
            let (a, b) = (low * factor + shift, high * factor + shift);
            Made::Filled(Fill::Uniform(a.min(b), a.max(b)))
        }
        Made::Filled(Fill::Normal(mean, std)) => {
            Made::Filled(Fill::Normal(mean * factor + shift, (std * factor).abs()))
        }
        Made::Filled(Fill::Constant(value)) => Made::Filled(Fill::Constant(value * factor + shift)),
        _ => Made::Computed,
    };
    Value::Tensor(Tensor { shape: tensor.shape.clone(), dtype, made })
}
