//! Python source lines, as frames name them: `file(line): function`.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A handle of a source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

impl SourceId {
    /// The row as an index into its table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in a Python file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The file as the capture names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
}

impl SourceLine {
    /// Reads `file(line): function`; `None` where the text is not of that form (a builtin, a module marker).
    pub fn parse(text: &str) -> Option<Self> {
        let (place, function) = text.rsplit_once("): ")?;
        let (file, line) = place.rsplit_once('(')?;
        let line = line.parse().ok()?;
        if file.is_empty() {
            return None;
        }
        Some(Self { file: file.to_owned(), line, function: function.to_owned() })
    }
}

/// The distinct source lines of a trace.
#[derive(Debug, Default)]
pub struct Sources {
    rows: Vec<SourceLine>,
    known: HashMap<SourceLine, u32, FixedState>,
}

impl Sources {
    pub(crate) fn intern(&mut self, line: SourceLine) -> SourceId {
        if let Some(found) = self.known.get(&line) {
            return SourceId(*found);
        }
        let index = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.known.insert(line.clone(), index);
        self.rows.push(line);
        SourceId(index)
    }

    /// The line of a handle.
    pub fn get(&self, id: SourceId) -> &SourceLine {
        &self.rows[id.index()]
    }

    /// The number of distinct lines.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_name_is_file_line_function() {
        let line = SourceLine::parse("torch/nn/modules/module.py(1783): _call_impl").unwrap();
        assert_eq!(
            (line.file.as_str(), line.line, line.function.as_str()),
            ("torch/nn/modules/module.py", 1783, "_call_impl")
        );
        let odd = SourceLine::parse("/a (b)/c.py(3): <lambda>").unwrap();
        assert_eq!((odd.file.as_str(), odd.line), ("/a (b)/c.py", 3));
        assert_eq!(SourceLine::parse("<built-in method embedding of type object at 0x7fd5>"), None);
        assert_eq!(SourceLine::parse("nn.Module: LlamaModel_0"), None);
    }
}
