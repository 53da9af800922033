//! What the statistics room refuses to look at; a doubtful but readable measurement is a verdict, not an error.

/// Input that cannot be judged at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An operation without cases.
    #[error("the operation has no case")]
    NoCases,
    /// Two cases with one name.
    #[error("case '{case}' occurs twice")]
    RepeatedCase {
        /// The repeated name.
        case: String,
    },
    /// A weight that is not a number from 1e-9 to 1e9.
    #[error("case '{case}': weight {value} is outside 1e-9 to 1e9")]
    Weight {
        /// The case.
        case: String,
        /// The weight as text, because it may be no number.
        value: String,
    },
    /// A clock tick below one nanosecond.
    #[error("case '{case}': a clock tick of {tick_ns} ns is not positive")]
    Tick {
        /// The case.
        case: String,
        /// The tick as given.
        tick_ns: i64,
    },
    /// Cases with different numbers of launches.
    #[error("case '{case}' has {have} launches, the first case has {expected}")]
    RaggedLaunches {
        /// The case.
        case: String,
        /// Its launches.
        have: usize,
        /// Launches of the first case.
        expected: usize,
    },
    /// A time of zero or less.
    #[error("case '{case}', launch {launch}, block {block}: side {side} took {ns} ns, which is no duration")]
    NotATime {
        /// The case.
        case: String,
        /// Launch, from 0.
        launch: usize,
        /// Block, from 0.
        block: usize,
        /// `a`, `a2` or `b`.
        side: &'static str,
        /// The time as given.
        ns: i64,
    },
    /// A policy value outside its range.
    #[error("policy: {field} = {value} is outside {range}")]
    Policy {
        /// The policy's field.
        field: &'static str,
        /// The value as text.
        value: String,
        /// What is accepted.
        range: &'static str,
    },
}

impl Error {
    /// A stable code for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoCases => "stats.no-cases",
            Self::RepeatedCase { .. } => "stats.repeated-case",
            Self::Weight { .. } => "stats.weight",
            Self::Tick { .. } => "stats.tick",
            Self::RaggedLaunches { .. } => "stats.ragged-launches",
            Self::NotATime { .. } => "stats.not-a-time",
            Self::Policy { .. } => "stats.policy",
        }
    }

    /// The cure, where there is one.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NoCases => "name at least one [[case]] in experiment.toml",
            Self::RepeatedCase { .. } => "give every [[case]] its own name",
            Self::Weight { .. } => {
                "use a positive weight, for example the share of calls that have this shape"
            }
            Self::Tick { .. } => "report the resolution of the runner's clock in ns, at least 1",
            Self::RaggedLaunches { .. } => "run every case in every launch",
            Self::NotATime { .. } => {
                "the runner's clock is broken or its sample covers no work; put more operations in one sample"
            }
            Self::Policy { .. } => "change the value in [policy]; docs/judge.md says what it means",
        };
        Some(text.to_owned())
    }
}
