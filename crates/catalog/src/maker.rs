//! Who made a kernel: the language it is written in and the library that ships it, where its name tells.

use serde::Deserialize;

use crate::Error;
use crate::rule::{Compiler, Condition, ConditionText, Sighting};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MakersText {
    #[serde(default, rename = "maker")]
    makers: Vec<MakerText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MakerText {
    id: String,
    language: Option<String>,
    library: Option<String>,
    #[serde(default)]
    name: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

#[derive(Debug)]
struct Maker {
    language: Option<String>,
    library: Option<String>,
    when: Condition,
}

/// The makers in the order of their file; language and library are each taken from the first that knows it.
#[derive(Debug, Default)]
pub(crate) struct Makers(Vec<Maker>);

impl Makers {
    pub(crate) fn compile(text: &str, compiler: &mut Compiler<'_>) -> Result<Self, Error> {
        let read: MakersText = toml::from_str(text)
            .map_err(|error| Error::Syntax { file: compiler.file.to_owned(), detail: error.to_string() })?;
        let mut makers = Vec::with_capacity(read.makers.len());
        for MakerText { id, language, library, name, args, not } in read.makers {
            let text = ConditionText { name: &name, all: &[], args: &args, not: &not, not_args: &[] };
            makers.push(Maker { language, library, when: compiler.condition(&id, text)? });
        }
        Ok(Self(makers))
    }

    /// `(language, library)` of the name that `seen` was found in.
    pub(crate) fn of(&self, seen: &Sighting) -> (Option<String>, Option<String>) {
        let mut language = None;
        let mut library = None;
        for maker in self.0.iter().filter(|maker| maker.when.holds(seen)) {
            language = language.or_else(|| maker.language.clone());
            library = library.or_else(|| maker.library.clone());
        }
        (language, library)
    }
}
