//! What an audit names, and what it leaves alone; the lines are counted by hand in the tables of each test.

use super::{audited, places, table};
use kforge_hardware::Devices;
use kforge_tuning::{Scope, audit, untuned};

const HEAD: &str = "gfx,cu_num,M,N,K,us,kernelName,errRatio\n";

fn rows(rows: &[&str]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
    format!("{HEAD}{}", rows.concat())
}

#[test]
fn times_that_are_none_and_errors_above_tolerance_are_named() {
    let text = rows(&[
        "gfx942,304,1,2,3,nan,k,0",
        "gfx942,304,2,2,3,inf,k,0",
        "gfx942,304,3,2,3,-1,k,0",
        "gfx942,304,4,2,3,0,k,0",
        "gfx942,304,5,2,3,1,k,0.0501",
        "gfx942,304,6,2,3,1,k,0.05",
        "gfx942,304,x,2,3,1,k,0",
    ]);
    let time = "time-not-a-number";
    assert_eq!(
        audited(&text),
        [(time, 2), (time, 3), (time, 4), ("time-zero", 5), ("error-ratio", 6), ("key-not-a-number", 8)]
    );
}

#[test]
fn a_key_twice_is_named_and_so_is_the_slower_row() {
    let text = rows(&[
        "gfx942,304,1,2,3,5,a,0",
        "gfx942,304,1,2,3,4,b,0",
        "gfx950,304,1,2,3,1,c,0",
        "gfx942,304,1.0,2,3,5,a,0",
    ]);
    assert_eq!(audited(&text), [("dominated-row", 2), ("duplicate-key", 3), ("duplicate-key", 5)]);
}

#[test]
fn rows_of_another_device_are_named() {
    let table =
        table("t.csv", &rows(&["gfx942,304,1,2,3,1,k,0", "gfx942,80,1,2,3,1,k,0", "gfx950,256,1,2,3,1,k,0"]));
    let scope = Scope { gfx: Some("gfx942"), units: Some(304), devices: None };
    assert_eq!(places(&audit(&table, &scope)), [("foreign-gpu", 3), ("foreign-gpu", 4)]);
}

#[test]
fn a_product_beyond_every_peak_of_the_device_is_named() {
    let devices = Devices::builtin().unwrap();
    // 2 * 8192^3 operations are 1.1e12. MI300X: 2614.9e12 a second dense in FP8 (AMD's data sheet), so at least 420 us; 4096 is an eighth of it.
    let table =
        table("t.csv", &rows(&["gfx942,304,8192,8192,8192,700,k,0", "gfx942,304,4096,8192,8192,1.5,k,0"]));
    let scope = Scope { devices: Some(&devices), ..Scope::default() };
    assert_eq!(places(&audit(&table, &scope)), [("impossible-time", 3)]);
}

#[test]
fn shapes_without_a_row_and_rows_without_a_shape_are_named() {
    let tuned = table("t.csv", &rows(&["gfx942,304,1,2,3,1,k,0", "gfx942,304,9,2,3,1,k,0"]));
    let wanted = table("u.csv", "M,N,K\n1,2,3\n4,2,3\n");
    assert_eq!(places(&untuned(&tuned, &wanted)), [("untuned-shape", 3), ("stale-row", 3)]);
}

#[test]
fn doubled_and_unsorted_keys_of_a_json_table_are_named() {
    let table = table("E=1,N=2,device_name=X.json", "{\"1\": {},\n\"64\": {},\n\"32\": {},\n\"1\": {}}");
    assert_eq!(places(&audit(&table, &Scope::default())), [("unsorted", 3), ("duplicate-key", 4)]);
}
