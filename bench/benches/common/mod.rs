//! The data of all benches: points of a truncated density in a disc.

use steinbound::domain::Ball;
use steinbound::model::{Gaussian, Model};
use steinbound::{Points, simulate};

/// The disc of radius 2.
pub fn disc() -> Ball {
    Ball::new(2.0).expect("a radius").in_dimension(2)
}

/// So many points of a density in the disc.
pub fn sample(model: &dyn Model, theta: &[f64], count: usize) -> Points<'static> {
    let sample = simulate::truncated(model, theta, &disc(), count, &mut simulate::stream(1, 0));
    sample.expect("a disc that is easily hit").points
}

/// The Gaussian of unit covariance, and so many of its points about (0.5, 0.5).
pub fn gaussian(count: usize) -> (Gaussian, Points<'static>) {
    let model = Gaussian::with_variance(2, 1.0).expect("a variance");
    let points = sample(&model, &[0.5, 0.5], count);
    (model, points)
}
