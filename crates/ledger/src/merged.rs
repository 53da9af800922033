//! What a merge left: files with conflict markers, of two branches that both wrote notes.
//!
//! Notes only grow, so the answer is the union: both sides are taken apart into free lines and blocks, and every
//! piece of either side is kept once, in an order that keeps the order of both. Nothing is lost; blocks are derived
//! again afterwards.

use crate::notes::{Piece, pieces};

/// More cells than this would need too much memory; the two sides then follow each other.
const TABLE_LIMIT: usize = 4_000_000;

/// Whether the file holds a whole conflict: `<<<<<<<`, `=======`, `>>>>>>>` in that order at line starts.
pub(crate) fn has_conflicts(bytes: &[u8]) -> bool {
    sides(bytes).is_some()
}

/// The file itself, or the union of both sides of its conflicts.
pub(crate) fn resolved(bytes: Vec<u8>) -> Vec<u8> {
    match sides(&bytes) {
        None => bytes,
        Some((ours, theirs)) => union(&pieces(&ours), &pieces(&theirs)).concat(),
    }
}

#[derive(PartialEq)]
enum At {
    Both,
    Ours,
    Base,
    Theirs,
}

fn sides(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut at, mut conflicts) = (At::Both, 0_usize);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let is = |mark: &[u8]| {
            let rest = line.strip_prefix(mark);
            rest.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\n' | b'\r')))
        };
        match at {
            At::Both if is(b"<<<<<<<") => at = At::Ours,
            At::Ours if is(b"|||||||") => at = At::Base,
            At::Ours | At::Base if is(b"=======") => at = At::Theirs,
            At::Theirs if is(b">>>>>>>") => {
                at = At::Both;
                conflicts += 1;
            }
            At::Both => {
                ours.extend_from_slice(line);
                theirs.extend_from_slice(line);
            }
            At::Ours => ours.extend_from_slice(line),
            At::Theirs => theirs.extend_from_slice(line),
            At::Base => {}
        }
    }
    (conflicts > 0 && at == At::Both).then_some((ours, theirs))
}

/// What makes two pieces the same: a block's name, a line's bytes.
fn same(one: &Piece, other: &Piece) -> bool {
    match (one, other) {
        (Piece::Block(one, _), Piece::Block(other, _)) => one == other,
        (Piece::Line(one), Piece::Line(other)) => one == other,
        _ => false,
    }
}

fn union(ours: &[Piece], theirs: &[Piece]) -> Vec<Vec<u8>> {
    let head = ours.iter().zip(theirs).take_while(|(one, other)| same(one, other)).count();
    let (kept, ours) = ours.split_at(head);
    let theirs = theirs.get(head..).unwrap_or_default();
    let mut result: Vec<Vec<u8>> = kept.iter().map(|piece| piece.bytes().to_vec()).collect();
    let width = theirs.len() + 1;
    if (ours.len() + 1).saturating_mul(width) > TABLE_LIMIT {
        result.extend(ours.iter().chain(theirs).map(|piece| piece.bytes().to_vec()));
        return result;
    }
    // table[i][j]: length of the longest common sequence of ours[i..] and theirs[j..].
    let mut table = vec![0_u32; (ours.len() + 1) * width];
    let cell =
        |table: &[u32], row: usize, column: usize| table.get(row * width + column).copied().unwrap_or(0);
    for (row, one) in ours.iter().enumerate().rev() {
        for (column, other) in theirs.iter().enumerate().rev() {
            let value = if same(one, other) {
                cell(&table, row + 1, column + 1) + 1
            } else {
                cell(&table, row + 1, column).max(cell(&table, row, column + 1))
            };
            if let Some(slot) = table.get_mut(row * width + column) {
                *slot = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    while let (Some(one), Some(other)) = (ours.get(row), theirs.get(column)) {
        if same(one, other) {
            result.push(one.bytes().to_vec());
            row += 1;
            column += 1;
        } else if cell(&table, row + 1, column) >= cell(&table, row, column + 1) {
            result.push(one.bytes().to_vec());
            row += 1;
        } else {
            result.push(other.bytes().to_vec());
            column += 1;
        }
    }
    let rest = ours.iter().skip(row).chain(theirs.iter().skip(column));
    result.extend(rest.map(|piece| piece.bytes().to_vec()));
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::{has_conflicts, resolved, union};
    use crate::notes::Piece;

    fn is_part(part: &[Vec<u8>], whole: &[Vec<u8>]) -> bool {
        let mut left = whole.iter();
        part.iter().all(|wanted| left.any(|line| line == wanted))
    }

    proptest! {
        #[test]
        fn the_union_holds_each_side_in_its_order(
            ours in prop::collection::vec("[ab]\n", 0..12),
            theirs in prop::collection::vec("[abc]\n", 0..12),
        ) {
            let lines = |side: &[String]| side.iter().map(|line| line.clone().into_bytes()).collect::<Vec<_>>();
            let pieces = |side: &[String]| lines(side).into_iter().map(Piece::Line).collect::<Vec<_>>();
            let both = union(&pieces(&ours), &pieces(&theirs));
            prop_assert!(is_part(&lines(&ours), &both));
            prop_assert!(is_part(&lines(&theirs), &both));
            prop_assert!(both.len() <= ours.len() + theirs.len());
        }
    }

    #[test]
    fn both_sides_of_a_conflict_are_kept_in_order() {
        let merged = b"top\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\nend\n".to_vec();
        assert_eq!(resolved(merged), b"top\nours\ntheirs\nend\n");
    }

    #[test]
    fn blocks_that_a_merge_interleaved_come_out_whole() {
        let merged = b"<<<<<<< HEAD\n<!-- kforge:aa -->\nv1\n||||||| base\n=======\n<!-- kforge:bb -->\nv1\n>>>>>>> other\nsame\n<<<<<<< HEAD\n<!-- /kforge:aa -->\n=======\n<!-- /kforge:bb -->\n>>>>>>> other\n";
        let expected = b"<!-- kforge:aa -->\nv1\nsame\n<!-- /kforge:aa -->\n<!-- kforge:bb -->\nv1\nsame\n<!-- /kforge:bb -->\n";
        assert_eq!(resolved(merged.to_vec()), expected);
    }

    #[test]
    fn a_file_that_only_talks_about_markers_is_no_conflict() {
        assert!(!has_conflicts(b"<<<<<<< HEAD\nonly a start\n"));
        assert!(!has_conflicts(b"Title\n=======\ntext\n"));
        assert!(!has_conflicts(b""));
    }
}
