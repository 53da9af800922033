//! What is read, what is refused, and what is damaged.

use super::{audited, table};
use kforge_tuning::{Error, Layout, read};

const HEAD: &str = "gfx,cu_num,M,N,K,us,kernelName\n";

#[test]
fn a_row_keeps_its_line_and_its_byte() {
    let table = table("t.csv", &format!("{HEAD}gfx942,304,1,2,3,4.5,k\n\ngfx942,304,2,2,3,4.5,k\n"));
    let places: Vec<_> = table.rows.iter().map(|row| (row.line, row.byte)).collect();
    // The header has 31 bytes, the first row 23, the blank line 1.
    assert_eq!(places, [(2, 31), (4, 55)]);
    assert_eq!((table.layout, table.damaged), (Layout::AiterGemm, 0));
}

#[test]
fn each_fault_of_a_line_is_named_with_the_line() {
    let row = "gfx942,304,1,2,3,4.5,k";
    let two = "gfx942,304,2,2,3,4.5,k";
    let with = |text: String| audited(&text);
    assert_eq!(with(format!("{HEAD}{row}{two}\n")), [("glued-row", 2)]);
    assert_eq!(with(format!("{HEAD}{row}\n{HEAD}{two}\n")), [("repeated-header", 3)]);
    assert_eq!(with(format!("tuned on a Tuesday\n{HEAD}{row}\n")), [("prose", 1)]);
    assert_eq!(with(format!("{HEAD}gfx942,304,1,2,3\n")), [("ragged-row", 2)]);
    assert_eq!(with(format!("{HEAD}{row},x\n")), [("ragged-row", 2)]);
    assert_eq!(with(format!("{HEAD}{row}")), [("no-line-break", 2)]);
    assert_eq!(with(format!("{HEAD}{row}\r\n{two}\n")), [("carriage-return", 2)]);
    assert_eq!(with(format!("\u{feff}{HEAD}{row}\n")), [("byte-order-mark", 1)]);
    assert_eq!(with(format!("{HEAD}{row}\n\n\n{two}\n")), [("blank-lines", 5)]);
}

#[test]
fn what_is_no_tuned_table_is_refused_with_its_line() {
    let code = |file: &str, bytes: &[u8]| read(file, bytes).unwrap_err();
    assert!(matches!(code("t.csv", b"\n\na,b,c\n1,2,3\n"), Error::Header { line: 3, .. }));
    assert!(matches!(code("t.csv", b" \n"), Error::Empty { .. }));
    assert!(matches!(code("t.csv", b"M,N,K,us\n1,2,3,\xff\n"), Error::Encoding { line: 2, byte: 15, .. }));
    assert!(matches!(code("E=1,N=2.json", b"{\n \"1\": {\"a\": 1,}\n}"), Error::Json { line: 2, .. }));
    assert!(matches!(code("x.json", b"{\n\"1\": {}\n}"), Error::Shape { line: 2, .. }));
    assert!(matches!(code("x.json", b"{\"M_LEQ_x\": {}}"), Error::Shape { .. }));
    assert!(matches!(code("x.json", b"[]"), Error::Shape { .. }));
}

#[test]
fn the_name_of_a_file_says_what_its_rows_do_not() {
    let table = table(
        "a/E=8,N=14336,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[128, 128].json",
        "{\"1\": {\"BLOCK_SIZE_M\": 16}}",
    );
    let named: Vec<_> = table.named.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        named,
        ["E=8", "N=14336", "block_shape=[128, 128]", "device_name=AMD_Instinct_MI300X", "dtype=fp8_w8a8"]
    );
    assert_eq!(table.layout, Layout::MoeJson);
}

#[test]
fn no_beginning_of_a_table_is_a_crash() {
    let text = format!("{HEAD}gfx942,304,1,2,3,4.5,\"k,\"\n{{\"1\": [1, \"\\u00e9\"]}}");
    for end in 0..text.len() {
        let _ = read("t.csv", &text.as_bytes()[..end]);
        let _ = read("E=1,N=2.json", &text.as_bytes()[end..]);
    }
}
