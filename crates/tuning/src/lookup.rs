//! Which row the library's own loader takes for a shape.

use crate::key::{architecture, normal, units};
use crate::number::whole;
use crate::{Layout, Row, Rule, Table};
use std::collections::BTreeMap;

/// How the row was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The shape itself is in the table.
    Exact,
    /// A row of a rounded shape is taken.
    Rounded,
    /// Several rows fit what was given: more of the key is needed.
    Ambiguous,
    /// There is none.
    None,
    /// The file's name is for another shape or device.
    OtherFile,
    /// The shape lacks what the rule needs.
    Incomplete,
}

/// A row that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place in the table.
    pub row: usize,
    /// Its line, from 1.
    pub line: usize,
}

/// The answer for one table and one shape.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The rule that was used.
    pub rule: Rule,
    /// How it ended.
    pub outcome: Match,
    /// The row, or the rows where several fit.
    pub hits: Vec<Hit>,
    /// What was tried or is missing, in words.
    pub steps: Vec<String>,
}

const TIERS: [u64; 2] = [32768, 131_072];
const BOUNDS: [u64; 13] = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];

/// Looks a shape up. `shape` holds the columns that are known (`M`, `N`, `token`, …); `gfx` and `cu_num` among them say the device.
pub fn lookup(table: &Table, shape: &BTreeMap<String, String>) -> Lookup {
    let rule = Rule::of(table);
    let mut answer = Lookup { rule, outcome: Match::None, hits: Vec::new(), steps: Vec::new() };
    if let Some(other) = other_file(table, shape) {
        answer.outcome = Match::OtherFile;
        answer.steps.push(other);
        return answer;
    }
    if table.layout.is_json() {
        by_m(table, shape, &mut answer);
    } else {
        by_key(table, shape, &mut answer);
    }
    answer
}

/// A part of the file's name that the shape contradicts.
fn other_file(table: &Table, shape: &BTreeMap<String, String>) -> Option<String> {
    if !table.layout.is_json() {
        return None;
    }
    table.named.iter().find_map(|(name, stated)| {
        let wanted = shape.get(name)?;
        (normal(wanted) != normal(stated)).then(|| format!("the file is for {name}={stated}, not {wanted}"))
    })
}

fn by_m(table: &Table, shape: &BTreeMap<String, String>, answer: &mut Lookup) {
    let Some(m) = shape.get("M").and_then(|text| whole(text)) else {
        answer.outcome = Match::Incomplete;
        answer.steps.push("the shape needs M".to_owned());
        return;
    };
    let name = |row: &Row| row.cells.first().cloned().flatten().unwrap_or_default();
    // Of a doubled member JSON readers keep the last; its place is that of the first.
    let last = |wanted: &str| table.rows.iter().rposition(|row| name(row) == wanted);
    let found = if table.layout == Layout::AiterTritonJson {
        let above = BOUNDS.iter().filter(|bound| m <= **bound).map(|bound| format!("M_LEQ_{bound}"));
        let below = BOUNDS.iter().rev().filter(|bound| m >= **bound).map(|bound| format!("M_GEQ_{bound}"));
        above.chain(below).chain(["any".to_owned()]).find_map(|wanted| last(&wanted))
    } else {
        let near = table.rows.iter().filter_map(|row| whole(&name(row)));
        near.min_by_key(|key| key.abs_diff(m)).and_then(|key| last(&key.to_string()))
    };
    let Some(row) = found else { return };
    let key = table.rows.get(row).map(name).unwrap_or_default();
    answer.outcome = if key == m.to_string() { Match::Exact } else { Match::Rounded };
    answer.steps.push(format!("M={m} takes the key {key}"));
    answer.hits.push(Hit { row, line: table.rows.get(row).map_or(0, |row| row.line) });
}

/// What the loader tries for the size that is rounded, in order.
fn sizes(table: &Table, rule: Rule, n: u64, m: u64) -> Vec<u64> {
    if table.layout == Layout::AiterMoe {
        let padded = if m < TIERS[0] { power(m) } else { TIERS[usize::from(m >= TIERS[1])] };
        return if padded > TIERS[0] { vec![padded, TIERS[0]] } else { vec![padded] };
    }
    if !rule.pads() {
        return vec![m];
    }
    let step = match m {
        0..=256 => 16,
        257..=1024 => 32,
        1025..=4096 => 64,
        _ => 128,
    };
    let coarse = if m > 8192 && n > 4096 { 8192 } else { power(m) };
    vec![m, m.checked_next_multiple_of(step).unwrap_or(m), coarse]
}

fn power(m: u64) -> u64 {
    m.checked_next_power_of_two().unwrap_or(m)
}

fn by_key(table: &Table, shape: &BTreeMap<String, String>, answer: &mut Lookup) {
    let size = ["token", "M", "m", "T_flat", "b"].into_iter().find(|name| table.column(name).is_some());
    let given = |name: &str| {
        let other =
            if name.chars().all(char::is_lowercase) { name.to_uppercase() } else { name.to_lowercase() };
        shape.get(name).or_else(|| (name.len() == 1).then(|| shape.get(&other)).flatten())
    };
    let (Some(size), needed) = (size, needed(table)) else { return };
    let missing: Vec<&str> = needed.into_iter().filter(|name| given(name).is_none()).collect();
    let m = given(size).and_then(|text| whole(text));
    if !missing.is_empty() || m.is_none() {
        answer.outcome = Match::Incomplete;
        answer.steps.push(format!(
            "the shape needs {}",
            if missing.is_empty() { size.to_owned() } else { missing.join(", ") }
        ));
        return;
    }
    let m = m.unwrap_or(0);
    let n = given("N").and_then(|text| whole(text)).unwrap_or(0);
    for tried in sizes(table, answer.rule, n, m) {
        for any_act in [false, true] {
            if any_act && table.layout != Layout::AiterMoe {
                continue;
            }
            let fits = |row: &Row| fits(table, row, &given, size, tried, any_act);
            let rows: Vec<usize> =
                table.rows.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect();
            let beside = if any_act { ", any act_type" } else { "" };
            answer.steps.push(format!("{size}={tried}{beside}: {} rows", rows.len()));
            if !rows.is_empty() {
                return settle(table, answer, &rows, tried == m, any_act);
            }
        }
    }
}

/// The columns without which a look-up says nothing.
fn needed(table: &Table) -> Vec<&'static str> {
    let all: &[&str] = match table.layout {
        Layout::AiterGemm => &["M", "N", "K"],
        Layout::AiterBatchedGemm => &["B", "M", "N", "K"],
        Layout::AiterMoe => &["token", "model_dim", "inter_dim", "expert", "topk"],
        _ => &[],
    };
    all.to_vec()
}

fn fits<'a>(
    table: &Table,
    row: &Row,
    given: &dyn Fn(&str) -> Option<&'a String>,
    size: &str,
    tried: u64,
    any_act: bool,
) -> bool {
    if table.layout == Layout::AiterMoe && table.cell(row, "_tag") == Some("flydsl_fallback") {
        return false;
    }
    table.columns.iter().filter(|name| crate::columns::is_key(name)).all(|name| {
        if name == size {
            return table.cell(row, name).and_then(whole) == Some(tried);
        }
        let Some(wanted) = given(name) else { return true };
        match name.as_str() {
            "gfx" | "arch" => architecture(table, row).is_none_or(|gfx| normal(&gfx) == normal(wanted)),
            "cu_num" => units(table, row).is_some_and(|units| whole(wanted) == Some(units)),
            "act_type" if any_act => true,
            _ => table.cell(row, name).is_some_and(|cell| normal(cell) == normal(wanted)),
        }
    })
}

/// One row, or several that differ in what was not given.
fn settle(table: &Table, answer: &mut Lookup, rows: &[usize], exact: bool, any_act: bool) {
    let key = |at: usize| table.rows.get(at).map(|row| crate::key::key(table, row));
    let first = rows.first().copied().and_then(key);
    // Any activation: the loader has replaced that column before it kept the first of equal keys.
    let one = any_act || rows.iter().all(|at| key(*at) == first);
    let kept = if one { rows.get(..1).unwrap_or_default() } else { rows };
    if one && rows.len() > 1 && !any_act && table.layout != Layout::AiterMoe {
        answer.steps.push(format!(
            "{} rows have this key; unless they are equal, the loader refuses the table",
            rows.len()
        ));
    }
    answer.outcome = match (one, exact) {
        (false, _) => Match::Ambiguous,
        (true, true) => Match::Exact,
        (true, false) => Match::Rounded,
    };
    let line = |at: usize| table.rows.get(at).map_or(0, |row| row.line);
    answer.hits = kept.iter().map(|&row| Hit { row, line: line(row) }).collect();
}
