//! Kernel families as data: a name to its labels, with the rule that matched.
