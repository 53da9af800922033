//! From experiment.toml to evidence: materialise, build, seal, check, time, judge.
