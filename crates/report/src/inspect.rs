//! How the answer of `inspect` reads.

use crate::page::Page;
use crate::{Align, Format, Rendered, Table, success};
use kforge_codeobject::Resources;
use kforge_units::{counted, middle_short};
use kforge_workbench::inspect::{Changes, KernelAnswer, Response};

/// Names in text tables are at most this wide; the whole name is in the other formats.
const NAME: usize = 48;

/// Renders the answer.
///
/// # Errors
/// Only where serialisation fails, which is a bug.
pub fn render(response: &Response, format: Format) -> Result<Rendered, serde_json::Error> {
    let text = match format {
        Format::Json => success("inspect", 1, response, &response.notes)?,
        Format::Csv => kernels(&response.kernels, format).csv(),
        Format::Text | Format::Markdown => page(response, format),
    };
    Ok(Rendered::new(text))
}

fn page(response: &Response, format: Format) -> String {
    let mut page = Page::new(format, &format!("kernels of {}", response.path));
    body(&mut page, response, format);
    if let Some(against) = &response.against {
        page.gap();
        page.line(&format!("beside {}", against.second.path));
        changes(&mut page, against, format);
    }
    page.notes(&response.notes);
    page.finish()
}

fn body(page: &mut Page, response: &Response, format: Format) {
    let objects: u64 = response.files.iter().map(|file| file.code_objects).sum();
    let beside: u64 = response.files.iter().map(|file| file.beside).sum();
    page.line(&format!(
        "{} in {}; {}",
        counted(response.kernels.len() as u64, "kernel", "kernels"),
        counted(objects, "code object", "code objects"),
        counted(response.files.len() as u64, "file", "files"),
    ));
    if beside > 0 {
        page.line(&format!("beside them: {} for the host or of PTX", counted(beside, "part", "parts")));
    }
    if response.other_files > 0 {
        page.line(&format!("no code object: {}", counted(response.other_files, "file", "files")));
    }
    if !response.kernels.is_empty() {
        page.table(&kernels(&response.kernels, format));
        page.line("-: not in the file. Occupancy: waves of a SIMD (AMD) or warps of a multiprocessor (NVIDIA) of the most that there are places for");
    }
    for kernel in &response.kernels {
        for remark in &kernel.kernel.remarks {
            page.line(&format!("{}: {remark}", kernel.kernel.name));
        }
    }
    for unread in &response.unread {
        let member = if unread.member.is_empty() { String::new() } else { format!("!{}", unread.member) };
        page.line(&format!("not read: {}{member}: {}", unread.path, unread.why));
    }
}

/// `softmax_kernel: 171 registers, 0 B shared, 0 B scratch, 2 of 8, registers`.
pub(crate) fn one_line(answer: &KernelAnswer) -> String {
    let kernel = &answer.kernel;
    let (registers, shared, scratch, spills) = match &kernel.resources {
        Resources::Amd(amd) => (amd.vgpr, amd.lds_bytes, amd.scratch_bytes, amd.spills),
        Resources::Nvidia(nvidia) => {
            (nvidia.registers, nvidia.shared_bytes, nvidia.stack_bytes, nvidia.spills)
        }
    };
    let name = middle_short(kernel.demangled.as_ref().unwrap_or(&kernel.name), NAME);
    let spilled =
        spills.filter(|count| *count > 0).map_or_else(String::new, |count| format!(", {count} spilled"));
    format!(
        "{name}: {} registers{spilled}, {} B shared, {} B scratch; waves: {}",
        figure(registers),
        figure(shared),
        figure(scratch),
        answer.occupancy.words()
    )
}

fn figure(value: Option<u32>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn kernels(kernels: &[KernelAnswer], format: Format) -> Table {
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("arch", Align::Left),
        ("registers", Align::Right),
        ("acc", Align::Right),
        ("scalar", Align::Right),
        ("shared", Align::Right),
        ("scratch", Align::Right),
        ("spills", Align::Right),
        ("block", Align::Right),
        ("occupancy", Align::Left),
        ("where", Align::Left),
    ]);
    for answer in kernels {
        let kernel = &answer.kernel;
        let name = kernel.demangled.as_ref().unwrap_or(&kernel.name);
        let name = if format == Format::Text { middle_short(name, NAME) } else { name.clone() };
        let figures = match &kernel.resources {
            Resources::Amd(amd) => {
                [amd.vgpr, amd.agpr, amd.sgpr, amd.lds_bytes, amd.scratch_bytes, amd.spills, amd.max_block]
            }
            Resources::Nvidia(nvidia) => [
                nvidia.registers,
                None,
                None,
                nvidia.shared_bytes,
                nvidia.stack_bytes,
                nvidia.spills,
                nvidia.max_block,
            ],
        };
        let place = [answer.file.as_deref().unwrap_or_default(), answer.member.as_str()];
        let place = place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("!");
        let place = if format == Format::Text { middle_short(&place, NAME) } else { place };
        let mut row = vec![name, kernel.arch.clone()];
        row.extend(figures.map(figure));
        row.extend([answer.occupancy.words(), place]);
        table.row(row);
    }
    table
}

fn changes(page: &mut Page, against: &Changes, format: Format) {
    if against.changes.is_empty() {
        page.line("no kernel of both takes more or less");
    } else {
        let mut table = Table::new(&[
            ("kernel", Align::Left),
            ("arch", Align::Left),
            ("what", Align::Left),
            ("first", Align::Right),
            ("second", Align::Right),
        ]);
        for change in &against.changes {
            let name =
                if format == Format::Text { middle_short(&change.name, NAME) } else { change.name.clone() };
            let row = [
                name,
                change.arch.clone(),
                change.what.to_owned(),
                figure(change.first),
                figure(change.second),
            ];
            table.row(row);
        }
        page.table(&table);
    }
    page.line(&format!("kernels that take the same: {}", against.same));
    for (which, names) in [("first", &against.only_first), ("second", &against.only_second)] {
        if !names.is_empty() {
            page.line(&format!("only in the {which}: {}", names.join(", ")));
        }
    }
    for unread in &against.second.unread {
        page.line(&format!("not read: {}: {}", unread.path, unread.why));
    }
}
