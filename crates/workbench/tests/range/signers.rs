//! Whose signatures count is said by the list where a range starts; a list that comes with a win vouches for nobody.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::path::Path;
use std::process::Command;

use kforge_testkit::{SampleExperiment, ScratchRepo};
use kforge_workbench::{Silent, record, verify};

use crate::scratch::{asked, codes, commit, gate, links, sample, save, store};

const LIST: &str = "keys/list";

/// A key, and its line in a list of allowed signers under a name; absent where the tool is.
fn key(folder: &Path, file: &str, name: &str) -> Option<(String, String)> {
    let path = folder.join(file).display().to_string();
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", &path]).status();
    made.ok()?.success().then_some(())?;
    let public = std::fs::read_to_string(format!("{path}.pub")).ok()?;
    Some((path, format!("{name} {public}")))
}

/// The candidate's file with evidence that `key` signed, committed.
fn signed_win(repo: &ScratchRepo, key: &str) {
    for (path, bytes) in &sample().files {
        repo.write(path, bytes);
    }
    store(repo, &sample());
    let request = record::Request {
        folder: repo.path(),
        sign: Some(key.into()),
        target: Some("rmsnorm".to_owned()),
        ..record::Request::default()
    };
    record::run(&request, &Silent).expect("records");
    commit(repo);
}

fn level(answer: &verify::Response) -> &str {
    answer.level.as_deref().unwrap_or_default()
}

#[test]
fn a_list_of_signers_that_comes_with_a_win_vouches_for_nobody() {
    let keys = tempfile::tempdir().expect("a folder");
    let Some((_, alice)) = key(keys.path(), "a", "alice") else { return };
    let Some((mallory, forged)) = key(keys.path(), "m", "alice") else { return };
    let start = |repo: &ScratchRepo| {
        repo.write("kforge.toml", b"[verify]\nallowed_signers = \"keys/list\"\n");
        repo.write(LIST, alice.as_bytes());
        save(repo, "the list")
    };
    // The file itself, a link in its place, and a link that leads to it.
    for link in ["", LIST, "keys"] {
        let repo = ScratchRepo::with_files(&sample().baseline);
        let start = start(&repo);
        match link {
            "" => repo.write(LIST, forged.as_bytes()),
            LIST => {
                repo.write("keys/mine", forged.as_bytes());
                std::fs::remove_file(repo.path().join(LIST)).expect("removes");
                std::os::unix::fs::symlink("mine", repo.path().join(LIST)).expect("links");
            }
            _ => {
                repo.write("mine/list", forged.as_bytes());
                std::fs::remove_dir_all(repo.path().join("keys")).expect("removes");
                std::os::unix::fs::symlink("mine", repo.path().join("keys")).expect("links");
            }
        }
        // In the working tree alone: the list is not the one of the start.
        assert_eq!(links(&gate(&repo, &format!("{start}..HEAD"))), ["settings-changed"], "on disk {link}");
        let changed = save(&repo, "my list");
        signed_win(&repo, &mallory);
        let range = format!("{start}..HEAD");
        let answer = gate(&repo, &range);
        assert_eq!(links(&answer), ["settings-changed"], "{link}: {answer:?}");
        assert!(answer.broken[0].message.contains("keys"), "{answer:?}");
        let answer = asked(&repo, &range, false);
        assert!(level(&answer).starts_with("consistent, signed by unlisted key"), "{link}: {answer:?}");
        assert!(codes(&answer).contains(&"verify.signers-changed"), "{answer:?}");
        // Once a person has let it through, it is the list.
        let answer = gate(&repo, &format!("{changed}..HEAD"));
        assert_eq!(level(&answer), "consistent, signed by alice (listed in keys/list)", "{answer:?}");
        // Also where a link that stayed the same leads elsewhere.
        let mine = if link.is_empty() {
            LIST
        } else if link == LIST {
            "keys/mine"
        } else {
            "mine/list"
        };
        let start = repo.head();
        repo.write(mine, b"");
        save(&repo, "nobody's");
        assert_eq!(links(&gate(&repo, &format!("{start}..HEAD"))), ["settings-changed"], "{mine}");
    }
}

#[test]
fn a_first_push_that_brings_its_list_is_signed_by_an_unlisted_key() {
    let keys = tempfile::tempdir().expect("a folder");
    let Some((alice, line)) = key(keys.path(), "a", "alice") else { return };
    let repo = ScratchRepo::with_files(&SampleExperiment::new("rmsnorm", "vec").baseline);
    repo.write("kforge.toml", b"[verify]\nallowed_signers = \"keys/list\"\n");
    repo.write(LIST, line.as_bytes());
    save(&repo, "the list");
    signed_win(&repo, &alice);
    let empty = repo.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let answer = gate(&repo, &format!("{empty}..HEAD"));
    assert!(answer.holds, "{answer:?}");
    assert!(level(&answer).starts_with("consistent, signed by unlisted key"), "{answer:?}");
}

#[test]
fn a_list_that_git_does_not_know_is_the_machine_s_own() {
    let keys = tempfile::tempdir().expect("a folder");
    let Some((alice, line)) = key(keys.path(), "a", "alice") else { return };
    std::fs::write(keys.path().join("list"), &line).expect("writes");
    let repo = ScratchRepo::with_files(&sample().baseline);
    let list = keys.path().join("list").display().to_string();
    repo.write("kforge.toml", format!("[verify]\nallowed_signers = \"{list}\"\n").as_bytes());
    let start = save(&repo, "a list elsewhere");
    signed_win(&repo, &alice);
    let answer = gate(&repo, &format!("{start}..HEAD"));
    assert!(level(&answer).starts_with("consistent, signed by alice"), "{answer:?}");
}
