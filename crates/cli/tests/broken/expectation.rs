//! One damaged input, what must be true of the answer, and the judge that runs many of them.

use kforge_testkit::captures::MadeKernel;
use kforge_testkit::trace_answer::TraceAnswer;
use std::path::Path;
use std::sync::Mutex;

/// An input and the claims about its answer.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    name: String,
    bytes: Vec<u8>,
    /// Kernels that must be in the table, once, with their own length.
    intact: Vec<MadeKernel>,
    /// Kernels counted without a length: in the table, once, with 0 ns.
    without_length: Vec<MadeKernel>,
    /// How many further rows there may be (a damaged event that was repaired, or not).
    strange_rows: usize,
    /// Kernels may be there more than once: the damage may have copied text.
    copies: bool,
    noted: bool,
    positioned: bool,
    exits: Vec<i32>,
    says: Option<&'static str>,
}

impl Case {
    /// An input that must be read: exit 0, no kernel, no note required.
    pub(crate) fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            intact: Vec::new(),
            without_length: Vec::new(),
            strange_rows: 0,
            copies: false,
            noted: false,
            positioned: false,
            exits: vec![0],
            says: None,
        }
    }

    /// These kernels survive exactly.
    pub(crate) fn intact<'a>(mut self, kernels: impl IntoIterator<Item = &'a MadeKernel>) -> Self {
        self.intact.extend(kernels.into_iter().cloned());
        self
    }

    /// This kernel is counted, without a length.
    pub(crate) fn without_length(mut self, kernel: &MadeKernel) -> Self {
        self.without_length.push(kernel.clone());
        self
    }

    /// There may be this many rows beyond the intact ones.
    pub(crate) fn strange(mut self, rows: usize) -> Self {
        self.strange_rows = rows;
        self
    }

    /// The intact kernels may have copies: the damage may have repeated text.
    pub(crate) fn with_copies(mut self) -> Self {
        self.copies = true;
        self
    }

    /// Something was lost or repaired: there must be a note.
    pub(crate) fn noted(mut self) -> Self {
        self.noted = true;
        self
    }

    /// There must be a note that says at which byte.
    pub(crate) fn positioned(mut self) -> Self {
        self.noted = true;
        self.positioned = true;
        self
    }

    /// It may just as well be refused as no capture.
    pub(crate) fn or_refused(mut self) -> Self {
        self.exits = vec![0, 3];
        self
    }

    /// It must be refused, and the refusal must hold this text (lower case).
    pub(crate) fn refused(mut self, says: &'static str) -> Self {
        self.exits = vec![3];
        self.says = Some(says);
        self
    }

    /// What is wrong with the answer; `None` where nothing is.
    fn verdict(&self, folder: &Path, index: usize) -> Option<String> {
        let file = folder.join(format!("case_{index}"));
        std::fs::write(&file, &self.bytes).expect("the scratch folder takes a file");
        let answer = TraceAnswer::of(Path::new(env!("CARGO_BIN_EXE_kforge")), &file);
        std::fs::remove_file(&file).expect("the scratch file is ours");
        self.judge(&answer).map(|why| format!("{}: {why}", self.name))
    }

    fn judge(&self, answer: &TraceAnswer) -> Option<String> {
        if let Some(fault) = answer.fault() {
            return Some(fault);
        }
        let exit = answer.exit.unwrap_or(-1);
        if !self.exits.contains(&exit) {
            return Some(format!("exit {exit}, expected {:?}; {}", self.exits, answer.failure()));
        }
        if exit == 3 {
            let said = answer.failure();
            return match self.says {
                Some(says) if !said.contains(says) => Some(format!("{said:?} does not say {says:?}")),
                _ if answer.json["ok"] != false || answer.json["error"]["hint"].is_null() => {
                    Some("a refusal without ok = false and a hint".to_owned())
                }
                _ => None,
            };
        }
        self.judge_rows(answer).or_else(|| self.judge_notes(answer))
    }

    fn judge_rows(&self, answer: &TraceAnswer) -> Option<String> {
        let mut rows = answer.kernels();
        let sum = answer.number("/time/kernel_sum_ns");
        let rows_sum: i128 = rows.values().map(|(_, total)| i128::from(*total)).sum();
        // A sum beyond 64 bits is not read back here; that it ends in an answer is what counts.
        if sum.is_some_and(|sum| i128::from(sum) != rows_sum) || (sum.is_none() && rows_sum < 1 << 62) {
            return Some(format!("kernel_sum_ns {sum:?}, but the rows add up to {rows_sum}"));
        }
        let expected = self.intact.iter().map(|kernel| (kernel, kernel.length_ns));
        for (kernel, length) in expected.chain(self.without_length.iter().map(|kernel| (kernel, 0))) {
            let row = rows.remove(&kernel.name);
            let copied = self.copies && row.is_some_and(|(count, total)| count > 1 && total >= length);
            if row != Some((1, length)) && !copied {
                return Some(format!(
                    "{}: {row:?}, expected (1, {length}); notes {:?}",
                    kernel.name,
                    answer.notes()
                ));
            }
        }
        (rows.len() > self.strange_rows).then(|| format!("rows that nobody wrote: {rows:?}"))
    }

    fn judge_notes(&self, answer: &TraceAnswer) -> Option<String> {
        let notes = answer.notes();
        if self.noted && notes.is_empty() {
            return Some("something was lost and no note says so".to_owned());
        }
        if self.positioned && !notes.iter().any(|(_, _, byte)| *byte) {
            return Some(format!("no note says at which byte: {notes:?}"));
        }
        None
    }
}

/// Runs every case, two at a time, and fails with all that went wrong.
pub(crate) fn judge_all(cases: &[Case]) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let next = Mutex::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = {
                        let mut next = next.lock().expect("no thread fails while it counts");
                        *next += 1;
                        *next - 1
                    };
                    let Some(case) = cases.get(index) else { break };
                    if let Some(why) = case.verdict(folder.path(), index) {
                        wrong.lock().expect("no thread fails while it reports").push((index, why));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("both threads ended");
    wrong.sort();
    let lines: Vec<&str> = wrong.iter().take(30).map(|(_, why)| why.as_str()).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), lines.join("\n"));
}
