use crate::error::DomainError;

/// A centre with the right number of finite coordinates, or the origin if none is given.
pub(super) fn center_or_origin(
    what: &'static str,
    given: Option<Vec<f64>>,
    dimension: usize,
) -> Result<Vec<f64>, DomainError> {
    let Some(center) = given else { return Ok(vec![0.0; dimension]) };
    if center.len() != dimension {
        return Err(DomainError::WrongDimension { what, found: center.len(), expected: dimension });
    }
    match center.iter().find(|c| !c.is_finite()) {
        Some(value) => Err(DomainError::BadNumber {
            what: what.into(),
            value: *value,
            remedy: "give finite coordinates",
        }),
        None => Ok(center),
    }
}

/// Refuses a length that is not positive and finite.
pub(super) fn positive(what: &str, value: f64) -> Result<f64, DomainError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(DomainError::BadNumber { what: what.into(), value, remedy: "it must be a positive number" })
}
