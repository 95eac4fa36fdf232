//! What a search minimises when the score is not affine in the parameters.

use crate::error::{Error, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, weighted_columns};
use crate::model::{AtPoints, Model, Wanted, difference_steps};
use crate::points::Points;
use crate::stein::{Fixed, LinearScore, Moments, Operator, Pairs, Pass, Statistic, SteinForm, Sums, Term};

/// A smooth function of the parameters, made of data. Where it is not defined its value is not finite.
pub(crate) trait Objective: Sync {
    /// The value.
    fn value(&self, theta: &[f64]) -> Result<f64, Error>;

    /// What ends a search.
    fn interrupt(&self) -> Option<&Interrupt> {
        None
    }

    /// The value with gradient and Hessian, or a positive semidefinite matrix that approaches it near a minimum.
    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error>;

    /// The value with gradient and Hessian, whatever [`expand`](Objective::expand) makes do with.
    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        self.expand(theta)
    }

    /// For each observation the derivative of the gradient in its share of the weight: with the Hessian `H`, the influence
    /// of an observation on the minimum is `-H^-1` times its row.
    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error>;

    /// [`expand_fully`](Objective::expand_fully) and [`pulls`](Objective::pulls) together: what is wanted at the end of a search.
    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        Ok((self.expand_fully(theta)?, self.pulls(theta)?))
    }
}

/// An objective to second order.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    pub(crate) value: f64,
    /// The size of the terms that the value is a sum of: differences far below it are rounding.
    pub(crate) scale: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) hessian: Matrix,
    /// Whether the matrix is the Hessian, and not an approximation to it.
    pub(crate) is_full: bool,
}

impl Expansion {
    pub(crate) fn is_finite(&self) -> bool {
        let all = self.gradient.iter().chain(self.hessian.values());
        self.value.is_finite() && all.into_iter().all(|v| v.is_finite())
    }
}

/// The squared Stein discrepancy of a model with any score.
///
/// With the scores and their Jacobian at `theta` as features ([`LinearScore::linearised`]), one pass over the pairs gives the value,
/// the gradient and the part `2 J' M J / Z` of the Hessian; what the second derivatives of the score add is
/// `(2 / Z) sum_i w_i sum_l (M W psi_l + D_l w)_i d^2 psi_l(x_i)`. No kernel value depends on the parameters.
///
/// A form made of a few functions is a sum of squares of as many residuals for each coordinate, `mean_i (psi_l phi + d_l phi)`. There a search takes the steps of
/// Levenberg and Marquardt, with `2 J' M J / Z` alone: these need the sums over the data but no values at the points, half
/// the work. The full Hessian is computed once, at the end.
pub(crate) struct SteinObjective<'a> {
    pairs: Pairs<'a>,
    model: &'a dyn Model,
    data: &'a Points<'a>,
    weights: &'a [f64],
    interrupt: &'a Interrupt,
    known: Known,
}

/// What no parameter changes, computed once.
enum Known {
    /// For a form of pairs.
    Pairs(Fixed),
    /// For a form of functions: the sums of their derivatives, functions by coordinates.
    Slopes(Matrix),
}

impl<'a> SteinObjective<'a> {
    pub(crate) fn new(
        form: &'a dyn SteinForm,
        model: &'a dyn Model,
        data: &'a Points<'a>,
        weights: &'a [f64],
        statistic: Statistic,
        interrupt: &'a Interrupt,
    ) -> Result<SteinObjective<'a>, Error> {
        let pairs = statistic.pairs(form)?;
        let ones = Matrix::from_fn(weights.len(), 1, |i, _| weights[i]);
        let slopes: Vec<Term> = (0..form.coordinates()).map(|l| Term::new(Operator::Second(l), 0)).collect();
        let known = match pairs.form().parts().features {
            Some(features) => Known::Slopes(features.feature_sums(&ones, &slopes)?),
            None => Known::Pairs(Fixed::new(&pairs, weights)?),
        };
        Ok(SteinObjective { pairs, model, data, weights, interrupt, known })
    }

    fn linearised(&self) -> LinearScore {
        LinearScore::linearised(self.model.differentiated().len(), self.model.parameters())
    }

    /// The scores, and after them the rows of their Jacobian.
    fn features(&self, theta: &[f64]) -> Result<Matrix, ModelError> {
        linearised_features(self.at_data(), theta)
    }

    fn at_data(&self) -> AtPoints<'_> {
        AtPoints::new(self.model, self.data, self.weights).until(self.interrupt)
    }
}

impl SteinObjective<'_> {
    /// The sums of features without the values at the points, where the form can do that.
    fn sums_alone(&self, features: &Matrix) -> Option<Result<Sums, Error>> {
        let Known::Slopes(slope) = &self.known else { return None };
        let columns = weighted_columns(features, self.weights);
        let terms: Vec<Term> = (0..features.columns()).map(|c| Term::new(Operator::Value, c)).collect();
        let value = self.pairs.form().parts().features?.feature_sums(&columns, &terms);
        Some(value.map(|value| Sums::of(value, slope.clone(), self.weights)))
    }

    /// One pass over the pairs, with what the influence of points needs where a score is given.
    fn pass(&self, features: Matrix, score: Option<&LinearScore>) -> Result<Pass, Error> {
        match &self.known {
            Known::Pairs(fixed) => Pass::with(&self.pairs, features, self.weights, score, fixed),
            Known::Slopes(_) => Pass::new(&self.pairs, features, self.weights, score),
        }
    }

    /// The expansion with the Hessian from a pass at these parameters, whose features have left the given steps for differences.
    fn full_expansion(&self, theta: &[f64], steps: &[f64], pass: &Pass) -> Result<Expansion, Error> {
        let score = self.linearised();
        let pull = pass.pull(&score.offset);
        let normaliser = pass.moments().normaliser;
        let weigh = |i: usize, out: &mut [f64]| {
            out.iter_mut().enumerate().for_each(|(l, w)| *w = self.weights[i] * pull[(i, l)] / normaliser);
        };
        let curvature = self.at_data().curvature(theta, steps, false, weigh, |_, _| {});
        let expansion = self.expansion(pass.moments(), Some(curvature));
        match self.known {
            Known::Slopes(_) => Ok(Expansion { value: self.value(theta)?, ..expansion }),
            Known::Pairs(_) => Ok(expansion),
        }
    }

    fn difference_steps(&self, theta: &[f64], features: &Matrix) -> Vec<f64> {
        difference_steps(theta, score_scales(features, self.model.differentiated().len()))
    }

    /// The pulls from a pass that has gathered what they need.
    fn pulls_of(&self, pass: &Pass, score: &LinearScore) -> Matrix {
        let mut gradients = pass.gradients(score, &vec![0.0; score.parameters]);
        // An observation enters the sum over pairs on both sides.
        gradients.values_mut().iter_mut().for_each(|g| *g *= 2.0);
        gradients
    }

    /// The expansion from moments, with half of what curvature adds to the Hessian.
    fn expansion(&self, moments: &Moments, curvature: Option<Vec<f64>>) -> Expansion {
        let is_full = curvature.is_some();
        let score = self.linearised();
        let (mut hessian, right) = moments.normal_equations(&score);
        let both = hessian.values_mut().iter_mut().zip(curvature.into_iter().flatten());
        both.for_each(|(h, c)| *h += c);
        hessian.values_mut().iter_mut().for_each(|h| *h *= 2.0);
        Expansion {
            value: moments.value(&score.offset),
            scale: moments.constant.abs() / moments.normaliser,
            gradient: right.iter().map(|r| -2.0 * r).collect(),
            hessian,
            is_full,
        }
    }
}

impl Objective for SteinObjective<'_> {
    fn interrupt(&self) -> Option<&Interrupt> {
        Some(self.interrupt)
    }

    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        let scores = self.at_data().derivatives(theta, Wanted { score: true, ..Wanted::default() })?;
        if scores.values().iter().any(|v| !v.is_finite()) {
            return Ok(f64::NAN);
        }
        let identity = Matrix::identity(scores.columns());
        match self.sums_alone(&scores) {
            Some(sums) => Ok(sums?.value_at(&identity)),
            None => Ok(self.pass(scores, None)?.moments().value(&identity)),
        }
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        match self.sums_alone(&self.features(theta)?) {
            Some(sums) => {
                let sums = sums?;
                let value = sums.value_at(&self.linearised().offset);
                Ok(Expansion { value, ..self.expansion(&sums.moments(), None) })
            }
            None => self.expand_fully(theta),
        }
    }

    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let features = self.features(theta)?;
        let steps = self.difference_steps(theta, &features);
        self.full_expansion(theta, &steps, &self.pass(features, None)?)
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        let score = self.linearised();
        Ok(self.pulls_of(&self.pass(self.features(theta)?, Some(&score))?, &score))
    }

    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        let (score, features) = (self.linearised(), self.features(theta)?);
        let steps = self.difference_steps(theta, &features);
        let pass = self.pass(features, Some(&score))?;
        Ok((self.full_expansion(theta, &steps, &pass)?, self.pulls_of(&pass, &score)))
    }
}

/// The features of [`LinearScore::linearised`]: the scores, and after them the rows of their Jacobian.
pub(crate) fn linearised_features(at: AtPoints, theta: &[f64]) -> Result<Matrix, ModelError> {
    at.derivatives(theta, Wanted { score: true, score_jacobian: true, ..Wanted::default() })
}

/// The scale of each parameter in which the score changes as much as it is large, from features that are the scores and then
/// the rows of their Jacobian.
pub(crate) fn score_scales(features: &Matrix, coordinates: usize) -> impl Iterator<Item = f64> {
    let square = |j: usize| features.column(j).iter().map(|v| v * v).sum::<f64>();
    let size: f64 = (0..coordinates).map(square).sum();
    let parameters = (features.columns() / coordinates.max(1)).saturating_sub(1);
    (0..parameters).map(move |k| {
        let slope: f64 = (0..coordinates).map(|l| square(coordinates + l * parameters + k)).sum();
        (size / slope).sqrt()
    })
}
