//! Cuts identifiers into lower-case words, so that `topkGatingSoftmax`, `topk_gating_softmax` and
//! `TopKGatingSoftmax` read the same and a rule never matches inside a word by accident.

use hashbrown::HashMap;

/// Pairs and triples of words that are one notion (`layer norm` → `layernorm`), so that every spelling meets in one word.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    by_first: HashMap<String, Vec<Vec<String>>>,
}

impl Joins {
    /// Builds the table; each entry is words separated by spaces. Longer entries win over shorter ones.
    pub(crate) fn new(entries: &[String]) -> Self {
        let mut by_first: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        for entry in entries {
            let mut parts = entry.split(' ').map(str::to_owned);
            if let Some(first) = parts.next() {
                by_first.entry(first).or_default().push(parts.collect());
            }
        }
        for tails in by_first.values_mut() {
            tails.sort_by_key(|tail| std::cmp::Reverse(tail.len()));
        }
        Self { by_first }
    }

    /// Replaces every joined run by its single word, in place and in one pass.
    pub(crate) fn apply(&self, words: &mut Vec<String>) {
        let mut left = std::mem::take(words);
        let (mut at, total) = (0, left.len());
        words.reserve(total);
        while at < total {
            let run = self.by_first.get(&left[at]).and_then(|tails| {
                tails.iter().find(|tail| left.get(at + 1..=at + tail.len()) == Some(tail.as_slice()))
            });
            let mut word = std::mem::take(&mut left[at]);
            for part in run.into_iter().flatten() {
                word.push_str(part);
            }
            words.push(word);
            at += 1 + run.map_or(0, Vec::len);
        }
    }
}

/// Appends the words of `text`: cut at everything that is not a letter or digit, and between the humps of camel case.
pub(crate) fn split(text: &str, out: &mut Vec<String>) {
    for run in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        split_humps(run, out);
    }
}

/// `aB` and `4B` are cuts, and so is the last capital of a run before a small letter (`KVCache` → `kv`, `cache`).
/// Small letters and digits stay together (`bf16`, `s16816gemm`).
fn split_humps(run: &str, out: &mut Vec<String>) {
    let bytes = run.as_bytes();
    let mut start = 0;
    for at in 1..bytes.len() {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let hump = here.is_ascii_uppercase() && !before.is_ascii_uppercase();
        let run_ends = here.is_ascii_uppercase()
            && before.is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if hump || run_ends {
            out.push(run[start..at].to_ascii_lowercase());
            start = at;
        }
    }
    if start < run.len() {
        out.push(run[start..].to_ascii_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::{Joins, split};

    fn words(text: &str) -> String {
        let mut out = Vec::new();
        split(text, &mut out);
        Joins::new(&["top k".into(), "kv cache".into(), "mo e".into(), "soft max".into()]).apply(&mut out);
        out.join(" ")
    }

    #[test]
    fn spellings_of_one_notion_meet() {
        assert_eq!(words("topkGatingSoftmax"), "topk gating softmax");
        assert_eq!(words("TopKGatingSoftMax"), "topk gating softmax");
        assert_eq!(words("Fp8KVCacheDataType"), "fp8 kvcache data type");
        assert_eq!(words("MoESorting"), "moe sorting");
    }

    #[test]
    fn letters_and_digits_stay_together() {
        assert_eq!(words("ampere_bf16_s16816gemm_nn"), "ampere bf16 s16816gemm nn");
        assert_eq!(words("winogradForwardData4x4"), "winograd forward data4x4");
    }

    #[test]
    fn text_beyond_ascii_is_a_cut_and_no_panic() {
        assert_eq!(words("é_softmaxλKernel"), "softmax kernel");
    }
}
