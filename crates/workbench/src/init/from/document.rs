//! experiment.toml out of a task. What the task leaves open becomes a line with TODO(kforge) beside a value that holds the place.

use super::locate::plain;
use crate::validate::MARK;
use kforge_sources::{Fill, Input, Origin, Output, Task};
use std::fmt::Write as _;

/// The text of the document.
pub(super) fn text(task: &Task, op: &str) -> String {
    let file = plain(&task.file);
    let mut out = format!(
        "# {op}, read from {file}:{} by kforge init; nothing was run. docs/experiment.md explains every key.\n",
        task.line
    );
    for finding in &task.open {
        let _ = writeln!(out, "# {MARK}: {file}:{}: {}", finding.line, plain(&finding.text));
    }
    for finding in &task.said {
        let _ = writeln!(out, "# {file}:{}: {}", finding.line, plain(&finding.text));
    }
    let _ = writeln!(
        out,
        "op = \"{op}\"\nclass = \"triton\"\ndevice = \"gpu\"                    # \"cpu\" tries it out where there is none"
    );
    side(&mut out, task, op, "reference", "reference", "right, in higher precision, in a process of its own");
    side(
        &mut out,
        task,
        op,
        "baseline",
        "baseline",
        "what is in use today; \"git:REVISION\" takes it from a commit",
    );
    side(
        &mut out,
        task,
        op,
        "candidate.first",
        "candidate",
        "your idea; a copy of the baseline to begin with",
    );
    cases(&mut out, task, &file);
    for input in &task.inputs {
        operand(&mut out, "inputs", &input.name, input.shape.as_deref(), input.dtype, (&file, input.line));
        fill(&mut out, input, &file);
    }
    for output in &task.outputs {
        result(&mut out, output, &file);
    }
    if let Some(bytes) = bytes(task) {
        let _ = writeln!(
            out,
            "\n[work]                            # what one call must move at least\nbytes = \"{bytes}\""
        );
    }
    out
}

fn side(out: &mut String, task: &Task, op: &str, name: &str, file: &str, what: &str) {
    let path = format!("kernels/{op}/{file}.py");
    let header = format!("[{name}]");
    let _ = writeln!(out, "\n{header:<34}# {what}\ntree = \"worktree\"");
    let _ = writeln!(out, "runner = \"${{KFORGE_PYTHON:-python3}} {path}\"\nsources = [\"{path}\"]");
    if task.origin == Origin::OpTest && name != "reference" {
        out.push_str("deadline_s = 900                  # the first call may build the kernel\n");
    }
}

fn cases(out: &mut String, task: &Task, file: &str) {
    if task.left_out > 0 {
        let _ = writeln!(
            out,
            "\n# {} of the file's {} sizes; the others lie in the domain.",
            task.cases.len(),
            task.cases.len() + task.left_out
        );
    }
    for case in &task.cases {
        let params: Vec<String> = case.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(out, "\n[[case]]\nparams = {{ {} }}", params.join(", "));
    }
    let _ = writeln!(
        out,
        "\n[domain]                          # further cases are drawn from here; widen what the operation takes more of"
    );
    for range in &task.ranges {
        let step = if range.multiple_of > 1 {
            format!(", multiple_of = {}", range.multiple_of)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "{} = {{ min = {}, max = {}{step} }}   # {file}:{}",
            range.name, range.min, range.max, range.line
        );
    }
    if let Some(constraint) = &task.constraint {
        let _ = writeln!(out, "constraints = [\"{constraint}\"]");
    }
}

fn operand(
    out: &mut String,
    table: &str,
    name: &str,
    shape: Option<&[String]>,
    dtype: Option<&str>,
    place: (&str, usize),
) {
    let (file, line) = place;
    let header = format!("[{table}.{name}]");
    let _ = writeln!(out, "\n{header:<34}# {file}:{line}");
    match shape {
        Some(shape) => {
            let extents: Vec<String> = shape
                .iter()
                .map(|extent| {
                    extent.parse::<i64>().map_or_else(|_| format!("\"{extent}\""), |n| n.to_string())
                })
                .collect();
            let _ = writeln!(out, "shape = [{}]", extents.join(", "));
        }
        None => {
            let _ = writeln!(
                out,
                "shape = [1]                       # {MARK}: {file}:{line} does not say the shape of `{name}`"
            );
        }
    }
    match dtype {
        Some(dtype) => {
            let _ = writeln!(out, "dtype = \"{dtype}\"");
        }
        None => {
            let _ = writeln!(
                out,
                "dtype = \"f32\"                     # {MARK}: {file}:{line} does not say the element type of `{name}`"
            );
        }
    }
}

fn fill(out: &mut String, input: &Input, file: &str) {
    let float = input.dtype.is_none_or(|dtype| dtype.starts_with(['f', 'b']) && dtype != "bool");
    let number = |value: f64| format!("{value:?}");
    let random = |rest: String| format!("kind = \"random\"\n{rest}");
    let text = match &input.fill {
        Some(Fill::Uniform(low, high)) if float && low < high => {
            random(format!("distribution = \"uniform\"\nlow = {}\nhigh = {}", number(*low), number(*high)))
        }
        Some(Fill::Normal(mean, std)) if float && *std > 0.0 && (*mean, *std) == (0.0, 1.0) => {
            random("distribution = \"normal\"".to_owned())
        }
        Some(Fill::Normal(mean, std)) if float && *std > 0.0 => {
            random(format!("distribution = \"normal\"\nmean = {}\nstd = {}", number(*mean), number(*std)))
        }
        Some(Fill::Integer(low, high))
            if low.parse::<i64>().ok().zip(high.parse::<i64>().ok()).is_some_and(|(a, b)| a < b) =>
        {
            random(format!("distribution = \"integer\"\nlow = {low}\nhigh = {high}"))
        }
        Some(Fill::Constant(value)) if value.is_finite() => {
            format!("kind = \"constant\"\nvalue = {}", number(*value))
        }
        Some(Fill::Permutation) if !float => "kind = \"permutation\"".to_owned(),
        _ => format!(
            "kind = \"random\"                   # {MARK}: {file}:{} does not say what `{}` holds in a way that kforge can fill",
            input.line, input.name
        ),
    };
    let _ = writeln!(out, "{text}");
}

fn result(out: &mut String, output: &Output, file: &str) {
    operand(out, "outputs", &output.name, output.shape.as_deref(), output.dtype, (file, output.line));
    if let Some(accepted) = &output.accepted {
        let _ = writeln!(
            out,
            "# the file accepts {}; without a tolerance here, that of the element type holds",
            plain(accepted)
        );
    }
}

/// The bytes of all operands, where every shape is known.
fn bytes(task: &Task) -> Option<String> {
    let inputs = task.inputs.iter().map(|input| (input.shape.as_ref(), input.dtype));
    let outputs = task.outputs.iter().map(|output| (output.shape.as_ref(), output.dtype));
    let mut terms = Vec::new();
    for (shape, dtype) in inputs.chain(outputs) {
        let each = match dtype? {
            "f64" | "i64" => 8,
            "f32" | "i32" => 4,
            "f16" | "bf16" | "i16" => 2,
            _ => 1,
        };
        let extents = shape?
            .iter()
            .map(|extent| if extent.contains(' ') { format!("({extent})") } else { extent.clone() });
        terms.push(std::iter::once(each.to_string()).chain(extents).collect::<Vec<_>>().join(" * "));
    }
    Some(terms.join(" + "))
}
