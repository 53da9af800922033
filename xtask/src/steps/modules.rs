//! How Rust files are laid out: a `//!` opening, re-exports only in `lib.rs` and `mod.rs`, no globs, no drawers.
//!
//! Reads each file as syntax, so that words in strings and comments do not count. Refuses a file that does not
//! parse. Invariant: test code is held to the same opening and names, but may hold what it likes.

use std::path::Path;

use syn::spanned::Spanned as _;
use syn::visit::Visit;

use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

/// Names that say where a thing was put, not what it knows.
const DRAWERS: [&str; 10] =
    ["util", "utils", "common", "helper", "helpers", "shared", "base", "types", "misc", "stuff"];

/// A shorter opening than this says nothing.
const OPENING_LETTERS: usize = 24;

/// Lines of items other than `mod`, `use`, `const` and `type` that a re-exporting file may hold.
const SMALL_LINES: usize = 10;

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let mut findings = Vec::new();
    let mut count = 0_usize;
    for file in repository.with_extension("rs") {
        if let Some(text) = repository.text(file)? {
            count += 1;
            findings.extend(examine(file, &text));
        }
    }
    let looked_at = if count == 0 { String::new() } else { format!("{count} modules") };
    Ok(Examined { looked_at, findings })
}

fn examine(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(name) = drawer(file) {
        findings.push(Finding::new(file, format!("`{name}` is a drawer"), "name it by what it knows"));
    }
    if !opens_with_purpose(text) {
        let cure = "open with `//!`: what it answers, what it refuses, its invariant";
        findings.push(Finding::new(file, "the module does not say what it is for", cure));
    }
    let syntax = match syn::parse_file(text) {
        Ok(syntax) => syntax,
        Err(error) => {
            let place = format!("{file}:{}", error.span().start().line);
            findings.push(Finding::new(place, format!("not Rust: {error}"), "repair the syntax"));
            return findings;
        }
    };
    let mut visitor = Visitor { file, findings: Vec::new() };
    visitor.visit_file(&syntax);
    findings.append(&mut visitor.findings);
    if re_exports_only(file) {
        findings.extend(bodies(file, &syntax));
    }
    findings
}

fn drawer(file: &str) -> Option<&'static str> {
    let parts = Path::new(file).with_extension("");
    let parts: Vec<String> = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    DRAWERS.into_iter().find(|drawer| parts.iter().any(|part| part == drawer))
}

fn opens_with_purpose(text: &str) -> bool {
    let opening: String = text
        .lines()
        .take_while(|line| line.starts_with("//!"))
        .flat_map(|line| line.trim_start_matches("//!").chars())
        .filter(|letter| letter.is_alphanumeric())
        .collect();
    opening.chars().count() >= OPENING_LETTERS
}

fn re_exports_only(file: &str) -> bool {
    let in_sources = file.contains("/src/");
    in_sources && (file.ends_with("/lib.rs") || file.ends_with("/mod.rs"))
}

fn bodies(file: &str, syntax: &syn::File) -> Option<Finding> {
    let held = syntax.items.iter().filter(|item| {
        !matches!(
            item,
            syn::Item::Mod(syn::ItemMod { content: None, .. })
                | syn::Item::Use(_)
                | syn::Item::Const(_)
                | syn::Item::Type(_)
                | syn::Item::ExternCrate(_)
        )
    });
    let (mut lines, mut first) = (0, None);
    for item in held {
        let span = item.span();
        lines += span.end().line + 1 - span.start().line;
        first = first.or(Some(span.start().line));
    }
    let place = format!("{file}:{}", first?);
    (lines > SMALL_LINES).then(|| {
        let fact = format!("{lines} lines of items in a file that re-exports");
        Finding::new(place, fact, "move them to a file named by what they know")
    })
}

struct Visitor<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl Visitor<'_> {
    fn say(&mut self, line: usize, fact: impl Into<String>, cure: &str) {
        self.findings.push(Finding::new(format!("{}:{line}", self.file), fact, cure));
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        if exported && has_glob(&item.tree) {
            self.say(item.span().start().line, "a glob re-export", "list the names");
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if let Some(name) = DRAWERS.into_iter().find(|drawer| item.ident == drawer) {
            self.say(item.span().start().line, format!("`{name}` is a drawer"), "name it by what it knows");
        }
        syn::visit::visit_item_mod(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let line = attribute.span().start().line;
        let conditional = attribute.path().is_ident("cfg_attr")
            && matches!(&attribute.meta, syn::Meta::List(list)
                if list.tokens.clone().into_iter().any(|token| token.to_string() == "allow"));
        if attribute.path().is_ident("allow") || conditional {
            self.say(line, "a lint is allowed", "use `#[expect(lint, reason = \"...\")]`");
        }
        if attribute.path().is_ident("ignore") {
            self.say(line, "a test is ignored", "let it run, move it to .ci/slow, or remove it");
        }
    }
}

fn has_glob(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Glob(_) => true,
        syn::UseTree::Path(path) => has_glob(&path.tree),
        syn::UseTree::Group(group) => group.items.iter().any(has_glob),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::examine;

    const OPENING: &str = "//! Answers what a fixture looks like, and refuses the rest.\n";

    fn facts(file: &str, body: &str) -> Vec<String> {
        examine(file, &format!("{OPENING}{body}")).into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn a_module_without_an_opening_or_with_an_empty_one_is_found() {
        for text in ["fn a() {}\n", "//! Things.\nfn a() {}\n", "\n//! Answers what a fixture looks like.\n"]
        {
            let findings = examine("crates/a/src/b.rs", text);
            assert_eq!(findings[0].fact, "the module does not say what it is for", "{text}");
        }
        assert_eq!(facts("crates/a/src/b.rs", "fn a() {}\n"), [""; 0]);
    }

    #[test]
    fn a_body_in_lib_or_mod_is_found_and_re_exports_are_not() {
        let body = format!("mod a;\npub use a::A;\npub fn long() {{\n{}}}\n", "    work();\n".repeat(12));
        for file in ["crates/a/src/lib.rs", "crates/a/src/b/mod.rs"] {
            assert_eq!(facts(file, &body), ["14 lines of items in a file that re-exports"]);
            assert_eq!(facts(file, "mod a;\npub use a::{A, B};\npub const N: u8 = 1;\n"), [""; 0]);
        }
        assert_eq!(facts("crates/a/src/long.rs", &body), [""; 0]);
        assert_eq!(facts("crates/a/tests/kit/mod.rs", &body), [""; 0]);
    }

    #[test]
    fn a_glob_re_export_is_found_and_a_private_glob_is_not() {
        assert_eq!(facts("crates/a/src/b.rs", "pub use c::{d, e::*};\n"), ["a glob re-export"]);
        assert_eq!(facts("crates/a/src/b.rs", "pub(crate) use c::*;\n"), ["a glob re-export"]);
        assert_eq!(facts("crates/a/src/b.rs", "use c::*;\n"), [""; 0]);
    }

    #[test]
    fn drawers_are_found_as_file_folder_and_inline_module() {
        assert_eq!(facts("crates/a/src/util.rs", ""), ["`util` is a drawer"]);
        assert_eq!(facts("crates/a/src/common/mod.rs", ""), ["`common` is a drawer"]);
        assert_eq!(facts("crates/a/src/b.rs", "mod helpers { }\n"), ["`helpers` is a drawer"]);
        assert_eq!(facts("crates/a/src/commonly.rs", "mod baseline;\n"), [""; 0]);
    }

    #[test]
    fn an_allowed_lint_is_found_wherever_it_stands_and_an_expected_one_is_not() {
        for body in [
            "#[allow(dead_code)]\nfn a() {}\n",
            "fn a() {\n    #[allow(unused)]\n    let b = 1;\n}\n",
            "#[cfg_attr(test, allow(dead_code))]\nfn a() {}\n",
        ] {
            assert_eq!(facts("crates/a/src/b.rs", body), ["a lint is allowed"], "{body}");
        }
        assert_eq!(facts("crates/a/src/b.rs", "#[expect(dead_code, reason = \"r\")]\nfn a() {}\n"), [""; 0]);
        assert_eq!(facts("crates/a/src/b.rs", "const S: &str = \"#[allow(x)]\";\n"), [""; 0]);
    }

    #[test]
    fn an_ignored_test_is_found() {
        assert_eq!(facts("crates/a/src/b.rs", "#[test]\n#[ignore]\nfn a() {}\n"), ["a test is ignored"]);
    }

    #[test]
    fn a_file_that_does_not_parse_is_found_with_its_line() {
        let findings = examine("crates/a/src/b.rs", &format!("{OPENING}fn a( {{\n"));
        assert!(findings[0].fact.starts_with("not Rust"), "{findings:?}");
    }
}
