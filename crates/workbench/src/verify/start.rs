//! Where a range starts: at the commit where its two lines parted, at a tree that has no history, or, for a branch that is new on a
//! server, where it left what the server has.
//!
//! Git's hooks name a new branch's old value by zeros. To take that for "before everything" would let a branch without evidence through
//! as if nothing had ever been measured; only where a server has no branch at all there is nothing before.

use super::verb::missing;
use crate::Error;
use crate::git::Git;

/// The commit or tree that a range `from..end` is compared with.
pub(super) fn of(git: &Git, from: &str, end: &str) -> Result<String, Error> {
    let zeros = from.len() >= 40 && from.bytes().all(|byte| byte == b'0');
    // In a clone the new branch is itself among the branches, so that nothing would be new.
    if zeros && git.top == git.folder {
        return new_branch(git, end);
    }
    let start = if from.is_empty() { "HEAD" } else { from };
    match git.commit(start)? {
        Some(start) => Ok(parted(git, &[start.as_str()], end)?.unwrap_or(start)),
        None => tree_of(git, start, zeros),
    }
}

/// The newest commit that a line shares with others.
fn parted(git: &Git, others: &[&str], end: &str) -> Result<Option<String>, Error> {
    git.call(["merge-base", end].iter().chain(others).copied()).maybe()
}

/// Where a new branch left the server's own, or any other; a line that shares nothing is compared with what the server has, and one
/// on a server that has nothing with nothing.
fn new_branch(git: &Git, end: &str) -> Result<String, Error> {
    let own = git.commit("HEAD")?;
    if let Some(own) = &own
        && let Some(start) = parted(git, &[own.as_str()], end)?
    {
        return Ok(start);
    }
    let words = ["for-each-ref", "--sort=-committerdate", "--format=%(objectname)", "refs/heads"];
    let listed = git.call(words).text()?;
    let heads: Vec<&str> = listed.lines().collect();
    if !heads.is_empty()
        && let Some(start) = parted(git, &heads, end)?
    {
        return Ok(start);
    }
    match own.or_else(|| heads.first().map(|&head| head.to_owned())) {
        Some(head) => Ok(head),
        None => git.empty_tree(),
    }
}

/// A start that is a tree instead of a commit: the empty one, before everything.
fn tree_of(git: &Git, start: &str, zeros: bool) -> Result<String, Error> {
    // Of a whole id alone git would not ask whether it has it.
    let spec = format!("{start}^{{tree}}");
    if let Some(tree) = git.call(["rev-parse", "--verify", "--quiet", "--end-of-options", &spec]).maybe()? {
        return Ok(tree);
    }
    let message = format!("`{start}` names nothing");
    let cure = if zeros {
        "zeros are a new branch on a server; here name the branch that it left: `kforge verify main..HEAD`"
    } else {
        "give a range A..B"
    };
    Err(Error::Usage { message, hint: Some(missing(git, cure)?) })
}
