//! What a compiled GPU kernel takes: registers, local memory, scratch, spills, wave size.
//!
//! Reads bytes and answers with [`Found`]: every code object that a file holds, each with its kernels or with the reason why it could not be
//! opened. AMDGPU code objects (versions 2 to 6), NVIDIA cubins, clang's offload bundles, NVIDIA's fat binaries, and host programs and
//! libraries that carry them. Runs nothing and opens no file. Invariants: no input makes it panic or take memory beyond [`MOST_UNPACKED`];
//! nothing that was found is left out silently; what a compiler did not write is absent, never 0.

mod amdgpu;
mod bundle;
mod error;
mod fatbin;
mod host;
mod kernel;
mod names;
mod nvidia;
mod walk;

pub use error::Error;
pub use kernel::{AmdResources, Kernel, NvidiaResources, Resources};
pub use walk::{Found, MOST_UNPACKED, Member, State, read};
