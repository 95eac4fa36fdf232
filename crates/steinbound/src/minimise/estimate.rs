use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::matrix::Matrix;
use crate::model::{Affine, LinearScore, Model};
use crate::points::Points;
pub(crate) use crate::stein::solve_normal_equations;
use crate::warning::{Warning, WarningKind};

/// How the search for a minimum began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Starts {
    /// The number of starts tried.
    pub tried: usize,
    /// The number of them that ended at the chosen minimum.
    pub agreed: usize,
}

/// The result of every estimator: parameters, the influence of each observation on them, and how the search
/// went.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Fitted parameters; `None` if the objective has no minimum.
    pub(crate) theta: Option<Vec<f64>>,
    /// One row for each observation, one column for each parameter; without rows if it is not known.
    pub(crate) influence: Matrix,
    /// A root `R` of the covariance `R' R` of the parameters by the information, for likelihoods. Its rows
    /// are carried along like influence values, which keeps digits that products of Jacobians would lose.
    pub(crate) information: Option<Matrix>,
    /// Whether the covariance is by the information unless something else is asked for.
    pub(crate) is_information_default: bool,
    /// The condition number of the scaled normal equations, or of the scaled Hessian at the end of the
    /// search.
    pub(crate) condition: Option<f64>,
    pub(crate) discrepancy_squared: Option<f64>,
    pub(crate) objective: Option<f64>,
    pub(crate) log_likelihood: Option<f64>,
    pub(crate) starts: Option<Starts>,
    pub(crate) converged: bool,
    pub(crate) iterations: usize,
    pub(crate) warnings: Vec<Warning>,
}

impl Estimate {
    /// An estimate found without iterating.
    pub(crate) fn closed_form(theta: Vec<f64>, influence: Matrix) -> Estimate {
        Estimate {
            theta: Some(theta),
            influence,
            information: None,
            is_information_default: false,
            condition: None,
            discrepancy_squared: None,
            objective: None,
            log_likelihood: None,
            starts: None,
            converged: true,
            iterations: 0,
            warnings: Vec::new(),
        }
    }

    /// The result for a U-statistic without a minimum.
    pub(crate) fn without_minimum(parameters: usize) -> Estimate {
        Estimate {
            theta: None,
            converged: false,
            warnings: vec![WarningKind::Convergence.warning(
                "the U-statistic has no minimum on these data: its quadratic form is not positive definite; \
                 use the V-statistic, more data, or fewer parameters",
            )],
            ..Estimate::closed_form(Vec::new(), Matrix::zeros(0, parameters))
        }
    }

    /// The same, not to be trusted if the search for it was cut short.
    pub(crate) fn cut_short(mut self, how: Option<String>) -> Estimate {
        self.converged &= how.is_none();
        self.warnings.extend(how.map(|text| WarningKind::Convergence.warning(text)));
        self
    }

    /// The estimate for the data themselves, from one for the data less an origin.
    pub(crate) fn moved_back(mut self, model: &dyn Model, origin: &[f64]) -> Estimate {
        let moved = self.theta.as_ref().and_then(|theta| model.translate(theta, origin));
        if let Some((theta, jacobian)) = moved {
            self.influence = self.influence.times(&jacobian.transpose());
            self.information = self.information.map(|root| root.times(&jacobian.transpose()));
            self.theta = Some(theta);
        }
        self
    }
}

/// The affine view of a model and its score, if it has one and its parts are consistent.
pub(crate) fn affine_score(model: &dyn Model) -> Result<(&dyn Affine, LinearScore), ModelError> {
    let unsupported =
        |action, remedy| ModelError::Unsupported { model: model.name().to_string(), action, remedy };
    let affine = model.affine().ok_or_else(|| {
        unsupported(
            "fitted in closed form, because its score is not affine",
            "search for the minimum instead",
        )
    })?;
    let score = affine.linear_score();
    if !score.is_consistent(model.differentiated().len(), model.parameters()) {
        let action = "fitted, because its affine form does not have its own size";
        return Err(unsupported(action, "check the model with model::conformance"));
    }
    Ok((affine, score))
}

/// The features of a model at points, one row for each.
pub(crate) fn features(affine: &dyn Affine, points: &Points, score: &LinearScore) -> Matrix {
    let mut features = Matrix::zeros(points.len(), score.features());
    let mut row = vec![f64::NAN; score.features()];
    for (i, x) in points.rows().enumerate() {
        affine.features(x, &mut row);
        for (c, value) in row.iter().enumerate() {
            features[(i, c)] = *value;
        }
    }
    features
}

/// Parameters for the data less an origin, from those for the data.
pub(crate) fn start_less(model: &dyn Model, theta: &[f64], origin: &[f64]) -> Vec<f64> {
    let back: Vec<f64> = origin.iter().map(|o| -o).collect();
    model.translate(theta, &back).map_or_else(|| theta.to_vec(), |moved| moved.0)
}

/// An origin and the data less it: the data's mean if the model can be translated, otherwise zero.
///
/// Fitting near the origin keeps digits that large coordinates, such as map metres, would use up.
pub(crate) fn centred<'a>(model: &dyn Model, data: &'a Points) -> (Vec<f64>, Points<'a>) {
    let zero = vec![0.0; data.dimension()];
    let translates = model.translate(&vec![0.0; model.parameters()], &zero).is_some();
    let origin = if translates { data.mean() } else { zero };
    // Differences of finite numbers can overflow; the data are then not moved.
    match data.moved(|x| x.iter().zip(&origin).map(|(x, o)| x - o).collect()) {
        Ok(points) => (origin, points),
        Err(_) => (vec![0.0; data.dimension()], data.clone()),
    }
}
