//! The tables of docs/hardware.md are what the data files say.
//!
//! With `KFORGE_WRITE_PAGE=1` in the environment the test writes them instead of comparing.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::path::PathBuf;

use kforge_hardware::{Absent, Cell, Confidence, Device, Devices, Dtype, Key, Pipe};

const BEGIN: &str = "<!-- tables: begin -->\n";
const END: &str = "<!-- tables: end -->\n";

#[test]
fn the_tables_of_the_page_are_those_of_the_data() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hardware.md"));
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let want = format!("{before}{BEGIN}{}{END}{after}", tables(&Devices::builtin().unwrap()));
    if std::env::var_os("KFORGE_WRITE_PAGE").is_some() {
        std::fs::write(&path, &want).unwrap();
    }
    let have = std::fs::read_to_string(&path).unwrap();
    assert!(have == want, "docs/hardware.md is out of step: run this test with KFORGE_WRITE_PAGE=1");
}

fn tables(devices: &Devices) -> String {
    let mut text = String::from("\n### Structure\n\n");
    row(
        &mut text,
        ["device", "target", "units", "dies", "waves", "shared KiB", "registers KiB", "MHz"].map(Into::into),
    );
    rule(&mut text, 8);
    for device in devices.iter() {
        row(
            &mut text,
            [
                format!("`{}`", device.id()),
                device.architecture().to_owned(),
                cell(device.cell(Key::Units), 1.0),
                cell(device.cell(Key::Chiplets), 1.0),
                cell(device.cell(Key::WavesPerUnit), 1.0),
                cell(device.cell(Key::SharedPerUnit), 1024.0),
                cell(device.cell(Key::VectorRegisters), 1024.0),
                cell(device.cell(Key::Clock), 1e6),
            ],
        );
    }
    text.push_str("\n### Memory\n\n");
    row(
        &mut text,
        ["device", "memory GiB", "GB/s", "L2 MiB", "behind it MiB", "last level MiB"].map(Into::into),
    );
    rule(&mut text, 6);
    for device in devices.iter() {
        let last = device.last_level_cache();
        row(
            &mut text,
            [
                format!("`{}`", device.id()),
                cell(device.memory_size(), 1024.0 * 1024.0 * 1024.0),
                cell(device.memory_bandwidth(), 1e9),
                cell(device.cell(Key::L2), 1024.0 * 1024.0),
                cell(device.cell(Key::InfinityCache), 1024.0 * 1024.0),
                cell(last.as_ref(), 1024.0 * 1024.0),
            ],
        );
    }
    for (pipe, title) in [
        (Pipe::Vector, "Vector peaks, tera-operations a second"),
        (Pipe::Matrix, "Matrix peaks, dense, tera-operations a second"),
        (Pipe::Sparse, "Matrix peaks with 2:4 sparsity, counted as if dense, tera-operations a second"),
    ] {
        peaks(&mut text, devices, pipe, title);
    }
    modes(&mut text, devices);
    text.push('\n');
    text
}

fn peaks(text: &mut String, devices: &Devices, pipe: Pipe, title: &str) {
    let shown: Vec<Dtype> = Dtype::ALL
        .into_iter()
        .filter(|dtype| devices.iter().any(|device| device.peak(pipe, *dtype).is_ok()))
        .collect();
    let _ = write!(text, "\n### {title}\n\n");
    row(text, std::iter::once("device".to_owned()).chain(shown.iter().map(|dtype| dtype.name().to_owned())));
    rule(text, shown.len() + 1);
    for device in devices.iter() {
        let figures = shown.iter().map(|dtype| peak(device, pipe, *dtype));
        row(text, std::iter::once(format!("`{}`", device.id())).chain(figures));
    }
}

fn modes(text: &mut String, devices: &Devices) {
    text.push_str("\n### Partition modes\n\n");
    row(text, ["device", "mode", "devices", "units each", "memory modes"].map(Into::into));
    rule(text, 5);
    for device in devices.iter() {
        for mode in device.modes() {
            let memory: Vec<&str> = mode.memory.iter().map(|memory| memory.name.as_str()).collect();
            let share = device.share(&mode.compute, memory[0]).unwrap();
            row(
                text,
                [
                    format!("`{}`", device.id()),
                    mode.compute.clone(),
                    mode.devices.to_string(),
                    share.units().unwrap().value.to_string(),
                    memory.join(", "),
                ],
            );
        }
    }
}

fn row(text: &mut String, cells: impl IntoIterator<Item = String>) {
    for cell in cells {
        let _ = write!(text, "| {cell} ");
    }
    text.push_str("|\n");
}

fn rule(text: &mut String, columns: usize) {
    text.push('|');
    text.push_str(&"---|".repeat(columns));
    text.push('\n');
}

fn peak(device: &Device, pipe: Pipe, dtype: Dtype) -> String {
    let deviates = device.peak_detail(pipe, dtype).is_ok_and(|peak| peak.deviates.is_some());
    let figure = cell(device.peak(pipe, dtype), 1e12);
    if deviates { format!("{figure}!") } else { figure }
}

/// A figure in its unit, the letter of its confidence, and `*` where another source disagrees.
fn cell(cell: Result<&Cell, &Absent>, unit: f64) -> String {
    match cell {
        Err(Absent::None(_)) => "–".to_owned(),
        Err(Absent::Unknown(_)) => "?".to_owned(),
        Ok(cell) => {
            let figure = format!("{:.2}", cell.value as f64 / unit);
            let figure = figure.trim_end_matches('0').trim_end_matches('.');
            let letter = match cell.confidence {
                Confidence::Datasheet => 's',
                Confidence::Documentation => 'd',
                Confidence::Measured => 'm',
                Confidence::Derived => 'c',
                Confidence::Weak => 'w',
            };
            let star = if cell.conflicts.is_empty() { "" } else { "*" };
            format!("{figure} {letter}{star}")
        }
    }
}
