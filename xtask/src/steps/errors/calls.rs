//! Reads notes out of calls: `Note::new("room.code", message)`, and closures named `add` that stand for it.
//!
//! Answers with what is written: a literal, the shape of a `format!`, or either behind the name of a local. A message that comes from
//! elsewhere is `{message}`. Tests are left out. Invariant: a code that is a literal anywhere in the code proper is seen by `codes`.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::Note;
use crate::test_code::is_test;

/// What stands for a message that is made elsewhere.
const ELSEWHERE: &str = "{message}";

/// The notes that a file's calls make.
pub(super) fn notes(syntax: &syn::File) -> Vec<Note> {
    let mut calls = Calls::default();
    calls.visit_file(syntax);
    calls.notes
}

/// Every literal of a file that has the shape of a code, with its line.
pub(super) fn codes(syntax: &syn::File) -> Vec<(String, usize)> {
    let mut words = Words::default();
    words.visit_file(syntax);
    words.0
}

/// Lowercase words with hyphens on both sides of one dot.
fn is_code(text: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_lowercase())
            && part.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
    };
    text.split_once('.').is_some_and(|(room, what)| word(room) && word(what))
}

#[derive(Default)]
struct Calls<'ast> {
    locals: BTreeMap<String, &'ast syn::Expr>,
    notes: Vec<Note>,
}

impl<'ast> Visit<'ast> for Calls<'ast> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.locals.clear();
        visit::visit_item_fn(self, function);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        let pattern = match &local.pat {
            syn::Pat::Type(typed) => &typed.pat,
            pattern => pattern,
        };
        if let (syn::Pat::Ident(name), Some(init)) = (pattern, &local.init) {
            self.locals.insert(name.ident.to_string(), &init.expr);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, call);
        let mut arguments = call.args.iter();
        let (Some(code), Some(message)) = (arguments.next(), arguments.next()) else { return };
        if let Some(code) = text(code).filter(|code| is_code(code) && makes_a_note(&call.func)) {
            let shapes = self.shapes(message, 0);
            let shape = if shapes.is_empty() { ELSEWHERE.to_owned() } else { shapes.join("; or: ") };
            self.notes.push(Note { code, shape });
        }
    }
}

impl<'ast> Calls<'ast> {
    /// The shapes that an expression can have; none where it comes from elsewhere.
    fn shapes(&self, expression: &'ast syn::Expr, depth: usize) -> Vec<String> {
        if depth > 8 {
            return Vec::new();
        }
        let inner = |expression| self.shapes(expression, depth + 1);
        match expression {
            syn::Expr::Lit(_) => text(expression).into_iter().collect(),
            syn::Expr::Macro(call) => first_string(call.mac.tokens.clone()).into_iter().collect(),
            syn::Expr::MethodCall(call) => inner(&call.receiver),
            syn::Expr::Reference(reference) => inner(&reference.expr),
            syn::Expr::Paren(parens) => inner(&parens.expr),
            syn::Expr::Block(block) => self.last(&block.block, depth),
            syn::Expr::If(branch) => {
                let mut shapes = self.last(&branch.then_branch, depth);
                shapes.extend(branch.else_branch.iter().flat_map(|(_, other)| inner(other)));
                shapes
            }
            syn::Expr::Match(choice) => choice.arms.iter().flat_map(|arm| inner(&arm.body)).collect(),
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.locals.get(&name.to_string()));
                local.map(|local| inner(local)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn last(&self, block: &'ast syn::Block, depth: usize) -> Vec<String> {
        match block.stmts.last() {
            Some(syn::Stmt::Expr(last, None)) => self.shapes(last, depth + 1),
            _ => Vec::new(),
        }
    }
}

/// `Note::new`, or a closure that stands for it.
fn makes_a_note(callee: &syn::Expr) -> bool {
    let syn::Expr::Path(path) = callee else { return false };
    let names: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
    names.ends_with(&["Note".to_owned(), "new".to_owned()]) || names == ["add"]
}

fn text(expression: &syn::Expr) -> Option<String> {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn first_string(tokens: TokenStream) -> Option<String> {
    match tokens.into_iter().next()? {
        TokenTree::Literal(literal) => {
            syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|text| text.value())
        }
        _ => None,
    }
}

#[derive(Default)]
struct Words(Vec<(String, usize)>);

impl<'ast> Visit<'ast> for Words {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        let text = literal.value();
        if is_code(&text) {
            self.0.push((text, literal.span().start().line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{codes, notes};
    use crate::steps::errors::Note;

    const SAMPLE: &str = r#"
        fn one(notes: &mut Vec<Note>, n: usize, said: String) {
            notes.push(Note::new("room.literal", "as it is"));
            notes.push(Note { file: None, ..kforge::Note::new("room.format", format!("{n} lost", n = "x y")) });
            let text: String = match n { 0 => "none".to_owned(), n => format!("{n} of them") };
            notes.push(Note::new("room.local", text));
            notes.push(Note::new("room.elsewhere", said));
            let mut add = |code: &str, message: String| notes.push(Note::new(code, message));
            add("room.closure", if n > 1 { "many".to_owned() } else { "few".into() });
            other("room.file", "no note");
        }
        #[cfg(test)]
        mod tests { fn two() { Note::new("room.test", "x"); } }
    "#;

    #[test]
    fn a_note_is_read_where_it_is_made_with_the_shape_of_its_message() {
        let note = |code: &str, shape: &str| Note { code: code.into(), shape: shape.into() };
        let expected = [
            note("room.literal", "as it is"),
            note("room.format", "{n} lost"),
            note("room.local", "none; or: {n} of them"),
            note("room.elsewhere", "{message}"),
            note("room.closure", "many; or: few"),
        ];
        assert_eq!(notes(&syn::parse_file(SAMPLE).unwrap()), expected);
    }

    #[test]
    fn every_literal_with_the_shape_of_a_code_is_seen_outside_of_tests() {
        let found = codes(&syn::parse_file(SAMPLE).unwrap());
        let names: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
        assert!(names.contains(&"room.file") && !names.contains(&"room.test"), "{names:?}");
    }
}
