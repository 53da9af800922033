//! Runs two commands in pairs until the judge has an answer.
//!
//! A block is A, A again and B, each a process of its own, in random order. Because nothing of a process outlives its block, one block
//! is what a launch is to an experiment. Invariant: nothing is timed before `--check` ended well for both sides, where there is one.

use super::answer::{CommandAnswer, MetricAnswer, PairBlock, Response};
use super::command::{Bench, Done};
use super::metric::{Metric, Reading};
use super::request::Request;
use super::tally::Tally;
use crate::validate::answer::reason;
use crate::validate::place::Surroundings;
use crate::validate::run::{Wish, probe};
use crate::validate::scratch::Scratch;
use crate::{Error, Note, Observer, Progress};
use kforge_experiment::{Entropy, MonotonicClock, Relay, Repository, SystemEntropy};
use kforge_record::{LoosenedValue, Policy};
use kforge_stats::{Block, Decision, Judge, JudgePolicy, Judgement, Verdict};
use std::cell::RefCell;

/// The orders of a block: 0 is A, 1 is A again, 2 is B.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
const NAMES: [&str; 3] = ["a", "a2", "b"];

/// Compares two commands.
///
/// # Errors
/// Where the request contradicts itself, A does not work, or either prints no number; B that fails is an answer.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let metric = Metric::new(&request.metric)?;
    let folder =
        request.folder.canonicalize().map_err(|source| Error::Io { path: request.folder.clone(), source })?;
    let root = Repository::around(&folder)?.root;
    let settings = Surroundings::read(&root)?;
    let plan = Plan::of(&settings.policy, request.runs)?;
    let place = settings.place(request.place.as_deref(), &request.maps, &root)?;
    if place.inside(&folder).is_none() {
        return Err(Error::Usage {
            message: format!("{} is not visible behind the prefix", folder.display()),
            hint: Some("run it in a mapped folder, or map this one with --map HOST:INSIDE".to_owned()),
        });
    }
    let scratch = Scratch::make(&place.scratch_parent())?;
    if place.is_elsewhere() {
        probe(&place, scratch.path())?;
    }
    let relay = Relay::start(&place, scratch.path())
        .map_err(|source| Error::Io { path: scratch.path().to_owned(), source })?;
    let (clock, wish, notes) = (MonotonicClock::starting_now(), Wish(observer), RefCell::new(Vec::new()));
    let bench = Bench {
        place: &place,
        relay: &relay,
        folder: &folder,
        scratch: scratch.path(),
        clock: &clock,
        interrupt: &wish,
        deadline: request.deadline,
        notes: &notes,
    };
    let tally = Tally::new(request.higher_is_better);
    let series = [Vec::new(), Vec::new()];
    let mut pairs = Pairs {
        request,
        bench,
        metric,
        tally,
        observer,
        values: series,
        walls: [Vec::new(), Vec::new()],
        blocks: Vec::new(),
    };
    let outcome = pairs.compare(&plan)?;
    let Pairs { tally, values, walls, blocks, .. } = pairs;
    let (verdict, measured, log) = match outcome {
        Outcome::Judged(judgement) => (judgement.verdict, judgement.overall, String::new()),
        Outcome::Wrong { mismatch, log } => (Verdict::Incorrect { mismatch }, None, log),
    };
    let [a_values, b_values] = values;
    let [a_walls, b_walls] = walls;
    let command = |command: &str, values: Vec<f64>, walls: Vec<i64>| CommandAnswer {
        command: command.to_owned(),
        median: median(values),
        wall_ns: median(walls.into_iter().map(|ns| ns as f64).collect()).map(|ns| ns.round() as i64),
    };
    let mut all = notes.into_inner();
    all.extend(too_coarse(&tally, plan.judge.policy().min_effect));
    all.extend(said(request));
    Ok(Response {
        timing: "self-timed",
        recorded: false,
        a: command(&request.a, a_values, a_walls),
        b: command(&request.b, b_values, b_walls),
        metric: MetricAnswer {
            regex: request.metric.clone(),
            unit: tally.is_time().map(|is_time| if is_time { "ns" } else { "as printed" }),
            better: if request.higher_is_better { "higher" } else { "lower" },
        },
        check: request.check.clone(),
        prefix: place.is_elsewhere().then(|| place.prefix.join(" ")),
        reason: reason(&verdict),
        verdict,
        measured,
        blocks,
        loosened: plan.loosened,
        log,
        notes: all,
    })
}

/// What is to be said where a printed digit is worth more than the smallest difference that counts.
fn too_coarse(tally: &Tally, min_effect: f64) -> Option<Note> {
    let coarse = tally.coarseness().filter(|coarse| *coarse > min_effect)?;
    let text = format!(
        "a printed digit is worth up to {:.1} % of the number, and the smallest difference that counts is {:.1} %: print more digits",
        100.0 * coarse,
        100.0 * min_effect
    );
    Some(Note::new("validate.coarse-metric", text))
}

/// What every answer of this kind has to say.
fn said(request: &Request) -> Vec<Note> {
    let recorded = Note::new(
        "validate.self-timed",
        "not recorded: self-timed; the commands measured themselves, and no commit can rest on it",
    );
    let unchecked = request.check.is_none().then(|| {
        Note::new(
            "validate.unchecked",
            "neither side was checked: --check COMMAND says whether a side is right",
        )
    });
    std::iter::once(recorded).chain(unchecked).collect()
}

/// How the blocks are judged.
struct Plan {
    judge: Judge,
    to_a_launch: usize,
    most: usize,
    loosened: Vec<LoosenedValue>,
}

impl Plan {
    /// The project's thresholds, for at most so many blocks.
    fn of(policy: &Policy, runs: Option<u32>) -> Result<Self, Error> {
        let mut judged = policy.judge.clone();
        let (first, last) = (judged.looks.first().copied().unwrap_or(0), judged.last_look());
        let runs = runs.unwrap_or(last);
        if runs < first || runs > 10_000 {
            return Err(Error::Usage {
                message: format!("--runs {runs} is not between {first} and 10000"),
                hint: Some(format!("the judge looks first after {first} blocks of A, A again and B")),
            });
        }
        judged.looks.retain(|look| *look <= runs);
        if let Err(why) = judged.check()
            && policy.judge.check().is_ok()
        {
            return Err(Error::Usage {
                message: format!("--runs {runs} leaves too few blocks to judge: {why}"),
                hint: Some(format!("give --runs {last} or more, or leave it out")),
            });
        }
        let to_a_launch = (runs / last.max(1)).max(1);
        // Every block has fresh processes, so that one is a whole launch; and the commands average over their own clock, of which only
        // the printed digits are known: those are the tick, and the judge widens its intervals by them.
        judged.min_blocks = to_a_launch;
        judged.min_ticks = 1;
        let own = ["min_blocks", "min_ticks"];
        let looser: Vec<String> = policy.judge.loosened().into_iter().map(|loose| loose.name).collect();
        let loosened = policy.loosened().into_iter();
        let loosened =
            loosened.filter(|loose| looser.contains(&loose.name) && !own.contains(&loose.name.as_str()));
        let most = judged.last_look() as usize * to_a_launch as usize;
        Ok(Self {
            loosened: loosened.collect(),
            judge: judge(judged)?,
            to_a_launch: to_a_launch as usize,
            most,
        })
    }
}

fn judge(policy: JudgePolicy) -> Result<Judge, Error> {
    Ok(Judge::new(policy).map_err(kforge_experiment::Error::from)?)
}

enum Outcome {
    Judged(Box<Judgement>),
    /// B failed, or the check refused it.
    Wrong {
        mismatch: String,
        log: String,
    },
}

/// A run that went wrong on B's side.
struct Failed {
    mismatch: String,
    log: String,
}

/// The two commands at work.
struct Pairs<'a> {
    request: &'a Request,
    bench: Bench<'a>,
    metric: Metric,
    tally: Tally,
    observer: &'a dyn Observer,
    /// What A and B printed.
    values: [Vec<f64>; 2],
    /// How long they took from outside.
    walls: [Vec<i64>; 2],
    blocks: Vec<PairBlock>,
}

impl Pairs<'_> {
    /// Checks, tries each command once, then runs blocks until the judge has enough.
    fn compare(&mut self, plan: &Plan) -> Result<Outcome, Error> {
        let wrong = |failed: Failed| Outcome::Wrong { mismatch: failed.mismatch, log: failed.log };
        if let Err(failed) = self.check()? {
            return Ok(wrong(failed));
        }
        self.stage("trying both commands once");
        // What a first run has to load is not sampled.
        for which in [0, 2] {
            if let Err(failed) = self.one(which)? {
                return Ok(wrong(failed));
            }
        }
        self.stage("running pairs");
        loop {
            let (done, total) = (self.tally.len() as u64, Some(plan.most as u64));
            self.observer.progress(Progress::Step { done, total });
            if let Err(failed) = self.block()? {
                return Ok(wrong(failed));
            }
            if !self.tally.len().is_multiple_of(plan.to_a_launch) {
                continue;
            }
            let decision = plan.judge.look(&self.tally.samples(plan.to_a_launch));
            if let Decision::Stop { judgement } = decision.map_err(kforge_experiment::Error::from)? {
                return Ok(Outcome::Judged(judgement));
            }
        }
    }

    fn stage(&self, text: &str) {
        self.observer.progress(Progress::Stage(text.to_owned()));
    }

    /// Runs the check for both sides.
    fn check(&self) -> Result<Result<(), Failed>, Error> {
        let Some(check) = &self.request.check else { return Ok(Ok(())) };
        for side in ["a", "b"] {
            self.stage(&format!("checking {side}"));
            let env = [("KFORGE_SIDE".to_owned(), side.to_owned())];
            let done = self.bench.run("check", check, &env)?;
            let Some(what) = &done.failure else { continue };
            if side == "a" {
                return Err(Error::Command {
                    side: "a".to_owned(),
                    message: format!("the check `{check}` {what}"),
                    tail: done.tail(),
                });
            }
            return Ok(Err(Failed { mismatch: format!("b: the check {what}"), log: done.tail() }));
        }
        Ok(Ok(()))
    }

    /// One run: what was printed.
    fn one(&mut self, which: usize) -> Result<Result<(Reading, i64, i64), Failed>, Error> {
        let (side, command) = if which == 2 { ("b", &self.request.b) } else { ("a", &self.request.a) };
        let done = self.bench.run(side, command, &[])?;
        if let Some(what) = &done.failure {
            let (message, tail) = (format!("the command `{command}` {what}"), done.tail());
            if side == "a" {
                return Err(Error::Command { side: side.to_owned(), message, tail });
            }
            return Ok(Err(Failed { mismatch: format!("b: {message}"), log: tail }));
        }
        let refuse = |what: String, done: &Done| Error::Command {
            side: side.to_owned(),
            message: format!("the command `{command}` {what}"),
            tail: done.tail(),
        };
        let reading = self.metric.read(&done.output).map_err(|what| refuse(what, &done))?;
        let scaled = self.tally.scaled(&reading).map_err(|what| refuse(what, &done))?;
        Ok(Ok((reading, scaled, done.wall_ns)))
    }

    /// A, A again and B in random order.
    fn block(&mut self) -> Result<Result<(), Failed>, Error> {
        let number = SystemEntropy.seed() % ORDERS.len() as u64;
        let order = ORDERS.get(number as usize).copied().unwrap_or([0, 1, 2]);
        let (mut scaled, mut texts) = ([0_i64; 3], [const { String::new() }; 3]);
        let mut seen = Vec::new();
        for which in order {
            let (reading, value, wall) = match self.one(which)? {
                Ok(read) => read,
                Err(failed) => return Ok(Err(failed)),
            };
            if let (Some(slot), Some(text)) = (scaled.get_mut(which), texts.get_mut(which)) {
                *slot = value;
                *text = reading.text;
            }
            seen.push((usize::from(which == 2), reading.value, wall));
        }
        // Only whole blocks count.
        for (side, value, wall) in seen {
            if let (Some(values), Some(walls)) = (self.values.get_mut(side), self.walls.get_mut(side)) {
                values.push(value);
                walls.push(wall);
            }
        }
        let [first, second, candidate] = scaled;
        self.tally.push(Block::new(first, second, candidate));
        let [a, a2, b] = texts;
        let order: Vec<&str> = order.iter().filter_map(|which| NAMES.get(*which).copied()).collect();
        self.blocks.push(PairBlock { order: order.join(" "), a, a2, b });
        Ok(Ok(()))
    }
}

/// The median; the mean of the two middle ones where their number is even.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(*values.get(middle - 1)?, upper) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(runs: Option<u32>) -> Option<(Vec<u32>, usize, usize)> {
        let plan = Plan::of(&Policy::default(), runs).ok()?;
        Some((plan.judge.policy().looks.clone(), plan.to_a_launch, plan.most))
    }

    #[test]
    fn runs_bound_the_looks_and_then_the_blocks_of_a_launch() {
        assert_eq!(plan(None), Some((vec![8, 12, 16, 24], 1, 24)));
        assert_eq!(plan(Some(9)), Some((vec![8], 1, 8)));
        assert_eq!(plan(Some(16)), Some((vec![8, 12, 16], 1, 16)));
        assert_eq!(plan(Some(48)), Some((vec![8, 12, 16, 24], 2, 48)));
        assert_eq!((plan(Some(7)), plan(Some(0)), plan(Some(10_001))), (None, None, None));
    }

    #[test]
    fn a_looser_threshold_is_named_and_what_is_about_another_clock_is_not() {
        let mut policy = Policy::default();
        policy.set("min_effect", &serde_json::json!(0.002), Some("a guard")).unwrap();
        policy.set("min_ticks", &serde_json::json!(100), Some("coarse")).unwrap();
        let plan = Plan::of(&policy, None).unwrap();
        let named: Vec<&str> = plan.loosened.iter().map(|loose| loose.name.as_str()).collect();
        assert_eq!(named, ["min_effect"]);
    }
}
