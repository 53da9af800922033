//! A helper that lives where the commands live: it passes signals on, and ends everything it was told of when kforge goes away.
//!
//! It is a shell script that reads lines from a pipe that only kforge holds. If kforge is killed, the pipe ends and the helper kills
//! every process group that is still on its list.

use super::census::{Household, Process};
use super::place::Place;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// `LIST` finds processes by their mark; `END` kills one of them. At the end everything that carries the run's mark goes too: a process
/// that left its group is found by what it inherited. Where there is no `/proc`, groups are all that is known. Signals are ignored, that of a
/// broken pipe too: kforge may be killed between a line and its answer.
const SCRIPT: &str = r#"run=$1
groups=
trap '' INT TERM HUP PIPE
marked() { grep -lF "KFORGE_RUN=$1" /proc/[0-9]*/environ 2>/dev/null; }
while read -r verb group; do
  case $verb in
    ADD) groups="$groups $group" ;;
    DEL)
      kept=
      for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
      groups=$kept ;;
    LIST)
      for each in $(marked "$group"); do
        at=${each%/environ}
        stat=$(tr '\n' ' ' < "$at/stat") 2>/dev/null || continue
        printf 'S %s\nC %s\n' "$stat" "$(tr '\0\n' '  ' < "$at/cmdline")" 2>/dev/null
      done 2>/dev/null ;;
    END) kill -KILL "$group" 2>/dev/null ;;
    *) kill -"$verb" "-$group" 2>/dev/null ;;
  esac
  echo .
done
for each in $groups; do
  kill -KILL "-$each" 2>/dev/null
done
rounds=0
while [ $rounds -lt 20 ]; do
  left=$(marked "$run")
  [ -n "$left" ] || break
  for each in $left; do
    pid=${each#/proc/}
    kill -KILL "${pid%/environ}" 2>/dev/null
  done
  rounds=$((rounds + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
"#;

struct Pipes {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The helper.
pub struct Relay {
    pipes: Mutex<Pipes>,
    /// What all marks of this run begin with: nobody else's do.
    run: String,
    /// Absent where commands run elsewhere: their processes descend from something else.
    pub(super) household: Option<Household>,
}

impl Relay {
    /// Starts the helper in a place; its script goes into `scratch`.
    ///
    /// # Errors
    /// Where the script cannot be written or the prefix cannot be started.
    pub fn start(place: &Place, scratch: &Path) -> std::io::Result<Self> {
        let path = scratch.join("relay.sh");
        std::fs::write(&path, SCRIPT)?;
        let inside = place.inside(&path).ok_or(std::io::ErrorKind::NotFound)?;
        let household = (!place.is_elsewhere()).then(Household::open);
        let run = format!("{:032x}", rand::random::<u128>());
        let mut words = place.prefix.iter().map(String::as_str).chain(["sh", &inside, &run]);
        let program = words.next().unwrap_or("sh");
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let pipes = Mutex::new(Pipes { child, input, output: BufReader::new(output) });
        Ok(Self { pipes, run, household })
    }

    /// The mark of a command of this run, always of the same length.
    pub(super) fn mark(&self, serial: u64) -> String {
        format!("{}-{serial:06}", self.run)
    }

    /// Puts a process group on the list of what must not outlive kforge.
    pub fn add(&self, group: i32) {
        self.say("ADD", group);
    }

    /// Takes a process group off the list.
    pub fn remove(&self, group: i32) {
        self.say("DEL", group);
    }

    /// Sends a signal (`STOP`, `CONT`, `TERM`, `KILL`) to a process group; returns when it was sent.
    pub fn signal(&self, signal: &str, group: i32) {
        self.say(signal, group);
    }

    /// Kills one process.
    pub(super) fn end(&self, pid: i32) {
        self.say("END", pid);
    }

    /// The living processes that carry a mark, where the helper is.
    pub(super) fn marked(&self, mark: &str) -> Vec<Process> {
        let mut found = Vec::new();
        let mut stat = String::new();
        for line in self.ask("LIST", mark) {
            match line.split_at_checked(2) {
                Some(("S ", rest)) => rest.clone_into(&mut stat),
                Some(("C ", rest)) => found.extend(Process::parse(&stat, rest)),
                _ => {}
            }
        }
        found.retain(|process| process.state != 'Z');
        found
    }

    fn say(&self, verb: &str, group: i32) {
        // 0 and 1 would mean the helper's own group and everything else.
        if group > 1 {
            self.ask(verb, &group.to_string());
        }
    }

    /// One line out, lines back up to one with a dot. A helper that is gone has ended everything already.
    fn ask(&self, verb: &str, what: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let Ok(mut pipes) = self.pipes.lock() else { return lines };
        let Some(input) = pipes.input.as_mut() else { return lines };
        if writeln!(input, "{verb} {what}").and_then(|()| input.flush()).is_err() {
            return lines;
        }
        loop {
            let mut line = Vec::new();
            match pipes.output.read_until(b'\n', &mut line) {
                Ok(count) if count > 0 && line != b".\n" => {
                    lines.push(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned());
                }
                _ => return lines,
            }
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Ok(mut pipes) = self.pipes.lock() {
            drop(pipes.input.take());
            let _ = pipes.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_whose_kforge_dies_before_it_is_answered_still_ends_everything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relay.sh");
        std::fs::write(&path, SCRIPT).unwrap();
        let mut victim = Command::new("sleep").arg("300").process_group(0).spawn().unwrap();
        let mut helper = Command::new("sh")
            .args([path.as_os_str(), "no-such-run".as_ref()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        // Nobody reads the answer any more when it is written.
        drop(helper.stdout.take());
        let mut input = helper.stdin.take().unwrap();
        writeln!(input, "ADD {}", victim.id()).unwrap();
        drop(input);
        helper.wait().unwrap();
        let ended = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            victim.try_wait().unwrap().is_some()
        });
        if !ended {
            victim.kill().unwrap();
            victim.wait().unwrap();
        }
        assert!(ended, "the process outlived its kforge");
    }
}
