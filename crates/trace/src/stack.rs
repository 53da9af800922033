//! Call stacks written as one text, interned whole: a capture repeats a few thousand stacks hundreds of thousands of times.

use crate::{NameId, Names, StackId};

/// The distinct call stacks of a capture, each the raw text of its frames, innermost first, separated by `;`.
#[derive(Debug, Default)]
pub struct Stacks {
    texts: Names,
}

impl Stacks {
    pub(crate) fn intern(&mut self, text: &[u8]) -> Option<StackId> {
        self.texts.intern(text).map(|(name, _)| StackId::new(name.index() as u32))
    }

    /// The frames of a stack, innermost first.
    pub fn frames(&self, stack: StackId) -> impl DoubleEndedIterator<Item = &[u8]> {
        let text = self.texts.bytes(NameId::new(stack.index() as u32));
        text.split(|byte| *byte == b';').map(<[u8]>::trim_ascii).filter(|frame| !frame.is_empty())
    }

    /// The number of distinct stacks.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True where no stack was recorded.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Every handle, in the order of first use.
    pub fn ids(&self) -> impl Iterator<Item = StackId> + use<> {
        (0..self.texts.len() as u32).map(StackId::new)
    }
}
