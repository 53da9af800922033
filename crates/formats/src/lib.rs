//! Readers: named members in, a Trace and notes out; one module a format.
