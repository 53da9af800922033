//! Verbs that a repository's hooks may not call while `kforge commit` runs them: it holds the ledger, and both would wait for ever.
//!
//! Invariant: only what waits for the ledger is refused; a hook may verify, and ask about history.

use crate::error::Error;

/// Set for the hooks that `kforge commit` runs.
pub(crate) const MARK: &str = "KFORGE_COMMITTING";

/// Refuses where a hook of `kforge commit` calls this verb.
///
/// # Errors
/// [`Error::Usage`] with the cure.
pub(crate) fn refuse(verb: &str) -> Result<(), Error> {
    refuse_if(std::env::var_os(MARK).is_some(), verb)
}

fn refuse_if(inside: bool, verb: &str) -> Result<(), Error> {
    if !inside {
        return Ok(());
    }
    Err(Error::Usage {
        message: format!(
            "`kforge {verb}` was called by a hook that `kforge commit` runs, and would wait for that commit"
        ),
        hint: Some("measure and record before committing; a hook can ask `kforge verify`".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_that_would_wait_for_its_own_commit_is_refused() {
        assert!(refuse_if(false, "record").is_ok());
        assert!(refuse_if(true, "record").unwrap_err().to_string().contains("`kforge record`"));
    }
}
