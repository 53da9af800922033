//! Durable types: subject, build, environment, experiment, verdict, lesson, and their versions.
