//! Which fields of evidence nothing recomputes.
//!
//! Every other field, changed alone or together with all digests that cover it, makes `audit` refuse. The fields
//! below are statements of whoever measured: a digest covers each of them, so that an edit of the file is seen,
//! but a forger who refreshes the digests can state something else. `kforge verify --unbound` prints this table.

/// A field that only a digest covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// The field's path; `*` stands for any one part, a final `**` for any parts.
    pub path: &'static str,
    /// What it states and why nothing else in the file can confirm it.
    pub why: &'static str,
}

const fn unbound(path: &'static str, why: &'static str) -> Unbound {
    Unbound { path, why }
}

/// Every field of evidence that says faster which only a digest covers, sorted by path. In evidence with another
/// verdict the numbers of a failed check are such statements too: another failure could stand there.
pub const UNBOUND: &[Unbound] = &[
    unbound("facts.cases.*.dtypes.*", "what the runner was asked for; the experiment's file says the same"),
    unbound("facts.cases.*.params.*", "what the runner was asked for; the experiment's file says the same"),
    unbound(
        "facts.checks.*.inputs.*.name",
        "a name; both digests beside it are compared with each other only",
    ),
    unbound(
        "facts.checks.*.outputs.*.max_excess",
        "an observed error; its bounds follow from the worst element and the mismatches, and only a limit of outliers judges it",
    ),
    unbound(
        "facts.checks.*.outputs.*.max_rel",
        "an observed error; only its bounds follow from the worst element",
    ),
    unbound(
        "facts.checks.*.outputs.*.max_ulp",
        "an observed error; judged only where the tolerance names a limit",
    ),
    unbound(
        "facts.checks.*.outputs.*.worst.index.*",
        "where the worst element was; any place inside the shape is possible",
    ),
    unbound(
        "facts.clock.*.reported_delta_ns",
        "a clock reading; only the agreement of the readings is recomputed",
    ),
    unbound("facts.clock.*.runs", "how many runs the clock was compared over"),
    unbound(
        "facts.clock.*.wall_long_ns",
        "a clock reading; only the agreement of the readings is recomputed",
    ),
    unbound(
        "facts.clock.*.wall_short_ns",
        "a clock reading; only the agreement of the readings is recomputed",
    ),
    unbound("facts.disturbances.*.cause", "words of what was seen; the dropped block itself is recomputed"),
    unbound("facts.environment.device.*", "the machine's description"),
    unbound("facts.environment.device.facts.*", "the machine's description"),
    unbound("facts.environment.governor", "the machine's description"),
    unbound("facts.environment.kernel", "the machine's description"),
    unbound("facts.environment.load_after_milli", "an observation"),
    unbound("facts.environment.load_before_milli", "an observation"),
    unbound("facts.environment.observations.*", "an observation"),
    unbound("facts.environment.prefix", "the prefix that commands ran through"),
    unbound("facts.environment.variables", "a digest of the variables that builds and runners were given"),
    unbound(
        "facts.floor.*.limit.bytes",
        "the work as the experiment states it; only an impossible time is refused",
    ),
    unbound(
        "facts.floor.*.limit.flops",
        "the work as the experiment states it; only an impossible time is refused",
    ),
    unbound(
        "facts.floor.*.limit.peak_bytes_per_s",
        "the device's peak as it was known; only an impossible time is refused",
    ),
    unbound(
        "facts.floor.*.limit.peak_flops",
        "the device's peak as it was known; only an impossible time is refused",
    ),
    unbound("facts.floor.*.limit.why", "words for why the limit is not known"),
    unbound(
        "facts.policy.judge.bias_alpha",
        "a threshold; its range and its reason are checked, and the verdict is judged again with it",
    ),
    unbound(
        "facts.policy.judge.min_effect",
        "a threshold; its range and its reason are checked, and the verdict is judged again with it",
    ),
    unbound(
        "facts.policy.judge.min_ticks",
        "a threshold; its range and its reason are checked, and the verdict is judged again with it",
    ),
    unbound("facts.policy.measure.checked_slots", "a threshold; its range and its reason are checked"),
    unbound(
        "facts.policy.measure.drawn_cases",
        "a threshold; its range and its reason are checked, and a win's cases are counted against it",
    ),
    unbound("facts.policy.reasons.*", "words; their presence is checked"),
    unbound(
        "facts.prior.*.evidence",
        "an earlier run; the journal and the ledger confirm it where they are at hand",
    ),
    unbound(
        "facts.prior.*.run",
        "an earlier run; the journal and the ledger confirm it where they are at hand",
    ),
    unbound(
        "facts.prior.*.verdict",
        "an earlier run; the journal and the ledger confirm it where they are at hand",
    ),
    unbound(
        "facts.run.candidates",
        "how many candidates it was kept out of; other evidence of the same baseline can raise it, nothing lowers it",
    ),
    unbound("facts.run.confirmation", "whether the run was asked for as a confirmation"),
    unbound(
        "facts.run.experiment",
        "the digest of the experiment's file; compared where the file is at hand",
    ),
    unbound("facts.run.harness", "the digest of the harness"),
    unbound("facts.run.kforge", "the version of kforge"),
    unbound("facts.run.nonce", "random digits; they only make two runs differ"),
    unbound("facts.run.protocol", "the version of the runner protocol"),
    unbound("facts.sides.*.build.artifacts.*.blake3", "an artifact; made again only by building again"),
    unbound("facts.sides.*.build.artifacts.*.bytes", "an artifact; made again only by building again"),
    unbound("facts.sides.*.build.artifacts.*.path", "an artifact; made again only by building again"),
    unbound("facts.sides.*.build.build_ns", "how long it took; decides nothing"),
    unbound("facts.sides.*.build.command", "how it was built"),
    unbound("facts.sides.*.build.flags.*", "how it was built"),
    unbound("facts.sides.*.build.inputs.*.blake3", "an input from outside the repository"),
    unbound("facts.sides.*.build.inputs.*.bytes", "an input from outside the repository"),
    unbound("facts.sides.*.build.inputs.*.path", "an input from outside the repository"),
    unbound("facts.sides.*.build.runner", "how it was run"),
    unbound("facts.sides.*.build.startup_ns", "how long it took; decides nothing"),
    unbound("facts.sides.*.build.toolchain.*.name", "how it was built"),
    unbound("facts.sides.*.build.toolchain.*.version", "how it was built"),
    unbound("facts.sides.*.build.warm_ns", "how long it took; decides nothing"),
    unbound("facts.sides.*.subject.class", "the kernel class; decides nothing"),
    unbound(
        "facts.sides.*.subject.entries.*.blob",
        "a file of the side; `verify` and `commit` compare the candidate's with git",
    ),
    unbound(
        "facts.sides.*.subject.entries.*.mode",
        "a file of the side; `verify` and `commit` compare the candidate's with git",
    ),
    unbound(
        "facts.sides.*.subject.entries.*.path",
        "a file of the side; `verify` and `commit` compare the candidate's with git",
    ),
    unbound("facts.sides.*.subject.rev", "the commit that the side was taken from"),
    unbound("facts.sides.*.subject.tree", "where the side was taken from"),
    unbound(
        "samples.inline.*.series.*.order.*",
        "the order inside a block; the times are judged whatever it was",
    ),
    unbound("samples.inline.*.tick_ns", "the clock's tick; only samples too short for it are refused"),
];

/// Whether the field at this path (parts joined by `.`, list positions as numbers) is in the table.
pub fn is_unbound(path: &str) -> bool {
    UNBOUND.iter().any(|field| fits_pattern(field.path, path))
}

/// Whether a field's path fits a pattern of the table.
pub fn fits_pattern(pattern: &str, path: &str) -> bool {
    let mut wanted = pattern.split('.');
    let mut parts = path.split('.');
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) | (Some("**"), _) => return true,
            (Some(want), Some(part)) if want == "*" || want == part => {}
            _ => return false,
        }
    }
}
