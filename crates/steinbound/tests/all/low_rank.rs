//! The low-rank form: its operators, its estimates beside the exact ones, and sums that add up across parts
//! of the data.

use std::sync::Arc;

use crate::common::{assert_close, ball};
use rand::RngExt;
use steinbound::domain::{BoundarySampling, BoundaryScheme, Cuboid, Domain};
use steinbound::fit::{AUTO_EXACT_LIMIT, Compute, DEFAULT_TOLERANCE};
use steinbound::inference::sandwich;
use steinbound::kernel;
use steinbound::model::{Affine, Gaussian, GaussianMixture, Model};
use steinbound::stein::{
    Conditioned, FormKind, InfluenceSums, LANDMARK_POOL, Landmarks, LowRank, MOST_LANDMARKS, Operator,
    Radial, Statistic, SteinForm, Sums, Term,
};
use steinbound::{Error, Estimator, Fit, Matrix, Method, Points, simulate};

/// Exact and low-rank form of the same kernel.
fn forms(
    setting: &crate::common::Setting,
    kernel: &str,
    tolerance: f64,
) -> (Arc<Conditioned>, Arc<Landmarks>, LowRank) {
    let radial = Radial::tiled(&setting.data, kernel::by_name(kernel).unwrap(), 1.1).unwrap();
    let exact = Arc::new(Conditioned::new(radial, &setting.boundary, 1e-3).unwrap());
    let landmarks = Arc::new(Landmarks::choose(&exact, &setting.data, tolerance, MOST_LANDMARKS, 0).unwrap());
    let form = LowRank::new(Arc::clone(&exact), Arc::clone(&landmarks)).unwrap();
    (exact, landmarks, form)
}

fn columns(points: usize) -> Matrix {
    Matrix::from_fn(points, 2, |i, c| ((i * (c + 2)) as f64).sin())
}

#[test]
fn derivatives_are_those_of_the_values() {
    let setting = ball(2, 300, 3);
    let columns = columns(300);
    for name in kernel::names() {
        let (_, _, form) = forms(&setting, name, 1e-3);
        let step = 1e-5;
        let targets = Points::new(setting.data.values()[..20].to_vec(), 2).unwrap();
        let at = |points: &Points, operator: Operator| {
            form.apply_at(points, &columns, &[Term::new(operator, 0)]).unwrap().column(0).to_vec()
        };
        for l in 0..2 {
            let shifted = |sign: f64| {
                let place =
                    |x: &[f64]| (0..2).map(|k| x[k] + if k == l { sign * step } else { 0.0 }).collect();
                targets.moved(place).unwrap()
            };
            let difference = |operator: Operator| -> Vec<f64> {
                let (above, below) = (at(&shifted(1.0), operator), at(&shifted(-1.0), operator));
                above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * step)).collect()
            };
            assert_close(&at(&targets, Operator::First(l)), &difference(Operator::Value), 1e-8, name);
            // In the data point: the transpose of the derivative in the point of evaluation.
            let second = form.apply(&columns, &[Term::new(Operator::Second(l), 0)]).unwrap();
            let first = form.apply(&columns, &[Term::new(Operator::First(l), 1)]).unwrap();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (left, right) =
                (product(columns.column(1), second.column(0)), product(columns.column(0), first.column(0)));
            assert!((left / right - 1.0).abs() < 1e-9, "{name}: {left} {right}");
        }
        let both: Vec<f64> = (0..2)
            .map(|l| {
                let shifted = |sign: f64| {
                    let place =
                        |x: &[f64]| (0..2).map(|k| x[k] + if k == l { sign * step } else { 0.0 }).collect();
                    at(&targets.moved(place).unwrap(), Operator::Second(l))
                };
                let (above, below) = (shifted(1.0), shifted(-1.0));
                above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * step)).collect::<Vec<f64>>()
            })
            .fold(vec![0.0; 10], |sum, part| sum.iter().zip(part).map(|(s, p)| s + p).collect());
        assert_close(&at(&targets, Operator::Both), &both, 1e-8, name);
    }
}

#[test]
fn the_diagonal_is_what_single_points_give() {
    let setting = ball(2, 140, 4);
    let (_, _, form) = forms(&setting, "gaussian", 1e-3);
    let diagonal = form.diagonal().unwrap();
    for i in [0, 77, 139] {
        let unit = Matrix::from_fn(140, 1, |j, _| f64::from(u8::from(i == j)));
        let terms = [Operator::Value, Operator::Both, Operator::First(0), Operator::Second(1)];
        let found = form.apply(&unit, &terms.map(|operator| Term::new(operator, 0))).unwrap();
        let expected = [diagonal.value[i], diagonal.both[i], diagonal.slope[(i, 0)], diagonal.slope[(i, 1)]];
        assert_close(&(0..4).map(|t| found[(i, t)]).collect::<Vec<f64>>(), &expected, 1e-10, "diagonal");
    }
}

/// What remains of a positive semidefinite kernel is bounded by its trace, and no more than the tolerance is
/// left out.
#[test]
fn values_come_closer_as_the_tolerance_falls() {
    let setting = ball(2, 300, 5);
    for tolerance in [1e-1, 1e-2, 1e-3, 1e-5] {
        let (exact, landmarks, form) = forms(&setting, "gaussian", tolerance);
        assert!(landmarks.residual() <= tolerance && landmarks.rank() < 300);
        let (full, low) = (exact.diagonal().unwrap().value, form.diagonal().unwrap().value);
        let left: f64 = full.iter().zip(&low).map(|(f, l)| f - l).sum();
        let share = left / full.iter().sum::<f64>();
        assert!((share / landmarks.residual() - 1.0).abs() < 1e-6, "{share} {}", landmarks.residual());
        let ones = Matrix::from_fn(300, 1, |_, _| 1.0);
        let term = [Term::new(Operator::Value, 0)];
        let (whole, part) = (exact.apply(&ones, &term).unwrap(), form.apply(&ones, &term).unwrap());
        let total = |sums: &Matrix| sums.column(0).iter().sum::<f64>();
        let missing = total(&whole) - total(&part);
        assert!(missing >= -1e-8 && missing <= 300.0 * left, "{missing} {left}");
    }
}

/// The largest difference of two fits in standard errors of the first, and the largest ratio of standard
/// errors less one.
fn apart(exact: &Fit, low: &Fit) -> (f64, f64) {
    let errors = exact.std_errors();
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, f64::max);
    let (a, b) = (exact.estimates(), low.estimates());
    let moved = largest(&mut (0..a.len()).map(|k| (a[k] - b[k]).abs() / errors[k]));
    let ratio = largest(&mut errors.iter().zip(low.std_errors()).map(|(e, l)| (l / e - 1.0).abs()));
    (moved, ratio)
}

#[test]
fn estimates_and_errors_are_close_to_the_exact_ones() {
    let setting = ball(2, 4_000, 7);
    for method in [Method::TKSD, Method::BDKSD, Method::KSD] {
        for statistic in [Statistic::V, Statistic::U] {
            for model in [Gaussian::with_variance(2, 1.0).unwrap(), Gaussian::full(2)] {
                let fit = |compute| {
                    let estimator = Estimator::new(method).statistic(statistic).compute(compute);
                    let estimator =
                        estimator.boundary(setting.boundary.clone()).domain(setting.domain.clone());
                    estimator.fit(&setting.data, &model).unwrap()
                };
                let (exact, low) = (fit(Compute::Tiled), fit(Compute::LowRank));
                let holder = &low.setup.compute.as_ref().unwrap().holder;
                assert_eq!(holder.form, FormKind::LowRank);
                assert!(holder.residual.unwrap() <= DEFAULT_TOLERANCE && holder.rank.unwrap() > 5);
                let (moved, ratio) = apart(&exact, &low);
                assert!(moved < 0.05 && ratio < 0.02, "{method:?} {statistic:?}: {moved} {ratio}");
            }
        }
    }
}

/// In higher dimension with the default tolerance.
#[test]
fn six_dimensions_are_close_too() {
    let setting = ball(6, 6_000, 8);
    let fit = |compute| {
        let estimator = Estimator::tksd().boundary(setting.boundary.clone()).compute(compute);
        estimator.fit(&setting.data, &setting.model).unwrap()
    };
    let (moved, ratio) = apart(&fit(Compute::Tiled), &fit(Compute::LowRank));
    assert!(moved < 0.05 && ratio < 0.01, "{moved} {ratio}");
}

fn two_modes(count: usize) -> (Points<'static>, Points<'static>, GaussianMixture) {
    let square = Cuboid::uniform(-3.0, 3.0, 2).unwrap();
    let model = GaussianMixture::new(2, 2).unwrap();
    let truth = [1.5, 1.5, -1.5, -1.5];
    let data =
        simulate::truncated(&model, &truth, &square, count, &mut simulate::stream(3, 0)).unwrap().points;
    let sampling = BoundarySampling::new(200).scheme(BoundaryScheme::Even);
    let boundary = square.sample_boundary(&sampling, &mut simulate::stream(3, 1)).unwrap();
    (data, boundary, model)
}

/// Levenberg and Marquardt's steps on the residuals end where Newton's do on all pairs, with the full Hessian
/// in the errors.
#[test]
fn a_search_ends_at_the_same_minimum() {
    let (data, boundary, model) = two_modes(3_000);
    for (model, start) in [(model.clone(), Some(vec![1.2, 1.9, -1.0, -1.4])), (model.spherical(), None)] {
        let fit = |compute, tolerance| {
            let estimator =
                Estimator::tksd().boundary(boundary.clone()).compute(compute).tolerance(tolerance);
            let estimator = match &start {
                Some(start) => estimator.start(start.clone()),
                None => estimator,
            };
            estimator.fit(&data, &model).unwrap()
        };
        let (exact, low) = (fit(Compute::Tiled, 0.5), fit(Compute::LowRank, 1e-5));
        assert!(exact.converged && low.converged, "{:?}", low.warnings);
        let (moved, ratio) = apart(&exact, &low);
        assert!(moved < 0.02 && ratio < 0.01, "{moved} {ratio}");
        assert!(low.iterations < 40, "{}", low.iterations);
    }
}

/// A model that does not fit leaves large residuals, at which steps without second derivatives shrink slowly.
/// The end is Newton's all the same.
#[test]
fn a_wrong_model_converges_as_well() {
    let model = GaussianMixture::new(1, 2).unwrap();
    for seed in 0..4 {
        let mut rng = simulate::stream(seed, 0);
        let draws: Vec<f64> = (0..1_500).map(|_| -2.0 * rng.random::<f64>().ln()).collect();
        let data = Points::new(draws, 1).unwrap();
        let fit = |compute| {
            let estimator = Estimator::ksd().compute(compute).tolerance(1e-12).start(vec![0.5, 4.0]);
            estimator.fit(&data, &model).unwrap()
        };
        let (exact, low) = (fit(Compute::Tiled), fit(Compute::LowRank));
        assert!(exact.converged && low.converged, "seed {seed}: {:?}", low.warnings);
        assert!(apart(&exact, &low).0 < 1e-4, "seed {seed}: {:?}", apart(&exact, &low));
    }
}

/// One pass for the estimate and one for its errors, over parts that never meet: their sums travel as text.
#[test]
fn parts_of_the_data_add_up_to_the_whole() {
    let setting = ball(2, 1_000, 9);
    let weights: Vec<f64> = (0..1_000).map(|i| 0.5 + (i % 3) as f64).collect();
    let data = setting.data.clone().with_weights(weights.clone()).unwrap();
    let model = Gaussian::full(2);
    let fit = Estimator::tksd()
        .boundary(setting.boundary.clone())
        .compute(Compute::LowRank)
        .fit(&data, &model)
        .unwrap();

    let bandwidth = fit.setup.kernel.as_ref().unwrap().bandwidth;
    let radial = Radial::tiled(&data, kernel::by_name("gaussian").unwrap(), bandwidth).unwrap();
    let exact = Conditioned::new(radial, &setting.boundary, 1e-3).unwrap();
    let landmarks = Landmarks::choose(&exact, &data, DEFAULT_TOLERANCE, MOST_LANDMARKS, 0).unwrap();
    let travel: Landmarks = serde_json::from_str(&serde_json::to_string(&landmarks).unwrap()).unwrap();
    assert_eq!((travel.rank(), travel.anchors()), (landmarks.rank(), landmarks.anchors()));

    let score = model.linear_score();
    let features = |points: &Points| {
        let mut row = vec![0.0; score.features()];
        let rows: Vec<Vec<f64>> = points
            .rows()
            .map(|x| {
                model.features(x, &mut row);
                row.clone()
            })
            .collect();
        Matrix::from_fn(points.len(), score.features(), |i, c| rows[i][c])
    };
    let part = |k: usize| {
        let range = [0..1, 1..420, 420..999, 999..1_000][k].clone();
        let points = Points::new(data.values()[2 * range.start..2 * range.end].to_vec(), 2).unwrap();
        (points, weights[range].to_vec())
    };
    let mut total: Option<Sums> = None;
    for k in [2, 0, 3, 1] {
        let (points, weights) = part(k);
        let sums = travel.sums(&points, &features(&points), &weights).unwrap();
        let sums: Sums = serde_json::from_str(&serde_json::to_string(&sums).unwrap()).unwrap();
        match &mut total {
            Some(total) => total.merge(&sums).unwrap(),
            None => total = Some(sums),
        }
    }
    let total = total.unwrap();
    assert_eq!(total.rows, 1_000);
    let moments = total.moments();
    let (normal, right) = moments.normal_equations(&score);
    let theta = solve(&normal, &right);
    let natural: Vec<f64> = fit.natural.iter().map(|p| p.estimate.unwrap()).collect();
    assert_close(&theta, &natural, 1e-9, "estimate");
    assert!((moments.value(&score.at(&theta)) / fit.discrepancy_squared.unwrap() - 1.0).abs() < 1e-6);

    let mut influence: Vec<Vec<f64>> = Vec::new();
    for k in 0..4 {
        let (points, _) = part(k);
        let gradients = travel.gradients(&points, features(&points), &total, &score, &theta).unwrap();
        influence.extend(gradients.to_rows().iter().map(|g| solve(&normal, g).iter().map(|v| -v).collect()));
    }
    let influence = Matrix::from_fn(1_000, theta.len(), |i, k| influence[i][k]);
    let covariance = sandwich::covariance(&influence, &weights, None).unwrap();
    let errors: Vec<f64> = (0..theta.len()).map(|k| covariance[(k, k)].sqrt()).collect();
    let expected: Vec<f64> = fit.natural.iter().map(|p| p.std_error.unwrap()).collect();
    assert_close(&errors, &expected, 1e-8, "standard errors");

    // The same from sums alone, with and without clusters that are spread over the parts.
    let minimum = total.minimum(&score).unwrap();
    assert_close(&minimum.theta, &theta, 1e-9, "minimum");
    let of_value = minimum.discrepancy_squared / fit.discrepancy_squared.unwrap();
    assert!((of_value - 1.0).abs() < 1e-6 && minimum.condition > 1.0, "{minimum:?}");
    let clusters: Vec<usize> = (0..1_000).map(|i| 7 * (i % 90)).collect();
    for is_clustered in [false, true] {
        let of_part = |k: usize| {
            let (points, weights) = part(k);
            let start = [0, 1, 420, 999][k];
            let own = is_clustered.then(|| &clusters[start..start + points.len()]);
            let gradients = travel.gradients(&points, features(&points), &total, &score, &theta).unwrap();
            let sums = InfluenceSums::new(&gradients, &weights, own).unwrap();
            serde_json::from_str::<InfluenceSums>(&serde_json::to_string(&sums).unwrap()).unwrap()
        };
        let mut sums = of_part(3);
        for k in [1, 0, 2] {
            sums.merge(&of_part(k)).unwrap();
        }
        assert_eq!(sums.rows, 1_000);
        let largest = sums.squares.values().iter().fold(0.0f64, |a, b| a.max(b.abs())).sqrt();
        assert!(sums.gradient.iter().all(|g| g.abs() < 1e-8 * largest), "{:?} of {largest}", sums.gradient);
        let found = sums.covariance(&minimum).unwrap();
        let expected =
            sandwich::covariance(&influence, &weights, is_clustered.then_some(&clusters[..])).unwrap();
        assert_close(found.values(), expected.values(), 1e-8, "covariance");
        let fewer = InfluenceSums::new(&Matrix::zeros(3, 1), &[1.0; 3], None).unwrap();
        assert!(sums.merge(&fewer).is_err() && fewer.covariance(&minimum).is_err());
        assert!(InfluenceSums::new(&Matrix::zeros(3, 1), &[1.0; 2], None).is_err());
    }

    let mut other = travel.sums(&data, &Matrix::zeros(1_000, 1), &weights).unwrap();
    assert!(other.merge(&total).is_err());
    assert!(travel.sums(&data, &Matrix::zeros(999, 1), &weights).is_err());
    assert!(travel.gradients(&data, Matrix::zeros(1_000, 1), &total, &score, &theta).is_err());
}

/// Gaussian elimination with pivots, independent of the library's factorisations.
fn solve(matrix: &Matrix, right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| matrix[(i, j)]).chain([right[i]]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap();
        rows.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let factor = rows[i][k] / rows[k][k];
                for j in k..=n {
                    rows[i][j] -= factor * rows[k][j];
                }
            }
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}

/// Above the pool's size the choice depends on the seed alone, and hardly on that.
#[test]
fn landmarks_of_many_points_come_from_a_seeded_pool() {
    let setting = ball(2, 3 * LANDMARK_POOL, 10);
    let fit = |seed: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let estimator =
            Estimator::tksd().boundary(setting.boundary.clone()).compute(Compute::LowRank).seed(seed);
        pool.install(|| estimator.fit(&setting.data, &setting.model).unwrap())
    };
    let bits = |fit: &Fit| -> Vec<u64> {
        fit.estimates().iter().chain(&fit.std_errors()).map(|v| v.to_bits()).collect()
    };
    let one = fit(0, 1);
    assert_eq!(bits(&one), bits(&fit(0, 3)));
    let other = fit(1, 2);
    assert_ne!(bits(&one), bits(&other));
    assert!(apart(&one, &other).0 < 0.01);
}

#[test]
fn auto_says_what_it_took_and_why() {
    let compute = |points: usize, model: &dyn Model, dimension: usize| {
        let setting = ball(dimension, points, 11);
        let problem = Estimator::tksd().boundary(setting.boundary.clone());
        let used = problem.check(&setting.data, model).unwrap().setup().compute.as_ref().unwrap().clone();
        (used.holder.form, used.reason)
    };
    let gaussian = Gaussian::with_variance(2, 1.0).unwrap();
    let mixture = GaussianMixture::new(2, 2).unwrap();
    let is = |found: (FormKind, String), form: &str, reason: &str| {
        assert_eq!(found.0.to_string(), form, "{}", found.1);
        assert!(found.1.contains(reason), "{}", found.1);
    };
    is(compute(300, &gaussian, 2), "dense", "fit in 1 MB");
    is(compute(1_500, &gaussian, 2), "tiled", "once");
    is(compute(1_500, &mixture, 2), "dense", "MB");
    is(compute(3_000, &mixture, 2), "tiled", "too many to store");
    is(compute(AUTO_EXACT_LIMIT, &gaussian, 2), "tiled", "exact up to");
    is(compute(AUTO_EXACT_LIMIT + 1, &gaussian, 2), "low-rank", "landmarks leave");
    let gaussian = Gaussian::with_variance(10, 1.0).unwrap();
    is(compute(AUTO_EXACT_LIMIT + 1, &gaussian, 10), "tiled", "not of low rank");
}

#[test]
fn landmarks_belong_to_their_kernel() {
    let (one, other) = (ball(2, 200, 1), ball(2, 200, 2));
    let (exact, _, _) = forms(&one, "gaussian", 1e-3);
    let (_, landmarks, _) = forms(&other, "gaussian", 1e-3);
    assert!(LowRank::new(exact, landmarks).is_err());
}

/// `(1 + q)^-power`.
#[derive(Debug)]
struct Power(f64);

impl kernel::Kernel for Power {
    fn name(&self) -> &'static str {
        "power"
    }
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("power", self.0)]
    }
    fn profile(&self, q: f64) -> [f64; 3] {
        let (base, p) = (1.0 + q, self.0);
        [base.powf(-p), -p * base.powf(-p - 1.0), p * (p + 1.0) * base.powf(-p - 2.0)]
    }
}

#[test]
fn kernels_of_one_name_differ_by_their_parameters() {
    let setting = ball(2, 200, 1);
    let exact = |power: f64| {
        let radial = Radial::tiled(&setting.data, Arc::new(Power(power)), 1.1).unwrap();
        Arc::new(Conditioned::new(radial, &setting.boundary, 1e-3).unwrap())
    };
    let landmarks = Arc::new(Landmarks::choose(&exact(0.5), &setting.data, 1e-3, 100, 0).unwrap());
    assert!(LowRank::new(exact(0.5), Arc::clone(&landmarks)).is_ok());
    assert!(LowRank::new(exact(0.7), Arc::clone(&landmarks)).is_err());
    let written = serde_json::to_value(landmarks.as_ref()).unwrap();
    assert_eq!(written["parameters"], serde_json::json!([["power", 0.5]]));
    // What is written says which kernel it was: none is read with other parameters.
    let (_, landmarks, _) = forms(&setting, "imq", 1e-3);
    let mut written = serde_json::to_value(landmarks.as_ref()).unwrap();
    assert!(written.get("parameters").is_none());
    assert!(serde_json::from_value::<Landmarks>(written.clone()).is_ok());
    written["parameters"] = serde_json::json!([["power", 0.7]]);
    let error = serde_json::from_value::<Landmarks>(written).unwrap_err();
    assert!(error.to_string().contains("power"), "{error}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let setting = ball(10, 3_000, 12);
    let estimator = Estimator::tksd().boundary(setting.boundary.clone()).compute(Compute::LowRank);
    let fit = estimator.clone().fit(&setting.data, &setting.model).unwrap();
    assert_eq!(fit.setup.compute.as_ref().unwrap().holder.rank, Some(MOST_LANDMARKS));
    assert!(fit.warnings.iter().any(|w| w.contains("low-rank form leaves")), "{:?}", fit.warnings);
    for tolerance in [-1e-3, 1.0, f64::NAN] {
        let error = estimator.clone().tolerance(tolerance).fit(&setting.data, &setting.model).unwrap_err();
        assert!(matches!(error, Error::Kernel(_)) && error.to_string().contains("tolerance"), "{error}");
    }
    // Too few functions for the parameters: the normal equations are singular, and the fit says so.
    let setting = ball(2, 500, 13);
    let coarse =
        Estimator::tksd().boundary(setting.boundary.clone()).compute(Compute::LowRank).tolerance(0.9);
    let error = coarse.fit(&setting.data, &Gaussian::full(2)).unwrap_err();
    assert!(error.to_string().contains("determine"), "{error}");
}
