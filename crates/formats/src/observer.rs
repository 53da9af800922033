//! Who watches a reader: it is told how far the text has been read, and may ask to stop.

/// Watches a reader. Called a few times a megabyte.
pub trait Observer: Sync {
    /// `done` bytes of the text have been read; for packed members this counts the unpacked text.
    fn bytes_read(&self, done: u64);

    /// True once the reader should stop.
    fn cancelled(&self) -> bool;
}
