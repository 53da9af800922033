//! Steps over a value that streams by, however large it is: only brackets, quotes and commas matter.

/// A value being skipped across windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skip {
    depth: u32,
    begun: bool,
    quoted: bool,
    escaped: bool,
}

impl Skip {
    /// Goes through `bytes`; where the value ends in them, the position of what follows it.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            if self.escaped {
                self.escaped = false;
            } else if self.quoted {
                match byte {
                    b'\\' => self.escaped = true,
                    b'"' => self.quoted = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.quoted = true,
                    b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                    b'}' | b']' if self.depth == 0 => return Some(at),
                    b'}' | b']' => self.depth -= 1,
                    b',' if self.depth == 0 && self.begun => return Some(at),
                    _ => {}
                }
            }
            self.begun = true;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_at_its_comma_wherever_the_windows_fall() {
        let text = br#"{"a": ["}", "\\\"", 1]}, "next": 1"#;
        let end = text.iter().position(|byte| *byte == b'n').unwrap() - 3;
        for cut in 0..=text.len() {
            let mut skip = Skip::default();
            let found = skip.advance(&text[..cut]).or_else(|| skip.advance(&text[cut..]).map(|at| at + cut));
            assert_eq!(found, Some(end), "cut at {cut}");
        }
    }
}
