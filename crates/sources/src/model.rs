//! A task as KernelBench has them: a class with a forward, `get_inputs` and `get_init_inputs`.
//!
//! Numbers that only `get_inputs` uses become parameters; those that shape the class stay what they are. The class is made with the same
//! seed in every process, so that all sides have the same weights.

use crate::cases::MOST_BYTES;
use crate::dtype;
use crate::error::Error;
use crate::evaluate::{Evaluator, Seen};
use crate::extent::{Case, Sizes};
use crate::python::{Module, Parameter, Statement, Step};
use crate::scope::Scope;
use crate::slice::{DEVICE_LINE, Writer};
use crate::task::{Fill, Finding, Input, MOST_OUTPUTS, Origin, Output, Program, Range, Task};
use crate::value::{Int, Made, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of finding out which numbers bound values: each one makes a number fixed that another one rests on.
const ROUNDS: usize = 8;

/// True where a file has the shape of such a task.
pub(crate) fn is_model(module: &Module) -> bool {
    function(module, "get_inputs").is_some() && model_class(module).is_some()
}

/// Reads such a task.
///
/// # Errors
/// Where the class, its forward or get_inputs is missing.
pub fn model(file: &str, text: &str) -> Result<Task, Error> {
    from_module(file, &crate::parsed(file, text)?)
}

/// Reads the task of a file that has been parsed.
pub(crate) fn from_module(file: &str, module: &Module) -> Result<Task, Error> {
    let missing = |what: &str| Error::NoTask { file: file.to_owned(), missing: what.to_owned() };
    let (name, class) = model_class(module).ok_or_else(|| missing("no class with a forward"))?;
    let get_inputs = function(module, "get_inputs").ok_or_else(|| missing("no function get_inputs"))?;
    let forward = method(class, "forward").ok_or_else(|| missing("no forward"))?;
    let plain = Evaluator::new(module, &BTreeSet::new());
    let mut parameters = free_numbers(&plain, module, class, get_inputs);
    // A parameter may shape a tensor; what bounds its values must be a number.
    let mut evaluator = Evaluator::new(module, &parameters);
    for round in 1.. {
        let bounds = bounding(&evaluator, get_inputs);
        if bounds.is_disjoint(&parameters) {
            break;
        }
        parameters.retain(|name| round < ROUNDS && !bounds.contains(name));
        evaluator = Evaluator::new(module, &parameters);
    }
    let operands = operands(&evaluator, get_inputs, forward);
    let mut task = Task {
        origin: Origin::Model,
        file: file.to_owned(),
        name: name.to_owned(),
        line: class.line,
        inputs: operands.inputs,
        outputs: Vec::new(),
        ranges: Vec::new(),
        cases: Vec::new(),
        constraint: None,
        left_out: 0,
        reference: Program::default(),
        baseline: Program::default(),
        candidate: None,
        open: operands.open,
        said: Vec::new(),
    };
    let results = results(&evaluator, class, forward, &operands.values);
    task.open.extend(Finding::outputs_beyond(results.len(), forward.line));
    task.outputs = outputs(results, forward);
    sizes(&mut task, &evaluator, &parameters);
    task.reference = program(&evaluator, name, &operands.names, &task, true);
    task.baseline = program(&evaluator, name, &operands.names, &task, false);
    task.open.extend(evaluator.beyond(class.line));
    Ok(task)
}

/// The class `Model`, else the first class with a forward.
fn model_class(module: &Module) -> Option<(&str, &Statement)> {
    let classes = module.body.iter().filter_map(|statement| match &statement.step {
        Step::Class { name, .. } if method(statement, "forward").is_some() => {
            Some((name.as_str(), statement))
        }
        _ => None,
    });
    let all: Vec<(&str, &Statement)> = classes.collect();
    all.iter().find(|(name, _)| *name == "Model").or(all.first()).copied()
}

fn function<'m>(module: &'m Module, wanted: &str) -> Option<&'m Statement> {
    module
        .body
        .iter()
        .find(|statement| matches!(&statement.step, Step::Function { name, .. } if name == wanted))
}

fn method<'m>(class: &'m Statement, wanted: &str) -> Option<&'m Statement> {
    let Step::Class { body, .. } = &class.step else { return None };
    body.iter().find(|statement| matches!(&statement.step, Step::Function { name, .. } if name == wanted))
}

fn body(statement: &Statement) -> (&[Parameter], &[Statement]) {
    match &statement.step {
        Step::Function { parameters, body, .. } => (parameters, body),
        _ => (&[], &[]),
    }
}

/// Names of whole numbers that get_inputs uses and nothing that makes the class does.
fn free_numbers(
    evaluator: &Evaluator<'_>,
    module: &Module,
    class: &Statement,
    get_inputs: &Statement,
) -> BTreeSet<String> {
    let reach = |from: &Statement| {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<&str> = from.mentions();
        while let Some(name) = open.pop() {
            if known.insert(name.to_owned()) {
                let binders = evaluator.binders.get(name).into_iter().flatten();
                open.extend(binders.flat_map(|at| module.body[*at].mentions()));
            }
        }
        known
    };
    let mut fixed = reach(class);
    fixed.extend(function(module, "get_init_inputs").map(reach).unwrap_or_default());
    let used = reach(get_inputs);
    let number = |name: &String| matches!(evaluator.globals.get(name), Some(Value::Int(Int { value: Some(value), .. })) if *value > 0);
    used.into_iter().filter(|name| !fixed.contains(name) && number(name)).collect()
}

/// Names in the ends of whole-number inputs.
fn bounding(evaluator: &Evaluator<'_>, get_inputs: &Statement) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (_, seen, returned) = walked(evaluator, get_inputs);
    let mut see = |value: &Value| {
        if let Value::Tensor(Tensor { made: Made::Filled(Fill::Integer(low, high)), .. }) = value {
            let words = format!("{low} {high}");
            names.extend(words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned));
        }
    };
    for met in &seen {
        see(&met.value);
    }
    returned.iter().for_each(&mut see);
    names
}

fn walked<'m>(evaluator: &Evaluator<'m>, function: &'m Statement) -> (Scope, Vec<Seen<'m>>, Vec<Value>) {
    let mut scope = Scope::new();
    let mut seen = Vec::new();
    let returned = match evaluator.run(&mut scope, body(function).1, &mut seen, 0) {
        Some(Value::Sequence(values)) => values.to_vec(),
        Some(value) => vec![value],
        None => Vec::new(),
    };
    (scope, seen, returned)
}

struct Operands {
    /// For every argument of forward: an input's name, or a constant.
    names: Vec<Result<String, String>>,
    inputs: Vec<Input>,
    values: Vec<Value>,
    open: Vec<Finding>,
}

/// What get_inputs returns, under the names that forward has for it.
fn operands(evaluator: &Evaluator<'_>, get_inputs: &Statement, forward: &Statement) -> Operands {
    let (_, seen, returned) = walked(evaluator, get_inputs);
    let line = seen.last().map_or(get_inputs.line, |met| met.statement.line);
    let mut named = body(forward)
        .0
        .iter()
        .skip(1)
        .filter(|parameter| !parameter.rest)
        .map(|parameter| parameter.name.clone());
    let mut found = Operands { names: Vec::new(), inputs: Vec::new(), values: Vec::new(), open: Vec::new() };
    if returned.is_empty() {
        found.open.push(Finding {
            line: get_inputs.line,
            text: "what get_inputs returns could not be read; declare the inputs".to_owned(),
        });
    }
    for (at, value) in returned.into_iter().enumerate() {
        let name = named.next().unwrap_or_else(|| format!("x{at}"));
        match &value {
            Value::Tensor(tensor) => {
                let fill = match &tensor.made {
                    Made::Filled(fill) => Some(fill.clone()),
                    _ => None,
                };
                let shape = tensor
                    .shape
                    .as_ref()
                    .map(|shape| shape.iter().map(|extent| extent.text.clone()).collect());
                found.inputs.push(Input { name: name.clone(), shape, dtype: tensor.dtype, fill, line });
                found.names.push(Ok(name));
            }
            Value::Unknown | Value::Layer(..) => {
                found.inputs.push(Input { name: name.clone(), shape: None, dtype: None, fill: None, line });
                found.names.push(Ok(name));
            }
            constant => {
                if constant.python().is_none() {
                    found.open.push(Finding {
                        line,
                        text: format!(
                            "`{name}` holds tensors, or what is not known; it is None in the calls"
                        ),
                    });
                }
                found.names.push(Err(constant.python().unwrap_or_else(|| "None".to_owned())));
            }
        }
        found.values.push(value);
    }
    found
}

/// What forward gives, from what the constructor keeps.
fn results(
    evaluator: &Evaluator<'_>,
    class: &Statement,
    forward: &Statement,
    values: &[Value],
) -> Vec<Value> {
    let mut scope = Scope::new();
    if let Some(init) = method(class, "__init__") {
        let given = evaluator
            .definitions
            .get("get_init_inputs")
            .map_or_else(Vec::new, |function| walked(evaluator, function).2);
        bind(evaluator, &mut scope, init, given);
        evaluator.run(&mut scope, body(init).1, &mut Vec::new(), 0);
        scope.retain(|name, _| name.starts_with("self."));
    }
    bind(evaluator, &mut scope, forward, values.to_vec());
    match evaluator.run(&mut scope, body(forward).1, &mut Vec::new(), 0) {
        Some(Value::Sequence(values)) => values.to_vec(),
        Some(value) => vec![value],
        None => vec![Value::Unknown],
    }
}

/// What is compared, by name.
fn outputs(results: Vec<Value>, forward: &Statement) -> Vec<Output> {
    let single = results.len() == 1;
    let inputs: Vec<&str> = body(forward).0.iter().map(|parameter| parameter.name.as_str()).collect();
    let stem = if inputs.contains(&"y") { "out" } else { "y" };
    let output = |(at, value): (usize, Value)| {
        let (shape, dtype) = match value {
            Value::Tensor(tensor) => (tensor.shape, tensor.dtype),
            _ => (None, None),
        };
        Output {
            name: if single { stem.to_owned() } else { format!("{stem}{at}") },
            shape: shape.map(|shape| shape.into_iter().map(|e| e.text).collect()),
            dtype,
            line: forward.line,
            accepted: None,
        }
    };
    results.into_iter().enumerate().take(MOST_OUTPUTS).map(output).collect()
}

fn bind(evaluator: &Evaluator<'_>, scope: &mut Scope, function: &Statement, values: Vec<Value>) {
    let mut given = values.into_iter();
    for parameter in body(function).0.iter().skip(1).filter(|parameter| !parameter.rest) {
        let default = || parameter.default.as_ref().map(|default| evaluator.value(&Scope::new(), default, 0));
        scope.insert(parameter.name.clone(), given.next().or_else(default).unwrap_or(Value::Unknown));
    }
}

/// The words of an expression.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The task's own case, halved until it fits, and a domain from half of it.
fn sizes(task: &mut Task, evaluator: &Evaluator<'_>, parameters: &BTreeSet<String>) {
    let used: BTreeSet<&str> = task
        .inputs
        .iter()
        .flat_map(|input| input.shape.iter().flatten())
        .flat_map(|text| words(text))
        .collect();
    let mut case: Case = parameters
        .iter()
        .filter(|name| used.contains(name.as_str()))
        .map(|name| (name.clone(), value_of(evaluator, name)))
        .collect();
    let declared = case.clone();
    let sizes = Sizes::of(&task.inputs);
    while sizes.bytes(&case).is_none_or(|bytes| bytes > MOST_BYTES) {
        let Some((_, largest)) =
            case.iter_mut().max_by_key(|(_, value)| **value).filter(|(_, value)| **value > 1)
        else {
            break;
        };
        *largest /= 2;
    }
    if case != declared {
        let words =
            declared.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
        task.said.push(Finding { line: task.line, text: format!("the file's own size ({words}) holds more than 1 GiB in one slot, of nine; the case is the largest of its halves that fits") });
    }
    if declared.is_empty() && task.inputs.iter().all(|input| input.shape.is_some()) {
        task.said.push(Finding {
            line: task.line,
            text: "all sizes are fixed in the file; drawn cases differ in their data only".to_owned(),
        });
    }
    task.constraint = sizes.constraint(std::slice::from_ref(&case));
    let half: Case = case.iter().map(|(name, value)| (name.clone(), (value + 1) / 2)).collect();
    // An extent of half of it may be none at all.
    let least = if sizes.bytes(&half).is_some() { &half } else { &case };
    task.ranges = case
        .iter()
        .map(|(name, value)| Range {
            name: name.clone(),
            min: least.get(name).copied().unwrap_or(*value),
            max: *value,
            multiple_of: 1,
            line: task.line,
        })
        .collect();
    task.cases = vec![case];
}

/// What a number of the top level is.
fn value_of(evaluator: &Evaluator<'_>, name: &str) -> i64 {
    match evaluator.globals.get(name) {
        Some(Value::Int(Int { value: Some(value), .. })) => *value,
        _ => 1,
    }
}

/// The class, made once, and called.
fn program(
    evaluator: &Evaluator<'_>,
    class: &str,
    names: &[Result<String, String>],
    task: &Task,
    widen: bool,
) -> Program {
    let mut writer = Writer::new(evaluator, widen);
    let mut needs: BTreeSet<String> = [class.to_owned()].into();
    let with_init = evaluator.definitions.contains_key("get_init_inputs");
    if with_init {
        needs.insert("get_init_inputs".to_owned());
    }
    let mut definitions = writer.definitions(&needs);
    if !definitions.iter().any(|piece| piece == DEVICE_LINE) {
        definitions.push(DEVICE_LINE.to_owned());
    }
    let arguments = if with_init { "*get_init_inputs()" } else { "" };
    let double = if widen { ".double()" } else { "" };
    definitions.push(format!("torch.manual_seed(0)  # every side has the same weights\nmodel = {class}({arguments}){double}.to(kforge_device)"));
    let types: BTreeMap<&str, Option<&str>> =
        task.inputs.iter().map(|input| (input.name.as_str(), input.dtype)).collect();
    let argument = |name: &Result<String, String>| match name {
        Ok(name) => {
            let float = types.get(name.as_str()).copied().flatten().is_none_or(dtype::widens);
            format!("call.input(\"{name}\"){}", if widen && float { ".double()" } else { "" })
        }
        Err(constant) => constant.clone(),
    };
    let arguments: Vec<String> = names.iter().map(argument).collect();
    let title = if widen {
        "The reference: the task's class in binary64."
    } else {
        "The baseline: the task's class as it stands."
    };
    // Constants over the file's numbers: those that vary are the case's.
    let constants = names.iter().filter_map(|name| name.as_ref().err()).flat_map(|text| words(text));
    let numbers: BTreeSet<&str> = constants
        .filter(|name| matches!(evaluator.globals.get(*name), Some(Value::Int(int)) if int.text == *name))
        .collect();
    let mut body: Vec<String> = Vec::new();
    for name in numbers {
        let varies = task.ranges.iter().any(|range| range.name == name);
        let value = value_of(evaluator, name).to_string();
        let text = if varies { format!("call.param(\"{name}\")") } else { value };
        body.push(format!("{name} = {text}"));
    }
    body.push(format!("return model({})", arguments.join(", ")));
    Program { title: title.to_owned(), definitions, body }
}
