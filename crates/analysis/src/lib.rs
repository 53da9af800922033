//! Pure answers from a Trace: links, regions, tables, timeline, trust.
