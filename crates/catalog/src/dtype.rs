//! Data types that a kernel's name states. A name that states none gives none; nothing is inferred from tile sizes.

use hashbrown::HashMap;

use serde::Deserialize;

use crate::Error;
use crate::name::KernelName;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DtypesText {
    #[serde(rename = "dtype")]
    dtypes: Vec<DtypeText>,
    /// Tensile's letter codes, the longest first.
    tensile: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DtypeText {
    name: String,
    words: Vec<String>,
    /// A vaguer type that this one makes superfluous (`fp8` beside `fp8-e4m3`).
    refines: Option<String>,
}

/// The words that state a data type.
#[derive(Debug, Default)]
pub(crate) struct Dtypes {
    by_word: HashMap<String, String>,
    /// The length of the longest word of `by_word`, in bytes.
    longest: usize,
    refines: HashMap<String, String>,
    tensile: Vec<(String, String)>,
}

impl Dtypes {
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, Error> {
        let read: DtypesText = toml::from_str(text)
            .map_err(|error| Error::Syntax { file: file.to_owned(), detail: error.to_string() })?;
        let mut this = Self { tensile: read.tensile, ..Self::default() };
        for dtype in read.dtypes {
            for word in dtype.words {
                this.longest = this.longest.max(word.len());
                this.by_word.insert(word, dtype.name.clone());
            }
            if let Some(vague) = dtype.refines {
                this.refines.insert(dtype.name, vague);
            }
        }
        Ok(this)
    }

    /// The types stated by `name`: in the function's name, else in its template arguments, else in its parameters.
    pub(crate) fn of(&self, name: &KernelName) -> Vec<String> {
        if name.function.first().is_some_and(|word| word == "cijk") {
            return self.of_tensile(&name.function);
        }
        let mut found = self.in_words(&name.function);
        if found.is_empty() {
            found = self.in_words(&name.arguments);
        }
        if found.is_empty() {
            found = self.in_words(&name.parameters);
        }
        let vague: Vec<String> = found.iter().filter_map(|dtype| self.refines.get(dtype)).cloned().collect();
        found.retain(|dtype| !vague.contains(dtype));
        found
    }

    fn in_words(&self, words: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for word in words {
            self.in_word(word, &mut found);
        }
        found
    }

    /// Adds the type that `word` states, or the types of a product's operands (`bf16xbf16xmxfp4`).
    fn in_word(&self, word: &str, found: &mut Vec<String>) {
        for operand in self.operands(word).unwrap_or_default() {
            let dtype = &self.by_word[operand];
            if !found.contains(dtype) {
                found.push(dtype.clone());
            }
        }
    }

    /// Cuts `word` at the `x`s between known words; `None` where a piece is unknown.
    ///
    /// Decided from the end of the word towards its beginning, with pieces no longer than the longest known word: the
    /// work grows with the word's length, also for a megabyte of `x` or of `f16x`.
    fn operands<'a>(&self, word: &'a str) -> Option<Vec<&'a str>> {
        if self.by_word.contains_key(word) {
            return Some(vec![word]);
        }
        let cuts: Vec<usize> = word.match_indices('x').map(|(at, _)| at).collect();
        // For the text behind each cut: where its first piece ends; absent where it is no product.
        let mut ends: Vec<Option<usize>> = vec![None; cuts.len()];
        for index in (0..cuts.len()).rev() {
            ends[index] = self.first_piece(word, cuts[index] + 1, &cuts[index + 1..], &ends[index + 1..]);
        }
        let mut end = self.first_piece(word, 0, &cuts, &ends)?;
        let mut operands = vec![&word[..end]];
        while end < word.len() {
            let start = end + 1;
            end = cuts.binary_search(&end).ok().and_then(|index| ends[index])?;
            operands.push(&word[start..end]);
        }
        Some(operands)
    }

    /// Where the first piece of the product at `start` ends: the whole rest where that is known, else the nearest of
    /// the following `cuts` with a known word before it and a product behind it, as `ends` say.
    fn first_piece(&self, word: &str, start: usize, cuts: &[usize], ends: &[Option<usize>]) -> Option<usize> {
        let known = |end: usize| end - start <= self.longest && self.by_word.contains_key(&word[start..end]);
        if known(word.len()) {
            return Some(word.len());
        }
        let near = cuts.iter().zip(ends).take_while(|(cut, _)| **cut - start <= self.longest);
        near.filter(|(_, end)| end.is_some()).map(|(cut, _)| *cut).find(|cut| known(*cut))
    }

    /// `Cijk_Ailk_Bljk_HHS_BH_…`: after the index names come the input type, the output type and the compute type.
    /// `SB`, `S_B`: one type for all, then a flag.
    fn of_tensile(&self, words: &[String]) -> Vec<String> {
        let Some(codes) = words.get(3) else { return Vec::new() };
        let Some((input, rest)) = self.tensile_code(codes) else { return Vec::new() };
        // A lone code means that the output code opens the next field (`F8_BS_BH`), unless that is a flag.
        let next = words.get(4).map_or("", String::as_str);
        let output_field = if rest.is_empty() && next.len() > 1 && next != "bh" { next } else { rest };
        let states_output = rest.len() > 1 || !std::ptr::eq(output_field, rest);
        let output = self.tensile_code(output_field).filter(|_| states_output).map(|(name, _)| name);
        let mut found = vec![input.to_owned()];
        found.extend(output.filter(|output| *output != input).map(str::to_owned));
        found
    }

    fn tensile_code<'a>(&self, text: &'a str) -> Option<(&str, &'a str)> {
        self.tensile
            .iter()
            .find_map(|(code, name)| text.strip_prefix(code.as_str()).map(|rest| (name.as_str(), rest)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Dtypes;
    use crate::builtin;

    /// The definition read aloud: a known word, or a known word, an `x` and a product.
    fn slow<'a>(dtypes: &Dtypes, word: &'a str) -> Option<Vec<&'a str>> {
        if dtypes.by_word.contains_key(word) {
            return Some(vec![word]);
        }
        word.match_indices('x').find_map(|(at, _)| {
            let rest = dtypes.by_word.contains_key(&word[..at]).then(|| slow(dtypes, &word[at + 1..]))??;
            Some(std::iter::once(&word[..at]).chain(rest).collect())
        })
    }

    #[test]
    fn a_word_of_megabytes_is_cut_into_its_operands() {
        let dtypes = Dtypes::read("dtypes", builtin::DTYPES).unwrap();
        assert_eq!(dtypes.operands(&"x".repeat(5_000_000)), None);
        let product = format!("{}f16", "f16x".repeat(1_000_000));
        assert_eq!(dtypes.operands(&product).map(|operands| operands.len()), Some(1_000_001));
        assert_eq!(dtypes.operands(&format!("{product}y")), None);
    }

    proptest! {
        #[test]
        fn operands_are_those_of_the_definition(pieces in prop::collection::vec("bf16|f16|mxfp4|fp8|x|mx|q", 0..8)) {
            let dtypes = Dtypes::read("dtypes", builtin::DTYPES).unwrap();
            for word in [pieces.join("x"), pieces.concat()] {
                prop_assert_eq!(dtypes.operands(&word), slow(&dtypes, &word));
            }
        }
    }
}
