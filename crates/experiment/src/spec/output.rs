//! Outputs: shape, element type, and what they may differ by.
//!
//! Invariant: a figure that the file states wins over the profile's; where the file names no profile, the default one holds.

use super::document::{OutputDoc, Text, ToleranceDoc};
use super::locate::{Source, nearest};
use super::tensor::{dtype, expression, shape};
use crate::dtype::Dtype;
use crate::error::Error;
use crate::expression::{Expression, ExpressionError, Params};
use crate::tolerance::{Profile, Sum};
use crate::wording::number as shown;
use kforge_record::{Real, Tolerance, ToleranceProfile};
use std::ops::Range;
use toml::Spanned;

/// One output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSpec {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<Expression>,
    /// Its element type, where a case does not say otherwise.
    pub dtype: Dtype,
    /// The profile that figures follow from.
    pub profile: Profile,
    /// Terms of the sum behind one element, where the profile asks.
    pub reduction: Option<Expression>,
    /// Typical size of one term.
    pub magnitude: f64,
    stated: Stated,
}

/// The figures that the file states.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stated {
    abs: Option<f64>,
    rel: Option<f64>,
    ulp: Option<u64>,
    share: Option<f64>,
    outlier: Option<f64>,
    /// Figures stated without a profile are filled up by the defaults of the declared type.
    of_declared: bool,
}

impl OutputSpec {
    /// What this output may differ by in a case where it has this element type, and what that follows from.
    ///
    /// # Errors
    /// Where the reduction has no value, or none of at least 1, for these parameters.
    pub fn allowed(
        &self,
        dtype: Dtype,
        params: &Params,
    ) -> Result<(Tolerance, ToleranceProfile), ExpressionError> {
        let reduction = self.reduction.as_ref().map(|expression| terms(expression, params)).transpose()?;
        let sum = Sum { terms: reduction.unwrap_or(1), magnitude: self.magnitude };
        let of = if self.stated.of_declared { self.dtype } else { dtype };
        let base = self.profile.tolerance(of, sum);
        let stated = |own: Option<f64>, base: Real| own.map_or(base, Real::new);
        let share = stated(self.stated.share, base.mismatch_share);
        let usual = self.profile.outlier(of).filter(|_| share.get() > 0.0);
        let tolerance = Tolerance {
            abs: stated(self.stated.abs, base.abs),
            rel: stated(self.stated.rel, base.rel),
            max_ulp: self.stated.ulp,
            mismatch_share: share,
            outlier: self.stated.outlier.or(usual).map(Real::new),
        };
        let profile = ToleranceProfile {
            name: self.profile.name.to_owned(),
            reduction,
            magnitude: Real::new(self.magnitude),
            beside: Real::new(self.profile.beside(dtype)),
        };
        Ok((tolerance, profile))
    }

    /// Whether elements may mismatch in some case, which needs a reason.
    pub(super) fn lets_mismatch(&self) -> bool {
        let share = self.stated.share.map(|share| share > 0.0);
        let of = |dtype| self.profile.tolerance(dtype, Sum::default()).mismatch_share.get() > 0.0;
        share.unwrap_or_else(|| Dtype::ALL.into_iter().any(of))
    }
}

fn terms(reduction: &Expression, params: &Params) -> Result<u64, ExpressionError> {
    let value = reduction.value(params)?;
    u64::try_from(value).ok().filter(|terms| *terms > 0).ok_or_else(|| ExpressionError {
        message: format!("the reduction `{}` is {value}", reduction.text()),
        at: None,
    })
}

pub(super) fn output(
    source: &Source<'_>,
    name: &Text,
    doc: &Spanned<OutputDoc>,
) -> Result<OutputSpec, Error> {
    let doc = doc.get_ref();
    let dtype = dtype(source, &doc.dtype)?;
    let profile = profile(source, doc, dtype)?;
    let mut stated = Stated::default();
    if let Some(tolerance) = &doc.tolerance {
        stated = self::stated(source, &tolerance.span(), tolerance.get_ref())?;
        stated.of_declared = doc.profile.is_none();
        if stated.ulp.is_some() && !dtype.is_float() {
            let message = format!("ulp is about rounding, and {} is exact", dtype.name());
            return Err(source.wrong(&tolerance.span(), message, "leave it out".to_owned()));
        }
    }
    Ok(OutputSpec {
        name: name.get_ref().clone(),
        shape: shape(source, &doc.shape)?,
        dtype,
        profile,
        reduction: doc.reduction.as_ref().map(|extent| expression(source, extent)).transpose()?,
        magnitude: doc.magnitude.as_ref().map_or(1.0, |magnitude| magnitude.get_ref().real()),
        stated,
    })
}

/// The named profile or the default one, with what it needs.
fn profile(source: &Source<'_>, doc: &OutputDoc, dtype: Dtype) -> Result<Profile, Error> {
    let Some(name) = &doc.profile else {
        let spans = doc.reduction.as_ref().map(Spanned::span);
        return match spans.or_else(|| doc.magnitude.as_ref().map(Spanned::span)) {
            None => Profile::usual(),
            Some(span) => {
                let message = "`reduction` and `magnitude` are for a tolerance profile, and none is named";
                Err(source.wrong(&span, message, format!("add profile = one of {}", names())))
            }
        };
    };
    let span = name.span();
    let Some(profile) = Profile::named(name.get_ref())? else {
        let known: Vec<String> = Profile::names().map(str::to_owned).collect();
        let near = nearest(name.get_ref(), &known)
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let message = format!("`{}` is no tolerance profile", name.get_ref());
        return Err(source.wrong(&span, message, format!("{near}profiles: {}", names())));
    };
    if !dtype.is_float() {
        let message = format!("profile `{}` is about rounding, and {} is exact", profile.name, dtype.name());
        return Err(source.wrong(&span, message, "leave it out".to_owned()));
    }
    if profile.needs_reduction && doc.reduction.is_none() {
        let message = format!("profile `{}` needs `reduction`", profile.name);
        let cure = "say how many terms the sum behind one element has, such as reduction = \"k\"";
        return Err(source.wrong(&span, message, cure.to_owned()));
    }
    if let Some(reduction) = doc.reduction.as_ref().filter(|_| !profile.needs_reduction) {
        let message = format!("profile `{}` has no use for `reduction`", profile.name);
        return Err(source.wrong(&reduction.span(), message, "leave it out".to_owned()));
    }
    if let Some(magnitude) = &doc.magnitude {
        let size = magnitude.get_ref().real();
        if !(size.is_finite() && size > 0.0) {
            let message = format!("magnitude = {} is not a positive number", shown(size));
            return Err(source.wrong(&magnitude.span(), message, None));
        }
    }
    Ok(profile)
}

fn names() -> String {
    Profile::names().collect::<Vec<_>>().join(", ")
}

fn stated(source: &Source<'_>, span: &Range<usize>, doc: &ToleranceDoc) -> Result<Stated, Error> {
    let checked = |name: &str, value: Option<f64>, least: f64, most: Option<f64>| {
        let Some(value) = value else { return Ok(None) };
        if value.is_finite() && value >= least && most.is_none_or(|most| value <= most) {
            return Ok(Some(value));
        }
        let bound = most.map_or_else(
            || format!("a finite number, {least} or above"),
            |most| format!("{least} to {most}"),
        );
        Err(source.wrong(span, format!("tolerance {name} = {} is not in range: {bound}", shown(value)), None))
    };
    Ok(Stated {
        abs: checked("abs", doc.abs, 0.0, None)?,
        rel: checked("rel", doc.rel, 0.0, Some(1.0))?,
        ulp: doc.ulp,
        share: checked("mismatch_share", doc.mismatch_share, 0.0, Some(0.5))?,
        outlier: checked("outlier", doc.outlier, 1.0, None)?,
        of_declared: false,
    })
}
