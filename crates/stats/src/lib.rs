//! Statistics of paired timings and the versioned judge; pure, no clock, no files.
