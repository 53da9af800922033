//! Inputs: shapes as expressions, element types, and what they hold.

use super::document::{Extent, InputDoc, Text};
use super::locate::Source;
use crate::dtype::Dtype;
use crate::error::Error;
use crate::expression::{Expression, ExpressionError, Params};
use crate::fill::Distribution;
use crate::wording::number as shown;
use std::path::PathBuf;
use toml::Spanned;

/// What an input holds.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    /// Values of a distribution.
    Random(Distribution),
    /// One value.
    Constant(f64),
    /// Zeros; a scratch area.
    Nothing,
    /// `0..n` in random order along the last axis, each row its own.
    Permutation,
    /// A rising sequence from 0 to `total` along the last axis, as cumulative lengths are.
    Offsets {
        /// The last value.
        total: Expression,
    },
    /// Numbers of cache blocks, each below `blocks`, no block twice while they last.
    BlockTable {
        /// How many blocks there are.
        blocks: Expression,
    },
    /// Expert numbers of a top-k router: distinct along the last axis.
    TopkIds {
        /// How many experts there are.
        experts: Expression,
        /// 0: all alike; 1: expert number `e` is drawn with weight `1 / (e + 1)`.
        skew: f64,
    },
    /// A tensor of a .safetensors file.
    File {
        /// The file, relative to experiment.toml.
        path: PathBuf,
        /// The tensor's name in it.
        tensor: String,
    },
    /// A trusted command that writes the raw bytes to `$KFORGE_OUT`.
    Command(String),
}

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSpec {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<Expression>,
    /// Its element type, where a case does not say otherwise.
    pub dtype: Dtype,
    /// What it holds.
    pub kind: InputKind,
    /// The operation also writes it: it is restored before each run, and it is an output of the same name.
    pub inout: bool,
}

/// The extents of a shape for one case; at least one dimension, every extent at least 0.
pub(crate) fn extents(shape: &[Expression], params: &Params) -> Result<Vec<u64>, ExpressionError> {
    shape
        .iter()
        .map(|extent| {
            let value = extent.value(params)?;
            u64::try_from(value).map_err(|_| ExpressionError {
                message: format!("the extent `{}` is {value}", extent.text()),
                at: None,
            })
        })
        .collect()
}

pub(super) fn expression(source: &Source<'_>, extent: &Spanned<Extent>) -> Result<Expression, Error> {
    Expression::parse(&extent.get_ref().text())
        .map_err(|error| source.wrong(&extent.span(), error.to_string(), None))
}

pub(super) fn dtype(source: &Source<'_>, name: &Text) -> Result<Dtype, Error> {
    let text = name.get_ref();
    Dtype::named(text).ok_or_else(|| {
        let known: Vec<&str> = Dtype::ALL.iter().map(|dtype| dtype.name()).collect();
        let cure = format!("element types here: {}", known.join(", "));
        if Dtype::is_known_elsewhere(text) {
            source.unsupported(&name.span(), format!("element type `{text}`"), &cure)
        } else {
            source.wrong(&name.span(), format!("`{text}` is no element type"), cure)
        }
    })
}

pub(super) fn shape(source: &Source<'_>, extents: &[Spanned<Extent>]) -> Result<Vec<Expression>, Error> {
    extents.iter().map(|extent| expression(source, extent)).collect()
}

pub(super) fn input(source: &Source<'_>, name: &Text, doc: &Spanned<InputDoc>) -> Result<InputSpec, Error> {
    let span = doc.span();
    let doc = doc.get_ref();
    let dtype = dtype(source, &doc.dtype)?;
    let kind = kind(source, &span, doc, dtype)?;
    if doc.inout && doc.kind.get_ref() == "none" {
        return Err(source.wrong(
            &span,
            "an in-place operand needs contents",
            "choose another kind".to_owned(),
        ));
    }
    Ok(InputSpec {
        name: name.get_ref().clone(),
        shape: shape(source, &doc.shape)?,
        dtype,
        kind,
        inout: doc.inout,
    })
}

fn kind(
    source: &Source<'_>,
    span: &std::ops::Range<usize>,
    doc: &InputDoc,
    dtype: Dtype,
) -> Result<InputKind, Error> {
    let word = doc.kind.get_ref().as_str();
    let needs = |what: &str| source.wrong(span, format!("kind \"{word}\" needs `{what}`"), None);
    let whole = || {
        if dtype.is_float() {
            return Err(source.wrong(
                span,
                format!("kind \"{word}\" needs an integer element type"),
                "use i32 or i64".to_owned(),
            ));
        }
        Ok(())
    };
    match word {
        "random" => Ok(InputKind::Random(distribution(source, span, doc, dtype)?)),
        "constant" => Ok(InputKind::Constant(doc.value.ok_or_else(|| needs("value"))?.real())),
        "none" => Ok(InputKind::Nothing),
        "permutation" => whole().map(|()| InputKind::Permutation),
        "offsets" => {
            whole()?;
            let total = doc.total.as_ref().ok_or_else(|| needs("total"))?;
            Ok(InputKind::Offsets { total: expression(source, total)? })
        }
        "block_table" => {
            whole()?;
            let blocks = doc.blocks.as_ref().ok_or_else(|| needs("blocks"))?;
            Ok(InputKind::BlockTable { blocks: expression(source, blocks)? })
        }
        "topk_ids" => {
            whole()?;
            let experts = doc.experts.as_ref().ok_or_else(|| needs("experts"))?;
            let skew = doc.skew.as_ref().map_or(0.0, |skew| *skew.get_ref());
            if !(0.0..=4.0).contains(&skew) {
                return Err(source.wrong(span, format!("skew = {} is outside 0 to 4", shown(skew)), None));
            }
            Ok(InputKind::TopkIds { experts: expression(source, experts)?, skew })
        }
        "file" => {
            let path = doc.path.as_ref().ok_or_else(|| needs("path"))?;
            let tensor = doc.tensor.clone().ok_or_else(|| needs("tensor"))?;
            Ok(InputKind::File { path: PathBuf::from(path.get_ref()), tensor })
        }
        "command" => {
            Ok(InputKind::Command(doc.command.as_ref().ok_or_else(|| needs("command"))?.get_ref().clone()))
        }
        other => Err(source.wrong(
            &doc.kind.span(),
            format!("`{other}` is no kind of input"),
            "kinds: random, permutation, offsets, block_table, topk_ids, constant, none, file, command"
                .to_owned(),
        )),
    }
}

fn distribution(
    source: &Source<'_>,
    span: &std::ops::Range<usize>,
    doc: &InputDoc,
    dtype: Dtype,
) -> Result<Distribution, Error> {
    let default = if dtype.is_float() { "normal" } else { "integer" };
    let word = doc.distribution.as_ref().map_or(default, |text| text.get_ref().as_str());
    let ends = |low: f64, high: f64| {
        let low = doc.low.as_ref().map_or(low, |low| low.get_ref().real());
        let high = doc.high.as_ref().map_or(high, |high| high.get_ref().real());
        if low < high && low.is_finite() && high.is_finite() {
            Ok((low, high))
        } else {
            Err(source.wrong(span, format!("low = {} is not below high = {}", shown(low), shown(high)), None))
        }
    };
    match word {
        "uniform" if dtype.is_float() => {
            ends(-1.0, 1.0).map(|(low, high)| Distribution::Uniform { low, high })
        }
        "normal" if dtype.is_float() => {
            let (mean, std) = (doc.mean.unwrap_or(0.0), doc.std.unwrap_or(1.0));
            if mean.is_finite() && std.is_finite() && std > 0.0 {
                Ok(Distribution::Normal { mean, std })
            } else {
                Err(source.wrong(span, format!("std = {} is not a positive number", shown(std)), None))
            }
        }
        "integer" => {
            let (low, high) = ends(0.0, if dtype == Dtype::Bool { 2.0 } else { 100.0 })?;
            let widest = f64::from(u32::MAX);
            if low.fract() != 0.0
                || high.fract() != 0.0
                || high - low > widest
                || low.abs().max(high.abs()) > 9e15
            {
                return Err(source.wrong(span, "low and high are whole numbers at most 2^32 apart", None));
            }
            Ok(Distribution::Integer { low: low as i64, high: high as i64 })
        }
        "uniform" | "normal" => Err(source.wrong(
            span,
            format!("distribution \"{word}\" needs a floating-point element type"),
            "use \"integer\" with low and high".to_owned(),
        )),
        other => Err(source.wrong(
            span,
            format!("`{other}` is no distribution"),
            "distributions: uniform (low, high), normal (mean, std), integer (low, high)".to_owned(),
        )),
    }
}
