//! How far the end of an event is looked for.
//!
//! A bracket that never closes costs the rest of the text, and a text may consist of such brackets. What was read for an
//! event that then was none is counted; past a bound that grows with the text, only near ends are looked for.
//!
//! Invariant: what is read in vain stays within a fixed multiple of the text.

/// An event or top-level value longer than this is not waited for; a bracket that never closes must not swallow the file.
pub(super) const LONGEST: usize = 64 << 20;
/// What is waited for instead, once too much was read in vain.
const SHORT: usize = 2048;
/// Bytes that may be read in vain, and how many times the text so far on top of them.
const ALLOWED: u64 = 64 << 20;
const TIMES: u64 = 16;

/// What was read in vain so far.
#[derive(Debug, Default)]
pub(super) struct Patience {
    in_vain: u64,
}

impl Patience {
    /// How many bytes an event may have at position `offset` of the text.
    pub(super) fn at(&self, offset: u64) -> usize {
        let allowed = ALLOWED.saturating_add(offset.saturating_mul(TIMES));
        if self.in_vain <= allowed { LONGEST } else { SHORT }
    }

    /// Counts bytes that were read for an event which then was none.
    pub(super) fn in_vain(&mut self, bytes: usize) {
        self.in_vain = self.in_vain.saturating_add(bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_and_comes_back_with_the_text() {
        let mut patience = Patience::default();
        assert_eq!(patience.at(0), LONGEST);
        patience.in_vain(LONGEST);
        assert_eq!(patience.at(0), LONGEST, "one bracket that never closes changes nothing");
        patience.in_vain(160);
        assert_eq!(patience.at(9), SHORT);
        assert_eq!(patience.at(10), LONGEST);
    }
}
