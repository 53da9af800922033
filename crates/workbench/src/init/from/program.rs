//! A side's program: the file's code around the operation, for the PyTorch harness.

use super::locate::plain;
use kforge_sources::{Program, Task};
use std::fmt::Write as _;

/// The text of one side.
pub(super) fn text(task: &Task, program: &Program, title: &str) -> String {
    let mut out = format!(
        "\"\"\"{}\n\nRead from {}:{} by kforge init, which ran nothing.\n\"\"\"\n\n",
        plain(title),
        plain(&task.file),
        task.line
    );
    out.push_str("import kforge_runner_torch as kforge_runner\n");
    let is_import = |piece: &&String| piece.starts_with("import ") || piece.starts_with("from ");
    let mut imports: Vec<&str> = program.definitions.iter().filter(is_import).map(String::as_str).collect();
    if !imports.contains(&"import torch") {
        imports.insert(0, "import torch");
    }
    for import in imports {
        let _ = writeln!(out, "{import}");
    }
    let mut before_block = false;
    for piece in program.definitions.iter().filter(|piece| !is_import(piece)) {
        let block = piece.starts_with("def ") || piece.starts_with("class ") || piece.starts_with('@');
        out.push_str(if block || before_block { "\n\n" } else { "\n" });
        let _ = writeln!(out, "{piece}");
        before_block = block;
    }
    out.push_str("\n\n");
    out.push_str("@torch.no_grad()\ndef kforge_operation(call):\n");
    for line in program.body.iter().flat_map(|statement| statement.lines()) {
        let pad = if line.is_empty() { "" } else { "    " };
        let _ = writeln!(out, "{pad}{line}");
    }
    out.push_str("\n\nkforge_runner.main(kforge_operation)\n");
    out
}
