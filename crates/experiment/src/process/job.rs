//! One command as a child: a script, its own process group, pipes, a log, and an end that leaves nothing behind.

use super::census::{MARK, Process};
use super::place::{Place, quoted};
use super::relay::Relay;
use super::standing::standing_of;
use crate::interrupt::Interrupt;
use crate::runner::{Leftover, Standing};
use crate::wording::last_line;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getpgrp};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug)]
pub struct JobSpec<'a> {
    /// A shell command.
    pub command: &'a str,
    /// The folder it runs in, here.
    pub folder: &'a Path,
    /// Variables beside the inherited ones and those of the place; values are already names inside.
    pub env: &'a [(String, String)],
    /// Where its script, its group's number and its log go.
    pub scratch: &'a Path,
    /// A word for file names.
    pub label: &'a str,
    /// Whether the command reads the pipe; otherwise it reads nothing and the pipe only watches kforge.
    pub reads_input: bool,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With exit status 0.
    Well,
    /// With the status by which a shell says that there is no such program (127), or that it cannot be run (126).
    NotRun(i32),
    /// With another status or by a signal; a clause such as `ended with status 2`.
    Badly(String),
    /// It was killed at its deadline.
    Late(Duration),
    /// The user asked to stop, and it was killed.
    Interrupted,
}

/// What a look at processes that left a command's groups found.
pub(super) struct Enclosed {
    /// One was out there that stands still with the others from now on.
    pub(super) any: bool,
    /// And it was not met before, inside or outside.
    pub(super) unknown: bool,
}

/// A running command.
pub struct Job<'a> {
    pub(super) child: Child,
    place: &'a Place,
    relay: &'a Relay,
    /// Process groups where the command runs; the first is the one that the script made.
    groups: Vec<i32>,
    /// Groups of processes that left them: they stand still and go on with the others, and are told apart when the command ends.
    strays: Vec<i32>,
    /// Every process of the command that a look has met so far.
    seen: BTreeSet<i32>,
    group_file: PathBuf,
    log: PathBuf,
    /// What was in the log before kforge killed the command: what a shell adds then is about kforge's own signal.
    last_words: Option<String>,
    /// What every process of the command has in its environment.
    mark: String,
    /// When the first of them started, in ticks.
    started: u64,
    /// Processes that were still there after the command had ended.
    left: Vec<Process>,
    cleared: bool,
}

/// Numbers the files of jobs inside one process.
static SERIAL: AtomicU64 = AtomicU64::new(0);

/// How often waiting looks at deadlines and interrupts.
const SLICE: Duration = Duration::from_millis(2);
/// What a command left has so many slices to end by itself, and as many to end after it was killed.
const GRACE_SLICES: u32 = 100;

impl<'a> Job<'a> {
    /// Starts a command.
    ///
    /// # Errors
    /// Where its files cannot be written, the folder is not visible inside, or the program cannot be started.
    pub fn start(spec: &JobSpec<'_>, place: &'a Place, relay: &'a Relay) -> std::io::Result<Self> {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let file = |ending: &str| spec.scratch.join(format!("{serial:04}-{}.{ending}", spec.label));
        let (script, group_file, log) = (file("sh"), file("group"), file("log"));
        let inside = |path: &Path| {
            place.inside(path).ok_or_else(|| {
                std::io::Error::new(
                    std::io::ErrorKind::NotFound,
                    format!("{} is not visible inside; map it", path.display()),
                )
            })
        };
        let mark = relay.mark(serial);
        std::fs::write(
            &script,
            script_text(spec, place, &mark, &inside(spec.folder)?, &inside(&group_file)?),
        )?;
        let script_inside = inside(&script)?;
        let mut words = place.prefix.iter().map(String::as_str).chain(["sh", &script_inside]);
        let program = words.next().unwrap_or("sh");
        let output = File::create(&log)?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stderr(output.try_clone()?).process_group(0);
        if spec.reads_input {
            command.stdout(Stdio::piped());
        } else {
            command.stdout(output);
        }
        let child = command.spawn()?;
        let started = Process::of(child.id() as i32).map_or(u64::MAX, |process| process.start);
        Ok(Self {
            child,
            place,
            relay,
            groups: Vec::new(),
            strays: Vec::new(),
            seen: BTreeSet::new(),
            group_file,
            log,
            last_words: None,
            mark,
            started,
            left: Vec::new(),
            cleared: false,
        })
    }

    /// Registers the command's group with the helper, once the script has said which it is.
    pub fn watch(&mut self) {
        for _ in 0..2500 {
            if let Some(group) = self.read_group() {
                self.adopt(group);
                return;
            }
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            sleep(SLICE);
        }
    }

    fn read_group(&self) -> Option<i32> {
        std::fs::read_to_string(&self.group_file).ok()?.trim().parse().ok().filter(|group| *group > 1)
    }

    /// A group that belongs to this command too: a runner that made one of its own says so in its hello. False where no process of the command
    /// is in it: what a runner says in a namespace of its own names somebody else's processes here.
    pub fn adopt(&mut self, group: i32) -> bool {
        if self.groups.contains(&group) {
            return true;
        }
        let other = self.place.is_elsewhere() || group != getpgrp().as_raw();
        let inside = group > 1 && other && self.members().iter().any(|process| process.group == group);
        if inside {
            self.groups.push(group);
            self.relay.add(group);
        }
        inside
    }

    /// Sends a signal to every group of the command, where it runs.
    pub fn signal(&self, signal: Signal) {
        let halts = matches!(signal, Signal::SIGSTOP | Signal::SIGCONT);
        let strays = self.strays.iter().filter(|_| halts);
        for group in self.groups.iter().chain(strays) {
            if self.place.is_elsewhere() {
                self.relay.signal(signal.as_str().trim_start_matches("SIG"), *group);
            } else {
                // A group that has ended already is what was wanted.
                let _ = killpg(Pid::from_raw(*group), signal);
            }
        }
    }

    /// Waits for the end, within a deadline.
    pub fn wait(&mut self, deadline: Duration, interrupt: &dyn Interrupt) -> Ended {
        self.watch();
        let mut left = deadline;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.end_group();
                    return how(status);
                }
                Ok(None) => {}
                Err(error) => return Ended::Badly(format!("could not be waited for: {error}")),
            }
            if interrupt.is_set() {
                self.kill();
                return Ended::Interrupted;
            }
            if left.is_zero() {
                self.kill();
                return Ended::Late(deadline);
            }
            let pause = SLICE.min(left);
            sleep(pause);
            left -= pause;
        }
    }

    /// Kills every process of the command, inside and here, and waits until they are gone.
    pub fn kill(&mut self) {
        if self.groups.is_empty()
            && let Some(group) = self.read_group()
        {
            self.groups.push(group);
        }
        if self.last_words.is_none() && matches!(self.child.try_wait(), Ok(None)) {
            self.last_words = Some(log_tail(&self.log));
        }
        // A stopped process takes a kill as well as a running one.
        self.signal(Signal::SIGKILL);
        drop(self.child.stdin.take());
        // The script ends by itself once its command is gone; what is left here then is the prefix.
        for _ in 0..250 {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            sleep(SLICE);
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
            let _ = self.child.wait();
        }
        self.forget();
        self.clear();
    }

    /// The command has ended: children that stayed in its group end with it, and so does whatever else it started.
    fn end_group(&mut self) {
        drop(self.child.stdin.take());
        self.signal(Signal::SIGKILL);
        self.forget();
        self.clear();
    }

    /// Every living process of the command.
    fn members(&self) -> Vec<Process> {
        match &self.relay.household {
            Some(household) => household.members(&self.mark, self.started),
            None => self.relay.marked(&self.mark),
        }
    }

    /// Processor time that processes of the command used so far out of reach of its groups' signals, each with its name.
    pub(super) fn beside(&self) -> Vec<(String, u64)> {
        let members = self.members().into_iter();
        let beside = members.filter(|process| !self.groups.contains(&process.group));
        beside.map(|process| (process.to_string(), process.used_ns)).collect()
    }

    /// Takes in processes that left the command's groups, so that they stand still with it. What has removed its mark may be another command's and is
    /// left.
    pub(super) fn enclose(&mut self) -> Enclosed {
        let own = getpgrp().as_raw();
        let outside = |process: &Process| {
            let known = self.groups.contains(&process.group) || self.strays.contains(&process.group);
            !known && !process.hides && process.group > 1 && process.group != own
        };
        let members = self.members();
        let left: Vec<&Process> = members.iter().filter(|process| outside(process)).collect();
        let enclosed = Enclosed {
            any: !left.is_empty(),
            // One that was there before and has only now come to leave the group, on a machine with other work, stood still with it until then.
            unknown: left.iter().any(|process| !self.seen.contains(&process.pid)),
        };
        let groups: BTreeSet<i32> = left.iter().map(|process| process.group).collect();
        self.strays.extend(groups);
        self.seen.extend(members.iter().map(|process| process.pid));
        enclosed
    }

    /// How the processes that its groups' signals reach are scheduled; nothing where they are elsewhere.
    pub(super) fn standing(&self) -> BTreeSet<Standing> {
        if self.place.is_elsewhere() {
            return BTreeSet::new();
        }
        let members = self.members().into_iter().filter(|process| self.groups.contains(&process.group));
        members.flat_map(|process| standing_of(process.pid)).collect()
    }

    /// Waits a moment for what the command left to end by itself, then remembers it and kills it.
    fn clear(&mut self) {
        if std::mem::replace(&mut self.cleared, true) {
            return;
        }
        let mut there = self.members();
        for _ in 0..GRACE_SLICES {
            if there.is_empty() {
                return;
            }
            sleep(SLICE);
            there = self.members();
        }
        // What is killed may have been about to start another one.
        for _ in 0..GRACE_SLICES {
            if there.is_empty() {
                return;
            }
            for process in &there {
                let named = |old: &Process| (old.pid, old.start) == (process.pid, process.start);
                if !self.left.iter().any(named) {
                    self.left.push(process.clone());
                }
                self.end(process);
            }
            sleep(SLICE);
            there = self.members();
        }
    }

    /// Kills one process, if it is still the one that was seen.
    fn end(&self, process: &Process) {
        if self.place.is_elsewhere() {
            self.relay.end(process.pid);
        } else if Process::of(process.pid).is_some_and(|now| now.start == process.start) {
            // Ended already, or not ours to kill under another user: both are seen when it is looked for again.
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        }
    }

    /// Processes that were still there after the command had ended, in words; they have been killed.
    pub fn left(&self) -> Vec<Leftover> {
        let left = self.left.iter();
        left.map(|process| Leftover { process: process.to_string(), hides: process.hides }).collect()
    }

    fn forget(&mut self) {
        for group in self.groups.drain(..) {
            self.relay.remove(group);
        }
    }

    /// The last lines of what the command wrote, at most 4 KiB.
    pub fn log_tail(&self) -> String {
        self.last_words.clone().unwrap_or_else(|| log_tail(&self.log))
    }

    /// Waits a moment for an orderly end, then kills what is left.
    pub fn finish(&mut self, patience: Duration) -> Option<ExitStatus> {
        drop(self.child.stdin.take());
        let mut left = patience;
        while !left.is_zero() {
            if let Ok(Some(status)) = self.child.try_wait() {
                self.end_group();
                return Some(status);
            }
            sleep(SLICE);
            left = left.saturating_sub(SLICE);
        }
        self.kill();
        None
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) || !self.groups.is_empty() {
            self.kill();
        } else {
            self.clear();
        }
    }
}

/// A clause about an exit status.
pub(super) fn how(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ended::Well,
        // A shell reports its command's signal as 128 + its number.
        (Some(code @ (126 | 127)), _) => Ended::NotRun(code),
        (Some(code), _) if code > 128 && code < 128 + 65 => Ended::Badly(signal_clause(code - 128)),
        (Some(code), _) => Ended::Badly(format!("ended with status {code}")),
        (None, Some(signal)) => Ended::Badly(signal_clause(signal)),
        (None, None) => Ended::Badly("ended".to_owned()),
    }
}

/// What a shell could not run, out of its own last words: the program, and a clause about it.
pub fn unrunnable(command: &str, log: &str) -> (String, String) {
    let said = last_line(log);
    // Shells and `env` end their complaint with the program and the cause.
    let named =
        said.as_deref().and_then(|said| said.rsplit(": ").nth(1)).map(|word| word.trim_matches(QUOTES));
    let assigns = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let first =
        || command.split_whitespace().find(|word| !assigns(word) && *word != "exec").unwrap_or(command);
    let program = match named.filter(|word| !word.is_empty() && command.contains(word)) {
        Some(named) => named,
        None => first(),
    };
    let clause =
        said.as_ref().map_or_else(|| "cannot be run".to_owned(), |said| format!("cannot be run ({said})"));
    (program.to_owned(), clause)
}

/// Quotation marks that tools put around a name.
const QUOTES: [char; 5] = ['\'', '"', '`', '\u{2018}', '\u{2019}'];

fn signal_clause(number: i32) -> String {
    match Signal::try_from(number) {
        Ok(Signal::SIGKILL) => "was killed (SIGKILL; out of memory is a common cause)".to_owned(),
        Ok(signal) => format!("was ended by {}", signal.as_str()),
        Err(_) => format!("was ended by signal {number}"),
    }
}

pub(super) fn log_tail(path: &Path) -> String {
    // A side that prints in every call leaves gigabytes.
    let end = || {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(4096)))?;
        let mut bytes = Vec::new();
        file.take(4096).read_to_end(&mut bytes)?;
        Ok::<Vec<u8>, std::io::Error>(bytes)
    };
    let text = String::from_utf8_lossy(&end().unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// The script: change folder, set variables, start the command as a process group, say its number, wait.
///
/// `setsid` gives the command a group of its own; where it is missing, job control does, in shells that have it without a terminal.
/// Where the command reads nothing, a reader of the pipe kills the group when kforge goes away.
fn script_text(spec: &JobSpec<'_>, place: &Place, mark: &str, folder: &str, group_file: &str) -> String {
    let mut text = format!("cd {} || exit 96\nexport {MARK}={mark}\n", quoted(folder));
    for (name, value) in place.env.iter().chain(spec.env) {
        let _ = writeln!(text, "export {name}={}", quoted(value));
    }
    let input = if spec.reads_input { "<&3" } else { "</dev/null" };
    let start = format!("sh -c {} {input} 3<&- &", quoted(spec.command));
    let file = quoted(group_file);
    let _ = write!(
        text,
        "exec 3<&0\nif command -v setsid >/dev/null 2>&1; then\n  setsid {start}\nelse\n  set -m 2>/dev/null\n  {start}\nfi\n\
         job=$!\nset +m 2>/dev/null\nexec 0</dev/null\necho \"$job\" > {file}.new && mv {file}.new {file}\n",
    );
    if spec.reads_input {
        text.push_str("exec 3<&-\nwait \"$job\"\nexit $?\n");
    } else {
        text.push_str(
            "( cat <&3 >/dev/null 2>&1; kill -KILL \"-$job\" 2>/dev/null ) >/dev/null 2>&1 &\nguard=$!\nexec 3<&-\n\
             wait \"$job\"\ncode=$?\nkill \"$guard\" 2>/dev/null\nexit $code\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_is_not_there_is_named_as_shells_name_it() {
        let named = |command: &str, log: &str| unrunnable(command, log).0;
        assert_eq!(named("nosuch x", "sh: 1: nosuch: not found\n"), "nosuch");
        assert_eq!(named("cd build && ./run x", "sh: 1: ./run: Permission denied"), "./run");
        assert_eq!(named("env nosuch", "env: \u{2018}nosuch\u{2019}: No such file or directory"), "nosuch");
        assert_eq!(named("A=b ./run x", ""), "./run");
        assert_eq!(unrunnable("a", "sh: a: not found").1, "cannot be run (sh: a: not found)");
    }

    #[test]
    fn a_shell_that_finds_no_program_is_told_apart_from_a_program_that_fails() {
        let ended = |code: i32| how(ExitStatus::from_raw(code << 8));
        assert_eq!(ended(127), Ended::NotRun(127));
        assert_eq!(ended(126), Ended::NotRun(126));
        assert_eq!(ended(125), Ended::Badly("ended with status 125".to_owned()));
        assert!(matches!(ended(139), Ended::Badly(clause) if clause.contains("SIGSEGV")));
    }
}
