//! The squared Stein discrepancy as an objective.

use super::objective::{Expansion, Objective, linearised_features, score_scales};
use crate::error::{Error, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, weighted_columns};
use crate::model::{AtPoints, Model, Wanted, difference_steps};
use crate::points::Points;
use crate::stein::{Fixed, LinearScore, Moments, Operator, Pairs, Pass, Statistic, SteinForm, Sums, Term};

/// The squared Stein discrepancy of a model with any score.
///
/// With the scores and their Jacobian at `theta` as features ([`LinearScore::linearised`]), one pass over the
/// pairs gives the value, the gradient and the part `2 J' M J / Z` of the Hessian; the second derivatives of
/// the score add `(2 / Z) sum_i w_i sum_l (M W psi_l + D_l w)_i d^2 psi_l(x_i)`. No kernel value depends on
/// the parameters.
///
/// For a form made of a few functions the objective is a sum of squared residuals, one for each function and
/// coordinate: `mean_i (psi_l phi + d_l phi)`. A search then takes Levenberg-Marquardt steps with `2 J' M J /
/// Z` alone: these need the sums over the data but no values at the points, half the work. The full Hessian
/// is computed once, at the end.
pub(crate) struct SteinObjective<'a> {
    pairs: Pairs<'a>,
    model: &'a dyn Model,
    data: &'a Points<'a>,
    weights: &'a [f64],
    interrupt: &'a Interrupt,
    known: Known,
}

/// Terms that do not depend on the parameters, computed once.
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

    /// The scores, followed by the rows of their Jacobian.
    fn features(&self, theta: &[f64]) -> Result<Matrix, ModelError> {
        linearised_features(self.at_data(), theta)
    }

    fn at_data(&self) -> AtPoints<'_> {
        AtPoints::new(self.model, self.data, self.weights).until(self.interrupt)
    }
}

impl SteinObjective<'_> {
    /// The sums of features without the values at the points, if the form supports that.
    fn sums_alone(&self, features: &Matrix) -> Option<Result<Sums, Error>> {
        let Known::Slopes(slope) = &self.known else { return None };
        let columns = weighted_columns(features, self.weights);
        let terms: Vec<Term> = (0..features.columns()).map(|c| Term::new(Operator::Value, c)).collect();
        let value = self.pairs.form().parts().features?.feature_sums(&columns, &terms);
        Some(value.map(|value| Sums::of(value, slope.clone(), self.weights)))
    }

    /// One pass over the pairs; if a score is given, with the sums needed for influence values.
    fn pass(&self, features: Matrix, score: Option<&LinearScore>) -> Result<Pass, Error> {
        match &self.known {
            Known::Pairs(fixed) => Pass::with(&self.pairs, features, self.weights, score, fixed),
            Known::Slopes(_) => Pass::new(&self.pairs, features, self.weights, score),
        }
    }

    /// The expansion with the Hessian, from a pass at these parameters and the steps for differences that
    /// belong to its features.
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

    /// The pulls, from a pass that computed the sums they need.
    fn pulls_of(&self, pass: &Pass, score: &LinearScore) -> Matrix {
        let mut gradients = pass.gradients(score, &vec![0.0; score.parameters]);
        // An observation enters the sum over pairs on both sides.
        gradients.values_mut().iter_mut().for_each(|g| *g *= 2.0);
        gradients
    }

    /// The expansion from moments, with half of the curvature's contribution to the Hessian.
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
