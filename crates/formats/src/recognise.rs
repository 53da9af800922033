//! What a file that is no capture looks like, so that the refusal says more than "no".

/// What the content looks like, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Likeness {
    /// A noun phrase, such as `a Git LFS pointer`.
    pub looks_like: String,
    /// What to do.
    pub cure: String,
}

fn likeness(looks_like: impl Into<String>, cure: &str) -> Likeness {
    Likeness { looks_like: looks_like.into(), cure: cure.to_owned() }
}

const WANTED: &str = "give a PyTorch profiler trace: the .json or .json.gz that export_chrome_trace wrote";

/// Content signatures of binary files: first bytes, what it is, what to do.
const SIGNATURES: [(&[u8], &str, &str); 7] = [
    (b"SQLite format 3\0", "an SQLite database (an Nsight Systems or rocpd export)", WANTED),
    (b"PK\x03\x04", "a zip archive (a workbook or .npz)", "unpack it and give the capture inside"),
    (b"\x7fELF", "an ELF file (a library or code object)", WANTED),
    (b"\x28\xb5\x2f\xfd", "zstd-packed data", "unpack it with zstd -d first"),
    (b"\xfd7zXZ\0", "xz-packed data", "unpack it with xz -d first"),
    (b"BZh", "bzip2-packed data", "unpack it with bunzip2 first"),
    (b"\x1f\x8b", "gzip inside gzip", "unpack it once with gzip -d and try again"),
];

/// Recognises the beginning of a text that is not JSON at all.
pub(crate) fn foreign_text(head: &[u8]) -> Likeness {
    let solid = head.trim_ascii();
    if solid.is_empty() {
        return likeness(
            "an empty file",
            "take the capture again and wait until the profiler has written it out",
        );
    }
    if let Some((_, what, cure)) = SIGNATURES.iter().find(|(magic, _, _)| head.starts_with(magic)) {
        return likeness(*what, cure);
    }
    if solid.starts_with(b"version https://git-lfs.github.com/spec/") {
        return likeness(
            "a Git LFS pointer, not the file it points to",
            "fetch the content with git lfs pull",
        );
    }
    if solid.starts_with(b"<") {
        return likeness("HTML or XML", "a download may have saved an error page; fetch the file again");
    }
    if solid.iter().any(|byte| *byte == 0 || (*byte < 0x20 && !byte.is_ascii_whitespace())) {
        let bytes: Vec<String> = head.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        return likeness(format!("binary data that begins with {}", bytes.join(" ")), WANTED);
    }
    let lines: Vec<&[u8]> = solid.split(|byte| *byte == b'\n').collect();
    if lines.len() == 1 && solid.len() < 4096 && solid.contains(&b'/') && !solid.contains(&b',') {
        return likeness(
            "the text of a symbolic link (one path and nothing else)",
            "follow the link: give the file that it names",
        );
    }
    if lines[0].split(|byte| *byte == b',').count() > 2 {
        return likeness(
            format!("comma-separated values that begin with {:?}", beginning(lines[0])),
            "a CSV export is not a timeline; give the trace that the profiler wrote beside it",
        );
    }
    likeness(format!("text that begins with {:?}", beginning(lines[0])), WANTED)
}

/// Recognises a JSON document whose top-level keys hold no events.
pub(crate) fn foreign_object(keys: &[String]) -> Likeness {
    let has = |key: &str| keys.iter().any(|known| known == key);
    if has("nodes") && (has("schema") || has("start_ts")) {
        return likeness(
            "a PyTorch execution trace (a graph of ops without times)",
            "give the profiler trace that was taken with it; its file has traceEvents",
        );
    }
    if has("workload_graph") || has("ngpus") {
        return likeness("a Chakra workload description", WANTED);
    }
    if has("traceEvents") {
        return likeness("a JSON object whose traceEvents holds no events", WANTED);
    }
    if keys.is_empty() {
        return likeness("a JSON object without keys", WANTED);
    }
    let shown: Vec<&str> = keys.iter().take(6).map(String::as_str).collect();
    likeness(format!("a JSON object without traceEvents (its keys: {})", shown.join(", ")), WANTED)
}

/// Recognises a JSON array whose elements are no events, by its first bytes.
pub(crate) fn foreign_array(head: &[u8]) -> Likeness {
    let solid = head.trim_ascii_start();
    let inside = solid.strip_prefix(b"[").unwrap_or(solid).trim_ascii_start();
    match inside.first() {
        Some(b'[') => likeness(
            "a list of lists (a memory timeline)",
            "a memory timeline has no kernels; give the profiler trace",
        ),
        Some(b'{') => likeness("a list of objects that are no trace events (none has \"ph\")", WANTED),
        _ => likeness("a JSON list without trace events", WANTED),
    }
}

fn beginning(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(48).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_mistakes_are_named() {
        let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";
        assert!(foreign_text(lfs).looks_like.contains("LFS"));
        assert!(foreign_text(b" \n").looks_like.contains("empty"));
        assert!(foreign_text(b"<!DOCTYPE html>").looks_like.contains("HTML"));
        assert!(foreign_text(b"/shared/run/trace.json.gz").looks_like.contains("symbolic link"));
        assert!(foreign_text(b"Kind,Agent_Id,Queue_Id\n1,2,3\n").looks_like.contains("comma"));
        assert!(foreign_text(b"\n\x9d\xb2\x08\x12").looks_like.contains("0a 9d b2 08"));
        let keys = ["schema", "pid", "nodes"].map(str::to_owned);
        assert!(foreign_object(&keys).looks_like.contains("execution trace"));
        assert!(foreign_array(b"[[1, 2], [3]]").looks_like.contains("memory timeline"));
    }
}
