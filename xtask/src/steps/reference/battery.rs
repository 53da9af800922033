//! The page of the battery: a row for each candidate of `tests/battery/battery.toml`, with what its own program says it does.

use std::fmt::Write as _;

use serde::Deserialize;

use super::compare::GENERATED;
use crate::finding::Stop;
use crate::repository::Repository;

const TABLE: &str = "tests/battery/battery.toml";
const HEAD: &str = "# The battery

Candidates that would look faster without being right or faster, each with what catches it and the name that it gets, and honest ones that look
odd and are timed like any other. `python3 tests/battery/battery.py KFORGE` asks a kforge about all of them; what many runs gave is in
[measured](../measured/README.md). Every detector acts on what happens at run time; none reads a source.

";

#[derive(Deserialize)]
struct Battery {
    cheat: Vec<Cheat>,
    honest: Vec<Honest>,
}

#[derive(Deserialize)]
struct Cheat {
    name: String,
    verdict: String,
    cause: Option<String>,
    detector: String,
    #[serde(default)]
    on: Place,
    /// The folder of its program, where it is another than that of its kind.
    from: Option<String>,
}

#[derive(Deserialize)]
struct Honest {
    name: String,
    #[serde(default)]
    on: Place,
}

/// Where a candidate runs, and with it the language of its program.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    #[default]
    Cpu,
    Cuda,
    Torch,
}

impl Place {
    const fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Torch => "torch",
        }
    }
}

pub(super) fn page(repository: &Repository) -> Result<String, Stop> {
    let battery: Battery =
        toml::from_str(&text(repository, TABLE)?).map_err(|error| broken(TABLE, &error.to_string()))?;
    let mut cheats = Vec::new();
    for cheat in battery.cheat {
        let usual = format!("{}/cheats", cheat.on.word());
        let does = does(repository, cheat.on, cheat.from.as_deref().unwrap_or(&usual), &cheat.name)?;
        cheats.push((cheat, does));
    }
    let mut honest = Vec::new();
    for one in battery.honest {
        let does = does(repository, one.on, &format!("{}/honest", one.on.word()), &one.name)?;
        honest.push((one, does));
    }
    Ok(rendered(&cheats, &honest))
}

fn rendered(cheats: &[(Cheat, String)], honest: &[(Honest, String)]) -> String {
    let mut page = format!(
        "{GENERATED}{HEAD}## Cheats\n\n| candidate | on | what it does | what catches it | verdict |\n|---|---|---|---|---|\n"
    );
    for (cheat, does) in cheats {
        let cause = cheat.cause.as_ref().map_or(String::new(), |cause| format!("({cause})"));
        let (name, on, detector, verdict) = (&cheat.name, cheat.on.word(), &cheat.detector, &cheat.verdict);
        let _ = writeln!(page, "| {name} | {on} | {does} | {detector} | `{verdict}{cause}` |");
    }
    page += "\n## Honest candidates\n\n| candidate | on | what it does |\n|---|---|---|\n";
    for (one, does) in honest {
        let _ = writeln!(page, "| {} | {} | {does} |", one.name, one.on.word());
    }
    page
}

/// The first line of a candidate's program, which says what it does.
fn does(repository: &Repository, on: Place, folder: &str, name: &str) -> Result<String, Stop> {
    let (suffix, start, end) =
        if matches!(on, Place::Cuda) { ("cu", "// ", "\n") } else { ("py", "\"\"\"", "\"\"\"") };
    let file = format!("tests/battery/{folder}/{name}.{suffix}");
    let program = text(repository, &file)?;
    let said = program.strip_prefix(start).and_then(|rest| rest.split_once(end));
    said.map(|(said, _)| said.replace('|', "\\|"))
        .ok_or_else(|| broken(&file, "it does not begin with what it does"))
}

fn text(repository: &Repository, file: &str) -> Result<String, Stop> {
    repository.text(file)?.ok_or_else(|| broken(file, "it is no text"))
}

fn broken(file: &str, what: &str) -> Stop {
    Stop::Data { path: file.into(), what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cheat_has_its_cause_behind_its_verdict_and_an_honest_one_has_none() {
        let cheat = |cause: Option<&str>| Cheat {
            name: "early".into(),
            verdict: "void".into(),
            cause: cause.map(str::to_owned),
            detector: "a clock".into(),
            on: Place::Cuda,
            from: None,
        };
        let page = rendered(
            &[(cheat(Some("clock")), "Lies.".into()), (cheat(None), "Errs.".into())],
            &[(Honest { name: "odd".into(), on: Place::Cpu }, "Sings.".into())],
        );
        assert!(page.contains("| early | cuda | Lies. | a clock | `void(clock)` |\n| early | cuda | Errs. | a clock | `void` |\n"));
        assert!(page.ends_with("| odd | cpu | Sings. |\n"));
    }
}
