//! What was found: an operation with its operands, cases and code, and what the file leaves open.

use std::collections::BTreeMap;

/// Where the task came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A test that times an operation and compares it with a reference.
    OpTest,
    /// A class with a forward, and functions that make its inputs.
    Model,
    /// One function of a module.
    Function,
}

/// What an input is filled with.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Equally likely between two ends.
    Uniform(f64, f64),
    /// Mean and standard deviation.
    Normal(f64, f64),
    /// Whole numbers, the upper end excluded, as expressions.
    Integer(String, String),
    /// One value.
    Constant(f64),
    /// 0..n in random order.
    Permutation,
}

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its extents, as expressions over the parameters.
    pub shape: Option<Vec<String>>,
    /// Its element type, as experiment.toml has it.
    pub dtype: Option<&'static str>,
    /// What it holds.
    pub fill: Option<Fill>,
    /// The line that says so, from 1.
    pub line: usize,
}

/// One output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Option<Vec<String>>,
    /// Its element type.
    pub dtype: Option<&'static str>,
    /// The line that says so, from 1.
    pub line: usize,
    /// What the file accepts as equal, in its own words.
    pub accepted: Option<String>,
}

/// One parameter of the cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its name.
    pub name: String,
    /// Smallest value.
    pub min: i64,
    /// Largest value.
    pub max: i64,
    /// Every value is a multiple of this.
    pub multiple_of: i64,
    /// The line that gives values, from 1.
    pub line: usize,
}

/// The code of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// What it is, in a sentence.
    pub title: String,
    /// Imports and definitions, each a piece of the file.
    pub definitions: Vec<String>,
    /// The statements of the operation, without indentation.
    pub body: Vec<String>,
}

/// Something that the reader of the files must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The fact.
    pub text: String,
}

/// Outputs that are compared: they go by name, and the names of ten sort as their numbers do.
pub(crate) const MOST_OUTPUTS: usize = 10;

impl Finding {
    /// What is to be said where there are more results than are declared as outputs.
    pub(crate) fn outputs_beyond(results: usize, line: usize) -> Option<Self> {
        let beyond = results.checked_sub(MOST_OUTPUTS).filter(|beyond| *beyond > 0)?;
        let text = format!(
            "{results} results are returned and {beyond} of them are not declared, so that nothing compares them; return fewer from each side"
        );
        Some(Self { line, text })
    }
}

/// An operation that was found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Where it came from.
    pub origin: Origin,
    /// The file.
    pub file: String,
    /// Its name in the file.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
    /// The inputs, in the file's order.
    pub inputs: Vec<Input>,
    /// The outputs, by name.
    pub outputs: Vec<Output>,
    /// The parameters, by name.
    pub ranges: Vec<Range>,
    /// The cases.
    pub cases: Vec<BTreeMap<String, i64>>,
    /// What keeps drawn cases within the size of the declared ones.
    pub constraint: Option<String>,
    /// Cases that the file has and the experiment leaves out.
    pub left_out: usize,
    /// The reference.
    pub reference: Program,
    /// The baseline.
    pub baseline: Program,
    /// The candidate to begin with, where it is not the baseline's code.
    pub candidate: Option<Program>,
    /// What the file does not say, beyond open shapes and types.
    pub open: Vec<Finding>,
    /// What else is worth knowing.
    pub said: Vec<Finding>,
}
