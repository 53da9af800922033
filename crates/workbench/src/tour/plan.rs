//! The steps of the tour: what is typed, why, and what it should answer.

/// The file of the winning candidate; everything else is committed before it.
pub(super) const WINNER: &str = "kernels/rmsnorm/fast.cpp";

/// One command of the tour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the step shows, in one sentence.
    pub why: &'static str,
    /// The program: `kforge` or `git`.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// The exit code that it should answer with.
    pub expected: u8,
}

impl Step {
    /// The command line as one would type it.
    pub fn command_line(&self) -> String {
        let quoted = self.arguments.iter().map(|argument| {
            let plain =
                argument.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:=,".contains(letter));
            if plain { (*argument).to_owned() } else { format!("'{argument}'") }
        });
        std::iter::once(self.program.to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
    }
}

const fn git(why: &'static str, arguments: &'static [&'static str]) -> Step {
    Step { why, program: "git", arguments, expected: 0 }
}

const fn kforge(why: &'static str, arguments: &'static [&'static str], expected: u8) -> Step {
    Step { why, program: "kforge", arguments, expected }
}

/// The steps in order. The second validate is the one whose candidate wins.
pub(super) const STEPS: &[Step] = &[
    kforge(
        "Where does the time go? One step of a 4-layer Llama on an H200: a quarter of it is LlamaRMSNorm, 8 kernels a call.",
        &["trace", "captures/norm_step.json.gz", "--top", "6"],
        0,
    ),
    git("A scratch repository with everything but the candidate that will win.", &["init", "--quiet"]),
    git("", &["config", "user.name", "kforge tour"]),
    git("", &["config", "user.email", "tour@localhost"]),
    git("", &["add", "--all", ":!kernels/rmsnorm/fast.cpp"]),
    git("", &["commit", "--quiet", "--message", "RMSNorm: reference, baseline, first attempts"]),
    kforge(
        "A candidate that forgets the tail of each row. Correctness comes first, so it is never timed.",
        &["validate", "rmsnorm", "--candidate", "tail"],
        1,
    ),
    kforge(
        "The failed attempt is recorded as carefully as a win, with its reason.",
        &["record", "rmsnorm"],
        0,
    ),
    kforge(
        "A candidate with several partial sums, and what its author expects of it.",
        &["validate", "rmsnorm", "--candidate", "fast", "--claim", "1.5x"],
        0,
    ),
    kforge(
        "The win becomes a note and a version, in its author's words beside what was measured.",
        &[
            "record",
            "rmsnorm",
            "--candidate",
            "fast",
            "--layer",
            "instruction",
            "--what",
            "Several partial sums instead of one long chain of additions",
        ],
        0,
    ),
    kforge(
        "Two candidates were tried against this baseline and one of them is kept: a fresh run confirms it.",
        &["validate", "rmsnorm", "--candidate", "fast", "--confirm"],
        0,
    ),
    kforge("A confirmation is more evidence for the same version.", &["record", "rmsnorm"], 0),
    kforge("Have we tried this before?", &["history", "rmsnorm"], 0),
    kforge(
        "May it be committed? Only these very files, on this evidence.",
        &["commit", "rmsnorm", "--candidate", "fast", "--message", "RMSNorm: several partial sums"],
        0,
    ),
    kforge("Does the commit rest on its evidence? Recomputed from files alone.", &["verify", "HEAD"], 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_quotes_what_a_shell_would_split() {
        let step = kforge("", &["commit", "rmsnorm", "--message", "two words"], 0);
        assert_eq!(step.command_line(), "kforge commit rmsnorm --message 'two words'");
    }
}
