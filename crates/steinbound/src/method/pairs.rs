//! The choice of the form that holds the pairs of a problem.

use std::sync::Arc;

use super::{AUTO_EXACT_LIMIT, Compute, Estimator};
use crate::engine::{PairKernel, Storage};
use crate::error::{Error, KernelError};
use crate::model::Model;
use crate::points::Points;
use crate::stein::{Conditioned, Landmarks, LowRank, MOST_LANDMARKS, Radial, SteinForm, dense_bytes, widths};
use crate::warning::{Warning, WarningKind};

/// Up to this many points the pairs are stored (1 MB), in case they are needed again.
const DENSE_LIMIT: usize = 500;

/// Up to this many points the pairs are stored for a search (16 MB), which passes over them many times.
const SEARCH_DENSE_LIMIT: usize = 2_000;

/// Beyond this many points exact pairs take too long: about half a minute for each pass on two cores.
pub(super) const EXACT_LIMIT: usize = 300_000;

/// A search passes over the pairs dozens of times.
const EXACT_LIMIT_OF_SEARCH: usize = 50_000;

/// A conditioned kernel at the data, and the form that holds it.
pub(crate) struct Held {
    /// The kernel itself.
    pub(super) exact: Arc<Conditioned>,
    /// Its low-rank approximation, if the form is of low rank.
    landmarks: Option<Arc<Landmarks>>,
    /// The reason for this form.
    pub(super) reason: String,
    /// A warning for the user.
    pub(super) warning: Option<Warning>,
}

impl Held {
    /// The kernel with this bandwidth, conditioned on boundary points (or none), in the form that the
    /// settings select.
    pub(crate) fn new(
        estimator: &Estimator,
        data: &Points,
        model: &dyn Model,
        bandwidth: f64,
        boundary: &Points,
    ) -> Result<Held, Error> {
        let (points, needs_search) = (data.len(), model.affine().is_none());
        let exact = |is_dense: bool| {
            let (kernel, widths) = (Arc::clone(&estimator.kernel), widths(data, bandwidth));
            let kernel = PairKernel::new(kernel, widths, model.differentiated(), data.mean())?;
            let storage = if is_dense { Storage::Dense } else { Storage::Tiled };
            let engine = Arc::clone(&estimator.engine);
            let radial = Radial::on(engine, data, kernel, storage, &estimator.interrupt)?;
            Ok::<_, Error>(Arc::new(Conditioned::new(radial, boundary, estimator.fixed_ridge())?))
        };
        let held = |exact, reason: String| Held { exact, landmarks: None, reason, warning: None };
        let landmarks = |exact: &Conditioned, most: usize| {
            Landmarks::choose(exact, data, estimator.tolerance, most, estimator.seed).map(Arc::new)
        };
        match estimator.compute {
            Compute::Dense => Ok(held(exact(true)?, "asked for".into())),
            Compute::Tiled => Ok(held(exact(false)?, "asked for".into())),
            Compute::LowRank => {
                let exact = exact(false)?;
                let landmarks = landmarks(&exact, MOST_LANDMARKS)?;
                let warning = left_out(&landmarks, estimator.tolerance);
                Ok(Held { exact, landmarks: Some(landmarks), reason: "asked for".into(), warning })
            }
            Compute::Auto if points <= AUTO_EXACT_LIMIT => {
                let is_dense = points <= if needs_search { SEARCH_DENSE_LIMIT } else { DENSE_LIMIT };
                let reason = match (is_dense, needs_search) {
                    (true, _) => {
                        format!("the pairs fit in {} MB", dense_bytes(points).div_ceil(1_000_000))
                    }
                    (false, true) => format!("exact up to {AUTO_EXACT_LIMIT} points, and too many to store"),
                    (false, false) => format!(
                        "exact up to {AUTO_EXACT_LIMIT} points, and a closed form goes over the pairs once"
                    ),
                };
                Ok(held(exact(is_dense)?, reason))
            }
            Compute::Auto => {
                let exact = exact(false)?;
                let limit = if needs_search { EXACT_LIMIT_OF_SEARCH } else { EXACT_LIMIT };
                // Choosing this number of landmarks takes about as long as all pairs.
                let worthwhile = points / if needs_search { 20 } else { 100 };
                let most = if points > limit { MOST_LANDMARKS } else { worthwhile };
                if points <= limit && 4 * boundary.len() >= points {
                    return Ok(held(
                        exact,
                        format!("{} boundary points alone would take as long", boundary.len()),
                    ));
                }
                let landmarks = match landmarks(&exact, most) {
                    Err(Error::Kernel(KernelError::NoLandmarks)) if points <= limit => {
                        return Ok(held(exact, "the kernel has no landmarks here".into()));
                    }
                    chosen => chosen?,
                };
                let (rank, residual) = (landmarks.rank(), landmarks.residual());
                let is_good = residual <= estimator.tolerance;
                let is_cheap = 4 * landmarks.anchors() < points;
                if is_good && is_cheap || points > limit {
                    let reason = format!(
                        "more than {AUTO_EXACT_LIMIT} points, and {rank} landmarks leave {residual:.1e} of \
                         the kernel out"
                    );
                    let warning = left_out(&landmarks, estimator.tolerance);
                    return Ok(Held { exact, landmarks: Some(landmarks), reason, warning });
                }
                let reason = if is_good {
                    format!("{} landmarks and boundary points would take as long", landmarks.anchors())
                } else {
                    format!(
                        "the kernel is not of low rank here: {rank} landmarks leave {residual:.1e} of it out"
                    )
                };
                Ok(held(exact, reason))
            }
        }
    }

    /// The form used to compute a discrepancy.
    pub(crate) fn form(&self) -> Result<Arc<dyn SteinForm>, Error> {
        match &self.landmarks {
            Some(landmarks) => Ok(Arc::new(LowRank::new(Arc::clone(&self.exact), Arc::clone(landmarks))?)),
            None => Ok(Arc::clone(&self.exact) as Arc<dyn SteinForm>),
        }
    }
}

/// The warning if landmarks leave out more of the kernel than the tolerance.
fn left_out(landmarks: &Landmarks, tolerance: f64) -> Option<Warning> {
    let (rank, residual) = (landmarks.rank(), landmarks.residual());
    (residual > tolerance).then(|| {
        WarningKind::Accuracy.warning(format!(
            "the low-rank form leaves {residual:.1e} of the kernel out with {rank} landmarks, more than the \
             tolerance {tolerance:.1e}: the estimate is as valid, but less precise than with all pairs; use \
             a larger bandwidth, or the tiled form"
        ))
    })
}
