//! The catalog: rule files compiled once, asked once per distinct name.
//!
//! The first rule that holds decides the operation; later rules may add fused parts. The user's own files are asked first,
//! in their order. Of the shipped files, one with a scope judges the names that begin so before any other does, and alone
//! where one of its rules holds.

use serde::Deserialize;

use crate::dtype::Dtypes;
use crate::maker::Makers;
use crate::name::KernelName;
use crate::rule::{Books, Compiler, Rule, RuleFile, Sighting};
use crate::words::Joins;
use crate::{Error, Family, Labels, RuleFacts, builtin};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsText {
    join: Vec<String>,
}

/// Kernel families, makers and data types, ready to be asked. Building one takes milliseconds: keep it.
#[derive(Debug)]
pub struct Catalog {
    joins: Joins,
    books: Books,
    /// The user's, then the shipped ones.
    files: Vec<RuleFile>,
    own: usize,
    makers: Makers,
    dtypes: Dtypes,
}

impl Catalog {
    /// The catalog that ships with the binary.
    ///
    /// # Errors
    /// Only where a shipped rule file is broken, which the tests of this crate exclude.
    pub fn builtin() -> Result<Self, Error> {
        Self::with_rules(&[])
    }

    /// The shipped catalog with rule files of the user asked first; each is `(name, text)`, and the name is the file
    /// part of the ids of its rules.
    pub fn with_rules(own: &[(&str, &str)]) -> Result<Self, Error> {
        let words: WordsText = toml::from_str(builtin::WORDS)
            .map_err(|error| Error::Syntax { file: "words".to_owned(), detail: error.to_string() })?;
        let joins = Joins::new(&words.join);
        let mut books = Books::default();
        let mut files = Vec::with_capacity(own.len() + builtin::RULES.len());
        for (file, text) in own.iter().chain(builtin::RULES) {
            let mut compiler = Compiler { file, joins: &joins, books: &mut books };
            files.push(RuleFile::compile(text, &mut compiler)?);
        }
        let mut compiler = Compiler { file: "makers", joins: &joins, books: &mut books };
        let makers = Makers::compile(builtin::MAKERS, &mut compiler)?;
        let dtypes = Dtypes::read("dtypes", builtin::DTYPES)?;
        Ok(Self { joins, books, files, own: own.len(), makers, dtypes })
    }

    /// The labels of a kernel's, copy's or fill's name. Ask once per distinct name.
    pub fn classify(&self, name: &str) -> Labels {
        let name = KernelName::parse(name, &self.joins);
        let seen = Sighting {
            function: self.books.function.find(&name.function),
            arguments: self.books.arguments.find(&name.arguments),
        };
        let (language, library) = self.makers.of(&seen);
        let dtypes = self.dtypes.of(&name);
        match self.decided(&seen) {
            Some((rule, parts)) => Labels {
                operation: rule.facts.family,
                parts,
                dtypes,
                language,
                library,
                rule: Some(rule.facts.id.clone()),
            },
            None => Labels {
                operation: Family::Unclassified,
                parts: Vec::new(),
                dtypes,
                language,
                library,
                rule: None,
            },
        }
    }

    fn decided(&self, seen: &Sighting) -> Option<(&Rule, Vec<Family>)> {
        let (own, shipped) = self.files.split_at(self.own);
        let holds = |file: &&RuleFile| seen.function.any(&file.scope);
        let own = || {
            own.iter().filter(move |file| file.scope.is_empty() || holds(file)).flat_map(|file| &file.rules)
        };
        let unscoped = || shipped.iter().filter(|file| file.scope.is_empty()).flat_map(|file| &file.rules);
        if own().any(|rule| rule.when.holds(seen)) {
            return decide(own().chain(unscoped()), seen);
        }
        let scoped = shipped.iter().filter(holds).find_map(|file| decide(file.rules.iter(), seen));
        scoped.or_else(|| decide(unscoped(), seen))
    }

    /// Every rule, in the order in which they are asked.
    pub fn rules(&self) -> impl Iterator<Item = &RuleFacts> {
        self.files.iter().flat_map(|file| &file.rules).map(|rule| &rule.facts)
    }
}

/// The first rule that holds, and the families that it and the following ones see fused into the name.
fn decide<'a>(mut rules: impl Iterator<Item = &'a Rule>, seen: &Sighting) -> Option<(&'a Rule, Vec<Family>)> {
    let first = rules.by_ref().find(|rule| rule.when.holds(seen))?;
    let mut parts = vec![first.facts.family];
    let add = |families: &mut dyn Iterator<Item = Family>, parts: &mut Vec<Family>| {
        for family in families {
            if !parts.contains(&family) {
                parts.push(family);
            }
        }
    };
    add(&mut first.parts.iter().copied(), &mut parts);
    if !first.closed {
        for rule in rules.filter(|rule| rule.facts.family.joins_others() && rule.when.holds(seen)) {
            add(&mut std::iter::once(rule.facts.family), &mut parts);
            add(&mut rule.parts.iter().copied(), &mut parts);
        }
    }
    Some((first, parts))
}
