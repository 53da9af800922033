//! The hook that docs/evidence.md gives for a server, as it stands there, against whoever pushes to it.
#![expect(clippy::expect_used, reason = "a test that cannot set up its input has failed")]

use kforge_ledger::Ledger;
use kforge_testkit::{SampleExperiment, ScratchRepo, command};
use kforge_workbench::{Silent, commit};

const FILE: &str = "kernels/rmsnorm/rmsnorm.c";

/// The hook of the document, calling the binary under test.
fn documented() -> String {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence.md"));
    let document = document.expect("the document");
    let hooks = document.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    let (hook, _) = hooks.into_iter().find(|(code, _)| code.contains("read -r old new")).expect("the hook");
    let called = format!("'{}' verify", env!("CARGO_BIN_EXE_kforge"));
    assert!(hook.contains("kforge verify"));
    hook.replace("kforge verify", &called)
}

struct Server {
    repo: ScratchRepo,
    _remote: tempfile::TempDir,
    url: String,
}

impl Server {
    /// A clone with a proven win, and an empty server behind the hook.
    fn new() -> Self {
        let sample = SampleExperiment::new("rmsnorm", "vec");
        let repo = ScratchRepo::with_files(&sample.baseline);
        for (path, bytes) in &sample.files {
            repo.write(path, bytes);
        }
        let ledger = Ledger::open(repo.path()).expect("opens");
        ledger.put_evidence(&sample.seal().expect("seals")).expect("stores");
        let request =
            commit::Request { folder: repo.path(), op: "rmsnorm".to_owned(), ..commit::Request::default() };
        assert!(commit::run(&request, &Silent).expect("answers").committed.is_some());
        let remote = tempfile::tempdir().expect("a folder");
        let url = remote.path().display().to_string();
        let made = command("git", remote.path()).args(["init", "--quiet", "--bare", &url]).status();
        assert!(made.expect("runs").success());
        let hook = remote.path().join("hooks/pre-receive");
        std::fs::create_dir_all(remote.path().join("hooks")).expect("a folder");
        std::fs::write(&hook, documented()).expect("writes");
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("permissions");
        Self { repo, _remote: remote, url }
    }

    fn push(&self, what: &str) -> (bool, String) {
        let output = self.repo.try_git(&["push", "--force", &self.url, what]);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn accepts(&self, what: &str) {
        let (passed, said) = self.push(what);
        assert!(passed, "{what}: {said}");
    }

    fn refuses(&self, what: &str, why: &str) {
        let (passed, said) = self.push(what);
        assert!(!passed && said.contains(why), "{what}: {said}");
    }
}

#[test]
fn a_refused_commit_does_not_come_in_by_another_way() {
    let server = Server::new();
    let repo = &server.repo;
    server.accepts("main:trunk");
    server.accepts("refs/notes/kforge");
    let good = repo.head();
    repo.write(FILE, b"int edited;\n");
    repo.git(&["commit", "--quiet", "-am", "unproven"]);
    let bad = repo.head();
    server.refuses("main:trunk", "subject-differs");
    server.refuses(":trunk", "branches are not deleted");
    server.refuses("main:other", "subject-differs");
    server.refuses("main:refs/tags/v1", "subject-differs");
    // Without the evidence that would refuse it.
    repo.git(&["rm", "--quiet", "-r", "kernels/rmsnorm/evidence"]);
    repo.git(&["commit", "--quiet", "-m", "hide"]);
    server.refuses("main:trunk", "evidence-removed");
    server.refuses("main:other", "evidence-removed");
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let orphan = repo.git(&["commit-tree", "-m", "orphan", &tree]);
    server.refuses(&format!("{orphan}:refs/heads/other"), "evidence-removed");
    // Under the id of a commit that is shown as another one.
    let tree = repo.git(&["rev-parse", &format!("{good}^{{tree}}")]);
    let clean = repo.git(&["commit-tree", "-p", &good, "-m", "clean", &tree]);
    repo.git(&["replace", &bad, &clean]);
    server.refuses("refs/replace/*", "replacement refs are not accepted");
    server.refuses(&format!("{bad}:refs/heads/trunk"), "subject-differs");
}

#[test]
fn what_changes_nothing_that_was_measured_passes() {
    let server = Server::new();
    let repo = &server.repo;
    server.accepts("main:trunk");
    repo.git(&["tag", "v1"]);
    let blob = repo.git(&["rev-parse", &format!("HEAD:{FILE}")]);
    repo.git(&["tag", "of-a-file", &blob]);
    for what in ["main:same", "v1", "of-a-file", ":refs/tags/v1"] {
        server.accepts(what);
    }
    repo.write("words.md", b"words\n");
    repo.git(&["add", "words.md"]);
    repo.git(&["commit", "--quiet", "-m", "words"]);
    server.accepts("main:words");
    server.accepts("main:trunk");
}
