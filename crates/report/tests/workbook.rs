//! The workbook read back by another library: sums, kinds of cells, limits.

#![expect(clippy::unwrap_used, reason = "a test may stop where its own input fails")]

use calamine::{Data, Reader as _, Xlsx};
use kforge_report::workbook::{self, Limits, TraceWorkbook};
use kforge_testkit::captures::document;
use kforge_workbench::Silent;
use kforge_workbench::trace::{DetailRow, Request, Response, Table, run_detailed};
use std::io::Cursor;
use std::path::Path;

/// A Python frame, from and to in µs.
fn frame(name: &str, from: u32, to: u32) -> String {
    let dur = to - from;
    format!(r#"{{"ph":"X","cat":"python_function","name":"{name}","pid":1,"tid":1,"ts":{from},"dur":{dur}}}"#)
}

/// An op at `ts` that launches an activity of `ns` nanoseconds.
fn launch(number: u32, category: &str, name: &str, ts: u32, ns: u32) -> [String; 3] {
    let (begin, after, device) = (ts + 1, ts + 2, 10_000 + ts);
    let dur = f64::from(ns) / 1000.0;
    [
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"aten::op","pid":1,"tid":1,"ts":{ts},"dur":6,"args":{{"External id":{number}}}}}"#
        ),
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{begin},"dur":2,"args":{{"correlation":{number}}}}}"#
        ),
        format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":0,"tid":7,"ts":{device},"dur":{dur},"args":{{"correlation":{number},"device":0,"stream":7,"x":{after}}}}}"#
        ),
    ]
}

/// A model of two layers of norm and linear, then a copy outside every module; 10 µs a launch.
fn capture(long_name: usize) -> String {
    let mut events = vec![frame("nn.Module: Model_0", 100, 500)];
    for layer in 0..2 {
        let at = 110 + layer * 100;
        events.push(frame(&format!("nn.Module: Layer_{layer}"), at, at + 90));
        events.push(frame(&format!("nn.Module: RMSNorm_{layer}"), at + 5, at + 35));
        events.push(frame("model.py(12): forward", at + 6, at + 34));
        events.extend(launch(layer * 10 + 1, "kernel", "add_rmsnorm_quant_kernel", at + 10, 1_001 + layer));
        events.push(frame(&format!("nn.Module: Linear_{layer}"), at + 40, at + 60));
        events.extend(launch(layer * 10 + 2, "kernel", "volta_sgemm_64x64_nt", at + 45, 20_000 + layer * 7));
        events.extend(launch(layer * 10 + 3, "kernel", "=1+1", at + 70, 333));
    }
    events.extend(launch(41, "kernel", &"k".repeat(long_name), 400, 5_000));
    events.extend(launch(42, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", 600, 2_500));
    document(&events)
}

fn answer(text: &str) -> (Response, Table<DetailRow>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("capture.json");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

fn read(path: &Path) -> (Response, Table<DetailRow>) {
    run_detailed(&Request { capture: path.to_owned() }, &Silent).unwrap()
}

/// The rows of a sheet below its header, as another library reads them.
fn rows(book: &TraceWorkbook, sheet: &str) -> Vec<Vec<Data>> {
    let mut read: Xlsx<_> = Xlsx::new(Cursor::new(book.bytes.clone())).unwrap();
    read.worksheet_range(sheet).unwrap().rows().skip(1).map(<[Data]>::to_vec).collect()
}

/// A cell of µs as nanoseconds; text is no number.
fn ns(cell: &Data) -> Option<i64> {
    match cell {
        Data::Float(value) => Some((value * 1000.0).round() as i64),
        Data::Int(value) => Some(value * 1000),
        _ => None,
    }
}

fn text(cell: &Data) -> &str {
    if let Data::String(text) = cell { text } else { "" }
}

/// Rows of a table up to its last lines, and those by their names.
fn parted(rows: &[Vec<Data>]) -> (&[Vec<Data>], &[Vec<Data>]) {
    let end = rows.iter().position(|row| text(&row[0]).starts_with("In no")).unwrap();
    rows.split_at(end)
}

fn sum(rows: &[Vec<Data>], column: usize) -> i64 {
    rows.iter().filter_map(|row| ns(&row[column])).sum()
}

/// Rows + residual = whole in one sheet's column, and the whole is the answer's.
fn reconciles(book: &TraceWorkbook, sheet: &str, column: usize, whole: i64) {
    let all = rows(book, sheet);
    let (body, last) = parted(&all);
    assert_eq!(sum(body, column) + ns(&last[0][column]).unwrap(), whole, "{sheet}");
    assert_eq!(text(&last[1][0]), "Whole");
    assert_eq!(ns(&last[1][column]), Some(whole), "{sheet}");
}

fn check_sums(response: &Response, details: &Table<DetailRow>) {
    let book = workbook::trace(response, details, Limits::default()).unwrap();
    assert!(book.notes.is_empty());
    reconciles(&book, "GPU Kernels", 2, response.time.kernel_sum_ns);
    reconciles(&book, "Detail", 3, response.time.activity_sum_ns);
    // Own time adds up; totals of a tree hold each other.
    reconciles(&book, "Module Tree", 5, response.time.activity_sum_ns);
    let overview = rows(&book, "Overview");
    let (kinds, last) = parted(&overview);
    let tops: i64 = kinds.iter().filter(|row| row[1] == Data::Float(0.0)).filter_map(|row| ns(&row[7])).sum();
    assert_eq!(tops + ns(&last[0][7]).unwrap(), ns(&last[1][7]).unwrap());
    for (at, row) in kinds.iter().enumerate() {
        let depth = |row: &[Data]| if let Data::Float(depth) = row[1] { depth } else { -1.0 };
        let below: Vec<i64> = kinds[at + 1..]
            .iter()
            .take_while(|next| depth(next) > depth(row))
            .filter(|next| (depth(next) - depth(row) - 1.0).abs() < 0.5)
            .filter_map(|next| ns(&next[7]))
            .collect();
        if !below.is_empty() {
            assert_eq!(below.iter().sum::<i64>(), ns(&row[7]).unwrap(), "{:?}", row[0]);
        }
    }
    let summary = rows(&book, "Summary");
    let category = summary.iter().position(|row| text(&row[0]) == "Category").unwrap();
    let total = summary.iter().position(|row| text(&row[0]) == "Total").unwrap();
    assert_eq!(sum(&summary[category + 1..total], 2), response.time.activity_sum_ns);
    assert_eq!(ns(&summary[total][2]), Some(response.time.activity_sum_ns));
    assert_eq!(ns(&summary[0][1]), Some(response.time.activity_sum_ns));
}

#[test]
fn rows_and_residual_are_the_whole_on_every_sheet() {
    let (response, details) = answer(&capture(10));
    // By hand: two layers, then 5 µs in the model and 2.5 µs outside.
    assert_eq!(response.time.activity_sum_ns, 1_001 + 1_002 + 20_000 + 20_007 + 2 * 333 + 5_000 + 2_500);
    check_sums(&response, &details);
}

#[test]
fn the_sheets_and_their_headers_are_the_ones_engineers_exchange() {
    let (response, details) = answer(&capture(10));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    let mut read: Xlsx<_> = Xlsx::new(Cursor::new(book.bytes)).unwrap();
    assert_eq!(read.sheet_names(), ["Summary", "Overview", "Module Tree", "GPU Kernels", "Detail"]);
    let mut header = |sheet: &str| {
        let range = read.worksheet_range(sheet).unwrap();
        let first: Vec<String> =
            range.rows().next().unwrap().iter().map(|cell| text(cell).to_owned()).collect();
        first.join(" | ")
    };
    assert!(header("Summary").starts_with("Metric | Value (us) | Percentage | Detail Tab"));
    assert!(header("Overview").starts_with(
        "Module Type | Depth | Count | Mean | Std | Min | Max | Total (us) | % of Parent | Top Kernel"
    ));
    assert!(header("Module Tree").starts_with("Module | Total Time (us) | Kernels/Ops | Breakdown | Phase"));
    assert!(header("GPU Kernels").starts_with(
        "Kernel Name | Category | Total Duration (us) | Count | Avg (us) | % of Total | Module Types"
    ));
    assert!(header("Detail").starts_with("Module | Module Type | Kernel Name | Duration (us)"));
}

#[test]
fn a_kernel_row_has_numbers_as_numbers_and_every_label() {
    let (response, details) = answer(&capture(10));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    let kernels = rows(&book, "GPU Kernels");
    let norm = kernels.iter().find(|row| text(&row[0]) == "add_rmsnorm_quant_kernel").unwrap();
    assert_eq!(norm[1], Data::String("normalization".into()));
    assert_eq!(norm[2], Data::Float(2.003));
    assert_eq!(norm[3], Data::Float(2.0));
    assert_eq!(norm[6], Data::String("RMSNorm".into()));
    assert_eq!(norm[7], Data::String("normalization + quantization".into()));
    assert_eq!(norm[16], Data::String("normalization/norm-word".into()));
    assert_eq!(norm[17], Data::String("model.py(12): forward".into()));
}

#[test]
fn a_name_that_looks_like_a_formula_stays_a_name() {
    let (response, details) = answer(&capture(10));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    assert!(rows(&book, "GPU Kernels").iter().any(|row| row[0] == Data::String("=1+1".into())));
    let mut read: Xlsx<_> = Xlsx::new(Cursor::new(book.bytes)).unwrap();
    assert!(read.worksheet_formula("GPU Kernels").unwrap().is_empty());
}

#[test]
fn what_does_not_fit_a_worksheet_is_said_in_the_sheet_and_in_a_note() {
    let (response, details) = answer(&capture(10));
    let limits = Limits { rows: 8, characters: 32_767 };
    let book = workbook::trace(&response, &details, limits).unwrap();
    let detail = rows(&book, "Detail");
    assert!(detail.len() < 8);
    let said = detail.iter().find(|row| text(&row[0]).contains("do not fit the 8 rows")).unwrap();
    assert!(text(&said[0]).contains("more rows"));
    let shown: i64 = sum(&detail[..detail.len() - 3], 3);
    let note = book.notes.iter().find(|note| note.message.contains("sheet Detail")).unwrap();
    assert_eq!(note.code, "workbook.rows");
    assert_eq!(shown + note.ns.unwrap(), response.time.activity_sum_ns);
    assert!(book.notes.iter().any(|note| note.message.contains("sheet Module Tree")));
}

#[test]
fn devices_that_do_not_fit_the_summary_are_left_out_and_noted() {
    let devices: Vec<String> = (0..200)
        .map(|device| {
            format!(r#"{{"ph":"X","cat":"kernel","name":"k","pid":{device},"tid":7,"ts":{device},"dur":1}}"#)
        })
        .collect();
    let (response, details) = answer(&document(&devices));
    let book = workbook::trace(&response, &details, Limits { rows: 1_000, characters: 32_767 }).unwrap();
    let note = book.notes.iter().find(|note| note.message.contains("sheet Summary")).unwrap();
    let shown =
        rows(&book, "Summary").iter().filter(|row| text(&row[0]).ends_with(": window")).count() as u64;
    assert!(shown > 0);
    // A device has five rows, and these were busy for 1 µs each.
    assert_eq!((note.events, note.ns), (Some((200 - shown) * 5), Some((200 - shown as i64) * 1_000)));
}

#[test]
fn the_top_kernel_of_a_type_is_that_of_all_below_it() {
    let (response, details) = answer(&capture(10));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    let top = |class: &str| {
        let rows = rows(&book, "Overview");
        let row = rows.iter().find(|row| text(&row[0]).trim() == class).unwrap();
        text(&row[9]).to_owned()
    };
    assert_eq!(top("RMSNorm"), "add_rmsnorm_quant_kernel");
    // 2 × 20 µs in the layers against 5 µs in the model itself.
    assert_eq!(
        (top("Layer"), top("Model")),
        ("volta_sgemm_64x64_nt".to_owned(), "volta_sgemm_64x64_nt".to_owned())
    );
}

#[test]
fn a_text_that_a_cell_cannot_hold_is_cut_with_a_mark_and_a_note() {
    let (response, details) = answer(&capture(40_000));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    let kernels = rows(&book, "GPU Kernels");
    let cut = kernels.iter().map(|row| text(&row[0])).find(|name| name.starts_with("kkk")).unwrap();
    assert!((32_700..=32_767).contains(&cut.encode_utf16().count()));
    assert!(cut.ends_with("characters cut]"));
    let note = book.notes.iter().find(|note| note.code == "workbook.text").unwrap();
    assert!(note.message.contains("32,767"));
    assert!(rows(&book, "Summary").iter().any(|row| text(&row[0]) == "workbook.text"));
}

#[test]
fn the_same_answer_gives_the_same_bytes() {
    let (response, details) = answer(&capture(10));
    let make = || workbook::trace(&response, &details, Limits::default()).unwrap().bytes;
    assert_eq!(make(), make());
}

#[test]
fn a_capture_without_activities_or_modules_is_a_workbook_too() {
    let (response, details) = answer(&document(&[frame("nn.Module: Model_0", 1, 2)]));
    check_sums(&response, &details);
}

#[test]
fn the_sums_hold_on_captures_made_for_this_project() {
    let Some(lab) = kforge_testkit::lab("report::workbook") else { return };
    for path in kforge_testkit::captures::files_of(&lab.join("captures")) {
        // The largest one costs minutes without optimisation and shows nothing that the others do not.
        if std::fs::metadata(&path).unwrap().len() < 1_000_000 {
            let (response, details) = read(&path);
            check_sums(&response, &details);
        }
    }
}

#[test]
fn the_mean_is_that_of_the_activities_with_a_length() {
    let one = |ts: u32, dur: i32| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{ts},"dur":{dur},"args":{{"device":0,"stream":7}}}}"#
        )
    };
    let (response, details) = answer(&document(&[one(1, 10), one(100, -1)]));
    assert_eq!(response.tables.kernels.rows[0].mean_ns, Some(10_000));
    let book = workbook::trace(&response, &details, Limits::default()).unwrap();
    assert_eq!(rows(&book, "GPU Kernels")[0][4], Data::Float(10.0));
    assert_eq!(rows(&book, "Detail")[0][7], Data::Float(10.0));
    let summary = rows(&book, "Summary");
    let total = summary.iter().find(|row| text(&row[0]) == "Total").unwrap();
    assert_eq!(total[3], Data::Float(10.0));
}

#[test]
fn a_module_with_a_slash_in_its_name_is_below_its_parent_and_counted_once() {
    let mut events = vec![frame("nn.Module: Model_0", 100, 500), frame("nn.Module: a/b_0", 110, 200)];
    events.extend(launch(1, "kernel", "k", 120, 1_000));
    let (response, details) = answer(&document(&events));
    check_sums(&response, &details);
}
