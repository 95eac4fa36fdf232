use serde::Serialize;

use super::distance::nearest_point;
use super::{BoundaryScheme, Domain};
use crate::error::DomainError;
use crate::points::Points;
use crate::simulate::stream;

/// How many boundary points are sampled when nobody says: `8 d^2`, at least 32.
///
/// ```
/// assert_eq!(steinbound::domain::default_boundary_count(2), 32);
/// assert_eq!(steinbound::domain::default_boundary_count(12), 1152);
/// ```
pub fn default_boundary_count(dimension: usize) -> usize {
    (8 * dimension * dimension).max(32)
}

/// How well a set of boundary points covers the boundary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// The number of boundary points.
    pub points: usize,
    /// The fill distance: how far the boundary gets from the nearest boundary point, measured at [`COVERAGE_PROBES`] places.
    pub fill_distance: Option<f64>,
    /// The mean distance from a place on the boundary to the nearest boundary point.
    pub mean_gap: Option<f64>,
    /// The smallest distance between two boundary points.
    pub closest_pair: Option<f64>,
}

/// Places on the boundary at which gaps are measured.
pub const COVERAGE_PROBES: usize = 4096;

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
    let scheme = BoundaryScheme::Uniform;
    let probes = domain.sample_boundary(COVERAGE_PROBES, scheme, Some(boundary), &mut stream(0, 1))?;
    let gaps: Vec<f64> = probes.rows().map(|x| nearest_point(x, boundary).0.sqrt()).collect();
    let mut closest = f64::INFINITY;
    for i in 0..boundary.len() {
        for j in 0..i {
            let pair = boundary.row(i).iter().zip(boundary.row(j));
            closest = closest.min(pair.map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
        }
    }
    Ok(Coverage {
        points: boundary.len(),
        fill_distance: gaps.iter().copied().reduce(f64::max),
        mean_gap: Some(gaps.iter().sum::<f64>() / gaps.len() as f64),
        closest_pair: closest.is_finite().then(|| closest.sqrt()),
    })
}
