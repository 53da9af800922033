//! Phrases: short runs of words that rules look for, found all at once.
//!
//! A phrase is words separated by spaces. `^` before the first word anchors it at the start, `$` after the last at the
//! end; a `*` at a word's start or end stands for any letters there. All phrases of a catalog are looked up through
//! their first word, so that the cost of a name does not grow with the number of rules.

use hashbrown::HashMap;

use crate::words::Joins;

/// One word of a phrase.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    Exact(String),
    Begins(String),
    Ends(String),
    Holds(String),
}

impl Word {
    fn parse(text: &str) -> Option<Self> {
        let inner = text.trim_matches('*');
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if inner.is_empty() || !inner.chars().all(plain) {
            return None;
        }
        let inner = inner.to_owned();
        Some(match (text.starts_with('*'), text.ends_with('*')) {
            (false, false) => Self::Exact(inner),
            (false, true) => Self::Begins(inner),
            (true, false) => Self::Ends(inner),
            (true, true) => Self::Holds(inner),
        })
    }

    fn matches(&self, word: &str) -> bool {
        match self {
            Self::Exact(text) => word == text,
            Self::Begins(text) => word.starts_with(text.as_str()),
            Self::Ends(text) => word.ends_with(text.as_str()),
            Self::Holds(text) => word.contains(text.as_str()),
        }
    }
}

/// Handle of a phrase in its [`PhraseBook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhraseId(u32);

#[derive(Debug)]
struct Phrase {
    words: Vec<Word>,
    at_start: bool,
    at_end: bool,
}

impl Phrase {
    fn matches(&self, words: &[String], at: usize) -> bool {
        let end = at + self.words.len();
        (!self.at_start || at == 0)
            && (!self.at_end || end == words.len())
            && words
                .get(at..end)
                .is_some_and(|run| self.words.iter().zip(run).all(|(pattern, word)| pattern.matches(word)))
    }
}

/// All phrases of a catalog that are looked for in the same part of a name.
#[derive(Debug, Default)]
pub(crate) struct PhraseBook {
    phrases: Vec<Phrase>,
    by_first_word: HashMap<String, Vec<PhraseId>>,
    open: OpenWords,
}

/// Phrases whose first word has a `*`, sorted so that a word is tried against the few that it could fit:
/// without this, 1,000 names of the corpus cost 57 ms instead of a third of that.
#[derive(Debug, Default)]
struct OpenWords {
    by_first_letter: HashMap<u8, Vec<PhraseId>>,
    by_last_letter: HashMap<u8, Vec<PhraseId>>,
    /// With the set of letters that the word must have.
    anywhere: Vec<(u64, PhraseId)>,
}

impl OpenWords {
    fn add(&mut self, word: &Word, id: PhraseId) {
        match word {
            Word::Exact(_) => {}
            Word::Begins(text) => {
                self.by_first_letter.entry(text.as_bytes()[0]).or_default().push(id);
            }
            Word::Ends(text) => {
                self.by_last_letter.entry(text.as_bytes()[text.len() - 1]).or_default().push(id);
            }
            Word::Holds(text) => self.anywhere.push((letters(text), id)),
        }
    }

    /// The phrases whose first word may fit `word`.
    fn candidates<'a>(&'a self, word: &'a str) -> impl Iterator<Item = PhraseId> + 'a {
        let of = |table: &'a HashMap<u8, Vec<PhraseId>>, letter: Option<&u8>| {
            letter.and_then(|letter| table.get(letter)).map_or(&[][..], Vec::as_slice).iter().copied()
        };
        let has = letters(word);
        of(&self.by_first_letter, word.as_bytes().first())
            .chain(of(&self.by_last_letter, word.as_bytes().last()))
            .chain(self.anywhere.iter().filter(move |(needs, _)| needs & !has == 0).map(|(_, id)| *id))
    }
}

/// The letters and digits of a word as a set of bits.
fn letters(word: &str) -> u64 {
    word.bytes().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// Which phrases a name contains.
#[derive(Debug)]
pub(crate) struct Found(Vec<bool>);

impl Found {
    /// Does the name contain this phrase?
    pub(crate) fn has(&self, id: PhraseId) -> bool {
        self.0.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// Does it contain one of them?
    pub(crate) fn any(&self, ids: &[PhraseId]) -> bool {
        ids.iter().any(|id| self.has(*id))
    }
}

impl PhraseBook {
    /// Adds a phrase. `None` where no name could contain it.
    pub(crate) fn add(&mut self, text: &str, joins: &Joins) -> Option<PhraseId> {
        let (at_start, text) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        let (at_end, text) = text.strip_suffix('$').map_or((false, text), |rest| (true, rest));
        // A phrase is joined like a name, so that `layer norm` may be written either way.
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        joins.apply(&mut words);
        let words: Vec<Word> = words.iter().map(|word| Word::parse(word)).collect::<Option<_>>()?;
        let id = PhraseId(u32::try_from(self.phrases.len()).ok()?);
        match words.first()? {
            Word::Exact(first) => self.by_first_word.entry(first.clone()).or_default().push(id),
            open => self.open.add(open, id),
        }
        self.phrases.push(Phrase { words, at_start, at_end });
        Some(id)
    }

    /// Finds every phrase in `words`.
    pub(crate) fn find(&self, words: &[String]) -> Found {
        let mut found = vec![false; self.phrases.len()];
        for (at, word) in words.iter().enumerate() {
            let exact = self.by_first_word.get(word).map_or(&[][..], Vec::as_slice);
            for id in exact.iter().copied().chain(self.open.candidates(word)) {
                let index = id.0 as usize;
                found[index] = found[index] || self.phrases[index].matches(words, at);
            }
        }
        Found(found)
    }
}

#[cfg(test)]
mod tests {
    use super::PhraseBook;
    use crate::words::Joins;

    fn contains(phrase: &str, name: &str) -> bool {
        let mut book = PhraseBook::default();
        let id = book.add(phrase, &Joins::new(&["layer norm".to_owned()])).unwrap();
        let words: Vec<String> = name.split(' ').map(str::to_owned).collect();
        book.find(&words).has(id)
    }

    #[test]
    fn words_match_whole() {
        assert!(contains("topk", "a topk b"));
        assert!(!contains("topk", "a topkx b"));
        assert!(contains("topk*", "a topkx b"));
        assert!(contains("*gemm", "s16816gemm nn"));
        assert!(contains("*gemm*", "sgemm1"));
    }

    #[test]
    fn anchors_hold() {
        assert!(contains("^a b", "a b c"));
        assert!(!contains("^b", "a b c"));
        assert!(contains("b c$", "a b c"));
        assert!(!contains("a b$", "a b c"));
    }

    #[test]
    fn phrases_are_joined_like_names() {
        assert!(contains("native layer norm", "native layernorm"));
    }

    #[test]
    fn a_phrase_that_no_name_could_hold_is_refused() {
        for phrase in ["", "Topk", "a  b", "a_b", "*"] {
            assert!(PhraseBook::default().add(phrase, &Joins::default()).is_none(), "{phrase:?}");
        }
    }
}
