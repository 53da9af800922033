//! Rules that give a name its family, as written in `data/catalog/*.toml`.

use std::collections::HashSet;

use serde::Deserialize;

use crate::phrase::{Found, PhraseBook, PhraseId};
use crate::words::Joins;
use crate::{Error, Family};

/// A rule file as TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    /// Names that begin so are judged by this file first.
    #[serde(default)]
    scope: Vec<String>,
    #[serde(default, rename = "rule")]
    rules: Vec<RuleText>,
}

/// A rule as TOML; `docs/catalog.md` describes each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    id: String,
    family: Family,
    #[serde(default)]
    parts: Vec<Family>,
    #[serde(default)]
    name: Vec<String>,
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    not_args: Vec<String>,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    why: String,
    examples: Vec<String>,
    #[serde(default)]
    counter: Vec<String>,
}

/// What a rule says about itself, for documentation and for the test that no rule is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    /// `file/id`.
    pub id: String,
    /// The family it gives.
    pub family: Family,
    /// Why it is written so, or where the naming comes from.
    pub why: String,
    /// Names that this rule decides.
    pub examples: Vec<String>,
    /// Names that look alike and that this rule must not decide.
    pub counter: Vec<String>,
}

/// The two places phrases are looked for in.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) function: PhraseBook,
    pub(crate) arguments: PhraseBook,
}

/// What was found of the phrases in one name.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) function: Found,
    pub(crate) arguments: Found,
}

/// Where a rule file's phrases are compiled; remembers whom to name in an error.
pub(crate) struct Compiler<'a> {
    pub(crate) file: &'a str,
    pub(crate) joins: &'a Joins,
    pub(crate) books: &'a mut Books,
}

impl Compiler<'_> {
    fn phrases(&mut self, rule: &str, texts: &[String], arguments: bool) -> Result<Vec<PhraseId>, Error> {
        let book = if arguments { &mut self.books.arguments } else { &mut self.books.function };
        texts
            .iter()
            .map(|text| {
                book.add(text, self.joins).ok_or_else(|| Error::DeadPhrase {
                    file: self.file.to_owned(),
                    rule: rule.to_owned(),
                    phrase: text.clone(),
                })
            })
            .collect()
    }

    /// Compiles the conditions a rule may set.
    pub(crate) fn condition(&mut self, rule: &str, text: ConditionText<'_>) -> Result<Condition, Error> {
        if text.name.is_empty() && text.all.is_empty() && text.args.is_empty() {
            return Err(Error::EmptyRule { file: self.file.to_owned(), rule: rule.to_owned() });
        }
        Ok(Condition {
            name: self.phrases(rule, text.name, false)?,
            all: self.phrases(rule, text.all, false)?,
            args: self.phrases(rule, text.args, true)?,
            not: self.phrases(rule, text.not, false)?,
            not_args: self.phrases(rule, text.not_args, true)?,
        })
    }
}

/// The phrases of a condition as written.
#[derive(Clone, Copy)]
pub(crate) struct ConditionText<'a> {
    pub(crate) name: &'a [String],
    pub(crate) all: &'a [String],
    pub(crate) args: &'a [String],
    pub(crate) not: &'a [String],
    pub(crate) not_args: &'a [String],
}

/// When a rule applies: one of `name`, each of `all`, one of `args`, none of `not` and `not_args`; an empty list asks nothing.
#[derive(Debug)]
pub(crate) struct Condition {
    name: Vec<PhraseId>,
    all: Vec<PhraseId>,
    args: Vec<PhraseId>,
    not: Vec<PhraseId>,
    not_args: Vec<PhraseId>,
}

impl Condition {
    /// Does it hold for the name that `seen` was found in?
    pub(crate) fn holds(&self, seen: &Sighting) -> bool {
        (self.name.is_empty() || seen.function.any(&self.name))
            && (self.args.is_empty() || seen.arguments.any(&self.args))
            && self.all.iter().all(|id| seen.function.has(*id))
            && !seen.function.any(&self.not)
            && !seen.arguments.any(&self.not_args)
    }
}

/// A rule ready to be asked.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) facts: RuleFacts,
    pub(crate) parts: Vec<Family>,
    /// The name says nothing more after this rule: no further parts are looked for.
    pub(crate) closed: bool,
    pub(crate) when: Condition,
}

/// The rules of one file, in order.
#[derive(Debug)]
pub(crate) struct RuleFile {
    pub(crate) scope: Vec<PhraseId>,
    pub(crate) rules: Vec<Rule>,
}

impl RuleFile {
    /// Reads a rule file and compiles it.
    pub(crate) fn compile(text: &str, compiler: &mut Compiler<'_>) -> Result<Self, Error> {
        let file = compiler.file;
        let read: FileText = toml::from_str(text)
            .map_err(|error| Error::Syntax { file: file.to_owned(), detail: error.to_string() })?;
        let scope = compiler.phrases("scope", &read.scope, false)?;
        let mut seen = HashSet::new();
        let mut rules = Vec::with_capacity(read.rules.len());
        for rule in read.rules {
            if !seen.insert(rule.id.clone()) {
                return Err(Error::DuplicateRule { file: file.to_owned(), rule: rule.id });
            }
            let text = ConditionText {
                name: &rule.name,
                all: &rule.all,
                args: &rule.args,
                not: &rule.not,
                not_args: &rule.not_args,
            };
            let when = compiler.condition(&rule.id, text)?;
            let facts = RuleFacts {
                id: format!("{file}/{}", rule.id),
                family: rule.family,
                why: rule.why,
                examples: rule.examples,
                counter: rule.counter,
            };
            rules.push(Rule { facts, parts: rule.parts, closed: rule.closed, when });
        }
        Ok(Self { scope, rules })
    }
}
