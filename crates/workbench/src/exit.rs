//! What an answer means for a script: the exit codes, defined once.

/// The class of an answer; its number is the process exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitClass {
    /// Yes: the question was answered, and where it was a gate, the gate is open.
    Yes,
    /// No: refused, regression, same, slower, mixed, inconclusive or incorrect.
    No,
    /// The command line was not understood.
    Usage,
    /// The input cannot be used.
    Input,
    /// A tool or a device is missing, there is no room or no right to write, or the environment voids the measurement.
    Environment,
    /// A bug in kforge.
    Bug,
    /// Interrupted by the user.
    Interrupted,
}

impl ExitClass {
    /// Every class, in the order of its code.
    pub const ALL: [Self; 7] =
        [Self::Yes, Self::No, Self::Usage, Self::Input, Self::Environment, Self::Bug, Self::Interrupted];

    /// The process exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Environment => 4,
            Self::Bug => 5,
            Self::Interrupted => 130,
        }
    }

    /// One line for the reference page.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Yes => "yes: answered; for validate, every requested candidate is faster",
            Self::No => {
                "no: refused, regression, same, slower, mixed, inconclusive, incorrect, or void for what the candidate did"
            }
            Self::Usage => "the command line was not understood",
            Self::Input => "the input cannot be used",
            Self::Environment => {
                "a tool or device is missing, there is no room or no right to write, or the environment voids the measurement"
            }
            Self::Bug => "a bug in kforge",
            Self::Interrupted => "interrupted",
        }
    }
}
