//! Boundary points where data are, at a distance from each other that is a share of the bandwidth.

use rand::rngs::ChaCha8Rng;

use super::rays::exits;
use super::surroundings::Surroundings;
use super::thinning::{Candidates, runs};
use super::{BoundarySampling, BoundaryScheme, Domain, SAMPLE_LIMIT, from_rows};
use crate::error::DomainError;
use crate::points::Points;

/// Which boundary points to place. Distances are in bandwidths: each coordinate is divided by its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement<'a> {
    /// The bandwidth in each coordinate.
    pub(crate) widths: &'a [f64],
    /// The data.
    pub(crate) near: &'a Points<'a>,
    /// The distance between neighbouring points where data are near.
    pub(crate) spacing: f64,
    /// Boundary farther than this from all data gets no points.
    pub(crate) reach: f64,
    /// The largest number of points.
    pub(crate) most: usize,
}

/// Boundary points, and how far apart they are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    /// The points; none if no boundary is within reach.
    pub(crate) points: Points<'static>,
    /// The spacing where data are near: larger than the one asked for if that would take too many points.
    pub(crate) spacing: f64,
}

/// Within this distance from data, in bandwidths, points have the spacing asked for.
const DENSE: f64 = 1.5;

/// At the reach, and nowhere more, points are this many times as far apart.
const SPARSEST: f64 = 3.0;

/// The first number of candidates.
const FIRST: usize = 1 << 10;

/// If so few candidates are near data, others are sought from the data.
const FEW: usize = 64;

/// The number of candidates sought from the data, and of rows from which they are sought.
const SOUGHT: usize = 1 << 10;
const STARTS: usize = 1 << 11;

/// Places points on the boundary of a domain near data.
///
/// In the plane points are even along curves; in space each is at least about the spacing away from all
/// others, and everything within reach is near one of them. Where data are farther than [`DENSE`], points
/// grow sparser, up to [`SPARSEST`] times at the reach. In one dimension all boundary points are given,
/// whatever the reach.
///
/// # Complexity
///
/// One pass over the data, and some ten to fifty boundary points for each that is chosen; in more than three
/// coordinates two to four, each compared with all that are chosen.
pub(crate) fn place(
    domain: &dyn Domain,
    placement: &Placement,
    rng: &mut ChaCha8Rng,
) -> Result<Placed, DomainError> {
    placement.check(domain.dimension())?;
    let dimension = domain.dimension();
    let none = || Placed { points: Points::none(dimension), spacing: placement.spacing };
    let Some(around) = Surroundings::new(placement.near, placement.widths, rng) else { return Ok(none()) };
    let search = Search { domain, placement, around };
    if dimension == 1 {
        return search.ends(rng);
    }
    let (drawn, kept, spacing) = search.run(rng)?;
    if kept.is_empty() {
        return Ok(none());
    }
    let values = kept.iter().flat_map(|i| &drawn[i * dimension..(i + 1) * dimension]).copied().collect();
    Ok(Placed { points: from_rows(values, dimension, domain)?, spacing })
}

impl Placement<'_> {
    fn check(&self, dimension: usize) -> Result<(), DomainError> {
        let counts =
            [("the set of data", self.near.dimension()), ("the list of bandwidths", self.widths.len())];
        if let Some((what, found)) = counts.into_iter().find(|(_, found)| *found != dimension) {
            return Err(DomainError::WrongDimension { what, found, expected: dimension });
        }
        let widths = self.widths.iter().map(|width| ("a bandwidth", *width));
        let lengths = widths.chain([("the spacing", self.spacing), ("the reach", self.reach)]);
        for (what, value) in lengths {
            // Written so that a NaN is refused as well.
            let is_length = value > 0.0 && value < f64::INFINITY;
            if !is_length {
                let what = format!("{what} of boundary points");
                return Err(DomainError::BadNumber { what, value, remedy: "it must be a positive number" });
            }
        }
        if self.most == 0 { Err(DomainError::NoPoints) } else { Ok(()) }
    }

    /// By how much points are farther apart at this distance from data.
    fn sparseness(&self, distance: f64) -> f64 {
        // Not too suddenly if the reach is short.
        let growth = (SPARSEST - 1.0) / (self.reach - DENSE).max(1.0);
        (1.0 + growth * (distance - DENSE)).clamp(1.0, SPARSEST)
    }
}

/// A search for boundary points.
struct Search<'a> {
    domain: &'a dyn Domain,
    placement: &'a Placement<'a>,
    around: Surroundings,
}

impl Search<'_> {
    /// The lengths of the reach along each coordinate.
    fn margin(&self) -> Vec<f64> {
        self.placement.widths.iter().map(|width| width * self.placement.reach).collect()
    }

    /// All boundary points of the line, or those nearest to the data if they are too many.
    fn ends(&self, rng: &mut ChaCha8Rng) -> Result<Placed, DomainError> {
        let mut ends = self.draw(1, BoundaryScheme::Uniform, rng)?;
        if ends.len() > self.placement.most {
            let gap = |end: &f64| {
                let scaled = [end / self.placement.widths[0]];
                self.around.distance(&scaled, 0.0, f64::MAX.sqrt()).unwrap_or(f64::INFINITY)
            };
            ends.sort_by(|a, b| gap(a).total_cmp(&gap(b)));
            ends.truncate(self.placement.most);
            ends.sort_by(f64::total_cmp);
        }
        let points = if ends.is_empty() { Points::none(1) } else { from_rows(ends, 1, self.domain)? };
        Ok(Placed { points, spacing: self.placement.spacing })
    }

    /// Draws more and more candidates until there are many for each point that is chosen: the candidates near
    /// data as rows, the numbers of those chosen, and their spacing.
    fn run(&self, rng: &mut ChaCha8Rng) -> Result<(Vec<f64>, Vec<usize>, f64), DomainError> {
        let Placement { spacing, most, .. } = *self.placement;
        let dimension = self.domain.dimension();
        let mut scheme = if dimension == 2 { BoundaryScheme::Even } else { BoundaryScheme::Uniform };
        let mut count = if dimension > 3 { for_each(dimension, false).saturating_mul(most) } else { FIRST };
        let limit = SAMPLE_LIMIT / dimension;
        let mut before = 0;
        loop {
            let largest = match (dimension, scheme) {
                (_, BoundaryScheme::Even) => 1 << 17,
                (..=3, _) => 1 << 16,
                _ => 1 << 15,
            };
            count = count.min(limit).min(largest.max(4 * most));
            let drawn = match self.draw(count, scheme, rng) {
                Err(DomainError::NoSuchScheme { .. }) if scheme != BoundaryScheme::Uniform => {
                    scheme = BoundaryScheme::Uniform;
                    continue;
                }
                drawn => drawn?,
            };
            let is_ordered = scheme == BoundaryScheme::Even;
            let is_last = count >= largest.max(4 * most).min(limit);
            let (mut rows, mut candidates) = self.within_reach(drawn, is_ordered);
            if is_last && candidates.len() < FEW && self.may_be_near() {
                rows.extend(self.sought_from_data(rng));
                (rows, candidates) = self.within_reach(rows, false);
            }
            let (kept, reached) = candidates.chosen(spacing, most);
            let wanted = for_each(dimension, is_ordered).saturating_mul(kept.len());
            // Without an order, no more points on more candidates mean that there are few different ones.
            let is_settled = !is_ordered && !kept.is_empty() && kept.len() * 50 <= before * 51;
            if is_last || is_settled || (candidates.len() >= wanted && !kept.is_empty()) {
                return Ok((rows, kept, reached));
            }
            before = kept.len();
            let missing = 1.3 * wanted as f64 / candidates.len() as f64;
            let factor = if kept.is_empty() { 8.0 } else { missing.clamp(2.0, 16.0) };
            count = (factor * count as f64) as usize;
        }
    }

    /// Boundary points over the extent of the data and the reach; none if there is no boundary.
    fn draw(
        &self,
        count: usize,
        scheme: BoundaryScheme,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<f64>, DomainError> {
        let margin = self.margin();
        let sampling = BoundarySampling::new(count).scheme(scheme).near(&self.around.near);
        match self.domain.sample_boundary(&sampling.candidates(&margin), rng) {
            Ok(drawn) => Ok(drawn.values().to_vec()),
            Err(DomainError::NoBoundaryFound { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The boundary points within reach of data, as they are and as candidates.
    fn within_reach(&self, drawn: Vec<f64>, is_ordered: bool) -> (Vec<f64>, Candidates) {
        let Placement { widths, reach, .. } = *self.placement;
        let dimension = widths.len();
        let mut rows = Vec::new();
        let mut candidates = Candidates { dimension, ..Candidates::default() };
        let mut is_near = Vec::with_capacity(drawn.len() / dimension);
        let mut scaled = vec![0.0; dimension];
        for row in drawn.chunks_exact(dimension) {
            scaled.iter_mut().zip(row.iter().zip(widths)).for_each(|(s, (x, width))| *s = x / width);
            let distance = self.around.distance(&scaled, DENSE, reach);
            is_near.push(distance.is_some());
            if let Some(distance) = distance {
                rows.extend_from_slice(row);
                candidates.rows.extend_from_slice(&scaled);
                candidates.sparseness.push(self.placement.sparseness(distance));
            }
        }
        if is_ordered {
            candidates.runs = runs(&drawn, dimension, &is_near);
        }
        (rows, candidates)
    }

    /// Whether boundary can be within reach, as far as the domain's distances tell.
    fn may_be_near(&self) -> bool {
        if !self.domain.has_distance() {
            return true;
        }
        let dimension = self.domain.dimension();
        let widest = self.placement.widths.iter().fold(0.0f64, |a, b| a.max(*b));
        // Distances may be in another norm, in which they are up to this much longer.
        let longest = (dimension as f64).sqrt() * widest * self.placement.reach;
        let mut gradient = vec![0.0; dimension];
        self.starts().any(|x| self.domain.distance(x, &mut gradient) <= longest)
    }

    /// Some rows of the data.
    fn starts(&self) -> impl Iterator<Item = &[f64]> {
        self.around.near.rows().step_by(self.around.near.len().div_ceil(STARTS).max(1))
    }

    /// Boundary points where rays from data leave the domain: for small parts of a large boundary.
    fn sought_from_data(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let sides = self.around.near.bounds().into_iter().zip(self.margin());
        let window: Vec<(f64, f64)> =
            sides.map(|((low, high), margin)| (low - margin, high + margin)).collect();
        let inside = self.starts().filter(|x| self.domain.contains(x)).map(<[f64]>::to_vec);
        exits(|x| self.domain.contains(x), &window, &inside.collect::<Vec<_>>(), SOUGHT, rng)
    }
}

/// The number of candidates for each point that is chosen: random ones need more, because they leave gaps.
fn for_each(dimension: usize, is_ordered: bool) -> usize {
    match dimension {
        2 if is_ordered => 12,
        2 => 48,
        3 => 16,
        4 | 5 => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests;
