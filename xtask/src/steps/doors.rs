//! Which rooms touch files, processes, the environment, threads, the network.
//!
//! Answers from syntax: `use` items, paths and words inside macro calls that begin with `std`, test modules left out. Refuses
//! nothing that goes through another crate; those have doors of their own in the step `layers`. Invariant: an alias does not
//! hide a module, because the `use` that makes it is looked at, and `std` itself may get neither an alias nor a glob.

use proc_macro2::TokenTree;
use syn::spanned::Spanned as _;
use syn::visit::Visit;

use super::layers::Layers;
use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;
use crate::test_code::is_test;

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let layers: Layers = repository.data("layers.toml")?;
    let (mut findings, mut count) = (Vec::new(), 0_usize);
    for file in repository.with_extension("rs") {
        let Some(room) = room_of(file) else { continue };
        let text = repository.text(file)?.unwrap_or_default();
        // A file that is not Rust is reported by the step `modules`.
        if let (false, Ok(syntax)) = (layers.is_development(room), syn::parse_file(&text)) {
            count += 1;
            findings.extend(examine(&layers, room, file, &syntax));
        }
    }
    let looked_at = format!("{} doors, {count} modules", layers.doors.len());
    Ok(Examined { looked_at: if count == 0 { String::new() } else { looked_at }, findings })
}

fn room_of(file: &str) -> Option<&str> {
    let (room, inside) = file.strip_prefix("crates/")?.split_once('/')?;
    let tests = inside.ends_with("/tests.rs") || inside.contains("/tests/");
    (inside.starts_with("src/") && !tests).then_some(room)
}

fn examine(layers: &Layers, room: &str, file: &str, syntax: &syn::File) -> Vec<Finding> {
    let mut visitor = StandardPaths::default();
    visitor.visit_file(syntax);
    let mut findings = Vec::new();
    for (line, path) in visitor.found {
        if path == "std" {
            let cure = "name the module: `use std::fmt`";
            findings.push(Finding::new(
                format!("{file}:{line}"),
                format!("{room} hides what it takes of std"),
                cure,
            ));
        }
        let door = layers.doors.iter().find(|(door, _)| {
            path.strip_prefix(door.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        });
        if let Some((name, door)) = door
            && !door.rooms.iter().any(|allowed| allowed == room)
        {
            let through = if door.rooms.is_empty() { "nobody".to_owned() } else { door.rooms.join(", ") };
            let cure = format!("leave it to {through} ({})", door.reason);
            findings.push(Finding::new(format!("{file}:{line}"), format!("{room} touches {name}"), cure));
        }
    }
    findings
}

/// Full paths below `std`, with their lines.
#[derive(Default)]
struct StandardPaths {
    found: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for StandardPaths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            let mut paths = Vec::new();
            flatten(&item.tree, String::new(), &mut paths);
            let line = item.span().start().line;
            self.found.extend(
                paths
                    .into_iter()
                    .filter(|path| path == "std" || path.starts_with("std::"))
                    .map(|path| (line, path)),
            );
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.words(&call.tokens.clone().into_iter().collect::<Vec<_>>());
        syn::visit::visit_macro(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // `std` alone is a variable: only a `use` can rename the crate.
        if names.len() > 1 && names.first().is_some_and(|first| first == "std") {
            self.found.push((path.span().start().line, names.join("::")));
        }
        syn::visit::visit_path(self, path);
    }
}

impl StandardPaths {
    /// Runs of `std :: name :: name` among words whose syntax only the macro knows.
    fn words(&mut self, tokens: &[TokenTree]) {
        let mut rest = tokens;
        while let [first, after @ ..] = rest {
            rest = after;
            match first {
                TokenTree::Group(group) => self.words(&group.stream().into_iter().collect::<Vec<_>>()),
                TokenTree::Ident(name) if name == "std" => {
                    let mut path = "std".to_owned();
                    while let [TokenTree::Punct(one), TokenTree::Punct(two), TokenTree::Ident(next), ..] =
                        rest
                        && one.as_char() == ':'
                        && two.as_char() == ':'
                    {
                        path = format!("{path}::{next}");
                        rest = &rest[3..];
                    }
                    if path != "std" {
                        self.found.push((name.span().start().line, path));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Every full path of a use tree; a glob ends in its module, `self` is the module itself.
fn flatten(tree: &syn::UseTree, before: String, paths: &mut Vec<String>) {
    let joined = |name: &syn::Ident| {
        if before.is_empty() { name.to_string() } else { format!("{before}::{name}") }
    };
    match tree {
        syn::UseTree::Path(path) => flatten(&path.tree, joined(&path.ident), paths),
        syn::UseTree::Name(name) if name.ident == "self" => paths.push(before),
        syn::UseTree::Name(name) => paths.push(joined(&name.ident)),
        syn::UseTree::Rename(rename) if rename.ident == "self" => paths.push(before),
        syn::UseTree::Rename(rename) => paths.push(joined(&rename.ident)),
        syn::UseTree::Glob(_) => paths.push(before),
        syn::UseTree::Group(group) => {
            for item in &group.items {
                flatten(item, before.clone(), paths);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{examine, room_of};

    const TABLE: &str = "
        external = {}
        [rooms]
        low = { level = 0 }
        high = { level = 1 }
        [development]
        rooms = []
        [doors.'std::fs']
        rooms = ['high']
        reason = 'one door'
    ";

    fn facts(room: &str, text: &str) -> Vec<String> {
        let syntax = syn::parse_file(text).unwrap();
        let layers = toml::from_str(TABLE).unwrap();
        examine(&layers, room, "f.rs", &syntax)
            .into_iter()
            .map(|found| format!("{} {}", found.place, found.fact))
            .collect()
    }

    #[test]
    fn a_module_is_found_however_it_is_reached() {
        for text in [
            "use std::fs;",
            "use std::fs as disk;",
            "use std::{fmt, fs::{self, File}};",
            "use std::fs::*;",
            "fn a() { std::fs::read(\"x\"); }",
            "fn a(f: &std::fs::File) {}",
            "fn a() { println!(\"{:?}\", (std::fs::read(p),)); }",
        ] {
            let found = facts("low", text);
            assert!(!found.is_empty() && found[0] == "f.rs:1 low touches std::fs", "{text}: {found:?}");
            assert_eq!(facts("high", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn an_alias_or_a_glob_of_std_itself_is_found() {
        for text in ["use std as s;", "use std::*;", "use std::{self as s};", "use ::std as s;"] {
            assert_eq!(facts("high", text), ["f.rs:1 high hides what it takes of std"], "{text}");
        }
    }

    #[test]
    fn tests_and_names_that_only_begin_alike_pass() {
        assert_eq!(facts("low", "#[cfg(test)]\nmod tests { use std::fs; }"), [""; 0]);
        assert_eq!(facts("low", "#[cfg(test)]\nuse std::fs;"), [""; 0]);
        assert_eq!(facts("low", "use std::fstream; use std::io;"), [""; 0]);
        assert_eq!(facts("low", "use own::std::fs;"), [""; 0]);
        assert_eq!(facts("low", "fn a(std: f64) -> f64 { println!(\"{}\", std); std }"), [""; 0]);
    }

    #[test]
    fn only_sources_of_rooms_are_looked_at() {
        assert_eq!(room_of("crates/low/src/a.rs"), Some("low"));
        assert_eq!(room_of("crates/low/tests/a.rs"), None);
        assert_eq!(room_of("crates/low/src/a/tests.rs"), None);
        assert_eq!(room_of("xtask/src/main.rs"), None);
    }
}
