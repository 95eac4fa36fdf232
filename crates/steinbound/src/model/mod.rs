//! Models: densities known up to their normaliser, one in a file of its own.
//!
//! A model enters through its score `psi(x; theta) = grad_x log p(x; theta)` and derivatives of it; no kernel and no boundary
//! is known here. To add one, copy a sibling and run it through [`conformance`].
//!
//! | model | density | fit |
//! |---|---|---|
//! | [`Gaussian`] | normal: mean; mean and variances; mean and covariance | closed form |
//! | [`ExponentialFamily`] | given by its statistics: exponential, gamma, pairwise interactions, your own | closed form |
//! | [`Regression`] | a response given covariates ([`TruncatedRegression`](crate::regression::TruncatedRegression) puts it together) | closed form |
//! | [`GaussianMixture`] | several normals: means, weights, covariances | search from several starts |
//! | [`Autodiff`] | a closure or a formula, differentiated automatically | search from your start |
//! | [`Latent`] | a joint density with unobserved variables and draws of these | search, in rounds |

mod at_points;
mod autodiff;
pub mod conformance;
pub(crate) mod error;
mod exponential_family;
mod formula;
mod gaussian;
mod latent;
mod mixture;
mod regression;
mod truncated_normal;

use std::fmt::Debug;

use rand::rngs::ChaCha8Rng;

pub(crate) use at_points::AtPoints;
pub use autodiff::{Autodiff, DualNum, LogDensity, Number};
pub use exponential_family::ExponentialFamily;
pub use gaussian::Gaussian;
pub use latent::{Latent, LatentVariable, PrincipalComponents};
pub use mixture::{GaussianMixture, LabelledMixture};
pub use regression::Regression;

use crate::error::{ANOTHER_METHOD, Error, ModelError};
use crate::matrix::Matrix;
use crate::points::Points;
use crate::stein::LinearScore;

/// Draws one point of the (untruncated) model.
pub type Sampler = Box<dyn Fn(&mut ChaCha8Rng, &mut [f64]) + Send + Sync>;

/// Parameters as they are reported, with the derivative of each in the fitted parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The values.
    pub values: Vec<f64>,
    /// Reported by fitted parameters.
    pub jacobian: Matrix,
}

/// Where a model writes what is asked for at one point ([`Model::derivatives`]). Nothing is asked for where a slice is empty.
#[derive(Debug, Default)]
pub struct Derivatives<'a> {
    /// For [`score`](Model::score).
    pub score: &'a mut [f64],
    /// For [`score_jacobian`](Model::score_jacobian).
    pub score_jacobian: &'a mut [f64],
    /// For [`score_slope`](Model::score_slope).
    pub slope: &'a mut [f64],
    /// For [`score_slope_jacobian`](Model::score_slope_jacobian); `slope` is then asked for as well.
    pub slope_jacobian: &'a mut [f64],
}

/// Which derivatives are wanted of many points at once ([`Model::derivatives_at`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The [`score`](Model::score).
    pub score: bool,
    /// The [`score_slope`](Model::score_slope).
    pub slope: bool,
    /// The [`score_jacobian`](Model::score_jacobian).
    pub score_jacobian: bool,
    /// The [`score_slope_jacobian`](Model::score_slope_jacobian).
    pub slope_jacobian: bool,
}

impl Wanted {
    /// How many columns each of score, slope and their Jacobians takes, in this order, for so many differentiated coordinates and parameters.
    ///
    /// ```
    /// use steinbound::model::Wanted;
    /// let wanted = Wanted { score: true, score_jacobian: true, ..Wanted::default() };
    /// assert_eq!(wanted.columns(2, 3), [2, 0, 6, 0]);
    /// ```
    pub fn columns(self, coordinates: usize, parameters: usize) -> [usize; 4] {
        let (alone, jacobian) = (coordinates, coordinates * parameters);
        let all = [
            (self.score, alone),
            (self.slope, alone),
            (self.score_jacobian, jacobian),
            (self.slope_jacobian, jacobian),
        ];
        all.map(|(is_wanted, columns)| if is_wanted { columns } else { 0 })
    }
}

/// A density up to its normaliser, with parameters `theta` in the form in which they are fitted.
///
/// Arrays of derivatives lie row by row: `jacobian[l * p + k]` is the derivative of `psi_l` in `theta_k`.
///
/// Models are asked point by point, from several threads. One for which a question is dear, whatever is asked, such as one written in another language,
/// answers [`derivatives_at`](Model::derivatives_at) and [`log_densities`](Model::log_densities) instead: then fits, tests and witnesses ask for all points at
/// once, and second derivatives in the parameters are differences of whole arrays. Its methods for one point are still needed for what looks at single
/// points; they can ask the others for one.
///
/// ```
/// use steinbound::model::{Gaussian, Model};
/// let model = Gaussian::with_variance(2, 4.0)?;
/// let mut score = [0.0; 2];
/// model.score(&[1.0, 0.0], &[0.0, 2.0], &mut score);
/// assert_eq!(score, [-0.25, 0.5]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Model: Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> &str;

    /// The number of coordinates of a point, `d`.
    fn dimension(&self) -> usize;

    /// The coordinates in which the log-density is differentiated: all of them, or the response alone in a regression.
    ///
    /// Scores and their slopes have one value for each of these, in this order.
    fn differentiated(&self) -> Vec<usize> {
        (0..self.dimension()).collect()
    }

    /// The number of fitted parameters, `p`.
    fn parameters(&self) -> usize;

    /// Names of the fitted parameters, given those of the coordinates.
    fn names(&self, coordinates: &[String]) -> Vec<String>;

    /// Names of the reported parameters.
    fn reported_names(&self, coordinates: &[String]) -> Vec<String>;

    /// `psi(x; theta)`, one value for each differentiated coordinate.
    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]);

    /// The derivative of the score in the parameters, `d` by `p`.
    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]);

    /// `d psi_l / d x_l` for each differentiated coordinate: the diagonal of the Hessian of the log-density.
    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]);

    /// The derivative of [`score_slope`](Model::score_slope) in the parameters, `d` by `p`.
    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]);

    /// Several of these at once, for a model that can share work between them.
    ///
    /// ```
    /// use steinbound::model::{Derivatives, Gaussian, Model};
    /// let (mut score, mut slope) = ([f64::NAN], [f64::NAN]);
    /// let out = Derivatives { score: &mut score, slope: &mut slope, ..Derivatives::default() };
    /// Gaussian::with_variance(1, 4.0)?.derivatives(&[1.0], &[0.0], out);
    /// assert_eq!((score, slope), ([-0.25], [-0.25]));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    fn derivatives(&self, x: &[f64], theta: &[f64], out: Derivatives) {
        type Write<'a> = &'a dyn Fn(&mut [f64]);
        let all: [(&mut [f64], Write); 4] = [
            (out.score, &|out| self.score(x, theta, out)),
            (out.score_jacobian, &|out| self.score_jacobian(x, theta, out)),
            (out.slope, &|out| self.score_slope(x, theta, out)),
            (out.slope_jacobian, &|out| self.score_slope_jacobian(x, theta, out)),
        ];
        all.into_iter().filter(|(out, _)| !out.is_empty()).for_each(|(out, write)| write(out));
    }

    /// The derivatives at many points, for a model that answers cheaper for all points than one by one, such as one written in another language: a row for each
    /// point, with the score, the slopes, the rows of the score's Jacobian and those of the slopes', as far as wanted, in this order. `None`: asked point by point.
    ///
    /// Any of them may be wanted without the others. What is said of points without weight does not matter. A model that answers once answers at all
    /// parameters.
    ///
    /// ```
    /// use steinbound::model::{Gaussian, Model, Wanted};
    /// use steinbound::Points;
    /// let points = Points::from_rows(&[[0.0], [1.0]])?;
    /// let wanted = Wanted { score: true, ..Wanted::default() };
    /// // A Gaussian is as fast point by point.
    /// assert!(Gaussian::with_variance(1, 1.0)?.derivatives_at(&points, &[0.0], wanted).is_none());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    fn derivatives_at(&self, _points: &Points, _theta: &[f64], _wanted: Wanted) -> Option<Matrix> {
        None
    }

    /// The [log-densities](Model::log_density) of many points at once, for the same kind of model. `None`: asked point by point.
    ///
    /// Derivatives in the parameters are then differences of these.
    fn log_densities(&self, _points: &Points, _theta: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Adds `sum_l weights_l d^2 psi_l / d theta_j d theta_k` to `curvature`, `p` by `p` and symmetric.
    ///
    /// Needed where the score is not affine in the parameters. Unless a model knows better, it is found from central
    /// differences of [`score_jacobian`](Model::score_jacobian) with the given steps, which leaves about nine digits.
    fn add_score_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        let jacobian = |theta: &[f64], out: &mut [f64]| self.score_jacobian(x, theta, out);
        add_row_differences(theta, weights, steps, jacobian, curvature);
    }

    /// Adds `sum_l weights_l d^2 (d psi_l / d x_l) / d theta_j d theta_k` to `curvature`, as
    /// [`add_score_curvature`](Model::add_score_curvature) does for the score.
    fn add_slope_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        let jacobian = |theta: &[f64], out: &mut [f64]| self.score_slope_jacobian(x, theta, out);
        add_row_differences(theta, weights, steps, jacobian, curvature);
    }

    /// [`add_score_curvature`](Model::add_score_curvature) with the first weights and
    /// [`add_slope_curvature`](Model::add_slope_curvature) with the second, for a model that can share work between them.
    fn add_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: [&[f64]; 2],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.add_score_curvature(x, theta, weights[0], steps, curvature);
        self.add_slope_curvature(x, theta, weights[1], steps, curvature);
    }

    /// The reported parameters; `None` where they do not exist, as the moments of a Gaussian whose precision is indefinite.
    fn report(&self, theta: &[f64]) -> Option<Reported>;

    /// The fitted parameters for reported ones.
    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError>;

    /// What to tell the user when [`report`](Model::report) has nothing to give.
    fn unreportable(&self) -> String {
        "the reported parameters do not exist at this estimate".into()
    }

    /// The score as `psi_l = Phi (S_l theta + s_l)`, where it is affine in the parameters: then the fit has a closed form.
    ///
    /// A model that says so gives its [`features`](Model::features) and [`feature_slopes`](Model::feature_slopes) too.
    fn affine(&self) -> Option<LinearScore> {
        None
    }

    /// The features `Phi` of a point, as many as [`affine`](Model::affine) has rows.
    fn features(&self, _x: &[f64], _features: &mut [f64]) {}

    /// The derivatives of the features in each differentiated coordinate: `slopes[l * features + c]` is `d phi_c / d x_l`.
    fn feature_slopes(&self, _x: &[f64], _slopes: &mut [f64]) {}

    /// The parameters that describe points `x` when `theta` describes `x - shift`, and their derivative in `theta`.
    ///
    /// A model that can say this is fitted to centred data, which saves digits when data lie far from the origin.
    fn translate(&self, _theta: &[f64], _shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        None
    }

    /// The log-density up to a constant.
    fn log_density(&self, _x: &[f64], _theta: &[f64]) -> Option<f64> {
        None
    }

    /// The derivative of [`log_density`](Model::log_density) in the parameters, where there is a log-density.
    ///
    /// Unless a model knows better, by central differences.
    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        let mut moved = theta.to_vec();
        for k in 0..theta.len() {
            let step = difference_step(theta[k]);
            let mut at = |value: f64| {
                moved[k] = value;
                self.log_density(x, &moved).unwrap_or(f64::NAN)
            };
            gradient[k] = (at(theta[k] + step) - at(theta[k] - step)) / (2.0 * step);
            moved[k] = theta[k];
        }
    }

    /// Adds `weight` times the second derivatives of [`log_density`](Model::log_density) in the parameters to `curvature`, `p` by `p` and
    /// symmetric.
    ///
    /// Unless a model knows better, they are found from central differences of [`log_density_gradient`](Model::log_density_gradient) with
    /// the given steps.
    fn add_log_density_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weight: f64,
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        let gradient = |theta: &[f64], out: &mut [f64]| self.log_density_gradient(x, theta, out);
        add_row_differences(theta, &[weight], steps, gradient, curvature);
    }

    /// For a model of one coordinate given the others: the logarithm of the integral of `exp(log_density)` over that coordinate
    /// from one end of the section to the other, which may be infinite. Its gradient and Hessian in the parameters are written out.
    fn log_normaliser(
        &self,
        _x: &[f64],
        _theta: &[f64],
        _section: (f64, f64),
        _gradient: &mut [f64],
        _hessian: &mut [f64],
    ) -> Option<f64> {
        None
    }

    /// Fitted parameters from which to start the search for a minimum, where the fit has no closed form. A model that
    /// cannot propose any is given its start by the user.
    fn starts(&self, _points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// The same density with its parameters in a fixed order: the components of a mixture sorted.
    fn in_order(&self, theta: Vec<f64>) -> Vec<f64> {
        theta
    }

    /// Why parameters at which a search ended should not be trusted although they are a minimum, such as a component of a
    /// mixture that has shrunk to a point.
    fn suspicion(&self, _theta: &[f64], _points: &Points) -> Option<String> {
        None
    }

    /// The places among the reported parameters that together are a location in the space of the data, such as a mean.
    ///
    /// A map projection takes these back to longitude and latitude.
    fn locations(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// A sampler of the untruncated density, where there is one.
    fn sampler(&self, _theta: &[f64]) -> Option<Sampler> {
        None
    }

    /// For a model of one coordinate given the others: draws that coordinate within a section, and says whether it could.
    fn draw_given(
        &self,
        _x: &mut [f64],
        _theta: &[f64],
        _section: (f64, f64),
        _rng: &mut ChaCha8Rng,
    ) -> bool {
        false
    }

    /// The maximum likelihood estimate that ignores the truncation, and the influence of each point on it, with one
    /// weight for each point.
    fn maximum_likelihood(&self, _points: &Points, _weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        Err(ModelError::Unsupported {
            model: self.name().to_string(),
            action: "fitted by naive maximum likelihood",
            remedy: ANOTHER_METHOD,
        }
        .into())
    }
}

/// The step of central differences in a parameter whose own scale is not known: the cube root of the rounding error
/// balances both errors.
fn difference_step(value: f64) -> f64 {
    RELATIVE_STEP * value.abs().max(1.0)
}

/// A step in units of the change that matters.
const RELATIVE_STEP: f64 = 6e-6;

/// Steps of central differences from the scale of each parameter, where that is a positive number.
pub(crate) fn difference_steps(theta: &[f64], scales: impl Iterator<Item = f64>) -> Vec<f64> {
    let step = |(value, scale): (&f64, f64)| {
        if !(scale > 0.0 && scale.is_finite()) {
            return difference_step(*value);
        }
        // Not below what the rounding of the parameter itself leaves of a difference.
        (RELATIVE_STEP * scale).max(1e-12 * value.abs())
    };
    theta.iter().zip(scales).map(step).collect()
}

/// The scale of each parameter in which a log-density changes by about one, from its gradients at the data (one row each): one
/// over their standard deviation.
pub(crate) fn information_scales(gradients: &Matrix) -> impl Iterator<Item = f64> {
    let rows = gradients.rows() as f64;
    (0..gradients.columns()).map(move |k| {
        let column = gradients.column(k);
        let mean = column.iter().sum::<f64>() / rows;
        1.0 / (column.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / rows).sqrt()
    })
}

/// Adds the derivative of `sum_l weights_l jacobian_l`, the weighted sum of the rows of a Jacobian, by central differences.
fn add_row_differences(
    theta: &[f64],
    weights: &[f64],
    steps: &[f64],
    jacobian: impl Fn(&[f64], &mut [f64]),
    curvature: &mut [f64],
) {
    let gradient = |theta: &[f64], out: &mut [f64]| {
        let mut rows = vec![0.0; weights.len() * theta.len()];
        jacobian(theta, &mut rows);
        out.fill(0.0);
        for (row, weight) in rows.chunks_exact(out.len()).zip(weights) {
            out.iter_mut().zip(row).for_each(|(o, j)| *o += weight * j);
        }
    };
    add_differences(theta, steps, gradient, curvature);
}

/// Adds the derivative of a gradient to a Hessian, by central differences, kept symmetric.
pub(crate) fn add_differences(
    theta: &[f64],
    steps: &[f64],
    gradient: impl Fn(&[f64], &mut [f64]),
    hessian: &mut [f64],
) {
    let p = theta.len();
    let (mut above, mut below) = (vec![0.0; p], vec![0.0; p]);
    let mut moved = theta.to_vec();
    for k in 0..p {
        let (high, low) = (theta[k] + steps[k], theta[k] - steps[k]);
        moved[k] = high;
        gradient(&moved, &mut above);
        moved[k] = low;
        gradient(&moved, &mut below);
        moved[k] = theta[k];
        for j in 0..p {
            let slope = 0.5 * (above[j] - below[j]) / (high - low);
            hessian[j * p + k] += slope;
            hessian[k * p + j] += slope;
        }
    }
}

/// The scores of a model, one row for each point; zeros for points without weight.
pub(crate) fn scores(model: &dyn Model, points: &Points, theta: &[f64]) -> Result<Matrix, ModelError> {
    let wanted = Wanted { score: true, ..Wanted::default() };
    AtPoints::new(model, points, &points.weights()).derivatives(theta, wanted)
}

/// Refuses parameters of the wrong number or that are not finite, and turns reported ones into fitted ones.
pub(crate) fn checked_parameters(
    model: &dyn Model,
    reported: &[f64],
    coordinates: &[String],
) -> Result<Vec<f64>, ModelError> {
    check_values(reported, &model.reported_names(coordinates))?;
    model.fitted_from(reported)
}

/// Refuses fitted parameters of the wrong number or that are not finite.
pub(crate) fn check_theta(model: &dyn Model, theta: &[f64]) -> Result<(), ModelError> {
    let coordinates: Vec<String> = (1..=model.dimension()).map(|l| format!("x{l}")).collect();
    check_values(theta, &model.names(&coordinates))
}

fn check_values(values: &[f64], names: &[String]) -> Result<(), ModelError> {
    if values.len() != names.len() {
        const MOST: usize = 12;
        let mut shown = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > MOST {
            shown.push_str(", ..");
        }
        let (found, expected) = (values.len(), names.len());
        return Err(ModelError::WrongParameterCount { found, expected, names: shown });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(ModelError::BadParameter { name: names[at].clone(), value: values[at] }),
        None => Ok(()),
    }
}
