//! The form against the conformance suite, and against the conditioned kernels that it stands for.

use std::sync::Arc;

use super::*;
use crate::kernel;
use crate::stein::{Conditioned, FluxConditioned, Operator, Radial, SteinForm, Term, conformance};

fn data() -> Points<'static> {
    let rows: Vec<[f64; 2]> =
        (0..12).map(|i| [(1.3 * i as f64).sin(), (0.7 * i as f64 + 0.2).cos()]).collect();
    Points::from_rows(&rows).unwrap()
}

fn boundary() -> (Points<'static>, Matrix) {
    let angle = |i: usize| 0.6 * i as f64;
    let rows: Vec<[f64; 2]> = (0..9).map(|i| [1.5 * angle(i).cos(), 1.5 * angle(i).sin()]).collect();
    let normals = Matrix::from_fn(9, 2, |i, l| if l == 0 { angle(i).cos() } else { angle(i).sin() });
    (Points::from_rows(&rows).unwrap(), normals)
}

/// Fields with a landmark at every data and boundary point: nothing of the kernel is left out.
fn fields(points: &Points, boundary: &Points) -> Arc<TestFields> {
    let kernel = kernel::by_name("matern52").unwrap();
    let kernel = PairKernel::new(kernel, vec![1.0; 2], vec![0, 1], points.mean()).unwrap();
    Arc::new(TestFields::choose(kernel, points, boundary, 0.0, 1000, 0).unwrap())
}

fn forms() -> [(Penalised, Box<dyn SteinForm>); 2] {
    let (points, (boundary, normals)) = (data(), boundary());
    let fields = fields(&points, &boundary);
    assert_eq!(fields.landmarks(), 21);
    let strength = 40.0;
    let weights = surface_weights(&fields.evaluator().kernel, &boundary).unwrap();
    let ridges: Vec<f64> = weights.iter().map(|weight| 1.0 / (strength * weight)).collect();
    let radial = || Radial::tiled(&points, kernel::by_name("matern52").unwrap(), 1.0).unwrap();
    let along = Directions { normals: normals.clone() };
    let flux = Penalty::new(&fields, &boundary, &along, strength).unwrap();
    let flux = Penalised::new(Arc::clone(&fields), &points, flux).unwrap();
    let exact = FluxConditioned::new(radial(), &boundary, &normals, &ridges).unwrap();
    // Every component, with equal weights: the conditioned kernel with one ridge.
    let equal = vec![1.0; 9];
    let unknown = Directions::unknown(9, 2);
    let all = Penalty::with_weights(&fields, &boundary, &unknown, &equal, strength).unwrap();
    let all = Penalised::new(fields, &points, all).unwrap();
    let conditioned = Conditioned::new(radial(), &boundary, 1.0 / strength).unwrap();
    [(flux, Box::new(exact)), (all, Box::new(conditioned))]
}

#[test]
fn the_forms_conform() {
    for (form, _) in forms() {
        assert_eq!(conformance::check(&form, &data()), Ok(()), "{}", form.is_coupled());
    }
}

#[test]
fn with_every_landmark_they_are_the_conditioned_kernels() {
    let columns = Matrix::from_fn(12, 1, |i, _| (0.9 * i as f64 + 0.1).cos());
    for (form, exact) in forms() {
        let values: Vec<Operator> = match form.is_coupled() {
            true => (0..4).map(|at| Operator::Between(at / 2, at % 2)).collect(),
            false => vec![Operator::Value],
        };
        // Derivatives of the kernel are not fields over the landmarks, so that only values agree.
        let terms: Vec<Term> = values.into_iter().map(|operator| Term::new(operator, 0)).collect();
        let (found, expected) =
            (form.apply(&columns, &terms).unwrap(), exact.apply(&columns, &terms).unwrap());
        for (a, b) in found.values().iter().zip(expected.values()) {
            assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

#[test]
fn repeated_boundary_points_share_their_piece() {
    let (points, (boundary, normals)) = (data(), boundary());
    let fields = fields(&points, &boundary);
    let twice: Vec<&[f64]> = boundary.rows().chain(boundary.rows()).collect();
    let both = Matrix::from_fn(18, 2, |i, l| normals[(i % 9, l)]);
    let one = Penalty::new(&fields, &boundary, &Directions { normals }, 3.0).unwrap();
    let other =
        Penalty::new(&fields, &Points::from_rows(&twice).unwrap(), &Directions { normals: both }, 3.0);
    for (a, b) in one.matrix().values().iter().zip(other.unwrap().matrix().values()) {
        assert!((a - b).abs() < 1e-12);
    }
}

/// The sums of squares against the features written out one by one.
#[test]
fn squares_follow_the_definition() {
    let points = data();
    let fields = fields(&points, &Points::none(2));
    let scores = Matrix::from_fn(12, 2, |i, l| (i as f64 * 0.3 + l as f64).sin());
    let weights: Vec<f64> = (0..12).map(|i| 0.5 + 0.1 * i as f64).collect();
    let found = fields.squares(&points, &scores, &weights).unwrap();
    let scaled = fields.scaled(&points).unwrap();
    let features = fields.features_at(&scaled, &scores, 0..12).unwrap();
    for i in 0..fields.features() {
        for j in 0..=i {
            let sum: f64 = (0..12).map(|at| weights[at] * features[(i, at)] * features[(j, at)]).sum();
            assert!((found.squares[(i, j)] - sum).abs() < 1e-12 * (1.0 + sum.abs()));
        }
        let sum: f64 = (0..12).map(|at| weights[at] * features[(i, at)]).sum();
        assert!((found.sum[i] - sum).abs() < 1e-12);
    }
}
