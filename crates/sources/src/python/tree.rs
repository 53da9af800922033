//! The one door to the parser: text to this room's own syntax.
//!
//! Invariant: any text gives a module. What the parser cannot read is [`Step::Other`]; nesting deeper than a person writes is cut off.

use super::syntax::{Argument, Expression, Kind, Parameter, Statement, Step};
use std::cell::Cell;
use tree_sitter::{Node, Parser};

/// Deeper nesting is not followed: generated text could exhaust the stack.
const DEEPEST: usize = 120;

/// A file.
#[derive(Debug)]
pub(crate) struct Module {
    /// Its text.
    pub(crate) text: String,
    /// Its statements.
    pub(crate) body: Vec<Statement>,
    /// The first line that is not Python, from 1.
    pub(crate) broken: Option<usize>,
    /// The first line with nesting that was cut off, from 1.
    pub(crate) cut: Option<usize>,
}

impl Module {
    /// Reads a text; absent only where the parser refuses its own grammar.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
        let tree = parser.parse(text, None)?;
        let root = tree.root_node();
        if let Some(line) = broken(root) {
            return Some(Self { text: String::new(), body: Vec::new(), broken: Some(line), cut: None });
        }
        let reader = Reader { text, cut: Cell::new(None) };
        let body = reader.block(root, 0);
        Some(Self { text: text.to_owned(), body, broken: None, cut: reader.cut.get() })
    }

    /// The text of some bytes.
    pub(crate) fn slice(&self, span: &std::ops::Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

/// The line of the first error, from 1; found without recursion.
fn broken(root: Node<'_>) -> Option<usize> {
    let mut rest = vec![root];
    let mut first: Option<usize> = None;
    while let Some(node) = rest.pop() {
        if !node.has_error() {
            continue;
        }
        if node.is_error() || node.is_missing() {
            let line = node.start_position().row + 1;
            first = Some(first.map_or(line, |known| known.min(line)));
            continue;
        }
        let mut cursor = node.walk();
        rest.extend(node.children(&mut cursor));
    }
    first
}

struct Reader<'a> {
    text: &'a str,
    cut: Cell<Option<usize>>,
}

/// The named children, comments aside.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    // By its number, finding a child takes time with the number.
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

impl Reader<'_> {
    fn words(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// True where a node lies too deep.
    fn too_deep(&self, node: Node<'_>, depth: usize) -> bool {
        if depth > DEEPEST {
            self.cut.set(self.cut.get().or(Some(line(node))));
        }
        depth > DEEPEST
    }

    fn field(&self, node: Node<'_>, name: &str, depth: usize) -> Expression {
        match node.child_by_field_name(name) {
            Some(child) => self.expression(child, depth),
            None => Expression { span: node.byte_range(), line: line(node), kind: Kind::Other(Vec::new()) },
        }
    }

    fn block(&self, node: Node<'_>, depth: usize) -> Vec<Statement> {
        if self.too_deep(node, depth) {
            return Vec::new();
        }
        children(node).into_iter().map(|child| self.statement(child, depth)).collect()
    }

    fn body(&self, node: Node<'_>, name: &str, depth: usize) -> Vec<Statement> {
        node.child_by_field_name(name).map_or_else(Vec::new, |block| self.block(block, depth + 1))
    }

    fn statement(&self, node: Node<'_>, depth: usize) -> Statement {
        let step = match node.kind() {
            "import_statement" | "import_from_statement" => Step::Import(self.imports(node)),
            "expression_statement" => self.simple(node, depth),
            "return_statement" => {
                Step::Return(children(node).first().map(|value| self.expression(*value, depth + 1)))
            }
            "if_statement" => self.branches(node, depth),
            "for_statement" => Step::For {
                target: self.field(node, "left", depth + 1),
                iterable: self.field(node, "right", depth + 1),
                body: self.body(node, "body", depth),
            },
            "decorated_definition" => {
                let decorators: Vec<Expression> = children(node)
                    .into_iter()
                    .filter(|child| child.kind() == "decorator")
                    .filter_map(|child| {
                        children(child).first().map(|inner| self.expression(*inner, depth + 1))
                    })
                    .collect();
                match node.child_by_field_name("definition") {
                    Some(definition) => self.definition(definition, decorators, depth),
                    None => Step::Other(decorators, Vec::new()),
                }
            }
            "function_definition" | "class_definition" => self.definition(node, Vec::new(), depth),
            _ => self.anything(node, depth),
        };
        // A decorated function is where its name is.
        let named = node.child_by_field_name("definition").unwrap_or(node);
        Statement { span: node.byte_range(), line: line(named), step }
    }

    /// A statement that is not modelled: its expressions, and its blocks.
    fn anything(&self, node: Node<'_>, depth: usize) -> Step {
        if self.too_deep(node, depth) {
            return Step::Other(Vec::new(), Vec::new());
        }
        let (mut parts, mut blocks) = (Vec::new(), Vec::new());
        for child in children(node) {
            match child.kind() {
                "block" => blocks.extend(self.block(child, depth + 1)),
                "except_clause" | "finally_clause" | "else_clause" | "with_clause" | "case_clause" => {
                    if let Step::Other(inner, block) = self.anything(child, depth + 1) {
                        parts.extend(inner);
                        blocks.extend(block);
                    }
                }
                _ => parts.push(self.expression(child, depth + 1)),
            }
        }
        Step::Other(parts, blocks)
    }

    fn simple(&self, node: Node<'_>, depth: usize) -> Step {
        let inner = children(node);
        match inner.as_slice() {
            [only] if only.kind() == "assignment" && only.child_by_field_name("right").is_some() => {
                Step::Assign(self.field(*only, "left", depth + 1), self.field(*only, "right", depth + 1))
            }
            [only] if only.kind() == "augmented_assignment" => {
                Step::Augment(self.field(*only, "left", depth + 1), self.field(*only, "right", depth + 1))
            }
            [only] => Step::Evaluate(self.expression(*only, depth + 1)),
            _ => Step::Other(
                inner.into_iter().map(|child| self.expression(child, depth + 1)).collect(),
                Vec::new(),
            ),
        }
    }

    fn branches(&self, node: Node<'_>, depth: usize) -> Step {
        let mut branches =
            vec![(Some(self.field(node, "condition", depth + 1)), self.body(node, "consequence", depth))];
        for clause in children(node) {
            match clause.kind() {
                "elif_clause" => branches.push((
                    Some(self.field(clause, "condition", depth + 1)),
                    self.body(clause, "consequence", depth),
                )),
                "else_clause" => branches.push((None, self.body(clause, "body", depth))),
                _ => {}
            }
        }
        Step::If(branches)
    }

    fn definition(&self, node: Node<'_>, decorators: Vec<Expression>, depth: usize) -> Step {
        let name = node.child_by_field_name("name").map_or("", |name| self.words(name)).to_owned();
        let body = self.body(node, "body", depth);
        if node.kind() == "class_definition" {
            let bases = node.child_by_field_name("superclasses").map_or_else(Vec::new, |list| {
                children(list).into_iter().map(|base| self.expression(base, depth + 1)).collect()
            });
            return Step::Class { name, bases, body };
        }
        let parameters = node.child_by_field_name("parameters").map_or_else(Vec::new, |list| {
            children(list).into_iter().filter_map(|child| self.parameter(child, depth)).collect()
        });
        Step::Function { name, parameters, decorators, body }
    }

    fn parameter(&self, node: Node<'_>, depth: usize) -> Option<Parameter> {
        let named = node.child_by_field_name("name");
        let inner = match node.kind() {
            "identifier" => node,
            "default_parameter" | "typed_default_parameter" => named?,
            "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                *children(node).first()?
            }
            _ => return None,
        };
        let splat = |kind: &str| matches!(kind, "list_splat_pattern" | "dictionary_splat_pattern");
        let rest = splat(node.kind()) || splat(inner.kind());
        let words = self.words(inner).trim_start_matches('*').to_owned();
        Some(Parameter {
            name: words,
            annotation: node.child_by_field_name("type").map(|kind| self.words(kind).to_owned()),
            default: node.child_by_field_name("value").map(|value| self.expression(value, depth + 1)),
            rest,
        })
    }

    fn imports(&self, node: Node<'_>) -> Vec<(String, String)> {
        let from = node.child_by_field_name("module_name");
        let prefix = from.map(|module| self.words(module));
        let mut names = Vec::new();
        for child in children(node) {
            if from.is_some_and(|module| module.id() == child.id()) {
                continue;
            }
            let (path, alias) = match child.kind() {
                "aliased_import" => (
                    child.child_by_field_name("name").map_or("", |name| self.words(name)),
                    child.child_by_field_name("alias").map(|alias| self.words(alias)),
                ),
                "dotted_name" => (self.words(child), None),
                _ => continue,
            };
            let first = path.split('.').next().unwrap_or(path);
            names.push(match (prefix, alias) {
                (Some(prefix), alias) => (alias.unwrap_or(path).to_owned(), format!("{prefix}.{path}")),
                (None, Some(alias)) => (alias.to_owned(), path.to_owned()),
                (None, None) => (first.to_owned(), first.to_owned()),
            });
        }
        names
    }

    fn expression(&self, node: Node<'_>, depth: usize) -> Expression {
        if self.too_deep(node, depth) {
            return Expression { span: node.byte_range(), line: line(node), kind: Kind::Other(Vec::new()) };
        }
        let inside = |name: &str| Box::new(self.field(node, name, depth + 1));
        let all =
            || children(node).into_iter().map(|child| self.expression(child, depth + 1)).collect::<Vec<_>>();
        let kind = match node.kind() {
            "identifier" => Kind::Name(self.words(node).to_owned()),
            "attribute" => Kind::Attribute(
                inside("object"),
                node.child_by_field_name("attribute").map_or("", |name| self.words(name)).to_owned(),
            ),
            "call" => Kind::Call(inside("function"), self.arguments(node, depth)),
            "integer" => integer(self.words(node)),
            "float" => {
                self.words(node).replace('_', "").parse().map_or_else(|_| Kind::Other(Vec::new()), Kind::Real)
            }
            "string" => self.string(node, depth),
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "none" => Kind::None,
            "tuple" | "list" | "expression_list" | "pattern_list" | "tuple_pattern" | "list_pattern" => {
                Kind::Sequence(all())
            }
            "parenthesized_expression" => match all().into_iter().next() {
                Some(inner) => inner.kind,
                None => Kind::Other(Vec::new()),
            },
            "list_splat" | "list_splat_pattern" => match all().into_iter().next() {
                Some(inner) => Kind::Splat(Box::new(inner)),
                None => Kind::Other(Vec::new()),
            },
            "binary_operator" | "boolean_operator" => {
                let operator = node.child_by_field_name("operator").map_or("", |word| self.words(word));
                Kind::Binary(operator.to_owned(), inside("left"), inside("right"))
            }
            "comparison_operator" => self.comparison(all()),
            "unary_operator" if self.words(node).starts_with('-') => Kind::Negate(inside("argument")),
            "not_operator" => Kind::Not(inside("argument")),
            "subscript" => {
                let mut parts = all().into_iter();
                match parts.next() {
                    Some(object) => Kind::Subscript(Box::new(object), parts.collect()),
                    None => Kind::Other(Vec::new()),
                }
            }
            _ => Kind::Other(all()),
        };
        Expression { span: node.byte_range(), line: line(node), kind }
    }

    fn arguments(&self, node: Node<'_>, depth: usize) -> Vec<Argument> {
        let Some(list) = node.child_by_field_name("arguments") else { return Vec::new() };
        if list.kind() != "argument_list" {
            let value = self.expression(list, depth + 1);
            return vec![Argument { name: None, span: value.span.clone(), value }];
        }
        let one = |child: Node<'_>| {
            let span = child.byte_range();
            if child.kind() == "dictionary_splat" {
                let parts =
                    children(child).into_iter().map(|inner| self.expression(inner, depth + 1)).collect();
                let value = Expression { span: span.clone(), line: line(child), kind: Kind::Other(parts) };
                return Argument { name: Some("**".to_owned()), value, span };
            }
            if child.kind() != "keyword_argument" {
                return Argument { name: None, value: self.expression(child, depth + 1), span };
            }
            let name = child.child_by_field_name("name").map(|name| self.words(name).to_owned());
            Argument { name, value: self.field(child, "value", depth + 1), span }
        };
        children(list).into_iter().map(one).collect()
    }

    /// `a < b` of two operands; chains keep their parts only.
    fn comparison(&self, parts: Vec<Expression>) -> Kind {
        let mut parts = parts;
        if parts.len() != 2 {
            return Kind::Other(parts);
        }
        let (Some(right), Some(left)) = (parts.pop(), parts.pop()) else { return Kind::Other(Vec::new()) };
        let operator = self.text.get(left.span.end..right.span.start).unwrap_or_default();
        let operator = operator.trim_matches(|c: char| c.is_whitespace() || c == '(' || c == ')').to_owned();
        Kind::Binary(operator, Box::new(left), Box::new(right))
    }

    /// A plain string's text; one that is put together keeps its parts.
    fn string(&self, node: Node<'_>, depth: usize) -> Kind {
        let mut text = String::new();
        for child in children(node) {
            match child.kind() {
                // Bytes are no text, and an escape stands for something else than its letters.
                "string_start" if self.words(child).contains(['b', 'B']) => return Kind::Other(Vec::new()),
                "string_content" if child.named_child_count() > 0 => return Kind::Other(Vec::new()),
                "string_content" => text.push_str(self.words(child)),
                "interpolation" => {
                    let inner = children(node)
                        .into_iter()
                        .filter(|part| part.kind() == "interpolation")
                        .flat_map(children)
                        .map(|part| self.expression(part, depth + 1));
                    return Kind::Other(inner.collect());
                }
                _ => {}
            }
        }
        Kind::Text(text.into())
    }
}

fn integer(words: &str) -> Kind {
    let plain = words.replace('_', "").to_ascii_lowercase();
    let parsed = match plain.get(..2) {
        Some("0x") => i64::from_str_radix(&plain[2..], 16),
        Some("0b") => i64::from_str_radix(&plain[2..], 2),
        Some("0o") => i64::from_str_radix(&plain[2..], 8),
        _ => plain.parse(),
    };
    parsed.map_or_else(|_| Kind::Other(Vec::new()), Kind::Integer)
}
