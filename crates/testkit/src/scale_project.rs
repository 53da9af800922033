//! A project in a folder of its own: one operation, `y[i] = 2 x[i]`, whose sides are Python runners of a few lines.
//!
//! Answers with what `kforge validate` says about it. Invariant: reference and baseline are right unless a test overwrites them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a fixture that fails, fails its test"
)]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const RIGHT: &str = "\
import kforge_runner

def scale(call):
    x, y = call.input('x'), call.output('y')
    for i in range(len(y)):
        y[i] = 2.0 * x[i]

kforge_runner.main(scale)
";

/// What is tested with a whole project needs samples, not many of them.
pub fn few_samples(sample_us: u32) -> String {
    format!(
        "
[policy]
drawn_cases = 3
looks = [6]
min_blocks = 4
blocks = 4
sample_us = {sample_us}
reason = \"a test\"
"
    )
}

/// Everything of the operation's experiment.toml but its sides and its policy: one case of `n` elements, drawn ones of up to `widest`.
pub fn scale_operation(n: u32, widest: u32) -> String {
    format!(
        "
[[case]]
name = \"only\"
params = {{ n = {n} }}

[domain]
n = {{ min = 1, max = {widest} }}

[inputs.x]
shape = [\"n\"]
dtype = \"f32\"
kind = \"random\"

[outputs.y]
shape = [\"n\"]
dtype = \"f32\"
"
    )
}

/// One side's section: a tree as it is now, a runner, one source, further lines.
pub fn scale_side(name: &str, runner: &str, source: &str, more: &str) -> String {
    let section =
        if matches!(name, "reference" | "baseline") { name.to_owned() } else { format!("candidate.{name}") };
    let runner = if more.contains("runner =") { String::new() } else { format!("runner = \"{runner}\"\n") };
    format!("\n[{section}]\ntree = \"worktree\"\n{runner}sources = [\"{source}\"]\n{more}\n")
}

/// The project.
pub struct ScaleProject {
    /// Its root; removed with this value.
    pub folder: tempfile::TempDir,
    program: PathBuf,
    sections: String,
}

impl ScaleProject {
    /// Reference and baseline are right; `rest` is everything of experiment.toml after the sides.
    pub fn with(program: &str, rest: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut project = Self { folder, program: PathBuf::from(program), sections: rest.to_owned() };
        fs::create_dir_all(project.path("kernels/scale")).unwrap();
        fs::write(project.path("kforge.toml"), "").unwrap();
        project.side("reference", RIGHT, "");
        project.side("baseline", RIGHT, "");
        project
    }

    /// The operation with few short samples; `program` is the `kforge` to ask.
    pub fn new(program: &str) -> Self {
        Self::with(program, &(scale_operation(600, 700) + &few_samples(200)))
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a side whose runner is this program; `more` are further lines of its section.
    pub fn side(&mut self, name: &str, program: &str, more: &str) -> &mut Self {
        let file = format!("kernels/scale/{name}.py");
        fs::write(self.path(&file), program).unwrap();
        self.sections += &scale_side(name, &format!("python3 {file}"), &file, more);
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
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "start"]);
    }

    /// Runs git in the folder, with an identity of its own, and gives its answer; fails the test where git says no.
    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder.path()).args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
        ]);
        let done = command.args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// The answer of any verb in JSON, and its exit code.
    pub fn ask(&self, arguments: &[&str]) -> (Value, i32) {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).args(arguments).args(["--format", "json"]);
        Self::read(&command.output().unwrap())
    }

    /// `kforge validate scale` with more arguments, not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).args(["validate", "scale"]).args(arguments);
        command
    }

    /// The same, run to its end.
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
