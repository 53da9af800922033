//! Reads error enums out of Rust syntax: `#[derive(Error)]`, `#[error(...)]`, `fn code`, `fn hint`.
//!
//! Answers with what is written; it does not evaluate code. Invariant: a string literal counts for a variant only
//! inside the arm of the match that names that variant.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use super::Entry;

/// One public error enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) entries: Vec<Entry>,
}

/// One kind of note that an answer may carry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Note {
    pub(crate) code: String,
    pub(crate) shape: String,
}

/// The public error enums of one file, with the codes and cures that the same file gives them.
pub(super) fn enums(room: &str, file: &str, syntax: &syn::File) -> Vec<Enum> {
    let public =
        |item: &syn::ItemEnum| matches!(item.vis, syn::Visibility::Public(_)) && derives_error(&item.attrs);
    syntax
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Enum(item) if public(item) => Some(item),
            _ => None,
        })
        .map(|item| {
            let codes = arms(syntax, &item.ident, "code");
            let cures = arms(syntax, &item.ident, "hint");
            let place = format!("{file}:{}", item.ident.span().start().line);
            let entry = |variant: &syn::Variant| entry(room, file, variant, &codes, &cures);
            Enum { name: item.ident.to_string(), place, entries: item.variants.iter().map(entry).collect() }
        })
        .collect()
}

/// Codes and message shapes of the kinds of note in one file: enums with both a `code` and a `message` method.
pub(super) fn notes(syntax: &syn::File) -> Vec<Note> {
    let enums = syntax.items.iter().filter_map(|item| match item {
        syn::Item::Enum(item) => Some(item),
        _ => None,
    });
    enums
        .flat_map(|item| {
            let codes = arms(syntax, &item.ident, "code");
            let messages = arms(syntax, &item.ident, "message");
            codes.into_iter().flat_map(move |(variant, codes)| {
                let shapes = messages.get(&variant).cloned().unwrap_or_default();
                codes
                    .into_iter()
                    .filter_map(move |code| shapes.first().map(|shape| Note { code, shape: shape.clone() }))
            })
        })
        .collect()
}

/// Variant name to the string literals of its arm.
type Arms = BTreeMap<String, Vec<String>>;

fn entry(room: &str, file: &str, variant: &syn::Variant, codes: &Arms, cures: &Arms) -> Entry {
    let name = variant.ident.to_string();
    Entry {
        room: room.to_owned(),
        doc: first_paragraph(&variant.attrs),
        shape: shape(&variant.attrs),
        codes: codes.get(&name).cloned().unwrap_or_default(),
        cures: cures.get(&name).cloned().unwrap_or_default(),
        place: format!("{file}:{}", variant.ident.span().start().line),
        variant: name,
    }
}

fn derives_error(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.tokens.clone().into_iter().any(|token| token.to_string() == "Error")
    })
}

fn first_paragraph(attributes: &[syn::Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else {
                return None;
            };
            Some(text.value().trim().to_owned())
        });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The format string of `#[error("...")]`, or `None` for `transparent`.
fn shape(attributes: &[syn::Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("error"))?;
    let syn::Meta::List(list) = &attribute.meta else { return None };
    strings(list.tokens.clone()).into_iter().next()
}

/// The arms of every match inside `fn NAME` of an inherent impl of `type_name`.
fn arms(syntax: &syn::File, type_name: &syn::Ident, method: &str) -> Arms {
    let mut found = ArmVisitor::default();
    for item in &syntax.items {
        let syn::Item::Impl(block) = item else { continue };
        let syn::Type::Path(path) = &*block.self_ty else { continue };
        if block.trait_.is_none() && path.path.is_ident(type_name) {
            for item in &block.items {
                if let syn::ImplItem::Fn(function) = item
                    && function.sig.ident == method
                {
                    found.visit_block(&function.block);
                }
            }
        }
    }
    found.arms
}

#[derive(Default)]
struct ArmVisitor {
    arms: Arms,
}

impl<'ast> Visit<'ast> for ArmVisitor {
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let mut names = VariantNames::default();
        names.visit_pat(&arm.pat);
        let mut literals = Literals::default();
        literals.visit_expr(&arm.body);
        for name in names.0 {
            self.arms.entry(name).or_default().extend(literals.0.iter().cloned());
        }
    }
}

#[derive(Default)]
struct VariantNames(Vec<String>);

impl<'ast> Visit<'ast> for VariantNames {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() == 2
            && let Some(last) = path.segments.last()
        {
            self.0.push(last.ident.to_string());
        }
    }
}

#[derive(Default)]
struct Literals(Vec<String>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.0.push(literal.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.0.extend(strings(call.tokens.clone()));
    }
}

/// The string literals of a token stream, in order.
fn strings(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => strings(group.stream()),
            TokenTree::Literal(literal) => syn::parse_str::<syn::LitStr>(&literal.to_string())
                .map(|text| text.value())
                .into_iter()
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Enum, Note, enums, notes};

    fn read(text: &str) -> Vec<Enum> {
        enums("room", "crates/room/src/error.rs", &syn::parse_file(text).unwrap())
    }

    const SAMPLE: &str = r#"
        /// The errors.
        #[derive(Debug, thiserror::Error)]
        pub enum Error {
            /// A file is missing.
            /// It was named on the command line.
            ///
            /// More about it.
            #[error("{path}: not there")]
            Missing { path: String },
            #[error(transparent)]
            Below(#[from] below::Error),
            #[error("row {0} is short")]
            Short(u32),
        }
        impl Error {
            pub fn code(&self) -> &'static str {
                match self {
                    Self::Missing { .. } => "room.missing",
                    Self::Below(error) => error.code(),
                    Error::Short(_) => { "room.short" }
                }
            }
            pub fn hint(&self) -> Option<String> {
                match self {
                    Self::Missing { path } if path.is_empty() => Some(format!("name {path}, then `kforge trace FILE`")),
                    Self::Missing { .. } => Some("look again".to_owned()),
                    Self::Below(_) | Self::Short(_) => None,
                }
            }
        }
        #[derive(Debug, thiserror::Error)]
        enum Private { #[error("x")] X }
        #[derive(Debug)]
        pub enum Other { Y }
    "#;

    #[test]
    fn only_public_error_enums_are_read() {
        let names: Vec<String> = read(SAMPLE).into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["Error"]);
    }

    #[test]
    fn shapes_codes_and_cures_come_from_their_own_variant() {
        let entries = read(SAMPLE).remove(0).entries;
        assert_eq!(entries[0].doc, "A file is missing. It was named on the command line.");
        assert_eq!(entries[0].shape.as_deref(), Some("{path}: not there"));
        assert_eq!(entries[0].codes, ["room.missing"]);
        assert_eq!(entries[0].cures, ["name {path}, then `kforge trace FILE`", "look again"]);
        assert_eq!((&entries[1].shape, entries[1].codes.len()), (&None, 0));
        assert_eq!(entries[2].codes, ["room.short"]);
        assert_eq!(entries[2].cures, [""; 0]);
        assert_eq!(entries[2].place, "crates/room/src/error.rs:14");
    }

    #[test]
    fn a_kind_of_note_is_an_enum_with_a_code_and_a_message() {
        let text = r#"
            enum Kind { Lost, Silent }
            impl Kind {
                fn code(self) -> &'static str {
                    match self { Self::Lost => "room.lost", Self::Silent => "room.silent" }
                }
                fn message(self) -> String {
                    match self { Self::Lost => format!("{} events lost", self.count()), Self::Silent => text() }
                }
            }
        "#;
        let expected = Note { code: "room.lost".into(), shape: "{} events lost".into() };
        assert_eq!(notes(&syn::parse_file(text).unwrap()), [expected]);
        assert_eq!(notes(&syn::parse_file(SAMPLE).unwrap()), []);
    }
}
