//! The boundary as efficient Stein estimation takes it: points with normals, given or placed.

use serde::{Deserialize, Serialize};

use super::Preparation;
use super::leak::one_of_each;
use crate::domain::{Placement, nearby_normals, place};
use crate::engine::PairKernel;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Directions, surface_weights};

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
const MOST_PLACED: usize = 1_000;

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
            return Ok(surface);
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

    /// Twice as many points, where the region is known.
    pub(super) fn finer(&self, preparation: &Preparation, widths: &[f64]) -> Result<Option<Surface>, Error> {
        let seen = widths.iter().filter(|width| width.is_finite()).count();
        let closer = 0.5f64.powf(1.0 / (seen.max(2) as f64 - 1.0));
        let spacing = self.spacing.map_or(SPACING, |spacing| closer * spacing);
        Surface::placed(preparation, widths, spacing, 2 * self.points.len().max(MOST_PLACED))
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
