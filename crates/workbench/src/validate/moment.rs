//! The one door through which the date enters evidence.

/// Now, RFC 3339 in UTC, whole seconds.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
