//! What the layers of `torch.nn` give, as far as shapes go (torch 2.9, `torch.nn`).

use crate::evaluate::Given;
use crate::tensor;
use crate::value::{Tensor, Value};

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
pub(crate) fn apply(class: &str, made: &[Value], given: &Given) -> Value {
    let Some(Value::Tensor(x)) = given.place.first() else { return Value::Unknown };
    match class {
        _ if SAME.contains(&class) => Value::Tensor(Tensor::computed(x.shape.clone(), x.dtype)),
        "Linear" => match made.get(1) {
            Some(Value::Int(features)) => Value::Tensor(tensor::linear(x, Some(features.clone()))),
            _ => Value::Tensor(Tensor::computed(None, x.dtype)),
        },
        _ if class.ends_with("Loss") => Value::Tensor(Tensor::computed(Some(Vec::new()), x.dtype)),
        _ => Value::Tensor(Tensor::computed(None, x.dtype)),
    }
}
