//! Architectures as compilers and drivers write them, in one spelling: `gfx942`, `sm_90`.

/// The architecture in `text`: `gfx942:sramecc+:xnack-`, `amdgcn-amd-amdhsa--gfx942`, `sm_90a`, `compute_90`, `9.0`, `90`.
/// `None` where it is none of these.
pub(crate) fn normal(text: &str) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let target = lower.rsplit("--").next().unwrap_or_default();
    let base = target.split(':').next().unwrap_or_default();
    if let Some(number) = base.strip_prefix("gfx") {
        let hex = !number.is_empty() && number.chars().all(|c| c.is_ascii_hexdigit());
        return hex.then(|| base.to_owned());
    }
    let number = base.strip_prefix("sm_").or_else(|| base.strip_prefix("compute_")).unwrap_or(base);
    let number = number.strip_suffix(['a', 'f']).unwrap_or(number);
    let digits = match number.split_once('.') {
        Some((major, minor)) if minor.len() == 1 => format!("{major}{minor}"),
        Some(_) => return None,
        None => number.to_owned(),
    };
    let plausible = (2..=3).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit());
    plausible.then(|| format!("sm_{digits}"))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn spellings_of_one_architecture_meet() {
        for text in
            ["gfx942", "gfx942:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", " GFX942 "]
        {
            assert_eq!(normal(text).as_deref(), Some("gfx942"), "{text}");
        }
        for text in ["sm_90", "sm_90a", "compute_90", "9.0", "90"] {
            assert_eq!(normal(text).as_deref(), Some("sm_90"), "{text}");
        }
        assert_eq!(normal("10.0").as_deref(), Some("sm_100"));
        assert_eq!(normal("gfx90a").as_deref(), Some("gfx90a"));
    }

    #[test]
    fn other_text_is_no_architecture() {
        for text in ["", "gfx", "sm_", "x86-64", "9", "9.00", "1.2.3", "hopper", "gfx942x", "é.0"] {
            assert_eq!(normal(text), None, "{text}");
        }
    }
}
