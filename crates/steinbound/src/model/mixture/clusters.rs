//! Starts for the search: clusters of the data by k-means.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::GaussianMixture;
use super::parameters::Description;
use crate::matrix::Matrix;
use crate::points::{Points, column_variances};

/// The number of seedings followed by Lloyd's steps until convergence, and of seedings followed by one step,
/// which differ more.
const SETTLED: usize = 6;
const ROUGH: usize = 4;
const LLOYD_STEPS: usize = 12;

/// Parameters from clusters seeded by k-means++, the tightest first and without duplicates.
pub(super) fn starts(
    mixture: &GaussianMixture,
    points: &Points,
    weights: &[f64],
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<f64>> {
    let is_usable = points.dimension() == mixture.dimension && weights.iter().sum::<f64>() > 0.0;
    if !is_usable {
        return Vec::new();
    }
    let data = Data::new(points, weights);
    let mut found: Vec<(bool, f64, Vec<f64>)> = Vec::new();
    for attempt in 0..SETTLED + ROUGH {
        let is_rough = attempt >= SETTLED;
        let mut centres = data.seeds(mixture.components, rng);
        let mut labels = data.labels(&centres);
        for _ in 0..if is_rough { 1 } else { LLOYD_STEPS } {
            data.move_centres(&labels, &mut centres);
            let next = data.labels(&centres);
            if next == labels {
                break;
            }
            labels = next;
        }
        let spread = data.spread(&labels, &centres);
        if let Ok(theta) = mixture.fitted(&data.describe(mixture, &labels, centres)) {
            let theta = mixture.sorted(theta);
            if found.iter().all(|(_, _, known)| *known != theta) {
                found.push((is_rough, spread, theta));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found.into_iter().map(|(_, _, theta)| theta).collect()
}

/// Parameters with these means, and with weights and covariances of the data nearest to each.
pub(super) fn start_at(mixture: &GaussianMixture, means: &[f64], points: &Points) -> Option<Vec<f64>> {
    if points.dimension() != mixture.dimension || means.len() != mixture.dimension * mixture.components {
        return None;
    }
    let weights = points.weights();
    let data = Data::new(points, &weights);
    let labels = data.labels(means);
    mixture.fitted(&data.describe(mixture, &labels, means.to_vec())).ok()
}

struct Data<'a> {
    points: &'a Points<'a>,
    weights: &'a [f64],
    /// Distances are measured in standard deviations, so that units do not matter.
    variances: Vec<f64>,
}

impl Data<'_> {
    fn new<'a>(points: &'a Points<'a>, weights: &'a [f64]) -> Data<'a> {
        Data { points, weights, variances: column_variances(points, weights) }
    }

    fn distance(&self, x: &[f64], centre: &[f64]) -> f64 {
        (0..x.len()).map(|l| (x[l] - centre[l]).powi(2) / self.variances[l]).sum()
    }

    /// The first centre is random, each further one is drawn with probability proportional to the squared
    /// distance from the centres so far.
    fn seeds(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut centres: Vec<f64> = Vec::with_capacity(count * self.points.dimension());
        let mut chances = self.weights.to_vec();
        let mut nearest = vec![f64::INFINITY; self.points.len()];
        for _ in 0..count {
            let centre = self.points.row(pick(&chances, rng.random()));
            centres.extend_from_slice(centre);
            for (i, x) in self.points.rows().enumerate() {
                nearest[i] = nearest[i].min(self.distance(x, centre));
                chances[i] = self.weights[i] * nearest[i];
            }
            // With fewer distinct points than components, some components start at the same place.
            let total: f64 = chances.iter().sum();
            if !(total > 0.0 && total.is_finite()) {
                chances.copy_from_slice(self.weights);
            }
        }
        centres
    }

    /// The nearest centre of each point.
    fn labels(&self, centres: &[f64]) -> Vec<usize> {
        let d = self.points.dimension();
        let nearest = |x: &[f64]| {
            let distances = centres.chunks_exact(d).map(|centre| self.distance(x, centre)).enumerate();
            distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
        };
        self.points.rows().map(nearest).collect()
    }

    /// Moves every centre to the mean of its cluster; the centre of an empty cluster stays.
    fn move_centres(&self, labels: &[usize], centres: &mut [f64]) {
        let d = self.points.dimension();
        let mut sums = vec![0.0; centres.len()];
        let mut totals = vec![0.0; centres.len() / d];
        for ((x, k), w) in self.points.rows().zip(labels).zip(self.weights) {
            totals[*k] += w;
            for l in 0..d {
                sums[k * d + l] += w * x[l];
            }
        }
        for (at, centre) in centres.iter_mut().enumerate() {
            if totals[at / d] > 0.0 {
                *centre = sums[at] / totals[at / d];
            }
        }
    }

    fn spread(&self, labels: &[usize], centres: &[f64]) -> f64 {
        let d = self.points.dimension();
        let rows = self.points.rows().zip(labels).zip(self.weights);
        rows.map(|((x, k), w)| w * self.distance(x, &centres[k * d..(k + 1) * d])).sum()
    }

    /// Weights and covariances of the clusters. Those of small clusters are shrunk towards equal weights and
    /// towards the pooled covariance, so that none vanishes.
    fn describe(&self, mixture: &GaussianMixture, labels: &[usize], means: Vec<f64>) -> Description {
        let (d, count) = (mixture.dimension, mixture.components);
        let mut totals = vec![0.0; count];
        let mut scatters = vec![Matrix::zeros(d, d); count];
        for ((x, k), w) in self.points.rows().zip(labels).zip(self.weights) {
            totals[*k] += w;
            for a in 0..d {
                for b in 0..d {
                    scatters[*k][(a, b)] += w * (x[a] - means[k * d + a]) * (x[b] - means[k * d + b]);
                }
            }
        }
        let total: f64 = totals.iter().sum();
        let floor = |a: usize, b: usize| if a == b { 1e-4 * self.variances[a] } else { 0.0 };
        let pooled = Matrix::from_fn(d, d, |a, b| {
            scatters.iter().map(|s| s[(a, b)]).sum::<f64>() / total + floor(a, b)
        });
        let prior = d as f64 + 2.0;
        let drawn = |k: usize| {
            Matrix::from_fn(d, d, |a, b| (scatters[k][(a, b)] + prior * pooled[(a, b)]) / (totals[k] + prior))
        };
        let covariances = if mixture.has_shared_covariance() {
            vec![pooled.clone()]
        } else {
            (0..count).map(|k| mixture.restricted(drawn(k))).collect()
        };
        let weights = totals.iter().map(|t| (t + 1.0) / (total + count as f64)).collect();
        Description { means, weights, covariances }
    }
}

/// The index at which a cumulative sum of shares reaches the uniform number's share of the total.
pub(super) fn pick(shares: &[f64], uniform: f64) -> usize {
    let mut left = uniform * shares.iter().sum::<f64>();
    for (i, share) in shares.iter().enumerate() {
        if left < *share {
            return i;
        }
        left -= share;
    }
    // Because of rounding the sum may not be reached: the last index with a positive share.
    shares.iter().rposition(|share| *share > 0.0).unwrap_or(0)
}
