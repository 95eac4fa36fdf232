//! Models and kernels that this crate does not ship plug in from outside, without touching an estimator.

use serde_json::Value;
use steinbound::domain::{Ball, BoundarySampling, Domain, coverage};
use steinbound::kernel::Bandwidth;
use steinbound::model::{Affine, Gaussian, Model, conformance};
use steinbound::stein::{LinearScore, Slot, Statistic};
use steinbound::{Estimator, FitError, Matrix, Points, simulate};

/// A truncated regression, `y | x ~ N(b0 + b1 x, 1)`: points are (y, x), and the score is that of `y` alone.
#[derive(Debug)]
struct Line;

impl Model for Line {
    fn name(&self) -> &str {
        "line"
    }
    fn dimension(&self) -> usize {
        2
    }
    fn differentiated(&self) -> Vec<usize> {
        vec![0]
    }
    fn parameters(&self) -> usize {
        2
    }
    fn names(&self, _: &[String]) -> Vec<String> {
        vec!["(Intercept)".into(), "x".into()]
    }
    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        score[0] = theta[0] + theta[1] * x[1] - x[0];
    }
    fn score_jacobian(&self, x: &[f64], _: &[f64], jacobian: &mut [f64]) {
        jacobian.copy_from_slice(&[1.0, x[1]]);
    }
    fn score_slope(&self, _: &[f64], _: &[f64], slope: &mut [f64]) {
        slope[0] = -1.0;
    }
    fn score_slope_jacobian(&self, _: &[f64], _: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
    }
    fn affine(&self) -> Option<&dyn Affine> {
        Some(self)
    }
}

impl Affine for Line {
    fn linear_score(&self) -> LinearScore {
        let slot = |feature, parameter| Slot { feature, parameter, factor: 1.0 };
        let mut offset = Matrix::zeros(3, 1);
        offset[(2, 0)] = -1.0;
        LinearScore { parameters: 2, design: vec![vec![slot(0, 0), slot(1, 1)]], offset }
    }
    fn features(&self, x: &[f64], features: &mut [f64]) {
        features.copy_from_slice(&[1.0, x[1], x[0]]);
    }
    fn feature_slopes(&self, _: &[f64], slopes: &mut [f64]) {
        slopes.copy_from_slice(&[0.0, 0.0, 1.0]);
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn pairs(y: &[f64], x: &[f64]) -> Points<'static> {
    let rows: Vec<[f64; 2]> = y.iter().zip(x).map(|(y, x)| [*y, *x]).collect();
    Points::from_rows(&rows).unwrap()
}

#[test]
fn a_regression_differentiates_the_response_alone() {
    assert_eq!(conformance::check(&Line, &[0.5, -0.3]), Ok(()));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/regression.json");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (sigma_y, sigma_x) = (json["sigma_y"].as_f64().unwrap(), json["sigma_x"].as_f64().unwrap());
    let (y, x) = (numbers(&json["y"]), numbers(&json["x"]));
    // The product kernel: one width for y and one for x. The paper's kernel on y alone: no width at all for
    // x.
    for (field, scale_x) in [("product", sigma_x), ("paper", 1e150)] {
        let golden = &json[field];
        let data = pairs(&y, &x).with_scales(vec![sigma_y, scale_x]).unwrap();
        let boundary_y = numbers(&golden["boundary_y"]);
        let boundary_x =
            golden["boundary_x"].as_array().map_or(vec![0.0], |_| numbers(&golden["boundary_x"]));
        let fit = Estimator::tksd()
            .bandwidth(Bandwidth::Fixed(1.0))
            .ridge(golden["ridge"].as_f64().unwrap())
            .boundary(pairs(&boundary_y, &boundary_x))
            .fit(&data, &Line)
            .unwrap();
        for (found, expected) in fit.estimates().iter().zip(numbers(&golden["beta"])) {
            assert!((found / expected - 1.0).abs() < 1e-8, "{field}: {found} {expected}");
        }
        assert!(fit.std_errors().iter().all(|s| *s > 0.0));
    }
}

/// `psi = exp(t) - x`: not affine in its parameter.
#[derive(Debug)]
struct Curved {
    parameters: usize,
}

impl Model for Curved {
    fn name(&self) -> &str {
        "curved"
    }
    fn dimension(&self) -> usize {
        1
    }
    fn parameters(&self) -> usize {
        self.parameters
    }
    fn names(&self, _: &[String]) -> Vec<String> {
        vec!["t".into(); self.parameters]
    }
    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        score[0] = theta.first().copied().unwrap_or(0.0).exp() - x[0];
    }
    fn score_jacobian(&self, _: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        jacobian.iter_mut().zip(theta).for_each(|(j, t)| *j = t.exp());
    }
    fn score_slope(&self, _: &[f64], _: &[f64], slope: &mut [f64]) {
        slope[0] = -1.0;
    }
    fn score_slope_jacobian(&self, _: &[f64], _: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
    }
}

/// The minimum over `exp(t)` is that over the mean, which has a closed form.
#[test]
fn models_without_a_closed_form_are_searched_for() {
    assert_eq!(conformance::check(&Curved { parameters: 1 }, &[0.2]), Ok(()));
    let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]]).unwrap();
    let ends = Points::from_rows(&[[-1.0], [1.0]]).unwrap();
    for estimator in
        [Estimator::tksd(), Estimator::truncsm(), Estimator::bdksd(), Estimator::ksd(), Estimator::mle()]
    {
        let estimator = estimator.boundary(ends.clone());
        let error = estimator.fit(&data, &Curved { parameters: 1 }).unwrap_err().to_string();
        assert!(error.contains("needs starting values") || error.contains("cannot be fitted"), "{error}");
        let error = estimator.fit(&data, &Curved { parameters: 0 }).unwrap_err();
        assert_eq!(error, FitError::NothingToFit.into());
    }
    let gaussian = Gaussian::with_variance(1, 1.0).unwrap();
    let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8], [0.7], [0.95], [0.5]]).unwrap();
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::bdksd(), Estimator::ksd()] {
        for statistic in [Statistic::V, Statistic::U] {
            let estimator = estimator.clone().boundary(ends.clone()).statistic(statistic);
            let direct = estimator.fit(&data, &gaussian).unwrap();
            let mean = &direct.parameters[0];
            let searched = estimator.start(vec![0.3]).fit(&data, &Curved { parameters: 1 });
            if mean.estimate.unwrap() <= 0.0 {
                continue;
            }
            let searched = searched.unwrap();
            assert!(searched.converged && searched.iterations > 0);
            let t = &searched.parameters[0];
            assert!(
                (t.estimate.unwrap().exp() / mean.estimate.unwrap() - 1.0).abs() < 1e-8,
                "{t:?} {mean:?}"
            );
            // The delta method: the error of the mean is that of its logarithm times the mean.
            let error = t.std_error.unwrap() * mean.estimate.unwrap();
            assert!((error / mean.std_error.unwrap() - 1.0).abs() < 1e-6, "{error} {mean:?}");
        }
    }
    // The discrepancy needs no closed form.
    let estimator = Estimator::tksd().boundary(ends);
    let problem = estimator.check(&data, &Curved { parameters: 1 }).unwrap();
    assert!(problem.discrepancy(&[-0.5]).unwrap().squared > 0.0);
}

/// Coverage is measured at places of its own, not at the boundary points themselves.
#[test]
fn coverage_does_not_measure_itself() {
    let disc = Ball::new(1.0).unwrap().in_dimension(2);
    let rng = &mut simulate::stream(0, simulate::tasks::BOUNDARY);
    let points = disc.sample_boundary(&BoundarySampling::new(4096), rng).unwrap();
    let found = coverage(&disc, &points).unwrap();
    // The largest of 4096 gaps on a circle of length 2 pi is about 2 pi log(4096) / 4096; half of it is seen
    // from its middle.
    let expected = std::f64::consts::PI * 4096f64.ln() / 4096.0;
    let fill = found.fill_distance.unwrap();
    assert!(fill > 0.4 * expected && fill < 2.5 * expected, "{fill} {expected}");
    assert_eq!(coverage(&disc, &Points::none(2)).unwrap().fill_distance, None);
    assert!(coverage(&disc, &Points::none(3)).is_err());
}
