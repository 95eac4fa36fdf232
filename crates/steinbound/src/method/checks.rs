//! Checks of data and domain before anything is computed.

use rayon::prelude::*;

use super::{DistanceKind, Estimator};
use crate::domain::{contains_within, rounding_tolerance};
use crate::error::{Error, FitError};
use crate::model::Model;
use crate::points::{Points, column_variances};
use crate::text::{brief_point, echoed};
use crate::warning::{Warning, WarningKind};

/// The number of rows with positive weight, at least two.
pub(crate) fn check_rows(data: &Points) -> Result<usize, FitError> {
    let rows = (0..data.len()).filter(|i| data.weight(*i) > 0.0).count();
    if rows < 2 {
        return Err(FitError::TooFewRows { rows });
    }
    Ok(rows)
}

/// Refuses data from which the parameters of a model cannot be estimated.
pub(crate) fn check_estimable(data: &Points, model: &dyn Model) -> Result<(), FitError> {
    let rows = check_rows(data)?;
    let parameters = model.parameters();
    if parameters == 0 {
        return Err(FitError::NothingToFit);
    }
    if parameters >= rows {
        return Err(FitError::MoreParametersThanData { parameters, rows });
    }
    check_columns(data, &model.differentiated())
}

/// Refuses a constant coordinate among those in which a density is to be fitted.
fn check_columns(data: &Points, differentiated: &[usize]) -> Result<(), FitError> {
    for l in differentiated {
        let mut values = (0..data.len()).filter(|i| data.weight(*i) > 0.0).map(|i| data.row(i)[*l]);
        let first = values.next().unwrap_or(f64::NAN);
        if values.all(|value| value == first) {
            return Err(FitError::ConstantColumn { name: echoed(&data.names()[*l]), value: first });
        }
    }
    Ok(())
}

/// Spreads of coordinates that differ by more than this factor cannot share one bandwidth. In a square of
/// which one side was stretched, the first mean of a Gaussian with known covariance was off by 0.1 standard
/// errors at a factor of 3, by 2.5 at 10 and by 21 at 30 (on average over 12 samples of 1,000).
const UNEQUAL_SPREADS: f64 = 5.0;

/// Beyond this factor the error is larger than intervals can hold, and an estimate must not be trusted.
const INCOMPARABLE_SPREADS: f64 = 10.0;

/// Beyond this factor the squares of one coordinate's differences are below the rounding of the other's, so that no
/// distance between rows depends on it.
const INVISIBLE_SPREADS: f64 = 1e8;

/// Coordinates in very different units.
pub(crate) struct UnequalSpreads {
    pub(crate) warning: Warning,
    /// Whether they make an estimate useless.
    pub(crate) are_incomparable: bool,
}

/// What measures distances between rows, or from them to the boundary, across coordinates.
fn measure(estimator: &Estimator) -> Option<&'static str> {
    let uses = estimator.method.uses();
    let is_across = || uses.distance(estimator.distance, estimator.known_domain()) != DistanceKind::Axes;
    match uses.kernel {
        true => Some("bandwidth"),
        false => (uses.has_distance() && is_across()).then_some("distance to the boundary"),
    }
}

/// Warns of coordinates in very different units, for which one bandwidth is unsuitable: the kernel then
/// depends on one of them only, and boundary points along the others are too far apart. So it is with one distance
/// to the boundary. Refuses coordinates of which one is lost beside the other.
pub(crate) fn check_spreads(
    estimator: &Estimator,
    data: &Points,
    differentiated: &[usize],
) -> Result<Option<UnequalSpreads>, FitError> {
    let Some(measure) = measure(estimator) else { return Ok(None) };
    // Scaled coordinates need no check.
    if data.scales().iter().any(|scale| *scale != 1.0) {
        return Ok(None);
    }
    let variances = column_variances(data, &data.weights());
    let spread = |l: &&usize| variances[**l];
    let most = differentiated.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
    let least = differentiated.iter().min_by(|a, b| spread(a).total_cmp(&spread(b)));
    let (Some(most), Some(least)) = (most, least) else { return Ok(None) };
    let ratio = variances[*most].sqrt() / variances[*least].sqrt();
    if !(ratio.is_finite() && ratio > UNEQUAL_SPREADS) {
        return Ok(None);
    }
    let (most, least) = (data.names()[*most].clone(), data.names()[*least].clone());
    if ratio > INVISIBLE_SPREADS {
        // A constant column can have a variance that is rounding.
        check_columns(data, differentiated)?;
        return Err(FitError::InvisibleColumn { most, least, ratio });
    }
    let are_incomparable = ratio > INCOMPARABLE_SPREADS;
    let consequence = match are_incomparable {
        true => "do not use the estimate",
        false => "the estimate may be far off",
    };
    let ratio = if ratio < 1e6 { format!("{ratio:.0}") } else { format!("{ratio:.1e}") };
    let warning = WarningKind::Data.warning(format!(
        "{most} varies {ratio} times as much as {least}, and one {measure} serves both: {consequence}; give \
         the columns in units in which they vary alike, with boundary, domain and covariance in the same units"
    ));
    Ok(Some(UnequalSpreads { warning, are_incomparable }))
}

/// Points that one thread looks at between two looks at the interrupt.
const BLOCK: usize = 1_024;

/// Refuses data outside the domain, or warns if they are allowed.
pub(crate) fn check_domain(estimator: &Estimator, data: &Points) -> Result<Option<Warning>, Error> {
    let Some(domain) = &estimator.domain else {
        return Ok(None);
    };
    let (describe, rows) = (|| domain.describe(), data.len());
    if domain.dimension() != data.dimension() {
        let (dimension, data) = (domain.dimension(), data.dimension());
        return Err(FitError::DomainDimension { domain: describe(), dimension, data }.into());
    }
    let by_rounding = || rounding_tolerance(domain.as_ref(), &data.bounds());
    let tolerance = estimator.border_tolerance.unwrap_or_else(by_rounding);
    if tolerance == f64::INFINITY {
        return Ok(None);
    }
    let outside_of_block = |start: usize| {
        estimator.interrupt.check()?;
        let block = start..(start + BLOCK).min(rows);
        let points = &data.values()[start * data.dimension()..block.end * data.dimension()];
        let inside = domain.contains_all(&Points::new(points, data.dimension())?);
        // Few are not inside, and these may lie on the border but for rounding.
        let is_outside = |row: &usize| !contains_within(domain.as_ref(), data.row(*row), tolerance);
        let rest = block.zip(inside).filter(|(_, inside)| !inside).map(|(row, _)| row);
        Ok::<_, Error>(rest.filter(is_outside).collect())
    };
    let blocks = (0..rows).into_par_iter().step_by(BLOCK);
    let found: Vec<Vec<usize>> = blocks.map(outside_of_block).collect::<Result<_, _>>()?;
    let outside = found.iter().map(Vec::len).sum();
    let Some(first) = found.into_iter().flatten().next() else { return Ok(None) };
    if estimator.allow_outside {
        let domain = describe();
        let text = format!("{outside} of {rows} data points lie outside the {domain}; they were kept");
        return Ok(Some(WarningKind::Boundary.warning(text)));
    }
    let point = brief_point(data.row(first));
    Err(FitError::OutsideDomain { domain: describe(), outside, rows, first: first + 1, point }.into())
}
