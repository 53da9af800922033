//! The skeletons inside the binary, one a kernel class.
//!
//! Invariant: each is an experiment that runs as it stands where its tools are; `@OP@` stands for the operation's name.

use serde::Serialize;

/// A kernel class that has a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// AMDGPU assembly beside HIP C++.
    Asm,
    /// Instances of composable_kernel.
    Ck,
    /// C++ on the processor.
    Cpu,
    /// CUDA C++.
    Cuda,
    /// HIP C++.
    Hip,
    /// Triton, with PyTorch as the baseline.
    Triton,
}

/// The files of one skeleton: name and text.
type Files = &'static [(&'static str, &'static str)];

macro_rules! files {
    ($($name:literal = $text:literal),+) => {
        &[$(($name, include_str!(concat!("../../../../data/skeletons/", $text)))),+]
    };
}

const ASM: Files = files!(
    "experiment.toml" = "asm/experiment.toml",
    "reference.cpp" = "asm/reference.cpp",
    "baseline.hip" = "asm/baseline.hip",
    "candidate.hip" = "asm/candidate.hip",
    "candidate.s" = "asm/candidate.s"
);
const CK: Files = files!(
    "experiment.toml" = "ck/experiment.toml",
    "reference.cpp" = "softmax/reference.cpp",
    "softmax.hpp" = "ck/softmax.hpp",
    "baseline.hip" = "ck/baseline.hip",
    "candidate.hip" = "ck/candidate.hip"
);
const CPU: Files = files!(
    "experiment.toml" = "cpu/experiment.toml",
    "reference.cpp" = "softmax/reference.cpp",
    "baseline.cpp" = "cpu/baseline.cpp",
    "candidate.cpp" = "cpu/candidate.cpp"
);
const CUDA: Files = files!(
    "experiment.toml" = "cuda/experiment.toml",
    "reference.cpp" = "softmax/reference.cpp",
    "baseline.cu" = "softmax/baseline.gpu",
    "candidate.cu" = "softmax/candidate.gpu"
);
const HIP: Files = files!(
    "experiment.toml" = "hip/experiment.toml",
    "reference.cpp" = "softmax/reference.cpp",
    "baseline.hip" = "softmax/baseline.gpu",
    "candidate.hip" = "softmax/candidate.gpu"
);
const TRITON: Files = files!(
    "experiment.toml" = "triton/experiment.toml",
    "reference.py" = "triton/reference.py",
    "baseline.py" = "triton/baseline.py",
    "candidate.py" = "triton/candidate.py"
);

impl Class {
    /// Every class with a skeleton.
    pub const ALL: [Self; 6] = [Self::Asm, Self::Ck, Self::Cpu, Self::Cuda, Self::Hip, Self::Triton];

    /// The class's word in experiment.toml.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Asm => "asm",
            Self::Ck => "ck",
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Hip => "hip",
            Self::Triton => "triton",
        }
    }

    /// What must be on the machine beside kforge.
    pub(super) const fn needs(self) -> &'static str {
        match self {
            Self::Asm => {
                "hipcc and ROCm's clang ($KFORGE_CLANG), a C++ compiler called c++, and a gfx942 GPU"
            }
            Self::Ck => "composable_kernel ($CK_DIR), hipcc, a C++ compiler called c++, and an AMD GPU",
            Self::Cpu => "a C++ compiler called c++",
            Self::Cuda => "nvcc, a C++ compiler called c++, and an NVIDIA GPU",
            Self::Hip => "hipcc, a C++ compiler called c++, and an AMD GPU",
            Self::Triton => "a python3 with torch and triton, and a GPU",
        }
    }

    /// What has not been shown about the skeleton, where that is something.
    pub(super) const fn unproven(self) -> Option<&'static str> {
        match self {
            Self::Asm => Some(
                "this skeleton was assembled and compiled for gfx942 by clang 19 and has not run on a device yet",
            ),
            Self::Ck => Some(
                "this skeleton was compiled for gfx942 by clang 19 with composable_kernel of October 2024 and has not run on a device yet",
            ),
            Self::Hip => {
                Some("this skeleton was compiled for gfx942 by clang 19 and has not run on a device yet")
            }
            Self::Cpu | Self::Cuda | Self::Triton => None,
        }
    }

    /// A file of the candidate, a piece of its text, and what makes it wrong in its place; absent where no text shows how.
    pub(crate) const fn spoilt(self) -> Option<(&'static str, &'static str, &'static str)> {
        match self {
            Self::Cpu => Some(("candidate.cpp", "1.0f / sum", "1.5f / sum")),
            Self::Cuda => Some(("candidate.cu", "1.0f / shared[0].total", "1.5f / shared[0].total")),
            Self::Hip => Some(("candidate.hip", "1.0f / shared[0].total", "1.5f / shared[0].total")),
            Self::Triton => Some(("candidate.py", "parts / tl.sum", "1.5 * parts / tl.sum")),
            Self::Asm => Some(("candidate.hip", "scale = 2.5f", "scale = 2.75f")),
            Self::Ck => None,
        }
    }

    /// The files for an operation, each with its text.
    pub(super) fn files(self, op: &str) -> impl Iterator<Item = (&'static str, String)> {
        let files = match self {
            Self::Asm => ASM,
            Self::Ck => CK,
            Self::Cpu => CPU,
            Self::Cuda => CUDA,
            Self::Hip => HIP,
            Self::Triton => TRITON,
        };
        files.iter().map(move |(name, text)| (*name, text.replace("@OP@", op)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kforge_experiment::Experiment;
    use kforge_record::Policy;
    use std::path::Path;

    #[test]
    fn every_skeleton_is_an_experiment_of_its_class_whose_sources_it_brings() {
        for class in Class::ALL {
            let files: Vec<(&str, String)> = class.files("some_op").collect();
            let (_, text) = files.iter().find(|(name, _)| *name == "experiment.toml").unwrap();
            let path = Path::new("kernels/some_op/experiment.toml");
            let experiment = Experiment::parse(path, text, &Policy::default()).unwrap();
            assert_eq!((experiment.op.as_str(), experiment.candidates.len()), ("some_op", 1));
            let sides = [&experiment.reference, &experiment.baseline, &experiment.candidates[0]];
            for side in sides {
                assert_eq!(side.class, class.word());
                for source in &side.sources {
                    let name = source.strip_prefix("kernels/some_op/").unwrap();
                    assert!(files.iter().any(|(file, _)| *file == name), "{source}");
                }
            }
            assert!(files.iter().all(|(_, text)| !text.contains("@OP")));
            if let Some((file, right, wrong)) = class.spoilt() {
                let (_, text) = files.iter().find(|(name, _)| *name == file).unwrap();
                assert_eq!((text.matches(right).count(), text.contains(wrong)), (1, false), "{file}");
            }
        }
    }
}
