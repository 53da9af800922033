//! How the system schedules the threads of a process: niceness, policy and processors, out of `/proc`.
//!
//! Answers with what can be read; a thread that is gone meanwhile, or a system without `/proc`, adds nothing.

use crate::runner::Standing;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Of every thread of a process.
pub(crate) fn standing_of(pid: i32) -> BTreeSet<Standing> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| of_thread(&thread.path())).collect()
}

fn of_thread(folder: &Path) -> Option<Standing> {
    let read = |name: &str| Some(String::from_utf8_lossy(&fs::read(folder.join(name)).ok()?).into_owned());
    parse(&read("stat")?, &read("status")?)
}

/// Out of the texts of `stat` and `status`; fields as proc(5) numbers them: 19 is the niceness, 41 the policy.
fn parse(stat: &str, status: &str) -> Option<Standing> {
    // The name stands in parentheses and may hold anything; field 3 is the first one after it.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let processors = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(Standing {
        nice: fields.get(19 - 3)?.parse().ok()?,
        policy: fields.get(41 - 3)?.parse().ok()?,
        processors: processors.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_made_nice_says_so() {
        let child = std::process::Command::new("nice").args(["-n", "7", "sleep", "60"]).spawn();
        let mut child = child.unwrap();
        let own = standing_of(std::process::id() as i32);
        let least = own.iter().map(|standing| standing.nice).min().unwrap();
        // Until `nice` has become `sleep`.
        let nice = (0..200).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            standing_of(child.id() as i32).into_iter().find(|standing| standing.nice != least)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        let nice = nice.unwrap();
        assert_eq!(nice.nice, (least + 7).min(19));
        assert!(own.iter().any(|standing| standing.processors == nice.processors), "{own:?}");
        assert_eq!(standing_of(0), BTreeSet::new());
    }

    #[test]
    fn fields_are_counted_after_a_name_that_may_hold_anything() {
        let numbers: Vec<String> = (4..=52).map(|field| field.to_string()).collect();
        let stat = format!("17 (a) b) S {}", numbers.join(" "));
        let standing = parse(&stat, "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n").unwrap();
        assert_eq!((standing.nice, standing.policy, standing.processors.as_str()), (19, 41, "0-3,8"));
        assert_eq!(standing.to_string(), "niceness 19, policy 41, processors 0-3,8");
        assert_eq!(parse("17 (a) S", ""), None);
    }
}
