//! Takes a kernel's name apart: the function itself, its template arguments, its parameters.
//!
//! A word among the template arguments (a functor, a lambda, an epilogue) must not outvote the function's own name, so
//! rules look at the parts separately. Reads demangled, nsys-style, mangled (Itanium) and plain names. A name that is
//! cut off or unbalanced gives the parts it still has.

use crate::words::{Joins, split};

/// The digits of the greatest length that an identifier can have.
const MOST_DIGITS: usize = 19;

/// The words of one kernel name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelName {
    /// The qualified function: namespaces and name.
    pub(crate) function: Vec<String>,
    /// Everything inside the template arguments, nested or not.
    pub(crate) arguments: Vec<String>,
    /// The parameter list; used for data types only.
    pub(crate) parameters: Vec<String>,
}

impl KernelName {
    /// Takes `name` apart.
    pub(crate) fn parse(name: &str, joins: &Joins) -> Self {
        let mut parts = match mangled_start(name) {
            Some(at) => mangled(name, at),
            None => demangled(name),
        };
        joins.apply(&mut parts.function);
        joins.apply(&mut parts.arguments);
        joins.apply(&mut parts.parameters);
        parts
    }
}

/// Where an Itanium name begins: at the start, or after a prefix that a tool put before it (`cfg12__ZN…`).
fn mangled_start(name: &str) -> Option<usize> {
    let at = name.find("_Z")?;
    let rest = &name.as_bytes()[at + 2..];
    let nested = usize::from(rest.first() == Some(&b'N'));
    (rest.get(nested).is_some_and(u8::is_ascii_digit) && (at == 0 || name.as_bytes()[at - 1] == b'_'))
        .then_some(at)
}

/// Names as c++filt, nsys and Triton print them.
fn demangled(name: &str) -> KernelName {
    let mut parts = KernelName::default();
    let clean = name.replace("(anonymous namespace)", "").replace("<unnamed>", "");
    let clean = clean.trim_end_matches(".kd").trim_end_matches("(.kd)").trim_end_matches("[clone .kd]");
    let clean = clean.strip_prefix("void ").unwrap_or(clean);
    let (mut angle, mut round) = (0_usize, 0_usize);
    let mut start = 0;
    let mut previous = b' ';
    let bytes = clean.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let depth_before = (angle, round);
        match byte {
            b'<' if previous != b'-' => angle += 1,
            b'>' if previous != b'-' && previous != b'=' => angle = angle.saturating_sub(1),
            b'(' | b'[' | b'{' => round += 1,
            b')' | b']' | b'}' => round = round.saturating_sub(1),
            _ => {}
        }
        previous = byte;
        if depth_before != (angle, round) {
            split(&clean[start..at], part(&mut parts, depth_before));
            start = at + 1;
        }
    }
    split(&clean[start..], part(&mut parts, (angle, round)));
    parts
}

/// The part that text at this bracket depth belongs to.
fn part(parts: &mut KernelName, (angle, round): (usize, usize)) -> &mut Vec<String> {
    match (angle, round) {
        (0, 0) => &mut parts.function,
        (0, _) => &mut parts.parameters,
        _ => &mut parts.arguments,
    }
}

/// Reads the identifiers of an Itanium name: up to the first template-argument list they are the function.
/// Not a demangler: substitutions and parameter types are skipped.
fn mangled(name: &str, at: usize) -> KernelName {
    let mut parts = KernelName::default();
    let bytes = name.as_bytes();
    let mut at = at + 2;
    let nested = bytes.get(at) == Some(&b'N');
    at += usize::from(nested);
    while let Some((identifier, next)) = identifier(name, at) {
        if !identifier.starts_with("_GLOBAL_") {
            split(identifier, &mut parts.function);
        }
        at = next;
        if !nested || !bytes.get(at).is_some_and(u8::is_ascii_digit) {
            break;
        }
    }
    while at < bytes.len() {
        at = mangled_argument(name, at, &mut parts.arguments);
    }
    parts
}

/// Reads one thing inside the encoded arguments and says where the next one begins.
fn mangled_argument(name: &str, at: usize, out: &mut Vec<String>) -> usize {
    let rest = &name.as_bytes()[at..];
    if rest.starts_with(b"DF16b") || rest.starts_with(b"DF16_") {
        out.push(if rest[4] == b'b' { "bf16" } else { "f16" }.to_owned());
        return at + 5;
    }
    // A reference to something named before, `S4_` or `T0_`: its digit is a number and not a length.
    if matches!(rest[0], b'S' | b'T') {
        let number = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.get(1 + number) == Some(&b'_') {
            return at + 2 + number;
        }
    }
    // An integer literal, `Li256E`: its digits are a value and not a length.
    if rest[0] == b'L' && rest.get(1).is_some_and(u8::is_ascii_lowercase) {
        let digits = rest[2..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'n').count();
        if digits > 0 && rest.get(2 + digits) == Some(&b'E') {
            return at + 3 + digits;
        }
    }
    if let Some((identifier, next)) = identifier(name, at) {
        split(identifier, out);
        return next;
    }
    at + name[at..].chars().next().map_or(1, char::len_utf8)
}

/// A length-prefixed identifier at `at`, and where it ends.
fn identifier(name: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = name.as_bytes();
    // A longer number is no length; counting it to its end at each of its digits would take for ever.
    let digits = bytes.get(at..)?.iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let length: usize = name.get(at..at + digits)?.parse().ok()?;
    let start = at + digits;
    let first = *bytes.get(start)?;
    if length < 2 || !(first.is_ascii_alphabetic() || first == b'_') {
        return None;
    }
    // A name that was cut off ends inside its last identifier.
    let end = (start + length).min(name.len());
    name.get(start..end).map(|identifier| (identifier, end))
}

#[cfg(test)]
mod tests {
    use super::KernelName;
    use crate::words::Joins;
    use proptest::prelude::*;

    fn parse(name: &str) -> (String, String) {
        let parts = KernelName::parse(name, &Joins::default());
        (parts.function.join(" "), parts.arguments.join(" "))
    }

    #[test]
    fn a_template_argument_is_not_the_function() {
        let (function, arguments) = parse(
            "void at::native::(anonymous namespace)::elementwise_kernel<4, at::native::Mul<float>{lambda()#1}>(int, softmax)",
        );
        assert_eq!(function, "at native elementwise kernel");
        assert_eq!(arguments, "4 at native mul float lambda 1");
    }

    #[test]
    fn nsys_and_clone_suffixes_read_alike() {
        assert_eq!(parse("void at::native::<unnamed>::Cat<(int)4>(T1)").0, "at native cat");
        assert_eq!(parse("mul_mat_q<2>(int) [clone .kd]").0, "mul mat q");
        assert_eq!(parse("_gemm_kernel.kd").0, "gemm kernel");
    }

    #[test]
    fn mangled_names_keep_function_and_arguments_apart() {
        let (function, arguments) =
            parse("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELb0EEEvPT0_PT_PfS4_S4_S4_diiiiiiib");
        assert_eq!(function, "aiter add rmsnorm quant kernel");
        assert_eq!(arguments, "bf16 bf16");
        let (function, arguments) =
            parse("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_8sequenceIJLi3072EEEEEEvDpT1_");
        assert_eq!(function, "ck tile kentry");
        assert_eq!(arguments, "rmsnorm2d fwd sequence");
    }

    #[test]
    fn a_name_of_a_third_of_a_megabyte_is_taken_apart() {
        let joins = Joins::new(&["layer norm".to_owned()]);
        let pieces = [
            "x",
            "<",
            "::",
            "_",
            "7",
            "aB",
            "layer_norm_",
            "(",
            "S1_",
            "Li7",
            "S",
            "T9",
            "3abc",
            "[.kd]",
            "λ",
        ];
        for piece in pieces {
            let long = piece.repeat(300_000 / piece.len());
            for name in [long.clone(), format!("_ZN4name{long}"), format!("f<{long}>({long})")] {
                let _ = KernelName::parse(&name, &joins);
            }
        }
    }

    proptest! {
        #[test]
        fn no_name_makes_it_panic(name in "(_ZN?)?[0-9a-zA-Z_:<>(){}\\[\\]é ,*&]{0,80}") {
            let _ = parse(&name);
        }
    }
}
