//! Files that end too early, in JSON and in gzip, and gzip of every shape.

use crate::expectation::{Case, judge_all};
use flate2::Compression;
use flate2::write::GzEncoder;
use kforge_testkit::captures::{MadeCapture, MadeKernel};
use std::io::{Read as _, Write as _};

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}

/// As much text as a decoder gives before it fails or ends.
fn readable(bytes: &[u8]) -> Vec<u8> {
    let mut decoder = flate2::bufread::MultiGzDecoder::new(bytes);
    let mut text = Vec::new();
    let mut piece = [0; 512];
    while let Ok(n @ 1..) = decoder.read(&mut piece) {
        text.extend_from_slice(&piece[..n]);
    }
    text
}

/// The kernels whose whole event lies in the first `length` bytes of the document.
fn complete<'a>(capture: &'a MadeCapture, document: &str, length: usize) -> Vec<&'a MadeKernel> {
    let ends = |kernel: &MadeKernel| document.find(&kernel.event()).map(|at| at + kernel.event().len());
    capture.kernels.iter().filter(|kernel| ends(kernel).is_some_and(|end| end <= length)).collect()
}

fn cut_case(name: String, bytes: Vec<u8>, survivors: &[&MadeKernel]) -> Case {
    let case = Case::new(name, bytes).intact(survivors.iter().copied()).strange(1).positioned();
    if survivors.is_empty() { case.or_refused() } else { case }
}

#[test]
fn json_that_ends_too_early_keeps_every_complete_event() {
    let capture = MadeCapture::new("kernel", 8, 500);
    let document = capture.document();
    let from = document.find("kernel_4").expect("it is there");
    let coarse = (1..document.len() - 3).step_by(document.len() / 60);
    let fine = (from - 60..from + 400).step_by(5);
    let cases: Vec<Case> = coarse
        .chain(fine)
        .map(|cut| {
            cut_case(
                format!("json cut at {cut}"),
                document.as_bytes()[..cut].to_vec(),
                &complete(&capture, &document, cut),
            )
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn a_bare_array_that_ends_too_early_keeps_every_complete_event() {
    let capture = MadeCapture::new("kernel", 8, 500);
    let document = format!("[{}]", capture.events().join(", "));
    let cases: Vec<Case> = (1..document.len() - 1)
        .step_by(document.len() / 25)
        .map(|cut| {
            cut_case(
                format!("array cut at {cut}"),
                document.as_bytes()[..cut].to_vec(),
                &complete(&capture, &document, cut),
            )
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn gzip_that_ends_too_early_keeps_every_event_that_can_be_unpacked() {
    let capture = MadeCapture::new("kernel", 120, 500);
    let document = capture.document();
    let mut cases = Vec::new();
    for level in [0, 1, 6] {
        let packed = gzip(document.as_bytes(), level);
        let near_the_end = (packed.len() - 12)..packed.len();
        for cut in (11..packed.len()).step_by(packed.len() / 20).chain(near_the_end) {
            let bytes = packed[..cut].to_vec();
            let text = readable(&bytes);
            cases.push(cut_case(
                format!("gzip -{level} cut at {cut}"),
                bytes,
                &complete(&capture, &document, text.len()),
            ));
        }
    }
    judge_all(&cases);
}

#[test]
fn gzip_that_ends_in_its_header_is_refused() {
    let packed = gzip(MadeCapture::new("kernel", 3, 500).document().as_bytes(), 6);
    let cases: Vec<Case> =
        (0..10).map(|cut| Case::new(format!("header cut at {cut}"), &packed[..cut]).refused("")).collect();
    judge_all(&cases);
}

#[test]
fn gzip_with_a_changed_byte_keeps_what_comes_before_it() {
    let capture = MadeCapture::new("kernel", 200, 500);
    let document = capture.document();
    let packed = gzip(document.as_bytes(), 6);
    let mut cases = Vec::new();
    for at in (12..packed.len()).step_by(packed.len() / 40) {
        let mut bytes = packed.clone();
        bytes[at] ^= 0x55;
        // A changed byte may unpack to other text before the decoder notices: only kernels that still read as they were
        // are sure to survive, and any number of odd rows may appear.
        let text = readable(&bytes);
        let same = text.iter().zip(document.as_bytes()).take_while(|(a, b)| a == b).count();
        let survivors = complete(&capture, &document, same);
        cases.push(cut_case(format!("gzip byte {at} changed"), bytes, &survivors).strange(200).with_copies());
    }
    let mut wrong_sum = packed.clone();
    let checksum = packed.len() - 8;
    wrong_sum[checksum] ^= 1;
    cases.push(Case::new("gzip checksum changed", wrong_sum).intact(&capture.kernels).noted());
    judge_all(&cases);
}

#[test]
fn gzip_members_follow_one_another_wherever_the_text_is_split() {
    let capture = MadeCapture::new("kernel", 8, 500);
    let document = capture.document();
    let bytes = document.as_bytes();
    let mut cases: Vec<Case> = (0..=bytes.len())
        .step_by(bytes.len() / 20)
        .map(|at| {
            let packed = [gzip(&bytes[..at], 6), gzip(&bytes[at..], 1)].concat();
            Case::new(format!("members split at {at}"), packed).intact(&capture.kernels)
        })
        .collect();
    let tiny: Vec<u8> = bytes.chunks(97).flat_map(|chunk| gzip(chunk, 6)).collect();
    cases.push(Case::new("a member every 97 bytes", tiny).intact(&capture.kernels));
    let empty = [gzip(b"", 6), gzip(bytes, 6), gzip(b"", 6)].concat();
    cases.push(Case::new("empty members around", empty).intact(&capture.kernels));
    judge_all(&cases);
}

#[test]
fn what_follows_the_last_gzip_member_changes_nothing() {
    let capture = MadeCapture::new("kernel", 8, 500);
    let packed = gzip(capture.document().as_bytes(), 6);
    let with = |tail: &[u8]| [packed.as_slice(), tail].concat();
    judge_all(&[
        Case::new("zeros after gzip", with(&[0; 512])).intact(&capture.kernels),
        Case::new("text after gzip", with(b"garbage after the end\n")).intact(&capture.kernels).noted(),
        Case::new("half a member after gzip", with(&packed[..12])).intact(&capture.kernels).noted(),
        Case::new("a second capture's start after gzip", with(&packed[..packed.len() / 2]))
            .intact(&capture.kernels)
            .noted(),
    ]);
}
