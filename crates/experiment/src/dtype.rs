//! The element types that inputs and outputs can have, and how their bits are read.
//!
//! Formats: IEEE 754 binary64, binary32 and binary16, and bfloat16 (the upper half of binary32); the 8-bit floats E4M3 and E5M2 of the
//! Open Compute Project (OFP8, 2023) and E4M3FNUZ as AMD's CDNA 3 has it; E2M1 and the scale E8M0 of the OCP Microscaling formats (MX v1.0,
//! 2023); two's complement integers; little endian in memory. Two elements of 4 bits share a byte, the first in the low half. Other
//! element types of accelerators are recognised by name and refused as unsupported.

use crate::small_float::SmallFloat;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dtype {
    /// binary64.
    F64,
    /// binary32.
    F32,
    /// binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// OFP8 E4M3: no infinities, one NaN a sign.
    F8E4m3fn,
    /// OFP8 E5M2: IEEE-like.
    F8E5m2,
    /// E4M3 with bias 8, one NaN (the pattern of a negative zero) and no infinities.
    F8E4m3fnuz,
    /// A power of two, the scale of microscaling formats; 255 is NaN.
    F8E8m0,
    /// Microscaling E2M1: 4 bits, neither NaN nor infinities.
    F4E2m1,
    /// 64-bit integer.
    I64,
    /// 32-bit integer.
    I32,
    /// 16-bit integer.
    I16,
    /// 8-bit integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
    /// A byte that is 0 or 1.
    Bool,
}

/// Names known from accelerators; the runner protocol does not carry them.
const ELSEWHERE: [&str; 4] = ["f8_e4m3", "f8_e5m2fnuz", "f6_e2m3", "f6_e3m2"];

impl Dtype {
    /// Every element type, widest first.
    pub const ALL: [Self; 15] = [
        Self::F64,
        Self::F32,
        Self::F16,
        Self::Bf16,
        Self::F8E4m3fn,
        Self::F8E5m2,
        Self::F8E4m3fnuz,
        Self::F8E8m0,
        Self::F4E2m1,
        Self::I64,
        Self::I32,
        Self::I16,
        Self::I8,
        Self::U8,
        Self::Bool,
    ];

    /// The name in experiment.toml and in the runner protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F8E4m3fn => "f8_e4m3fn",
            Self::F8E5m2 => "f8_e5m2",
            Self::F8E4m3fnuz => "f8_e4m3fnuz",
            Self::F8E8m0 => "f8_e8m0",
            Self::F4E2m1 => "f4_e2m1",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::Bool => "bool",
        }
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// True for names that exist on accelerators and that the runner protocol does not carry.
    pub fn is_known_elsewhere(name: &str) -> bool {
        ELSEWHERE.contains(&name)
    }

    /// Bits an element takes.
    pub const fn bits_wide(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 64,
            Self::F32 | Self::I32 => 32,
            Self::F16 | Self::Bf16 | Self::I16 => 16,
            Self::F4E2m1 => 4,
            _ => 8,
        }
    }

    /// Bytes that so many elements take.
    pub const fn bytes(self, count: usize) -> usize {
        (count.saturating_mul(self.bits_wide())).div_ceil(8)
    }

    /// How many elements share a byte; 1 where an element takes one or more.
    pub const fn per_byte(self) -> usize {
        if self.bits_wide() < 8 { 8 / self.bits_wide() } else { 1 }
    }

    /// True for floating-point types.
    pub const fn is_float(self) -> bool {
        !matches!(self, Self::I64 | Self::I32 | Self::I16 | Self::I8 | Self::U8 | Self::Bool)
    }

    /// The unit roundoff: the largest relative error of rounding to nearest in the normal range. None for integers, and for the powers of
    /// two of scales, which are exact or another value.
    pub const fn roundoff(self) -> Option<f64> {
        let fraction_bits = match self {
            Self::F64 => 52,
            Self::F32 => 23,
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::F8E4m3fn | Self::F8E4m3fnuz => 3,
            Self::F8E5m2 => 2,
            Self::F4E2m1 => 1,
            _ => return None,
        };
        Some(1.0 / (2_u64 << fraction_bits) as f64)
    }

    /// The smallest positive value, which is the step between the smallest values. None where there is no [`Dtype::roundoff`].
    pub fn smallest_step(self) -> Option<f64> {
        self.roundoff().map(|_| self.value(1))
    }

    /// The bit patterns of elements in memory, each zero-extended.
    pub fn patterns(self, bytes: &[u8]) -> impl Iterator<Item = u64> {
        let (width, shared) = (self.bytes(1), self.per_byte());
        bytes.chunks_exact(width).flat_map(move |chunk| {
            let whole = chunk.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            (0..shared).map(move |part| if shared == 1 { whole } else { whole >> (4 * part) & 0xF })
        })
    }

    /// Bit patterns as they lie in memory. Where two share a byte, a last single one has zeros beside it.
    pub fn pack(self, patterns: impl IntoIterator<Item = u64>) -> Vec<u8> {
        let width = self.bytes(1);
        if self.per_byte() == 1 {
            return patterns
                .into_iter()
                .flat_map(|bits| bits.to_le_bytes().into_iter().take(width))
                .collect();
        }
        let mut bytes = Vec::new();
        for (index, bits) in patterns.into_iter().enumerate() {
            let half = (bits & 0xF) as u8;
            match bytes.last_mut() {
                Some(last) if index % 2 == 1 => *last |= half << 4,
                _ => bytes.push(half),
            }
        }
        bytes
    }

    const fn small(self) -> Option<SmallFloat> {
        match self {
            Self::F8E4m3fn => Some(SmallFloat::E4M3FN),
            Self::F8E5m2 => Some(SmallFloat::E5M2),
            Self::F8E4m3fnuz => Some(SmallFloat::E4M3FNUZ),
            Self::F4E2m1 => Some(SmallFloat::E2M1),
            _ => None,
        }
    }

    /// The value of a bit pattern. Integers beyond 2^53 are rounded; exact comparisons use [`Dtype::integer`].
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::F64 => f64::from_bits(bits),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F16 => half_value(bits as u16),
            Self::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            Self::F8E8m0 if bits == 0xFF => f64::NAN,
            Self::F8E8m0 => 2_f64.powi(bits as i32 - 127),
            _ => self.small().map_or(self.integer(bits) as f64, |small| small.value(bits as u8)),
        }
    }

    /// The value of an integer's bit pattern.
    pub const fn integer(self, bits: u64) -> i64 {
        match self {
            Self::I32 => bits as u32 as i32 as i64,
            Self::I16 => bits as u16 as i16 as i64,
            Self::I8 => bits as u8 as i8 as i64,
            Self::U8 | Self::Bool => bits as u8 as i64,
            _ => bits as i64,
        }
    }

    /// A value rounded to this type, ties to even, as a bit pattern; integers are cut. Floats of 8 bits and fewer become the largest finite
    /// value where they would overflow.
    pub fn round(self, value: f64) -> u64 {
        match self {
            Self::F64 => value.to_bits(),
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F16 => u64::from(half_bits(value)),
            Self::Bf16 => {
                let bits = (value as f32).to_bits();
                if value.is_nan() {
                    return u64::from(bits >> 16 | 0x40);
                }
                u64::from(bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16)
            }
            Self::F8E8m0 => u64::from(SmallFloat::power(value)),
            _ => match self.small() {
                Some(small) => u64::from(small.round(value)),
                None => (value as i64) as u64 & self.mask(),
            },
        }
    }

    /// Whether rounding holds the largest finite value where it would overflow.
    pub(crate) fn saturates(self) -> bool {
        self.small().is_some()
    }

    /// The largest finite value.
    pub(crate) fn largest(self) -> f64 {
        match self {
            Self::F64 => f64::MAX,
            Self::F32 => f64::from(f32::MAX),
            Self::F16 => 65_504.0,
            Self::Bf16 => f64::from(f32::from_bits(0x7F7F_0000)),
            _ => self.value(self.round(f64::MAX)),
        }
    }

    const fn mask(self) -> u64 {
        match self.bits_wide() {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    /// Steps between two finite patterns, counted in representable values; absent for integers.
    pub fn ulp_distance(self, a: u64, b: u64) -> Option<u64> {
        self.is_float().then(|| self.ordinal(a).abs_diff(self.ordinal(b)))
    }

    /// Patterns of a float in the order of their values.
    fn ordinal(self, bits: u64) -> i64 {
        if self == Self::F8E8m0 {
            return bits as i64;
        }
        let sign = 1_u64 << (self.bits_wide() - 1);
        let magnitude = (bits & (sign - 1)) as i64;
        if bits & sign == 0 { magnitude } else { -magnitude }
    }

    /// The pattern that a poisoned output holds: a NaN with a payload for floats that have room for one, else the nonce's low bits.
    /// The harnesses compute the same.
    pub const fn poison(self, nonce: u64) -> u64 {
        match self {
            Self::F64 => 0x7FF8_0000_0000_0000 | nonce & 0x7_FFFF_FFFF_FFFF,
            Self::F32 => 0x7FC0_0000 | nonce & 0x3F_FFFF,
            Self::F16 => 0x7E00 | nonce & 0x1FF,
            Self::Bf16 => 0x7FC0 | nonce & 0x3F,
            _ => nonce & self.mask(),
        }
    }
}

fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    sign * magnitude
}

fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return sign | 0x7E00;
    }
    let magnitude = value.abs();
    if magnitude >= 65_520.0 {
        return sign | 0x7C00;
    }
    // The exponent of the value, held at the smallest normal one so that subnormals share its unit.
    let exponent = ((magnitude.to_bits() >> 52 & 0x7FF) as i32 - 1023).max(-14);
    let steps = (magnitude / 2_f64.powi(exponent - 10)).round_ties_even() as u16;
    // A normal number's steps begin at 1024, which is exactly one step of its exponent field.
    sign | ((exponent + 14) as u16 * 1024 + steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Patterns printed by Python 3.11's struct module, format "e".
    #[test]
    fn half_patterns_are_those_of_another_implementation() {
        for (value, bits) in [
            (1.0, 0x3C00),
            (-2.5, 0xC100),
            (65_504.0, 0x7BFF),
            (6.0e-8, 0x0001),
            (0.1, 0x2E66),
            (2049.0, 0x6800),
            (2051.0, 0x6802),
        ] {
            assert_eq!(Dtype::F16.round(value), bits, "{value}");
        }
    }

    #[test]
    fn every_pattern_of_sixteen_bits_reads_back_as_itself() {
        for dtype in [Dtype::F16, Dtype::Bf16] {
            for bits in 0..=0xFFFF_u64 {
                let value = dtype.value(bits);
                if !value.is_nan() {
                    assert_eq!(dtype.round(value), bits, "{} {bits:04x}", dtype.name());
                }
            }
        }
    }

    #[test]
    fn poison_is_nan_for_floats_and_keeps_its_nonce() {
        for dtype in Dtype::ALL {
            let pattern = dtype.poison(0x1234_5678_9ABC_DEF1);
            let has_payloads = dtype.is_float() && dtype.bits_wide() > 8;
            assert_eq!(has_payloads, dtype.value(pattern).is_nan(), "{}", dtype.name());
            assert_ne!(pattern, dtype.poison(0x1234_5678_9ABC_DEF0), "{}", dtype.name());
        }
    }

    #[test]
    fn patterns_survive_memory_also_where_two_share_a_byte() {
        assert_eq!(Dtype::F4E2m1.pack([1, 15, 7]), [0xF1, 0x07]);
        assert_eq!(Dtype::F4E2m1.patterns(&[0xF1, 0x07]).collect::<Vec<_>>(), [1, 15, 7, 0]);
        for dtype in Dtype::ALL {
            let patterns: Vec<u64> = (0..6).map(|bits| bits & dtype.mask()).collect();
            let bytes = dtype.pack(patterns.iter().copied());
            assert_eq!(bytes.len(), dtype.bytes(6), "{}", dtype.name());
            assert_eq!(dtype.patterns(&bytes).collect::<Vec<_>>(), patterns, "{}", dtype.name());
        }
    }

    #[test]
    fn neighbours_are_one_step_apart_across_zero_too() {
        let tiny = Dtype::F32.round(f64::from(f32::from_bits(1)));
        assert_eq!(Dtype::F32.ulp_distance(tiny, tiny | 0x8000_0000), Some(2));
        assert_eq!(Dtype::F32.ulp_distance(Dtype::F32.round(1.0), Dtype::F32.round(1.0) + 1), Some(1));
        assert_eq!(Dtype::I32.ulp_distance(1, 2), None);
    }

    proptest! {
        #[test]
        fn integers_keep_their_sign(value in any::<i16>()) {
            let bits = Dtype::I16.patterns(&value.to_le_bytes()).next().unwrap();
            prop_assert_eq!(Dtype::I16.integer(bits), i64::from(value));
            prop_assert_eq!(Dtype::I16.round(f64::from(value)), bits);
        }
    }
}
