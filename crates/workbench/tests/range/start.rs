//! A branch that is new on a server is judged from where it left what the server has.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_testkit::ScratchRepo;
use kforge_workbench::{Silent, verify};

use crate::scratch::{FILE, links, proven, save};

/// As a server's hook asks: inside the repository's own folder, with zeros as the old value.
fn new_branch(repo: &ScratchRepo, end: &str) -> verify::Response {
    let request = verify::Request {
        folder: repo.path().join(".git"),
        target: Some(format!("{}..{end}", "0".repeat(40))),
        require: true,
        ..verify::Request::default()
    };
    verify::run(&request, &Silent).expect("answers")
}

/// Commits on a line of their own, which no branch names afterwards.
fn aside(repo: &ScratchRepo, work: impl Fn()) -> String {
    repo.git(&["checkout", "--quiet", "--detach"]);
    work();
    let end = save(repo, "aside");
    repo.git(&["checkout", "--quiet", "main"]);
    end
}

#[test]
fn a_new_branch_without_its_evidence_is_judged_from_where_it_left_the_others() {
    let repo = proven();
    let stripped = || {
        repo.git(&["rm", "--quiet", "-r", "kernels/rmsnorm/evidence"]);
        repo.write(FILE, b"nobody measured this\n");
    };
    let bad = aside(&repo, stripped);
    assert!(links(&new_branch(&repo, &bad)).contains(&"evidence-removed"));
    // Sharing no commit at all makes no difference.
    let tree = repo.git(&["rev-parse", &format!("{bad}^{{tree}}")]);
    let orphan = repo.git(&["commit-tree", "-m", "orphan", &tree]);
    assert!(links(&new_branch(&repo, &orphan)).contains(&"evidence-removed"));
    // Nor does a HEAD that names a branch that is not there.
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/nowhere"]);
    for end in [&bad, &orphan] {
        assert!(links(&new_branch(&repo, end)).contains(&"evidence-removed"));
    }
}

#[test]
fn a_new_branch_that_changes_nothing_measured_passes_and_so_does_a_first_push() {
    let repo = proven();
    let words = aside(&repo, || repo.write("words.md", b"words\n"));
    assert!(new_branch(&repo, &words).holds);
    let head = repo.head();
    assert!(new_branch(&repo, &head).holds, "another name for what is there");
    repo.git(&["update-ref", "-d", "refs/heads/main"]);
    let answer = new_branch(&repo, &head);
    assert!(answer.holds && answer.checked.len() == 1, "{answer:?}");
}

#[test]
fn in_a_clone_zeros_are_refused_with_the_way_to_ask() {
    let repo = proven();
    let request = verify::Request {
        folder: repo.path(),
        target: Some(format!("{}..HEAD", "0".repeat(40))),
        require: true,
        ..verify::Request::default()
    };
    let error = verify::run(&request, &Silent).expect_err("no such start");
    assert!(error.hint().is_some_and(|hint| hint.contains("main..HEAD")), "{error:?}");
}
