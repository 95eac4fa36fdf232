//! Reference values computed by an independent implementation.

use std::sync::Arc;

use serde_json::Value;
use steinbound::domain::{Ball, BoundarySampling, BoundaryScheme, Cuboid, Domain, Norm};
use steinbound::fit::DistanceKind;
use steinbound::kernel::Bandwidth;
use steinbound::model::Gaussian;
use steinbound::simulate::stream;
use steinbound::stein::Statistic;
use steinbound::{Estimator, Points};

fn load(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn points(value: &Value) -> Points<'static> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Points::from_rows(&rows).unwrap()
}

/// Relative to each value, as the reference promises.
fn check(found: &[f64], expected: &Value, tolerance: f64, what: &str) {
    for (k, (a, b)) in found.iter().zip(numbers(expected)).enumerate() {
        assert!((a / b - 1.0).abs() < tolerance, "{what} [{k}]: found {a}, expected {b}");
    }
    assert_eq!(found.len(), expected.as_array().unwrap().len(), "{what}");
}

struct Golden {
    name: &'static str,
    json: Value,
    data: Points<'static>,
    boundary: Points<'static>,
    domain: Arc<dyn Domain>,
}

impl Golden {
    fn load(name: &'static str) -> Golden {
        let json = load(name);
        let data = points(&json["data"]);
        let domain: Arc<dyn Domain> = match json["radius"].as_f64() {
            None => Arc::new(Cuboid::interval(-1.0, 1.0).unwrap()),
            Some(radius) => {
                let norm = if name.contains("l1") { Norm::One } else { Norm::Two };
                Arc::new(Ball::new(radius).unwrap().in_dimension(data.dimension()).with_norm(norm))
            }
        };
        Golden { name, boundary: points(&json["boundary"]), data, domain, json }
    }

    /// The estimator behind a field such as `tksd_u` or `truncsm_nearest_point`.
    fn estimator(&self, field: &str) -> Estimator {
        let estimator = match field {
            _ if field.starts_with("tksd") => Estimator::tksd(),
            _ if field.starts_with("bdksd") => Estimator::bdksd(),
            _ if field.starts_with("ksd") => Estimator::ksd(),
            _ if field.starts_with("truncsm") => Estimator::truncsm(),
            "naive_mle" => Estimator::mle(),
            _ => panic!("unknown field {field}"),
        };
        let nearest = field.contains("nearest");
        estimator
            .boundary(self.boundary.clone())
            .domain(self.domain.clone())
            .ridge(self.json["ridge"].as_f64().unwrap())
            .statistic(if field.ends_with("_u") { Statistic::U } else { Statistic::V })
            .distance(if nearest { DistanceKind::Nearest } else { DistanceKind::Exact })
    }
}

const FILES: [&str; 4] = ["ball_l2_d2", "ball_l2_d5", "ball_l1_d3", "interval_d1"];

#[test]
fn bandwidths_are_the_median_distance() {
    for name in FILES.into_iter().chain(["gaussian_full_d2"]) {
        let golden = Golden::load(name);
        let sigma = Bandwidth::Median.resolve(&golden.data, 0).unwrap();
        assert!((sigma / golden.json["sigma"].as_f64().unwrap() - 1.0).abs() < 1e-14, "{name}");
    }
}

#[test]
fn means_of_every_method() {
    let mut checked = 0;
    for golden in FILES.map(Golden::load) {
        let model = Gaussian::with_variance(golden.data.dimension(), 1.0).unwrap();
        for (field, expected) in golden.json["mean_hat"].as_object().unwrap() {
            let fit = golden.estimator(field).fit(&golden.data, &model).unwrap();
            check(&fit.estimates(), expected, 1e-8, &format!("{} {field}", golden.name));
            checked += 1;
        }
    }
    assert_eq!(checked, 7 + 7 + 4 + 2);
}

#[test]
fn standard_errors() {
    for golden in ["ball_l2_d2", "ball_l2_d5"].map(Golden::load) {
        let model = Gaussian::with_variance(golden.data.dimension(), 1.0).unwrap();
        let fit = golden.estimator("tksd_v").fit(&golden.data, &model).unwrap();
        check(&fit.std_errors(), &golden.json["tksd_v_standard_error"], 1e-6, golden.name);
    }
}

#[test]
fn discrepancies_at_given_parameters() {
    for golden in ["ball_l2_d2", "ball_l2_d5"].map(Golden::load) {
        let at = &golden.json["at_theta"];
        let theta = numbers(&at["theta"]);
        let model = Gaussian::with_variance(golden.data.dimension(), 1.0).unwrap();
        for field in ["tksd_squared_v", "tksd_squared_u", "ksd_squared_v", "bdksd_squared_v"] {
            let problem = golden.estimator(field).check(&golden.data, &model).unwrap();
            let found = problem.discrepancy(&theta).unwrap().squared;
            let what = format!("{} {field}", golden.name);
            assert!((found / at[field].as_f64().unwrap() - 1.0).abs() < 1e-8, "{what}: {found}");
        }
    }
}

#[test]
fn witness_functions() {
    for golden in ["ball_l2_d2", "ball_l2_d5"].map(Golden::load) {
        let expected = &golden.json["witness"];
        let model = Gaussian::with_variance(golden.data.dimension(), 1.0).unwrap();
        let problem = golden.estimator("tksd_v").check(&golden.data, &model).unwrap();
        let found = problem.witness(&numbers(&expected["theta"]), &points(&expected["points"])).unwrap();
        for (l, g) in expected["g"].as_array().unwrap().iter().enumerate() {
            check(found.values.column(l), g, 1e-8, golden.name);
        }
    }
}

#[test]
fn full_gaussian() {
    let golden = Golden::load("gaussian_full_d2");
    let model = Gaussian::full(2);
    let moments = |expected: &Value| {
        let mut moments = numbers(&expected["mean"]);
        let covariance: Vec<Vec<f64>> =
            expected["covariance"].as_array().unwrap().iter().map(numbers).collect();
        moments.extend([covariance[0][0], covariance[0][1], covariance[1][1]]);
        Value::from(moments)
    };
    let tksd = golden.estimator("tksd_v").fit(&golden.data, &model).unwrap();
    let expected = &golden.json["tksd_v"];
    let natural: Vec<f64> = tksd.natural.iter().map(|p| p.estimate.unwrap()).collect();
    check(&natural, &expected["natural"], 1e-8, "natural");
    let errors: Vec<f64> = tksd.natural.iter().map(|p| p.std_error.unwrap()).collect();
    check(&errors, &expected["natural_standard_error"], 1e-6, "natural standard errors");
    check(&tksd.estimates(), &moments(expected), 1e-8, "tksd moments");
    let truncsm = golden.estimator("truncsm_exact").fit(&golden.data, &model).unwrap();
    check(&truncsm.estimates(), &moments(&golden.json["truncsm_exact"]), 1e-8, "truncsm");
}

#[test]
fn even_boundary_of_a_box() {
    let expected = points(&load("mixture_k2_box")["boundary"]);
    let even = BoundarySampling::new(expected.len()).scheme(BoundaryScheme::Even);
    let cuboid = Cuboid::uniform(-3.0, 3.0, 2).unwrap();
    let found = cuboid.sample_boundary(&even, &mut stream(0, 0)).unwrap();
    assert_eq!(found.len(), 80);
    for (a, b) in found.values().iter().zip(expected.values()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}
