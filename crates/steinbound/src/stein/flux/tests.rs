use super::*;
use crate::kernel;
use crate::model::{Gaussian, Model};
use crate::simulate::stream;
use crate::stein::{
    Conditioned, Gram, LinearScore, Moments, Pass, Statistic, Witness, discrepancy_squared,
    solve_normal_equations,
};
use rand::RngExt;

const SIGMA: f64 = 0.8;

/// Data in the unit disc, boundary points on its edge, their normals, ridges that differ, and weights.
struct Setting {
    data: Points<'static>,
    boundary: Points<'static>,
    normals: Matrix,
    ridges: Vec<f64>,
    weights: Vec<f64>,
}

fn setting(count: usize) -> Setting {
    let rng = &mut stream(5, 0);
    let place = |radius: f64, turn: f64| [radius * turn.cos(), radius * turn.sin()];
    let mut inside = || place(rng.random::<f64>().sqrt(), 7.0 * rng.random::<f64>());
    let data: Vec<[f64; 2]> = (0..count).map(|_| inside()).collect();
    let boundary: Vec<[f64; 2]> = (0..7).map(|i| place(1.0, 0.9 * i as f64)).collect();
    Setting {
        data: Points::from_rows(&data).unwrap(),
        normals: Matrix::from_fn(7, 2, |i, l| boundary[i][l]),
        boundary: Points::from_rows(&boundary).unwrap(),
        ridges: (0..7).map(|i| 1e-3 * (1.0 + i as f64)).collect(),
        weights: (0..count).map(|i| 0.5 + (i % 3) as f64).collect(),
    }
}

impl Setting {
    fn radial(&self) -> Radial {
        Radial::tiled(&self.data, kernel::by_name("gaussian").unwrap(), SIGMA).unwrap()
    }

    fn form(&self) -> FluxConditioned {
        FluxConditioned::new(self.radial(), &self.boundary, &self.normals, &self.ridges).unwrap()
    }

    fn scores(&self) -> Matrix {
        Matrix::from_fn(self.data.len(), 2, |i, l| {
            [0.4, -0.2][l] - self.data.row(i)[l] + 0.1 * (i as f64).sin()
        })
    }

    /// `H(x_i, x_j)` by the definition of the kernel, with derivatives of the Gaussian written out.
    fn stein_kernel(&self, scores: &Matrix, i: usize, j: usize) -> f64 {
        let k = |x: &[f64], y: &[f64]| {
            (-((x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2)) / (2.0 * SIGMA * SIGMA)).exp()
        };
        let slope = |x: &[f64], y: &[f64], l: usize| (x[l] - y[l]) / (SIGMA * SIGMA) * k(x, y);
        let (x, y, m) = (self.data.row(i), self.data.row(j), self.boundary.len());
        let (b, n) = (|i: usize| self.boundary.row(i), &self.normals);
        let entry = |i: usize, j: usize| {
            k(b(i), b(j)) * (n[(i, 0)] * n[(j, 0)] + n[(i, 1)] * n[(j, 1)])
                + if i == j { self.ridges[i] } else { 0.0 }
        };
        let inverse = Cholesky::new(Matrix::from_fn(m, m, entry)).unwrap().inverse();
        // What an operator takes of the correction at `x` and at `y`: the score's component along the normal,
        // and the divergence.
        let take = |at: &[f64], score: &dyn Fn(usize) -> f64, i: usize| -> f64 {
            (0..2).map(|l| n[(i, l)] * (score(l) * k(b(i), at) + slope(b(i), at, l))).sum()
        };
        let (of_x, of_y) = (|l: usize| scores[(i, l)], |l: usize| scores[(j, l)]);
        let correction: f64 = (0..m)
            .flat_map(|a| (0..m).map(move |c| (a, c)))
            .map(|(a, c)| take(x, &of_x, a) * inverse[(a, c)] * take(y, &of_y, c))
            .sum();
        let plain: f64 = (0..2)
            .map(|l| {
                let mixed = (1.0 - ((x[l] - y[l]) / SIGMA).powi(2)) / (SIGMA * SIGMA) * k(x, y);
                scores[(i, l)] * scores[(j, l)] * k(x, y)
                    + scores[(i, l)] * slope(x, y, l)
                    + scores[(j, l)] * slope(y, x, l)
                    + mixed
            })
            .sum();
        plain - correction
    }
}

#[test]
fn discrepancies_are_means_of_the_stein_kernel() {
    let setting = setting(17);
    let (scores, w, n) = (setting.scores(), &setting.weights, setting.data.len());
    for statistic in [Statistic::V, Statistic::U] {
        let mut expected = 0.0;
        for i in 0..n {
            for j in (0..n).filter(|j| statistic == Statistic::V || *j != i) {
                expected += w[i] * w[j] * setting.stein_kernel(&scores, i, j) / statistic.normaliser(w);
            }
        }
        let found = discrepancy_squared(&setting.form(), scores.clone(), w, statistic).unwrap();
        assert!((found - expected).abs() < 1e-12, "{statistic:?}: {found}, not {expected}");
    }
}

/// The pull on the score at each point is half the derivative of the sum over pairs.
#[test]
fn pulls_are_derivatives_in_the_scores() {
    let setting = setting(12);
    let (form, scores, w) = (setting.form(), setting.scores(), &setting.weights);
    let identity = Matrix::identity(2);
    let of =
        |scores: &Matrix| Pass::new(&Statistic::V.pairs(&form).unwrap(), scores.clone(), w, None).unwrap();
    let pull = of(&scores).pull(&identity);
    for (i, l) in [(0, 0), (3, 1), (11, 0)] {
        let moved = |step: f64| {
            let mut scores = scores.clone();
            scores[(i, l)] += step;
            of(&scores).moments().pair_sum(&identity)
        };
        let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        let expected = 2.0 * w[i] * pull[(i, l)];
        assert!((difference - expected).abs() < 1e-8 * expected.abs().max(1.0), "{difference}, {expected}");
    }
}

#[test]
fn the_mean_of_the_stein_operator_on_the_witness_is_the_discrepancy() {
    let setting = setting(15);
    let (form, scores, w) = (setting.form(), setting.scores(), &setting.weights);
    let discrepancy = discrepancy_squared(&form, scores.clone(), w, Statistic::V).unwrap().sqrt();
    let witness = Witness::new(&form, &scores, w, discrepancy).unwrap();
    let value = witness.at(&setting.data).unwrap();
    let moved = |l: usize, step: f64| {
        let moved = setting.data.moved(|x| {
            let mut x = x.to_vec();
            x[l] += step;
            x
        });
        witness.at(&moved.unwrap()).unwrap()
    };
    let mut mean = 0.0;
    for l in 0..2 {
        let (above, below) = (moved(l, 1e-4), moved(l, -1e-4));
        for i in 0..15 {
            let slope = (above[(i, l)] - below[(i, l)]) / 2e-4;
            mean += w[i] * (scores[(i, l)] * value[(i, l)] + slope) / w.iter().sum::<f64>();
        }
    }
    assert!((mean - discrepancy).abs() < 1e-7, "{mean}, not {discrepancy}");
    assert!(witness.multipliers().unwrap().is_none());
    // No flux at the boundary, but for the ridge.
    let at_boundary = witness.at(&setting.boundary).unwrap();
    for i in 0..7 {
        let flux: f64 = (0..2).map(|l| setting.normals[(i, l)] * at_boundary[(i, l)]).sum();
        let along =
            setting.normals[(i, 0)] * at_boundary[(i, 1)] - setting.normals[(i, 1)] * at_boundary[(i, 0)];
        assert!(flux.abs() < 0.05 && flux.abs() < along.abs().max(0.01), "{flux} beside {along}");
    }
}

/// The minimum for some weights, and the influence of each point.
fn fitted(form: &dyn SteinForm, data: &Points, weights: &[f64], statistic: Statistic) -> (Vec<f64>, Matrix) {
    let model = Gaussian::full(2);
    let affine = model.affine().unwrap();
    let score: LinearScore = affine.linear_score();
    let mut features = Matrix::zeros(data.len(), score.features());
    let mut row = vec![0.0; score.features()];
    for (i, x) in data.rows().enumerate() {
        affine.features(x, &mut row);
        row.iter().enumerate().for_each(|(c, value)| features[(i, c)] = *value);
    }
    let pass = Pass::new(&statistic.pairs(form).unwrap(), features, weights, Some(&score)).unwrap();
    let (normal, right) = pass.moments().normal_equations(&score);
    let (theta, factor) = solve_normal_equations(&normal, &right).unwrap();
    let influence = pass.influence(&score, &theta, &factor);
    (theta, influence)
}

#[test]
fn influence_is_the_derivative_in_the_weights() {
    let setting = setting(60);
    let (form, w) = (setting.form(), &setting.weights);
    let total: f64 = w.iter().sum();
    for statistic in [Statistic::V, Statistic::U] {
        let (theta, influence) = fitted(&form, &setting.data, w, statistic);
        for i in [0, 7, 31] {
            let moved = |step: f64| {
                let mut w = w.clone();
                w[i] *= 1.0 + step;
                fitted(&form, &setting.data, &w, statistic).0
            };
            let (above, below) = (moved(1e-4), moved(-1e-4));
            for k in 0..theta.len() {
                let difference = (above[k] - below[k]) / 2e-4;
                let expected = w[i] * influence[(i, k)] / total;
                let size = 1e-5 * theta[k].abs().max(1.0);
                assert!(
                    (difference - expected).abs() < size,
                    "{statistic:?} {i} {k}: {difference}, {expected}"
                );
            }
        }
    }
}

#[test]
fn unit_vectors_for_normals_condition_every_component() {
    let setting = setting(30);
    let rows: Vec<&[f64]> = setting.boundary.rows().flat_map(|b| [b, b]).collect();
    let (boundary, w) = (Points::from_rows(&rows).unwrap(), &setting.weights);
    let normals = Matrix::from_fn(14, 2, |i, l| f64::from(u8::from(i % 2 == l)));
    let flux = FluxConditioned::new(setting.radial(), &boundary, &normals, &[1e-3; 14]).unwrap();
    let plain = Conditioned::new(setting.radial(), &setting.boundary, 1e-3).unwrap();
    let scores = setting.scores();
    for statistic in [Statistic::V, Statistic::U] {
        let [one, other] = [&flux as &dyn SteinForm, &plain]
            .map(|form| discrepancy_squared(form, scores.clone(), w, statistic).unwrap());
        assert!((one - other).abs() < 1e-11, "{one} and {other}");
        let [one, other] =
            [&flux as &dyn SteinForm, &plain].map(|form| fitted(form, &setting.data, w, statistic));
        for (a, b) in one.0.iter().chain(one.1.values()).zip(other.0.iter().chain(other.1.values())) {
            assert!((a - b).abs() < 1e-7 * b.abs().max(1.0), "{a} and {b}");
        }
    }
    let [one, other] = [&flux as &dyn SteinForm, &plain]
        .map(|form| Witness::new(form, &scores, w, 1.0).unwrap().at(&setting.data).unwrap());
    for (a, b) in one.values().iter().zip(other.values()) {
        assert!((a - b).abs() < 1e-11, "{a} and {b}");
    }
}

#[test]
fn reweighted_moments_are_those_of_their_weights() {
    let setting = setting(20);
    let (form, scores) = (setting.form(), setting.scores());
    let sets: Vec<Vec<f64>> =
        (0..3).map(|k| (0..20).map(|i| if (i + k) % 3 == 0 { -1.0 } else { 1.0 }).collect()).collect();
    let identity = Matrix::identity(2);
    let pairs = Statistic::V.pairs(&form).unwrap();
    let moments = Moments::reweighted(&pairs, &scores, &sets).unwrap();
    for (moments, weights) in moments.iter().zip(&sets) {
        assert!(matches!(&moments.gram, Gram::Coupled(blocks) if blocks.len() == 4));
        let direct = Pass::new(&pairs, scores.clone(), weights, None).unwrap();
        let (found, expected) = (moments.pair_sum(&identity), direct.moments().pair_sum(&identity));
        assert!((found - expected).abs() < 1e-11 * expected.abs(), "{found}, {expected}");
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let setting = setting(5);
    let refused = |normals: &Matrix, ridges: &[f64]| {
        FluxConditioned::new(setting.radial(), &setting.boundary, normals, ridges).is_err()
    };
    assert!(refused(&Matrix::zeros(7, 1), &[1e-3; 7]) && refused(&setting.normals, &[1e-3; 6]));
    assert!(refused(&setting.normals, &[-1.0; 7]) && refused(&Matrix::zeros(7, 2), &[0.0; 7]));
}
