//! Where commands run: here, or through a prefix such as `docker exec -i NAME`, with paths that have other names inside.
//!
//! A command is always a script file run by `PREFIX sh FILE`: no prefix then needs to quote anything or to pass an environment on.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// How commands reach the place where builds and runners live.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Words in front of every command; none: commands run here.
    pub prefix: Vec<String>,
    /// Pairs of a folder here and its name inside; empty: names are the same.
    pub map: Vec<(PathBuf, String)>,
    /// The folder in which scratch space is made; it must be visible inside.
    pub scratch: Option<PathBuf>,
    /// Variables for every command.
    pub env: Vec<(String, String)>,
}

fn bad_map(map: &str) -> Error {
    Error::Place {
        message: format!("`{map}` is no path map"),
        cure: "write HOST:INSIDE, both absolute".to_owned(),
    }
}

fn open_quote(text: &str) -> Error {
    Error::Place {
        message: format!("the prefix `{text}` has an unfinished quotation"),
        cure: "close the quotation, or escape it with a backslash".to_owned(),
    }
}

impl Place {
    /// A place of these words, with maps written as `HOST:INSIDE`.
    ///
    /// # Errors
    /// Where a map is not of that form or a quotation does not end.
    pub fn new(prefix: &str, maps: &[String]) -> Result<Self, Error> {
        let map = maps
            .iter()
            .map(|map| match map.split_once(':') {
                Some((host, inside)) if host.starts_with('/') && inside.starts_with('/') => {
                    Ok((PathBuf::from(host), inside.trim_end_matches('/').to_owned()))
                }
                _ => Err(bad_map(map)),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { prefix: words(prefix)?, map, scratch: None, env: Vec::new() })
    }

    /// True where commands go through a prefix.
    pub fn is_elsewhere(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// The folder in which scratch space is made.
    pub fn scratch_parent(&self) -> PathBuf {
        self.scratch
            .clone()
            .or_else(|| self.map.first().map(|(host, _)| host.clone()))
            .unwrap_or_else(std::env::temp_dir)
    }

    /// Runs a script inside that writes into the scratch folder: the prefix works and the folder is the same on both sides.
    ///
    /// # Errors
    /// What went wrong, in one line.
    pub fn probe(&self, scratch: &Path) -> Result<(), String> {
        let script = scratch.join("probe.sh");
        let answer = scratch.join("probe.out");
        let hidden = || format!("{} is not visible inside; map it", scratch.display());
        let (script_inside, answer_inside) =
            (self.inside(&script).ok_or_else(hidden)?, self.inside(&answer).ok_or_else(hidden)?);
        std::fs::write(&script, format!("echo here > {}\n", quoted(&answer_inside)))
            .map_err(|error| error.to_string())?;
        let mut words = self.prefix.iter().map(String::as_str).chain(["sh", &script_inside]);
        let done = std::process::Command::new(words.next().unwrap_or("sh"))
            .args(words)
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        match std::fs::read_to_string(&answer) {
            Ok(text) if text.trim() == "here" => Ok(()),
            _ => {
                let complaint =
                    String::from_utf8_lossy(&done.stderr).lines().next_back().unwrap_or_default().to_owned();
                Err(if complaint.is_empty() {
                    format!("{} left no file in {}", done.status, scratch.display())
                } else {
                    complaint
                })
            }
        }
    }

    /// Runs a program inside and gives its standard output.
    ///
    /// # Errors
    /// A clause: it could not be started, or ended with a status and a complaint.
    pub fn ask(&self, words: &[String]) -> Result<String, String> {
        let mut all = self.prefix.iter().chain(words);
        let program = all.next().ok_or("has no name")?;
        let done = std::process::Command::new(program)
            .args(all)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| format!("could not be started: {error}"))?;
        if done.status.success() {
            return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
        }
        let complaint =
            String::from_utf8_lossy(&done.stderr).lines().next_back().unwrap_or_default().to_owned();
        Err(format!("ended with {}: {complaint}", done.status))
    }

    /// The name inside of a path here; absent where it is not visible inside.
    pub fn inside(&self, path: &Path) -> Option<String> {
        if self.map.is_empty() {
            return Some(path.to_string_lossy().into_owned());
        }
        self.map
            .iter()
            .filter_map(|(host, inside)| path.strip_prefix(host).ok().map(|rest| (host, inside, rest)))
            .max_by_key(|(host, _, _)| host.components().count())
            .map(|(_, inside, rest)| join(inside, rest))
    }

    /// The path here of a name inside; absent where no map covers it.
    pub fn outside(&self, inside: &str) -> Option<PathBuf> {
        if self.map.is_empty() {
            return (!self.is_elsewhere()).then(|| PathBuf::from(inside));
        }
        self.map
            .iter()
            .filter_map(|(host, name)| {
                let rest = inside.strip_prefix(name.as_str())?;
                (rest.is_empty() || rest.starts_with('/'))
                    .then(|| (name.len(), host.join(rest.trim_start_matches('/'))))
            })
            .max_by_key(|(length, _)| *length)
            .map(|(_, path)| path)
    }
}

fn join(inside: &str, rest: &Path) -> String {
    if rest.as_os_str().is_empty() {
        return if inside.is_empty() { "/".to_owned() } else { inside.to_owned() };
    }
    format!("{inside}/{}", rest.display())
}

/// Words of a command line: blanks separate, quotes of both kinds hold together, a backslash takes the next sign as it is.
fn words(text: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (Some('\''), sign) => word.get_or_insert_default().push(sign),
            (_, '\\') => {
                let next = signs.next().ok_or_else(|| open_quote(text))?;
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, sign) if sign.is_whitespace() => found.extend(word.take()),
            (_, sign) => word.get_or_insert_default().push(sign),
        }
    }
    if quote.is_some() {
        return Err(open_quote(text));
    }
    found.extend(word);
    Ok(found)
}

/// A text as one word of a shell script.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(words("docker exec -i 'my box'").unwrap(), ["docker", "exec", "-i", "my box"]);
        assert_eq!(words(r#"a\ b "c d"'e'"#).unwrap(), ["a b", "c de"]);
        assert_eq!(words("  ").unwrap(), Vec::<String>::new());
        assert!(words("'open").is_err());
    }

    #[test]
    fn the_longest_map_wins_both_ways() {
        let place =
            Place::new("p", &["/here/me:/there".to_owned(), "/here/me/data:/data/".to_owned()]).unwrap();
        assert_eq!(place.inside(Path::new("/here/me/data/x")).as_deref(), Some("/data/x"));
        assert_eq!(place.inside(Path::new("/here/me/y")).as_deref(), Some("/there/y"));
        assert_eq!(place.inside(Path::new("/here/other")), None);
        assert_eq!(place.outside("/data/x"), Some(PathBuf::from("/here/me/data/x")));
        assert_eq!(place.outside("/database"), None);
    }

    #[test]
    fn a_quoted_word_survives_the_shell() {
        let out = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("printf %s {}", quoted("it's $HOME \"x\"")))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stdout), "it's $HOME \"x\"");
    }

    #[test]
    fn a_map_without_two_absolute_paths_is_refused() {
        assert!(Place::new("p", &["here:/there".to_owned()]).is_err());
    }
}
