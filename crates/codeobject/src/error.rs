//! Why bytes are no code object that can be used.

use thiserror::Error;

/// What is wrong with a member; the file's name is for whoever read it to add.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// Neither an ELF file nor a container of them.
    #[error("{looks} is no code object, no bundle of them and no program that carries one")]
    Foreign {
        /// What it looks like.
        looks: String,
    },
    /// The ELF structure is broken.
    #[error("broken ELF file: {what}")]
    Elf {
        /// What the reader met.
        what: String,
    },
    /// A note or a section of it does not say what it should.
    #[error("{part} at byte {at}: {what}")]
    Part {
        /// `metadata`, `kernel descriptor`, `.nv.info`.
        part: &'static str,
        /// Where in the member it begins.
        at: u64,
        /// What was met.
        what: String,
    },
    /// The container says more than there is.
    #[error("{container} at byte {at} is cut off or damaged: {what}")]
    Container {
        /// `offload bundle`, `compressed bundle`, `fat binary`.
        container: &'static str,
        /// Where it begins.
        at: u64,
        /// What does not fit.
        what: String,
    },
    /// It cannot be unpacked.
    #[error("{what}")]
    Packed {
        /// By which method, and why not.
        what: String,
    },
}

impl Error {
    /// The same with the file's name in its words.
    #[must_use]
    pub fn of(self, file: &str) -> Self {
        match self {
            Self::Foreign { looks } => Self::Foreign { looks: format!("{file}: {looks}") },
            Self::Elf { what } => Self::Elf { what: format!("{what} ({file})") },
            Self::Part { part, at, what } => Self::Part { part, at, what: format!("{what} ({file})") },
            Self::Container { container, at, what } => {
                Self::Container { container, at, what: format!("{what} ({file})") }
            }
            Self::Packed { what } => Self::Packed { what: format!("{file}: {what}") },
        }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => "codeobject.foreign",
            Self::Elf { .. } => "codeobject.elf",
            Self::Part { .. } => "codeobject.part",
            Self::Container { .. } => "codeobject.container",
            Self::Packed { .. } => "codeobject.packed",
        }
    }

    /// The cure.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => {
                "give a .hsaco, .co, .cubin, .fatbin, .o or .so file, or a folder of them"
            }
            Self::Elf { .. } | Self::Part { .. } | Self::Container { .. } => "compile or copy the file again",
            Self::Packed { .. } => "compile without compression, or unpack it with the vendor's tool first",
        }
    }
}
