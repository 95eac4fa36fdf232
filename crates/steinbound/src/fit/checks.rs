//! What must hold of data and domain before anything is computed.

use super::Estimator;
use crate::error::FitError;
use crate::points::Points;

/// The number of rows that count, at least two.
pub(super) fn check_rows(data: &Points) -> Result<usize, FitError> {
    let rows = (0..data.len()).filter(|i| data.weight(*i) > 0.0).count();
    if rows < 2 {
        return Err(FitError::TooFewRows { rows });
    }
    Ok(rows)
}

/// Refuses a constant coordinate among those in which a density is to be fitted.
pub(super) fn check_columns(data: &Points, differentiated: &[usize]) -> Result<(), FitError> {
    for l in differentiated {
        let mut values = (0..data.len()).filter(|i| data.weight(*i) > 0.0).map(|i| data.row(i)[*l]);
        let first = values.next().unwrap_or(f64::NAN);
        if values.all(|value| value == first) {
            return Err(FitError::ConstantColumn { name: data.names()[*l].clone(), value: first });
        }
    }
    Ok(())
}

/// Refuses data outside the domain, or gives a warning where they are allowed.
pub(super) fn check_domain(estimator: &Estimator, data: &Points) -> Result<Option<String>, FitError> {
    let Some(domain) = &estimator.domain else {
        return Ok(None);
    };
    if domain.dimension() != data.dimension() {
        return Err(FitError::DomainDimension {
            domain: domain.describe(),
            dimension: domain.dimension(),
            data: data.dimension(),
        });
    }
    let mut outside = (0..data.len()).filter(|i| !domain.contains(data.row(*i)));
    let Some(first) = outside.next() else {
        return Ok(None);
    };
    let (outside, rows) = (1 + outside.count(), data.len());
    if estimator.allow_outside {
        let domain = domain.describe();
        return Ok(Some(format!("{outside} of {rows} data points lie outside the {domain}; they were kept")));
    }
    Err(FitError::OutsideDomain {
        domain: domain.describe(),
        outside,
        rows,
        first: first + 1,
        point: format!("{:?}", data.row(first)),
    })
}
