//! What is expected of a response at given covariates: before, inside and between its limits.

use serde::{Deserialize, Serialize};

use super::PreparedRegression;
use crate::domain::Domain;
use crate::fit::Fit;
use crate::matrix::Matrix;
use crate::model::{Model, TruncatedNormal, log_probability};

/// What is expected of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Quantity {
    /// The mean of the response before truncation or censoring, `E[y* | x]`.
    Latent,
    /// The mean of those responses that lie between all limits, `E[y* | x, l < y* < u]`.
    Seen,
    /// The mean of what is recorded, a censored response as its limit, `E[y | x]`.
    Recorded,
    /// The probability that a recorded response is not censored.
    Uncensored,
}

impl Quantity {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Latent => "latent",
            Quantity::Seen => "seen",
            Quantity::Recorded => "recorded",
            Quantity::Uncensored => "uncensored",
        }
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Quantity::Latent => "mean response before truncation and censoring",
            Quantity::Seen => "mean response among those between the limits",
            Quantity::Recorded => "mean recorded response",
            Quantity::Uncensored => "probability of not being censored",
        }
    }
}

/// The limits of a response, and which of them censor.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ResponseAt {
    /// The lower and the upper limit; infinite where there is none.
    pub limits: (f64, f64),
    /// Whether they censor.
    pub is_censored: [bool; 2],
}

/// A quantity with its derivatives in the mean and in the standard deviation of the latent response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Expected {
    pub(super) value: f64,
    pub(super) in_mean: f64,
    in_deviation: f64,
}

/// The part of a normal distribution between two limits: its log-probability, and the mean there.
struct Part {
    log_mass: [f64; 3],
    mean: [f64; 3],
}

impl ResponseAt {
    /// A quantity for a latent response with this mean and standard deviation.
    ///
    /// ```
    /// use steinbound::regression::{Quantity, ResponseAt};
    /// // Half of a standard normal distribution is recorded as zero.
    /// let at = ResponseAt::new((0.0, f64::INFINITY), [true, false]);
    /// let height = (0.5 / std::f64::consts::PI).sqrt();
    /// assert!((at.value(Quantity::Seen, 0.0, 1.0) - 2.0 * height).abs() < 1e-14);
    /// assert!((at.value(Quantity::Recorded, 0.0, 1.0) - height).abs() < 1e-14);
    /// assert!((at.value(Quantity::Uncensored, 0.0, 1.0) - 0.5).abs() < 1e-14);
    /// ```
    pub fn value(&self, quantity: Quantity, mean: f64, deviation: f64) -> f64 {
        self.expected(quantity, mean, deviation).value
    }

    /// Limits, and whether they censor.
    pub fn new(limits: (f64, f64), is_censored: [bool; 2]) -> ResponseAt {
        ResponseAt { limits, is_censored }
    }

    /// NaN where the deviation is not positive or the limits are not in order.
    pub(super) fn expected(&self, quantity: Quantity, mean: f64, deviation: f64) -> Expected {
        let (low, high) = self.limits;
        let part = |low: f64, high: f64| Part::new((low, high), mean, deviation);
        let whole = || {
            let [below, above] = self.is_censored;
            part(if below { f64::NEG_INFINITY } else { low }, if above { f64::INFINITY } else { high })
        };
        let found = match quantity {
            Quantity::Latent => [mean, 1.0, 0.0],
            Quantity::Seen => part(low, high).mean,
            Quantity::Uncensored => part(low, high).share_of(&whole()),
            Quantity::Recorded => {
                let (whole, inner) = (whole(), part(low, high));
                let mut sum = product(inner.share_of(&whole), inner.mean);
                let beyond = [(low, (f64::NEG_INFINITY, low)), (high, (high, f64::INFINITY))];
                for ((limit, (from, to)), is_censored) in beyond.into_iter().zip(self.is_censored) {
                    if is_censored && limit.is_finite() {
                        let share = part(from, to).share_of(&whole);
                        (0..3).for_each(|k| sum[k] += limit * share[k]);
                    }
                }
                sum
            }
        };
        Expected { value: found[0], in_mean: found[1], in_deviation: found[2] }
    }
}

impl Part {
    /// In units of the standard deviation, a moment of the part is the derivative of another.
    fn new((low, high): (f64, f64), mean: f64, deviation: f64) -> Part {
        let (below, above) = ((low - mean) / deviation, (high - mean) / deviation);
        let Some(normal) = TruncatedNormal::new(0.0, 1.0, (below, above)).filter(|_| deviation > 0.0) else {
            return Part { log_mass: [f64::NAN; 3], mean: [f64::NAN; 3] };
        };
        Part {
            log_mass: [
                log_probability(below, above),
                normal.mean / deviation,
                (normal.square - 1.0) / deviation,
            ],
            mean: [mean + deviation * normal.mean, normal.variance, normal.mean_square],
        }
    }

    /// The probability of this part given a larger one.
    fn share_of(&self, whole: &Part) -> [f64; 3] {
        let share = (self.log_mass[0] - whole.log_mass[0]).exp();
        let slope = |k: usize| share * (self.log_mass[k] - whole.log_mass[k]);
        // A part without any probability has no slope either, however steep its logarithm is.
        if share == 0.0 { [0.0; 3] } else { [share, slope(1), slope(2)] }
    }
}

fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + a[0] * b[2]]
}

impl PreparedRegression {
    /// The quantities that these limits make different from each other: the latent mean, and that of what is
    /// seen if there are limits; with censoring also what is recorded.
    pub fn quantities(&self) -> Vec<Quantity> {
        let mut known = vec![Quantity::Latent];
        known.extend(self.domain.as_ref().map(|_| Quantity::Seen));
        if self.censored.is_some() {
            known.extend([Quantity::Recorded, Quantity::Uncensored]);
        }
        known
    }

    /// The limits of an observation.
    pub fn limits_at(&self, x: &[f64]) -> ResponseAt {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let sections = self.domain.as_ref().map(|domain| domain.sections(x, 0, everything));
        let limits = sections.and_then(|found| found.first().copied()).unwrap_or(everything);
        let (low, high) = self.censored.as_ref().map_or(everything, |model| model.limits_at(x));
        ResponseAt { limits, is_censored: [low.is_finite(), high.is_finite()] }
    }

    /// How many responses are recorded at the lower and at the upper censoring limit; `None` without such limits.
    ///
    /// ```
    /// use steinbound::regression::{Censored, ResponseLimit, TruncatedRegression};
    /// let hours = vec![0.0, 0.0, 1.5, 0.0, 4.0];
    /// let regression = TruncatedRegression::new("hours", hours).lower(ResponseLimit::Constant(0.0));
    /// let regression = regression.censored(Censored::Both).build(0)?;
    /// assert_eq!(regression.censored_counts(), Some([3, 0]));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn censored_counts(&self) -> Option<[usize; 2]> {
        let model = self.censored.as_ref()?;
        let count = |is_at: fn(f64, (f64, f64)) -> bool| {
            self.points.rows().filter(|x| is_at(x[0], model.limits_at(x))).count()
        };
        Some([count(|y, (low, _)| y <= low), count(|y, (_, high)| y >= high)])
    }

    /// The mean and standard deviation of the latent response at an observation, from the reported parameters
    /// of a fit; `None` if they do not exist.
    pub fn response(&self, x: &[f64], fit: &Fit) -> Option<(f64, f64)> {
        let theta = self.model.fitted_from(&fit.estimates()).ok()?;
        self.model.response(x, &theta)
    }

    /// The mean of the latent response at new covariates, with its standard error: one pair for each row of
    /// the design (covariates without the intercept), from the reported coefficients of a fit. `None` if the
    /// sizes differ or the fit has no covariance.
    ///
    /// ```
    /// # use steinbound::{Estimator, Matrix};
    /// # use steinbound::regression::{ResponseLimit, TruncatedRegression};
    /// # let x = Matrix::from_fn(60, 1, |i, _| i as f64 / 60.0);
    /// # let y: Vec<f64> = (0..60).map(|i| 5.2 + 3.0 * (i as f64 / 60.0) + 0.5 * (i as f64).sin()).collect();
    /// # let regression = TruncatedRegression::new("y", y).covariates(["x"], x);
    /// # let regression = regression.lower(ResponseLimit::Constant(4.0)).build(0)?;
    /// let estimator = regression.estimator(&Estimator::truncated_mle());
    /// let fit = estimator.fit(&regression.points, &regression.model)?;
    /// let (mean, error) = regression.predict(&fit, &Matrix::from_fn(1, 1, |_, _| 0.5)).unwrap()[0];
    /// assert!((mean - 6.7).abs() < 4.0 * error);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn predict(&self, fit: &Fit, design: &Matrix) -> Option<Vec<(f64, f64)>> {
        let without_limits = ResponseAt::new((f64::NEG_INFINITY, f64::INFINITY), [false; 2]);
        let found = self.predict_quantity(fit, design, Quantity::Latent, |_| without_limits)?;
        Some(found)
    }

    /// The same for any quantity, with the limits of each row.
    pub fn predict_quantity(
        &self,
        fit: &Fit,
        design: &Matrix,
        quantity: Quantity,
        limits: impl Fn(usize) -> ResponseAt,
    ) -> Option<Vec<(f64, f64)>> {
        let estimates = fit.estimates();
        let (count, p) = (self.model.coefficients(), self.model.parameters());
        let intercept = usize::from(self.model.has_intercept());
        if design.columns() + intercept != count || estimates.len() != p {
            return None;
        }
        fit.covariance.as_ref().filter(|covariance| covariance.rows() == p)?;
        let deviation = self.deviation(&estimates);
        let predict = |i: usize| {
            let at = |k: usize| if k < intercept { 1.0 } else { design[(i, k - intercept)] };
            let mean = (0..count).map(|k| at(k) * estimates[k]).sum::<f64>();
            let found = limits(i).expected(quantity, mean, deviation);
            let slope = |k: usize| if k < count { at(k) * found.in_mean } else { found.in_deviation };
            (found.value, fit.error_along(&(0..p).map(slope).collect::<Vec<f64>>()))
        };
        Some((0..design.rows()).map(predict).collect())
    }

    /// The standard deviation of the noise, given or the last of the reported parameters.
    pub(super) fn deviation(&self, estimates: &[f64]) -> f64 {
        let known = self.model.known_sigma();
        known.or_else(|| estimates.last().copied()).unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Quantity; 4] = [Quantity::Latent, Quantity::Seen, Quantity::Recorded, Quantity::Uncensored];

    fn cases() -> [ResponseAt; 5] {
        [
            ResponseAt::new((0.0, f64::INFINITY), [false, false]),
            ResponseAt::new((0.0, f64::INFINITY), [true, false]),
            ResponseAt::new((-0.5, 1.5), [true, true]),
            ResponseAt::new((-0.5, 1.5), [false, true]),
            ResponseAt::new((f64::NEG_INFINITY, f64::INFINITY), [false, false]),
        ]
    }

    /// Values against sums over a fine grid, derivatives against central differences.
    #[test]
    fn expectations_are_integrals_and_their_derivatives_differences() {
        for at in cases() {
            for (mean, deviation) in [(0.3, 1.2), (-1.4, 0.7), (2.6, 0.9)] {
                let (low, high) = at.limits;
                let (mut mass, mut inner, mut seen, mut recorded) = (0.0, 0.0, 0.0, 0.0);
                let steps = 200_000;
                for k in 0..steps {
                    let z = -9.0 + 18.0 * (f64::from(k) + 0.5) / f64::from(steps);
                    let (y, weight) = (mean + deviation * z, (-0.5 * z * z).exp());
                    if y < low && !at.is_censored[0] || y > high && !at.is_censored[1] {
                        continue;
                    }
                    mass += weight;
                    recorded += weight * y.clamp(low, high);
                    if low < y && y < high {
                        inner += weight;
                        seen += weight * y;
                    }
                }
                let expected = [mean, seen / inner, recorded / mass, inner / mass];
                for (quantity, expected) in ALL.into_iter().zip(expected) {
                    let found = at.expected(quantity, mean, deviation);
                    assert!((found.value - expected).abs() < 2e-4, "{quantity:?} {found:?} {expected}");
                    let step = 1e-5;
                    let moved = |a: f64, b: f64| at.value(quantity, mean + a, deviation + b);
                    let in_mean = (moved(step, 0.0) - moved(-step, 0.0)) / (2.0 * step);
                    let in_deviation = (moved(0.0, step) - moved(0.0, -step)) / (2.0 * step);
                    assert!((found.in_mean - in_mean).abs() < 1e-8, "{quantity:?} {found:?} {in_mean}");
                    assert!((found.in_deviation - in_deviation).abs() < 1e-8, "{quantity:?} {in_deviation}");
                }
            }
        }
    }
}
