//! The values of a call's arguments, and what is not known about which there are.

use crate::value::Value;
use std::collections::BTreeMap;

/// The keyword under which the syntax has `**more`.
const MORE: &str = "**";

/// The values of a call's arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// By position, up to a `*more` of unknown length, which is the last of them and unknown.
    pub(crate) place: Vec<Value>,
    /// By keyword.
    pub(crate) word: BTreeMap<String, Value>,
    /// There may be more by position.
    pub(crate) endless: bool,
}

impl Given {
    /// The argument at a position or under a keyword; unknown where it may be among those that are not written out.
    pub(crate) fn get(&self, at: usize, word: &str) -> Option<&Value> {
        let placed = self.place.get(at).or_else(|| self.endless.then_some(&Value::Unknown));
        self.word.get(word).or(placed).or_else(|| self.more())
    }

    /// The argument under a keyword.
    pub(crate) fn named(&self, word: &str) -> Option<&Value> {
        self.word.get(word).or_else(|| self.more())
    }

    fn more(&self) -> Option<&Value> {
        self.word.contains_key(MORE).then_some(&Value::Unknown)
    }
}
