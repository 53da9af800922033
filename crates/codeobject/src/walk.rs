//! From the bytes of a file to every code object in it.

use crate::kernel::Kernel;
use crate::{Error, amdgpu, bundle, fatbin, host, nvidia};
use serde::Serialize;
use std::borrow::Cow;

/// What is unpacked from one file takes no more memory than this, bytes.
pub const MOST_UNPACKED: usize = 512 << 20;
/// Containers within containers, at most.
const DEEPEST: u32 = 6;
/// Members of one file, at most; real libraries of kernels have some ten thousand.
const MOST_MEMBERS: usize = 1 << 18;

/// Everything that a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Found {
    /// In the order of the file.
    pub members: Vec<Member>,
}

/// One code object, or what stands where one should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// How it is reached inside the file: `.hip_fatbin!hipv4-amdgcn-amd-amdhsa--gfx942`; empty for the file itself.
    pub path: String,
    /// Bytes, unpacked.
    pub bytes: u64,
    /// Its kernels, or why there are none.
    #[serde(flatten)]
    pub state: State,
}

/// Whether a member could be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its kernels; none is an answer too.
    Kernels(Vec<Kernel>),
    /// It is no code object for a GPU and was not meant to be: a host's part, PTX, intermediate code.
    Beside(String),
    /// Why it could not be read.
    Unread(String),
}

impl Found {
    /// All kernels of all members.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.members.iter().flat_map(|member| match &member.state {
            State::Kernels(kernels) => kernels.as_slice(),
            State::Beside(_) | State::Unread(_) => &[],
        })
    }
}

/// Collects members while containers are opened.
pub(crate) struct Walk {
    found: Found,
    left: usize,
}

/// Reads a file's bytes.
///
/// # Errors
/// Where the file as a whole is nothing of the kind. A broken part of a container is a [`Member`] with its reason.
pub fn read(bytes: &[u8]) -> Result<Found, Error> {
    let mut walk = Walk { found: Found::default(), left: MOST_UNPACKED };
    match kind(bytes) {
        Kind::Foreign => Err(Error::Foreign { looks: looks(bytes) }),
        Kind::Elf => {
            let elf = host::Elf::parse(bytes)?;
            walk.elf("", bytes, &elf, 0)?;
            Ok(walk.found)
        }
        _ => {
            walk.open("", bytes, 0);
            Ok(walk.found)
        }
    }
}

enum Kind {
    Elf,
    Bundle,
    Compressed,
    Fat,
    Foreign,
}

fn kind(bytes: &[u8]) -> Kind {
    if bytes.starts_with(b"\x7fELF") {
        Kind::Elf
    } else if bytes.starts_with(bundle::MAGIC) {
        Kind::Bundle
    } else if bytes.starts_with(bundle::COMPRESSED) {
        Kind::Compressed
    } else if bytes.starts_with(&fatbin::MAGIC) {
        Kind::Fat
    } else {
        Kind::Foreign
    }
}

fn looks(bytes: &[u8]) -> String {
    let text = bytes.iter().take(256).all(|byte| (0x20..0x7f).contains(byte) || byte.is_ascii_whitespace());
    match bytes {
        [] => "an empty file".to_owned(),
        [b'B', b'C', 0xC0, 0xDE, ..] => "LLVM bitcode".to_owned(),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => "an archive (`ar x` gives its objects)".to_owned(),
        _ if bytes.starts_with(b"version https://git-lfs") => "a Git LFS pointer".to_owned(),
        _ if text => "a text".to_owned(),
        _ => "something unknown".to_owned(),
    }
}

impl Walk {
    pub(crate) fn add(&mut self, path: &str, bytes: usize, state: State) {
        if self.found.members.len() < MOST_MEMBERS {
            self.found.members.push(Member { path: path.to_owned(), bytes: bytes as u64, state });
        }
    }

    /// How much may still be unpacked.
    pub(crate) fn room(&self) -> usize {
        self.left
    }

    /// Opens what a container held after it was unpacked.
    pub(crate) fn unpacked(&mut self, path: &str, bytes: &[u8], depth: u32) {
        self.left = self.left.saturating_sub(bytes.len());
        self.open(path, bytes, depth);
    }

    /// Opens bytes of any kind.
    pub(crate) fn open(&mut self, path: &str, bytes: &[u8], depth: u32) {
        if depth > DEEPEST {
            let why = format!("containers within containers, {DEEPEST} deep");
            return self.add(path, bytes.len(), State::Unread(why));
        }
        let done = match kind(bytes) {
            Kind::Elf => host::Elf::parse(bytes).and_then(|elf| self.elf(path, bytes, &elf, depth)),
            Kind::Bundle => bundle::open(self, path, bytes, depth),
            Kind::Compressed => bundle::open_compressed(self, path, bytes, depth),
            Kind::Fat => fatbin::open(self, path, bytes, depth),
            Kind::Foreign => Err(Error::Foreign { looks: looks(bytes) }),
        };
        if let Err(error) = done {
            self.add(path, bytes.len(), State::Unread(error.to_string()));
        }
    }

    fn elf(&mut self, path: &str, bytes: &[u8], elf: &host::Elf<'_>, depth: u32) -> Result<(), Error> {
        let kernels = match elf.machine() {
            host::Machine::Amdgpu => amdgpu::kernels(elf)?,
            host::Machine::Nvidia => nvidia::kernels(elf)?,
            host::Machine::Host => return host::open(self, path, bytes, elf, depth),
        };
        self.add(path, bytes.len(), State::Kernels(kernels));
        Ok(())
    }
}

/// A path inside a file, one step further.
pub(crate) fn step<'a>(path: &'a str, name: &'a str) -> Cow<'a, str> {
    if path.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(format!("{path}!{name}")) }
}
