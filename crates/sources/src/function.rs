//! One function of a module: its parameters become operands, and what the tree does not say stays open.

use crate::error::Error;
use crate::evaluate::Evaluator;
use crate::given::Given;
use crate::python::{Parameter, Step};
use crate::scope::Scope;
use crate::slice::Writer;
use crate::task::{Finding, Input, MOST_OUTPUTS, Origin, Output, Program, Task};
use crate::value::{Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Packages whose functions may be their own reference in binary64.
const PLAIN: &[&str] = &["torch", "math", "typing", "functools", "einops"];

/// Reads one function; `module_path` is how Python names its module.
///
/// # Errors
/// Where the file has no such function.
pub fn function(file: &str, text: &str, module_path: &str, wanted: &str) -> Result<Task, Error> {
    let module = crate::parsed(file, text)?;
    let evaluator = Evaluator::new(&module, &BTreeSet::new());
    let known: Vec<String> = evaluator.definitions.keys().map(|name| (*name).to_owned()).collect();
    let not_there =
        || Error::NotThere { file: file.to_owned(), name: wanted.to_owned(), known: known.clone() };
    let definition = *evaluator.definitions.get(wanted).ok_or_else(not_there)?;
    let Step::Function { parameters, .. } = &definition.step else { return Err(not_there()) };
    let line = definition.line;
    let Operands { inputs, given, arguments, mut open } = operands(&evaluator, parameters, wanted, line);
    let results = match evaluator.apply(definition, &given, 0) {
        Value::Sequence(parts) => parts.len().max(1),
        _ => 1,
    };
    let count = results.min(MOST_OUTPUTS);
    open.extend(Finding::outputs_beyond(results, line));
    open.extend(evaluator.beyond(line));
    let output = |at: usize| Output {
        name: if count == 1 { "result".to_owned() } else { format!("result{at}") },
        shape: None,
        dtype: None,
        line,
        accepted: None,
    };
    let names: BTreeSet<String> = [wanted.to_owned()].into();
    let mut copy = Writer::new(&evaluator, false);
    let candidate = Program {
        title: format!("The candidate: `{wanted}` of {file}, to be edited."),
        definitions: copy.definitions(&names),
        body: vec![format!("return {wanted}({})", arguments[1].join(", "))],
    };
    let mut wide = Writer::new(&evaluator, true);
    let reference = Program {
        title: format!("The reference: `{wanted}` of {file} in binary64."),
        definitions: wide.definitions(&names),
        body: vec![format!("return {wanted}({})", arguments[0].join(", "))],
    };
    let foreign: Vec<&str> = evaluator
        .imports
        .values()
        .copied()
        .filter(|path| !PLAIN.contains(&path.split('.').next().unwrap_or(path)))
        .collect();
    if !foreign.is_empty() {
        let text = format!(
            "the file imports {}; see that the reference is right in binary64, or write it in PyTorch",
            foreign.join(", ")
        );
        open.push(Finding { line, text });
    }
    let baseline = Program {
        title: format!("The baseline: `{module_path}.{wanted}` as it is."),
        definitions: vec![format!("from {module_path} import {wanted}")],
        ..candidate.clone()
    };
    open.push(Finding {
        line,
        text: "a function does not say its sizes; give params and [domain] their values".to_owned(),
    });
    Ok(Task {
        origin: Origin::Function,
        file: file.to_owned(),
        name: wanted.to_owned(),
        line,
        inputs,
        outputs: (0..count).map(output).collect(),
        ranges: Vec::new(),
        cases: vec![BTreeMap::new()],
        constraint: None,
        left_out: 0,
        reference,
        baseline,
        candidate: Some(candidate),
        open,
        said: Vec::new(),
    })
}

/// A parameter that says it is a tensor, or says nothing at all.
fn is_tensor(parameter: &Parameter) -> bool {
    match &parameter.annotation {
        Some(words) => words.contains("Tensor"),
        None => parameter.default.is_none(),
    }
}

/// What the parameters become.
#[derive(Default)]
struct Operands {
    inputs: Vec<Input>,
    given: Given,
    /// The arguments of the call: in binary64, and as they are.
    arguments: [Vec<String>; 2],
    open: Vec<Finding>,
}

fn operands(evaluator: &Evaluator<'_>, parameters: &[Parameter], wanted: &str, line: usize) -> Operands {
    let mut found = Operands::default();
    for parameter in parameters.iter().filter(|parameter| !parameter.rest) {
        let value = parameter.default.as_ref().map(|default| evaluator.value(&Scope::new(), default, 0));
        if is_tensor(parameter) {
            let name = &parameter.name;
            found.inputs.push(Input { name: name.clone(), shape: None, dtype: None, fill: None, line });
            found.given.word.insert(name.clone(), Value::Tensor(Tensor::computed(None, None)));
            found.arguments[0].push(format!("{name}=call.input(\"{name}\").double()"));
            found.arguments[1].push(format!("{name}=call.input(\"{name}\")"));
            continue;
        }
        if let Some((written, value)) = value.and_then(|value| Some((value.python()?, value))) {
            for side in &mut found.arguments {
                side.push(format!("{}={written}", parameter.name));
            }
            found.given.word.insert(parameter.name.clone(), value);
            continue;
        }
        let text =
            format!("nothing says what `{}` of `{wanted}` is; it is None in the calls", parameter.name);
        found.open.push(Finding { line, text });
        for side in &mut found.arguments {
            side.push(format!("{}=None", parameter.name));
        }
    }
    found
}
