//! Text that was written to stop its reader: it ends in an answer, soon, in little memory and on the stack of a thread.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use kforge_sources::{Task, read};
use std::fmt::Write as _;

/// A test of an operation after some lines of the top level, and with some of its own.
fn around(top: &str, inside: &str) -> String {
    format!(
        "import torch\nimport torch.nn as nn\n{top}\ndef test_op(n):\n    x = torch.randn(n)\n{inside}    y = torch.relu(x)\n    \
         checkAllclose(x, y)\n\ntest_op(4)\n"
    )
}

fn task(text: &str) -> Task {
    read("f.py", text, None, "op").unwrap()
}

/// Lines that each make something of the name before.
fn chain(first: &str, lines: usize, made: &str) -> String {
    let mut text = format!("a0 = {first}\n");
    for at in 1..lines {
        let _ = writeln!(text, "a{at} = {}", made.replace('@', &format!("a{}", at - 1)));
    }
    text
}

#[test]
fn sequences_and_layers_that_double_with_every_line_take_no_memory() {
    for made in ["[@, @]", "[*@, *@]", "@ + @", "(@, [@, *@])"] {
        task(&around(&chain("[1, 1]", 60, made), ""));
    }
    task(&around(&chain("nn.ReLU()", 60, "nn.Sequential(@, @)"), ""));
}

#[test]
fn a_value_inside_a_value_inside_a_value_needs_no_stack() {
    task(&around(&chain("[1]", 5_000, "[@]"), ""));
    task(&around(&chain("nn.ReLU()", 5_000, "nn.Sequential(@)"), ""));
}

#[test]
fn nested_calls_inside_followed_functions_fit_the_stack_of_a_thread() {
    let nested = format!("{}n{}", "f(".repeat(55), ")".repeat(55));
    let mut top = String::from("def f(n):\n    return n\n\n");
    for at in 0..13 {
        let next = nested.replace("f(", &format!("g{}(", at + 1));
        let _ = writeln!(top, "def g{at}(n):\n    return {next}\n");
    }
    let task = task(&around(&top, "    z = g0(n)\n"));
    assert!(task.open.iter().any(|open| open.text.contains("more than is followed")), "{:?}", task.open);
    let mut branches = String::from("def h(n):\n");
    for depth in 1..60 {
        let _ = writeln!(branches, "{}if True:", "    ".repeat(depth));
    }
    let _ = writeln!(branches, "{}return h(h(n))\n", "    ".repeat(60));
    self::task(&around(&branches, "    z = h(n)\n"));
}

#[test]
fn calls_that_multiply_end_and_say_so() {
    let mut top = String::new();
    for at in 0..12 {
        let next = format!("g{}(n)", at + 1);
        let _ = writeln!(top, "def g{at}(n):\n    return {}\n", vec![next; 30].join(" + "));
    }
    let task = task(&around(&top, "    z = g0(n)\n"));
    assert!(task.open.iter().any(|open| open.text.contains("more than is followed")), "{:?}", task.open);
}

#[test]
fn many_names_that_rest_on_one_another_take_time_that_grows_with_the_text() {
    let many = chain("4", 5_000, "@ + 1");
    task(&around(&many, ""));
    let mut model = String::from("import torch\nimport torch.nn as nn\n");
    model += &many;
    model += "class Model(nn.Module):\n    def forward(self, x):\n        return x\n\ndef get_inputs():\n    \
              return [torch.randint(0, a4999, (a0, 8))]\n";
    task(&model);
}

#[test]
fn nesting_that_is_cut_off_is_said() {
    let deep = format!("    z = {}x{}\n", "(".repeat(150), ")".repeat(150));
    let task = task(&around("", &deep));
    assert!(
        task.open.iter().any(|open| open.line == 6 && open.text.contains("nested deeper")),
        "{:?}",
        task.open
    );
}

#[test]
fn comparisons_and_parameters_without_end_are_cut_or_refused() {
    let many = task(&around("", &"    checkAllclose(x, torch.relu(x))\n".repeat(2_000)));
    assert!(
        many.open.iter().any(|open| open.text.starts_with("the test compares 2001 times")),
        "{:?}",
        many.open
    );
    let names: Vec<String> = (0..300).map(|at| format!("p{at}")).collect();
    let text = format!("def test_op({}):\n    checkAllclose(p0, p1)\n", names.join(", "));
    assert!(read("f.py", &text, None, "op").unwrap_err().to_string().contains("300 parameters"));
    // A parametrization of one name over and over says no more than the first.
    let rows = "@pytest.mark.parametrize('n', [1, 2])\n".repeat(200);
    let text =
        format!("import torch\n{rows}def test_op(n):\n    x = torch.randn(n)\n    checkAllclose(x, x)\n");
    assert_eq!((task(&text).cases.len(), task(&text).left_out), (2, 0));
}
