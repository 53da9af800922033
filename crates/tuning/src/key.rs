//! When two cells of a key mean the same.

use crate::columns::{DEVICE, is_key};
use crate::number::whole;
use crate::{Row, Table};

/// A cell as the loaders compare it: numbers by value, Python's booleans as 0 and 1, names without their module.
pub(crate) fn normal(text: &str) -> String {
    let text = text.trim();
    if let Some(number) = whole(text) {
        return number.to_string();
    }
    match text.to_ascii_lowercase().as_str() {
        "true" => return "1".to_owned(),
        "false" => return "0".to_owned(),
        _ => {}
    }
    let name = text.rsplit('.').next().unwrap_or(text);
    match name.to_ascii_lowercase().as_str() {
        "bf16" => "bfloat16".to_owned(),
        "fp16" => "float16".to_owned(),
        lower => lower.to_owned(),
    }
}

/// The architecture that a row is for: its column, or what aiter takes for its number of units where the table is older than that column
/// (ROCm/aiter@e404860 `aiter/jit/utils/chip_info.py:96`).
pub(crate) fn architecture(table: &Table, row: &Row) -> Option<String> {
    let stated = table.cell(row, "gfx").or_else(|| table.cell(row, "arch")).map(str::to_owned);
    stated.filter(|gfx| gfx != "0").or_else(|| {
        Some(match units(table, row)? {
            256 => "gfx950".to_owned(),
            80 | 304 => "gfx942".to_owned(),
            _ => return None,
        })
    })
}

/// The number of units that a row is for.
pub(crate) fn units(table: &Table, row: &Row) -> Option<u64> {
    whole(table.cell(row, "cu_num")?)
}

/// A row's key, in the order of the columns.
pub(crate) fn key(table: &Table, row: &Row) -> Vec<String> {
    let names = table
        .columns
        .iter()
        .filter(|name| if table.layout.is_json() { *name == "key" } else { is_key(name) });
    names.map(|name| table.cell(row, name).map(normal).unwrap_or_default()).collect()
}

/// A row's key as words: `M=16 N=512`, without the device.
pub(crate) fn shown(table: &Table, row: &Row) -> String {
    let names = table.columns.iter().filter(|name| is_key(name) && !DEVICE.contains(&name.as_str()));
    let parts = names.filter_map(|name| Some(format!("{name}={}", table.cell(row, name)?)));
    parts.collect::<Vec<_>>().join(" ")
}
