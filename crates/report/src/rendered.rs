//! What rendering gives back: a text whose last line is complete.

/// A rendered answer, ready for stdout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The bytes for stdout, ending in a newline.
    pub text: String,
}

impl Rendered {
    /// Wraps a text, making sure that it ends in exactly one newline.
    pub fn new(mut text: String) -> Self {
        while text.ends_with('\n') {
            text.pop();
        }
        text.push('\n');
        Self { text }
    }
}
