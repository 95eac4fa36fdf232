//! Domains: the regions in which data can be observed, one kind per file.
//!
//! A domain is a closed set: its boundary belongs to it. To add one, copy a sibling, run it through
//! [`conformance`], and list its [`Shape`] in [`SHAPES`], so that it can be used by name.
//!
//! | domain | set | distance |
//! |---|---|---|
//! | [`Ball`] | within a radius, in the norm 1, 2 or infinity | exact |
//! | [`Annulus`] | between two spheres | exact |
//! | [`Ellipse`] | within half-axes, turned in the plane | exact |
//! | [`Cylinder`] | within a radius of the last axis, between two ends | exact |
//! | [`Cuboid`] | between limits, which may be infinite | exact |
//! | [`HalfSpace`] | beyond a plane | exact |
//! | [`Polygon`] | enclosed by rings in the plane; [`contiguous_united_states`] is one | exact |
//! | [`LevelSet`] | where a formula is negative | none |
//! | [`Predicate`] | where a function of the user's says so, in a box | none |
//! | [`Complement`], [`Intersection`] | outside of a domain, inside of several | that of the parts |
//! | [`Union`] | inside of at least one of several | that of the parts, if they are apart |
//! | [`ResponseLimits`] | responses of a regression between limits | along the response |

mod annulus;
mod apart;
mod ball;
mod bisection;
mod border;
mod cells;
mod center;
mod complement;
pub mod conformance;
mod coverage;
mod crossing_normal;
mod cuboid;
mod cylinder;
mod dissolve;
mod distance;
mod edge_crossings;
mod edge_tree;
mod ellipse;
pub(crate) mod error;
mod extent;
mod gaps;
mod half_space;
mod intersection;
mod isolines;
mod level_set;
mod nearby_normals;
mod neighbours;
mod ordered;
mod placement;
mod polygon;
mod predicate;
mod projected;
mod rays;
mod repair;
mod response_limits;
mod rings;
mod shape;
mod slabs;
mod spanning_tree;
mod spread;
mod surroundings;
mod sweep;
mod thinning;
mod union;
mod us_border;

use std::fmt::Debug;

use rand::rngs::ChaCha8Rng;

pub use annulus::Annulus;
pub use ball::{Ball, Norm};
pub use border::{contains_near, contains_within, rounding_tolerance};
pub use complement::Complement;
pub use coverage::{COVERAGE_PROBES, Coverage, coverage, default_boundary_count, density_bound};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use distance::BoundaryDistance;
pub(crate) use distance::nearest_point;
pub use ellipse::Ellipse;
pub(crate) use gaps::{Gap, gaps};
pub use half_space::HalfSpace;
pub use intersection::Intersection;
pub use level_set::LevelSet;
pub(crate) use nearby_normals::nearby_normals;
pub(crate) use placement::{Placement, place};
pub use polygon::Polygon;
pub use predicate::{Membership, Predicate};
pub use repair::{LeftOutRing, RepairedRings, RepeatedRing, RingCrossing, RingSpike};
pub use response_limits::{Limit, ResponseLimits};
pub use shape::{Parameter, ParameterKind, SHAPES, Shape, ShapeArguments};
pub(crate) use spread::farthest_first;
pub use union::Union;
pub use us_border::contiguous_united_states;

use crate::compute::memory;
use crate::error::DomainError;
use crate::points::Points;
use bisection::crossing;
use crossing_normal::normal_by_crossings;

/// How boundary points are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BoundaryScheme {
    /// Uniform on the surface.
    #[default]
    Uniform,
    /// At even distances along the boundary, for curves in the plane only. Nothing is random: boxes start at
    /// the lower left corner and balls in the direction of the first axis, counter-clockwise; polygons start
    /// at their first vertex and continue from ring to ring.
    Even,
    /// Standard normal draws projected along rays from the centre, as in the paper's experiments: for the l2
    /// ball this is uniform, for others it favours the parts near the centre's axes.
    Radial,
}

/// The boundary points to sample.
///
/// ```
/// use steinbound::domain::{Ball, BoundarySampling, BoundaryScheme, Domain};
/// use steinbound::simulate::stream;
/// let disc = Ball::new(2.0)?.in_dimension(2);
/// let points = disc.sample_boundary(&BoundarySampling::new(10), &mut stream(0, 1))?;
/// assert_eq!(points.len(), 10);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BoundarySampling<'a> {
    /// The number of points.
    pub count: usize,
    /// How the points are placed.
    pub scheme: BoundaryScheme,
    /// An unbounded boundary is sampled over the extent of these points, enlarged by a quarter on each side.
    pub near: Option<&'a Points<'a>>,
    /// The lengths by which the extent is enlarged in each coordinate, instead of by a quarter. Then only the
    /// boundary within is needed, and candidates may be returned as they are found: not spread out, in other
    /// numbers, and evenly spaced only on each part.
    candidates_within: Option<&'a [f64]>,
}

impl<'a> BoundarySampling<'a> {
    /// `count` points, uniform on the surface.
    pub fn new(count: usize) -> BoundarySampling<'a> {
        BoundarySampling { count, scheme: BoundaryScheme::Uniform, near: None, candidates_within: None }
    }

    /// With another placement.
    pub fn scheme(mut self, scheme: BoundaryScheme) -> BoundarySampling<'a> {
        self.scheme = scheme;
        self
    }

    /// Near these points, if the boundary is unbounded.
    pub fn near(mut self, points: &'a Points<'a>) -> BoundarySampling<'a> {
        self.near = Some(points);
        self
    }

    /// Candidates for boundary points within the extent of the points near, enlarged by these lengths.
    fn candidates(mut self, margin: &'a [f64]) -> BoundarySampling<'a> {
        self.candidates_within = Some(margin);
        self
    }

    /// The lengths by which the extent of an unbounded boundary is enlarged, if not by a quarter. In many
    /// coordinates hardly anything of a box so enlarged would be near its middle.
    fn margin(&self) -> Option<&'a [f64]> {
        self.candidates_within.filter(|margin| margin.len() <= 3)
    }

    /// The extent of the points near, enlarged.
    fn extent_near(&self, domain: &dyn Domain) -> Result<Vec<(f64, f64)>, DomainError> {
        let extent = self.near_points(domain)?.bounds();
        Ok(match self.margin() {
            Some(margin) => extent.iter().zip(margin).map(|((a, b), by)| (a - by, b + by)).collect(),
            None => extent.into_iter().map(padded).collect(),
        })
    }

    /// The points near which an unbounded boundary is sampled.
    fn near_points(&self, domain: &dyn Domain) -> Result<&'a Points<'a>, DomainError> {
        match self.near {
            Some(near) if near.dimension() == domain.dimension() && !near.is_empty() => Ok(near),
            _ => Err(DomainError::Unbounded { domain: domain.describe() }),
        }
    }
}

/// A region in which observations can be made.
///
/// ```
/// use steinbound::domain::{Ball, Domain};
/// let disc = Ball::new(2.0)?.in_dimension(2);
/// assert!(disc.contains(&[1.0, 1.0]) && !disc.contains(&[2.0, 1.0]));
/// let mut gradient = [0.0; 2];
/// assert_eq!(disc.distance(&[1.5, 0.0], &mut gradient), 0.5);
/// assert_eq!(gradient, [-1.0, 0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Domain: Debug + Send + Sync {
    /// A description for messages, such as `l2 ball of radius 2`.
    fn describe(&self) -> String;

    /// The number of coordinates, `d`.
    fn dimension(&self) -> usize;

    /// Whether the point lies inside or on the boundary.
    fn contains(&self, x: &[f64]) -> bool;

    /// For each of the points, whether it lies inside or on the boundary.
    ///
    /// By default each is asked by itself.
    fn contains_all(&self, points: &Points) -> Vec<bool> {
        points.rows().map(|x| self.contains(x)).collect()
    }

    /// Whether the distance to the boundary can be computed. If not,
    /// [`distance_to_boundary`](Domain::distance_to_boundary) is never called, and methods use the distance
    /// to the nearest known boundary point instead.
    fn has_distance(&self) -> bool {
        true
    }

    /// The distance to the boundary from either side of it, and its gradient in `x`.
    ///
    /// If the nearest boundary point is not unique, the gradient is one of those possible, or zero at a
    /// centre of symmetry.
    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64;

    /// The distance from a point inside to the boundary, and its gradient in `x`.
    ///
    /// Outside the domain it is zero, with zero gradient: such points have no weight.
    fn distance(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        if !self.contains(x) {
            gradient.fill(0.0);
            return 0.0;
        }
        self.distance_to_boundary(x, gradient)
    }

    /// The intervals of coordinate `axis`, in order, in which `x` lies inside if only that coordinate is
    /// moved within `window`.
    ///
    /// By default they are found by testing [`SECTION_STEPS`] places and by bisection where membership
    /// changes: parts narrower than a step can be missed.
    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        // An infinite window is scanned up to a thousand times the point's own size; a section that reaches
        // that far is taken to be infinite.
        let far = 1e3 * (1.0 + x[axis].abs());
        let reach = (window.0.max(x[axis] - far), window.1.min(x[axis] + far));
        let mut sections = scanned_sections(|x| self.contains(x), x, axis, reach, SECTION_STEPS);
        for section in &mut sections {
            if section.0 == reach.0 {
                section.0 = window.0;
            }
            if section.1 == reach.1 {
                section.1 = window.1;
            }
        }
        sections
    }

    /// Values of a coordinate at which the sections along the others jump, as at the sides of a box:
    /// integrals are split there.
    fn breaks(&self, _axis: usize) -> Vec<f64> {
        Vec::new()
    }

    /// Writes a unit vector that is perpendicular to the boundary at a point of it; its sign does not matter.
    ///
    /// `false`, and nothing written, if the direction is not known there, as at some corners. Near the
    /// boundary, to rounding, counts as on it.
    ///
    /// By default it is that of the plane through nearby places where membership changes, a ten-thousandth or
    /// a millionth of the domain's extent away, found by bisection: about `200 d` tests of membership.
    ///
    /// ```
    /// use steinbound::domain::{Ball, Domain};
    /// let disc = Ball::new(2.0)?.in_dimension(2);
    /// let mut normal = [0.0; 2];
    /// assert!(disc.normal(&[0.0, -2.0], &mut normal));
    /// assert_eq!((normal[0].abs(), normal[1].abs()), (0.0, 1.0));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        normal_by_crossings(|x| self.contains(x), &self.bounds(), x, normal)
    }

    /// The [`normal`](Domain::normal) at each of some boundary points, where it is known.
    fn normals(&self, points: &Points) -> Vec<Option<Vec<f64>>> {
        let mut normal = vec![0.0; self.dimension()];
        points.rows().map(|x| self.normal(x, &mut normal).then(|| normal.clone())).collect()
    }

    /// Whether boundary points are found by a search that can miss small parts, or those far from the others.
    fn may_miss_parts(&self) -> bool {
        false
    }

    /// Points on the boundary. If the boundary is a finite set, all of it, whatever the count.
    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError>;

    /// The smallest box around the domain, as an interval for each coordinate; infinite where the domain is
    /// unbounded.
    fn bounds(&self) -> Vec<(f64, f64)>;

    /// The boundary of a domain in the plane as curves, for figures; closed curves end at their start. Empty
    /// in other dimensions.
    ///
    /// By default the window is searched cell by cell. The points found are on the boundary to the last bit,
    /// but parts smaller than a cell, a 150th of the window, can be missed.
    ///
    /// ```
    /// use steinbound::domain::{Ball, Domain};
    /// let disc = Ball::new(2.0)?.in_dimension(2);
    /// let curves = disc.outline([(-3.0, 3.0), (-3.0, 3.0)]);
    /// assert_eq!(curves.len(), 1);
    /// assert!(curves[0].iter().all(|x| (x[0].hypot(x[1]) - 2.0).abs() < 1e-12));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    fn outline(&self, window: [(f64, f64); 2]) -> Vec<Vec<[f64; 2]>> {
        if self.dimension() != 2 {
            return Vec::new();
        }
        let pair = |x: Vec<f64>| [x[0], x[1]];
        let curves = isolines::trace(|x| self.contains(x), window, OUTLINE_CELLS);
        curves.into_iter().map(|curve| curve.into_iter().map(pair).collect()).collect()
    }
}

/// The number of cells along each side of a window in which an outline is searched.
const OUTLINE_CELLS: usize = 150;

/// The largest number of values, points times coordinates, in one sample: two gigabytes.
pub const SAMPLE_LIMIT: usize = 1 << 28;

/// Refuses to sample zero points, or more than [`SAMPLE_LIMIT`] allows.
pub(crate) fn check_count(count: usize, dimension: usize) -> Result<(), DomainError> {
    if count == 0 {
        return Err(DomainError::NoPoints);
    }
    if count.saturating_mul(dimension) > SAMPLE_LIMIT {
        return Err(DomainError::TooManyPoints { count, limit: SAMPLE_LIMIT / dimension });
    }
    // The coordinates, a normal for each point, and the points in the order in which they were found.
    let bytes = 3 * (count * dimension * size_of::<f64>()) as u128;
    Ok(memory::check_memory(
        || format!("{count} points with {dimension} coordinates"),
        bytes,
        "ask for fewer points",
    )?)
}

/// The section of a domain around a point, along one coordinate; `None` for a point outside.
pub(crate) fn section_around(domain: &dyn Domain, x: &[f64], axis: usize) -> Option<(f64, f64)> {
    let sections = domain.sections(x, axis, (f64::NEG_INFINITY, f64::INFINITY));
    sections.into_iter().find(|(low, high)| *low <= x[axis] && x[axis] <= *high)
}

/// The number of places at which membership is tested along a line.
pub const SECTION_STEPS: usize = 128;

/// The part of an interval that lies in a window.
fn clipped((low, high): (f64, f64), window: (f64, f64)) -> Option<(f64, f64)> {
    let (low, high) = (low.max(window.0), high.min(window.1));
    (low <= high).then_some((low, high))
}

/// The intervals in which membership holds along a coordinate, by testing places at even steps and bisection.
pub(crate) fn scanned_sections(
    contains: impl Fn(&[f64]) -> bool,
    x: &[f64],
    axis: usize,
    (low, high): (f64, f64),
    steps: usize,
) -> Vec<(f64, f64)> {
    let at = |step: usize| {
        let mut place = x.to_vec();
        place[axis] = low + (high - low) * (step as f64 / steps as f64);
        place
    };
    let mut before = at(0);
    let mut sections = Vec::new();
    let mut start = contains(&before).then_some(low);
    for step in 1..=steps {
        let here = at(step);
        match (start, contains(&here)) {
            (None, true) => start = Some(crossing(&contains, &here, &before)[axis]),
            (Some(from), false) => {
                sections.push((from, crossing(&contains, &before, &here)[axis]));
                start = None;
            }
            _ => {}
        }
        before = here;
    }
    sections.extend(start.map(|from| (from, high)));
    sections
}

/// An interval enlarged by a quarter of its length on each side, or by one unit if it is a point.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let margin = if high > low { 0.25 * (high - low) } else { 1.0 };
    (low - margin, high + margin)
}

/// The error for a placement of boundary points that a domain does not have.
fn no_such_scheme(domain: &dyn Domain, scheme: BoundaryScheme) -> DomainError {
    let scheme = match scheme {
        BoundaryScheme::Uniform => "uniform sampling",
        BoundaryScheme::Even => "even spacing",
        BoundaryScheme::Radial => "radial projection",
    };
    DomainError::NoSuchScheme { domain: domain.describe(), scheme }
}

/// The box around a domain, infinite sides replaced by the padded extent of the points near.
fn sampling_window(domain: &dyn Domain, sampling: &BoundarySampling) -> Result<Vec<(f64, f64)>, DomainError> {
    let mut bounds = domain.bounds();
    // Bounds may be estimates: enlarge them to include the given points that lie inside.
    let near = sampling.near.filter(|near| near.dimension() == domain.dimension());
    for x in near.iter().flat_map(|near| near.rows()).filter(|x| domain.contains(x)) {
        for (bound, x) in bounds.iter_mut().zip(x) {
            let margin = 0.1 * (bound.1 - bound.0);
            if *x < bound.0 {
                bound.0 = x - margin;
            }
            if *x > bound.1 {
                bound.1 = x + margin;
            }
        }
    }
    if bounds.iter().all(|(a, b)| a.is_finite() && b.is_finite()) {
        return Ok(bounds);
    }
    let near = sampling.extent_near(domain)?;
    let clip = |((low, high), (below, above)): ((f64, f64), (f64, f64))| {
        let low = if low.is_finite() { low } else { below.min(high - 1.0) };
        (low, if high.is_finite() { high } else { above.max(low + 1.0) })
    };
    Ok(bounds.into_iter().zip(near).map(clip).collect())
}

/// Points made of values that are finite by construction.
fn from_rows(
    values: Vec<f64>,
    dimension: usize,
    domain: &dyn Domain,
) -> Result<Points<'static>, DomainError> {
    Points::new(values, dimension).map_err(|_| DomainError::Unbounded { domain: domain.describe() })
}
