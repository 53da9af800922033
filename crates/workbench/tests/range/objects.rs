//! Replacement refs and grafts show other objects under the same id; a gate looks at the objects as they are.

use crate::scratch::{FILE, gate, links, proven, save};

#[test]
fn a_replacement_ref_hides_no_commit_tree_or_blob() {
    let repo = proven();
    let good = repo.head();
    repo.write(FILE, b"nobody measured this\n");
    let bad = save(&repo, "bad");
    let range = format!("{good}..{bad}");
    assert_eq!(links(&gate(&repo, &range)), ["subject-differs"]);
    let tree = format!("{good}^{{tree}}");
    let clean = repo.git(&["commit-tree", "-p", &good, "-m", "clean", &tree]);
    let of =
        |commit: &str, what: &str| repo.git(&["rev-parse", &format!("{commit}{what}")]).trim().to_owned();
    let blob = format!(":{FILE}");
    for (hidden, shown) in [
        (bad.clone(), clean.trim().to_owned()),
        (of(&bad, "^{tree}"), of(&good, "^{tree}")),
        (of(&bad, &blob), of(&good, &blob)),
    ] {
        repo.git(&["replace", &hidden, &shown]);
        assert_eq!(links(&gate(&repo, &range)), ["subject-differs"], "{hidden} replaced");
        repo.git(&["replace", "--delete", &hidden]);
    }
}

#[test]
fn a_graft_gives_no_commit_another_parent() {
    let repo = proven();
    let good = repo.head();
    let other = save(&repo, "the other line");
    repo.git(&["checkout", "--quiet", "--detach", &good]);
    repo.write(FILE, b"nobody measured this\n");
    let bad = save(&repo, "bad");
    repo.write(".git/info/grafts", format!("{other} {good} {bad}\n").as_bytes());
    // With the graft, the two lines would have parted at the bad commit.
    assert_eq!(links(&gate(&repo, &format!("{other}..{bad}"))), ["subject-differs"]);
}
