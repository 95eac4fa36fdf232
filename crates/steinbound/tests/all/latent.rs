//! Latent-variable models fitted on truncated data, against the same models with the latent variable
//! integrated out.

use std::sync::Arc;

use steinbound::domain::{Ball, Cuboid};
use steinbound::model::{Gaussian, GaussianMixture, LabelledMixture, Latent, Model, PrincipalComponents};
use steinbound::{Estimator, simulate};

/// A mixture whose labels are drawn estimates nearly what the mixture itself does.
#[test]
fn a_labelled_mixture_is_nearly_the_mixture() {
    let mixture = GaussianMixture::new(2, 2).unwrap().with_variance(1.0).unwrap();
    let square = Arc::new(Cuboid::uniform(-3.0, 3.0, 2).unwrap());
    let truth = [-1.5, -1.0, 1.5, 1.0];
    let rng = &mut simulate::stream(6, 0);
    let data = simulate::truncated(&mixture, &truth, square.as_ref(), 300, rng).unwrap().points;
    let estimator = Estimator::tksd().domain(square).boundary_points(100);
    let exact = estimator.clone().start(truth.to_vec()).fit(&data, &mixture).unwrap();
    let latent = Latent::new(LabelledMixture::new(mixture), 200, 9, vec![-1.2, -1.2, 1.2, 1.2]).unwrap();
    let fit = latent.fit(&estimator, &data, 3).unwrap();
    assert!(fit.converged, "{:?}", fit.warnings);
    for k in 0..4 {
        let apart = (fit.estimates()[k] - exact.estimates()[k]).abs();
        assert!(apart < 0.3 * exact.std_errors()[k], "{k}: {fit:?} {exact:?}");
        assert!((fit.std_errors()[k] / exact.std_errors()[k] - 1.0).abs() < 0.1);
    }
}

/// Probabilistic principal components on a disc: the covariance `W W' + s I` comes back.
#[test]
fn principal_components_behind_a_disc() {
    let noise = 0.4;
    let (mean, loading) = ([0.3, -0.2], [0.9, 0.6]);
    let covariance =
        [loading[0] * loading[0] + noise, loading[0] * loading[1], loading[1] * loading[1] + noise];
    let gaussian = Gaussian::full(2);
    let theta =
        gaussian.fitted_from(&[mean[0], mean[1], covariance[0], covariance[1], covariance[2]]).unwrap();
    let disc = Arc::new(Ball::new(1.8).unwrap().in_dimension(2));
    let rng = &mut simulate::stream(2, 0);
    let data = simulate::truncated(&gaussian, &theta, disc.as_ref(), 600, rng).unwrap().points;
    let model = PrincipalComponents::new(2, 1, noise).unwrap();
    let latent = Latent::new(model, 300, 4, vec![0.0, 0.0, 0.7, 0.7]).unwrap();
    let fit = latent.fit(&Estimator::tksd().domain(disc), &data, 3).unwrap();
    assert!(fit.converged, "{:?}", fit.warnings);
    for (p, truth) in fit.parameters.iter().zip([mean[0], mean[1], loading[0], loading[1]]) {
        let (value, error) = (p.estimate.unwrap(), p.std_error.unwrap());
        assert!((value - truth).abs() < 4.0 * error, "{p:?} {truth}");
    }
}
