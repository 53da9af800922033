//! What the layers of `torch.nn` give, as far as shapes go (torch 2.9, `torch.nn`).

use crate::dtype;
use crate::given::Given;
use crate::tensor;
use crate::value::{Int, Tensor, Value};

/// One tensor in, the same shape out.
const SAME: &[&str] = &[
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "CELU",
    "Dropout",
    "ELU",
    "GELU",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "RMSNorm",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
];

/// What a layer gives for its input.
pub(crate) fn apply(class: &str, made: &Given, given: &Given) -> Value {
    let Some(Value::Tensor(x)) = given.place.first() else { return Value::Unknown };
    let float = x.dtype.filter(|own| dtype::widens(own));
    let open = || Value::Tensor(Tensor::computed(None, float));
    match class {
        _ if SAME.contains(&class) => Value::Tensor(Tensor::computed(x.shape.clone(), x.dtype)),
        "Linear" => match made.get(1, "out_features") {
            Some(Value::Int(features)) => Value::Tensor(tensor::linear(x, Some(features.clone()))),
            _ => open(),
        },
        "Sequential" if made.endless || !made.word.is_empty() => Value::Unknown,
        "Sequential" => made.place.iter().fold(Value::Tensor(x.clone()), |value, layer| match layer {
            Value::Layer(class, made) => {
                apply(class, made, &Given { place: vec![value], ..Given::default() })
            }
            _ => Value::Unknown,
        }),
        _ if class.ends_with("Loss") && tensor::reduces(made) => {
            Value::Tensor(Tensor::computed(Some(Vec::new()), x.dtype))
        }
        // With the places of its results, a pooling gives two tensors.
        _ if class.starts_with("MaxPool") && may_hold(made, 4, "return_indices") => Value::Unknown,
        // Others give several tensors (`LSTM`), or floats for whole numbers (`Embedding`).
        _ if !class.ends_with('d') => Value::Unknown,
        _ => window(class, made, x)
            .map_or_else(open, |shape| Value::Tensor(Tensor::computed(Some(shape), x.dtype))),
    }
}

/// Convolutions and pooling: the extents of the last one to three axes, by the formulas of `torch.nn`'s reference.
fn window(class: &str, made: &Given, x: &Tensor) -> Option<Vec<Int>> {
    let kind = class.get(..class.len().checked_sub(2)?)?;
    let axes = match class.get(kind.len()..)? {
        "1d" => 1,
        "2d" => 2,
        "3d" => 3,
        _ => return None,
    };
    let shape = x.shape.as_ref().filter(|shape| shape.len() == axes + 2)?;
    let transposed = kind == "ConvTranspose";
    let convolution = transposed || kind == "Conv";
    if !convolution && !matches!(kind, "MaxPool" | "AvgPool") {
        return None;
    }
    let rounding = if kind == "MaxPool" { 5 } else { 3 };
    if !convolution && may_hold(made, rounding, "ceil_mode") {
        return None;
    }
    // Where each argument stands, and what it is where it is not given.
    let first = if convolution { 2 } else { 0 };
    let one = Value::Int(Int::literal(1));
    let zero = Value::Int(Int::literal(0));
    let kernel = made.get(first, "kernel_size")?;
    let given = |at: usize, word: &str, otherwise: &Value| match made.get(at, word) {
        None | Some(Value::None) => otherwise.clone(),
        Some(value) => value.clone(),
    };
    let stride = given(first + 1, "stride", if convolution { &one } else { kernel });
    let padding = given(first + 2, "padding", &zero);
    let dilation = match kind {
        "AvgPool" => one.clone(),
        "ConvTranspose" => given(8, "dilation", &one),
        _ => given(first + 3, "dilation", &one),
    };
    let beyond = if transposed { given(5, "output_padding", &zero) } else { zero.clone() };
    let channels = if convolution {
        match made.get(1, "out_channels")? {
            Value::Int(channels) => channels.clone(),
            _ => return None,
        }
    } else {
        shape[1].clone()
    };
    let mut out = vec![shape[0].clone(), channels];
    for (axis, extent) in shape[2..].iter().enumerate() {
        let at = |value: &Value| {
            value.extents().and_then(|all| all.get(if all.len() == 1 { 0 } else { axis })?.value)
        };
        let (width, step, edge) = (at(kernel)?, at(&stride)?, at(&padding)?);
        let reach = at(&dilation)?.checked_mul(width.checked_sub(1)?)?;
        let (one, step) = (Int::literal(1), Int::literal(step));
        out.push(if transposed {
            let added =
                edge.checked_mul(-2)?.checked_add(reach)?.checked_add(at(&beyond)?)?.checked_add(1)?;
            sum(&extent.join("-", &one)?.join("*", &step)?, added)?
        } else {
            let added = edge.checked_mul(2)?.checked_sub(reach)?.checked_sub(1)?;
            sum(extent, added)?.join("//", &step)?.join("+", &one)?
        });
    }
    Some(out)
}

/// True where a flag is given and is not known to be false.
fn may_hold(made: &Given, at: usize, word: &str) -> bool {
    made.get(at, word).is_some_and(|flag| flag.truth() != Some(false))
}

/// A number and a constant, written without a sign that nobody needs.
fn sum(int: &Int, constant: i64) -> Option<Int> {
    match constant {
        0 => Some(int.clone()),
        1.. => int.join("+", &Int::literal(constant)),
        _ => int.join("-", &Int::literal(constant.checked_neg()?)),
    }
}
