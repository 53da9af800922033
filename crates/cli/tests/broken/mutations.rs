//! Random damage: bytes flipped, deleted, inserted, moved. Seeded, so that a failure can be run again.

use crate::expectation::{Case, judge_all};
use flate2::Compression;
use flate2::write::GzEncoder;
use kforge_testkit::captures::{HEAD, MadeCapture, MadeKernel};
use std::io::Write as _;

/// A small generator of repeatable numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below
    }
}

/// What was done to the text, and which bytes of the original it touched.
struct Damage {
    what: String,
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

fn damage(text: &[u8], seed: u64) -> Damage {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let from = HEAD.len() + dice.roll(text.len() - HEAD.len() - 40);
    let nasty = b"\"\\{}[],:\0\n\xff0e-.";
    let mut bytes = text.to_vec();
    let (what, to) = match dice.roll(6) {
        0 => {
            bytes[from] ^= 1 << dice.roll(8);
            ("flipped a bit", from + 1)
        }
        1 => {
            bytes[from] = nasty[dice.roll(nasty.len())];
            ("wrote a nasty byte", from + 1)
        }
        2 => {
            bytes.insert(from, nasty[dice.roll(nasty.len())]);
            ("inserted a nasty byte", from)
        }
        3 => {
            let to = (from + 1 + dice.roll(30)).min(text.len());
            bytes.drain(from..to);
            ("deleted some bytes", to)
        }
        4 => {
            let to = (from + 1 + dice.roll(400)).min(text.len());
            bytes.drain(from..to);
            ("deleted many bytes", to)
        }
        _ => {
            let noise: Vec<u8> = (0..=dice.roll(60)).map(|_| dice.roll(256) as u8).collect();
            bytes.splice(from..from, noise);
            ("inserted noise", from)
        }
    };
    Damage { what: format!("seed {seed}: {what} at {from}"), bytes, from, to }
}

/// The kernels far enough from the damage: an event that it does not touch, nor its neighbours on either side.
fn far<'a>(capture: &'a MadeCapture, text: &str, damage: &Damage) -> Vec<&'a MadeKernel> {
    let index_at = |at: usize| {
        capture
            .kernels
            .iter()
            .take_while(|kernel| {
                text.find(&kernel.event()).is_some_and(|start| start + kernel.event().len() <= at)
            })
            .count()
    };
    let (first, last) = (index_at(damage.from), index_at(damage.to));
    let near = first.saturating_sub(1)..=last + 1;
    capture
        .kernels
        .iter()
        .enumerate()
        .filter(|(index, _)| !near.contains(index))
        .map(|(_, kernel)| kernel)
        .collect()
}

#[test]
fn random_damage_to_the_text_costs_at_most_its_neighbourhood() {
    let capture = MadeCapture::new("kernel", 20, 500);
    let text = capture.document();
    let count = if std::env::var_os("KFORGE_SLOW").is_some() { 20_000 } else { 250 };
    let cases: Vec<Case> = (1..=count)
        .map(|seed| {
            let damage = damage(text.as_bytes(), seed);
            let survivors = far(&capture, &text, &damage);
            Case::new(damage.what.clone(), damage.bytes).intact(survivors).strange(4)
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn random_damage_in_many_places_never_ends_in_anything_but_an_answer() {
    let capture = MadeCapture::new("kernel", 20, 500);
    let text = capture.document();
    let cases: Vec<Case> = (1..=120)
        .map(|seed| {
            let mut bytes = text.clone().into_bytes();
            for part in 0..8 {
                bytes = damage(&bytes, seed * 100 + part).bytes;
            }
            Case::new(format!("seed {seed}: eight places"), bytes).strange(40).or_refused()
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn random_damage_to_gzip_never_ends_in_anything_but_an_answer() {
    let capture = MadeCapture::new("kernel", 200, 500);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(capture.document().as_bytes()).expect("memory takes bytes");
    let packed = encoder.finish().expect("memory takes bytes");
    let cases: Vec<Case> = (1..=80)
        .map(|seed| {
            let mut dice = Dice(seed * 77 + 5);
            let mut bytes = packed.clone();
            for _ in 0..=dice.roll(3) {
                let at = dice.roll(bytes.len());
                bytes[at] ^= 1 << dice.roll(8);
            }
            Case::new(format!("seed {seed}"), bytes).strange(400).or_refused()
        })
        .collect();
    judge_all(&cases);
}

#[test]
fn damage_before_the_events_costs_none_of_them() {
    let capture = MadeCapture::new("kernel", 6, 500);
    let text = capture.document();
    let key = text.find("\"traceEvents\"").expect("it is there");
    let mut cases = Vec::new();
    for at in (1..HEAD.len() - 2).step_by(3) {
        let (before, after) = text.as_bytes().split_at(at);
        let damages: [(&str, Vec<u8>); 5] = [
            ("deleted", [before, &after[1..]].concat()),
            ("brace inserted", [before, b"{", after].concat()),
            ("quote inserted", [before, b"\"", after].concat()),
            ("closing bracket inserted", [before, b"]", after].concat()),
            ("zeroed", [before, b"\0", &after[1..]].concat()),
        ];
        for (what, bytes) in damages {
            let case = Case::new(format!("byte {at} of the head {what}"), bytes);
            // Where the key itself is hit, nothing says that these are the events of a capture.
            cases.push(if at < key { case.intact(&capture.kernels) } else { case.strange(6).or_refused() });
        }
    }
    judge_all(&cases);
}
