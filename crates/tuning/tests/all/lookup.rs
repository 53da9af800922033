//! Which row a shape gets. Right values are worked out by hand from the loaders that the rules cite.

use super::{shape, table};
use kforge_tuning::{Match, Table, lookup};

fn got(table: &Table, text: &str) -> (Match, Vec<usize>) {
    let answer = lookup(table, &shape(text));
    (answer.outcome, answer.hits.iter().map(|hit| hit.line).collect())
}

#[test]
fn a_matrix_product_is_rounded_finely_and_then_coarsely() {
    // Rows for M of 112, 128, 1056, 4224 and 8192; the sizes that are tried are those of getPaddedM.
    let rows = ["112,512", "128,512", "1088,512", "4224,512", "8192,8192"]
        .map(|key| format!("gfx942,304,{key},7,1.0,k\n"))
        .concat();
    let table = table("t.csv", &format!("gfx,cu_num,M,N,K,us,kernelName\n{rows}"));
    for (m, n, expected) in [
        (112, 512, (Match::Exact, vec![2])),
        (100, 512, (Match::Rounded, vec![2])),  // 100 to a multiple of 16
        (70, 512, (Match::Rounded, vec![3])),   // 80 is not there; to a power of two
        (1030, 512, (Match::Rounded, vec![4])), // to a multiple of 64
        (4100, 512, (Match::Rounded, vec![5])), // to a multiple of 128: 4224
        (9000, 8192, (Match::Rounded, vec![6])), // 9088 is not there; above 8192 with N above 4096
        (9000, 512, (Match::None, vec![])),     // a power of two: 16384
        (129, 512, (Match::None, vec![])),
    ] {
        assert_eq!(got(&table, &format!("M={m} N={n} K=7 gfx=gfx942 cu_num=304")), expected, "{m} {n}");
    }
    assert_eq!(got(&table, "M=112 N=512 K=7 gfx=gfx950").0, Match::None);
    assert_eq!(got(&table, "M=112 N=512").0, Match::Incomplete);
}

#[test]
fn what_was_not_given_leaves_several_rows() {
    let table = table("t.csv", "cu_num,M,N,K,us,kernelName\n80,1,2,3,1,a\n304,1,2,3,1,b\n");
    assert_eq!(got(&table, "M=1 N=2 K=3"), (Match::Ambiguous, vec![2, 3]));
    assert_eq!(got(&table, "M=1 N=2 K=3 cu_num=304"), (Match::Exact, vec![3]));
    assert_eq!(lookup(&table, &shape("M=1 N=2 K=3")).rule.id, "aiter-gemm-cu-num");
}

#[test]
fn experts_are_rounded_to_a_power_of_two_and_fall_back_by_tier_and_activation() {
    let key = "7168,256,8,2";
    let row = |token: u64, act: &str| format!("256,{token},{key},ActivationType.{act},32,1.0\n");
    let text = format!(
        "cu_num,token,model_dim,inter_dim,expert,topk,act_type,block_m,us\n{}{}",
        row(64, "Silu"),
        row(32768, "Silu")
    );
    let table = table("t.csv", &text);
    let of = |token: u64, act: &str| {
        got(
            &table,
            &format!(
                "token={token} model_dim=7168 inter_dim=256 expert=8 topk=2 act_type={act} gfx=gfx950 cu_num=256"
            ),
        )
    };
    assert_eq!(of(64, "Silu"), (Match::Exact, vec![2]));
    assert_eq!(of(33, "silu"), (Match::Rounded, vec![2]));
    assert_eq!(of(64, "Gelu"), (Match::Exact, vec![2]));
    assert_eq!(of(40_000, "Silu"), (Match::Rounded, vec![3]));
    assert_eq!(of(200_000, "Silu"), (Match::Rounded, vec![3]));
    assert_eq!(of(65, "Silu").0, Match::None);
}

#[test]
fn the_nearest_key_wins_and_of_two_as_near_the_first() {
    let text = "{\"1\": {}, \"64\": {},\n\"96\": {}, \"128\":\n {}}";
    let table = table("E=8,N=64,device_name=X.json", text);
    let key = |m: u64| {
        let answer = lookup(&table, &shape(&format!("M={m} E=8 N=64")));
        table.rows[answer.hits[0].row].cells[0].clone().unwrap()
    };
    assert_eq!([1, 32, 33, 80, 81, 112, 9999].map(key), ["1", "1", "64", "64", "96", "96", "128"]);
    assert_eq!(got(&table, "M=1 E=16").0, Match::OtherFile);
}

#[test]
fn bounds_are_tried_from_the_least_then_from_the_greatest() {
    let table = table(
        "gfx942-GEMM-A8W8-N=128-K=2048.json",
        "{\"M_LEQ_16\": {}, \"M_LEQ_64\": {}, \"M_GEQ_4096\": {}, \"any\": {}}",
    );
    let key =
        |m: u64| table.rows[lookup(&table, &shape(&format!("M={m}"))).hits[0].row].cells[0].clone().unwrap();
    assert_eq!(
        [1, 16, 17, 65, 4096, 9000].map(key),
        ["M_LEQ_16", "M_LEQ_16", "M_LEQ_64", "any", "M_GEQ_4096", "M_GEQ_4096"]
    );
}
