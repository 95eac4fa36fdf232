use serde::Serialize;
use statrs::function::gamma::ln_gamma;

use super::distance::nearest_point;
use super::{BoundarySampling, Domain};
use crate::error::DomainError;
use crate::points::{Points, squared_distance};
use crate::random::{stream, tasks};

/// The most boundary points that are sampled where no number is given: their kernel matrix takes 128 MB.
const MOST_BY_DEFAULT: usize = 4_000;

/// The default number of boundary points where they are not placed by bandwidth and data: `8 d^2`, at least 200 and at
/// most 4,000.
///
/// ```
/// assert_eq!(steinbound::domain::default_boundary_count(2), 200);
/// assert_eq!(steinbound::domain::default_boundary_count(12), 1152);
/// assert_eq!(steinbound::domain::default_boundary_count(40), 4000);
/// ```
pub fn default_boundary_count(dimension: usize) -> usize {
    dimension.saturating_mul(dimension).saturating_mul(8).clamp(200, MOST_BY_DEFAULT)
}

/// The paper's lower bound on the distance `epsilon` at which `m` uniform points are dense in a boundary of
/// the given area: `(area / xi(d) (1 - 0.05^(1/m)))^(1/d)`, `xi(d)` being the volume of the unit ball.
///
/// For the paper's Figure 4. It is a necessary condition, not a sufficient one, and it compares an area with
/// a volume, so that it depends on units: to judge boundary points use the measured fill distance
/// ([`coverage`]) and the leak ([`Conditioned::leaks`](crate::stein::Conditioned::leaks)).
///
/// ```
/// use steinbound::domain::density_bound;
/// let circle = std::f64::consts::TAU;
/// assert!((density_bound(2, circle, 32) - 0.42277).abs() < 1e-5);
/// assert!(density_bound(2, circle, 64) < density_bound(2, circle, 32));
/// ```
pub fn density_bound(dimension: usize, area: f64, points: usize) -> f64 {
    let d = dimension as f64;
    let unit_ball = (0.5 * d * std::f64::consts::PI.ln() - ln_gamma(0.5 * d + 1.0)).exp();
    // 1 - 0.05^(1/m) without cancellation.
    let share = -(0.05f64.ln() / points as f64).exp_m1();
    (area / unit_ball * share).powf(1.0 / d)
}

/// How well a set of boundary points covers the boundary. A quantity that cannot be measured is `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Coverage {
    /// The number of boundary points.
    pub points: usize,
    /// The fill distance: the largest distance from the boundary to the nearest boundary point, measured at
    /// [`COVERAGE_PROBES`] places (fewer beyond 10,000 points).
    pub fill_distance: Option<f64>,
    /// The mean distance from a place on the boundary to the nearest boundary point.
    pub mean_gap: Option<f64>,
    /// The smallest distance between two boundary points; not measured beyond 10,000 points.
    pub closest_pair: Option<f64>,
}

/// The number of places on the boundary at which gaps are measured.
pub const COVERAGE_PROBES: usize = 4096;

/// The largest number of boundary points for which everything is measured in full: tens of millions of
/// distances.
const FULL_MEASURE: usize = 10_000;

/// Measures how well boundary points cover the boundary of a domain.
///
/// An unbounded boundary is measured over the extent of the boundary points themselves.
///
/// ```
/// use steinbound::Points;
/// use steinbound::domain::{Ball, coverage};
/// let disc = Ball::new(1.0)?.in_dimension(2);
/// let poles = Points::from_rows(&[[0.0, 1.0], [0.0, -1.0]])?;
/// let coverage = coverage(&disc, &poles)?;
/// assert!((coverage.fill_distance.unwrap() - 2.0f64.sqrt()).abs() < 0.01);
/// assert_eq!(coverage.closest_pair, Some(2.0));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn coverage(domain: &dyn Domain, boundary: &Points) -> Result<Coverage, DomainError> {
    if boundary.dimension() != domain.dimension() {
        return Err(DomainError::WrongDimension {
            what: "the set of boundary points",
            found: boundary.dimension(),
            expected: domain.dimension(),
        });
    }
    let probes = (COVERAGE_PROBES * FULL_MEASURE / boundary.len().max(FULL_MEASURE)).max(64);
    let sampling = BoundarySampling::new(probes).near(boundary);
    let probes = domain.sample_boundary(&sampling, &mut stream(0, tasks::COVERAGE))?;
    let gap = |x: &[f64]| nearest_point(x, boundary).map(|(square, _)| square.sqrt());
    let gaps: Vec<f64> = probes.rows().filter_map(gap).collect();
    let mut closest = f64::INFINITY;
    if boundary.len() <= FULL_MEASURE {
        for i in 0..boundary.len() {
            for j in 0..i {
                closest = closest.min(squared_distance(boundary.row(i), boundary.row(j)));
            }
        }
    }
    Ok(Coverage {
        points: boundary.len(),
        fill_distance: gaps.iter().copied().reduce(f64::max),
        mean_gap: (!gaps.is_empty()).then(|| gaps.iter().sum::<f64>() / gaps.len() as f64),
        closest_pair: closest.is_finite().then(|| closest.sqrt()),
    })
}
