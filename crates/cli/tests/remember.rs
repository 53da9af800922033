//! The gate through the binary: hooks, pushes, signatures, exit codes.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use std::path::Path;
use std::process::{Command, Output};

use kforge_ledger::Ledger;
use kforge_testkit::{SampleExperiment, ScratchRepo, command};
use serde_json::Value;

const FILE: &str = "kernels/rmsnorm/rmsnorm.c";

fn kforge(folder: &Path, arguments: &[&str]) -> Output {
    command(env!("CARGO_BIN_EXE_kforge"), folder).args(arguments).output().expect("runs")
}

fn json(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = kforge(folder, &[arguments, &["--format", "json"]].concat());
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("one JSON document"))
}

/// A repository at the baseline with a proven candidate in its working tree.
fn proven() -> ScratchRepo {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let repo = ScratchRepo::with_files(&sample.baseline);
    for (path, bytes) in &sample.files {
        repo.write(path, bytes);
    }
    Ledger::open(repo.path()).expect("opens").put_evidence(&sample.seal().expect("seals")).expect("stores");
    repo
}

#[test]
fn exit_codes_and_schemas_say_yes_no_and_why() {
    let repo = proven();
    let (code, answer) = json(&repo.path(), &["record", "rmsnorm", "--tag", "vec", "--what", "wider loads"]);
    assert_eq!((code, answer["schema"].as_str()), (Some(0), Some("kforge.record/1")));
    let (code, answer) = json(&repo.path(), &["history", "wider", "loads"]);
    assert_eq!((code, answer["data"]["rows"][0]["verdict"].as_str()), (Some(0), Some("faster")));
    let (code, answer) = json(&repo.path(), &["commit", "rmsnorm"]);
    assert_eq!((code, answer["data"]["committed"]["op"].as_str()), (Some(0), Some("rmsnorm")), "{answer}");
    let (code, answer) = json(&repo.path(), &["verify"]);
    assert_eq!((code, answer["data"]["level"].as_str()), (Some(0), Some("consistent, unsigned")), "{answer}");
    let id = answer["data"]["checked"][0]["evidence"].as_str().expect("an id").to_owned();
    for digits in [4, 7, 64] {
        let (code, answer) = json(&repo.path(), &["verify", id.get(..digits).expect("digits")]);
        assert_eq!(code, Some(0), "{answer}");
        assert_eq!(answer["data"]["target"].as_str(), Some(format!("evidence {id}").as_str()));
    }
    repo.write(FILE, b"int edited;\n");
    let (code, answer) = json(&repo.path(), &["commit", "rmsnorm"]);
    assert_eq!((code, answer["data"]["refused"]["link"].as_str()), (Some(1), Some("subject-differs")));
    let (code, _) = json(&repo.path(), &["verify", "no-such-revision"]);
    assert_eq!(code, Some(2));
    let (code, answer) = json(&repo.path(), &["history", "--verdict", "great"]);
    assert_eq!((code, answer["ok"].as_bool()), (Some(2), Some(false)));
    let (code, _) = json(&repo.path(), &["record", "no-such-op"]);
    assert_eq!(code, Some(3));
}

#[test]
fn the_push_gate_keeps_the_user_s_hook_and_stops_what_was_edited() {
    let repo = proven();
    let remote = tempfile::tempdir().expect("a folder");
    let url = remote.path().display().to_string();
    repo.git(&["init", "--quiet", "--bare", &url]);
    repo.git(&["remote", "add", "origin", &url]);
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.hook("pre-push", "#!/bin/sh\ncat > seen-by-my-hook\n");
    assert!(kforge(&repo.path(), &["hooks", "install"]).status.success());
    let (_, again) = json(&repo.path(), &["hooks", "install"]);
    assert_eq!(again["data"]["hooks"][0]["state"].as_str(), Some("unchanged"));

    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    let push = repo.try_git(&["push", "origin", "main"]);
    assert!(push.status.success(), "{}", String::from_utf8_lossy(&push.stderr));
    assert!(
        String::from_utf8(repo.read("seen-by-my-hook")).expect("text").contains("refs/heads/main"),
        "it ran first"
    );

    repo.git(&["checkout", "--quiet", "-b", "work"]);
    repo.write("words.md", b"words\n");
    repo.git(&["add", "words.md"]);
    repo.git(&["commit", "--quiet", "-m", "words"]);
    let push = repo.try_git(&["push", "origin", "work"]);
    assert!(push.status.success(), "a new branch: {}", String::from_utf8_lossy(&push.stderr));

    repo.write(FILE, b"int edited;\n");
    repo.git(&["commit", "--quiet", "-am", "unproven"]);
    assert!(!repo.try_git(&["push", "origin", "work"]).status.success(), "the gate holds");
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    assert!(!repo.try_git(&["push", "origin", "other"]).status.success(), "also for a new branch");

    assert!(kforge(&repo.path(), &["hooks", "remove"]).status.success());
    assert_eq!(
        repo.read(".git/hooks/pre-push"),
        b"#!/bin/sh\ncat > seen-by-my-hook\n",
        "the user's hook is back"
    );
    assert!(repo.try_git(&["push", "origin", "work"]).status.success());
}

fn loser() -> SampleExperiment {
    SampleExperiment {
        files: vec![("kernels/rmsnorm/slow.c".to_owned(), b"int slow;\n".to_vec())],
        percent: 130,
        started_at: "2026-04-01T10:00:00Z".to_owned(),
        ..SampleExperiment::new("rmsnorm", "slow")
    }
}

fn bare() -> (tempfile::TempDir, String) {
    let remote = tempfile::tempdir().expect("a folder");
    let url = remote.path().display().to_string();
    let made = command("git", remote.path()).args(["init", "--quiet", "--bare", &url]).status();
    assert!(made.expect("runs").success());
    (remote, url)
}

#[test]
fn the_push_gate_judges_what_is_new_to_the_remote_however_it_is_named() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    // A loss beside its evidence is no reason to refuse the first push of all.
    repo.write("kernels/rmsnorm/slow.c", b"int slow;\n");
    Ledger::open(repo.path()).expect("opens").put_evidence(&loser().seal().expect("seals")).expect("stores");
    repo.git(&["add", "kernels"]);
    repo.git(&["commit", "--quiet", "-m", "a loss"]);
    assert!(kforge(&repo.path(), &["hooks", "install"]).status.success());
    let (_kept, url) = bare();
    repo.git(&["remote", "add", "origin", &url]);
    let push = |arguments: &[&str]| {
        let output = repo.try_git(&[&["push", "--quiet"], arguments].concat());
        (
            output.status.success(),
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        )
    };
    let accepts = |arguments: &[&str]| {
        let (passed, said) = push(arguments);
        assert!(passed, "{arguments:?}: {said}");
    };
    let refuses = |arguments: &[&str]| {
        let (passed, said) = push(arguments);
        assert!(!passed && said.contains("does not hold"), "{arguments:?}: {said}");
    };
    accepts(&["origin", "main"]);
    // Nothing new: a tag of it, a branch of it, also by the remote's address.
    repo.git(&["tag", "-a", "v1", "-m", "one"]);
    repo.git(&["tag", "light"]);
    accepts(&["origin", "v1", "light", "main:same"]);
    accepts(&[&url, "main:by-address"]);
    accepts(&["origin", ":same"]);
    // A tag of something else than a commit has no history to judge.
    let blob = repo.git(&["rev-parse", &format!("HEAD:{FILE}")]);
    repo.git(&["tag", "of-a-blob", &blob]);
    accepts(&["origin", "of-a-blob"]);

    let good = repo.head();
    repo.write(FILE, b"int edited;\n");
    repo.git(&["commit", "--quiet", "-am", "unproven"]);
    repo.git(&["tag", "-a", "v2", "-m", "two"]);
    refuses(&["origin", "main"]);
    refuses(&["origin", "v2"]);
    refuses(&["origin", "main:new-branch"]);
    refuses(&[&url, "main:by-address"]);
    let (_other, elsewhere) = bare();
    refuses(&[&elsewhere, "main"]);
    refuses(&["--force", "origin", "main"]);

    // The remote moved to a commit that was never fetched.
    let clone = tempfile::tempdir().expect("a folder");
    let inside = clone.path().join("clone");
    let git = |folder: &Path, arguments: &[&str]| {
        let output = command("git", folder).args(arguments).output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(clone.path(), &["clone", "--quiet", "--branch", "main", &url, "clone"]);
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    git(&inside, &[&who[..], &["commit", "--quiet", "--allow-empty", "-m", "theirs"]].concat());
    git(&inside, &["push", "--quiet", "origin", "main"]);
    refuses(&["--force", "origin", "main"]);
    repo.git(&["reset", "--quiet", "--hard", &good]);
    repo.write("words.md", b"words\n");
    repo.git(&["add", "words.md"]);
    repo.git(&["commit", "--quiet", "-m", "words"]);
    accepts(&["--force", "origin", "main"]);
}

#[test]
fn a_server_s_hook_judges_what_is_pushed_into_a_bare_repository() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    let (remote, url) = bare();
    let program = env!("CARGO_BIN_EXE_kforge");
    let hook = remote.path().join("hooks/pre-receive");
    let script = format!(
        "#!/bin/sh\nempty=$(git hash-object -t tree /dev/null)\nwhile read -r old new _; do\n  case $old in *[!0]*) ;; *) old=$empty ;; esac\n  '{program}' verify \"$old..$new\" --require || exit 1\ndone\n"
    );
    std::fs::write(&hook, script).expect("writes");
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("permissions");
    let push = || {
        let output = repo.try_git(&["push", &url, "main"]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (passed, said) = push();
    assert!(passed && said.contains("consistent, unsigned"), "{said}");
    let good = repo.head();
    repo.write(FILE, b"int edited;\n");
    repo.git(&["commit", "--quiet", "-am", "unproven"]);
    let (passed, said) = push();
    assert!(!passed && said.contains("subject-differs"), "{said}");
    repo.git(&["reset", "--quiet", "--hard", &good]);
    repo.git(&["rm", "--quiet", "-r", "kernels/rmsnorm/evidence"]);
    repo.git(&["commit", "--quiet", "-m", "hide"]);
    let (passed, said) = push();
    assert!(!passed && said.contains("evidence-removed"), "{said}");

    // By hand, in the repository itself, nothing is written and nothing but looking at commits is offered.
    let listed = |folder: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).expect("lists").flatten().map(|e| e.file_name()).collect();
        names.sort();
        names
    };
    let before = listed(remote.path());
    let (code, answer) = json(remote.path(), &["verify", "main"]);
    assert_eq!((code, answer["data"]["level"].as_str()), (Some(0), Some("consistent, unsigned")), "{answer}");
    let (code, answer) = json(remote.path(), &["commit", "rmsnorm"]);
    assert_eq!((code, answer["error"]["code"].as_str()), (Some(3), Some("repository")), "{answer}");
    assert!(
        answer["error"]["message"].as_str().is_some_and(|m| m.contains("without a working tree")),
        "{answer}"
    );
    assert_eq!(listed(remote.path()), before);

    // A project below the top would need its kforge.toml to be found: it is refused, not passed over.
    repo.git(&["reset", "--quiet", "--hard", &good]);
    std::fs::create_dir(repo.path().join("library")).expect("a folder");
    repo.git(&["mv", "kernels", "library/kernels"]);
    repo.git(&["commit", "--quiet", "-m", "below"]);
    let (_other, elsewhere) = bare();
    repo.git(&["push", "--quiet", &elsewhere, "main"]);
    let (code, answer) = json(Path::new(&elsewhere), &["verify", "main", "--require"]);
    assert_eq!((code, answer["error"]["code"].as_str()), (Some(3), Some("repository")), "{answer}");
}

#[test]
fn a_shallow_clone_is_told_to_fetch_its_history() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    let place = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", repo.path().display());
    let clone = ["clone", "--quiet", "--depth", "1", &url, "shallow"];
    assert!(command("git", place.path()).args(clone).status().expect("runs").success());
    let whole = format!("{}..HEAD", repo.git(&["rev-parse", "HEAD~1"]));
    for range in ["HEAD~1..HEAD", &whole] {
        let (code, answer) = json(&place.path().join("shallow"), &["verify", range, "--require"]);
        assert_eq!(code, Some(2), "{answer}");
        assert!(
            answer["error"]["hint"].as_str().is_some_and(|hint| hint.contains("--unshallow")),
            "{answer}"
        );
    }
}

#[test]
fn no_repository_and_no_commits_are_said_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    for verb in [&["verify"][..], &["commit", "rmsnorm"], &["hooks", "install"]] {
        let (code, answer) = json(folder.path(), verb);
        assert_eq!((code, answer["error"]["code"].as_str()), (Some(3), Some("repository")), "{answer}");
        assert!(
            answer["error"]["message"].as_str().is_some_and(|m| m.contains("in no git repository")),
            "{answer}"
        );
    }
    let made = command("git", folder.path()).args(["init", "--quiet"]).status();
    assert!(made.expect("runs").success());
    for target in [&["verify"][..], &["verify", "main"], &["verify", "HEAD~1..HEAD"]] {
        let (code, answer) = json(folder.path(), target);
        assert_eq!((code, answer["error"]["code"].as_str()), (Some(3), Some("repository")), "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains("has none yet")), "{answer}");
    }
}

#[test]
fn a_repository_of_another_user_is_told_in_git_s_words_with_its_cure() {
    let repo = proven();
    for verb in [&["verify"][..], &["commit", "rmsnorm"], &["history"], &["record"]] {
        let mut asked = command(env!("CARGO_BIN_EXE_kforge"), &repo.path());
        let asked = asked.args(verb).args(["--format", "json"]).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
        let output = asked.output().expect("runs");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((output.status.code(), answer["error"]["code"].as_str()), (Some(3), Some("repository")));
        let says = |field: &str, words: &str| {
            assert!(answer["error"][field].as_str().is_some_and(|text| text.contains(words)), "{answer}");
        };
        says("message", "dubious ownership");
        says("hint", "git config --global --add safe.directory");
    }
}

#[test]
fn a_record_whose_files_are_gone_says_so_and_how_they_come_back() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["record", "rmsnorm"]).status.success());
    std::fs::remove_file(repo.path().join("kernels/rmsnorm/notes.md")).expect("removes");
    let (_, answer) = json(&repo.path(), &["record", "--candidate", "fast"]);
    let message = answer["error"]["message"].as_str();
    assert!(message.is_some_and(|said| said.starts_with("there is no evidence of fast in")), "{answer}");
    let (code, answer) = json(&repo.path(), &["record"]);
    assert_eq!(code, Some(0));
    let note =
        |code: &str| answer["notes"].as_array().is_some_and(|all| all.iter().any(|n| n["code"] == code));
    assert!(note("record.nothing") && note("record.files-missing"), "{answer}");
    assert!(kforge(&repo.path(), &["record", "--rebuild"]).status.success());
    assert!(repo.path().join("kernels/rmsnorm/notes.md").exists());
    let (_, answer) = json(&repo.path(), &["record"]);
    assert_eq!(answer["notes"].as_array().map(Vec::len), Some(1), "{answer}");
}

#[test]
fn a_hook_looks_at_the_project_that_it_was_installed_for() {
    let sample = SampleExperiment::new("rmsnorm", "vec");
    let inner = |path: &str| format!("it's a library/{path}");
    let repo = ScratchRepo::with_files(&[(inner("kforge.toml"), Vec::new())]);
    for (path, bytes) in &sample.files {
        repo.write(&inner(path), bytes);
    }
    let project = repo.path().join(inner(""));
    Ledger::open(&project).expect("opens").put_evidence(&sample.seal().expect("seals")).expect("stores");
    let done = kforge(&project, &["hooks", "install", "--hook", "pre-commit", "--hook", "pre-push"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let done = kforge(&project, &["commit", "rmsnorm"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let (_remote, url) = bare();
    let push = || repo.try_git(&["push", "--quiet", &url, "main"]).status.success();
    assert!(push());
    repo.write(&inner(FILE), b"int edited;\n");
    assert!(!repo.try_git(&["commit", "--quiet", "-am", "unproven"]).status.success());
    repo.git(&["commit", "--quiet", "--no-verify", "-am", "unproven"]);
    assert!(!push());
}

#[test]
fn the_commit_gate_lets_kforge_s_own_commit_through_and_stops_an_edit() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["hooks", "install", "--hook", "pre-commit"]).status.success());
    let done = kforge(&repo.path(), &["commit", "rmsnorm"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    repo.write("words.md", b"words\n");
    repo.git(&["add", "words.md"]);
    repo.git(&["commit", "--quiet", "-m", "words"]);
    repo.write(FILE, b"int edited;\n");
    assert!(!repo.try_git(&["commit", "--quiet", "-am", "unproven"]).status.success());
    repo.git(&["checkout", "--quiet", "--", "."]);
    repo.git(&["reset", "--quiet", "--hard"]);
}

#[test]
fn the_commit_gate_stops_a_merge_of_what_it_would_not_have_committed() {
    let repo = proven();
    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    repo.hook("pre-merge-commit", "#!/bin/sh\n: > seen-by-my-hook\n");
    let hook = ["--hook", "pre-commit"];
    let (_, done) = json(&repo.path(), &[&["hooks", "install"], &hook[..]].concat());
    assert_eq!(done["data"]["hooks"][1]["hook"].as_str(), Some("pre-merge-commit"), "{done}");
    let branch = |name: &str, path: &str| {
        repo.git(&["checkout", "--quiet", "-b", name, "main"]);
        repo.write(path, b"int unproven;\n");
        repo.git(&["add", path]);
        repo.git(&["commit", "--quiet", "--no-verify", "-m", name]);
        repo.git(&["checkout", "--quiet", "main"]);
    };
    branch("words", "words.md");
    branch("bad", FILE);
    repo.git(&["merge", "--quiet", "--no-ff", "--no-edit", "words"]);
    assert!(repo.path().join("seen-by-my-hook").exists(), "it ran first");
    let merged = repo.try_git(&["merge", "--no-ff", "--no-edit", "bad"]);
    let said = String::from_utf8_lossy(&[merged.stdout, merged.stderr].concat()).into_owned();
    assert!(!merged.status.success() && said.contains("subject-differs"), "{said}");
    repo.git(&["merge", "--abort"]);
    assert!(kforge(&repo.path(), &[&["hooks", "remove"], &hook[..]].concat()).status.success());
    assert_eq!(repo.read(".git/hooks/pre-merge-commit"), b"#!/bin/sh\n: > seen-by-my-hook\n");
    assert!(!repo.path().join(".git/hooks/pre-commit").exists());
}

#[test]
fn a_hook_that_asks_kforge_while_the_branch_moves_does_not_hang() {
    let repo = proven();
    let program = env!("CARGO_BIN_EXE_kforge");
    repo.hook(
        "reference-transaction",
        &format!("#!/bin/sh\n'{program}' verify --staged >/dev/null 2>&1\nexit 0\n"),
    );
    let done = kforge(&repo.path(), &["commit", "rmsnorm"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_hook_of_the_commit_itself_may_ask_but_not_record() {
    let repo = proven();
    let program = env!("CARGO_BIN_EXE_kforge");
    repo.hook(
        "pre-commit",
        &format!("#!/bin/sh\n{program} history >/dev/null || exit 1\nexec {program} record\n"),
    );
    let head = repo.head();
    let (status, answer) = json(&repo.path(), &["commit", "rmsnorm"]);
    let link = &answer["data"]["refused"];
    assert_eq!((status, &link["link"]), (Some(1), &"hook-refused".into()), "{answer:#}");
    let message = link["message"].as_str().unwrap_or_default();
    assert!(
        message.contains(
            "was called by a hook that `kforge commit` runs, and would wait for that commit; hint: measure"
        ),
        "{answer:#}"
    );
    assert_eq!(repo.head(), head);
}

#[test]
fn a_signature_says_who_and_one_of_other_bytes_breaks() {
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        // Without the tool there is nothing to show; the messages of its absence are tested elsewhere.
        return;
    }
    let repo = proven();
    let keys = tempfile::tempdir().expect("a folder");
    let key = keys.path().join("key").display().to_string();
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", &key]).status();
    assert!(made.expect("runs").success());
    let signed = kforge(&repo.path(), &["record", "rmsnorm", "--sign", &key]);
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    assert!(kforge(&repo.path(), &["commit", "rmsnorm"]).status.success());
    let level = || json(&repo.path(), &["verify"]).1["data"]["level"].as_str().map(str::to_owned);
    assert!(level().expect("holds").starts_with("consistent, signed by unlisted key SHA256:"));
    let public = std::fs::read_to_string(format!("{key}.pub")).expect("a key");
    repo.write("signers", format!("tester@example.com {public}").as_bytes());
    repo.write("kforge.toml", b"[verify]\nallowed_signers = \"signers\"\n");
    assert_eq!(level().as_deref(), Some("consistent, signed by tester@example.com (listed in signers)"));

    let evidence = std::fs::read_dir(repo.path().join("kernels/rmsnorm/evidence")).expect("a folder");
    let signature = evidence
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "sig"));
    let signature = signature.expect("a signature");
    let other = keys.path().join("other");
    std::fs::write(&other, "other bytes").expect("writes");
    let sign = ["-q", "-Y", "sign", "-n", "kforge.evidence", "-f", &key, &other.display().to_string()]
        .map(str::to_owned);
    assert!(Command::new("ssh-keygen").args(sign).output().expect("runs").status.success());
    std::fs::copy(keys.path().join("other.sig"), &signature).expect("copies");
    let (code, answer) = json(&repo.path(), &["verify"]);
    assert_eq!(
        (code, answer["data"]["broken"][0]["link"].as_str()),
        (Some(1), Some("bad-signature")),
        "{answer}"
    );
}
