//! Inputs that a build was seen to use: the dependency files that compilers write beside their objects (`-MMD`, `-MD`).

use std::path::{Path, PathBuf};

/// Every `*.d` file below a folder, without following links.
pub(super) fn dependency_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|ending| ending == "d") => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The prerequisites of a make rule, in order, each once; a text that is no rule has none.
pub(super) fn prerequisites(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for rule in logical_lines(text) {
        // The colon that ends the target stands before a blank or the line's end, so that `C:` of a path is none.
        let Some(at) = rule
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|at| rule[at + 1..].starts_with([' ', '\t']) || rule.len() == at + 1)
        else {
            continue;
        };
        for name in names(&rule[at + 1..]) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

fn logical_lines(text: &str) -> Vec<String> {
    text.replace("\\\r\n", " ").replace("\\\n", " ").lines().map(str::to_owned).collect()
}

/// Blank-separated names; a backslash before a blank or `#` keeps it, `$$` is a dollar.
fn names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if signs.peek().is_some_and(|next| matches!(next, ' ' | '#')) => name.extend(signs.next()),
            '$' if signs.peek() == Some(&'$') => name.extend(signs.next()),
            ' ' | '\t' => {
                if !name.is_empty() {
                    found.push(std::mem::take(&mut name));
                }
            }
            other => name.push(other),
        }
    }
    if !name.is_empty() {
        found.push(name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    // The form that GCC 12 writes with -MMD -MP.
    #[test]
    fn the_rules_of_a_compiler_are_read() {
        let text =
            "build/x.o: src/x.cpp src/x.hpp \\\n src/with\\ blank.hpp /usr/include/math.h\n\nsrc/x.hpp:\n";
        assert_eq!(
            prerequisites(text),
            ["src/x.cpp", "src/x.hpp", "src/with blank.hpp", "/usr/include/math.h"]
        );
    }

    #[test]
    fn what_is_no_rule_has_no_prerequisites() {
        assert_eq!(prerequisites("int main() { return 0; }"), Vec::<String>::new());
    }
}
