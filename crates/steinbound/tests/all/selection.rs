//! Choices among models: information criteria, held-out discrepancies, and the number of components.

use std::sync::Arc;

use rayon::prelude::*;
use steinbound::domain::{BoundarySampling, BoundaryScheme, Cuboid, Domain};
use steinbound::inference::{Comparison, Contender, Criterion, Selection};
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::{Estimator, Points, simulate};

fn region() -> Arc<Cuboid> {
    Arc::new(Cuboid::uniform(-3.0, 3.0, 2).unwrap())
}

/// A mixture with full covariances and equal weights, as the command line has it.
fn mixture(components: usize) -> GaussianMixture {
    GaussianMixture::new(2, components).unwrap().full()
}

/// Observations around one, two or three centres.
fn sample(components: usize, seed: u64) -> Points<'static> {
    let centres: &[f64] = match components {
        1 => &[0.0, 0.0],
        2 => &[-2.0, 0.0, 2.0, 0.0],
        _ => &[-2.0, -1.5, 2.0, -1.5, 0.0, 2.0],
    };
    let model = GaussianMixture::new(2, components).unwrap().with_variance(0.64).unwrap();
    let rng = &mut simulate::stream(900 + seed, components as u64);
    simulate::truncated(&model, centres, region().as_ref(), 400, rng).unwrap().points
}

/// The choice among models, by default settings.
fn chosen(estimator: &Estimator, models: &[GaussianMixture], data: &Points) -> Selection {
    let contenders: Vec<Contender> =
        models.iter().map(|model| Contender::new(estimator.clone(), model)).collect();
    let reference = estimator.clone().method(steinbound::Method::TKSD);
    let reference = reference.check(data, &models[0]).unwrap();
    Comparison::run(&reference, &contenders, data, None).choose().unwrap()
}

/// In how many of some samples each true number of components is found.
fn found(estimator: &Estimator, samples: u64) -> [usize; 3] {
    [1, 2, 3].map(|components| {
        let models: Vec<GaussianMixture> = (1..=4).map(mixture).collect();
        let is_found =
            |seed: &u64| chosen(estimator, &models, &sample(components, *seed)).place + 1 == components;
        (0..samples).into_par_iter().filter(is_found).count()
    })
}

fn edge() -> Points<'static> {
    let sampling = BoundarySampling::new(120).scheme(BoundaryScheme::Even);
    region().sample_boundary(&sampling, &mut simulate::stream(0, 1)).unwrap()
}

#[test]
fn the_number_of_components_is_found() {
    assert_eq!(found(&Estimator::efficient().domain(region()), 1), [1; 3]);
}

#[test]
#[ignore = "takes minutes"]
fn the_number_of_components_is_found_in_most_samples() {
    let known = found(&Estimator::efficient().domain(region()), 20);
    println!("region known: {known:?} of 20");
    let unknown = found(&Estimator::efficient().boundary(edge()), 20);
    println!("boundary points alone: {unknown:?} of 20");
    assert!(known.iter().all(|count| *count >= 16), "{known:?}");
    assert!(unknown.iter().all(|count| *count >= 11), "{unknown:?}");
}

#[test]
fn without_the_region_the_choice_is_by_held_out_data() {
    let data = sample(2, 0);
    let model = |k: usize| GaussianMixture::new(2, k).unwrap().with_variance(0.64).unwrap();
    let models = [1, 2, 3].map(model);
    let found = chosen(&Estimator::efficient().boundary(edge()), &models, &data);
    assert_eq!(found.criterion, Criterion::HeldOut);
    let values = |k: usize| found.candidates[k].held_out.as_ref().unwrap();
    // One component is far from two: its discrepancy on held-out data is above zero by many standard errors.
    assert!(values(0).squared > 5.0 * values(0).std_error, "{found:?}");
    assert!(found.candidates[0].p_value.unwrap() < 0.05 && found.place > 0, "{found:?}");
    assert!(found.candidates.iter().all(|candidate| candidate.information.is_none()));
}

/// The log-likelihood against the sum over a grid, and the criteria by hand.
#[test]
fn information_is_that_of_the_density_inside() {
    let data = sample(2, 1);
    let model = mixture(2);
    let problem = Estimator::efficient().domain(region()).check(&data, &model).unwrap();
    let theta = problem.fit().unwrap().fitted_parameters().unwrap();
    let found = problem.information(&model, &theta).unwrap().unwrap();
    let density = model.density().unwrap();
    let side = |i: usize| -3.0 + 6.0 * (i as f64 + 0.5) / 600.0;
    let cell = (6.0f64 / 600.0).powi(2);
    let cells = (0..600).flat_map(|i| (0..600).map(move |j| [side(i), side(j)]));
    let mass: f64 = cells.map(|x| cell * density.log_density(&x, &theta).exp()).sum();
    let expected: f64 = data.rows().map(|x| density.log_density(x, &theta) - mass.ln()).sum();
    assert!((found.log_likelihood - expected).abs() < 0.01, "{} {expected}", found.log_likelihood);
    assert!((found.bic - (10.0 * 400f64.ln() - 2.0 * expected)).abs() < 0.02);
    assert!((found.aic - (20.0 - 2.0 * expected)).abs() < 0.02);
}

/// Without a region the density is that of the whole space: against the formula of the normal distribution.
#[test]
fn information_in_the_whole_space() {
    let data = sample(1, 2);
    let (known, full) = (Gaussian::with_variances(&[0.5, 2.0]).unwrap(), Gaussian::full(2));
    let mean = [0.3, -0.2];
    let covariances = [[0.5, 0.0, 2.0], [0.7, 0.2, 0.9]];
    let reported = [mean.to_vec(), [&mean[..], &covariances[1]].concat()];
    for ((model, covariance), reported) in
        [&known as &dyn Model, &full].into_iter().zip(covariances).zip(&reported)
    {
        let theta = model.fitted_from(reported).unwrap();
        let problem = Estimator::mle().check(&data, model).unwrap();
        let found = problem.information(model, &theta).unwrap().unwrap();
        let [a, b, c] = covariance;
        let determinant = a * c - b * b;
        let log = |x: &[f64]| {
            let (u, v) = (x[0] - mean[0], x[1] - mean[1]);
            let square = (c * u * u - 2.0 * b * u * v + a * v * v) / determinant;
            -0.5 * square - (2.0 * std::f64::consts::PI).ln() - 0.5 * determinant.ln()
        };
        let expected: f64 = data.rows().map(log).sum();
        assert!((found.log_likelihood - expected).abs() < 1e-9 * expected.abs());
    }
    // Boundary points do not say how much is inside.
    let problem = Estimator::tksd().boundary(edge()).check(&data, &full).unwrap();
    let theta = full.fitted_from(&reported[1]).unwrap();
    assert_eq!(problem.information(&full, &theta).unwrap(), None);
}
