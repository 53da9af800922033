//! The facade: a module a verb, Request in, Response out; the only composer.
