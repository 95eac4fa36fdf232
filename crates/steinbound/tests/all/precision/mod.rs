//! Precision and coverage where a user gives nothing but the region.
//!
//! The short versions run with the other tests, the long ones with `make simulations`; `make precision` writes
//! their tables into the book's page.

mod settings;
mod tables;

use std::sync::Arc;

use crate::common::{distance, mean_and_error};
use rayon::prelude::*;
use settings::{LINE, Line, Setting};
use steinbound::domain::{BoundarySampling, BoundaryScheme};
use steinbound::fit::Parameter;
use steinbound::inference::{GoodnessOfFit, TestResult};
use steinbound::{Error, Estimator, Fit, Points, simulate};

/// What a method made of one sample.
struct Outcome {
    /// The length of the error of all parameters; `None` if an estimate does not exist.
    error: Option<f64>,
    /// The share of parameters whose interval holds the truth.
    covered: Option<f64>,
    /// Whether the fit calls itself unsound.
    unsound: bool,
}

impl Outcome {
    fn of(fit: Result<Fit, Error>, truth: &[f64]) -> Outcome {
        let Ok(fit) = fit else { return Outcome { error: None, covered: None, unsound: true } };
        let estimates = fit.estimates();
        let error = distance(&estimates, truth);
        let holds = |(p, t): (&Parameter, &f64)| {
            p.lower.is_some_and(|low| low <= *t) && p.upper.is_some_and(|high| *t <= high)
        };
        let covered = fit.parameters.iter().zip(truth).filter(|pair| holds(*pair)).count();
        Outcome {
            error: Some(error).filter(|error| error.is_finite()),
            covered: error.is_finite().then(|| covered as f64 / truth.len() as f64),
            unsound: !fit.is_trustworthy(),
        }
    }
}

/// The same samples, fitted by several methods.
struct Run {
    name: String,
    count: usize,
    /// By seed, each with one outcome for each method.
    outcomes: Vec<Vec<Outcome>>,
}

impl Run {
    fn new(name: &str, count: usize, seeds: u64, of_seed: impl Fn(u64) -> Vec<Outcome> + Sync) -> Run {
        let outcomes = (0..seeds).into_par_iter().map(|seed| of_seed(30_000 + seed)).collect();
        Run { name: name.to_string(), count, outcomes }
    }

    /// The mean error of a method over that of another, with its standard error, on samples where both exist.
    fn ratio(&self, method: usize, to: usize) -> (f64, f64) {
        let pairs: Vec<(f64, f64)> =
            self.outcomes.iter().filter_map(|o| o[method].error.zip(o[to].error)).collect();
        let count = pairs.len() as f64;
        let (own, other) = pairs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let ratio = own / other;
        let spread: f64 = pairs.iter().map(|(x, y)| (x - ratio * y).powi(2)).sum();
        (ratio, spread.sqrt() / other * (count / (count - 1.0)).sqrt())
    }

    /// The share of intervals that hold the truth, and its standard error.
    fn coverage(&self, method: usize) -> (f64, f64) {
        let shares: Vec<f64> = self.outcomes.iter().filter_map(|o| o[method].covered).collect();
        mean_and_error(&shares)
    }

    /// The share of fits that call themselves unsound.
    fn unsound(&self, method: usize) -> f64 {
        self.outcomes.iter().filter(|o| o[method].unsound).count() as f64 / self.outcomes.len() as f64
    }
}

/// Nothing but the region is given.
fn by_region(setting: &Setting, count: usize, seeds: u64, methods: &[Estimator]) -> Run {
    Run::new(setting.name, count, seeds, |seed| {
        let data = setting.sample(count, seed);
        let fit = |estimator: &Estimator| {
            let estimator = estimator.clone().domain(Arc::clone(&setting.region));
            Outcome::of(estimator.fit(&data, setting.model.as_ref()), &setting.truth)
        };
        methods.iter().map(fit).collect()
    })
}

/// Efficient and tksd know nothing but points on the boundary, the likelihood knows the region.
fn by_points(setting: &Setting, count: usize, points: usize, seeds: u64) -> Run {
    let sampling = BoundarySampling::new(points).scheme(BoundaryScheme::Even);
    let edge: Points<'static> =
        setting.region.sample_boundary(&sampling, &mut simulate::stream(0, 1)).unwrap();
    let name = format!("{}, {points} boundary points", setting.name);
    Run::new(&name, count, seeds, |seed| {
        let data = setting.sample(count, seed);
        let fit =
            |estimator: Estimator| Outcome::of(estimator.fit(&data, setting.model.as_ref()), &setting.truth);
        vec![
            fit(Estimator::truncated_mle().domain(Arc::clone(&setting.region))),
            fit(Estimator::efficient().boundary(edge.clone())),
            fit(Estimator::tksd().boundary(edge.clone())),
        ]
    })
}

fn of_lines(count: usize, seeds: u64) -> Run {
    Run::new("regression of the paper", count, seeds, |seed| {
        let line = Line::new(count, seed);
        let fit = |estimator: Estimator| Outcome::of(line.fit(estimator), &LINE);
        vec![fit(Estimator::truncated_mle()), fit(Estimator::efficient()), fit(Estimator::tksd())]
    })
}

/// The places of the methods in the outcomes of a comparison.
const LIKELIHOOD: usize = 0;
const EFFICIENT: usize = 1;
const TKSD: usize = 2;

fn all_methods() -> Vec<Estimator> {
    vec![Estimator::truncated_mle(), Estimator::efficient(), Estimator::tksd()]
}

/// The mean error of efficient over that of truncated likelihood on the same samples is at most this, and that
/// over tksd at most 1; few samples leave two standard errors to chance.
fn is_precise(run: &Run, most: f64, slack: f64) {
    let ((ratio, error), (to_tksd, tksd_error)) =
        (run.ratio(EFFICIENT, LIKELIHOOD), run.ratio(EFFICIENT, TKSD));
    let what = format!("{}, n = {}", run.name, run.count);
    println!(
        "{what}: {ratio:.3} +- {error:.3} of truncated likelihood, {to_tksd:.3} +- {tksd_error:.3} of tksd"
    );
    assert!(ratio <= most + slack * error, "{what}: {ratio} +- {error}");
    assert!(to_tksd <= 1.0 + slack * tksd_error, "{what}: {to_tksd} +- {tksd_error} of tksd");
}

/// Intervals of 95 % hold the truth in 92 to 97 % of samples, and at most 5 % of the fits call themselves unsound;
/// few samples leave two standard errors to chance.
fn holds(run: &Run, method: usize, slack: f64) {
    let ((share, error), unsound) = (run.coverage(method), run.unsound(method));
    let what = format!("{}, n = {}", run.name, run.count);
    println!("{what}: covered {share:.3} +- {error:.3}, unsound {unsound:.3}");
    assert!((0.92 - slack * error..=0.97 + slack * error).contains(&share), "{what}: {share} +- {error}");
    let chance = slack * (0.05 * 0.95 / run.outcomes.len() as f64).sqrt();
    assert!(unsound <= 0.05 + chance, "{what}: {unsound} unsound");
}

/// A setting with its number of observations, the largest ratio of errors, and a number of samples that takes
/// about as long as that of the others.
type Comparison = (Setting, usize, f64, u64);

fn comparisons() -> Vec<Comparison> {
    vec![
        (settings::ball(2, "ball, d = 2, mean"), 300, 1.06, 400),
        (settings::ball(6, "ball, d = 6, mean"), 600, 1.05, 100),
        (settings::box_mean(), 300, 1.08, 400),
        (settings::box_full(), 300, 1.10, 400),
        (settings::box_of_four(), 500, 1.08, 100),
        (settings::united_states(), 400, 1.12, 200),
        (settings::united_states(), 4_000, 1.05, 100),
        (settings::two_modes(), 900, 1.07, 400),
    ]
}

fn regions() -> Vec<(Setting, usize, u64)> {
    vec![
        (settings::disc(), 500, 400),
        (settings::disc(), 3_000, 400),
        (settings::disc(), 10_000, 200),
        (settings::disc(), 100_000, 100),
        (settings::ring(), 1_000, 400),
        (settings::strip(), 1_000, 400),
        (settings::interval(), 500, 400),
        (settings::cross_polytope(), 1_000, 100),
        (settings::ball_of_five(), 2_000, 60),
        (settings::whole_united_states(), 1_000, 200),
        (settings::square_with_hole(), 1_000, 400),
        (settings::u_shape(), 1_000, 400),
        (settings::u_shape(), 5_000, 200),
        (settings::ragged_coast(), 1_000, 200),
        (settings::ragged_coast(), 5_000, 100),
        (settings::box_of_four(), 2_000, 100),
        (settings::cylinder(), 1_000, 100),
        (settings::half_space(), 1_000, 400),
    ]
}

#[test]
fn efficient_is_nearly_as_precise_as_likelihood() {
    let few = [settings::ball(2, "ball, d = 2, mean"), settings::box_mean(), settings::box_full()];
    for (setting, most) in few.iter().zip([1.06, 1.08, 1.10]) {
        let run = by_region(setting, 300, 60, &all_methods());
        is_precise(&run, most, 2.0);
        holds(&run, EFFICIENT, 2.0);
    }
    is_precise(&of_lines(400, 60), 1.10, 2.0);
    is_precise(&by_points(&few[0], 300, 200, 60), 1.09, 2.0);
}

#[test]
fn intervals_hold_where_nothing_but_the_region_is_known() {
    for (setting, count) in [
        (settings::disc(), 3_000),
        (settings::ring(), 1_000),
        (settings::strip(), 1_000),
        (settings::square_with_hole(), 1_000),
        (settings::u_shape(), 1_000),
        (settings::half_space(), 1_000),
    ] {
        holds(&by_region(&setting, count, 40, &[Estimator::efficient()]), 0, 2.0);
    }
}

/// A test of the true model, whose parameters are fitted, with nothing but the region.
fn tested(setting: &Setting, count: usize, draws: usize, seed: u64) -> TestResult {
    let data = setting.sample(count, seed);
    let estimator = Estimator::efficient().domain(Arc::clone(&setting.region)).seed(seed);
    let problem = estimator.check(&data, setting.model.as_ref()).unwrap();
    problem.test(&problem.fit().unwrap(), &GoodnessOfFit::new().draws(draws)).unwrap()
}

/// The share of tests of the true model that reject at the level 5 %, within 3 to 7 % or two standard errors.
fn holds_its_level(setting: &Setting, count: usize, datasets: u64, draws: usize) -> (f64, f64) {
    let of = |seed: u64| f64::from(u8::from(tested(setting, count, draws, 60_000 + seed).rejected));
    let shares: Vec<f64> = (0..datasets).into_par_iter().map(of).collect();
    let (share, _) = mean_and_error(&shares);
    println!("{}, n = {count}: rejects {share:.3} of {datasets} true models", setting.name);
    let chance = 2.0 * (0.05 * 0.95 / datasets as f64).sqrt();
    assert!((0.03 - chance..=0.07 + chance).contains(&share), "{}: {share}", setting.name);
    (share, (share * (1.0 - share) / datasets as f64).sqrt())
}

#[test]
fn a_true_model_is_rejected_at_the_level() {
    holds_its_level(&settings::disc(), 200, 60, 39);
}
