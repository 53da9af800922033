//! The next place of a kind in a text that streams by, looked for once.
//!
//! A damaged text is stepped through event by event, and each step asks where the next event begins; where that is far away
//! the same stretch would be searched at every step.
//!
//! Invariant: an answer is the one that a search from the place asked about would give, but for context that has been read
//! and dropped; every byte is searched about once.

/// How much of a text's end is searched again, since what begins there may not be here yet.
const SEAM: u64 = 256;

/// What is known of the text ahead. Positions are those in the whole text.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// From here on ...
    from: u64,
    /// ... up to here there is no such place.
    to: u64,
    /// The place that ended the search.
    found: Option<u64>,
}

impl Ahead {
    /// The first place at or behind `from` in `text`, which begins at `offset` of the whole; `search` finds it.
    pub(super) fn find(
        &mut self,
        text: &[u8],
        offset: u64,
        from: usize,
        search: impl Fn(&[u8], usize) -> Option<usize>,
    ) -> Option<usize> {
        let asked = offset + from as u64;
        let known = self.from <= asked && asked <= self.to;
        let inside = |place: u64| usize::try_from(place - offset).ok().filter(|place| *place < text.len());
        if known && let Some(place) = self.found.filter(|place| *place >= asked) {
            return inside(place);
        }
        let begin = if known { self.to.max(asked) } else { asked };
        let found = inside(begin).and_then(|begin| search(text, begin)).map(|place| offset + place as u64);
        let end = offset + text.len() as u64;
        self.from = asked;
        self.to = found.unwrap_or_else(|| end.saturating_sub(SEAM)).max(asked);
        self.found = found;
        found.and_then(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn x_from(text: &[u8], from: usize) -> Option<usize> {
        text.get(from..)?.iter().position(|byte| *byte == b'x').map(|place| from + place)
    }

    proptest! {
        #[test]
        fn it_finds_what_a_search_from_there_finds(
            text in "[-x]{0,60}",
            steps in proptest::collection::vec((0_usize..9, 0_usize..2, 0_usize..9), 0..20),
        ) {
            let text = text.as_bytes();
            let (mut ahead, mut offset, mut end) = (Ahead::default(), 0, 0);
            for (step, from, more) in steps {
                end = text.len().min(end + more);
                offset = end.min(offset + step);
                let window = &text[offset..end];
                prop_assert_eq!(ahead.find(window, offset as u64, from, x_from), x_from(window, from));
            }
        }
    }

    #[test]
    fn a_far_place_is_looked_for_once() {
        let mut text = vec![b'-'; 100_000];
        text.push(b'x');
        let searched = std::cell::Cell::new(0);
        let mut ahead = Ahead::default();
        for offset in 0..100_000 {
            let found = ahead.find(&text[offset..], offset as u64, 0, |text, from| {
                searched.set(searched.get() + 1);
                x_from(text, from)
            });
            assert_eq!(found, Some(100_000 - offset));
        }
        assert_eq!(searched.get(), 1);
    }
}
