//! The binary `kforge`.

fn main() {}
