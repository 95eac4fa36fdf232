//! The support of a model's density as part of the region.

use std::borrow::Cow;
use std::f64::consts::PI;
use std::sync::Arc;

use super::Estimator;
use crate::domain::{Cuboid, Domain, Intersection};
use crate::error::{Error, FitError};
use crate::model::{Model, ROUNDING, Support, check_turn};
use crate::points::Points;
use crate::warning::{Warning, WarningKind};

/// Settings in which the region ends where the density does.
pub(crate) struct Supported<'a> {
    pub(crate) estimator: Cow<'a, Estimator>,
    pub(crate) warning: Option<Warning>,
}

impl<'a> Supported<'a> {
    /// Refuses data outside the support of the model, and takes its limits for a part of the boundary.
    ///
    /// A density need not vanish there: an exponential one is largest at zero. Without a region the support is the
    /// region; boundary points of a region that is not known get the limits if there is one coordinate.
    pub(crate) fn new(
        estimator: &'a Estimator,
        data: &Points,
        model: &dyn Model,
    ) -> Result<Supported<'a>, Error> {
        let unchanged = |warning| Supported { estimator: Cow::Borrowed(estimator), warning };
        let supports = model.support();
        if supports.iter().all(|support| *support == Support::Line) {
            return Ok(unchanged(None));
        }
        let known = estimator.domain.as_ref().map(|domain| domain.bounds());
        let mut window = Vec::new();
        for (l, support) in supports.iter().enumerate() {
            check(data, model, l, *support)?;
            window.push(match support {
                Support::Circle => turn(data, model, l, known.as_ref().map(|bounds| bounds[l]))?,
                other => other.limits(),
            });
        }
        let is_finite = |(low, high): &(f64, f64)| low.is_finite() || high.is_finite();
        if !window.iter().any(is_finite) {
            return Ok(unchanged(None));
        }
        let Some(domain) = &estimator.domain else {
            return Ok(match &estimator.boundary {
                Some(boundary) if data.dimension() == 1 => with_limits(estimator, boundary, window[0])?,
                Some(_) => unchanged(Some(WarningKind::Boundary.warning(format!(
                    "the {} density need not vanish at the limits of its support, which are not among the boundary points; \
                     give the region instead, or boundary points there",
                    model.name()
                )))),
                None if estimator.method.uses().knows_boundary() => {
                    owned(Estimator { domain: Some(Arc::new(cuboid(&window)?)), ..estimator.clone() })
                }
                None if estimator.method.uses().kernel => unchanged(Some(WarningKind::Boundary.warning(format!(
                    "{} takes the density to vanish at the limits of its support, and a {} density need not; use a method \
                     that knows the boundary, such as efficient",
                    estimator.method.name(),
                    model.name()
                )))),
                None => unchanged(None),
            });
        };
        let sides = domain.bounds().into_iter().zip(&window);
        if sides.clone().all(|((low, high), (least, most))| low >= *least && high <= *most) {
            return Ok(unchanged(None));
        }
        let inside = inside(domain, data, window)?;
        Ok(owned(Estimator { domain: Some(inside), ..estimator.clone() }))
    }
}

fn owned<'a>(estimator: Estimator) -> Supported<'a> {
    Supported { estimator: Cow::Owned(estimator), warning: None }
}

fn cuboid(window: &[(f64, f64)]) -> Result<Cuboid, Error> {
    let (low, high) = window.iter().copied().unzip();
    Ok(Cuboid::new(low, high)?)
}

/// The part of a domain inside the limits. On the line it is an interval, if the domain is one.
fn inside(
    domain: &Arc<dyn Domain>,
    data: &Points,
    window: Vec<(f64, f64)>,
) -> Result<Arc<dyn Domain>, Error> {
    if data.dimension() == 1
        && let [section] = domain.sections(data.row(0), 0, window[0])[..]
    {
        return Ok(Arc::new(cuboid(&[(section.0.max(window[0].0), section.1.min(window[0].1))])?));
    }
    Ok(Arc::new(Intersection::new(vec![Arc::clone(domain), Arc::new(cuboid(&window)?)])?))
}

/// Boundary points on the line with those limits of the support that are not among them.
fn with_limits<'a>(
    estimator: &'a Estimator,
    boundary: &Points,
    (low, high): (f64, f64),
) -> Result<Supported<'a>, Error> {
    let is_new = |limit: &f64| limit.is_finite() && !boundary.values().contains(limit);
    let limits: Vec<f64> = [low, high].into_iter().filter(is_new).collect();
    let mut estimator = estimator.clone();
    if let Some(normals) = &estimator.boundary_normals {
        let all: Vec<f64> = normals.values().iter().copied().chain(limits.iter().map(|_| 1.0)).collect();
        estimator.boundary_normals = Some(Points::new(all, 1)?);
    }
    let all: Vec<f64> = boundary.values().iter().copied().chain(limits).collect();
    estimator.boundary = Some(Points::new(all, 1)?);
    Ok(owned(estimator))
}

/// Refuses values outside the support.
fn check(data: &Points, model: &dyn Model, l: usize, support: Support) -> Result<(), FitError> {
    let outside = |i: &usize| data.weight(*i) > 0.0 && !support.contains(data.row(*i)[l]);
    let Some(first) = (0..data.len()).find(outside) else { return Ok(()) };
    Err(FitError::OutsideSupport {
        model: model.name().to_string(),
        name: data.names()[l].clone(),
        support: support.to_string(),
        outside: (0..data.len()).filter(outside).count(),
        rows: data.len(),
        row: first + 1,
        value: data.row(first)[l],
    })
}

/// The limits of angles: none inside an arc, otherwise the turn on which the data are.
fn turn(data: &Points, model: &dyn Model, l: usize, arc: Option<(f64, f64)>) -> Result<(f64, f64), Error> {
    let check = |what, length| check_turn(model.name(), what, &data.names()[l], length);
    if let Some((low, high)) = arc {
        check("region", high - low)?;
        return Ok((f64::NEG_INFINITY, f64::INFINITY));
    }
    let (least, most) = data.bounds()[l];
    let turns = [(-PI, PI), (0.0, 2.0 * PI)];
    let holds = |(low, high): &(f64, f64)| *low - ROUNDING <= least && most <= *high + ROUNDING;
    if let Some((low, high)) = turns.into_iter().find(holds) {
        return Ok((low.min(least), high.max(most)));
    }
    check("range", most - least)?;
    let middle = 0.5 * (least + most);
    Ok((middle - PI, middle + PI))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ball;
    use crate::model::{ModelChoices, family};

    fn region(name: &str, data: &[[f64; 1]], estimator: Estimator) -> Result<Option<String>, Error> {
        let model = family(name).unwrap().build(1, &ModelChoices::default()).unwrap();
        let data = Points::from_rows(data).unwrap();
        let supported = Supported::new(&estimator, &data, model.as_ref())?;
        Ok(supported.estimator.domain.as_ref().map(|domain| domain.describe()))
    }

    #[test]
    fn the_region_ends_where_the_density_does() {
        let waits = [[0.5], [1.0], [0.2]];
        let with = |low, high| Estimator::efficient().domain(Arc::new(Cuboid::interval(low, high).unwrap()));
        let found = |estimator| region("gamma", &waits, estimator).unwrap();
        assert_eq!(found(Estimator::efficient()).unwrap(), "interval [0, inf]");
        assert_eq!(found(with(-1.0, 2.0)).unwrap(), "interval [0, 2]");
        assert_eq!(found(with(0.1, 2.0)).unwrap(), "interval [0.1, 2]");
        assert_eq!(found(Estimator::mle()), None);
        let share = region("beta", &[[0.5], [0.2]], with(0.1, f64::INFINITY)).unwrap();
        assert_eq!(share.unwrap(), "interval [0.1, 1]");
        let whole = region("student-t", &waits, with(-1.0, 2.0)).unwrap();
        assert_eq!(whole.unwrap(), "interval [-1, 2]");
    }

    #[test]
    fn limits_join_given_boundary_points() {
        let model = family("exponential").unwrap().build(1, &ModelChoices::default()).unwrap();
        let data = Points::from_rows(&[[0.5], [1.0]]).unwrap();
        let ends = Points::from_rows(&[[2.0]]).unwrap();
        let estimator = Estimator::efficient().boundary(ends);
        let supported = Supported::new(&estimator, &data, model.as_ref()).unwrap();
        assert_eq!(supported.estimator.boundary.as_ref().unwrap().values(), [2.0, 0.0]);
        // In the plane they cannot be added, which is said.
        let model = family("exponential").unwrap().build(2, &ModelChoices::default()).unwrap();
        let data = Points::from_rows(&[[0.5, 0.5], [1.0, 2.0]]).unwrap();
        let estimator = Estimator::efficient().boundary(Points::from_rows(&[[2.0, 1.0]]).unwrap());
        let warning = Supported::new(&estimator, &data, model.as_ref()).unwrap().warning.unwrap();
        assert!(warning.starts_with("the exponential density need not vanish"), "{warning}");
        // A disc across an edge is cut there.
        let disc = Arc::new(Ball::new(2.0).unwrap().in_dimension(2));
        let estimator = Estimator::efficient().domain(disc);
        let supported = Supported::new(&estimator, &data, model.as_ref()).unwrap();
        let domain = supported.estimator.domain.as_ref().unwrap();
        assert!(domain.contains(&[0.1, 0.1]) && !domain.contains(&[-0.1, 0.1]));
    }

    #[test]
    fn values_outside_the_support_are_refused() {
        let refusal =
            |name, data: &[[f64; 1]]| region(name, data, Estimator::efficient()).unwrap_err().to_string();
        let zero = refusal("gamma", &[[0.5], [0.0], [-1.0]]);
        assert!(zero.starts_with("2 of 3 values of x1 are not in the support of the gamma model, which is positive numbers; the first is 0 in row 2"), "{zero}");
        assert!(refusal("beta", &[[0.5], [1.5]]).contains("numbers between 0 and 1"));
        assert!(refusal("von-mises", &[[-3.0], [6.0]]).contains("range of x1 covers 9 radians"));
        let long = Estimator::efficient().domain(Arc::new(Cuboid::interval(0.0, 7.0).unwrap()));
        let error = region("von-mises", &[[0.5], [1.5]], long).unwrap_err().to_string();
        assert!(error.contains("region of x1 covers 7 radians"), "{error}");
    }

    #[test]
    fn angles_are_on_the_turn_of_the_data() {
        let turn = |data: &[[f64; 1]]| region("von-mises", data, Estimator::efficient()).unwrap().unwrap();
        assert!(turn(&[[-1.0], [2.0]]).starts_with("interval [-3.14159"));
        assert!(turn(&[[1.0], [6.0]]).starts_with("interval [0, 6.28"));
        assert!(turn(&[[7.0], [8.0]]).starts_with("interval [4.358"));
    }
}
