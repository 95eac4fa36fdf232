//! Models: densities known up to their normaliser, one per file.
//!
//! A model is given by its score `psi(x; theta) = grad_x log p(x; theta)` and derivatives of it,
//! independently of kernels and boundaries. To add one, copy a sibling and check it with [`conformance`].
//! Features that only some models have are in separate views:
//!
//! | view | what it gives | needed for |
//! |---|---|---|
//! | [`Affine`] | the score as features times coefficients | fits in closed form |
//! | [`Density`] | the log-density up to a constant | truncated maximum likelihood, log-likelihoods |
//! | [`Conditional`] | normaliser and draws of one coordinate given the others | the same for regressions |
//! | [`Sampling`] | draws of the untruncated density | simulation, parametric tests and bootstraps |
//! | [`Search`] | starts, the order of components, doubts about a minimum | searches without given starts |
//! | [`Curvature`] | exact second derivatives in the parameters | faster searches |
//! | [`Counted`] | which parameters only counts of observations determine | weights of mixtures |
//! | [`Batches`] | derivatives of many points in one call | models written in another language |
//! | [`NaiveLikelihood`] | the maximum likelihood that ignores the truncation | `mle` |
//!
//! | model | density | fit |
//! |---|---|---|
//! | [`Gaussian`] | normal: mean; mean and variances; mean and covariance | closed form |
//! | [`ExponentialFamily`] | by its statistics: exponential, gamma, pairwise interactions, your own | closed form |
//! | [`Regression`] | a response given covariates | closed form |
//! | [`Independent`] | the same [`Coordinate`] density in every coordinate: exponential, gamma, Weibull, beta, lognormal, Pareto, von Mises, Student's t | closed form or search |
//! | [`CensoredRegression`] | the same, recorded as a limit where it lies beyond | search, concave without truncation |
//! | [`GaussianMixture`] | several normals: means, weights, covariances | search from several starts |
//! | [`Autodiff`] | a closure or a formula, differentiated automatically | search from your start |
//! | [`Latent`] | a joint density with unobserved variables and draws of these | search, in rounds |

mod affine;
mod at_points;
mod autodiff;
mod batches;
mod beta;
mod censored_regression;
mod conditional;
pub mod conformance;
mod counted;
mod curvature;
mod density;
mod differences;
pub(crate) mod error;
mod exponential;
mod exponential_family;
mod family;
mod formula;
mod gamma;
mod gaussian;
mod independent;
mod latent;
mod linear_score;
mod lognormal;
mod mixture;
mod naive_likelihood;
mod pareto;
mod regression;
mod sampling;
mod search;
mod student_t;
mod support;
mod truncated_normal;
mod units;
mod von_mises;
mod weibull;

use std::fmt::Debug;

pub use affine::Affine;
pub(crate) use at_points::AtPoints;
pub use autodiff::{Autodiff, DualNum, LogDensity, Number};
pub use batches::{Batches, Wanted};
pub use beta::Beta;
pub use censored_regression::CensoredRegression;
pub use conditional::{Conditional, LinearPart};
pub use counted::{Counted, Separation};
pub use curvature::Curvature;
pub use density::Density;
pub(crate) use differences::{difference_steps, information_scales};
pub use exponential::Exponential;
pub use exponential_family::ExponentialFamily;
pub use family::{Choice, CovarianceShape, FAMILIES, Family, KnownCovariance, ModelChoices, family};
pub use gamma::Gamma;
pub use gaussian::Gaussian;
pub use independent::{
    Column, Coordinate, CoordinateSampler, Coordinates, Independent, Jet, MOST_PARAMETERS, NamedParameter,
    Range,
};
pub use latent::{Latent, LatentVariable, PrincipalComponents};
pub use linear_score::{LinearScore, Slot};
pub use lognormal::LogNormal;
pub use mixture::{GaussianMixture, LabelledMixture};
pub use naive_likelihood::NaiveLikelihood;
pub use pareto::Pareto;
pub use regression::Regression;
pub use sampling::{Sampler, Sampling};
pub use search::Search;
pub(crate) use search::starts;
pub use student_t::StudentT;
pub use support::{Edge, Support};
pub(crate) use support::{ROUNDING, check_turn};
pub(crate) use truncated_normal::{TruncatedNormal, log_probability};
pub use units::Unit;
pub(crate) use units::Units;
pub use von_mises::VonMises;
pub use weibull::Weibull;

use crate::error::ModelError;
use crate::matrix::Matrix;
use crate::points::Points;

/// Reported parameters, with the derivative of each in the fitted parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The values.
    pub values: Vec<f64>,
    /// The derivatives, reported by fitted parameters.
    pub jacobian: Matrix,
}

/// The slices into which a model writes its derivatives at one point ([`Model::derivatives`]). An empty slice
/// means that the derivative is not requested.
#[derive(Debug, Default)]
pub struct Derivatives<'a> {
    /// For [`score`](Model::score).
    pub score: &'a mut [f64],
    /// For [`score_jacobian`](Model::score_jacobian).
    pub score_jacobian: &'a mut [f64],
    /// For [`score_slope`](Model::score_slope).
    pub slope: &'a mut [f64],
    /// For [`score_slope_jacobian`](Model::score_slope_jacobian); `slope` is then requested as well.
    pub slope_jacobian: &'a mut [f64],
}

/// A density up to its normaliser, with parameters `theta` in the form in which they are fitted.
///
/// Arrays of derivatives are stored row by row: `jacobian[l * p + k]` is the derivative of `psi_l` in
/// `theta_k`. Points are passed one at a time, from several threads. Features that only some models have are
/// in views, which are `None` unless a model returns itself:
///
/// ```
/// use steinbound::model::{Density, Model, conformance};
///
/// /// A normal density of variance 1.
/// #[derive(Debug)]
/// struct Normal;
///
/// impl Model for Normal {
///     fn name(&self) -> &str {
///         "normal"
///     }
///     fn dimension(&self) -> usize {
///         1
///     }
///     fn parameters(&self) -> usize {
///         1
///     }
///     fn names(&self, _coordinates: &[String]) -> Vec<String> {
///         vec!["mean".into()]
///     }
///     fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
///         score[0] = theta[0] - x[0];
///     }
///     fn score_jacobian(&self, _x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
///         jacobian[0] = 1.0;
///     }
///     fn score_slope(&self, _x: &[f64], _theta: &[f64], slope: &mut [f64]) {
///         slope[0] = -1.0;
///     }
///     fn score_slope_jacobian(&self, _x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
///         jacobian[0] = 0.0;
///     }
///     fn density(&self) -> Option<&dyn Density> {
///         Some(self)
///     }
/// }
///
/// impl Density for Normal {
///     fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
///         -0.5 * (x[0] - theta[0]).powi(2)
///     }
/// }
///
/// assert_eq!(conformance::check(&Normal, &[0.3]), Ok(()));
/// ```
pub trait Model: Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> &str;

    /// The number of coordinates of a point, `d`.
    fn dimension(&self) -> usize;

    /// The coordinates in which the log-density is differentiated: all of them, or the response alone in a
    /// regression.
    ///
    /// Scores and their slopes have one value for each of these, in this order.
    fn differentiated(&self) -> Vec<usize> {
        (0..self.dimension()).collect()
    }

    /// The number of fitted parameters, `p`.
    fn parameters(&self) -> usize;

    /// Names of the fitted parameters, given those of the coordinates.
    fn names(&self, coordinates: &[String]) -> Vec<String>;

    /// Names of the reported parameters. A model that reports other parameters than it fits overrides this,
    /// [`report`](Model::report) and [`fitted_from`](Model::fitted_from).
    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.names(coordinates)
    }

    /// Values that the model assumes where it could estimate them, with the names that they would have: the
    /// equal weights of a mixture.
    fn assumed(&self) -> Vec<(String, f64)> {
        Vec::new()
    }

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

    /// The reported parameters; `None` if they do not exist, for example the moments of a Gaussian whose
    /// precision is indefinite.
    fn report(&self, theta: &[f64]) -> Option<Reported> {
        Some(Reported { values: theta.to_vec(), jacobian: Matrix::identity(theta.len()) })
    }

    /// The fitted parameters for reported ones.
    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        check_theta(self, reported)?;
        Ok(reported.to_vec())
    }

    /// The message if [`report`](Model::report) returns `None`.
    fn unreportable(&self) -> String {
        "the reported parameters do not exist at this estimate".into()
    }

    /// Why fitted parameters should not be trusted although they were found, for example a shape that is not
    /// positive; `None` if they can be. Searches ask [`Search::suspicion`], too.
    fn implausible(&self, _theta: &[f64], _coordinates: &[String]) -> Option<String> {
        None
    }

    /// The limits of the support at which the density goes as a power of the distance, at these fitted parameters.
    ///
    /// A method's estimates are not trusted if the region reaches one where the exponent is too small for it
    /// ([`Procedure::least_exponent`](crate::method::Procedure::least_exponent)).
    fn edges(&self, _theta: &[f64], _coordinates: &[String]) -> Vec<Edge> {
        Vec::new()
    }

    /// Where each coordinate of the density lies, apart from any truncation; empty for the whole space.
    ///
    /// Data outside are refused, and the region is intersected with it: the limits of the support are a
    /// boundary like any other, since a density need not vanish there.
    fn support(&self) -> Vec<Support> {
        Vec::new()
    }

    /// The parameters that describe points `x` if `theta` describes `x - shift`, and their derivative in
    /// `theta`.
    ///
    /// A model with this method is fitted to centred data, which preserves digits if data lie far from the
    /// origin.
    fn translate(&self, _theta: &[f64], _shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        None
    }

    /// Groups of indices of reported parameters that together are a location in the space of the data, for
    /// example a mean.
    ///
    /// A map projection converts these back to longitude and latitude.
    fn locations(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// The score in features, if it is affine in the parameters: then the fit has a closed form.
    fn affine(&self) -> Option<&dyn Affine> {
        None
    }

    /// The log-density, if it is known up to a constant.
    fn density(&self) -> Option<&dyn Density> {
        None
    }

    /// The normaliser and draws of one coordinate given the others, for a conditional model.
    fn conditional(&self) -> Option<&dyn Conditional> {
        None
    }

    /// Draws of the untruncated density.
    fn sampling(&self) -> Option<&dyn Sampling> {
        None
    }

    /// The starting points of a search and the judgement of its result, for a model without a closed form.
    fn search(&self) -> Option<&dyn Search> {
        None
    }

    /// Exact second derivatives of the score in the parameters; without them, central differences are used.
    fn curvature(&self) -> Option<&dyn Curvature> {
        None
    }

    /// Derivatives of many points in one call, for a model in which each call is expensive.
    fn batches(&self) -> Option<&dyn Batches> {
        None
    }

    /// Parameters that counts of observations determine, such as the weights of a mixture.
    fn counted(&self) -> Option<&dyn Counted> {
        None
    }

    /// Maximum likelihood that ignores the truncation.
    fn naive_likelihood(&self) -> Option<&dyn NaiveLikelihood> {
        None
    }
}

/// The scores of a model, one row for each point; zeros for points without weight.
pub(crate) fn scores(model: &dyn Model, points: &Points, theta: &[f64]) -> Result<Matrix, ModelError> {
    let wanted = Wanted { score: true, ..Wanted::default() };
    AtPoints::new(model, points, &points.weights()).derivatives(theta, wanted)
}

/// Returns an error for a wrong number of parameters or values that are not finite, and converts reported
/// parameters into fitted ones.
pub(crate) fn checked_parameters(
    model: &dyn Model,
    reported: &[f64],
    coordinates: &[String],
) -> Result<Vec<f64>, ModelError> {
    check_values(reported, &model.reported_names(coordinates))?;
    model.fitted_from(reported)
}

/// The most parameters that a model may have: a matrix with a row and a column for each takes 800 MB.
pub const MOST_FITTED: usize = 10_000;

/// Refuses a model with more than [`MOST_FITTED`] parameters, before anything is made for each of them.
pub fn check_size(model: &dyn Model) -> Result<(), ModelError> {
    match model.parameters() {
        parameters if parameters > MOST_FITTED => {
            Err(ModelError::TooManyParameters { parameters, limit: MOST_FITTED })
        }
        _ => Ok(()),
    }
}

/// Returns an error for a wrong number of fitted parameters or values that are not finite.
pub(crate) fn check_theta<M: Model + ?Sized>(model: &M, theta: &[f64]) -> Result<(), ModelError> {
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
