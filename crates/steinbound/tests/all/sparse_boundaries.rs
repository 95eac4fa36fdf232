//! A warning tells where boundary points leave a bias that the standard errors do not know of, and nowhere
//! else.
//!
//! The bias is seen in each sample: the same data are fitted with a dense boundary and a small ridge,
//! everything else alike.

use std::sync::Arc;

use crate::common::square;
use rayon::prelude::*;
use steinbound::domain::{Ball, Complement, Cuboid, Domain, Intersection, contiguous_united_states};
use steinbound::kernel::Bandwidth;
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::{Estimator, Fit, simulate};

struct Case {
    name: &'static str,
    domain: Arc<dyn Domain>,
    model: Gaussian,
    /// The density behind the truncation.
    drawn: Gaussian,
    truth: Vec<f64>,
    /// Numbers of boundary points, and one that is more than enough.
    counts: &'static [usize],
    dense: usize,
}

fn disc(radius: f64, dimension: usize) -> Arc<dyn Domain> {
    Arc::new(Ball::new(radius).unwrap().in_dimension(dimension))
}

fn ring(inner: f64) -> Arc<dyn Domain> {
    let hole = Arc::new(Complement::new(disc(inner, 2)));
    Arc::new(Intersection::new(vec![disc(2.0, 2), hole]).unwrap())
}

fn cases() -> Vec<Case> {
    let known = |d: usize| Gaussian::with_variance(d, 1.0).unwrap();
    let square: Arc<dyn Domain> = Arc::new(Cuboid::uniform(-1.0, 1.0, 2).unwrap());
    let cube: Arc<dyn Domain> = Arc::new(Cuboid::uniform(-1.0, 1.0, 3).unwrap());
    let case = |name, domain: Arc<dyn Domain>, model, counts, dense| {
        let d = domain.dimension();
        Case { name, domain, model, drawn: known(d), truth: vec![0.5; d], counts, dense }
    };
    let strip: Arc<dyn Domain> = Arc::new(Cuboid::new(vec![-1.0, -20.0], vec![1.0, 20.0]).unwrap());
    let corner = contiguous_united_states().unwrap();
    let wide = Gaussian::with_variances(&[4.0, 30.0]).unwrap();
    let narrow = Gaussian::with_variance(2, 0.3).unwrap();
    vec![
        case("disc, mean", disc(1.44, 2), known(2), &[6, 8, 12, 16, 32][..], 400),
        case("disc", disc(1.44, 2), Gaussian::full(2), &[6, 8, 12, 16, 32], 400),
        case("ring", ring(1.0), Gaussian::full(2), &[16, 32, 64, 128, 400], 400),
        case("narrow ring", ring(1.6), Gaussian::full(2), &[16, 64, 400], 400),
        case("square", square, Gaussian::full(2), &[8, 12, 16, 32, 64], 400),
        case("cube, mean", cube, known(3), &[24, 72, 288], 1000),
        Case { drawn: wide, ..case("strip", strip, Gaussian::full(2), &[32, 64, 200, 400], 1000) },
        Case {
            drawn: narrow.clone(),
            truth: vec![-80.2, 25.8],
            ..case("corner of a map, mean", Arc::new(corner), narrow, &[200, 400, 1000], 2000)
        },
        case("ball", disc(2.0, 4), Gaussian::full(4), &[32, 64, 128, 256], 1000),
        case("ball, mean", disc(2.6, 6), known(6), &[72, 144, 288], 1000),
    ]
}

/// How many standard errors two estimates are apart, on average.
fn apart(one: &Fit, other: &Fit) -> f64 {
    let natural =
        |fit: &Fit| if fit.natural.is_empty() { fit.parameters.clone() } else { fit.natural.clone() };
    let (one, other) = (natural(one), natural(other));
    let squares = one
        .iter()
        .zip(&other)
        .map(|(a, b)| ((a.estimate.unwrap() - b.estimate.unwrap()) / b.std_error.unwrap()).powi(2));
    (squares.sum::<f64>() / one.len() as f64).sqrt()
}

fn is_sparse(fit: &Fit) -> bool {
    fit.warnings.iter().any(|warning| {
        warning.contains("do not include the resulting bias") || warning.contains("do not use it")
    })
}

fn check(count: usize, seeds: u64) {
    let mut pooled = Vec::new();
    for case in cases() {
        let of_seed = |seed: u64| {
            let rng = &mut simulate::stream(seed, 3);
            let data = simulate::truncated(&case.drawn, &case.truth, case.domain.as_ref(), count, rng)
                .unwrap()
                .points;
            let base = Estimator::tksd().domain(case.domain.clone()).seed(seed);
            let problem = |estimator: &Estimator| estimator.check(&data, &case.model).unwrap();
            let dense = base.clone().ridge(1e-5).boundary_points(case.dense);
            let dense = problem(&dense).fit().unwrap();
            let base = base.bandwidth(Bandwidth::Fixed(dense.setup.kernel.as_ref().unwrap().bandwidth));
            let of = |m: &usize| {
                let (fit, _) = problem(&base.clone().boundary_points(*m)).fit_diagnosed().unwrap();
                (apart(&fit, &dense), is_sparse(&fit))
            };
            case.counts.iter().map(of).collect::<Vec<_>>()
        };
        let all: Vec<Vec<(f64, bool)>> = (0..seeds).into_par_iter().map(of_seed).collect();
        for (k, m) in case.counts.iter().enumerate() {
            let mean = all.iter().map(|found| found[k].0).sum::<f64>() / seeds as f64;
            let told = all.iter().filter(|found| found[k].1).count() as f64 / seeds as f64;
            pooled.extend(all.iter().map(|found| found[k]));
            println!("{}, {m} boundary points: {mean:.2} standard errors off, told in {told:.2}", case.name);
        }
    }
    let share = |what: &str, holds: &dyn Fn(f64) -> bool| {
        let some: Vec<bool> = pooled.iter().filter(|(off, _)| holds(*off)).map(|(_, told)| *told).collect();
        let told = some.iter().filter(|told| **told).count();
        println!("{count} observations, {what} off: {told} of {} are told", some.len());
        assert!(some.len() > 10, "{what}");
        told as f64 / some.len() as f64
    };
    assert!(share("less than a tenth of a standard error", &|off| off < 0.1) < 0.05);
    assert!(share("more than one and a half", &|off| off > 1.5) > 0.95);
    share("something between", &|off| (0.1..1.5).contains(&off));
}

#[test]
fn biases_are_told() {
    check(400, 3);
}

#[test]
#[ignore = "long: make simulations"]
fn biases_are_told_in_many_samples() {
    check(400, 40);
    check(2000, 20);
}

/// The ring that used to be fitted wrongly without a word, and the remedy that the warning names.
#[test]
fn a_ring_wants_a_smaller_ridge() {
    let (domain, known) = (ring(1.0), Gaussian::with_variance(2, 1.0).unwrap());
    let rng = &mut simulate::stream(1, 0);
    let data = simulate::truncated(&known, &[0.5, 0.5], domain.as_ref(), 1000, rng).unwrap().points;
    let estimator = Estimator::tksd().domain(domain);
    let off = |fit: &Fit| (fit.parameters[2].estimate.unwrap() - 1.0) / fit.parameters[2].std_error.unwrap();
    let wide = estimator.clone().boundary_points(32).fit(&data, &Gaussian::full(2)).unwrap();
    let warning = wide.warnings.iter().find(|text| text.contains("ridge is too large")).unwrap();
    assert!(warning.contains("use a smaller ridge, such as 1e-5"), "{warning}");
    let good = estimator.clone().boundary_points(32).ridge(1e-5).fit(&data, &Gaussian::full(2)).unwrap();
    assert!(!is_sparse(&good), "{:?}", good.warnings);
    assert!(off(&wide) > 2.0 && off(&good).abs() < 2.0, "{} {}", off(&wide), off(&good));
    // Told nothing but the region, it finds a bandwidth and a boundary that do.
    let alone = estimator.fit(&data, &Gaussian::full(2)).unwrap();
    assert!(alone.converged && off(&alone).abs() < 2.0, "{} {:?}", off(&alone), alone.warnings);
}

/// The search with a better boundary starts at the estimate, in the parameters that are fitted and not in
/// those that are reported.
#[test]
fn a_mixture_stays_where_it_is() {
    let model = GaussianMixture::new(2, 2).unwrap().spherical().estimate_weights();
    let theta = model.fitted_from(&[-1.2, -0.8, 1.4, 0.9, 0.35, 0.65, 0.5, 0.4]).unwrap();
    let data =
        simulate::truncated(&model, &theta, square().as_ref(), 900, &mut simulate::stream(5, 0)).unwrap();
    let estimator = Estimator::tksd().domain(square()).boundary_points(200);
    let (fit, found) = estimator.check(&data.points, &model).unwrap().fit_diagnosed().unwrap();
    assert!(fit.converged && !is_sparse(&fit), "{:?}", fit.warnings);
    let moves = found.boundary_moves.unwrap();
    assert!(moves.standard_errors < 0.5, "{moves:?}");
}
