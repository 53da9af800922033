//! Where a side's files come from, and whether it really uses them.

use crate::KFORGE;
use kforge_testkit::{ScaleProject as Project, is_timed, verdict};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// The evidence file of a candidate.
fn evidence(project: &Project, answer: &Value, candidate: &str) -> Value {
    let all = answer["data"]["candidates"].as_array().unwrap();
    let one = all.iter().find(|one| one["candidate"] == candidate).unwrap();
    let text = fs::read_to_string(project.path(one["evidence_path"].as_str().unwrap())).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_commit_and_the_files_as_they_are_now_are_two_trees_bound_by_git_s_own_ids() {
    let mut project = Project::new(KFORGE);
    project.candidate("edited", "    for i in range(len(y)):\n        y[i] = 2.0 * x[i]");
    project.finish();
    let path = project.path("kernels/scale/experiment.toml");
    let text = fs::read_to_string(&path).unwrap();
    // The baseline stays at the commit; the candidate is the same program, edited and not committed.
    let text = text.replacen("[baseline]\ntree = \"worktree\"", "[baseline]\ntree = \"git:HEAD\"", 1);
    fs::write(&path, text).unwrap();
    let file = project.path("kernels/scale/edited.py");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("2.0 *", "2.5 *")).unwrap();
    let (answer, _) = project.json(&[]);
    assert_eq!(verdict(&answer, "edited").0, "incorrect");
    let facts = &evidence(&project, &answer, "edited")["facts"];
    let baseline = &facts["sides"]["baseline"]["subject"];
    assert_eq!(baseline["rev"], git(project.folder.path(), &["rev-parse", "HEAD"]));
    assert_eq!(
        baseline["entries"][0]["blob"],
        git(project.folder.path(), &["rev-parse", "HEAD:kernels/scale/baseline.py"])
    );
    let now = git(project.folder.path(), &["hash-object", "kernels/scale/edited.py"]);
    assert_eq!(facts["sides"]["candidate"]["subject"]["entries"][0]["blob"], now);
}

#[test]
fn submodules_come_at_their_commits_and_modules_that_were_imported_join_the_subject() {
    let library = tempfile::tempdir().unwrap();
    git(library.path(), &["init", "-q"]);
    fs::write(library.path().join("factor.py"), "FACTOR = 2.0\n").unwrap();
    git(library.path(), &["add", "-A"]);
    git(library.path(), &["commit", "-qm", "two"]);
    let mut project = Project::new(KFORGE);
    let program = "import kforge_runner\nfrom lib.factor import FACTOR\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n    for i in range(len(y)):\n        y[i] = FACTOR * x[i]\n\nkforge_runner.main(scale)\n";
    project.side("uses-library", program, "");
    project.finish();
    git(project.folder.path(), &["submodule", "add", "-q", library.path().to_str().unwrap(), "lib"]);
    git(project.folder.path(), &["commit", "-qam", "library"]);
    let path = project.path("kernels/scale/experiment.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace(
            "[candidate.uses-library]\ntree = \"worktree\"",
            "[candidate.uses-library]\ntree = \"git:HEAD\"",
        ),
    )
    .unwrap();
    // What the submodule's folder holds now is not what the commit names.
    fs::write(project.path("lib/factor.py"), "FACTOR = 3.0\n").unwrap();
    let (answer, _) = project.json(&[]);
    let (word, reason) = verdict(&answer, "uses-library");
    assert_ne!(word, "incorrect", "{reason}");
    let entries =
        evidence(&project, &answer, "uses-library")["facts"]["sides"]["candidate"]["subject"]["entries"]
            .to_string();
    assert!(entries.contains("lib/factor.py"), "{entries}");
}

#[test]
fn files_that_only_the_system_saw_opened_join_the_subject_and_none_is_opened_after_sealing() {
    let mut project = Project::new(KFORGE);
    for name in ["factor.txt", "flags.txt", "other.txt", "late.txt"] {
        fs::write(project.path(&format!("kernels/scale/{name}")), "2.0\n").unwrap();
    }
    // Neither a module nor anything that a dependency file names: data that is read, and a file that the build reads.
    let reads = |what: &str, when: &str| {
        format!(
            "import kforge_runner\nFACTOR = float(open('kernels/scale/factor.txt').read())\nCALLS = 0\n\ndef scale(call):\n    global CALLS\n    CALLS += 1\n    if {when}:\n        {what}\n    x, y = call.input('x'), call.output('y')\n    for i in range(len(y)):\n        y[i] = FACTOR * x[i]\n\nkforge_runner.main(scale)\n"
        )
    };
    let build = "build = \"cat kernels/scale/flags.txt > made.txt\"\nartifacts = [\"made.txt\"]";
    project.side("reads", &reads("pass", "False"), build);
    project.side("late", &reads("open('kernels/scale/late.txt').close()", "CALLS > 40"), "");
    project.finish();
    let (answer, _) = project.json(&[]);
    let (word, reason) = verdict(&answer, "reads");
    assert!(is_timed(&word, &reason), "{word} {reason}");
    let entries = &evidence(&project, &answer, "reads")["facts"]["sides"]["candidate"]["subject"]["entries"];
    let paths: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["kernels/scale/factor.txt", "kernels/scale/flags.txt", "kernels/scale/reads.py"]);
    let (word, reason) = verdict(&answer, "late");
    assert!(word == "void" && reason.contains("opened `kernels/scale/late.txt`"), "{word} {reason}");
}

#[test]
fn a_module_of_the_user_s_tree_instead_of_the_side_s_is_shadowed_and_a_stale_artifact_is_rebuilt() {
    let mut project = Project::new(KFORGE);
    let root = project.folder.path().canonicalize().unwrap();
    fs::write(project.path("kernels/scale/helper.py"), "FACTOR = 2.0\n").unwrap();
    let program = "import kforge_runner\nimport os, sys\nsys.path.insert(0, os.environ['USERS'] + '/kernels/scale')\nimport helper\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n    for i in range(len(y)):\n        y[i] = helper.FACTOR * x[i]\n\nkforge_runner.main(scale)\n";
    project.side("shadowed", program, &format!("env = {{ USERS = \"{}\" }}", root.display()));
    let right = "import kforge_runner\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n    for i in range(len(y)):\n        y[i] = 2.0 * x[i]\n\nkforge_runner.main(scale)\n";
    project.side("stale", right, "build = \"touch -d 2020-01-01 built.py\"\nartifacts = [\"built.py\"]");
    project.finish();
    let (answer, code) = project.json(&[]);
    let (word, reason) = verdict(&answer, "shadowed");
    assert!(word == "void" && reason.starts_with("shadowed:"), "{word} {reason}");
    let (word, reason) = verdict(&answer, "stale");
    assert!(word == "void" && reason.starts_with("rebuilt:"), "{word} {reason}");
    assert_eq!(code, 1);
}
