//! Philox4x32-10, the counter-based generator behind every generated input.
//!
//! Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.
//! Invariant: the same counter and key give the same four words here, in the C++ harness and in the Python harness, so
//! that kforge can say what a runner's inputs must be without having sent them.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The four words of one counter under one key.
pub const fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let [mut k0, mut k1] = key;
    let mut round = 0;
    while round < ROUNDS {
        let p0 = MULTIPLIERS[0] as u64 * c0 as u64;
        let p1 = MULTIPLIERS[1] as u64 * c2 as u64;
        [c0, c1, c2, c3] = [(p1 >> 32) as u32 ^ c1 ^ k0, p1 as u32, (p0 >> 32) as u32 ^ c3 ^ k1, p0 as u32];
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
        round += 1;
    }
    [c0, c1, c2, c3]
}

/// An endless stream of words under a seed, for what kforge itself draws (cases, orders, permutations).
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 2],
    lane: u32,
    next: u64,
    words: [u32; 4],
}

impl Stream {
    /// The stream number `lane` of this seed.
    pub const fn new(seed: u64, lane: u32) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], lane, next: 0, words: [0; 4] }
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        let lane = (self.next % 4) as usize;
        if lane == 0 {
            let group = self.next / 4;
            self.words = philox([group as u32, (group >> 32) as u32, self.lane, u32::MAX], self.key);
        }
        self.next += 1;
        self.words[lane]
    }

    /// The next 64 bits.
    pub fn wide(&mut self) -> u64 {
        u64::from(self.word()) << 32 | u64::from(self.word())
    }

    /// A number below `bound`, each as likely as the others to one part in 2^64; 0 where the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.wide()) * u128::from(bound)) >> 64) as u64
    }

    /// Puts the items into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The known answers that the authors publish with Random123 (kat_vectors, philox4x32 10).
    #[test]
    fn the_published_known_answers_come_out() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(7, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn below_stays_below_and_reaches_every_value() {
        let mut stream = Stream::new(3, 1);
        let seen: std::collections::BTreeSet<u64> = (0..1000).map(|_| stream.below(7)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
        assert_eq!(stream.below(0), 0);
    }
}
