//! What is read out of files, held against what their authors mean: the right answers are written out by hand from Python's semantics.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use kforge_sources::{Error, Fill, Origin, Program, Task, function, read};
use proptest::prelude::*;

const NORM: &str = include_str!("../../cli/tests/from/op_tests/test_residual_norm.py");
const GATED: &str = include_str!("../../cli/tests/from/op_tests/test_gated.py");
const LINEAR: &str = include_str!("../../cli/tests/from/op_tests/test_linear.py");
const MODEL: &str = include_str!("../../cli/tests/from/tasks/bias_gelu_scale.py");
const LIBRARY: &str = include_str!("../../cli/tests/from/aiter/__init__.py");

fn task(text: &str, name: Option<&str>) -> Task {
    read("f.py", text, name, "op").unwrap()
}

fn shape(task: &Task, input: &str) -> Vec<String> {
    task.inputs.iter().find(|known| known.name == input).unwrap().shape.clone().unwrap()
}

fn result(task: &Task) -> (String, Option<&'static str>) {
    (task.outputs[0].shape.clone().unwrap().join(", "), task.outputs[0].dtype)
}

fn ranges(task: &Task) -> Vec<(&str, i64, i64, i64)> {
    task.ranges.iter().map(|range| (range.name.as_str(), range.min, range.max, range.multiple_of)).collect()
}

fn code(program: &Program) -> String {
    [program.definitions.join("\n"), program.body.join("\n")].join("\n")
}

#[test]
fn a_fused_norm_has_two_outputs_three_inputs_and_the_sizes_of_its_loops() {
    let task = task(NORM, None);
    assert_eq!((task.origin, task.name.as_str()), (Origin::OpTest, "test_residual_norm"));
    let inputs: Vec<(&str, Option<&str>, usize)> =
        task.inputs.iter().map(|input| (input.name.as_str(), input.dtype, input.line)).collect();
    assert_eq!(
        inputs,
        [("x", Some("bf16"), 33), ("gamma", Some("bf16"), 34), ("residual", Some("bf16"), 35)]
    );
    assert_eq!(shape(&task, "residual"), ["rows", "cols"]);
    assert_eq!(task.inputs[0].fill, Some(Fill::Normal(0.0, 1.0)));
    let outputs: Vec<(&str, Option<&str>)> =
        task.outputs.iter().map(|output| (output.name.as_str(), output.accepted.as_deref())).collect();
    assert_eq!(outputs, [("normed", Some("atol=0.03")), ("summed", None)]);
    // 1, 4 or 32 rows of 256 or 1024 columns; the command line's defaults say nothing else.
    assert_eq!(ranges(&task), [("rows", 1, 32, 1), ("cols", 256, 1024, 256)]);
    assert_eq!((task.cases.len(), task.left_out, task.open.len()), (4, 2, 0));
}

#[test]
fn the_code_handed_on_times_nothing_and_a_reference_names_no_library() {
    let task = task(NORM, None);
    let (reference, baseline) = (code(&task.reference), code(&task.baseline));
    for text in [&reference, &baseline] {
        assert!(!text.contains("perftest") && !text.contains("argparse") && !text.contains("us_"), "{text}");
    }
    assert!(!reference.contains("aiter"), "{reference}");
    assert!(reference.contains("x = call.input(\"x\").double()"), "{reference}");
    assert!(
        baseline.contains("(normed, summed, *_) = run_library(x, gamma, 1e-5, residual=residual)"),
        "{baseline}"
    );
    assert!(baseline.contains("import aiter"), "{baseline}");
}

#[test]
fn an_allocated_result_is_handed_in_and_a_timing_call_becomes_its_call() {
    let task = task(GATED, Some("test_silu_and_mul"));
    let body = task.baseline.body.join("\n");
    assert!(body.contains("out = call.output(\"out\")"), "{body}");
    assert!(body.contains("aiter.silu_and_mul(out, x, cap)"), "{body}");
    assert!(!body.contains("num_iters") && !body.contains("return"), "{body}");
    assert_eq!(result(&task), ("m, n // 2".to_owned(), Some("bf16")));
    // `default="fp16, bf16"` is a list once str2Dtype has split it.
    assert!(task.said.iter().any(|said| said.text.contains("torch.float16 too")), "{:?}", task.said);
}

#[test]
fn decided_conditions_are_entered_and_parametrized_rows_become_cases() {
    let task = task(LINEAR, None);
    let inputs: Vec<&str> = task.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(inputs, ["x", "weight"], "without a bias, as the first value says");
    assert_eq!(result(&task), ("m, n".to_owned(), Some("bf16")));
    let cases: Vec<Vec<i64>> = task.cases.iter().map(|case| case.values().copied().collect()).collect();
    assert_eq!(cases, [[128, 64, 64], [256, 1, 128], [512, 16, 256]], "k, m, n by bytes");
    assert!(task.reference.body.contains(&"dtype = torch.float64".to_owned()), "{:?}", task.reference.body);
}

#[test]
fn a_model_keeps_the_sizes_that_shape_it_and_lets_the_others_vary() {
    let task = task(MODEL, None);
    assert_eq!(task.origin, Origin::Model);
    assert_eq!(shape(&task, "x"), ["batch_size", "128"]);
    assert_eq!(task.inputs[0].fill, Some(Fill::Uniform(-1.0, 1.0)), "rand() * 2 - 1");
    assert_eq!(result(&task), ("batch_size, 96".to_owned(), Some("f32")));
    assert_eq!(ranges(&task), [("batch_size", 32, 64, 1)]);
    assert!(code(&task.reference).contains("Model(*get_init_inputs()).double()"));
}

#[test]
fn windows_have_the_extents_that_pytorch_documents() {
    let shape_after = |layer: &str| {
        let text = format!(
            "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self):\n        self.layer = {layer}\n\n    \
             def forward(self, x):\n        return torch.relu(self.layer(x))\n\nbatch = 4\n\ndef get_inputs():\n    \
             return [torch.rand(batch, 8, 32, 20)]\n"
        );
        result(&task(&text, None)).0
    };
    // PyTorch 2.15 gives these for an input of 4 x 8 x 32 x 20.
    assert_eq!(shape_after("nn.Conv2d(8, 16, 3)"), "batch, 16, 30, 18");
    assert_eq!(
        shape_after("nn.Conv2d(8, 16, (5, 3), stride=2, padding=(2, 1), dilation=1)"),
        "batch, 16, 16, 10"
    );
    assert_eq!(
        shape_after("nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)"),
        "batch, 4, 64, 40"
    );
    assert_eq!(
        shape_after("nn.MaxPool2d(kernel_size=3, stride=1, padding=1, dilation=2)"),
        "batch, 8, 30, 18"
    );
    assert_eq!(shape_after("nn.AvgPool2d(4)"), "batch, 8, 8, 5");
    assert_eq!(shape_after("nn.Sequential(nn.Conv2d(8, 16, 3), nn.MaxPool2d(2))"), "batch, 16, 15, 9");
}

#[test]
fn a_list_that_grows_in_a_loop_and_a_weight_that_broadcasts_are_not_taken_for_what_they_were() {
    let head = "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
    let tail = "\nbatch = 4\n\ndef get_inputs():\n    return [torch.rand(batch, 8)]\n";
    let grown = format!(
        "{head}        layers = []\n        for _ in [1, 2]:\n            layers.append(nn.Linear(8, 3))\n        \
         self.net = nn.Sequential(*layers)\n\n    def forward(self, x):\n        return self.net(x)\n{tail}"
    );
    assert_eq!(task(&grown, None).outputs[0].shape, None);
    let spread = format!(
        "{head}        self.bias = nn.Parameter(torch.randn(1, 5, 1, 1))\n\n    def forward(self, x):\n        \
         return x + self.bias\n{tail}"
    );
    assert_eq!(result(&task(&spread, None)).0, "1, 5, batch, 8");
}

#[test]
fn what_a_function_does_not_say_stays_open() {
    let task = function("aiter/__init__.py", LIBRARY, "aiter", "rms_norm").unwrap();
    assert!(task.inputs.iter().all(|input| input.shape.is_none() && input.dtype.is_none()));
    assert!(!task.open.is_empty());
    assert_eq!(task.baseline.definitions, ["from aiter import rms_norm"]);
    assert!(code(&task.candidate.unwrap()).contains("def rms_norm(x, gamma, eps):"));
}

#[test]
fn work_before_the_measured_call_is_marked_and_not_timed_in_silence() {
    let text = "import torch\nimport aiter\n\ndef test_op(m):\n    x = torch.randn(m, 8)\n    packed = aiter.shuffle(x)\n    \
                want = torch.relu(x)\n    got, us = run_perftest(aiter.relu, packed)\n    checkAllclose(want, got)\n\n\
                for m in [1, 2]:\n    test_op(m)\n";
    let body = task(text, None).baseline.body.join("\n");
    let mark = body.find("TODO(kforge): f.py:6").unwrap();
    assert!(mark < body.find("packed = aiter.shuffle(x)").unwrap(), "{body}");
}

#[test]
fn refusals_name_the_line_and_what_there_is() {
    let several = read("f.py", GATED, None, "unlike").unwrap_err();
    assert!(matches!(&several, Error::Several { count: 2, .. }), "{several}");
    assert!(several.to_string().contains("test_gelu_and_mul (line 32)"), "{several}");
    let named = read("f.py", GATED, None, "silu_and_mul").unwrap();
    assert_eq!(named.name, "test_silu_and_mul", "the operation's name picks");
    let unknown = read("f.py", GATED, Some("test_x"), "op").unwrap_err();
    assert!(unknown.hint().unwrap().contains("test_silu_and_mul"));
    assert!(matches!(read("f.py", "def f(:\n", None, "op"), Err(Error::Syntax { line: 1, .. })));
    assert!(matches!(read("f.py", "a = 1\n", None, "op"), Err(Error::NoTask { .. })));
}

#[test]
fn text_that_grows_or_calls_itself_ends() {
    let doubling = "    n = n + n\n".repeat(200);
    let calls = "def f(n):\n    return g(n) + g(n) + g(n) + g(n)\n\ndef g(n):\n    return f(n) + f(n) + f(n) + f(n)\n";
    let text = format!(
        "import torch\n{calls}\ndef test_op(n):\n    x = torch.randn(n)\n{doubling}    y = f(n)\n    \
         checkAllclose(x, y)\n\ntest_op(4)\n"
    );
    assert!(read("f.py", &text, None, "op").is_ok());
    let deep = format!("x = {}1{}\n", "(".repeat(5000), ")".repeat(5000));
    assert!(read("f.py", &deep, None, "op").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A file with a piece cut out and put elsewhere is read or refused; nothing in it can stop the reader.
    #[test]
    fn any_text_is_an_answer(which in 0_usize..4, from in 0.0_f64..1.0, length in 0_usize..120, to in 0.0_f64..1.0) {
        let text = [NORM, GATED, LINEAR, MODEL][which];
        let at = |share: f64| (text.len() as f64 * share) as usize;
        let (start, end) = (at(from), at(from).saturating_add(length).min(text.len()));
        let mut changed = format!("{}{}", &text[..start], &text[end..]);
        let place = (changed.len() as f64 * to) as usize;
        changed.insert_str(place, &text[start..end]);
        let _ = read("f.py", &changed, None, "op");
        let _ = function("f.py", &changed, "f", "gate");
    }
}
