//! JSON with places: which line and byte each member stands at, members in their order, doubled ones kept.
//!
//! Strict where JSON is; nesting is bounded, so that no text can take the stack.

use crate::Error;

const DEEPEST: usize = 32;

/// A value; of scalars only the text is of interest.
#[derive(Debug)]
pub(crate) enum Value {
    Scalar(String),
    List(Vec<Value>),
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub name: String,
    pub line: usize,
    pub byte: usize,
    pub value: Value,
}

impl Value {
    /// The value as the text of a cell.
    pub(crate) fn cell(&self) -> String {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::cell).collect::<Vec<_>>().join(", "))
            }
            Self::Object(members) => {
                let parts = members.iter().map(|member| format!("{}={}", member.name, member.value.cell()));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Reads one document.
pub(crate) fn parse(file: &str, text: &str) -> Result<Value, Error> {
    let mut reader = Reader { file, text, at: 0, line: 1 };
    let value = reader.value(0)?;
    reader.space();
    if reader.at < text.len() { Err(reader.fault("nothing more")) } else { Ok(value) }
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &'static str) -> Error {
        Error::Json { file: self.file.to_owned(), line: self.line, byte: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek() {
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        if depth > DEEPEST {
            return Err(self.fault("fewer levels"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::Scalar),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let (line, byte) = (self.line, self.at);
            let name = self.string()?;
            if !self.take(b':') {
                return Err(self.fault("a colon is expected"));
            }
            let value = self.value(depth + 1)?;
            members.push(Member { name, line, byte, value });
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a brace is expected"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut values = Vec::new();
        if self.take(b']') {
            return Ok(Value::List(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::List(values));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a bracket is expected"));
            }
        }
    }

    /// Escapes are kept as written: keys and values of these tables have none.
    fn string(&mut self) -> Result<String, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a string is expected"));
        }
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = self.text.as_bytes().get(end) {
            match byte {
                b'"' => {
                    self.at = end + 1;
                    return Ok(self.text.get(start..end).unwrap_or_default().to_owned());
                }
                b'\\' => end += 2,
                b'\n' => break,
                _ => end += 1,
            }
        }
        Err(self.fault("the string does not end in its line"))
    }

    fn word(&mut self) -> Result<Value, Error> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if !number && !matches!(word, "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity") {
            return Err(self.fault("a value is expected"));
        }
        self.at += length;
        Ok(Value::Scalar(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_places_and_doubled_ones_stay() {
        let Ok(Value::Object(members)) = parse("f", "{\n \"1\": {\"a\": 2},\n \"1\": [null]\n}") else {
            panic!()
        };
        let places: Vec<_> =
            members.iter().map(|member| (member.name.as_str(), member.line, member.byte)).collect();
        assert_eq!(places, [("1", 2, 3), ("1", 3, 19)]);
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, line) in [
            ("{\n\"a\" 1}", 2),
            ("", 1),
            ("{\"a\n\":1}", 1),
            ("[1 2]", 1),
            ("{} x", 1),
            ("[nope]", 1),
            ("\"\\", 1),
        ] {
            assert!(matches!(parse("f", text), Err(Error::Json { line: at, .. }) if at == line), "{text}");
        }
        assert!(parse("f", &"[".repeat(100_000)).is_err());
    }
}
