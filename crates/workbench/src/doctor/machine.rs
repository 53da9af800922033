//! What a machine is and has, as far as a measurement depends on it. Looks, and changes nothing.

use super::answer::Finding;
use kforge_experiment::{Cpu, Device, Gpu, GpuFacts, Place, survey};
use kforge_hardware::Devices;
use std::fmt::Write as _;

/// A tool: the words that make it say its version, and who needs it.
struct Tool {
    name: &'static str,
    words: &'static [&'static str],
    needed_for: &'static str,
    /// Without it nothing can be measured at all.
    always: bool,
}

const TOOLS: [Tool; 6] = [
    Tool { name: "git", words: &["git", "--version"], needed_for: "every experiment", always: true },
    Tool {
        name: "c++",
        words: &["c++", "--version"],
        needed_for: "runners in C++ and their references",
        always: false,
    },
    Tool {
        name: "python3",
        words: &["python3", "--version"],
        needed_for: "runners in Python",
        always: false,
    },
    Tool { name: "nvcc", words: &["nvcc", "--version"], needed_for: "runners in CUDA", always: false },
    Tool { name: "hipcc", words: &["hipcc", "--version"], needed_for: "runners in HIP", always: false },
    Tool {
        name: "torch, triton",
        words: &[
            "python3",
            "-c",
            "import torch, triton; print('torch', torch.__version__, 'triton', triton.__version__)",
        ],
        needed_for: "runners of PyTorch and Triton",
        always: false,
    },
];

/// Most busy processors beside a measurement, of all that there are, in thousandths.
const BUSY_MILLI: u64 = 500;

/// Everything that is known of the place.
pub(super) fn look(place: &Place) -> Vec<Finding> {
    let mut findings = vec![processor(), load()];
    findings.extend(governor());
    findings.extend(TOOLS.iter().map(|tool| of_tool(tool, place)));
    findings.extend(gpus(place));
    findings
}

fn finding(what: &str, fit: Option<bool>, fact: String) -> Finding {
    Finding { what: what.to_owned(), fit, fact, cure: None }
}

fn processor() -> Finding {
    let device = Cpu.describe();
    let threads = device.facts.get("threads").map_or("?", String::as_str);
    finding("processor", Some(true), format!("{}, {threads} threads, kernel {}", device.name, Cpu.kernel()))
}

fn load() -> Finding {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let Some(milli) = Cpu.observe().load_milli else {
        return finding("load", None, "not told by this system".to_owned());
    };
    let fit = milli <= BUSY_MILLI * threads;
    let fact = format!("{}.{:02} over one minute on {threads} processors", milli / 1000, milli % 1000 / 10);
    let cure =
        (!fit).then(|| "wait until the machine is quiet: noise makes small wins inconclusive".to_owned());
    Finding { cure, ..finding("load", Some(fit), fact) }
}

fn governor() -> Option<Finding> {
    let governor = Cpu.governor()?;
    let fit = governor == "performance";
    let cure = (!fit)
        .then(|| "cpupower frequency-set -g performance, where processors are what is measured".to_owned());
    // Measured all the same: clocks are interleaved over both sides.
    Some(Finding { cure, ..finding("governor", fit.then_some(true), governor) })
}

fn of_tool(tool: &Tool, place: &Place) -> Finding {
    let words: Vec<String> = tool.words.iter().map(|word| (*word).to_owned()).collect();
    match place.ask(&words) {
        Ok(text) => finding(tool.name, Some(true), telling(&text).to_owned()),
        Err(why) => Finding {
            cure: Some(format!("needed for {}", tool.needed_for)),
            ..finding(tool.name, tool.always.then_some(false), format!("{} {why}", tool.words[0]))
        },
    }
}

/// The line of a version's text that has a number in it, else the first.
fn telling(text: &str) -> &str {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let release = lines().find(|line| line.contains("release") || line.contains("HIP version"));
    let numbered = lines().find(|line| line.contains(|c: char| c.is_ascii_digit()));
    release.or(numbered).or_else(|| lines().next()).unwrap_or("says nothing")
}

fn gpus(place: &Place) -> Vec<Finding> {
    let survey = survey(place);
    if survey.gpus.is_empty() {
        return vec![finding("GPU", None, format!("none was found: {}", survey.silent.join("; ")))];
    }
    let devices = Devices::builtin();
    survey.gpus.into_iter().map(|facts| of_gpu(place, facts, devices.as_ref().ok())).collect()
}

fn of_gpu(place: &Place, facts: GpuFacts, devices: Option<&Devices>) -> Finding {
    let occupied = facts.occupied();
    let what = format!("GPU {}", facts.pci);
    let memory = facts.memory_bytes.map_or_else(String::new, |bytes| format!(", {} GiB", bytes >> 30));
    let driver = facts.driver.as_ref().map_or_else(String::new, |driver| format!(", driver {driver}"));
    let mut fact = format!("{}{memory}{driver}", facts.name);
    let mut cure = None;
    if let Some(why) = &occupied {
        let _ = write!(fact, "; not free: {why}");
        cure = Some("wait for it, or name another one with --device".to_owned());
    }
    if let Some(devices) = devices {
        let gpu = Gpu::new(place, facts, devices);
        if let Err(why) = gpu.model() {
            let _ = write!(fact, "; not on record: {why}");
            cure.get_or_insert_with(|| {
                "without its caches nothing is measured cold (docs/hardware.md)".to_owned()
            });
        }
    }
    Finding { what, fit: Some(occupied.is_none()), fact, cure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_release_is_the_one_that_is_shown() {
        let nvcc = "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025 NVIDIA Corporation\nCuda compilation tools, release 13.0, V13.0.88\n";
        assert_eq!(telling(nvcc), "Cuda compilation tools, release 13.0, V13.0.88");
        let hipcc = "HIP version: 6.4.43482-0f2d60242\nAMD clang version 19.0.0git\n";
        assert_eq!(telling(hipcc), "HIP version: 6.4.43482-0f2d60242");
        assert_eq!(telling("\n"), "says nothing");
    }

    #[test]
    fn a_tool_that_is_not_there_is_unfit_only_where_nothing_works_without_it() {
        let place = Place::default();
        let tool =
            |always| Tool { name: "x", words: &["kforge-has-no-such-tool"], needed_for: "tests", always };
        assert_eq!(of_tool(&tool(false), &place).fit, None);
        let missing = of_tool(&tool(true), &place);
        assert_eq!(missing.fit, Some(false));
        assert!(missing.cure.unwrap().contains("tests"));
    }
}
