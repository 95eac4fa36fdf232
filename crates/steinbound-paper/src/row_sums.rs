//! The score matching of the public code, which differs from the correct one unless densities factorise.

use rand::rngs::ChaCha8Rng;
use steinbound::Error;
use steinbound::model::{Curvature, GaussianMixture, Model, Reported, Search};
use steinbound::{ModelError, Points};

/// Equal normal components of variance 1 whose "slope" in a coordinate is the sum over a row of the Hessian
/// of the log-density.
///
/// The public code differentiates the score with an element-wise gradient. That adds up `d psi_k / d x_l`
/// over all `k`, while score matching needs `d psi_l / d x_l` alone; the two agree only if the Hessian is
/// diagonal.
///
/// With `r_k` the probability that `x` belongs to component `k`, the Hessian is `-I + Cov_r(mu)`, and the sum
/// over its row `l` is `-1 + Cov_r(mu_l, s)` with `s_k` the sum over the coordinates of `mu_k`.
#[derive(Debug)]
pub struct RowSums {
    mixture: GaussianMixture,
}

/// The largest number of components.
const MOST: usize = 4;

impl RowSums {
    /// A mixture with this number of components in the plane, at most four.
    pub fn new(components: usize) -> Result<RowSums, Error> {
        if components > MOST {
            return Err(ModelError::Unsupported {
                model: "gaussian-mixture".into(),
                action: "fitted with sums over rows for more than four components",
                remedy: "use the true derivative",
            }
            .into());
        }
        Ok(RowSums { mixture: GaussianMixture::new(2, components)?.with_variance(1.0)? })
    }

    /// The probability of each component at a point, without an allocation because it is evaluated millions
    /// of times.
    fn posterior(&self, x: &[f64], theta: &[f64]) -> [f64; MOST] {
        let mut shares = [f64::INFINITY; MOST];
        for (share, mean) in shares.iter_mut().zip(theta.chunks_exact(x.len())) {
            *share = mean.iter().zip(x).map(|(m, x)| (m - x).powi(2)).sum();
        }
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        shares.iter_mut().for_each(|share| *share = (-0.5 * (*share - least)).exp());
        let total: f64 = shares.iter().sum();
        shares.map(|share| share / total)
    }
}

impl Model for RowSums {
    fn name(&self) -> &str {
        "gaussian-mixture"
    }

    fn dimension(&self) -> usize {
        self.mixture.dimension()
    }

    fn parameters(&self) -> usize {
        self.mixture.parameters()
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        self.mixture.names(coordinates)
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.mixture.reported_names(coordinates)
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        self.mixture.score(x, theta, score);
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.mixture.score_jacobian(x, theta, jacobian);
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        let d = x.len();
        let shares = self.posterior(x, theta);
        let mean = |of: &dyn Fn(&[f64]) -> f64| -> f64 {
            theta.chunks_exact(d).zip(&shares).map(|(mean, share)| share * of(mean)).sum()
        };
        let sum = |mean: &[f64]| mean.iter().sum::<f64>();
        for l in 0..d {
            slope[l] = mean(&|m| m[l] * sum(m)) - mean(&|m| m[l]) * mean(&sum) - 1.0;
        }
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (d, p) = (x.len(), theta.len());
        let shares = self.posterior(x, theta);
        let mut sums = [0.0; MOST];
        for (sum, mean) in sums.iter_mut().zip(theta.chunks_exact(d)) {
            *sum = mean.iter().sum();
        }
        let average = |of: &dyn Fn(usize) -> f64| (0..p / d).map(|k| shares[k] * of(k)).sum::<f64>();
        let mean_sum = average(&|k| sums[k]);
        for l in 0..d {
            let coordinate = |k: usize| theta[k * d + l];
            let (mean, product) = (average(&coordinate), average(&|k| coordinate(k) * sums[k]));
            for (place, value) in jacobian[l * p..(l + 1) * p].iter_mut().enumerate() {
                let (k, j) = (place / d, place % d);
                // The derivative of the mean of f is r_k [ (f_k - mean f) (x_j - mu_kj) + d f_k / d mu_kj ].
                let pull = x[j] - theta[place];
                let own = f64::from(u8::from(l == j));
                let of_product = (coordinate(k) * sums[k] - product) * pull + own * sums[k] + coordinate(k);
                let of_mean = (coordinate(k) - mean) * pull + own;
                let of_sum = (sums[k] - mean_sum) * pull + 1.0;
                *value = shares[k] * (of_product - of_mean * mean_sum - mean * of_sum);
            }
        }
    }

    fn report(&self, theta: &[f64]) -> Option<Reported> {
        self.mixture.report(theta)
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        self.mixture.fitted_from(reported)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }
}

impl Curvature for RowSums {
    fn add_score_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.mixture.add_score_curvature(x, theta, weights, steps, curvature);
    }
}

/// Components keep the order in which the search finds them.
impl Search for RowSums {
    fn suspicion(&self, theta: &[f64], points: &Points) -> Option<String> {
        self.mixture.suspicion(theta, points)
    }

    fn starts(&self, points: &Points, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        self.mixture.starts(points, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THETA: [f64; 6] = [1.5, 1.2, -1.5, -1.0, -1.1, 1.6];
    const PLACES: [[f64; 2]; 3] = [[0.1, 0.3], [-1.2, 0.7], [1.9, -0.4]];

    #[test]
    fn slopes_are_sums_over_rows_of_the_hessian() {
        let model = RowSums::new(3).unwrap();
        for x in PLACES {
            let mut slope = [0.0; 2];
            model.score_slope(&x, &THETA, &mut slope);
            let step = 1e-5;
            let mut sums = [0.0; 2];
            for l in 0..2 {
                let mut at = |sign: f64| {
                    let mut place = x;
                    place[l] += sign * step;
                    let mut score = [0.0; 2];
                    model.score(&place, &THETA, &mut score);
                    sums[l] += sign * (score[0] + score[1]) / (2.0 * step);
                };
                at(1.0);
                at(-1.0);
            }
            assert!(
                (slope[0] - sums[0]).abs() < 1e-8 && (slope[1] - sums[1]).abs() < 1e-8,
                "{slope:?} {sums:?}"
            );
        }
    }

    #[test]
    fn their_derivatives_are_right() {
        let model = RowSums::new(3).unwrap();
        for x in PLACES {
            let mut jacobian = [0.0; 12];
            model.score_slope_jacobian(&x, &THETA, &mut jacobian);
            for k in 0..6 {
                let at = |step: f64| {
                    let mut theta = THETA;
                    theta[k] += step;
                    let mut slope = [0.0; 2];
                    model.score_slope(&x, &theta, &mut slope);
                    slope
                };
                let (above, below) = (at(1e-5), at(-1e-5));
                for l in 0..2 {
                    let difference = (above[l] - below[l]) / 2e-5;
                    assert!((jacobian[l * 6 + k] - difference).abs() < 1e-8, "{l} {k}");
                }
            }
        }
    }
}
