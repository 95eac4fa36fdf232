//! Models that answer for all points at once are fitted as those that are asked point by point.

use std::sync::atomic::{AtomicUsize, Ordering};

use steinbound::domain::Ball;
use steinbound::inference::{Bootstrap, GoodnessOfFit, Null};
use steinbound::model::{
    Autodiff, Batches, Density, DualNum, Gaussian, Model, Number, Reported, Search, Wanted, conformance,
};
use steinbound::{Estimator, Fit, Matrix, ModelError, Points, simulate};

use crate::common::{modes, square, two_modes};

/// A model of which only what is said of all points at once is known.
#[derive(Debug)]
struct AtOnce<M> {
    model: M,
    /// How often it was asked.
    asked: AtomicUsize,
    /// A column that is missing from the answers.
    missing: usize,
}

impl<M: Model> AtOnce<M> {
    fn new(model: M) -> AtOnce<M> {
        AtOnce { model, asked: AtomicUsize::new(0), missing: 0 }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl<M: Model> Model for AtOnce<M> {
    fn name(&self) -> &str {
        self.model.name()
    }
    fn dimension(&self) -> usize {
        self.model.dimension()
    }
    fn parameters(&self) -> usize {
        self.model.parameters()
    }
    fn names(&self, coordinates: &[String]) -> Vec<String> {
        self.model.names(coordinates)
    }
    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.model.reported_names(coordinates)
    }
    fn score(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        panic!("asked point by point");
    }
    fn score_jacobian(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        panic!("asked point by point");
    }
    fn score_slope(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        panic!("asked point by point");
    }
    fn score_slope_jacobian(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        panic!("asked point by point");
    }
    fn report(&self, theta: &[f64]) -> Option<Reported> {
        self.model.report(theta)
    }
    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        self.model.fitted_from(reported)
    }
    fn translate(&self, theta: &[f64], shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        self.model.translate(theta, shift)
    }
    fn search(&self) -> Option<&dyn Search> {
        self.model.search()
    }
    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn batches(&self) -> Option<&dyn Batches> {
        Some(self)
    }
}

impl<M: Model> Density for AtOnce<M> {
    fn log_density(&self, _: &[f64], _: &[f64]) -> f64 {
        panic!("asked point by point");
    }
}

impl<M: Model> Batches for AtOnce<M> {
    fn derivatives_at(&self, points: &Points, theta: &[f64], wanted: Wanted) -> Matrix {
        self.asked.fetch_add(1, Ordering::Relaxed);
        of_all(&self.model, points, theta, wanted, self.missing)
    }
    fn log_densities(&self, points: &Points, theta: &[f64]) -> Option<Vec<f64>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let density = self.model.density()?;
        Some(points.rows().skip(self.missing).map(|x| density.log_density(x, theta)).collect())
    }
}

/// The answer for all points, from what is said of each.
fn of_all(model: &dyn Model, points: &Points, theta: &[f64], wanted: Wanted, missing: usize) -> Matrix {
    let [a, b, c, d] = wanted.columns(model.dimension(), theta.len());
    let mut all = Matrix::zeros(points.len(), a + b + c + d - missing);
    for (i, x) in points.rows().enumerate() {
        let mut row = vec![f64::NAN; a + b + c + d];
        let (score, rest) = row.split_at_mut(a);
        let (slope, rest) = rest.split_at_mut(b);
        let (score_jacobian, slope_jacobian) = rest.split_at_mut(c);
        type Write<'a> = &'a dyn Fn(&mut [f64]);
        let parts: [(&mut [f64], Write); 4] = [
            (score, &|out| model.score(x, theta, out)),
            (slope, &|out| model.score_slope(x, theta, out)),
            (score_jacobian, &|out| model.score_jacobian(x, theta, out)),
            (slope_jacobian, &|out| model.score_slope_jacobian(x, theta, out)),
        ];
        parts.into_iter().filter(|(out, _)| !out.is_empty()).for_each(|(out, write)| write(out));
        (0..all.columns()).for_each(|j| all[(i, j)] = row[j]);
    }
    all
}

/// Heavy tails around a place, wider along one axis than along the other.
fn heavy() -> Autodiff {
    Autodiff::new("heavy", 2, ["a", "b", "s"], |x: &[Number], theta: &[Number]| {
        let y = (x[0] - theta[0]) * theta[2].exp();
        let z = x[1] - theta[1];
        theta[2] - (y * y * 0.5 + z * z * 0.5 + 1.0).ln() * 3.0
    })
    .unwrap()
    .with_start(vec![0.1, 0.1, -0.5])
    .unwrap()
}

#[track_caller]
fn assert_same(found: &Fit, expected: &Fit, what: &str) {
    assert!(expected.converged && found.converged, "{what}: {:?} {:?}", expected.warnings, found.warnings);
    let errors = expected.std_errors().into_iter().zip(found.std_errors());
    for ((a, b), (error, other)) in found.estimates().iter().zip(expected.estimates()).zip(errors) {
        assert!((a - b).abs() < 1e-6 * error, "{what}: {a} for {b}, with the error {error}");
        assert!((error - other).abs() < 1e-4 * error, "{what}: the error {other} for {error}");
    }
}

fn fits_agree<M: Model + Clone>(model: M, data: &Points, most_asked: usize) {
    let methods = [
        Estimator::tksd(),
        Estimator::bdksd(),
        Estimator::ksd(),
        Estimator::truncsm(),
        Estimator::truncated_mle(),
    ];
    for estimator in methods {
        let estimator = estimator.domain(square()).boundary_points(80);
        let at_once = AtOnce::new(model.clone());
        let expected = estimator.fit(data, &model).unwrap();
        let found = estimator.fit(data, &at_once).unwrap();
        assert_same(&found, &expected, &format!("{} {}", model.name(), expected.setup.method.name()));
        assert!(at_once.asked() < most_asked, "{} asked {}", expected.setup.method.name(), at_once.asked());
    }
    let estimator = Estimator::tksd().domain(square()).boundary_points(80);
    let at_once = AtOnce::new(model.clone());
    let (plain, other) = (estimator.check(data, &model).unwrap(), estimator.check(data, &at_once).unwrap());
    let (expected, found) = (plain.fit().unwrap(), other.fit().unwrap());
    let places = Points::from_rows(&[[0.5, -0.2], [1.5, 1.0]]).unwrap();
    let witness = |problem: &steinbound::fit::Problem| {
        problem.witness(&expected.estimates(), &places).unwrap().values.values().to_vec()
    };
    for (a, b) in witness(&other).iter().zip(witness(&plain)) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
    }
    let wild = GoodnessOfFit::new().draws(50).null(Null::Wild);
    let (one, two) = (plain.test(&expected, &wild).unwrap(), other.test(&found, &wild).unwrap());
    assert_eq!(one.p_value, two.p_value);
    assert!((one.critical - two.critical).abs() < 1e-6 * one.critical, "{} {}", one.critical, two.critical);
}

#[test]
fn a_mixture_that_answers_for_all_points_is_fitted_alike() {
    fits_agree(two_modes(), &modes(300, 4), 4_000);
}

/// Weights are not known to a model: points without any count for nothing, whatever it says there.
#[test]
fn a_formula_that_answers_for_all_points_is_fitted_alike() {
    let weights = (0..300).map(|i| f64::from(i % 3)).collect();
    let normal = Gaussian::with_variance(2, 1.0).unwrap();
    let rng = &mut simulate::stream(5, 0);
    let data = simulate::truncated(&normal, &[0.3, -0.4], square().as_ref(), 300, rng).unwrap().points;
    fits_agree(heavy(), &data.with_weights(weights).unwrap(), 2_000);
}

/// Sampling asks for many proposals at once.
#[test]
fn what_answers_for_all_points_is_sampled() {
    let disc = Ball::new(1.0).unwrap().in_dimension(2);
    let (plain, at_once) = (heavy(), AtOnce::new(heavy()));
    let theta = [0.5, 0.0, 0.2];
    let mean = |model: &dyn Model| {
        let rng = &mut simulate::stream(2, 0);
        let inside = simulate::Inside::new(model, &theta, Some(&disc), rng).unwrap();
        inside.draw(4_000, rng).unwrap().mean()
    };
    for (a, b) in mean(&at_once).into_iter().zip(mean(&plain)) {
        assert!((a - b).abs() < 0.04, "{a} {b}");
    }
    assert!(at_once.asked() < 60, "{}", at_once.asked());
    let estimator = Estimator::tksd().domain(square());
    let (data, model) = (modes(150, 6), AtOnce::new(two_modes()));
    let problem = estimator.check(&data, &model).unwrap();
    let fit = problem.fit().unwrap();
    let parametric = Bootstrap::new(39).resampling(steinbound::inference::Resampling::Parametric);
    let fit = problem.bootstrap(fit, &parametric).unwrap();
    assert!(fit.std_errors().iter().all(|error| (0.02..1.0).contains(error)), "{:?}", fit.std_errors());
}

#[test]
fn conformance_compares_both_answers() {
    /// Says something else of many points than of one.
    #[derive(Debug)]
    struct Torn(Autodiff, f64);
    impl Model for Torn {
        fn name(&self) -> &str {
            "torn"
        }
        fn dimension(&self) -> usize {
            2
        }
        fn parameters(&self) -> usize {
            3
        }
        fn names(&self, coordinates: &[String]) -> Vec<String> {
            self.0.names(coordinates)
        }
        fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
            self.0.score(x, theta, score);
        }
        fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
            self.0.score_jacobian(x, theta, jacobian);
        }
        fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
            self.0.score_slope(x, theta, slope);
        }
        fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
            self.0.score_slope_jacobian(x, theta, jacobian);
        }
        fn density(&self) -> Option<&dyn Density> {
            self.0.density()
        }
        fn batches(&self) -> Option<&dyn Batches> {
            Some(self)
        }
    }
    impl Batches for Torn {
        fn derivatives_at(&self, points: &Points, theta: &[f64], wanted: Wanted) -> Matrix {
            let mut all = of_all(&self.0, points, theta, wanted, 0);
            all.values_mut().iter_mut().for_each(|value| *value += self.1);
            all
        }
        fn log_densities(&self, points: &Points, theta: &[f64]) -> Option<Vec<f64>> {
            Some(points.rows().map(|x| self.0.log_density(x, theta) + self.1).collect())
        }
    }
    let theta = [0.3, -0.2, 0.1];
    assert_eq!(conformance::check(&Torn(heavy(), 0.0), &theta), Ok(()));
    let failures = conformance::check(&Torn(heavy(), 0.01), &theta).unwrap_err();
    for what in ["a derivative computed for all points at once", "a log-density computed for all points"] {
        assert!(failures.iter().any(|failure| failure.contains(what)), "{failures:?}");
    }
}

#[test]
fn answers_of_the_wrong_size_are_refused() {
    let model = AtOnce { missing: 1, ..AtOnce::new(heavy()) };
    let data = modes(100, 7);
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::truncated_mle()] {
        let refusal = estimator.domain(square()).fit(&data, &model).unwrap_err().to_string();
        assert!(refusal.contains("a row for each point"), "{refusal}");
    }
}
