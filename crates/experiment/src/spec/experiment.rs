//! The whole experiment as the file states it.

use super::document::{CaseDoc, Document, Text, WorkDoc};
use super::domain::{Domain, domain};
use super::locate::{Source, nearest};
use super::output::{OutputSpec, output};
use super::side::{SideSpec, side};
use super::tensor::{InputSpec, dtype, expression, extents, input};
use super::tuning::{Tuning, tuning};
use crate::dtype::Dtype;
use crate::error::Error;
use crate::expression::{Expression, Params};
use crate::wording::number;
use kforge_record::Policy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// One case that is checked and timed.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseSpec {
    /// Unique in the experiment.
    pub name: String,
    /// Parameter values.
    pub params: Params,
    /// Element types that differ from the declared ones, by operand.
    pub dtypes: BTreeMap<String, Dtype>,
    /// Its share in the operation's mean, any positive scale.
    pub weight: f64,
}

/// How much the operation moves and computes, per call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes that must be read and written at least.
    pub bytes: Option<Expression>,
    /// Floating-point operations.
    pub flops: Option<Expression>,
}

/// experiment.toml, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The file.
    pub path: PathBuf,
    /// The operation.
    pub op: String,
    /// Baseline and candidates compute on a GPU.
    pub on_gpu: bool,
    /// The reference: higher precision, its own process.
    pub reference: SideSpec,
    /// The baseline.
    pub baseline: SideSpec,
    /// The candidates, by name.
    pub candidates: Vec<SideSpec>,
    /// The cases that are timed.
    pub cases: Vec<CaseSpec>,
    /// Where further cases are drawn from.
    pub domain: Domain,
    /// The inputs, by name.
    pub inputs: Vec<InputSpec>,
    /// The outputs, in the order of the file.
    pub outputs: Vec<OutputSpec>,
    /// How much the operation moves and computes.
    pub work: Work,
    /// Thresholds and amounts.
    pub tuning: Tuning,
}

/// How an operation may be called.
pub const OP_NAMES: &str = "use letters, digits and _ - ., at most 80, not beginning with . or -";

/// Whether sides, operands and cases may have this name: it becomes a file name, a column and a word of messages.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 80
        && !text.starts_with(['.', '-'])
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '='))
}

/// Whether an operation may have this name: it becomes a folder of the ledger and a word of command lines.
pub fn is_op_name(text: &str) -> bool {
    is_name(text) && !text.contains(['+', '='])
}

impl Experiment {
    /// Reads the text of an experiment.toml, over the thresholds of the project.
    ///
    /// # Errors
    /// [`Error::Spec`] or [`Error::Unsupported`] with the line, the fact and the cure.
    pub fn parse(path: &Path, text: &str, base: &Policy) -> Result<Self, Error> {
        let source = Source::new(path, text);
        let doc: Document = toml::from_str(text).map_err(|error| source.complaint(&error))?;
        if !is_op_name(doc.op.get_ref()) {
            return Err(source.wrong(
                &doc.op.span(),
                format!("`{}` cannot name an operation", doc.op.get_ref()),
                OP_NAMES.to_owned(),
            ));
        }
        let class = doc.class.as_ref().map_or("cpu", |class| class.get_ref().as_str());
        let mut candidates = Vec::new();
        for (candidate, side_doc) in &doc.candidate {
            name(&source, &candidate.span(), candidate.get_ref(), "candidate")?;
            if matches!(candidate.get_ref().as_str(), "reference" | "baseline") {
                return Err(source.wrong(
                    &candidate.span(),
                    "a candidate cannot be called reference or baseline",
                    None,
                ));
            }
            candidates.push(side(&source, candidate.get_ref(), class, side_doc)?);
        }
        let inputs = doc.inputs.iter().map(|(n, d)| input(&source, n, d)).collect::<Result<Vec<_>, _>>()?;
        // In the order of the file: it is the order in which a call returns them.
        let mut declared: Vec<_> = doc.outputs.iter().collect();
        declared.sort_by_key(|(name, _)| name.span().start);
        let outputs =
            declared.into_iter().map(|(n, d)| output(&source, n, d)).collect::<Result<Vec<_>, _>>()?;
        let mut experiment = Self {
            path: path.to_owned(),
            op: doc.op.get_ref().clone(),
            on_gpu: on_gpu(&source, doc.device.as_ref(), class)?,
            reference: side(&source, "reference", class, &doc.reference)?,
            baseline: side(&source, "baseline", class, &doc.baseline)?,
            candidates,
            cases: Vec::new(),
            domain: doc.domain.as_ref().map_or_else(|| Ok(Domain::default()), |d| domain(&source, d))?,
            inputs,
            outputs,
            work: work(&source, doc.work.as_ref())?,
            tuning: tuning(&source, base, doc.policy.as_ref())?,
        };
        experiment.check_operands(&source, &doc)?;
        experiment.check_mismatches(&source, &doc)?;
        for case_doc in &doc.case {
            let case = experiment.case(&source, case_doc)?;
            experiment.cases.push(case);
        }
        if experiment.cases.is_empty() {
            return Err(source.wrong(
                &(0..0),
                "there is no [[case]]",
                "add [[case]] with params = { … }".to_owned(),
            ));
        }
        experiment.check_domain(&source, &doc)?;
        Ok(experiment)
    }

    /// The element type of an operand in a case.
    pub fn dtype(&self, case: &CaseSpec, operand: &str, declared: Dtype) -> Dtype {
        case.dtypes.get(operand).copied().unwrap_or(declared)
    }

    fn check_operands(&self, source: &Source<'_>, doc: &Document) -> Result<(), Error> {
        if self.outputs.is_empty() {
            return Err(source.wrong(
                &(0..0),
                "there is no [outputs.NAME]",
                "declare what the operation writes".to_owned(),
            ));
        }
        for operand in doc.inputs.keys() {
            name(source, &operand.span(), operand.get_ref(), "input")?;
        }
        for operand in doc.outputs.keys() {
            name(source, &operand.span(), operand.get_ref(), "output")?;
        }
        for (operand, input_doc) in &doc.inputs {
            let twin = self.outputs.iter().find(|output| output.name == *operand.get_ref());
            let span = input_doc.span();
            match (input_doc.get_ref().inout, twin) {
                (true, None) => {
                    return Err(source.wrong(
                        &span,
                        format!("`{}` is inout and no output has its name", operand.get_ref()),
                        format!("add [outputs.{}] with the same shape and dtype", operand.get_ref()),
                    ));
                }
                (false, Some(_)) => {
                    return Err(source.wrong(
                        &span,
                        format!("`{}` is an input and an output", operand.get_ref()),
                        "say `inout = true` where the operation works in place, or rename one".to_owned(),
                    ));
                }
                _ => {}
            }
        }
        for pair in self.inputs.iter().filter(|input| input.inout) {
            let twin = self.outputs.iter().find(|output| output.name == pair.name);
            if twin.is_some_and(|twin| twin.shape != pair.shape || twin.dtype != pair.dtype) {
                let message =
                    format!("the in-place operand `{}` differs between inputs and outputs", pair.name);
                return Err(source.wrong(&(0..0), message, "give both the same shape and dtype".to_owned()));
            }
        }
        Ok(())
    }

    /// Where elements may mismatch there is a reason, and nowhere else.
    fn check_mismatches(&mut self, source: &Source<'_>, doc: &Document) -> Result<(), Error> {
        let loose = self.outputs.iter().find(|output| output.lets_mismatch());
        let Some(loose) = loose else {
            self.tuning.policy.reasons.remove("mismatch_share");
            return Ok(());
        };
        let reason = self.tuning.policy.reasons.get("mismatch_share");
        if reason.is_some_and(|reason| !reason.trim().is_empty()) {
            return Ok(());
        }
        let declared = doc.outputs.iter().find(|(name, _)| *name.get_ref() == loose.name);
        let span = declared.map_or(0..0, |(_, output)| output.span());
        let message = format!("a share of `{}` may mismatch, and nothing says why", loose.name);
        let cure = "add `reasons = { mismatch_share = \"…\" }` under [policy]; it is printed in every report";
        Err(source.wrong(&span, message, cure.to_owned()))
    }

    fn case(&self, source: &Source<'_>, doc: &Spanned<CaseDoc>) -> Result<CaseSpec, Error> {
        let span = doc.span();
        let doc = doc.get_ref();
        let given = match &doc.name {
            Some(text) => {
                name(source, &text.span(), text.get_ref(), "case")?;
                text.get_ref().clone()
            }
            None => case_name(&doc.params),
        };
        if self.cases.iter().any(|case| case.name == given) {
            return Err(source.wrong(
                &span,
                format!("case `{given}` occurs twice"),
                "give it another name".to_owned(),
            ));
        }
        let weight = doc.weight.as_ref().map_or(1.0, |weight| *weight.get_ref());
        if !(weight.is_finite() && weight > 0.0) {
            return Err(source.wrong(
                &span,
                format!("weight = {} is not a positive number", number(weight)),
                None,
            ));
        }
        let mut dtypes = BTreeMap::new();
        for (operand, text) in &doc.dtypes {
            let known: Vec<String> = self
                .inputs
                .iter()
                .map(|i| i.name.clone())
                .chain(self.outputs.iter().map(|o| o.name.clone()))
                .collect();
            if !known.contains(operand.get_ref()) {
                let cure = nearest(operand.get_ref(), &known).map(|near| format!("did you mean `{near}`?"));
                return Err(source.wrong(
                    &operand.span(),
                    format!("`{}` is no operand", operand.get_ref()),
                    cure,
                ));
            }
            dtypes.insert(operand.get_ref().clone(), dtype(source, text)?);
        }
        let case = CaseSpec { name: given, params: doc.params.clone(), dtypes, weight };
        self.check_shapes(&case.params)
            .map_err(|message| source.wrong(&span, format!("case `{}`: {message}", case.name), None))?;
        Ok(case)
    }

    /// Every expression has a value for these parameters.
    pub(crate) fn check_shapes(&self, params: &Params) -> Result<(), String> {
        let shapes = self
            .inputs
            .iter()
            .map(|i| (&i.name, &i.shape, i.dtype))
            .chain(self.outputs.iter().map(|o| (&o.name, &o.shape, o.dtype)));
        for (operand, shape, dtype) in shapes {
            let extents =
                extents(shape, params).map_err(|error| format!("the shape of `{operand}`: {error}"))?;
            let count = extents.iter().try_fold(1_u64, |product, extent| product.checked_mul(*extent));
            // 2^40 elements are beyond any memory this protocol serves; the bound keeps later products in 64 bits.
            if count.is_none_or(|count| count > 1 << 40) {
                return Err(format!("`{operand}` has more than 2^40 elements"));
            }
            if dtype == Dtype::F4E2m1 && extents.last().is_none_or(|last| last % 2 != 0) {
                return Err(format!("`{operand}` holds two elements a byte, and its last extent is odd"));
            }
        }
        for output in &self.outputs {
            let allowed = output.allowed(output.dtype, params);
            allowed.map_err(|error| format!("the tolerance of `{}`: {error}", output.name))?;
        }
        for (what, amount) in [("bytes", &self.work.bytes), ("flops", &self.work.flops)] {
            if let Some(amount) = amount {
                amount.value(params).map_err(|error| format!("work {what}: {error}"))?;
            }
        }
        Ok(())
    }

    fn check_domain(&self, source: &Source<'_>, doc: &Document) -> Result<(), Error> {
        let Some(domain) = &doc.domain else {
            if self.tuning.policy.measure.drawn_cases == 0 {
                return Ok(());
            }
            return Err(source.wrong(
                &(0..0),
                "there is no [domain], so no further cases can be drawn",
                "add [domain] with a range for each parameter, or `drawn_cases = 0` with a reason under [policy]".to_owned(),
            ));
        };
        for case in &self.cases {
            let same = case.params.keys().eq(self.domain.ranges.keys());
            if !same {
                let named: Vec<&str> = self.domain.ranges.keys().map(String::as_str).collect();
                return Err(source.wrong(
                    &domain.span(),
                    format!(
                        "the domain names {} and case `{}` has {}",
                        named.join(", "),
                        case.name,
                        case.params.keys().cloned().collect::<Vec<_>>().join(", ")
                    ),
                    "give every parameter of the cases a range, and no other".to_owned(),
                ));
            }
            if !self.domain.contains(&case.params) {
                return Err(source.wrong(
                    &domain.span(),
                    format!("case `{}` lies outside the domain", case.name),
                    "widen the domain: what is timed must also be drawable".to_owned(),
                ));
            }
        }
        Ok(())
    }
}

/// A case's name where none is given: its parameters.
pub(crate) fn case_name(params: &Params) -> String {
    if params.is_empty() {
        return "only".to_owned();
    }
    params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("-")
}

fn name(source: &Source<'_>, span: &std::ops::Range<usize>, text: &str, what: &str) -> Result<(), Error> {
    if is_name(text) {
        return Ok(());
    }
    Err(source.wrong(
        span,
        format!("`{text}` cannot name the {what}"),
        "use letters, digits and _ - . + =, at most 80".to_owned(),
    ))
}

/// Where the sides compute: as the file says, else by their class.
fn on_gpu(source: &Source<'_>, device: Option<&Text>, class: &str) -> Result<bool, Error> {
    match device.map(|device| device.get_ref().as_str()) {
        None => Ok(class != "cpu"),
        Some("gpu") => Ok(true),
        Some("cpu") => Ok(false),
        Some(other) => {
            let span = device.map_or(0..0, Spanned::span);
            Err(source.wrong(&span, format!("`{other}` is no device"), "write \"gpu\" or \"cpu\"".to_owned()))
        }
    }
}

fn work(source: &Source<'_>, doc: Option<&WorkDoc>) -> Result<Work, Error> {
    let Some(doc) = doc else { return Ok(Work::default()) };
    Ok(Work {
        bytes: doc.bytes.as_ref().map(|extent| expression(source, extent)).transpose()?,
        flops: doc.flops.as_ref().map(|extent| expression(source, extent)).transpose()?,
    })
}
