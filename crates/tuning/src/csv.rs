//! Records of a CSV text with their places.
//!
//! Quotes hold commas and doubled quotes, as RFC 4180 says, but no line break: a quote that is not closed ends with its line, so that a
//! stray one cannot swallow the rows after it.

/// One line of the text.
pub(crate) struct Record {
    pub line: usize,
    pub byte: usize,
    pub cells: Vec<String>,
    pub blank: bool,
    pub carriage_return: bool,
}

/// All lines of the text.
pub(crate) fn records(text: &str) -> Vec<Record> {
    let mut byte = 0;
    let mut records = Vec::new();
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let plain = line.strip_suffix('\r').unwrap_or(line);
        records.push(Record {
            line: index + 1,
            byte,
            cells: cells(plain),
            blank: plain.trim().is_empty(),
            carriage_return: plain.len() < line.len(),
        });
        byte += whole.len();
    }
    records
}

fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_places_and_quotes_their_commas() {
        let records = records("a,b\r\n\n\"x,\"\"y\",2");
        let places: Vec<_> = records.iter().map(|record| (record.line, record.byte)).collect();
        assert_eq!(places, [(1, 0), (2, 5), (3, 6)]);
        assert_eq!(records[2].cells, ["x,\"y", "2"]);
        assert!(records[0].carriage_return && records[1].blank);
    }
}
