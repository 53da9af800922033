//! What a reader has to say beside the trace.

/// One kind of loss, repair or doubt, with where it first happened and how much it concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadNote {
    /// A stable dotted code, such as `capture.truncated`.
    pub code: &'static str,
    /// A lowercase fact with its numbers.
    pub message: String,
    /// The byte of the unpacked text where it first happened.
    pub byte: Option<u64>,
    /// How many events it concerns.
    pub events: Option<u64>,
    /// How many bytes of text were not read.
    pub bytes: Option<u64>,
}
