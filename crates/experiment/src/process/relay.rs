//! A helper that lives where the commands live: it passes signals on, and ends everything it was told of when kforge goes away.
//!
//! It is a shell script that reads lines from a pipe that only kforge holds. If kforge is killed, the pipe ends and the helper kills
//! every process group that is still on its list.

use super::place::Place;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

const SCRIPT: &str = r#"groups=
trap '' INT TERM HUP
while read -r verb group; do
  case $verb in
    ADD) groups="$groups $group" ;;
    DEL)
      kept=
      for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
      groups=$kept ;;
    *) kill -"$verb" "-$group" 2>/dev/null ;;
  esac
  echo .
done
for each in $groups; do
  kill -KILL "-$each" 2>/dev/null
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
        let mut words = place.prefix.iter().map(String::as_str).chain(["sh", &inside]);
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
        Ok(Self { pipes: Mutex::new(Pipes { child, input, output: BufReader::new(output) }) })
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

    /// One line out, one line back. A helper that is gone has ended its groups already.
    fn say(&self, verb: &str, group: i32) {
        // 0 and 1 would mean the helper's own group and everything else.
        if group <= 1 {
            return;
        }
        let Ok(mut pipes) = self.pipes.lock() else { return };
        let Some(input) = pipes.input.as_mut() else { return };
        if writeln!(input, "{verb} {group}").and_then(|()| input.flush()).is_ok() {
            let mut line = String::new();
            let _ = pipes.output.read_line(&mut line);
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
