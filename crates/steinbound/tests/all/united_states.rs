//! The paper's map example, on the real rings of the border.

use std::sync::Arc;

use crate::common::mean_and_error;
use rayon::prelude::*;
use steinbound::domain::{BoundarySampling, Domain, Polygon, contiguous_united_states};
use steinbound::model::Gaussian;
use steinbound::{Estimator, Points, simulate};

const TRUTH: [f64; 2] = [-115.0, 35.0];

fn model() -> Gaussian {
    Gaussian::with_variance(2, 10.0).unwrap()
}

fn sample(border: &Polygon, seed: u64) -> Points<'static> {
    simulate::truncated(&model(), &TRUTH, border, 400, &mut simulate::stream(seed, 0)).unwrap().points
}

#[test]
fn mean_errors_over_64_seeds() {
    let border = Arc::new(contiguous_united_states().unwrap());
    // Drawn once, since every method takes the same points.
    let draws: Vec<(Points<'static>, Points<'static>)> = (0..64)
        .into_par_iter()
        .map(|seed| {
            let rng = &mut simulate::stream(seed, 1);
            let edge = border.sample_boundary(&BoundarySampling::new(200), rng).unwrap();
            (sample(&border, seed), edge)
        })
        .collect();
    let run = |estimator: &(dyn Fn(Points<'static>) -> Estimator + Sync)| {
        let errors: Vec<f64> = draws
            .par_iter()
            .map(|(data, edge)| {
                let fit = estimator(edge.clone()).fit(data, &model()).unwrap();
                (fit.estimates()[0] - TRUTH[0]).hypot(fit.estimates()[1] - TRUTH[1])
            })
            .collect();
        mean_and_error(&errors)
    };
    let tksd = run(&|edge| Estimator::tksd().boundary(edge));
    let truncsm = run(&|_| Estimator::truncsm().domain(border.clone()));
    let likelihood = run(&|_| Estimator::truncated_mle().domain(border.clone()));
    let naive = run(&|_| Estimator::mle());
    println!("tksd {tksd:?}, truncsm {truncsm:?}, truncated mle {likelihood:?}, mle {naive:?}");
    assert!(tksd.0 <= 0.32, "{tksd:?}");
    assert!(likelihood.0 <= 0.27, "{likelihood:?}");
    assert!((truncsm.0 - 0.269).abs() < 3.0 * truncsm.1, "{truncsm:?}");
    assert!(naive.0 > 1.0, "{naive:?}");
}

/// In a corner of the map, on a ragged coast, the integral is exact to a tenth of a standard error, and the
/// estimate is good.
#[test]
fn a_likelihood_on_a_ragged_coast_is_told_how_exact_it_is() {
    let border = Arc::new(contiguous_united_states().unwrap());
    let (model, truth) = (Gaussian::with_variance(2, 0.3).unwrap(), [-80.2, 25.8]);
    let data =
        simulate::truncated(&model, &truth, border.as_ref(), 400, &mut simulate::stream(1, 0)).unwrap();
    let fit = Estimator::truncated_mle().domain(border).fit(&data.points, &model).unwrap();
    assert!(fit.converged, "{:?}", fit.warnings);
    assert!(fit.warnings.iter().any(|text| text.contains("% of its standard error")), "{:?}", fit.warnings);
    for (p, truth) in fit.parameters.iter().zip(truth) {
        assert!((p.estimate.unwrap() - truth).abs() < 3.0 * p.std_error.unwrap(), "{p:?}");
    }
}
