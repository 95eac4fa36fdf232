//! Fits of latent-variable models, in rounds.

use super::{Estimator, Fit};
use crate::error::Error;
use crate::model::Latent;
use crate::points::Points;

impl Latent {
    /// Fits the model and moves the anchor to the estimate, for this many rounds. A fixed point is the
    /// estimate with plain Monte Carlo means drawn at the estimate itself. Starts at the anchor.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::model::{GaussianMixture, LabelledMixture, Latent};
    /// use steinbound::{Estimator, domain::Cuboid, simulate};
    /// let mixture = GaussianMixture::new(1, 2)?.with_variance(0.3)?;
    /// let interval = Arc::new(Cuboid::interval(-2.0, 2.0)?);
    /// let rng = &mut simulate::stream(3, 0);
    /// let data = simulate::truncated(&mixture, &[-1.0, 1.2], interval.as_ref(), 200, rng)?.points;
    /// let latent = Latent::new(LabelledMixture::new(mixture), 100, 1, vec![-0.8, 0.8])?;
    /// let fit = latent.fit(&Estimator::tksd().domain(interval), &data, 2)?;
    /// assert!((fit.estimates()[1] - 1.2).abs() < 0.3);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn fit(&self, estimator: &Estimator, data: &Points, rounds: usize) -> Result<Fit, Error> {
        let mut model = self.clone();
        let mut fit = estimator.clone().start(model.anchor().to_vec()).fit(data, &model)?;
        for _ in 1..rounds.max(1) {
            // Without an estimate the anchor stays.
            if !fit.converged {
                break;
            }
            model = model.anchored(&fit.estimates())?;
            fit = estimator.clone().start(model.anchor().to_vec()).fit(data, &model)?;
        }
        Ok(fit)
    }
}
