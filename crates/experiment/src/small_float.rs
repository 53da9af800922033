//! Floats of 4 and 8 bits: sign, exponent, fraction, and what each format does with its last patterns.
//!
//! Sources: OCP 8-bit Floating Point Specification 1.0 (E4M3, E5M2), OCP Microscaling Formats 1.0 (E2M1, E8M0), AMD CDNA 3 instruction set
//! (FNUZ). Rounding is to nearest, ties to even; what would overflow becomes the largest finite value, as the harnesses do it.

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmallFloat {
    bits: u32,
    fraction: u32,
    bias: i32,
    /// The largest finite magnitude's pattern.
    largest: u32,
    /// The smallest magnitude's pattern that is a NaN, where there is one without the sign.
    nan_from: Option<u32>,
    /// The pattern of an infinity.
    infinity: Option<u32>,
    /// The pattern of a negative zero is the NaN.
    unsigned_zero: bool,
}

impl SmallFloat {
    pub(crate) const E4M3FN: Self = Self {
        bits: 8,
        fraction: 3,
        bias: 7,
        largest: 0x7E,
        nan_from: Some(0x7F),
        infinity: None,
        unsigned_zero: false,
    };
    pub(crate) const E5M2: Self = Self {
        bits: 8,
        fraction: 2,
        bias: 15,
        largest: 0x7B,
        nan_from: Some(0x7D),
        infinity: Some(0x7C),
        unsigned_zero: false,
    };
    pub(crate) const E4M3FNUZ: Self = Self {
        bits: 8,
        fraction: 3,
        bias: 8,
        largest: 0x7F,
        nan_from: None,
        infinity: None,
        unsigned_zero: true,
    };
    pub(crate) const E2M1: Self = Self {
        bits: 4,
        fraction: 1,
        bias: 1,
        largest: 0x7,
        nan_from: None,
        infinity: None,
        unsigned_zero: false,
    };

    /// The value of a pattern.
    pub(crate) fn value(self, pattern: u8) -> f64 {
        let sign_bit = 1_u32 << (self.bits - 1);
        let pattern = u32::from(pattern) & ((1 << self.bits) - 1);
        let (negative, magnitude) = (pattern & sign_bit != 0, pattern & (sign_bit - 1));
        if (self.unsigned_zero && pattern == sign_bit) || self.nan_from.is_some_and(|from| magnitude >= from)
        {
            return f64::NAN;
        }
        let exponent = (magnitude >> self.fraction) as i32;
        let part = f64::from(magnitude & ((1 << self.fraction) - 1));
        let one = f64::from(1_u32 << self.fraction);
        let value = if self.infinity == Some(magnitude) {
            f64::INFINITY
        } else if exponent == 0 {
            part * 2_f64.powi(1 - self.bias - self.fraction as i32)
        } else {
            (one + part) * 2_f64.powi(exponent - self.bias - self.fraction as i32)
        };
        if negative { -value } else { value }
    }

    /// A value as a pattern. A NaN becomes the format's NaN, or its largest value where it has none.
    pub(crate) fn round(self, value: f64) -> u8 {
        let sign_bit = 1_u32 << (self.bits - 1);
        if value.is_nan() {
            let none = if self.unsigned_zero { sign_bit } else { self.largest };
            return self.nan_from.unwrap_or(none) as u8;
        }
        let magnitude = value.abs();
        let steps = if magnitude > 1e9 { self.largest } else { self.steps(magnitude).min(self.largest) };
        let signed = value.is_sign_negative() && !(self.unsigned_zero && steps == 0);
        (if signed { steps | sign_bit } else { steps }) as u8
    }

    /// The exponent field and the fraction as one number: steps above zero.
    fn steps(self, magnitude: f64) -> u32 {
        let exponent = ((magnitude.to_bits() >> 52 & 0x7FF) as i32 - 1023).max(1 - self.bias);
        let steps = (magnitude / 2_f64.powi(exponent - self.fraction as i32)).round_ties_even() as u32;
        // The steps of a normal number begin at 2^fraction for each exponent, so a carry out of the fraction is right by itself.
        (((exponent + self.bias - 1) as u32) << self.fraction) + steps
    }

    /// The nearest power of two as E8M0 has it; half way is 1.5 times the lower one and goes up.
    pub(crate) fn power(value: f64) -> u8 {
        if value.is_nan() {
            return 0xFF;
        }
        let bits = value.abs().to_bits();
        let exponent =
            (bits >> 52 & 0x7FF) as i32 - 1023 + i32::from(bits & 0xF_FFFF_FFFF_FFFF >= 0x8_0000_0000_0000);
        (exponent.clamp(-127, 127) + 127) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [SmallFloat; 4] =
        [SmallFloat::E4M3FN, SmallFloat::E5M2, SmallFloat::E4M3FNUZ, SmallFloat::E2M1];

    // OCP OFP8 1.0 table 2, MX 1.0 tables 1 and 5, CDNA 3 ISA section 7: largest, smallest normal, smallest subnormal.
    #[test]
    fn the_ends_of_each_format_are_those_of_its_specification() {
        let ends = |format: SmallFloat, largest: u8, normal: u8| {
            (format.value(largest), format.value(normal), format.value(1))
        };
        assert_eq!(ends(SmallFloat::E4M3FN, 0x7E, 0x08), (448.0, 2_f64.powi(-6), 2_f64.powi(-9)));
        assert_eq!(ends(SmallFloat::E5M2, 0x7B, 0x04), (57_344.0, 2_f64.powi(-14), 2_f64.powi(-16)));
        assert_eq!(ends(SmallFloat::E4M3FNUZ, 0x7F, 0x08), (240.0, 2_f64.powi(-7), 2_f64.powi(-10)));
        assert_eq!(ends(SmallFloat::E2M1, 0x7, 0x2), (6.0, 1.0, 0.5));
        assert!(SmallFloat::E4M3FN.value(0x7F).is_nan() && SmallFloat::E4M3FN.value(0xFF).is_nan());
        assert!(SmallFloat::E5M2.value(0x7C).is_infinite() && SmallFloat::E5M2.value(0x7D).is_nan());
        assert!(SmallFloat::E4M3FNUZ.value(0x80).is_nan());
    }

    #[test]
    fn every_pattern_reads_back_as_itself() {
        for format in ALL {
            for pattern in 0..=((1_u16 << format.bits) - 1) as u8 {
                let value = format.value(pattern);
                if value.is_finite() {
                    assert_eq!(format.round(value), pattern, "{format:?} {pattern:02x}");
                }
            }
        }
    }

    // The slow twin: of all finite patterns the nearest, of two the even one.
    #[test]
    fn rounding_takes_the_nearest_pattern_and_of_two_the_even_one() {
        for format in ALL {
            let magnitudes = 0..=format.largest as u8;
            for step in 0..4000_i32 {
                let value = f64::from(step) * 0.007 * format.value(1).max(0.01);
                let nearest = magnitudes
                    .clone()
                    .min_by(|a, b| {
                        let distance = |pattern: &u8| (format.value(*pattern) - value).abs();
                        distance(a).total_cmp(&distance(b)).then((a % 2).cmp(&(b % 2)))
                    })
                    .unwrap();
                assert_eq!(format.round(value), nearest, "{format:?} {value}");
            }
        }
    }

    #[test]
    fn what_overflows_is_the_largest_and_keeps_its_sign() {
        assert_eq!(SmallFloat::E4M3FN.round(-1e30), 0xFE);
        assert_eq!(SmallFloat::E2M1.round(100.0), 0x7);
        assert_eq!(SmallFloat::E4M3FNUZ.round(-0.0), 0);
    }

    #[test]
    fn a_scale_is_the_nearest_power_of_two() {
        for (value, pattern) in [(1.0, 127), (1.49, 127), (1.5, 128), (0.25, 125), (0.0, 0), (1e300, 254)] {
            assert_eq!(SmallFloat::power(value), pattern, "{value}");
        }
    }
}
