//! The one door through which the date enters evidence.

/// Now, RFC 3339 in UTC, whole seconds.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// So long after now, in the same form.
pub(super) fn after(length: std::time::Duration) -> String {
    let then = jiff::Timestamp::now().saturating_add(length).unwrap_or(jiff::Timestamp::MAX);
    then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
