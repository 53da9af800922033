//! What PyTorch's functions give, as far as shapes, element types and fills go.
//!
//! The rules are those of the PyTorch reference (torch 2.9): generators, element-wise functions with broadcasting, products, reductions
//! and views. A function that is not here gives a tensor of unknown shape.

use crate::dtype;
use crate::given::Given;
use crate::operator::{binary, broadcast};
use crate::task::Fill;
use crate::value::{Int, Made, Tensor, Value};
use crate::vocabulary::{KEEPING, LOSSES, PAIRED, REDUCTIONS, SAME};

fn tensor_of(given: &Given, at: usize, word: &str) -> Option<Tensor> {
    match given.get(at, word) {
        Some(Value::Tensor(tensor)) => Some(tensor.clone()),
        _ => None,
    }
}

fn typed(given: &Given, otherwise: Option<&'static str>) -> Option<&'static str> {
    match given.named("dtype") {
        Some(Value::Dtype(found)) => Some(found),
        Some(Value::None) | None => otherwise,
        Some(_) => None,
    }
}

/// The extents of a generator: all whole numbers from a position on, or one sequence.
fn size(given: &Given, from: usize) -> Option<Vec<Int>> {
    let values = match given.word.get("size") {
        Some(size) => std::slice::from_ref(size),
        None if given.named("size").is_some() && given.place.len() <= from => return None,
        None => given.place.get(from..).unwrap_or_default(),
    };
    let mut all = Vec::new();
    for value in values {
        all.extend(value.extents()?);
    }
    Some(all)
}

/// `torch.NAME(…)` and what lies below torch.
pub(crate) fn function(name: &str, given: &Given) -> Value {
    if let Some(made) = generated(name, given) {
        return Value::Tensor(made);
    }
    let first = tensor_of(given, 0, "input");
    let second = tensor_of(given, 1, "other");
    match name {
        "matmul" | "mm" | "bmm" => match (first, second.or_else(|| tensor_of(given, 1, "mat2"))) {
            (Some(a), Some(b)) => Value::Tensor(product(&a, &b)),
            _ => Value::Unknown,
        },
        "linear" => match (first, tensor_of(given, 1, "weight")) {
            (Some(x), Some(weight)) => {
                Value::Tensor(linear(&x, weight.shape.and_then(|shape| shape.first().cloned())))
            }
            _ => Value::Unknown,
        },
        "cat" | "concat" | "stack" => Value::Tensor(Tensor::computed(None, None)),
        "scaled_dot_product_attention" => match tensor_of(given, 0, "query") {
            Some(query) => Value::Tensor(attention(query, tensor_of(given, 2, "value"))),
            None => Value::Unknown,
        },
        "where" => Value::Tensor(chosen(given)),
        _ if PAIRED.contains(&name) && first.is_some() => {
            match (given.get(0, "input"), given.get(1, "other")) {
                (Some(left), Some(right)) => binary(operator(name, given), left, right),
                _ => Value::Unknown,
            }
        }
        // Of two tensors, the larger or smaller of each pair.
        "max" | "min" if first.is_some() && second.is_some() => match (given.get(0, "input"), second) {
            (Some(left), Some(right)) => binary(name, left, &Value::Tensor(right)),
            _ => Value::Unknown,
        },
        _ if LOSSES.contains(&name) => {
            let dtype = first.and_then(|tensor| tensor.dtype);
            Value::Tensor(Tensor::computed(reduces(given).then(Vec::new), dtype))
        }
        _ => match first {
            Some(tensor) => {
                let mut rest = Given {
                    place: given
                        .place
                        .iter()
                        .skip(usize::from(!given.word.contains_key("input")))
                        .cloned()
                        .collect(),
                    word: given.word.clone(),
                    endless: given.endless,
                };
                rest.word.remove("input");
                unary(name, &tensor, &rest)
            }
            None => Value::Tensor(Tensor::computed(None, None)),
        },
    }
}

/// The operator that a function of two tensors is; one that is none keeps no distribution.
fn operator<'a>(name: &'a str, given: &Given) -> &'a str {
    match name {
        _ if given.named("alpha").is_some() || given.named("rounding_mode").is_some() => name,
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" | "true_divide" => "/",
        "pow" => "**",
        _ => name,
    }
}

/// The extents of the queries, the last one that of the values.
fn attention(query: Tensor, value: Option<Tensor>) -> Tensor {
    let last = value.and_then(|value| value.shape).and_then(|shape| shape.last().cloned());
    let shape = query.shape.zip(last).filter(|(shape, _)| !shape.is_empty()).map(|(mut shape, last)| {
        shape.pop();
        shape.push(last);
        shape
    });
    Tensor::computed(shape, query.dtype)
}

/// `where(condition, a, b)`: all three broadcast, and the type is that of the two.
fn chosen(given: &Given) -> Tensor {
    let three = tensor_of(given, 0, "condition").zip(given.get(1, "input")).zip(given.get(2, "other"));
    let Some(((condition, left), right)) = three else { return Tensor::computed(None, None) };
    match binary("where", left, right) {
        Value::Tensor(both) => {
            let shape = condition.shape.zip(both.shape).and_then(|(a, b)| broadcast(&a, &b));
            Tensor::computed(shape, both.dtype)
        }
        _ => Tensor::computed(None, None),
    }
}

/// True where a loss is one number.
pub(crate) fn reduces(given: &Given) -> bool {
    match given.named("reduction") {
        None => true,
        Some(Value::Text(word)) => matches!(&**word, "mean" | "sum" | "batchmean"),
        Some(_) => false,
    }
}

/// A tensor from nothing: a generator's or an allocation.
fn generated(name: &str, given: &Given) -> Option<Tensor> {
    let like = name.strip_suffix("_like");
    let made = match like.unwrap_or(name) {
        "rand" => Made::Filled(Fill::Uniform(0.0, 1.0)),
        "randn" => Made::Filled(Fill::Normal(0.0, 1.0)),
        "zeros" => Made::Filled(Fill::Constant(0.0)),
        "ones" => Made::Filled(Fill::Constant(1.0)),
        "empty" => Made::Allocated,
        "full" => given
            .get(1, "fill_value")
            .and_then(Value::number)
            .map_or(Made::Computed, |value| Made::Filled(Fill::Constant(value))),
        "randint" => return Some(integers(like.is_some(), given)),
        "randperm" => {
            let shape = given.place.first().and_then(Value::extents);
            return Some(Tensor::new(shape, typed(given, Some("i64")), Made::Filled(Fill::Permutation)));
        }
        "tensor" if like.is_none() => {
            let value = given.place.first()?;
            let whole = matches!(value, Value::Int(_));
            let made = value.number().map_or(Made::Computed, |value| Made::Filled(Fill::Constant(value)));
            let scalar = matches!(made, Made::Filled(_));
            return Some(Tensor {
                shape: scalar.then(Vec::new),
                dtype: typed(given, Some(if whole { "i64" } else { "f32" })),
                made,
            });
        }
        _ => return None,
    };
    if like.is_some() {
        let of = tensor_of(given, 0, "input")?;
        return Some(Tensor { shape: of.shape, dtype: typed(given, of.dtype), made });
    }
    let shape = if name == "full" { given.get(0, "size").and_then(Value::extents) } else { size(given, 0) };
    Some(Tensor::new(shape, typed(given, Some("f32")), made))
}

/// `randint([low,] high, size)`.
fn integers(like: bool, given: &Given) -> Tensor {
    let int = |value: Option<&Value>| match value {
        Some(Value::Int(int)) => Some(int.text.clone()),
        _ => None,
    };
    let of = if like { tensor_of(given, 0, "input") } else { None };
    let place = given.place.get(usize::from(like)..).unwrap_or_default();
    let ends: Vec<&Value> = place.iter().take_while(|value| matches!(value, Value::Int(_))).collect();
    let (low, high) = match ends.as_slice() {
        [low, high, ..] => (int(Some(low)), int(Some(high))),
        [high] => (Some("0".to_owned()), int(Some(high))),
        [] => (int(given.word.get("low")).or_else(|| Some("0".to_owned())), int(given.word.get("high"))),
    };
    let made = low.zip(high).map_or(Made::Computed, |(low, high)| Made::Filled(Fill::Integer(low, high)));
    let shape = match of {
        Some(tensor) => tensor.shape,
        None => given.named("size").or_else(|| place.get(ends.len())).and_then(Value::extents),
    };
    Tensor::new(shape, typed(given, Some("i64")), made)
}

/// A method of a tensor.
pub(crate) fn method(tensor: &Tensor, name: &str, given: &Given) -> Value {
    let cast = |to: &'static str| Value::Tensor(Tensor { dtype: Some(to), ..tensor.clone() });
    match name {
        "to" | "type" => {
            let target = given.place.iter().chain(given.named("dtype")).find_map(|value| match value {
                Value::Dtype(found) => Some(*found),
                Value::Tensor(other) => other.dtype,
                _ => None,
            });
            // Only a device was named, or a type that is not known.
            let silent = given.place.iter().all(|value| matches!(value, Value::Text(_)));
            Value::Tensor(Tensor {
                dtype: target.or(if silent { tensor.dtype } else { None }),
                ..tensor.clone()
            })
        }
        "float" => cast("f32"),
        "double" => cast("f64"),
        "half" => cast("f16"),
        "bfloat16" => cast("bf16"),
        "int" => cast("i32"),
        "long" => cast("i64"),
        "uniform_" | "normal_" => {
            let end = |at: usize, word: &str, otherwise: f64| {
                given.get(at, word).map_or(Some(otherwise), Value::number)
            };
            let fill = if name == "uniform_" {
                end(0, "from", 0.0).zip(end(1, "to", 1.0)).map(|(low, high)| Fill::Uniform(low, high))
            } else {
                end(0, "mean", 0.0).zip(end(1, "std", 1.0)).map(|(mean, std)| Fill::Normal(mean, std))
            };
            Value::Tensor(Tensor { made: fill.map_or(Made::Computed, Made::Filled), ..tensor.clone() })
        }
        "cuda" | "cpu" | "contiguous" | "requires_grad_" | "detach" | "clone" => {
            Value::Tensor(tensor.clone())
        }
        "size" => match (&tensor.shape, given.place.first()) {
            (Some(shape), None) => Value::sequence(shape.iter().cloned().map(Value::Int).collect()),
            (Some(shape), Some(Value::Int(Int { value: Some(at), .. }))) => axis(*at, shape.len())
                .and_then(|at| shape.get(at))
                .map_or(Value::Unknown, |extent| Value::Int(extent.clone())),
            _ => Value::Unknown,
        },
        "dim" => tensor.shape.as_ref().map_or(Value::Unknown, |shape| {
            Value::Int(Int::literal(i64::try_from(shape.len()).unwrap_or(0)))
        }),
        "matmul" | "mm" | "bmm" => match given.place.first() {
            Some(Value::Tensor(other)) => Value::Tensor(product(tensor, other)),
            _ => Value::Unknown,
        },
        "new_empty" => {
            Value::Tensor(Tensor::new(size(given, 0), typed(given, tensor.dtype), Made::Allocated))
        }
        _ if PAIRED.contains(&name) => given.get(0, "other").map_or(Value::Unknown, |other| {
            binary(operator(name, given), &Value::Tensor(tensor.clone()), other)
        }),
        "max" | "min" => match given.get(0, "other") {
            Some(Value::Tensor(other)) => {
                binary(name, &Value::Tensor(tensor.clone()), &Value::Tensor(other.clone()))
            }
            _ => unary(name, tensor, given),
        },
        _ => unary(name, tensor, given),
    }
}

/// One tensor and what else was given.
fn unary(name: &str, tensor: &Tensor, given: &Given) -> Value {
    let same = |shape: Option<Vec<Int>>| Value::Tensor(Tensor::computed(shape, typed(given, tensor.dtype)));
    if REDUCTIONS.contains(&name) {
        return reduced(name, tensor, given);
    }
    let Some(shape) = &tensor.shape else { return same(None) };
    let at = |position: usize, word: &str| match given.get(position, word) {
        Some(Value::Int(Int { value: Some(at), .. })) => axis(*at, shape.len()),
        _ => None,
    };
    match name {
        _ if SAME.contains(&name) => {
            // What a function of floats makes of whole numbers is not followed.
            let kept = tensor.dtype.filter(|own| !dtype::whole(own) || KEEPING.contains(&name));
            Value::Tensor(Tensor::computed(Some(shape.clone()), typed(given, kept)))
        }
        "t" if shape.len() == 2 => same(Some(vec![shape[1].clone(), shape[0].clone()])),
        "transpose" | "swapaxes" => {
            let swapped = at(0, "dim0").zip(at(1, "dim1")).map(|(a, b)| {
                let mut shape = shape.clone();
                shape.swap(a, b);
                shape
            });
            same(swapped)
        }
        "permute" => {
            let order: Option<Vec<usize>> = size(given, 0).and_then(|order| {
                order.iter().map(|at| at.value.and_then(|at| axis(at, shape.len()))).collect()
            });
            same(order.map(|order| order.into_iter().map(|at| shape[at].clone()).collect()))
        }
        "view" | "reshape" | "expand" => {
            let extents = size(given, 0)
                .filter(|extents| extents.iter().all(|extent| extent.value.is_none_or(|value| value > 0)));
            same(extents)
        }
        "unsqueeze" => match given.get(0, "dim") {
            Some(Value::Int(Int { value: Some(at), .. })) => {
                let grown = axis(*at, shape.len() + 1).map(|at| {
                    let mut shape = shape.clone();
                    shape.insert(at, Int::literal(1));
                    shape
                });
                same(grown)
            }
            _ => same(None),
        },
        "split" | "chunk" => parts(name, tensor, given),
        _ => same(None),
    }
}

/// `sum`, `argmax`, … along an axis.
fn reduced(name: &str, tensor: &Tensor, given: &Given) -> Value {
    let whole = tensor.dtype.is_some_and(dtype::whole);
    let dtype = match name {
        "argmax" | "argmin" => Some("i64"),
        "any" | "all" => Some("bool"),
        "sum" | "prod" if whole => typed(given, Some("i64")),
        "mean" | "norm" | "std" | "var" | "logsumexp" if whole => typed(given, None),
        _ => typed(given, tensor.dtype),
    };
    let position = usize::from(name == "norm");
    // Between the axis and this, `std` and `var` have whether they are unbiased.
    let keepdim = position + if matches!(name, "std" | "var") { 2 } else { 1 };
    let dim = given.get(position, "dim");
    let left = tensor.shape.as_ref().and_then(|shape| {
        let axes: Vec<usize> = match dim {
            None | Some(Value::None) => (0..shape.len()).collect(),
            Some(value) => value
                .extents()?
                .iter()
                .map(|at| at.value.and_then(|at| axis(at, shape.len())))
                .collect::<Option<_>>()?,
        };
        let keep = given.get(keepdim, "keepdim").map_or(Some(false), Value::truth)?;
        let kept = shape.iter().enumerate().filter_map(|(at, extent)| match (axes.contains(&at), keep) {
            (false, _) => Some(extent.clone()),
            (true, true) => Some(Int::literal(1)),
            (true, false) => None,
        });
        Some(kept.collect())
    });
    let out = Value::Tensor(Tensor::computed(left.clone(), dtype));
    match (name, dim) {
        // Along an axis, the largest and the smallest come with their places.
        ("max" | "min", Some(Value::Int(_))) => {
            Value::sequence(vec![out, Value::Tensor(Tensor::computed(left, Some("i64")))])
        }
        // One tensor or two.
        ("max" | "min", Some(Value::Unknown)) => Value::Unknown,
        _ => out,
    }
}

/// `split(sizes, dim)` and `chunk(count, dim)`.
fn parts(name: &str, tensor: &Tensor, given: &Given) -> Value {
    let Some(shape) = &tensor.shape else { return Value::Unknown };
    let at = match given.get(1, "dim") {
        Some(Value::Int(Int { value: Some(at), .. })) => axis(*at, shape.len()),
        None => Some(0),
        _ => None,
    };
    let Some(at) = at.filter(|at| *at < shape.len()) else { return Value::Unknown };
    let sizes: Option<Vec<Int>> = match (name, given.get(0, "split_size_or_sections")) {
        ("split", Some(Value::Sequence(_))) => given.place.first().and_then(Value::extents),
        ("chunk", Some(Value::Int(Int { value: Some(count), .. }))) if (1..=64).contains(count) => shape[at]
            .join("//", &Int::literal(*count))
            // The last of unequal ones is smaller.
            .filter(|_| shape[at].value.is_none_or(|whole| whole % count == 0))
            .map(|each| vec![each; usize::try_from(*count).unwrap_or(1)]),
        _ => None,
    };
    let Some(sizes) = sizes else { return Value::Unknown };
    let part = |extent: Int| {
        let mut shape = shape.clone();
        shape[at] = extent;
        Value::Tensor(Tensor::computed(Some(shape), tensor.dtype))
    };
    Value::sequence(sizes.into_iter().map(part).collect())
}

/// An axis counted from either end.
fn axis(at: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let at = if at < 0 { at + rank } else { at };
    usize::try_from(at).ok().filter(|_| at < rank)
}

/// `a @ b` for matrices and batches of them.
pub(crate) fn product(a: &Tensor, b: &Tensor) -> Tensor {
    let shape = match (&a.shape, &b.shape) {
        (Some(a), Some(b)) if a.len() >= 2 && b.len() >= 2 => broadcast(&a[..a.len() - 2], &b[..b.len() - 2])
            .map(|mut shape| {
                shape.extend([a[a.len() - 2].clone(), b[b.len() - 1].clone()]);
                shape
            }),
        (Some(a), Some(b)) if a.len() >= 2 && b.len() == 1 => Some(a[..a.len() - 1].to_vec()),
        _ => None,
    };
    Tensor::computed(shape, a.dtype.filter(|own| b.dtype.is_none_or(|other| other == *own)))
}

/// `x · weightᵀ`: the last extent becomes the number of features.
pub(crate) fn linear(x: &Tensor, features: Option<Int>) -> Tensor {
    let shape =
        x.shape.as_ref().zip(features).filter(|(shape, _)| !shape.is_empty()).map(|(shape, features)| {
            let mut shape = shape.clone();
            shape.pop();
            shape.push(features);
            shape
        });
    Tensor::computed(shape, x.dtype)
}
