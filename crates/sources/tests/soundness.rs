//! What reading must not take for something else: the right answers are Python's and PyTorch's own, found by running them or in their
//! reference. Where reading cannot tell, the answer is open.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use kforge_sources::{Fill, Task, function, read};
use std::fmt::Write as _;

fn task(text: &str) -> Task {
    read("f.py", text, None, "op").unwrap()
}

/// A task with a class whose forward has this body, for what get_inputs returns.
fn model(top: &str, inputs: &str, forward: &str) -> Task {
    task(&format!(
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n{top}\nclass Model(nn.Module):\n    \
         def forward(self, a, b=None, c=None):\n        {forward}\n\ndef get_inputs():\n    return [{inputs}]\n"
    ))
}

/// A test of an operation with some lines before its comparison, and the lines that call it.
fn op_test(parameters: &str, body: &str, calls: &str) -> Task {
    task(&format!(
        "import torch\nimport pytest\n\ndef test_op({parameters}):\n    {body}\n    y = torch.relu(x)\n    checkAllclose(x, y)\n\n{calls}\n"
    ))
}

fn shape(of: Option<&Vec<String>>) -> String {
    of.map_or_else(|| "open".to_owned(), |shape| shape.join(", "))
}

/// Shape and type of every output.
fn results(inputs: &str, forward: &str) -> Vec<(String, Option<&'static str>)> {
    let task = model("", inputs, forward);
    task.outputs.iter().map(|output| (shape(output.shape.as_ref()), output.dtype)).collect()
}

fn one(inputs: &str, expression: &str) -> (String, Option<&'static str>) {
    results(inputs, &format!("return {expression}")).remove(0)
}

fn cases(task: &Task) -> Vec<Vec<i64>> {
    task.cases.iter().map(|case| case.values().copied().collect()).collect()
}

#[test]
fn combinations_beyond_a_thousand_are_thinned_and_keep_their_ends() {
    let values: Vec<String> = (1..=12).map(|n| n.to_string()).collect();
    let values = values.join(", ");
    let loops = format!(
        "for m in [{values}]:\n    for n in [{values}]:\n        for k in [{values}]:\n            test_op(m, n, k)"
    );
    let task = op_test("m, n, k", "x = torch.randn(m, n, k)", &loops);
    let ranges: Vec<(i64, i64)> = task.ranges.iter().map(|range| (range.min, range.max)).collect();
    assert_eq!(ranges, [(1, 12), (1, 12), (1, 12)]);
    let cases = cases(&task);
    assert_eq!((&cases[0], &cases[3]), (&vec![1, 1, 1], &vec![12, 12, 12]));
    assert_eq!(task.left_out, 12 * 12 * 12 - 4);
    // Twelve axes of two values are more than a thousand combinations too.
    let names: Vec<String> = (0..12).map(|at| format!("p{at:02}")).collect();
    let mut loops = String::new();
    for (depth, name) in names.iter().enumerate() {
        let _ = writeln!(loops, "{}for {name} in [2, 4]:", "    ".repeat(depth));
    }
    let _ = writeln!(loops, "{}test_op({})", "    ".repeat(12), names.join(", "));
    let task = op_test(&names.join(", "), &format!("x = torch.randn({})", names.join(" + ")), &loops);
    assert!(task.ranges.iter().all(|range| (range.min, range.max) == (2, 4)), "{:?}", task.ranges);
    assert_eq!(task.left_out, (1 << 12) - 4);
}

#[test]
fn the_constraint_admits_the_case_that_it_comes_from() {
    let sum = |top: &str, inputs: &str| {
        let task = model(top, inputs, "return a");
        (task.constraint.unwrap(), task.ranges[0].min)
    };
    assert_eq!(sum("n = 1", "torch.rand(n + 4, 8)"), ("(n + 4) * 8 <= 40".to_owned(), 1));
    assert_eq!(sum("n = 10", "torch.rand(n // 2, 3)"), ("(n // 2) * 3 <= 15".to_owned(), 5));
    assert_eq!(
        sum("n = 10", "torch.rand(2 ** 3, n * (n + 1) % 7 + 1)").0,
        "8 * (((n * (n + 1)) % 7) + 1) <= 48"
    );
    // Half of it would have no elements at all, or fewer.
    assert_eq!(sum("n = 6", "torch.rand(n - 4, 3)"), ("(n - 4) * 3 <= 6".to_owned(), 6));
}

#[test]
fn a_slot_is_halved_by_what_it_really_holds() {
    // 2^29 + 4 floats are more than 1 GiB, and half of n leaves 2^28 + 4, which are 16 bytes more than it too.
    let task = model("n = 536870912", "torch.rand(n + 4)", "return a");
    assert_eq!(
        (cases(&task), task.constraint.unwrap().as_str()),
        (vec![vec![134_217_728]], "(n + 4) <= 134217732")
    );
}

#[test]
fn constants_are_written_as_python_reads_them() {
    let text = "import torch\n\ndef f(x, pads=(), far=1e999, mode='a\"b', sizes=(g(), 2), bad='\\x41', end=-1):\n    return x\n";
    let task = function("f.py", text, "f", "f").unwrap();
    assert_eq!(
        task.baseline.body,
        [
            "return f(x=call.input(\"x\"), pads=(), far=float(\"inf\"), mode=\"a\\\"b\", sizes=None, bad=None, end=-1)"
        ]
    );
    let open: Vec<&str> = task.open.iter().map(|open| open.text.as_str()).collect();
    assert!(
        open.iter().any(|text| text.contains("`sizes`")) && open.iter().any(|text| text.contains("`bad`")),
        "{open:?}"
    );
}

#[test]
fn a_number_of_the_case_that_forward_is_given_is_the_cases() {
    let task = model("n = 8\nk = 3", "torch.rand(n, 4), n, k * 2", "return a");
    assert_eq!(
        task.baseline.body,
        ["k = 3", "n = call.param(\"n\")", "return model(call.input(\"a\"), n, k * 2)"]
    );
    let task = model("", "torch.rand(4), [torch.rand(2)]", "return a");
    assert!(task.open.iter().any(|open| open.text.contains("`b` holds tensors")), "{:?}", task.open);
}

#[test]
fn the_larger_of_two_tensors_is_one_tensor() {
    let two = "torch.rand(4, 8), torch.rand(4, 8)";
    for expression in ["torch.max(a, b)", "a.max(b)", "torch.min(a, other=b)"] {
        assert_eq!(
            results(two, &format!("return {expression}")),
            [("4, 8".to_owned(), Some("f32"))],
            "{expression}"
        );
    }
    assert_eq!(results(two, "return torch.max(a, 1)").len(), 2);
    assert_eq!(results(two, "return torch.max(a, unknown)"), [("open".to_owned(), None)]);
}

#[test]
fn products_and_attention_have_the_extents_that_pytorch_gives() {
    assert_eq!(one("torch.rand(1, 3, 4), torch.rand(8, 4, 5)", "torch.matmul(a, b)").0, "8, 3, 5");
    assert_eq!(one("torch.rand(7, 1, 3, 4), torch.rand(2, 4, 5)", "a @ b").0, "7, 2, 3, 5");
    let attention = "torch.rand(2, 9, 192), torch.rand(2, 7, 192), torch.rand(2, 7, 128)";
    assert_eq!(one(attention, "F.scaled_dot_product_attention(a, b, c)").0, "2, 9, 128");
    assert_eq!(one(attention, "F.scaled_dot_product_attention(query=a, key=b, value=c)").0, "2, 9, 128");
    assert_eq!(one("torch.rand(4), torch.rand(4)", "torch.where(a > 0, a, torch.rand(3, 1))").0, "3, 4");
    assert_eq!(results("torch.rand(10)", "return a.chunk(4)"), [("open".to_owned(), None)], "3, 3, 3 and 1");
}

#[test]
fn element_types_are_those_of_pytorch_or_open() {
    let whole = "torch.randint(0, 9, (4,), dtype=torch.int32), torch.randint(0, 9, (4,), dtype=torch.int32)";
    for (expression, dtype) in [
        ("torch.any(a)", Some("bool")),
        ("a.all()", Some("bool")),
        ("a.sum()", Some("i64")),
        ("a.sum(dtype=torch.int32)", Some("i32")),
        ("a.max()", Some("i32")),
        ("a / b", Some("f32")),
        ("torch.div(a, b)", Some("f32")),
        ("a // b", Some("i32")),
        ("a * 0.5", Some("f32")),
        ("a * 2", Some("i32")),
        ("(a > 1) + 1", Some("i64")),
        ("torch.sqrt(a)", None),
        ("torch.abs(a)", Some("i32")),
        ("a.mean()", None),
    ] {
        assert_eq!(one(whole, expression).1, dtype, "{expression}");
    }
}

#[test]
fn a_distribution_moves_with_the_function_that_moves_it() {
    let fill = |made: &str| model("", made, "return a").inputs[0].fill.clone();
    assert_eq!(fill("torch.mul(torch.rand(4), 2)"), Some(Fill::Uniform(0.0, 2.0)));
    assert_eq!(fill("torch.rand(4).sub(1)"), Some(Fill::Uniform(-1.0, 0.0)));
    assert_eq!(fill("torch.add(torch.rand(4), 1, alpha=3)"), None);
    assert_eq!(fill("torch.rand(4).pow(2)"), None);
}

#[test]
fn pooling_that_rounds_up_or_gives_places_is_open() {
    let after = |layer: &str| {
        let text = format!(
            "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self):\n        self.layer = {layer}\n\n    \
             def forward(self, x):\n        return self.layer(x)\n\ndef get_inputs():\n    return [torch.rand(1, 2, 6, 6)]\n"
        );
        shape(task(&text).outputs[0].shape.as_ref())
    };
    assert_eq!(after("nn.AvgPool2d(3, 2, 0, False)"), "1, 2, 2, 2");
    for layer in [
        "nn.AvgPool2d(3, 2, 0, True)",
        "nn.MaxPool2d(3, 2, 1, 1, False, True)",
        "nn.MaxPool2d(3, 2, 1, 1, True)",
    ] {
        assert_eq!(after(layer), "open", "{layer}");
    }
    assert_eq!(after("nn.MSELoss(reduction='none')"), "open");
    assert_eq!(after("nn.LSTM(6, 3)"), "open", "it gives its states too");
}

#[test]
fn a_word_or_another_is_one_of_them() {
    let with = |line: &str| {
        op_test(
            "m, mode=None",
            &format!("{line}\n    x = torch.randn(m)\n    if mode == 'sum':\n        x = torch.randn(m, 2)"),
            "test_op(4)",
        )
    };
    assert_eq!(shape(with("mode = mode or 'sum'").inputs[0].shape.as_ref()), "m, 2");
    assert_eq!(shape(with("mode = 'mean' and mode").inputs[0].shape.as_ref()), "m");
    // Both conditions are decided, whatever the unknown is.
    let decided = op_test(
        "m, q",
        "x = torch.randn(m)\n    if q.x and False:\n        x = torch.randn(1)\n    if q.x or True:\n        x = torch.randn(m, 3)",
        "",
    );
    assert_eq!(shape(decided.inputs[0].shape.as_ref()), "m, 3");
}

#[test]
fn columns_of_one_table_are_taken_from_one_row() {
    let rows = "@pytest.mark.parametrize('m, dtype, bias', [(128, torch.float16, True), (256, torch.bfloat16, False), (512, torch.bfloat16, False)])";
    let text = format!(
        "import torch\nimport pytest\n\n{rows}\ndef test_op(m, dtype, bias):\n    x = torch.randn(m, dtype=dtype)\n    y = torch.relu(x)\n    checkAllclose(x, y)\n"
    );
    let task = task(&text);
    assert_eq!((cases(&task), task.inputs[0].dtype), (vec![vec![256], vec![512]], Some("bf16")));
    let said: Vec<&str> = task.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(
        said,
        [
            "`dtype` is torch.bfloat16 here; the file has torch.float16 too",
            "`bias` is False here; the file has True too"
        ]
    );
}

#[test]
fn a_name_that_the_top_level_binds_again_is_not_what_it_was() {
    let declared = |again: &str| {
        let task =
            model(&format!("batch = 4\nshape = [batch, 2]\n{again}"), "torch.rand(batch, 8)", "return a");
        cases(&task).remove(0)
    };
    assert_eq!(declared(""), [4]);
    for again in [
        "batch *= 2",
        "batch = 8",
        "if torch.cuda.is_available():\n    batch = 8",
        "for batch in [1, 2]:\n    pass",
        "a = batch = 2",
    ] {
        assert!(declared(again).is_empty(), "{again}");
    }
    assert_eq!(declared("if __name__ == '__main__':\n    batch = 8"), [4]);
    let sizes = |change: &str| {
        op_test(
            "m",
            "x = torch.randn(m)",
            &format!("sizes = [1, 2]\n{change}\nfor m in sizes:\n    test_op(m)"),
        )
        .ranges
        .iter()
        .map(|range| range.max)
        .collect::<Vec<_>>()
    };
    assert_eq!(sizes(""), [2]);
    for change in ["sizes.append(4)", "sizes[1] = 4", "sizes += [4]"] {
        assert_eq!(sizes(change), [0_i64; 0], "{change}");
    }
    // A command line says nothing else until somebody writes one.
    assert_eq!(sizes("args = parser.parse_args()\nif args.m is not None:\n    sizes = [args.m]"), [2]);
}

#[test]
fn results_beyond_the_tenth_are_said_to_be_uncompared() {
    let twelve = ["a"; 12].join(", ");
    let task = model("", "torch.rand(4)", &format!("return {twelve}"));
    assert_eq!(task.outputs.len(), 10);
    assert!(
        task.open.iter().any(|open| open.text.starts_with("12 results are returned and 2")),
        "{:?}",
        task.open
    );
    let text = format!("import torch\n\ndef f(a):\n    return {twelve}\n");
    let task = function("f.py", &text, "f", "f").unwrap();
    assert!(task.open.iter().any(|open| open.text.starts_with("12 results")), "{:?}", task.open);
}

#[test]
fn a_case_that_cannot_be_measured_is_not_taken_for_a_small_one() {
    let task = op_test("m", "x = torch.randn(m, 2 ** 40)", "for m in [1, 2]:\n    test_op(m)");
    assert_eq!(cases(&task), [[1]], "the smallest, where none fits");
    let task = op_test("m", "x = torch.randn(m, m, m, m, m)", "for m in [2, 4, 100000]:\n    test_op(m)");
    assert_eq!(cases(&task), [[2], [4]]);
}

#[test]
fn a_range_too_long_to_write_out_is_open_and_not_cut() {
    let read =
        |range: &str| op_test("m", "x = torch.randn(m)", &format!("for m in {range}:\n    test_op(m)"));
    assert_eq!(read("range(1, 4097)").ranges[0].max, 4096);
    assert_eq!(read("range(0, 1000000, 100000)").ranges[0].max, 900_000);
    let long = read("range(100000)");
    assert!(long.ranges.is_empty() && long.inputs[0].shape.is_none(), "{:?}", long.ranges);
}

#[test]
fn nothing_is_bound_by_its_place_behind_a_splat() {
    let task = op_test(
        "m, n, dtype=torch.float16",
        "x = torch.randn(m, n, dtype=dtype)",
        "for sizes in [(1, 2), (3, 4)]:\n    test_op(*sizes, torch.bfloat16)",
    );
    assert_eq!((shape(task.inputs[0].shape.as_ref()).as_str(), task.inputs[0].dtype), ("m, n", Some("f16")));
    let given = |call: &str| {
        let text = "def f(a, n=2, m=3):\n    return torch.rand(n, m)\n";
        model(text, call, "return a").inputs[0].shape.clone()
    };
    assert_eq!(given("f(1, *[5, 6])"), Some(vec!["5".to_owned(), "6".to_owned()]));
    assert_eq!(given("f(*unknown, 4)"), None);
    assert_eq!(given("f(1, **unknown)"), None);
    assert_eq!(model("", "torch.rand(3, **unknown)", "return a").inputs[0].dtype, None);
}
