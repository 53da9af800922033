//! A task as KernelBench has them: a class with a forward, `get_inputs` and `get_init_inputs`.
//!
//! Numbers that only `get_inputs` uses become parameters; those that shape the class stay what they are. The class is made with the same
//! seed in every process, so that all sides have the same weights.

use crate::cases::{MOST_BYTES, elements};
use crate::dtype;
use crate::error::Error;
use crate::evaluate::{Evaluator, Given, Scope, Seen};
use crate::python::{Module, Parameter, Statement, Step};
use crate::slice::Writer;
use crate::task::{Fill, Finding, Input, Origin, Output, Program, Range, Task};
use crate::value::{Int, Made, Tensor, Value};
use std::collections::{BTreeMap, BTreeSet};

/// True where a file has the shape of such a task.
pub(crate) fn is_model(module: &Module) -> bool {
    function(module, "get_inputs").is_some() && model_class(module).is_some()
}

/// Reads such a task.
///
/// # Errors
/// Where the class, its forward or get_inputs is missing.
pub fn model(file: &str, text: &str) -> Result<Task, Error> {
    let module = crate::parsed(file, text)?;
    let missing = |what: &str| Error::NoTask { file: file.to_owned(), missing: what.to_owned() };
    let (name, class) = model_class(&module).ok_or_else(|| missing("no class with a forward"))?;
    let get_inputs = function(&module, "get_inputs").ok_or_else(|| missing("no function get_inputs"))?;
    let forward = method(class, "forward").ok_or_else(|| missing("no forward"))?;
    let plain = Evaluator::new(&module, &BTreeSet::new());
    let mut parameters = free_numbers(&plain, &module, class, get_inputs);
    // A parameter may shape a tensor; what bounds its values must be a number.
    let evaluator = loop {
        let evaluator = Evaluator::new(&module, &parameters);
        let bounds = bounding(&evaluator, get_inputs);
        if bounds.is_disjoint(&parameters) {
            break evaluator;
        }
        parameters.retain(|name| !bounds.contains(name));
    };
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
    task.outputs = outputs(&evaluator, class, forward, &operands.values);
    sizes(&mut task, &evaluator, &parameters);
    task.reference = program(&evaluator, name, &operands.names, &task.inputs, true);
    task.baseline = program(&evaluator, name, &operands.names, &task.inputs, false);
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
                open.extend(
                    module.body.iter().filter(|s| s.binds().contains(&name)).flat_map(Statement::mentions),
                );
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
        Some(Value::Sequence(values)) => values,
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
            constant => found.names.push(Err(constant.python())),
        }
        found.values.push(value);
    }
    found
}

/// What forward gives, from what the constructor keeps.
fn outputs(
    evaluator: &Evaluator<'_>,
    class: &Statement,
    forward: &Statement,
    values: &[Value],
) -> Vec<Output> {
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
    let returned = evaluator.run(&mut scope, body(forward).1, &mut Vec::new(), 0);
    let line = forward.line;
    let results = match returned {
        Some(Value::Sequence(values)) => values,
        Some(value) => vec![value],
        None => vec![Value::Unknown],
    };
    let single = results.len() == 1;
    let inputs: Vec<&str> = body(forward).0.iter().map(|parameter| parameter.name.as_str()).collect();
    let stem = if inputs.contains(&"y") { "out" } else { "y" };
    let output = |(at, value): (usize, Value)| {
        // Outputs go by name, and ten names sort as their numbers do.
        let name = if single { stem.to_owned() } else { format!("{stem}{at}") };
        let (shape, dtype) = match value {
            Value::Tensor(tensor) => (tensor.shape, tensor.dtype),
            _ => (None, None),
        };
        Output {
            name,
            shape: shape.map(|shape| shape.into_iter().map(|e| e.text).collect()),
            dtype,
            line,
            accepted: None,
        }
    };
    results.into_iter().enumerate().take(10).map(output).collect()
}

fn bind(evaluator: &Evaluator<'_>, scope: &mut Scope, function: &Statement, values: Vec<Value>) {
    let mut given = Given { place: values, ..Given::default() }.place.into_iter();
    for parameter in body(function).0.iter().skip(1).filter(|parameter| !parameter.rest) {
        let default = || parameter.default.as_ref().map(|default| evaluator.value(&Scope::new(), default, 0));
        scope.insert(parameter.name.clone(), given.next().or_else(default).unwrap_or(Value::Unknown));
    }
}

/// The task's own case, halved until it fits, and a domain from half of it.
fn sizes(task: &mut Task, evaluator: &Evaluator<'_>, parameters: &BTreeSet<String>) {
    let value = |name: &str| match evaluator.globals.get(name) {
        Some(Value::Int(Int { value: Some(value), .. })) => *value,
        _ => 1,
    };
    let used = |name: &&String| {
        task.inputs.iter().flat_map(|i| i.shape.iter().flatten()).any(|extent| {
            extent.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == *name)
        })
    };
    let mut case: BTreeMap<String, i64> =
        parameters.iter().filter(used).map(|name| (name.clone(), value(name))).collect();
    let declared = case.clone();
    while footprint(&task.inputs, &case) > MOST_BYTES {
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
    task.constraint = elements(&task.inputs).map(|sum| format!("{sum} <= {}", total(&task.inputs, &case)));
    task.ranges = case
        .iter()
        .map(|(name, value)| Range {
            name: name.clone(),
            min: (value + 1) / 2,
            max: *value,
            multiple_of: 1,
            line: task.line,
        })
        .collect();
    task.cases = vec![case];
}

/// An extent for some parameters: names, products and sums of them, as this room writes them.
fn extent(text: &str, case: &BTreeMap<String, i64>) -> i64 {
    let word = |word: &str| word.parse().ok().or_else(|| case.get(word).copied());
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter_map(word)
        .fold(1_i64, i64::saturating_mul)
        .max(1)
}

/// The elements of all inputs.
fn total(inputs: &[Input], case: &BTreeMap<String, i64>) -> i64 {
    let count = |input: &Input| {
        input.shape.iter().flatten().map(|text| extent(text, case)).fold(1_i64, i64::saturating_mul)
    };
    inputs.iter().map(count).fold(0, i64::saturating_add)
}

/// The bytes of all inputs; an extent that is put together counts as the product of its parts.
fn footprint(inputs: &[Input], case: &BTreeMap<String, i64>) -> i64 {
    let bytes = |input: &Input| {
        total(std::slice::from_ref(input), case).saturating_mul(input.dtype.map_or(4, dtype::bytes))
    };
    inputs.iter().map(bytes).fold(0, i64::saturating_add)
}

/// The class, made once, and called.
fn program(
    evaluator: &Evaluator<'_>,
    class: &str,
    names: &[Result<String, String>],
    inputs: &[Input],
    widen: bool,
) -> Program {
    let mut writer = Writer::new(evaluator, widen);
    let mut needs: BTreeSet<String> = [class.to_owned()].into();
    let with_init = evaluator.definitions.contains_key("get_init_inputs");
    if with_init {
        needs.insert("get_init_inputs".to_owned());
    }
    let mut definitions = writer.definitions(&needs);
    let device = "kforge_device = torch.device(\"cuda\" if torch.cuda.is_available() else \"cpu\")";
    if !definitions.iter().any(|piece| piece == device) {
        definitions.push(device.to_owned());
    }
    let arguments = if with_init { "*get_init_inputs()" } else { "" };
    let double = if widen { ".double()" } else { "" };
    definitions.push(format!("torch.manual_seed(0)  # every side has the same weights\nmodel = {class}({arguments}){double}.to(kforge_device)"));
    let argument = |name: &Result<String, String>| match name {
        Ok(name) => {
            let float = inputs
                .iter()
                .find(|input| input.name == *name)
                .and_then(|input| input.dtype)
                .is_none_or(dtype::widens);
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
    Program {
        title: title.to_owned(),
        definitions,
        body: vec![format!("return model({})", arguments.join(", "))],
    }
}
