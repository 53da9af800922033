//! What `doctor` answers: facts about the machine, each with what to do about it, and the steps of a bring-up.
//!
//! Invariant: a step or a finding that does not fit makes the whole answer a no.

use crate::init::Class;
use crate::{ExitClass, Note};
use serde::Serialize;

/// The whole answer.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// kforge's version.
    pub kforge: &'static str,
    /// The command prefix, where one was used.
    pub prefix: Option<String>,
    /// What the machine is and has.
    pub findings: Vec<Finding>,
    /// The run of a kernel class, where one was asked for.
    pub bringup: Option<Bringup>,
    /// What the user should know beside.
    pub notes: Vec<Note>,
}

/// One fact about the machine.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// A short name: `git`, `nvcc`, `GPU 0000:1b:00.0`, `load`.
    pub what: String,
    /// Whether it is as a measurement needs it; absent where it is missing and nothing here needs it.
    pub fit: Option<bool>,
    /// What was seen.
    pub fact: String,
    /// What to do about it, where something is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

/// How a kernel class came up.
#[derive(Clone, Debug, Serialize)]
pub struct Bringup {
    /// The class.
    pub class: Class,
    /// True where every step went as it should.
    pub works: bool,
    /// The steps that were run, in order; a step that fails ends the run only where later ones need it.
    pub steps: Vec<Step>,
    /// The report's file.
    pub report: String,
}

/// One step of a bring-up.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What it shows.
    pub what: &'static str,
    /// The command that does the same.
    pub command: String,
    /// Whether it went as it should.
    pub works: bool,
    /// What came out, lines.
    pub seen: Vec<String>,
    /// How long it took, in ms.
    pub ms: u64,
}

impl Response {
    /// What the answer means for a script.
    pub fn class(&self) -> ExitClass {
        let unfit = self.findings.iter().any(|finding| finding.fit == Some(false));
        let broken = self.bringup.as_ref().is_some_and(|bringup| !bringup.works);
        if unfit || broken { ExitClass::No } else { ExitClass::Yes }
    }
}
