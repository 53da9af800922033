//! Python's own functions, as far as sizes need them.

use crate::given::Given;
use crate::value::{Int, Value};

/// A longer `range` is not written out.
const LONGEST: u64 = 4096;

/// What a function that no file defines gives.
pub(crate) fn builtin(path: &str, given: &Given) -> Value {
    let ints = || {
        given.place.iter().map(|value| match value {
            Value::Int(int) => Some(int.clone()),
            _ => None,
        })
    };
    match (path, given.place.first()) {
        ("int", Some(Value::Int(int))) => Value::Int(int.clone()),
        ("int", Some(Value::Real(value))) if value.abs() < 1e15 => Value::Int(Int::literal(*value as i64)),
        ("tuple" | "list", Some(Value::Sequence(parts))) => Value::Sequence(parts.clone()),
        ("len", Some(Value::Sequence(parts))) => {
            Value::Int(Int::literal(i64::try_from(parts.len()).unwrap_or(i64::MAX)))
        }
        ("range", _) => range(&ints().collect::<Option<Vec<Int>>>().unwrap_or_default()),
        ("float", Some(value)) => value.number().map_or(Value::Unknown, Value::Real),
        ("math.sqrt", Some(value)) => {
            value.number().map_or(Value::Unknown, |value| Value::Real(value.sqrt()))
        }
        _ => Value::Unknown,
    }
}

/// `range(…)` of known numbers; a long one is unknown rather than cut.
fn range(ends: &[Int]) -> Value {
    let known: Option<Vec<i64>> = ends.iter().map(|end| end.value).collect();
    let (low, high, step) = match known.as_deref() {
        Some([high]) => (0, *high, 1),
        Some([low, high]) => (*low, *high, 1),
        Some([low, high, step]) if *step > 0 => (*low, *high, *step),
        _ => return Value::Unknown,
    };
    let (Ok(stride), Ok(width)) = (usize::try_from(step), u64::try_from(step)) else { return Value::Unknown };
    if low < high && high.abs_diff(low).div_ceil(width) > LONGEST {
        return Value::Unknown;
    }
    Value::sequence((low..high).step_by(stride).map(|value| Value::Int(Int::literal(value))).collect())
}
