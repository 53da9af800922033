//! A whole experiment made up without measuring: facts and samples from which real evidence is sealed.
//!
//! The times are arithmetic, not random, so that the verdict is known: `percent` of the baseline's time plus a
//! small pattern that differs from block to block.

use std::collections::BTreeMap;

use kforge_record::{
    Artifact, BlobId, BlockOrder, Build, Case, CaseOrigin, Check, CheckedInput, CheckedOutput, Claim,
    ClockCheck, Device, Digest, Environment, Error, Evidence, Facts, FloorCheck, FloorStatus, Launch,
    ObjectFormat, ParamValue, Policy, PriorRun, Real, Run, Sealed, Series, Side, Sides, Subject,
    SubjectEntry, Tolerance, ToleranceProfile, Tool, Worst,
};

/// What the made-up experiment should be.
#[derive(Clone, Debug)]
pub struct SampleExperiment {
    /// The op.
    pub op: String,
    /// The candidate's name.
    pub candidate: String,
    /// Files of the baseline: path and bytes.
    pub baseline: Vec<(String, Vec<u8>)>,
    /// Files of the candidate: path and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// The candidate's time in percent of the baseline's.
    pub percent: u64,
    /// Whether the candidate's output is outside the tolerance.
    pub wrong: bool,
    /// RFC 3339, UTC, whole seconds.
    pub started_at: String,
    /// Number of launches.
    pub launches: u32,
    /// Blocks a launch and case.
    pub blocks: u32,
    /// Names of the timed cases.
    pub timed: Vec<String>,
    /// A claim such as `1.4x on decode`.
    pub claim: Option<String>,
    /// Earlier runs of the same pair.
    pub prior: Vec<PriorRun>,
    /// Whether this run confirms an earlier one.
    pub confirmation: bool,
}

impl SampleExperiment {
    /// A candidate that takes 70 % of the baseline's time on two cases, right everywhere.
    pub fn new(op: &str, candidate: &str) -> Self {
        let file = |text: &str| vec![(format!("kernels/{op}/{op}.c"), text.as_bytes().to_vec())];
        Self {
            op: op.to_owned(),
            candidate: candidate.to_owned(),
            baseline: file("int baseline;\n"),
            files: file("int candidate;\n"),
            percent: 70,
            wrong: false,
            started_at: "2026-03-01T10:00:00Z".to_owned(),
            launches: 8,
            blocks: 8,
            timed: vec!["decode".to_owned(), "prefill".to_owned()],
            claim: None,
            prior: Vec::new(),
            confirmation: false,
        }
    }

    /// The facts, before anything is judged.
    ///
    /// # Errors
    /// Where a name or path is not acceptable to the record room.
    pub fn facts(&self) -> Result<Facts, Error> {
        let reference =
            side(&self.op, "reference", &[("kernels/reference.py".to_owned(), b"pass\n".to_vec())])?;
        let baseline = side(&self.op, "baseline", &self.baseline)?;
        let candidate = side(&self.op, &self.candidate, &self.files)?;
        let cases = self.cases();
        let mut checks = Vec::new();
        for case in &cases {
            checks.push(check(case, "baseline", &baseline, false));
            checks.push(check(case, &self.candidate, &candidate, self.wrong));
        }
        let pair = Run::pair_of(&baseline.subject.id, &candidate.subject.id)?;
        Ok(Facts {
            op: self.op.clone(),
            candidate: self.candidate.clone(),
            run: self.run(pair)?,
            sides: Sides { reference, baseline, candidate },
            environment: environment()?,
            clock: self.clock(),
            floor: self.floor(),
            cases,
            checks,
            voids: Vec::new(),
            disturbances: Vec::new(),
            policy: Policy::default(),
            claim: self.claim.as_deref().map(Claim::parse).transpose()?,
            prior: self.prior.clone(),
        })
    }

    /// The launches; none for a wrong candidate, which is never timed.
    ///
    /// # Errors
    /// As `facts`.
    pub fn samples(&self) -> Result<Vec<Launch>, Error> {
        if self.wrong {
            return Ok(Vec::new());
        }
        let facts = self.facts()?;
        let built = |side: &Side| side.build.as_ref().map_or(Digest::of_bytes(b""), |build| build.id);
        let builds = [built(&facts.sides.baseline), built(&facts.sides.candidate)];
        let launch = |index| Launch {
            index,
            builds,
            tick_ns: 20,
            series: self.timed.iter().map(|case| self.series(case, u64::from(index))).collect(),
        };
        Ok((0..self.launches).map(launch).collect())
    }

    /// Sealed evidence of facts and samples.
    ///
    /// # Errors
    /// As `facts`.
    pub fn seal(&self) -> Result<Sealed, Error> {
        Evidence::seal(self.facts()?, self.samples()?)
    }

    /// The pair of subjects that this experiment compares.
    ///
    /// # Errors
    /// As `facts`.
    pub fn pair(&self) -> Result<Digest, Error> {
        Ok(self.facts()?.run.pair)
    }

    fn cases(&self) -> Vec<Case> {
        let case = |name: &str, origin, rows: i64, weight: f64| Case {
            name: name.to_owned(),
            origin,
            params: BTreeMap::from([
                ("rows".to_owned(), ParamValue::Int(rows)),
                ("layout".to_owned(), ParamValue::Text("row".to_owned())),
            ]),
            dtypes: BTreeMap::from([("x".to_owned(), "bf16".to_owned())]),
            weight: Real::new(weight),
            seed: 1000 + rows.unsigned_abs(),
        };
        let timed = self.timed.iter().zip(1_i64..);
        let declared = timed.map(|(name, position)| case(name, CaseOrigin::Declared, position * 64, 1.0));
        let drawn =
            (0_i64..16).map(|draw| case(&format!("drawn-{draw}"), CaseOrigin::Drawn, 3 + 7 * draw, 0.0));
        declared.chain(drawn).collect()
    }

    fn run(&self, pair: Digest) -> Result<Run, Error> {
        let mut nonce = Digest::of_value(&(&self.started_at, &self.candidate, self.percent))?.to_string();
        nonce.truncate(32);
        let run = Run {
            id: Digest::of_bytes(b""),
            nonce,
            started_at: self.started_at.clone(),
            finished_at: self.started_at.replace(":00Z", ":59Z"),
            kforge: "0.1.0".to_owned(),
            protocol: 1,
            harness: Digest::of_bytes(b"harness"),
            experiment: Digest::of_bytes(b"experiment"),
            pair,
            candidates: 1,
            confirmation: self.confirmation,
            base: None,
        };
        run.identified()
    }

    fn clock(&self) -> Vec<ClockCheck> {
        let one = |case: &String, side: &str| ClockCheck {
            case: case.clone(),
            side: side.to_owned(),
            runs: 100,
            wall_short_ns: 1_000_000,
            wall_long_ns: 4_030_000,
            reported_delta_ns: 3_000_000,
            allowed: Real::new(0.1),
            agrees: true,
        };
        let sides = |case| ["baseline", self.candidate.as_str()].map(|side| one(case, side));
        self.timed.iter().flat_map(sides).collect()
    }

    fn floor(&self) -> Vec<FloorCheck> {
        let limit = |position| match position {
            0 => FloorStatus::Checked {
                bytes: 1_000_000,
                flops: 2_000_000,
                peak_bytes_per_s: Real::new(1e12),
                peak_flops: Real::new(1e13),
            },
            _ => FloorStatus::NotChecked { why: "no [work] in the experiment".to_owned() },
        };
        let timed = self.timed.iter().enumerate();
        timed.map(|(position, case)| FloorCheck { case: case.clone(), limit: limit(position) }).collect()
    }

    fn series(&self, case: &str, launch: u64) -> Series {
        const ORDERS: [BlockOrder; 6] = [
            BlockOrder::Apb,
            BlockOrder::Bpa,
            BlockOrder::Pab,
            BlockOrder::Abp,
            BlockOrder::Pba,
            BlockOrder::Bap,
        ];
        // Cases differ a little, so that their weights matter.
        let place = self.timed.iter().position(|name| name == case).unwrap_or(0) as u64;
        let blocks = || (0..u64::from(self.blocks)).map(move |block| launch * 31 + block * 17);
        let column =
            |scale: u64, step: u64| blocks().map(|at| scale + at * step % 97 * 40).collect::<Vec<u64>>();
        Series {
            case: case.to_owned(),
            runs: 4,
            order: blocks().zip(ORDERS.iter().cycle()).map(|(_, order)| *order).collect(),
            a: column(8_000_000, 37),
            a_prime: column(8_000_000, 53),
            b: column(80_000 * self.percent - 800 * self.percent.min(place * 20), 29),
            dropped: Vec::new(),
        }
    }
}

fn side(op: &str, name: &str, files: &[(String, Vec<u8>)]) -> Result<Side, Error> {
    let entries = files
        .iter()
        .map(|(path, bytes)| SubjectEntry {
            path: path.clone(),
            mode: "100644".to_owned(),
            blob: BlobId::of_bytes(ObjectFormat::Sha1, bytes),
        })
        .collect();
    let subject = Subject::new(op, name, "cpu", "worktree", None, entries)?;
    let artifact = |path: &str| Artifact {
        path: path.to_owned(),
        blake3: Digest::of_bytes(subject.id.bytes()),
        bytes: 16_384,
    };
    let build = Build {
        id: Digest::of_bytes(b""),
        subject: subject.id,
        command: Some("make".to_owned()),
        runner: "./runner".to_owned(),
        flags: vec!["-O2".to_owned()],
        toolchain: vec![Tool { name: "cc".to_owned(), version: "cc 12.2.0".to_owned() }],
        artifacts: vec![artifact("runner")],
        inputs: vec![artifact("/usr/include/math.h")],
        code_objects: Vec::new(),
        autotune: Vec::new(),
        build_ns: Some(1_200_000_000),
        startup_ns: Some(3_000_000),
        warm_ns: Some(40_000_000),
    };
    Ok(Side { subject, build: Some(build.identified()?), failure: None })
}

fn environment() -> Result<Environment, Error> {
    let environment = Environment {
        id: Digest::of_bytes(b""),
        device: Device {
            kind: "cpu".to_owned(),
            name: "Example CPU".to_owned(),
            arch: "x86_64".to_owned(),
            facts: BTreeMap::from([("l3_bytes".to_owned(), "33554432".to_owned())]),
        },
        kernel: "6.1.0".to_owned(),
        governor: Some("performance".to_owned()),
        prefix: None,
        variables: Digest::of_bytes(b"variables"),
        load_before_milli: Some(120),
        load_after_milli: Some(900),
        observations: BTreeMap::new(),
    };
    environment.identified()
}

fn check(case: &Case, side: &str, built: &Side, wrong: bool) -> Check {
    let (got, expected) = if wrong { (1.75, 0.5) } else { (0.501, 0.5) };
    let error: f64 = got - expected;
    let passed = !wrong;
    let output = CheckedOutput {
        name: "y".to_owned(),
        dtype: "bf16".to_owned(),
        dtype_got: "bf16".to_owned(),
        shape: vec![64, 128],
        shape_got: vec![64, 128],
        compared: 64 * 128,
        mismatches: u64::from(wrong),
        max_abs: Real::new(error.abs()),
        max_rel: Real::new(error.abs() / 0.5),
        max_ulp: Some(3),
        worst: Some(Worst { index: vec![63, 127], got: Real::new(got), expected: Real::new(expected) }),
        nan_differs: 0,
        inf_differs: 0,
        poison_survivors: 0,
        tolerance: Tolerance {
            abs: Real::new(0.01),
            rel: Real::new(0.02),
            max_ulp: None,
            mismatch_share: Real::new(0.0),
            outlier: Some(Real::new(16.0)),
        },
        max_excess: Some(Real::new(error.abs() / (0.01 + 0.02 * 0.5))),
        profile: Some(ToleranceProfile {
            name: "dot".to_owned(),
            reduction: Some(128),
            magnitude: Real::new(1.0),
            beside: Real::new(8.0),
        }),
        passed,
    };
    let input = CheckedInput {
        name: "x".to_owned(),
        inout: false,
        before: Digest::of_bytes(case.name.as_bytes()),
        after: Digest::of_bytes(case.name.as_bytes()),
    };
    Check {
        case: case.name.clone(),
        side: side.to_owned(),
        build: built.build.as_ref().map_or(Digest::of_bytes(b""), |build| build.id),
        phase: "before".to_owned(),
        seed: case.seed,
        outputs: vec![output],
        inputs: vec![input],
        passed,
    }
}
