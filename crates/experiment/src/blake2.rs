//! BLAKE2b with a 32-byte digest (RFC 7693): the hash of a runner's inputs.
//!
//! Runners hash their inputs in their own language; this hash is in Python's standard library and short in C++. Everything
//! that kforge itself stores is bound by BLAKE3 instead.

use std::fmt::Write as _;

const INITIAL: [u64; 8] = [
    0x6A09_E667_F3BC_C908,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1,
    0x9B05_688C_2B3E_6C1F,
    0x1F83_D9AB_FB41_BD6B,
    0x5BE0_CD19_137E_2179,
];

const ORDER: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const LANES: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// The digest as 64 lowercase hexadecimal digits.
pub fn blake2b_hex(data: &[u8]) -> String {
    let mut state = INITIAL;
    state[0] ^= 0x0101_0020;
    let tail = match data.len() % 128 {
        0 if data.is_empty() => 0,
        0 => 128,
        rest => rest,
    };
    let (whole, last) = data.split_at(data.len() - tail);
    let mut done = 0_u64;
    for block in whole.as_chunks::<128>().0 {
        done += 128;
        compress(&mut state, block, done, false);
    }
    let mut block = [0_u8; 128];
    block[..last.len()].copy_from_slice(last);
    compress(&mut state, &block, data.len() as u64, true);
    state[..4].iter().flat_map(|word| word.to_le_bytes()).fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn compress(state: &mut [u64; 8], block: &[u8; 128], bytes: u64, last: bool) {
    let mut message = [0_u64; 16];
    for (word, eight) in message.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*eight);
    }
    let mut v = [0_u64; 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&INITIAL);
    v[12] ^= bytes;
    if last {
        v[14] = !v[14];
    }
    for round in 0..12 {
        let order = &ORDER[round % 10];
        for (g, [a, b, c, d]) in LANES.iter().copied().enumerate() {
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(message[order[2 * g]]);
            v[d] = (v[d] ^ v[a]).rotate_right(32);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(24);
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(message[order[2 * g + 1]]);
            v[d] = (v[d] ^ v[a]).rotate_right(16);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(63);
        }
    }
    for (index, word) in state.iter_mut().enumerate() {
        *word ^= v[index] ^ v[index + 8];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Digests printed by Python 3.11's hashlib.blake2b(data, digest_size=32).
    #[test]
    fn digests_are_those_of_another_implementation() {
        let counting: Vec<u8> = (0..=255).collect();
        for (data, expected) in [
            (&b""[..], "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
            (b"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
            (&counting[..128], "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"),
            (&counting[..], "39a7eb9fedc19aabc83425c6755dd90e6f9d0c804964a1f4aaeea3b9fb599835"),
        ] {
            assert_eq!(blake2b_hex(data), expected, "{} bytes", data.len());
        }
    }
}
