//! Peaks: how many operations a second a pipe can do in a data type.

use serde::{Deserialize, Serialize};

use crate::{Cell, Source};

/// The part of a unit that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pipe {
    /// VALU or CUDA cores.
    Vector,
    /// Matrix or tensor cores on dense operands.
    Matrix,
    /// Matrix or tensor cores with structured 2:4 sparsity, counted as if the operands were dense.
    Sparse,
}

impl Pipe {
    /// Every pipe.
    pub const ALL: [Self; 3] = [Self::Vector, Self::Matrix, Self::Sparse];

    /// The word of the data files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Matrix => "matrix",
            Self::Sparse => "sparse",
        }
    }
}

/// The type of the operands; accumulation may be wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// IEEE double precision.
    Fp64,
    /// IEEE single precision.
    Fp32,
    /// FP32 operands rounded to 19 bits inside matrix cores.
    Tf32,
    /// IEEE half precision.
    Fp16,
    /// Half precision with the exponent of FP32.
    Bf16,
    /// 8 bits, any split of exponent and mantissa.
    Fp8,
    /// 6 bits.
    Fp6,
    /// 4 bits.
    Fp4,
    /// 8-bit integers.
    Int8,
}

impl Dtype {
    /// Every type.
    pub const ALL: [Self; 9] = [
        Self::Fp64,
        Self::Fp32,
        Self::Tf32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Fp6,
        Self::Fp4,
        Self::Int8,
    ];

    /// The word of the data files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp6 => "fp6",
            Self::Fp4 => "fp4",
            Self::Int8 => "int8",
        }
    }
}

/// A peak and what reproduces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Peak {
    /// Operations a second; a fused multiply-add is two.
    pub cell: Cell,
    /// Operations a clock and unit, with who says so.
    pub per_clock: Option<(u64, Source)>,
    /// The clock of this pipe in hertz, where it is not the device's.
    pub clock: Option<Cell>,
    /// Why clock × units × rate does not give the peak.
    pub deviates: Option<String>,
}
