//! The boundary as efficient Stein estimation takes it: points with normals, given or placed.

use serde::{Deserialize, Serialize};

use super::Preparation;
use super::leak::one_of_each;
use crate::compute::dot;
use crate::domain::{Placement, nearby_normals, place};
use crate::engine::PairKernel;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Directions, surface_weights};
use crate::warning::{Warning, WarningKind};

/// Where the normals of boundary points come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum NormalSource {
    /// They were given with the points.
    Given,
    /// From the region.
    Region,
    /// Estimated from neighbouring boundary points.
    Neighbours,
    /// There are none: every component of a test function is penalised.
    None,
}

/// The distance between boundary points near the data, in bandwidths.
const SPACING: f64 = 0.25;

/// Boundary farther from all data than this, in bandwidths, gets no points: the kernel there is below 1e-5.
const REACH: f64 = 5.0;

/// The width of a coordinate that the kernel does not see, in lengths of the data's extent.
const UNSEEN: f64 = 1e6;

/// The most boundary points that are placed.
pub(super) const MOST_PLACED: usize = 1_000;

/// The most boundary points on which an estimate is checked.
const MOST_FINE: usize = 16_000;

/// In more coordinates than this most data are near the boundary, however thick the region is.
const MOST_WITH_THICKNESS: usize = 3;

/// The share of the data whose distances to the boundary tell how dense they lie at it.
const NEAREST_SHARE: f64 = 0.1;

/// Thinner regions count as this thin, in bandwidths.
const THINNEST: f64 = 1e-4;

/// Points in one cell of this width, in bandwidths, count as one where their distances are measured.
const ONE_CELL: f64 = 0.02;

/// One point of each cell.
fn apart(points: &Points, widths: &[f64]) -> Result<Points<'static>, Error> {
    let cell = |x: &[f64]| -> Vec<i64> {
        x.iter().zip(widths).map(|(v, width)| (v / (ONE_CELL * width)).floor() as i64).collect()
    };
    Ok(Points::from_rows(&one_of_each(points, cell))?)
}

/// Boundary points with the directions in which flux is penalised.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) points: Points<'static>,
    pub(super) directions: Directions,
    pub(super) source: NormalSource,
    /// The distance between points near the data, in bandwidths, where they were placed.
    pub(super) spacing: Option<f64>,
}

impl Surface {
    /// The boundary points that were given or asked for, or else placed for this bandwidth.
    pub(super) fn new(preparation: &Preparation, widths: &[f64]) -> Result<Surface, Error> {
        if preparation.estimator.places_boundary()
            && let Some(surface) = Surface::placed(preparation, widths, SPACING, MOST_PLACED)?
        {
            let thickness = surface.thickness(preparation, widths);
            if thickness >= SPACING {
                return Ok(surface);
            }
            // Points that are close to each other are not repeated on the other side, where flux would be free.
            return Ok(Surface::placed(preparation, widths, thickness, MOST_PLACED)?.unwrap_or(surface));
        }
        let points = preparation.given_or_sampled()?;
        Ok(Surface::with_normals(preparation, points, widths, None))
    }

    /// Points placed at this spacing; `None` if no domain is known.
    pub(super) fn placed(
        preparation: &Preparation,
        widths: &[f64],
        spacing: f64,
        most: usize,
    ) -> Result<Option<Surface>, Error> {
        let Preparation { estimator, data, .. } = preparation;
        let Some(domain) = &estimator.domain else { return Ok(None) };
        // A coordinate that the kernel does not see is one in which all points are at the same place.
        let widths: Vec<f64> = widths
            .iter()
            .zip(data.bounds())
            .map(|(width, (low, high))| match width.is_finite() {
                true => *width,
                false => UNSEEN * (high - low).max(1.0),
            })
            .collect();
        let placement = Placement { widths: &widths, near: data, spacing, reach: REACH, most };
        let placed = place(domain.as_ref(), &placement, &mut stream(estimator.seed, tasks::BOUNDARY))?;
        Ok(Some(Surface::with_normals(preparation, placed.points, &widths, Some(placed.spacing))))
    }

    /// The usual distance between boundary points that were given, in bandwidths; zero for placed ones. Points close
    /// to each other count as one, or clusters of them would hide how far apart the clusters are.
    pub(super) fn gap(&self, kernel: &PairKernel) -> Result<f64, Error> {
        let seen = kernel.widths().iter().filter(|width| width.is_finite()).count();
        if self.spacing.is_some() || self.points.is_empty() || seen < 2 {
            return Ok(0.0);
        }
        let mut pieces = surface_weights(kernel, &apart(&self.points, kernel.widths())?)?;
        let middle = pieces.len() / 2;
        let (_, piece, _) = pieces.select_nth_unstable_by(middle, f64::total_cmp);
        Ok(piece.powf(1.0 / (seen as f64 - 1.0)))
    }

    /// About half the distance between the sides of a thin region, in bandwidths, where most of the data are: twice
    /// the usual distance of data to the boundary. Infinite in more than three coordinates, where most data are near
    /// the boundary, and for responses given covariates.
    pub(super) fn thickness(&self, preparation: &Preparation, widths: &[f64]) -> f64 {
        self.distance_of(preparation, widths, 0.5).map_or(f64::INFINITY, |usual| (2.0 * usual).max(THINNEST))
    }

    /// How dense the data lie at the boundary, `integral p^2 dS` in units of the bandwidth: at least the square of
    /// the density of distances to the boundary at zero, over the area of the surface (Cauchy-Schwarz). Zero where
    /// [`thickness`](Surface::thickness) is infinite.
    pub(super) fn density(&self, preparation: &Preparation, kernel: &PairKernel) -> Result<f64, Error> {
        let near = self.distance_of(preparation, kernel.widths(), NEAREST_SHARE);
        // No points are placed on a boundary that is out of reach.
        let Some(near) = near.filter(|_| !self.points.is_empty()) else {
            return Ok(0.0);
        };
        let area: f64 = surface_weights(kernel, &self.points)?.iter().sum();
        let at_zero = NEAREST_SHARE / near.max(f64::MIN_POSITIVE);
        Ok(at_zero * at_zero / area)
    }

    /// The distance to the boundary below which a share of the data lies, in bandwidths; `None` where it tells
    /// nothing of the region.
    fn distance_of(&self, preparation: &Preparation, widths: &[f64], share: f64) -> Option<f64> {
        let coordinates = preparation.model.differentiated().len();
        if !(2..=MOST_WITH_THICKNESS).contains(&coordinates) || coordinates < preparation.data.dimension() {
            return None;
        }
        let mut distances = self.distances(preparation, widths);
        let place = (share * distances.len() as f64) as usize;
        (place < distances.len()).then(|| *distances.select_nth_unstable_by(place, f64::total_cmp).1)
    }

    /// The distances of some data to the boundary, in bandwidths: those of the region, or else along the normal of
    /// the nearest boundary point.
    fn distances(&self, preparation: &Preparation, widths: &[f64]) -> Vec<f64> {
        let is_round = widths.iter().all(|width| *width == widths[0]);
        if let Some(distances) = preparation.region_distances().filter(|_| is_round) {
            return distances.iter().map(|distance| distance / widths[0]).collect();
        }
        let along_normal = |x: &[f64]| {
            let offset = |b: &[f64]| -> Vec<f64> {
                x.iter().zip(b).zip(widths).map(|((x, b), width)| (x - b) / width).collect()
            };
            let offsets = self.points.rows().map(offset).enumerate();
            let nearest = offsets.min_by(|(_, a), (_, b)| dot(a, a).total_cmp(&dot(b, b)));
            nearest.map_or(f64::INFINITY, |(i, offset)| match self.directions.is_known(i) {
                true => {
                    (0..offset.len()).map(|l| offset[l] * self.directions.normals[(i, l)]).sum::<f64>().abs()
                }
                false => dot(&offset, &offset).sqrt(),
            })
        };
        preparation.some_rows().map(along_normal).collect()
    }

    /// Says that no part of a known boundary is near enough to the data for a point there.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.points.is_empty().then(|| {
            WarningKind::Boundary.warning(
                "the boundary is so far from the data that it has no effect, as if the data were not truncated; check \
                 that region and data have the same columns and units, if that is not expected",
            )
        })
    }

    /// Twice as many points, where the region is known; `None` where these would be too many.
    pub(super) fn finer(&self, preparation: &Preparation, widths: &[f64]) -> Result<Option<Surface>, Error> {
        let most = 2 * self.points.len().max(MOST_PLACED);
        if most > MOST_FINE {
            return Ok(None);
        }
        let seen = widths.iter().filter(|width| width.is_finite()).count();
        let closer = 0.5f64.powf(1.0 / (seen.max(2) as f64 - 1.0));
        let spacing = self.spacing.map_or(SPACING, |spacing| closer * spacing);
        Surface::placed(preparation, widths, spacing, most)
    }

    fn with_normals(
        preparation: &Preparation,
        points: Points<'static>,
        widths: &[f64],
        spacing: Option<f64>,
    ) -> Surface {
        let estimator = preparation.estimator;
        let differentiated = preparation.model.differentiated();
        let coordinates = differentiated.len();
        let mut normals = Matrix::zeros(points.len(), coordinates);
        let mut write = |i: usize, normal: &[f64]| {
            // Lengths that cannot be squared are lengths, too.
            let most = differentiated.iter().map(|l| normal[*l].abs()).fold(0.0, f64::max);
            let part = |l: usize| normal[differentiated[l]] / most;
            let length = (0..coordinates).map(|l| part(l).powi(2)).sum::<f64>().sqrt();
            if length > 0.0 {
                (0..coordinates).for_each(|l| normals[(i, l)] = part(l) / length);
            }
        };
        let source = match (&estimator.boundary_normals, &estimator.domain) {
            (Some(given), _) if spacing.is_none() => {
                given.rows().enumerate().for_each(|(i, normal)| write(i, normal));
                NormalSource::Given
            }
            (_, Some(domain)) => {
                for (i, normal) in domain.normals(&points).into_iter().enumerate() {
                    normal.into_iter().for_each(|normal| write(i, &normal));
                }
                NormalSource::Region
            }
            _ if points.dimension() == coordinates => {
                for (i, normal) in nearby_normals(&points, widths).into_iter().enumerate() {
                    normal.into_iter().for_each(|normal| write(i, &normal));
                }
                NormalSource::Neighbours
            }
            _ => NormalSource::None,
        };
        let directions = Directions { normals };
        let source = if directions.known() == 0 { NormalSource::None } else { source };
        Surface { points, directions, source, spacing }
    }
}
