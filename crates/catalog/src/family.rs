//! The families that totals are split by. One kernel has one family for totals; fused kernels name further ones as parts.

use serde::{Deserialize, Serialize};

/// What a kernel does, coarse enough to add up and to compare between libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// Collectives, point-to-point, custom all-reduce, dispatch and combine over a network.
    Communication,
    /// Scaled-dot-product attention in any form, its splits, merges and planners.
    Attention,
    /// State-space and linear attention: selective scan, gated delta rule, causal 1-D convolution.
    StateSpace,
    /// Routing, sorting, expert GEMMs and finalisation of mixture-of-experts layers.
    Moe,
    /// Matrix products and matrix-vector products, split-K reductions included.
    Gemm,
    /// Convolutions and their transforms.
    Convolution,
    /// Layer, RMS, batch, group norm, forward and backward.
    Normalization,
    /// Softmax and log-softmax outside a fused attention.
    Softmax,
    /// Non-linearities: relu, gelu, silu, sigmoid, tanh, gated forms.
    Activation,
    /// Conversion to and from scaled low precision, and its scale handling.
    Quantization,
    /// Rotary position embedding.
    Rope,
    /// Table look-ups and their gradients.
    Embedding,
    /// Writes, gathers and copies of the key-value cache.
    KvCache,
    /// Top-k, top-p, argmax and token choice.
    Sampling,
    /// Loss functions.
    Loss,
    /// Sums, means, minima, norms over an axis.
    Reduction,
    /// Sorts, scans, histograms, compaction.
    Sort,
    /// Gather, scatter, index and permute by index.
    Indexing,
    /// Max and average pooling, resampling of images.
    Pooling,
    /// Fourier transforms.
    Fft,
    /// Random numbers and dropout.
    Random,
    /// Parameter updates and multi-tensor passes over parameters.
    Optimizer,
    /// Pointwise arithmetic.
    Elementwise,
    /// Copies, casts, concatenation, transposition, layout changes.
    Copy,
    /// Writes of one value or of a generated range.
    Fill,
    /// Barriers, spins and waits.
    Synchronization,
    /// Known, but of none of the families above.
    Other,
    /// No rule knows the name.
    Unclassified,
}

impl Family {
    /// Every family, in the order of reports.
    pub const ALL: [Self; 28] = [
        Self::Communication,
        Self::Attention,
        Self::StateSpace,
        Self::Moe,
        Self::Gemm,
        Self::Convolution,
        Self::Normalization,
        Self::Softmax,
        Self::Activation,
        Self::Quantization,
        Self::Rope,
        Self::Embedding,
        Self::KvCache,
        Self::Sampling,
        Self::Loss,
        Self::Reduction,
        Self::Sort,
        Self::Indexing,
        Self::Pooling,
        Self::Fft,
        Self::Random,
        Self::Optimizer,
        Self::Elementwise,
        Self::Copy,
        Self::Fill,
        Self::Synchronization,
        Self::Other,
        Self::Unclassified,
    ];

    /// The name used in data files, JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Communication => "communication",
            Self::Attention => "attention",
            Self::StateSpace => "state-space",
            Self::Moe => "moe",
            Self::Gemm => "gemm",
            Self::Convolution => "convolution",
            Self::Normalization => "normalization",
            Self::Softmax => "softmax",
            Self::Activation => "activation",
            Self::Quantization => "quantization",
            Self::Rope => "rope",
            Self::Embedding => "embedding",
            Self::KvCache => "kv-cache",
            Self::Sampling => "sampling",
            Self::Loss => "loss",
            Self::Reduction => "reduction",
            Self::Sort => "sort",
            Self::Indexing => "indexing",
            Self::Pooling => "pooling",
            Self::Fft => "fft",
            Self::Random => "random",
            Self::Optimizer => "optimizer",
            Self::Elementwise => "elementwise",
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Synchronization => "synchronization",
            Self::Other => "other",
            Self::Unclassified => "unclassified",
        }
    }

    /// May this family be named as a fused part beside another? Arithmetic and movement are in every kernel: naming
    /// them would say nothing.
    pub(crate) fn joins_others(self) -> bool {
        matches!(
            self,
            Self::Communication
                | Self::Attention
                | Self::Moe
                | Self::Gemm
                | Self::Normalization
                | Self::Softmax
                | Self::Activation
                | Self::Quantization
                | Self::Rope
                | Self::Embedding
                | Self::KvCache
                | Self::Sampling
                | Self::Loss
                | Self::Optimizer
        )
    }

    /// The family of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn every_family_has_one_name_that_serde_shares() {
        for family in Family::ALL {
            assert_eq!(Family::from_name(family.name()), Some(family));
            assert_eq!(serde_json::to_string(&family).unwrap(), format!("\"{}\"", family.name()));
        }
    }
}
