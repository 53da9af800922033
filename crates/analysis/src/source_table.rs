//! Device work by the Python line that launched it.

use crate::context::HostContext;
use crate::launch::Launches;
use crate::source::SourceId;
use crate::whole::Whole;
use kforge_trace::Trace;
use kforge_units::Nanos;

/// All work of one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The line.
    pub source: SourceId,
    /// Activities that it launched.
    pub count: u64,
    /// Their time.
    pub total: Nanos,
}

/// Source lines with device work, by time.
#[derive(Clone, Debug)]
pub struct SourceTable {
    /// A row for each line.
    pub rows: Vec<SourceRow>,
    /// The reconciliation.
    pub whole: Whole,
}

impl SourceTable {
    /// The source lines of a trace.
    pub fn of(trace: &Trace, launches: &Launches, context: &HostContext) -> Self {
        let sources = context.sources();
        let mut by_line: Vec<(u64, Nanos)> = vec![(0, Nanos::ZERO); sources.len()];
        let mut ids: Vec<Option<SourceId>> = vec![None; sources.len()];
        let mut whole = Whole::default();
        for (id, activity) in trace.activities().iter() {
            let length = activity.length.unwrap_or_default();
            let source = context.context(trace, launches, id).source;
            whole.add(length, source.is_some());
            if let Some(source) = source {
                ids[source.index()] = Some(source);
                let (count, total) = &mut by_line[source.index()];
                *count += 1;
                *total += length;
            }
        }
        let mut rows: Vec<SourceRow> = ids
            .into_iter()
            .zip(by_line)
            .filter_map(|(id, (count, total))| Some(SourceRow { source: id?, count, total }))
            .collect();
        rows.sort_by(|a, b| {
            let line = |row: &SourceRow| -> (&str, u32, &str) {
                let line = sources.get(row.source);
                (line.file.as_str(), line.line, line.function.as_str())
            };
            b.total.cmp(&a.total).then(b.count.cmp(&a.count)).then_with(|| line(a).cmp(&line(b)))
        });
        Self { rows, whole }
    }
}
