//! A project in a folder of its own: one operation, `y[i] = 2 x[i]`, whose sides are Python runners of a few lines.

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RIGHT: &str = "\
import kforge_runner

def scale(call):
    x, y = call.input('x'), call.output('y')
    for i in range(len(y)):
        y[i] = 2.0 * x[i]

kforge_runner.main(scale)
";

const REST: &str = r#"
[[case]]
name = "only"
params = { n = 600 }

[domain]
n = { min = 1, max = 700 }

[inputs.x]
shape = ["n"]
dtype = "f32"
kind = "random"

[outputs.y]
shape = ["n"]
dtype = "f32"

# What is tested here needs samples, not many of them.
[policy]
drawn_cases = 3
looks = [6]
min_blocks = 4
blocks = 4
sample_us = 200
reason = "a test"
"#;

pub struct Project {
    pub folder: tempfile::TempDir,
    sections: String,
}

impl Project {
    /// Reference and baseline are right; `rest` is everything of experiment.toml after the sides.
    pub fn with(rest: &str) -> Self {
        let mut project = Self { folder: tempfile::tempdir().unwrap(), sections: rest.to_owned() };
        fs::create_dir_all(project.path("kernels/scale")).unwrap();
        fs::write(project.path("kforge.toml"), "").unwrap();
        project.side("reference", RIGHT, "");
        project.side("baseline", RIGHT, "");
        project
    }

    pub fn new() -> Self {
        Self::with(REST)
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a side whose runner is this program; `more` are further lines of its section.
    pub fn side(&mut self, name: &str, program: &str, more: &str) -> &mut Self {
        let file = format!("kernels/scale/{name}.py");
        fs::write(self.path(&file), program).unwrap();
        let section = if matches!(name, "reference" | "baseline") {
            name.to_owned()
        } else {
            format!("candidate.{name}")
        };
        let runner =
            if more.contains("runner =") { String::new() } else { format!("runner = \"python3 {file}\"\n") };
        let _ = write!(
            self.sections,
            "\n[{section}]\ntree = \"worktree\"\n{runner}sources = [\"{file}\"]\n{more}\n"
        );
        self
    }

    /// A candidate whose call does this (indented by four) instead of scaling.
    pub fn candidate(&mut self, name: &str, body: &str) -> &mut Self {
        let program = format!(
            "import kforge_runner\n\ndef scale(call):\n    x, y = call.input('x'), call.output('y')\n{body}\n\nkforge_runner.main(scale)\n"
        );
        self.side(name, &program, "")
    }

    /// Writes experiment.toml and makes the folder a repository.
    pub fn finish(&self) {
        fs::write(self.path("kernels/scale/experiment.toml"), format!("op = \"scale\"\n{}", self.sections))
            .unwrap();
        let git = |arguments: &[&str]| {
            let done =
                Command::new("git").arg("-C").arg(self.folder.path()).args(arguments).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "start"]);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kforge"));
        command.current_dir(self.folder.path()).args(["validate", "scale"]).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The answer of a validate in JSON, and its exit code.
    pub fn json(&self, arguments: &[&str]) -> (Value, i32) {
        Self::read(&self.run(&[arguments, &["--format", "json"]].concat()))
    }

    /// The same, with a variable in the environment.
    pub fn json_with(&self, name: &str, value: &str) -> (Value, i32) {
        Self::read(&self.command(&["--format", "json"]).env(name, value).output().unwrap())
    }

    fn read(output: &Output) -> (Value, i32) {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let value = serde_json::from_str(&text)
            .unwrap_or_else(|_| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
        (value, output.status.code().unwrap_or(-1))
    }
}

/// The verdict's word and its text, of one candidate in an answer.
pub fn verdict(answer: &Value, candidate: &str) -> (String, String) {
    let all = answer["data"]["candidates"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let one = all.iter().find(|one| one["candidate"] == candidate).unwrap_or_else(|| panic!("{answer:#}"));
    let word = one["verdict"]["verdict"].as_str().unwrap().to_owned();
    (word, one["reason"].as_str().unwrap().to_owned())
}

/// Whether a candidate was timed. A machine that is busy with other tests may be too noisy to compare clocks or processes on; that is
/// an answer about the machine, not about the candidate.
pub fn is_timed(word: &str, reason: &str) -> bool {
    let noisy = reason.starts_with("environment:") || reason.starts_with("biased:");
    matches!(word, "same" | "slower" | "faster" | "mixed" | "inconclusive") || (word == "void" && noisy)
}

/// Process ids whose command line holds this text.
pub fn processes_with(text: &str) -> Vec<String> {
    let me = std::process::id().to_string();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.chars().all(|c| c.is_ascii_digit()) && *name != me)
        .filter(|name| {
            let folder = Path::new("/proc").join(name);
            let line = fs::read(folder.join("cmdline")).unwrap_or_default();
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(text);
            holds(&line) || holds(&environment)
        })
        .collect()
}

/// Waits until no process holds this text, for at most so many seconds.
pub fn gone(text: &str, seconds: u32) -> bool {
    for _ in 0..seconds * 20 {
        if processes_with(text).is_empty() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    false
}
