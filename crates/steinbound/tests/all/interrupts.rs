//! Whatever is computed ends soon after an interrupt is raised, with an error and never with half a result.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rand::RngExt;
use steinbound::domain::{Ball, Cuboid};
use steinbound::fit::{Compute, Interrupt, Problem};
use steinbound::inference::{Bootstrap, GoodnessOfFit, Null, Resampling};
use steinbound::kernel::Bandwidth;
use steinbound::model::{Gaussian, GaussianMixture};
use steinbound::{Error, Estimator, Points, simulate};

use crate::common::{MODES, edge, modes, square, two_modes};

/// How long the work runs before it is interrupted.
const HEAD_START: Duration = Duration::from_millis(50);

/// What is far more than it takes to end, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// Raises the interrupt while the job runs and asserts that it ends as it should.
#[track_caller]
fn ends_soon<T>(what: &str, interrupt: &Interrupt, job: impl FnOnce() -> Result<T, Error>) {
    let handle = interrupt.clone();
    let raising = thread::spawn(move || {
        thread::sleep(HEAD_START);
        handle.raise();
        Instant::now()
    });
    let outcome = job();
    let ended = Instant::now();
    let took = ended.saturating_duration_since(raising.join().unwrap());
    let error = outcome.err().unwrap_or_else(|| panic!("{what} was not interrupted"));
    assert!(error.is_interrupted(), "{what}: {error}");
    assert!(error.to_string().starts_with("interrupted"), "{error}");
    assert!(took < PATIENCE, "{what} went on for {took:?}");
    eprintln!("{what} ended after {:.0} ms", 1e3 * took.as_secs_f64());
}

/// So many points, evenly spread in the unit square.
fn spread(count: usize) -> Points<'static> {
    let rng = &mut simulate::stream(3, 0);
    Points::new((0..2 * count).map(|_| rng.random::<f64>()).collect::<Vec<_>>(), 2).unwrap()
}

fn unit_square() -> Arc<Cuboid> {
    Arc::new(Cuboid::uniform(0.0, 1.0, 2).unwrap())
}

fn problem_of<'a>(
    estimator: &Estimator,
    data: &'a Points<'a>,
    model: &'a Gaussian,
    interrupt: &Interrupt,
) -> Problem<'a> {
    estimator.clone().interrupt(interrupt.clone()).check(data, model).unwrap()
}

#[test]
fn passes_over_pairs_end() {
    let (data, model) = (spread(60_000), Gaussian::full(2));
    for (what, estimator) in [
        ("tiled tksd", Estimator::tksd().compute(Compute::Tiled)),
        ("tiled bdksd", Estimator::bdksd().compute(Compute::Tiled)),
    ] {
        let interrupt = Interrupt::new();
        let estimator = estimator.domain(unit_square()).interrupt(interrupt.clone());
        ends_soon(what, &interrupt, || estimator.fit(&data, &model));
    }
    let (interrupt, some) = (Interrupt::new(), spread(8_000));
    let estimator = Estimator::ksd().compute(Compute::Dense).bandwidth(Bandwidth::Fixed(0.3));
    let estimator = estimator.interrupt(interrupt.clone());
    ends_soon("dense ksd", &interrupt, || {
        (0..).find_map(|_| estimator.check(&some, &model).err()).map_or(Ok(()), Err)
    });
    let interrupt = Interrupt::new();
    let problem = problem_of(&Estimator::ksd().compute(Compute::Tiled), &data, &model, &interrupt);
    ends_soon("discrepancy and witness", &interrupt, || {
        problem.discrepancy(&[0.5, 0.5, 0.1, 0.0, 0.1])?;
        problem.witness(&[0.5, 0.5, 0.1, 0.0, 0.1], &data)
    });
}

#[test]
fn low_rank_forms_end() {
    let (data, model) = (spread(1_000_000), Gaussian::full(2));
    for head in [0, 1] {
        let interrupt = Interrupt::new();
        let estimator = Estimator::tksd().domain(unit_square()).boundary_points(200);
        let estimator = estimator.compute(Compute::LowRank).bandwidth(Bandwidth::Fixed(0.15));
        let estimator = estimator.interrupt(interrupt.clone());
        if head == 0 {
            ends_soon("low rank, from the beginning", &interrupt, || estimator.fit(&data, &model));
        } else {
            let problem = estimator.check(&data, &model).unwrap();
            ends_soon("low rank, the fit", &interrupt, || problem.fit());
        }
    }
}

#[test]
fn searches_end() {
    let data = modes(12_000, 1);
    let mixture = GaussianMixture::new(2, 3).unwrap();
    for (what, estimator) in [
        ("tksd of a mixture", Estimator::tksd().boundary(edge())),
        ("truncsm of a mixture", Estimator::truncsm()),
    ] {
        let interrupt = Interrupt::new();
        let estimator = estimator.domain(square()).interrupt(interrupt.clone());
        ends_soon(what, &interrupt, || estimator.fit(&data, &mixture));
    }
}

#[test]
fn truncated_likelihoods_end() {
    let ball = Arc::new(Ball::new(2.0).unwrap().in_dimension(3));
    let mixture = GaussianMixture::new(3, 2).unwrap();
    let means = [-0.8, -0.8, 0.0, 0.8, 0.8, 0.2];
    let rng = &mut simulate::stream(2, 0);
    let data = simulate::truncated(&mixture, &means, ball.as_ref(), 3_000, rng).unwrap().points;
    let interrupt = Interrupt::new();
    let estimator = Estimator::truncated_mle().domain(ball).interrupt(interrupt.clone());
    ends_soon("truncated likelihood in 3 dimensions", &interrupt, || estimator.fit(&data, &mixture));
}

#[test]
fn resampling_ends() {
    let (data, model) = (spread(3_000), Gaussian::full(2));
    let estimator = Estimator::tksd().domain(unit_square());
    let fit = estimator.fit(&data, &model).unwrap();
    for resampling in [Resampling::Nonparametric, Resampling::Parametric] {
        let interrupt = Interrupt::new();
        let problem = problem_of(&estimator, &data, &model, &interrupt);
        let settings = Bootstrap::new(20_000).resampling(resampling);
        ends_soon("bootstrap", &interrupt, || problem.bootstrap(fit.clone(), &settings));
    }
    for null in [Null::Wild, Null::Parametric] {
        let interrupt = Interrupt::new();
        let problem = problem_of(&estimator, &data, &model, &interrupt);
        let settings = GoodnessOfFit::new().draws(20_000).null(null);
        ends_soon("test", &interrupt, || problem.test(&fit, &settings));
    }
    let data = spread(15_000);
    for kind in ["tuning", "sensitivity"] {
        let interrupt = Interrupt::new();
        let estimator = estimator.clone().interrupt(interrupt.clone());
        ends_soon(kind, &interrupt, || match kind {
            "tuning" => estimator.fit_tuned(&data, &model).map(|_| ()),
            _ => estimator.sensitivity(&data, &model).map(|_| ()),
        });
    }
    // A mean so far from the square that hardly any draw falls inside.
    let (interrupt, normal) = (Interrupt::new(), Gaussian::with_variance(2, 1.0).unwrap());
    ends_soon("sampling", &interrupt, || {
        let rng = &mut simulate::stream(1, 0);
        let square = unit_square();
        let inside = simulate::Inside::direct(&normal, &[4.0, 0.5], square.as_ref())?;
        inside.interrupt(interrupt.clone()).sample(1_000_000, rng)
    });
}

/// What was interrupted stays so, wherever it is asked; what was not has the bits that it always had.
#[test]
fn every_entry_tells() {
    let (data, model) = (modes(400, 3), two_modes());
    let interrupt = Interrupt::new();
    let plain = Estimator::tksd().boundary(edge());
    let estimator = plain.clone().interrupt(interrupt.clone());
    let problem = estimator.check(&data, &model).unwrap();
    let fit = problem.fit().unwrap();
    assert_eq!(fit.estimates(), plain.fit(&data, &model).unwrap().estimates());
    assert!(!interrupt.is_raised());
    interrupt.raise();
    let places = Points::from_rows(&[[0.1, 0.2]]).unwrap();
    let outcomes: [(&str, Option<Error>); 12] = [
        ("check", estimator.check(&data, &model).err()),
        ("fit", estimator.fit(&data, &model).err()),
        ("check_tuned", estimator.check_tuned(&data, &model).err()),
        ("fit_tuned", estimator.fit_tuned(&data, &model).err()),
        ("sensitivity", estimator.sensitivity(&data, &model).err()),
        ("problem", problem.fit().err()),
        ("bootstrap", problem.bootstrap(fit.clone(), &Bootstrap::new(50)).err()),
        ("test", problem.test(&fit, &GoodnessOfFit::new()).err()),
        ("test_at", problem.test_at(&MODES, &GoodnessOfFit::new()).err()),
        ("diagnose", problem.diagnose(&fit).err()),
        ("discrepancy", problem.discrepancy(&MODES).err()),
        ("witness", problem.witness(&MODES, &places).err()),
    ];
    for (what, error) in outcomes {
        assert!(error.as_ref().is_some_and(Error::is_interrupted), "{what}: {error:?}");
    }
    assert!(problem.discrepancy_under(&model, &MODES).unwrap_err().is_interrupted());
    assert!(problem.boundary_leaks(50).unwrap_err().is_interrupted());
}
