//! Which processes came from a command, and which of them its end did not reach.
//!
//! A process is known by two signs together: it descends from kforge (which adopts orphans for as long as commands run, so that a double fork
//! does not hide them), and it carries the mark of its command in its environment. A process without the mark counts only where nothing else
//! can be its origin: kforge had no child when it began, and the process is an orphan of another session that is younger than the command.
//! Invariant: what kforge did not start is never on the list.

use nix::sys::prctl::set_child_subreaper;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid, getsid};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

/// The variable that carries the mark.
pub(super) const MARK: &str = "KFORGE_RUN";
/// A tick of the processor times in `/proc`, as every Linux shows them (USER_HZ), in ns.
const TICK_NS: u64 = 10_000_000;

/// One process, as `/proc` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// `Z` where it has ended and nobody has taken notice, `T` where it stands still.
    pub(super) state: char,
    /// When it started, in ticks since the machine did: with the pid, this names a process for ever.
    pub(super) start: u64,
    /// Processor time of itself and of its children that ended, ns.
    pub(super) used_ns: u64,
    /// Its command line, or its name in brackets where that is not to be read.
    pub(super) command: String,
    /// It was found without its mark.
    pub(super) hides: bool,
}

impl Process {
    /// Out of the text of `/proc/PID/stat` and of `/proc/PID/cmdline` with blanks between the words.
    pub(super) fn parse(stat: &str, command: &str) -> Option<Self> {
        // The name stands in parentheses and may hold anything, parentheses too.
        let (before, rest) = stat.rsplit_once(')')?;
        let (pid, name) = before.split_once(" (")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let whole = |at: usize| fields.get(at)?.parse::<i64>().ok();
        let ticks = |at: usize| whole(at).and_then(|ticks| u64::try_from(ticks).ok());
        let command = command.trim();
        Some(Self {
            pid: pid.trim().parse().ok()?,
            state: fields.first()?.chars().next()?,
            parent: i32::try_from(whole(1)?).ok()?,
            group: i32::try_from(whole(2)?).ok()?,
            session: i32::try_from(whole(3)?).ok()?,
            used_ns: (ticks(11)? + ticks(12)? + ticks(13)? + ticks(14)?).saturating_mul(TICK_NS),
            start: ticks(19)?,
            command: if command.is_empty() { format!("[{name}]") } else { command.to_owned() },
            hides: false,
        })
    }

    /// The process with this number, now.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(&String::from_utf8_lossy(&stat), "")
    }

    /// With its command line, which is read for the few that are named.
    fn named(&self) -> Self {
        let line = std::fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let command = if line.trim().is_empty() { self.command.clone() } else { line.trim().to_owned() };
        Self { command, ..self.clone() }
    }

    /// True where this process has the mark of a command.
    fn carries(&self, mark: &str) -> bool {
        let environment = std::fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| {
            entry.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
                == Some(mark.as_bytes())
        })
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = crate::wording::one_line(&self.command);
        let short: String = line.chars().take(60).collect();
        let cut = if short.len() < line.len() { "…" } else { "" };
        write!(f, "process {} (`{short}{cut}`)", self.pid)
    }
}

/// How many households adopt orphans in this process now.
static ADOPTING: Mutex<u32> = Mutex::new(0);

/// kforge as the ancestor of what it starts here.
pub(super) struct Household {
    me: i32,
    session: i32,
    /// Children that were there before any command was started: an orphan without a mark could be theirs.
    inherited: bool,
}

impl Household {
    /// From now on orphans of what is started come to this process.
    pub(super) fn open() -> Self {
        let me = getpid().as_raw();
        let session = getsid(None).map_or(0, Pid::as_raw);
        let inherited = processes().values().any(|process| process.parent == me);
        if let Ok(mut count) = ADOPTING.lock() {
            *count += 1;
            // Where the system has no such thing, marks are all there is, and they are enough for what does not hide.
            let _ = set_child_subreaper(true);
        }
        Self { me, session, inherited }
    }

    /// Every living process of a command: `started` is when its first process did, in ticks.
    pub(super) fn members(&self, mark: &str, started: u64) -> Vec<Process> {
        let all = processes();
        let mut found: BTreeMap<i32, Process> = BTreeMap::new();
        for process in all.values().filter(|process| self.is_descendant(process, &all)) {
            if process.state == 'Z' {
                // Only orphans: children of kforge's own session are waited for by whoever started them.
                if process.parent == self.me && process.session != self.session {
                    let _ = waitpid(Pid::from_raw(process.pid), Some(WaitPidFlag::WNOHANG));
                }
            } else if process.carries(mark) {
                found.insert(process.pid, process.named());
            } else if self.hides(process, started, &all) {
                found.insert(process.pid, Process { hides: true, ..process.named() });
            }
        }
        found.into_values().collect()
    }

    fn is_descendant(&self, process: &Process, all: &BTreeMap<i32, Process>) -> bool {
        lineage(process, all).any(|ancestor| ancestor.parent == self.me)
    }

    /// An orphan without a mark, or a descendant of one, that nothing but this run can have started.
    fn hides(&self, process: &Process, started: u64, all: &BTreeMap<i32, Process>) -> bool {
        !self.inherited
            && lineage(process, all).any(|ancestor| {
                ancestor.parent == self.me
                    && ancestor.session != self.session
                    && ancestor.start >= started
                    && !has_mark(ancestor)
            })
    }
}

/// True where a process carries the mark of any command.
fn has_mark(process: &Process) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry.starts_with(b"KFORGE_RUN="))
}

impl Drop for Household {
    fn drop(&mut self) {
        if let Ok(mut count) = ADOPTING.lock() {
            *count = count.saturating_sub(1);
            if *count == 0 {
                let _ = set_child_subreaper(false);
            }
        }
    }
}

/// A process and its ancestors.
fn lineage<'p>(process: &'p Process, all: &'p BTreeMap<i32, Process>) -> impl Iterator<Item = &'p Process> {
    // Pids that changed hands while `/proc` was read could make a ring.
    std::iter::successors(Some(process), |process| all.get(&process.parent)).take(1000)
}

/// Every process that `/proc` shows; empty where there is no `/proc`.
fn processes() -> BTreeMap<i32, Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| Some((pid, Process::of(pid)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks_does_not_shift_the_fields() {
        let stat =
            "4242 (a) R (b) S 17 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 0 0 18446744073709551615";
        let process = Process::parse(stat, "").unwrap();
        assert_eq!((process.pid, process.state, process.parent), (4242, 'S', 17));
        assert_eq!((process.group, process.session, process.start), (40, 39, 987_654));
        assert_eq!(process.used_ns, 26 * TICK_NS);
        assert_eq!(process.command, "[a) R (b]");
        assert_eq!(Process::parse("4242 (x", ""), None);
        assert_eq!(Process::parse("", ""), None);
    }

    #[test]
    fn this_process_is_found_and_reads_as_what_it_is() {
        let me = Process::of(getpid().as_raw()).unwrap();
        assert!(me.start > 0 && me.group > 0 && !me.command.is_empty());
        assert!(me.to_string().starts_with(&format!("process {} (`", me.pid)));
    }

    #[test]
    fn a_process_that_is_not_marked_is_left_alone_where_others_may_have_started_it() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let household = Household::open();
        assert!(household.inherited);
        let found = household.members("no-such-mark", 0);
        assert!(found.is_empty(), "{found:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
