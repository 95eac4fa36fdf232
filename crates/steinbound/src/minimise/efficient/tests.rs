//! Against values of an independent implementation, on given landmarks.

use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::engine::PairKernel;
use crate::kernel::Gaussian as GaussianKernel;
use crate::minimise::objective::Objective;
use crate::model::{Gaussian, GaussianMixture};
use crate::stein::{Directions, TestFields, surface_weights};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn points(value: &Value) -> Points<'static> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Points::from_rows(&rows).unwrap()
}

/// Largest relative difference.
fn apart(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

/// The normal of a box at the side on which a point lies, or of a ball around zero.
fn normal(name: &str, x: &[f64]) -> Vec<f64> {
    if name.contains("ball") {
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        return x.iter().map(|v| v / length).collect();
    }
    let side = (0..x.len()).max_by(|a, b| x[*a].abs().total_cmp(&x[*b].abs())).unwrap();
    (0..x.len()).map(|l| f64::from(u8::from(l == side))).collect()
}

fn check(case: &Value) {
    let name = case["name"].as_str().unwrap();
    let (data, boundary) = (points(&case["data"]), points(&case["boundary"]));
    let d = data.dimension();
    let width = case["sigma"].as_f64().unwrap();
    let differentiated = (0..d).collect();
    let kernel =
        PairKernel::new(Arc::new(GaussianKernel), vec![width; d], differentiated, data.mean()).unwrap();
    let surface = surface_weights(&kernel, &boundary).unwrap();
    assert!(apart(&surface, &numbers(&case["surface_weights"])) < 1e-10, "{name}");
    let fields = Arc::new(TestFields::at(kernel, &points(&case["landmarks"])).unwrap());
    let model: Box<dyn Model> = match name {
        _ if name.contains("two unit Gaussians") => Box::new(GaussianMixture::new(d, 2).unwrap()),
        _ if name.contains("covariance, ball") => Box::new(Gaussian::full(d)),
        _ => Box::new(Gaussian::with_variance(d, 1.0).unwrap()),
    };
    let start = numbers(&case["start"]);
    let weights = vec![1.0; data.len()];
    let normals = Matrix::from_fn(boundary.len(), d, |i, l| normal(name, boundary.row(i))[l]);
    let unknown = Directions::unknown(boundary.len(), d);
    for (which, directions) in [("normals", Directions { normals }), ("points_only", unknown)] {
        let strength = data.len() as f64 / case["tau"].as_f64().unwrap();
        let penalty = Penalty::new(&fields, &boundary, &directions, strength).unwrap();
        let form = Penalised::new(Arc::clone(&fields), &data, penalty).unwrap();
        let interrupt = Interrupt::new();
        let task = EfficientTask {
            form: &form,
            model: model.as_ref(),
            data: &data,
            weights: &weights,
            start: model.affine().is_none().then_some(start.as_slice()),
            ridge: case["lam"].as_f64().unwrap(),
            counts: None,
            seed: 0,
            interrupt: &interrupt,
        };
        let what = format!("{name}, {which}");
        let equations = Equations::new(&task).unwrap();
        let first = equations.first().unwrap().moved_back(model.as_ref(), &equations.origin);
        let (expected, tolerance) = (&case[which], 1e-8);
        assert!(apart(&first.theta.unwrap(), &numbers(&expected["first"])) < tolerance, "{what}");
        if model.affine().is_none() {
            of_squares_is_the_same_function(&task, &equations, &start, &what);
        }
        let found = minimise(&task).unwrap().estimate;
        assert!(found.converged, "{what}");
        let off = apart(found.theta.as_ref().unwrap(), &numbers(&expected["estimate"]));
        assert!(off < tolerance, "{what}: {off:e}");
        let covariance = crate::minimise::sandwich::covariance(&found.influence, &weights, None).unwrap();
        let errors: Vec<f64> = (0..start.len()).map(|k| covariance[(k, k)].sqrt()).collect();
        let off = apart(&errors, &numbers(&expected["standard_error"]));
        assert!(off < 1e-6, "{what}: {off:e}");
    }
}

/// The discrepancy as a sum of squares has the values, gradients and minimum of the one with the exact Hessian.
fn of_squares_is_the_same_function(task: &EfficientTask, equations: &Equations, start: &[f64], what: &str) {
    let EfficientTask { form, model, weights, interrupt, .. } = *task;
    let exact = || {
        let (points, statistic) = (&equations.points, Statistic::V);
        SteinObjective::new(form, model, points, weights, statistic, interrupt).unwrap()
    };
    let squares = Discrepancy::new(exact(), equations).unwrap();
    let theta: Vec<f64> = start.iter().enumerate().map(|(k, t)| t + 0.1 * (k as f64 + 1.0)).collect();
    let (found, expected) = (squares.expand(&theta).unwrap(), exact().expand_fully(&theta).unwrap());
    assert!((squares.value(&theta).unwrap() / expected.value - 1.0).abs() < 1e-9, "{what}");
    assert!((found.value / expected.value - 1.0).abs() < 1e-9, "{what}");
    assert!(apart(&found.gradient, &expected.gradient) < 1e-8, "{what}");
    let least = |objective: &dyn Objective| {
        let start = start_less(model, start, &equations.origin);
        search(objective, model, &equations.points, Some(&start), 0).unwrap().theta.unwrap()
    };
    assert!(apart(&least(&squares), &least(&exact())) < 1e-6, "{what}");
}

#[test]
fn golden_values() {
    let path = format!("{}/tests/golden/efficient.json", env!("CARGO_MANIFEST_DIR"));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = json["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    cases.iter().for_each(check);
}
