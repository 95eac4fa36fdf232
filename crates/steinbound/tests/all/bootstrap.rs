//! The bootstrap against what it must equal: refits of repeated rows, the sandwich, other numbers of threads.

use crate::common::{MODES, ball, edge, modes, prepared_line, two_modes};
use rand::RngExt;
use steinbound::inference::{Bootstrap, Interval, Resampling};
use steinbound::model::{Gaussian, Model};
use steinbound::stein::Statistic;
use steinbound::{Error, Estimator, Fit, Matrix, Points, ResamplingError, simulate};

fn bootstrapped(estimator: &Estimator, data: &Points, model: &dyn Model, settings: &Bootstrap) -> Fit {
    let problem = estimator.check(data, model).unwrap();
    problem.bootstrap(problem.fit().unwrap(), settings).unwrap()
}

/// The first replicate, from rows that are really repeated, with the bandwidth of the data.
#[test]
fn resampling_is_reweighting() {
    let setting = ball(2, 300, 3);
    let model = Gaussian::full(2);
    let bandwidth = steinbound::kernel::Bandwidth::Median.resolve(&setting.data, 0).unwrap();
    let estimator = Estimator::tksd()
        .boundary(setting.boundary.clone())
        .bandwidth(steinbound::kernel::Bandwidth::Fixed(bandwidth))
        .seed(11);
    let fit = bootstrapped(&estimator, &setting.data, &model, &Bootstrap::new(39));
    let rng = &mut simulate::stream(11, simulate::tasks::BOOTSTRAP);
    let rows: Vec<&[f64]> = (0..300).map(|_| setting.data.row(rng.random_range(0..300))).collect();
    let again = estimator.fit(&Points::from_rows(&rows).unwrap(), &model).unwrap();
    let replicates = &fit.bootstrap.as_ref().unwrap().estimates;
    let first: Vec<f64> = (0..5).map(|k| replicates[(0, k)]).collect();
    crate::common::assert_close(&first, &again.estimates(), 1e-8, "first replicate");
}

/// Every kind of estimator: standard errors like those of the sandwich, which 400 replicates know to 4 %.
#[test]
fn standard_errors_agree_with_the_sandwich() {
    let setting = ball(2, 500, 5);
    let agree = |what: &str, by_sandwich: &Fit, by_bootstrap: &Fit| {
        assert_eq!(by_bootstrap.covariance_type, steinbound::fit::CovarianceKind::Bootstrap);
        for (a, b) in by_sandwich.std_errors().iter().zip(by_bootstrap.std_errors()) {
            println!("{what}: sandwich {a:.4}, bootstrap {b:.4}");
            assert!((b / a - 1.0).abs() < 0.2, "{what}: {a} {b}");
        }
    };
    let estimators = [
        Estimator::tksd(),
        Estimator::tksd().statistic(Statistic::U),
        Estimator::bdksd(),
        Estimator::truncsm(),
        Estimator::truncated_mle(),
    ];
    for estimator in estimators {
        let estimator = estimator.domain(setting.domain.clone()).boundary(setting.boundary.clone());
        let problem = estimator.check(&setting.data, &setting.model).unwrap();
        let fit = problem.fit().unwrap();
        for resampling in [Resampling::Nonparametric, Resampling::Parametric] {
            let settings = Bootstrap::new(400).resampling(resampling);
            let again = problem.bootstrap(fit.clone(), &settings).unwrap();
            agree(&format!("{} {resampling:?}", fit.setup.method.name()), &fit, &again);
        }
    }
    let regression = prepared_line(1);
    let estimator = regression.estimator(&Estimator::tksd());
    let fit = estimator.fit(&regression.points, &regression.model).unwrap();
    for resampling in [Resampling::Nonparametric, Resampling::Parametric] {
        let settings = Bootstrap::new(400).resampling(resampling);
        let again = bootstrapped(&estimator, &regression.points, &regression.model, &settings);
        agree(&format!("regression {resampling:?}"), &fit, &again);
    }
    let (data, estimator) = (modes(600, 8), Estimator::tksd().boundary(edge()).start(MODES.to_vec()));
    let fit = estimator.fit(&data, &two_modes()).unwrap();
    agree("two modes", &fit, &bootstrapped(&estimator, &data, &two_modes(), &Bootstrap::new(200)));
}

/// Observations that come in identical fours: resampling them one by one makes believe that there are four
/// times as many.
#[test]
fn clusters_are_drawn_whole() {
    let setting = ball(2, 100, 9);
    let rows: Vec<&[f64]> = (0..400).map(|i| setting.data.row(i / 4)).collect();
    let labels: Vec<usize> = (0..400).map(|i| i / 4).collect();
    let data = Points::from_rows(&rows).unwrap();
    let bandwidth = steinbound::kernel::Bandwidth::Fixed(1.0);
    let estimator = Estimator::tksd().boundary(setting.boundary.clone()).bandwidth(bandwidth);
    let single = bootstrapped(&estimator, &setting.data, &setting.model, &Bootstrap::new(300)).std_errors();
    let apart = bootstrapped(&estimator, &data, &setting.model, &Bootstrap::new(300)).std_errors();
    let clustered = data.with_clusters(&labels).unwrap();
    let together = bootstrapped(&estimator, &clustered, &setting.model, &Bootstrap::new(300)).std_errors();
    for k in 0..2 {
        // The same draws of the same units, but for what is rounding.
        assert!((together[k] / single[k] - 1.0).abs() < 1e-6, "{together:?} {single:?}");
        assert!(apart[k] < 0.65 * together[k], "{apart:?} {together:?}");
    }
    let problem = estimator.domain(setting.domain.clone()).check(&clustered, &setting.model).unwrap();
    let settings = Bootstrap::new(50).resampling(Resampling::Parametric);
    let refused = problem.bootstrap(problem.fit().unwrap(), &settings).unwrap_err();
    assert!(matches!(refused, Error::Resampling(ResamplingError::NoSampling { .. })), "{refused}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let setting = ball(2, 150, 4);
    let run = |threads: usize, resampling: Resampling| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let estimator = Estimator::tksd().boundary(setting.boundary.clone()).domain(setting.domain.clone());
        let settings = Bootstrap::new(70).resampling(resampling);
        let fit = pool.install(|| bootstrapped(&estimator, &setting.data, &setting.model, &settings));
        fit.bootstrap.unwrap().estimates
    };
    for resampling in [Resampling::Nonparametric, Resampling::Parametric] {
        let one = run(1, resampling);
        assert!([2, 3, 7].into_iter().all(|threads| run(threads, resampling) == one));
    }
}

#[test]
fn mapped_fits_keep_their_replicates() {
    let setting = ball(2, 200, 6);
    let estimator = Estimator::tksd().boundary(setting.boundary.clone());
    let fit = bootstrapped(&estimator, &setting.data, &setting.model, &Bootstrap::new(199));
    let curved = |x: &[f64]| {
        let values: Vec<f64> = x.iter().map(|v| v.exp()).collect();
        Some((values.clone(), Matrix::diagonal(&values)))
    };
    let mapped = fit.clone().mapped(curved);
    for (a, b) in fit.parameters.iter().zip(&mapped.parameters) {
        // With 199 replicates the ends are order statistics, which a monotone map takes to each other.
        assert!((a.lower.unwrap().exp() / b.lower.unwrap() - 1.0).abs() < 1e-9);
        assert!((a.upper.unwrap().exp() / b.upper.unwrap() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn whoever_watches_can_stop_it() {
    let setting = ball(2, 50, 6);
    let estimator = Estimator::tksd().boundary(setting.boundary.clone());
    let problem = estimator.check(&setting.data, &setting.model).unwrap();
    let stop = |done: usize, _: usize| done < 100;
    let settings = Bootstrap::new(400).progress(&stop);
    let error = problem.bootstrap(problem.fit().unwrap(), &settings).unwrap_err();
    assert!(
        matches!(error, Error::Interrupted(stopped) if stopped.draws.is_some_and(|(done, _)| done < 200))
    );
    let normal = bootstrapped(
        &estimator,
        &setting.data,
        &setting.model,
        &Bootstrap::new(30).interval(Interval::Normal),
    );
    let p = &normal.parameters[0];
    let middle = 0.5 * (p.lower.unwrap() + p.upper.unwrap());
    assert!((middle - p.estimate.unwrap()).abs() < 1e-12);
}
