//! Which fields of evidence nothing recomputes.
//!
//! Every other field, changed alone or together with all digests that cover it, makes `audit` refuse. The fields
//! below are statements of whoever measured: a digest covers each of them, so that an edit of the file is seen,
//! but a forger who refreshes the digests can state something else. `kforge verify --unbound` prints this table.

/// A field that only a digest covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// The field's path; `*` stands for any one part, a final `**` for any parts.
    pub path: &'static str,
    /// What it states and why nothing else in the file can confirm it.
    pub why: &'static str,
}

const fn unbound(path: &'static str, why: &'static str) -> Unbound {
    Unbound { path, why }
}

/// Every field that only a digest covers, sorted by path.
pub const UNBOUND: &[Unbound] = &[unbound("facts.todo", "placeholder")];

/// Whether the field at this path (parts joined by `.`, list positions as numbers) is in the table.
pub fn is_unbound(path: &str) -> bool {
    UNBOUND.iter().any(|field| matches_pattern(field.path, path))
}

fn matches_pattern(pattern: &str, path: &str) -> bool {
    let mut wanted = pattern.split('.');
    let mut parts = path.split('.');
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) | (Some("**"), _) => return true,
            (Some(want), Some(part)) if want == "*" || want == part => {}
            _ => return false,
        }
    }
}
