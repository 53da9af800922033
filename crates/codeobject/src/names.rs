//! Symbols in the words of their source.

/// Longer symbols are shown as they are: a demangled name may grow with the square of its length.
const LONGEST: usize = 4096;

/// The demangled form of a C++ symbol, where it is one.
pub(crate) fn demangled(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") || symbol.len() > LONGEST {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}
