//! The digest of a tensor: what a runner says its inputs hold, and what kforge says they must.
//!
//! BLAKE2b with 32 bytes (RFC 7693), since it is in Python's standard library and short in C++. Of more than one piece it is taken over the
//! digests of the pieces, so that all processors can work on a large tensor. Everything that kforge itself stores is bound by BLAKE3 instead.

use rayon::prelude::*;

/// Bytes of a piece.
const PIECE: usize = 1 << 20;
/// Bytes of a digest.
const DIGEST: usize = 32;

/// The digest of a tensor's bytes as 64 lowercase hexadecimal digits (docs/runner-protocol.md, Digests).
pub fn tensor_digest(data: &[u8]) -> String {
    let mut one = blake2b_simd::Params::new();
    one.hash_length(DIGEST);
    if data.len() <= PIECE {
        return one.hash(data).to_hex().to_string();
    }
    let parts: Vec<_> = data.par_chunks(PIECE).map(|piece| one.hash(piece)).collect();
    let mut whole = one.to_state();
    for part in parts {
        whole.update(part.as_bytes());
    }
    whole.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Printed by Python 3.11: `def one(data): return hashlib.blake2b(data, digest_size=32)`, `one(data).hexdigest()`, and for the last two
    // `one(b"".join(one(data[at:at + 2**20]).digest() for at in range(0, len(data), 2**20))).hexdigest()`.
    #[test]
    fn digests_are_those_of_another_implementation() {
        let counting: Vec<u8> = (0..=255).collect();
        let long = |bytes: usize| counting.iter().copied().cycle().take(bytes).collect::<Vec<u8>>();
        for (data, expected) in [
            (Vec::new(), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
            (b"abc".to_vec(), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
            (long(128), "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"),
            (long(256), "39a7eb9fedc19aabc83425c6755dd90e6f9d0c804964a1f4aaeea3b9fb599835"),
            (long(1 << 20), "0f3f8fd232671ccf3fa0b0ddd0ee656d7d6cd1fb370d8eb61031e89da48d77ee"),
            (long((1 << 20) + 1), "cce5fdf403bfd5bec6b954b6ee87b22fe0b964adbbbb08df116f45117bf1de5b"),
            (long(3 << 20), "6d887963409c0137bc0a074f6841cdd2d85eb9ef53613de492a6bd4f6c857374"),
        ] {
            assert_eq!(tensor_digest(&data), expected, "{} bytes", data.len());
        }
    }
}
