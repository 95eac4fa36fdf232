//! Models of one coordinate given the others.

use rand::rngs::ChaCha8Rng;

use super::Density;
use crate::points::Points;

/// A model of one coordinate given the others, for example a regression, whose normaliser is known.
///
/// ```
/// use steinbound::model::{Conditional, Model, Regression};
/// let model = Regression::new(1).with_sigma(1.0)?;
/// let conditional = model.conditional().unwrap();
/// // Half of the density lies above its mean of 1.
/// let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 4]);
/// let mut log_mass = |low: f64| {
///     let section = (low, f64::INFINITY);
///     conditional.log_normaliser(&[0.0, 2.0], &[1.0, 0.0], section, &mut gradient, &mut hessian)
/// };
/// let share = (log_mass(1.0).unwrap() - log_mass(f64::NEG_INFINITY).unwrap()).exp();
/// assert!((share - 0.5).abs() < 1e-12);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Conditional: Density {
    /// The logarithm of the integral of `exp(log_density)` over the coordinate from one end of the section to
    /// the other, which may be infinite. Its gradient and Hessian in the parameters are written to the given
    /// slices. `None` if the integral does not exist.
    fn log_normaliser(
        &self,
        x: &[f64],
        theta: &[f64],
        section: (f64, f64),
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64>;

    /// The part that is linear in covariates, if there is one: a likelihood is then maximised in an orthonormal
    /// basis of them, which keeps the digits that nearly dependent covariates would lose.
    fn linear_part(&self) -> Option<LinearPart> {
        None
    }

    /// Whether the density at these parameters has shrunk to the points: what is left of the coordinate beside the
    /// others is rounding, and a likelihood has no maximum.
    fn is_exact(&self, _theta: &[f64], _points: &Points) -> bool {
        false
    }

    /// Whether single values have a positive probability, as records at a censoring limit have: a score then
    /// says nothing of them, and only likelihoods can be fitted.
    fn has_atoms(&self) -> bool {
        false
    }

    /// The logarithm of the probability of a latent coordinate between the ends of a section, up to a term that
    /// depends on the parameters alone, with its gradient: without atoms, the normaliser.
    fn log_between(
        &self,
        x: &[f64],
        theta: &[f64],
        section: (f64, f64),
        gradient: &mut [f64],
    ) -> Option<f64> {
        let mut hessian = vec![0.0; gradient.len() * gradient.len()];
        self.log_normaliser(x, theta, section, gradient, &mut hessian)
    }

    /// The part of a section without atoms, in which ranks are even; `None` if the coordinate itself is at an
    /// atom.
    fn between_atoms(&self, _x: &[f64], section: (f64, f64)) -> Option<(f64, f64)> {
        Some(section)
    }

    /// Draws the coordinate within a section, and returns whether that was possible.
    fn draw_given(&self, x: &mut [f64], theta: &[f64], section: (f64, f64), rng: &mut ChaCha8Rng) -> bool;
}

/// The part of a model that is linear in covariates.
///
/// The first parameters are the coefficients of an intercept, if there is one, and of the covariates, in this
/// order; the model depends on these parameters and on the covariates only through the sum of their products.
///
/// ```
/// use steinbound::model::{LinearPart, Model, Regression};
/// let part = Regression::new(2).conditional().and_then(|model| model.linear_part());
/// assert_eq!(part, Some(LinearPart { first: 1, covariates: 2, has_intercept: true }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearPart {
    /// The coordinate of the first covariate; the others follow.
    pub first: usize,
    /// The number of covariates.
    pub covariates: usize,
    /// Whether there is an intercept.
    pub has_intercept: bool,
}
