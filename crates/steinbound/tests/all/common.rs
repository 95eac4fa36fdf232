//! What the integration tests share.

use std::sync::Arc;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use steinbound::domain::{Ball, BoundarySampling, BoundaryScheme, Cuboid, Domain};
use steinbound::model::{Gaussian, GaussianMixture};
use steinbound::regression::{PreparedRegression, ResponseLimit, TruncatedRegression};
use steinbound::{Matrix, Points, simulate};

/// A truncated normal sample in the l2 ball of the paper's radius, and boundary points.
pub struct Setting {
    pub domain: Arc<Ball>,
    pub model: Gaussian,
    pub truth: Vec<f64>,
    pub data: Points<'static>,
    pub boundary: Points<'static>,
}

/// The paper's dimension benchmark: N(0.5, I) in the l2 ball of radius d^0.53, m = 8 d^2.
pub fn ball(dimension: usize, count: usize, seed: u64) -> Setting {
    let radius = (dimension as f64).powf(0.53);
    let domain = Ball::new(radius).unwrap().in_dimension(dimension);
    let model = Gaussian::with_variance(dimension, 1.0).unwrap();
    let truth = vec![0.5; dimension];
    let rng = &mut simulate::stream(seed, 0);
    let data = simulate::truncated(&model, &truth, &domain, count, rng).unwrap().points;
    let rng = &mut simulate::stream(seed, 1);
    let count = 8 * dimension * dimension;
    let boundary = domain.sample_boundary(&BoundarySampling::new(count), rng).unwrap();
    Setting { domain: Arc::new(domain), model, truth, data, boundary }
}

/// The box of the paper's mixtures.
pub fn square() -> Arc<Cuboid> {
    Arc::new(Cuboid::uniform(-3.0, 3.0, 2).unwrap())
}

/// Two modes of unit variance, their means unknown.
pub fn two_modes() -> GaussianMixture {
    GaussianMixture::new(2, 2).unwrap().with_variance(1.0).unwrap()
}

/// The means of the paper's two modes.
pub const MODES: [f64; 4] = [-1.5, -1.5, 1.5, 1.5];

/// A sample of the two modes in the box.
pub fn modes(count: usize, seed: u64) -> Points<'static> {
    let rng = &mut simulate::stream(seed, 0);
    simulate::truncated(&two_modes(), &MODES, square().as_ref(), count, rng).unwrap().points
}

/// 200 points at even distances on the edge of the box.
pub fn edge() -> Points<'static> {
    let sampling = BoundarySampling::new(200).scheme(BoundaryScheme::Even);
    square().sample_boundary(&sampling, &mut simulate::stream(0, 1)).unwrap()
}

/// The paper's regression: `y ~ N(3 + 4 x, 1)`, `x` uniform, 600 draws of which those with `y >= 5` are seen.
pub fn line(seed: u64) -> (Vec<f64>, Vec<f64>) {
    let rng = &mut simulate::stream(seed, 0);
    let draw = |_| {
        let x: f64 = rng.random();
        let noise: f64 = StandardNormal.sample(rng);
        (3.0 + 4.0 * x + noise, x)
    };
    (0..600).map(draw).filter(|(y, _)| *y >= 5.0).unzip()
}

/// That regression, with the product kernel and an unknown deviation.
pub fn prepared_line(seed: u64) -> PreparedRegression {
    let (y, x) = line(seed);
    let x = Matrix::from_fn(x.len(), 1, |i, _| x[i]);
    let limit = ResponseLimit::Constant(5.0);
    TruncatedRegression::new("y", y).covariates(["x"], x).lower(limit).build(0).unwrap()
}

/// The Euclidean length of a difference.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The mean of some values, and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Asserts that numbers agree to a relative tolerance of their largest.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what} [{k}]: found {a}, expected {b}");
    }
}
