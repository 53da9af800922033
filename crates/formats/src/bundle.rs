//! Where a reader's bytes come from: named members that can be streamed.

use std::io::Read;

/// One member of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name, as the user would recognise it in a message.
    pub name: String,
    /// The size in bytes as stored, where known.
    pub bytes: Option<u64>,
}

/// Named members. A single file is a bundle of one.
pub trait Bundle: Sync {
    /// The members, in a stable order.
    fn members(&self) -> &[Member];

    /// A stream over the bytes of a member, from its beginning.
    ///
    /// # Errors
    /// What the system says where the member cannot be opened.
    fn open(&self, member: usize) -> std::io::Result<Box<dyn Read + Send>>;
}
