//! Identities that hold exactly, checked against a literal implementation and against each other.

use std::sync::Arc;

use crate::common::{assert_close, ball};
use steinbound::domain::{Ball, BoundaryDistance, Domain};
use steinbound::fit::{Compute, DistanceKind, Parameter};
use steinbound::kernel::{self, Bandwidth, Kernel};
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::stein::{
    Conditioned, FormKind, Operator, Radial, Statistic, SteinForm, Term, Weighted, discrepancy_squared,
};
use steinbound::{Estimator, Fit, Matrix, Method, Points};

/// A kernel and its derivatives at two points, written out from the definition.
struct Pair {
    value: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    both: f64,
}

/// The plain kernel with widths, differentiated in some coordinates; `mixed` are the products that
/// conditioning needs.
fn plain(kernel: &dyn Kernel, widths: &[f64], differentiated: &[usize], x: &[f64], y: &[f64]) -> Pair {
    let q: f64 = x.iter().zip(y).zip(widths).map(|((x, y), s)| ((x - y) / s).powi(2)).sum();
    let [f, f1, f2] = kernel.profile(q);
    let slope = |l: &usize| 2.0 * f1 * (y[*l] - x[*l]) / widths[*l].powi(2);
    let both =
        |l: &usize| -2.0 * f1 / widths[*l].powi(2) - 4.0 * f2 * (x[*l] - y[*l]).powi(2) / widths[*l].powi(4);
    Pair {
        value: f,
        second: differentiated.iter().map(slope).collect(),
        first: differentiated.iter().map(|l| -slope(l)).collect(),
        both: differentiated.iter().map(both).sum(),
    }
}

/// The solution of `A x = b` by Gaussian elimination with pivoting.
fn solve(matrix: &Matrix, right: &[f64]) -> Vec<f64> {
    let n = matrix.rows();
    let mut rows: Vec<Vec<f64>> = matrix.to_rows();
    rows.iter_mut().zip(right).for_each(|(row, b)| row.push(*b));
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| rows[*i][c].abs().total_cmp(&rows[*j][c].abs())).unwrap();
        rows.swap(c, pivot);
        let top = rows[c].clone();
        for row in &mut rows[c + 1..] {
            let factor = row[c] / top[c];
            row.iter_mut().zip(&top).for_each(|(a, t)| *a -= factor * t);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - sum) / rows[i][i];
    }
    x
}

/// Kernel setting with different widths and, on request, derivatives in some coordinates only.
struct Literal {
    kernel: Arc<dyn Kernel>,
    widths: Vec<f64>,
    differentiated: Vec<usize>,
}

impl Literal {
    fn pair(&self, x: &[f64], y: &[f64]) -> Pair {
        plain(self.kernel.as_ref(), &self.widths, &self.differentiated, x, y)
    }

    /// `u_l - v_l' (K + e I)^-1 v_l`, term by term.
    fn conditioned(&self, boundary: &Points, ridge: f64, x: &[f64], y: &[f64]) -> Pair {
        let m = boundary.len();
        let gram = Matrix::from_fn(m, m, |i, j| {
            self.pair(boundary.row(i), boundary.row(j)).value + if i == j { ridge } else { 0.0 }
        });
        let at = |z: &[f64]| -> Vec<Pair> { boundary.rows().map(|b| self.pair(z, b)).collect() };
        let (at_x, at_y) = (at(x), at(y));
        let values = |pairs: &[Pair]| -> Vec<f64> { pairs.iter().map(|p| p.value).collect() };
        let slopes = |pairs: &[Pair], l: usize| -> Vec<f64> { pairs.iter().map(|p| p.first[l]).collect() };
        let product = |a: &[f64], b: &[f64]| {
            let solved = solve(&gram, b);
            a.iter().zip(solved).map(|(a, s)| a * s).sum::<f64>()
        };
        let mut pair = self.pair(x, y);
        pair.value -= product(&values(&at_x), &values(&at_y));
        for l in 0..self.differentiated.len() {
            pair.first[l] -= product(&slopes(&at_x, l), &values(&at_y));
            pair.second[l] -= product(&values(&at_x), &slopes(&at_y, l));
            pair.both -= product(&slopes(&at_x, l), &slopes(&at_y, l));
        }
        pair
    }

    /// `h(x) k(x, y) h(y)` by the product rule.
    fn weighted(&self, domain: &dyn Domain, x: &[f64], y: &[f64]) -> Pair {
        let (mut gx, mut gy) = (vec![0.0; x.len()], vec![0.0; y.len()]);
        let (hx, hy) = (domain.distance(x, &mut gx), domain.distance(y, &mut gy));
        let k = self.pair(x, y);
        let each = || self.differentiated.iter().copied().enumerate();
        Pair {
            value: hx * k.value * hy,
            first: each().map(|(l, c)| (gx[c] * k.value + hx * k.first[l]) * hy).collect(),
            second: each().map(|(l, c)| hx * (k.second[l] * hy + k.value * gy[c])).collect(),
            both: hx * hy * k.both
                + each()
                    .map(|(l, c)| {
                        gx[c] * gy[c] * k.value + gx[c] * hy * k.second[l] + hx * gy[c] * k.first[l]
                    })
                    .sum::<f64>(),
        }
    }
}

/// All operators on two columns, at the data and at other points, and the diagonals, against the literal
/// pairs.
fn check_form(form: &dyn SteinForm, data: &Points, pair: impl Fn(&[f64], &[f64]) -> Pair, what: &str) {
    let n = data.len();
    let columns = Matrix::from_fn(n, 2, |i, c| ((i * (c + 2)) as f64).sin());
    let coordinates = form.coordinates();
    let mut terms = Vec::new();
    for column in 0..2 {
        terms.push(Term::new(Operator::Value, column));
        terms.push(Term::new(Operator::Both, column));
        for l in 0..coordinates {
            terms.push(Term::new(Operator::Second(l), column));
            terms.push(Term::new(Operator::First(l), column));
        }
    }
    let part = |pair: &Pair, operator: Operator| match operator {
        Operator::Value | Operator::Gram | Operator::Between(..) => pair.value,
        Operator::Second(l) => pair.second[l],
        Operator::First(l) => pair.first[l],
        Operator::Both | Operator::Energy => pair.both,
    };
    let targets = Points::new(
        data.values()[..4 * data.dimension()].iter().map(|v| 0.9 * v).collect::<Vec<_>>(),
        data.dimension(),
    )
    .unwrap();
    let at_data = form.apply(&columns, &terms).unwrap();
    let at_targets = form.apply_at(&targets, &columns, &terms).unwrap();
    let diagonal = form.diagonal().unwrap();
    let rows: Vec<usize> = (0..n).step_by(37).collect();
    let expect = |x: &[f64]| -> Vec<f64> {
        let pairs: Vec<Pair> = data.rows().map(|y| pair(x, y)).collect();
        let sum = |t: &Term| {
            pairs.iter().enumerate().map(|(j, p)| part(p, t.operator) * columns[(j, t.column)]).sum()
        };
        terms.iter().map(sum).collect()
    };
    for i in rows {
        let found: Vec<f64> = (0..terms.len()).map(|t| at_data[(i, t)]).collect();
        assert_close(&found, &expect(data.row(i)), 1e-10, &format!("{what}, row {i}"));
        let own = pair(data.row(i), data.row(i));
        assert_close(&[diagonal.value[i], diagonal.both[i]], &[own.value, own.both], 1e-10, what);
        let slopes: Vec<f64> = (0..coordinates).map(|l| diagonal.slope[(i, l)]).collect();
        for (found, expected) in slopes.iter().zip(&own.second) {
            assert!((found - expected).abs() < 1e-10, "{what}: diagonal slope {found}, not {expected}");
        }
    }
    for (i, x) in targets.rows().enumerate() {
        let found: Vec<f64> = (0..terms.len()).map(|t| at_targets[(i, t)]).collect();
        assert_close(&found, &expect(x), 1e-10, &format!("{what}, target {i}"));
    }
    let energy =
        form.apply(&columns, &[Term::new(Operator::Energy, 1), Term::new(Operator::Both, 1)]).unwrap();
    let total = |at: usize| -> f64 { (0..n).map(|i| columns[(i, 1)] * energy[(i, at)]).sum() };
    assert_close(&[total(0)], &[total(1)], 1e-10, &format!("{what}, energy"));
    // Alone, and beside derivatives, which are multiplied in another way.
    for others in [vec![], vec![Term::new(Operator::Both, 0)]] {
        let grams =
            [Term::new(Operator::Gram, 0), Term::new(Operator::Gram, 1), Term::new(Operator::Value, 1)];
        let gram = form.apply(&columns, &[&grams[..], &others].concat()).unwrap();
        let inner = |c: usize, at: usize| -> f64 { (0..n).map(|i| columns[(i, c)] * gram[(i, at)]).sum() };
        let found = [0.5 * (inner(0, 1) + inner(1, 0)), inner(1, 1)];
        assert_close(&found, &[inner(0, 2), inner(1, 2)], 1e-10, &format!("{what}, Gram matrix"));
    }
}

/// Points many bandwidths from their centre, where sums of derivatives do not come from sums of values.
#[test]
fn forms_of_scattered_points_equal_the_definition() {
    let setting = ball(2, 300, 5);
    let rows: Vec<Vec<f64>> =
        setting.data.rows().enumerate().map(|(i, x)| vec![x[0] + 30.0 * (i % 7) as f64, x[1]]).collect();
    let data = Points::from_rows(&rows).unwrap();
    let kernel = kernel::by_name("gaussian").unwrap();
    let literal = Literal { kernel: kernel.clone(), widths: vec![0.9, 0.9], differentiated: vec![0, 1] };
    for dense in [false, true] {
        let form = Radial::new(&data, kernel.clone(), vec![0.9, 0.9], vec![0, 1], dense).unwrap();
        check_form(&form, &data, |x, y| literal.pair(x, y), "scattered");
    }
}

#[test]
fn every_form_equals_the_definition() {
    let setting = ball(2, 300, 5);
    let boundary = Points::new(setting.boundary.values()[..16].to_vec(), 2).unwrap();
    for name in kernel::names() {
        for (widths, differentiated) in [(vec![0.9, 0.9], vec![0, 1]), (vec![0.7, 1.6], vec![1])] {
            let literal = Literal { kernel: kernel::by_name(name).unwrap(), widths, differentiated };
            for dense in [false, true] {
                let radial = || {
                    let (widths, differentiated) = (literal.widths.clone(), literal.differentiated.clone());
                    Radial::new(&setting.data, literal.kernel.clone(), widths, differentiated, dense).unwrap()
                };
                let what =
                    |form: &str| format!("{form}, {name}, {:?}, dense {dense}", literal.differentiated);
                check_form(&radial(), &setting.data, |x, y| literal.pair(x, y), &what("plain"));
                let conditioned = Conditioned::new(radial(), &boundary, 1e-3).unwrap();
                let pair = |x: &[f64], y: &[f64]| literal.conditioned(&boundary, 1e-3, x, y);
                check_form(&conditioned, &setting.data, pair, &what("conditioned"));
                let distance = BoundaryDistance::exact(setting.domain.clone());
                let weighted = Weighted::new(radial(), &setting.data, distance).unwrap();
                let pair = |x: &[f64], y: &[f64]| literal.weighted(setting.domain.as_ref(), x, y);
                check_form(&weighted, &setting.data, pair, &what("weighted"));
            }
        }
    }
}

/// Estimators whose settings make them comparable.
fn estimator(method: Method, setting: &crate::common::Setting) -> Estimator {
    Estimator::new(method).boundary(setting.boundary.clone()).domain(setting.domain.clone())
}

/// The parameters in the form in which they are fitted, which exist even where moments do not.
fn fitted(fit: &Fit) -> &[Parameter] {
    if fit.natural.is_empty() { &fit.parameters } else { &fit.natural }
}

#[test]
fn without_boundary_points_tksd_is_ksd() {
    let setting = ball(3, 150, 1);
    let tksd = Estimator::tksd().boundary(Points::none(3)).fit(&setting.data, &setting.model).unwrap();
    let ksd = Estimator::ksd().fit(&setting.data, &setting.model).unwrap();
    assert_eq!(tksd.estimates(), ksd.estimates());
    assert_eq!(tksd.std_errors(), ksd.std_errors());
    assert_eq!(tksd.discrepancy, ksd.discrepancy);
}

/// The mean of `psi_l g_l + d/dx_l g_l`, the derivative by central differences.
#[test]
fn the_stein_operator_of_the_witness_has_the_discrepancy_as_its_mean() {
    let setting = ball(2, 60, 3);
    let weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
    let data = setting.data.clone().with_weights(weights.clone()).unwrap();
    let total: f64 = weights.iter().sum();
    let theta = [0.1, 0.9];
    for method in [Method::TKSD, Method::BDKSD, Method::KSD] {
        let problem = estimator(method, &setting).check(&data, &setting.model).unwrap();
        let discrepancy = problem.discrepancy(&theta).unwrap().value.unwrap();
        let at_data = problem.witness(&theta, &data).unwrap();
        assert_eq!(at_data.discrepancy, discrepancy);
        let mut mean = 0.0;
        for l in 0..2 {
            let step = 1e-4;
            let shifted = |sign: f64| {
                let mut values = data.values().to_vec();
                values.iter_mut().skip(l).step_by(2).for_each(|v| *v += sign * step);
                problem.witness(&theta, &Points::new(values, 2).unwrap()).unwrap().values
            };
            // Fourth-order differences leave an error far below the tolerance.
            let far = |sign: f64| {
                let mut values = data.values().to_vec();
                values.iter_mut().skip(l).step_by(2).for_each(|v| *v += 2.0 * sign * step);
                problem.witness(&theta, &Points::new(values, 2).unwrap()).unwrap().values
            };
            let (up, down, far_up, far_down) = (shifted(1.0), shifted(-1.0), far(1.0), far(-1.0));
            for i in 0..60 {
                let slope =
                    (8.0 * (up[(i, l)] - down[(i, l)]) - (far_up[(i, l)] - far_down[(i, l)])) / (12.0 * step);
                let psi = theta[l] - data.row(i)[l];
                mean += weights[i] / total * (psi * at_data.values[(i, l)] + slope);
            }
        }
        assert!((mean / discrepancy - 1.0).abs() < 1e-8, "{method:?}: {mean} {discrepancy}");
    }
}

/// `|g|_k^2 + sum_b g(b)^2 / e = 1`: the witness has norm one in the conditioned kernel's space.
#[test]
fn the_witness_has_norm_one_and_multipliers_are_its_boundary_values() {
    let setting = ball(2, 80, 4);
    let theta = [0.0, 0.2];
    let ridge = 1e-2;
    let estimator = estimator(Method::TKSD, &setting).ridge(ridge);
    let problem = estimator.check(&setting.data, &setting.model).unwrap();
    let at_boundary = problem.witness(&theta, &setting.boundary).unwrap();
    let multipliers = at_boundary.multipliers.as_ref().unwrap();
    // K0 applied to zeros: at the boundary g(b) = e (K + e I)^-1 z(b) / D, which is -e nu / D.
    for l in 0..2 {
        for j in 0..setting.boundary.len() {
            let expected = -ridge * multipliers[(j, l)] / at_boundary.discrepancy;
            assert!((at_boundary.values[(j, l)] - expected).abs() < 1e-10);
        }
    }
    // g = (z + sum_j nu_j k(b_j, .)) / D, where z is the unnormalised witness of the plain kernel.
    let ksd = Estimator::ksd().check(&setting.data, &setting.model).unwrap();
    let plain_at_boundary = ksd.witness(&theta, &setting.boundary).unwrap();
    let sigma = ksd.setup().kernel.as_ref().unwrap().bandwidth;
    let mut norm = plain_at_boundary.discrepancy.powi(2);
    let mut values = 0.0;
    for l in 0..2 {
        for (j, b) in setting.boundary.rows().enumerate() {
            let nu = multipliers[(j, l)];
            norm += 2.0 * nu * plain_at_boundary.discrepancy * plain_at_boundary.values[(j, l)];
            for (i, c) in setting.boundary.rows().enumerate() {
                let k = (-crate::common::distance(b, c).powi(2) / (2.0 * sigma * sigma)).exp();
                norm += nu * k * multipliers[(i, l)];
            }
            values += at_boundary.values[(j, l)].powi(2) / ridge;
        }
    }
    let norm = norm / at_boundary.discrepancy.powi(2);
    assert!((norm + values - 1.0).abs() < 1e-8, "{norm} + {values}");
}

#[test]
fn u_and_v_differ_by_the_diagonal() {
    let setting = ball(2, 140, 8);
    let weights: Vec<f64> = (0..140).map(|i| 0.5 + f64::from(i % 4)).collect();
    let sigma = Bandwidth::Median.resolve(&setting.data, 0).unwrap();
    let radial = || Radial::tiled(&setting.data, kernel::by_name("gaussian").unwrap(), sigma).unwrap();
    let distance = BoundaryDistance::exact(setting.domain.clone());
    let forms: [Box<dyn SteinForm>; 3] = [
        Box::new(radial()),
        Box::new(Conditioned::new(radial(), &setting.boundary, 1e-3).unwrap()),
        Box::new(Weighted::new(radial(), &setting.data, distance).unwrap()),
    ];
    let mut score = [0.0; 2];
    let psi = Matrix::from_fn(140, 2, |i, l| {
        setting.model.score(setting.data.row(i), &[0.3, -0.2], &mut score);
        score[l]
    });
    for form in forms {
        let squared =
            |statistic| discrepancy_squared(form.as_ref(), psi.clone(), &weights, statistic).unwrap();
        let sums = |statistic: Statistic| squared(statistic) * statistic.normaliser(&weights);
        let diagonal = form.diagonal().unwrap();
        let own = |i: usize| {
            let slopes = |l: usize| {
                psi[(i, l)].powi(2) * diagonal.value[i] + 2.0 * psi[(i, l)] * diagonal.slope[(i, l)]
            };
            weights[i].powi(2) * (slopes(0) + slopes(1) + diagonal.both[i])
        };
        let trace: f64 = (0..140).map(own).sum();
        let difference = sums(Statistic::V) - sums(Statistic::U);
        assert!((difference / trace - 1.0).abs() < 1e-12, "{difference} {trace}");
    }
}

#[test]
fn dense_and_tiled_agree() {
    let setting = ball(3, 400, 2);
    for method in [Method::TKSD, Method::BDKSD, Method::KSD] {
        for statistic in [Statistic::V, Statistic::U] {
            let fit = |compute| {
                let estimator = estimator(method, &setting).statistic(statistic).compute(compute);
                estimator.fit(&setting.data, &Gaussian::full(3)).unwrap()
            };
            let (dense, tiled) = (fit(Compute::Dense), fit(Compute::Tiled));
            assert_eq!(dense.setup.compute.as_ref().unwrap().holder.form, FormKind::Dense);
            assert_eq!(tiled.setup.compute.as_ref().unwrap().holder.form, FormKind::Tiled);
            assert_close(&dense.estimates(), &tiled.estimates(), 1e-10, "estimates");
            assert_close(&dense.std_errors(), &tiled.std_errors(), 1e-10, "standard errors");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let setting = ball(2, 1500, 6);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut bits = Vec::new();
            for method in Method::ALL {
                for (compute, statistic) in [
                    (Compute::Dense, Statistic::V),
                    (Compute::Tiled, Statistic::V),
                    (Compute::Tiled, Statistic::U),
                    (Compute::LowRank, Statistic::V),
                    (Compute::LowRank, Statistic::U),
                ] {
                    let estimator = estimator(method, &setting).compute(compute).statistic(statistic);
                    let fit = estimator.fit(&setting.data, &Gaussian::full(2)).unwrap();
                    let values = fit.estimates().into_iter().chain(fit.std_errors());
                    bits.extend(values.chain(fit.discrepancy_squared).map(f64::to_bits));
                }
            }
            bits
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}

/// Where only the region is known: boundary points are placed, test functions chosen from more points than are
/// looked at, and beyond 200,000 rows the weights made from some of them.
#[test]
fn efficient_in_a_region_gives_the_same_bits_for_any_number_of_threads() {
    let cases: [(usize, usize, Box<dyn Model>); 4] = [
        (2, 900, Box::new(GaussianMixture::new(2, 2).unwrap())),
        (2, 250_000, Box::new(Gaussian::full(2))),
        (4, 700, Box::new(Gaussian::full(4))),
        (7, 600, Box::new(Gaussian::with_variance(7, 1.0).unwrap())),
    ];
    for (dimension, count, model) in cases {
        let setting = ball(dimension, count, 16);
        let run = |threads: usize| -> Vec<u64> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let estimator = Estimator::efficient().domain(setting.domain.clone());
            let fit = pool.install(|| estimator.fit(&setting.data, model.as_ref()).unwrap());
            let moves = fit.setup.boundary.iter().flat_map(|used| [&used.finer, &used.tighter]);
            let moves: Vec<f64> = moves.flatten().map(|found| found.standard_errors).collect();
            assert_eq!(moves.len(), 2);
            let values = fit.estimates().into_iter().chain(fit.std_errors()).chain(moves);
            values.chain(fit.discrepancy_squared).map(f64::to_bits).collect()
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(7));
    }
}

/// Shifts and rotates points in the plane.
fn moved(points: &Points, angle: f64, shift: [f64; 2]) -> Points<'static> {
    let (sine, cosine) = angle.sin_cos();
    let turn = |x: &[f64]| [cosine * x[0] - sine * x[1] + shift[0], sine * x[0] + cosine * x[1] + shift[1]];
    let rows: Vec<[f64; 2]> = points.rows().map(turn).collect();
    Points::from_rows(&rows).unwrap()
}

#[test]
fn moving_the_world_moves_the_estimate() {
    let setting = ball(2, 250, 9);
    for shift in [[3.0, -2.0], [4.0e5, 5.2e6]] {
        let angle = 0.7;
        let (data, boundary) = (moved(&setting.data, angle, shift), moved(&setting.boundary, angle, shift));
        // Coordinates in the millions have ten digits left for a spread of one.
        let tolerance = if shift[0] > 1e3 { 1e-7 } else { 1e-10 };
        let radius = 2f64.powf(0.53);
        let domain = Arc::new(Ball::new(radius * (1.0 + 1e-7)).unwrap().with_center(shift.to_vec()).unwrap());
        let home = Arc::new(Ball::new(radius * (1.0 + 1e-7)).unwrap().in_dimension(2));
        for method in Method::ALL {
            for distance in [DistanceKind::Exact, DistanceKind::Nearest] {
                let fit = |data: &Points, boundary: &Points, domain: &Arc<Ball>, model: &dyn Model| {
                    let estimator = Estimator::new(method).boundary(boundary.clone()).domain(domain.clone());
                    estimator.distance(distance).fit(data, model).unwrap()
                };
                let here = fit(&setting.data, &setting.boundary, &home, &setting.model);
                let there = fit(&data, &boundary, &domain, &setting.model);
                let mean = Points::new(here.estimates(), 2).unwrap();
                let expected = moved(&mean, angle, shift);
                let error = crate::common::distance(&there.estimates(), expected.row(0));
                assert!(error < tolerance, "{method:?} mean moved by {error}");
                // A rotation keeps the sum of the two means' variances.
                let spread = |fit: &Fit| fit.std_errors()[..2].iter().map(|s| s * s).sum::<f64>();
                assert!(
                    (spread(&there) / spread(&here) - 1.0).abs() < tolerance,
                    "{method:?} standard errors"
                );
                let full_here = fit(&setting.data, &setting.boundary, &home, &Gaussian::full(2));
                let full_there = fit(&data, &boundary, &domain, &Gaussian::full(2));
                let ratio = spread(&full_there) / spread(&full_here);
                assert!((ratio - 1.0).abs() < tolerance, "{method:?} standard errors: {ratio}");
                let (full, full_there) = (full_here.estimates(), full_there.estimates());
                let trace = |e: &[f64]| e[2] + e[4];
                let determinant = |e: &[f64]| e[2] * e[4] - e[3] * e[3];
                assert!((trace(&full_there) / trace(&full) - 1.0).abs() < tolerance, "{method:?}");
                assert!(
                    (determinant(&full_there) / determinant(&full) - 1.0).abs() < tolerance,
                    "{method:?}"
                );
            }
        }
    }
}

/// A weight counts as repetition for the estimate, and repeated rows in one cluster have the weighted row's
/// standard error.
#[test]
fn weights_repeat_observations_and_clusters_tie_them() {
    for method in Method::ALL {
        // What depends on the number of observations, and so on how they are counted, fades in large samples.
        let count = if method.uses().adaptive { 600 } else { 90 };
        let setting = ball(2, count, 12);
        let counts: Vec<usize> = (0..count).map(|i| [1, 2, 0, 3][i % 4]).collect();
        let weighted = setting.data.clone().with_weights(counts.iter().map(|c| *c as f64).collect()).unwrap();
        let labels: Vec<usize> = (0..count).flat_map(|i| vec![i; counts[i]]).collect();
        let rows: Vec<&[f64]> = labels.iter().map(|i| setting.data.row(*i)).collect();
        let repeated = Points::from_rows(&rows).unwrap().with_clusters(&labels).unwrap();
        for model in [&setting.model, &Gaussian::diagonal(2), &Gaussian::full(2)] {
            let estimator = estimator(method, &setting).bandwidth(Bandwidth::Fixed(1.0));
            let (a, b) = (estimator.fit(&weighted, model).unwrap(), estimator.fit(&repeated, model).unwrap());
            let estimates = |fit: &Fit| fitted(fit).iter().map(|p| p.estimate.unwrap()).collect::<Vec<_>>();
            let errors = |fit: &Fit| fitted(fit).iter().map(|p| p.std_error.unwrap()).collect::<Vec<_>>();
            if method.uses().adaptive {
                // The number of observations, by which it chooses its settings, differs.
                let apart = |k: usize| (estimates(&a)[k] - estimates(&b)[k]).abs() / errors(&a)[k];
                let ratio = |k: usize| errors(&a)[k] / errors(&b)[k];
                for k in 0..errors(&a).len() {
                    assert!(apart(k) < 0.25 && (ratio(k) - 1.0).abs() < 0.1, "{} {}", apart(k), ratio(k));
                }
                continue;
            }
            assert_close(&estimates(&a), &estimates(&b), 1e-9, &format!("{method:?} estimates"));
            assert_close(&errors(&a), &errors(&b), 1e-9, &format!("{method:?} standard errors"));
            assert_eq!(a.discrepancy.is_some(), method.has_kernel());
            if let (Some(a), Some(b)) = (a.discrepancy, b.discrepancy) {
                assert!((a / b - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// Only the ratios of weights matter, however small or large the weights are.
#[test]
fn the_scale_of_weights_does_not_matter() {
    let setting = ball(2, 60, 14);
    for method in Method::ALL {
        for statistic in [Statistic::V, Statistic::U] {
            let fit = |scale: f64| {
                let weights = (0..60).map(|i| scale * f64::from(1 + i % 3)).collect();
                let data = setting.data.clone().with_weights(weights).unwrap();
                estimator(method, &setting).statistic(statistic).fit(&data, &setting.model).unwrap()
            };
            let plain = fit(1.0);
            for scale in [1e-170, 1e-3, 1e160] {
                assert_close(
                    &fit(scale).estimates(),
                    &plain.estimates(),
                    1e-10,
                    &format!("{method:?} {scale}"),
                );
                assert_close(
                    &fit(scale).std_errors(),
                    &plain.std_errors(),
                    1e-10,
                    &format!("{method:?} {scale}"),
                );
            }
        }
    }
}

/// With scales, a coordinate in other units is the same coordinate.
#[test]
fn scales_undo_units() {
    let setting = ball(2, 120, 15);
    let stretched = |points: &Points| {
        let values = points.values().iter().enumerate();
        let values: Vec<f64> = values.map(|(at, v)| if at % 2 == 1 { 1000.0 * v } else { *v }).collect();
        Points::new(values, 2).unwrap()
    };
    let data = stretched(&setting.data).with_scales(vec![1.0, 1000.0]).unwrap();
    let model = Gaussian::with_variances(&[1.0, 1e6]).unwrap();
    let here =
        Estimator::tksd().boundary(setting.boundary.clone()).fit(&setting.data, &setting.model).unwrap();
    let there = Estimator::tksd().boundary(stretched(&setting.boundary)).fit(&data, &model).unwrap();
    let rescaled = |values: Vec<f64>| vec![values[0], values[1] / 1000.0];
    assert_close(&rescaled(there.estimates()), &here.estimates(), 1e-10, "estimates");
    assert_close(&rescaled(there.std_errors()), &here.std_errors(), 1e-10, "standard errors");
}

/// The influence of an observation is the derivative of the estimate in its weight.
#[test]
fn influence_is_the_derivative_in_the_weights() {
    for method in Method::ALL {
        // Weights made from the same data depend on each observation, to second order.
        let count = if method.uses().adaptive { 600 } else { 70 };
        let setting = ball(2, count, 13);
        for statistic in [Statistic::V, Statistic::U] {
            for model in [&setting.model, &Gaussian::diagonal(2), &Gaussian::full(2)] {
                let estimator =
                    estimator(method, &setting).bandwidth(Bandwidth::Fixed(1.2)).statistic(statistic);
                let theta = |weight: f64| {
                    let mut weights = vec![1.0; count];
                    weights[5] = weight;
                    let fit =
                        estimator.fit(&setting.data.clone().with_weights(weights).unwrap(), model).unwrap();
                    (fitted(&fit).iter().map(|p| p.estimate.unwrap()).collect::<Vec<_>>(), fit)
                };
                let ((up, _), (down, _), (_, fit)) = (theta(1.0 + 1e-5), theta(1.0 - 1e-5), theta(1.0));
                for k in 0..up.len() {
                    let derivative = (up[k] - down[k]) / 2e-5 * count as f64;
                    let influence = fit.influence[(5, k)];
                    // The U-statistic's divisor depends on the weights too, which shifts nothing at the
                    // minimum.
                    let error = (derivative - influence).abs();
                    let typical = (count as f64).sqrt() * fitted(&fit)[k].std_error.unwrap();
                    let tolerance =
                        if method.uses().adaptive { 0.3 * typical } else { 1e-4 * (1.0 + influence.abs()) };
                    assert!(error < tolerance, "{method:?} {statistic:?} {derivative} {influence}");
                }
            }
        }
    }
}

/// The leak at a boundary point, from one factor, is what conditioning on all others leaves there.
#[test]
fn leaks_leave_one_boundary_point_out() {
    let setting = ball(3, 40, 17);
    let ridge = 1e-3;
    let form = |boundary: &Points| {
        let plain = Radial::tiled(&setting.data, kernel::by_name("imq").unwrap(), 1.1).unwrap();
        Conditioned::new(plain, boundary, ridge).unwrap()
    };
    let few = Points::from_rows(&setting.boundary.rows().take(30).collect::<Vec<_>>()).unwrap();
    let leaks = form(&few).leaks();
    assert_eq!(leaks.len(), 30);
    for (j, leak) in leaks.iter().enumerate() {
        let others: Vec<&[f64]> = (0..30).filter(|i| *i != j).map(|i| few.row(i)).collect();
        let left = form(&Points::from_rows(&others).unwrap());
        let left = left.leaks_at(&Points::from_rows(&[few.row(j)]).unwrap()).unwrap()[0];
        assert!((leak - left).abs() < 1e-10, "{j}: {leak} {left}");
    }
    // At a boundary point itself only the ridge is left, far away everything.
    let at = form(&few).leaks_at(&Points::from_rows(&[few.row(0), &[1e3, 0.0, 0.0]]).unwrap()).unwrap();
    assert!(at[0] < 2.0 * ridge && at[1] > 0.99);
}
