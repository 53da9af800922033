//! Does a side's work go on after its batch was said to be done?
//!
//! Samples of a device end with an event in the stream of the calls. Work that a call puts elsewhere is not in them; but the device is waited
//! for as a whole before the next batch, and how long that took is known. Invariant: what every side shows (the device's own way back to idle)
//! speaks against nobody.

/// One batch: its sample, and how long the device worked on afterwards, in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batched {
    pub(super) sample_ns: u64,
    pub(super) after_ns: u64,
}

/// Less than this is the way back to idle.
const NOTHING_NS: u64 = 20_000;

/// Why the candidate's samples leave work out, where they do.
pub(super) fn ran_on(candidate: &[Batched], baseline: &[Batched]) -> Option<String> {
    let middle = |runs: &[Batched], value: fn(&Batched) -> u64| {
        let mut values: Vec<u64> = runs.iter().map(value).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let (after, sample) = (middle(candidate, |run| run.after_ns)?, middle(candidate, |run| run.sample_ns)?);
    let usual = middle(baseline, |run| run.after_ns)?.max(NOTHING_NS);
    (after > 3 * usual && after > sample / 20).then(|| {
        format!(
            "the device worked on for {after} ns after batches of {sample} ns were said to be done (the baseline {usual} ns): work is put where the events do not see it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(sample_ns: u64, after_ns: u64) -> Vec<Batched> {
        vec![Batched { sample_ns, after_ns }; 9]
    }

    #[test]
    fn work_in_another_stream_is_seen_and_the_way_to_idle_is_not() {
        assert!(ran_on(&runs(10_000, 900_000), &runs(900_000, 9_000)).is_some());
        assert_eq!(ran_on(&runs(500_000, 12_000), &runs(500_000, 9_000)), None);
        // A slow driver is slow for both.
        assert_eq!(ran_on(&runs(500_000, 300_000), &runs(500_000, 290_000)), None);
    }

    #[test]
    fn one_disturbed_batch_is_no_habit() {
        let mut candidate = runs(500_000, 9_000);
        candidate[3].after_ns = 4_000_000;
        assert_eq!(ran_on(&candidate, &runs(500_000, 9_000)), None);
    }

    #[test]
    fn without_batches_there_is_no_answer() {
        assert_eq!(ran_on(&[], &[]), None);
    }
}
