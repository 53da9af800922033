//! What a gate over a range goes by: the objects as they are, the signers of its start, and what was there before it.

mod derived;
mod mixtures;
mod objects;
mod scratch;
mod signers;
mod start;
