//! The store of what was learnt: content addresses, atomic writes, find, verify.
