//! Another engine than the one that this crate ships: it passes the suite, and a fit does not know the
//! difference.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{assert_close, ball, edge, modes, two_modes};
use steinbound::domain::BoundaryDistance;
use steinbound::engine::{
    Engine, Native, PairKernel, PairSum, PreparedPairs, ScaledPoints, Storage, ValuesAndSlopes, conformance,
};
use steinbound::fit::{Compute, Interrupt};
use steinbound::kernel::{self, Bandwidth};
use steinbound::stein::{
    self, Conditioned, FluxConditioned, Landmarks, LowRank, Radial, Statistic, SteinForm, Weighted,
};
use steinbound::{Error, Estimator, Fit, Matrix, Points};

/// One pair after the other.
#[derive(Debug, Default)]
struct Plain {
    passes: AtomicUsize,
    /// What slopes are multiplied by: one, unless they are to be wrong.
    wrong: Option<f64>,
}

/// `f`, `f'` and `f''` of a pair, and the differences of its coordinates.
fn pair(
    kernel: &PairKernel,
    rows: &ScaledPoints,
    i: usize,
    others: &ScaledPoints,
    j: usize,
) -> ([f64; 3], Vec<f64>) {
    let difference: Vec<f64> =
        (0..rows.dimension()).map(|l| others.coordinate(j, l) - rows.coordinate(i, l)).collect();
    (kernel.kernel().profile(difference.iter().map(|v| v * v).sum()), difference)
}

impl Plain {
    fn term(&self, kernel: &PairKernel, sum: PairSum, pair: &([f64; 3], Vec<f64>)) -> f64 {
        let ([value, first, second], difference) = pair;
        match sum {
            PairSum::Value | PairSum::Gram => *value,
            PairSum::Slope(l) => {
                let l = kernel.differentiated()[l];
                self.wrong.unwrap_or(1.0) * 2.0 * first * difference[l] / kernel.widths()[l]
            }
            PairSum::Mixed | PairSum::Energy => kernel
                .differentiated()
                .iter()
                .map(|l| (-2.0 * first - 4.0 * second * difference[*l].powi(2)) / kernel.widths()[*l].powi(2))
                .sum(),
        }
    }

    fn sums(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let mut sums = Matrix::zeros(rows.len(), terms.len());
        for i in 0..rows.len() {
            interrupt.check()?;
            for j in 0..others.len() {
                let pair = pair(kernel, rows, i, others, j);
                for (at, (sum, column)) in terms.iter().enumerate() {
                    sums[(i, at)] += self.term(kernel, *sum, &pair) * columns[(j, *column)];
                }
            }
        }
        Ok(sums)
    }
}

struct Prepared {
    kernel: Arc<PairKernel>,
    points: Arc<ScaledPoints>,
    wrong: Option<f64>,
}

impl PreparedPairs for Prepared {
    fn symmetric(
        &self,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        let plain = Plain { wrong: self.wrong, ..Plain::default() };
        plain.sums(&self.kernel, &self.points, &self.points, columns, terms, interrupt)
    }
}

impl Engine for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn prepare(
        &self,
        kernel: Arc<PairKernel>,
        points: Arc<ScaledPoints>,
        _: Storage,
        _: &Interrupt,
    ) -> Result<Box<dyn PreparedPairs>, Error> {
        Ok(Box::new(Prepared { kernel, points, wrong: self.wrong }))
    }

    fn cross(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        self.sums(kernel, rows, others, columns, terms, interrupt)
    }

    fn values(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        _: &Interrupt,
    ) -> Result<Matrix, Error> {
        let value = |j: usize, i: usize| pair(kernel, rows, range.start + i, others, j).0[0];
        Ok(Matrix::from_fn(others.len(), range.len(), value))
    }

    fn values_and_slopes(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        interrupt: &Interrupt,
    ) -> Result<ValuesAndSlopes, Error> {
        let slope = |l: usize| {
            Matrix::from_fn(others.len(), range.len(), |j, i| {
                -self.term(kernel, PairSum::Slope(l), &pair(kernel, rows, range.start + i, others, j))
            })
        };
        let slope = (0..kernel.differentiated().len()).map(slope).collect();
        Ok(ValuesAndSlopes { value: self.values(kernel, rows, range, others, interrupt)?, slope })
    }
}

#[test]
fn engines_conform() {
    assert_eq!(conformance::check(&Native), Ok(()));
    assert_eq!(conformance::check(&Plain::default()), Ok(()));
}

#[test]
fn a_wrong_engine_is_found() {
    let failures = conformance::check(&Plain { wrong: Some(1.0 + 1e-8), ..Plain::default() }).unwrap_err();
    assert!(failures.iter().any(|failure| failure.contains("Slope(0)")), "{failures:?}");
    assert!(!failures.iter().any(|failure| failure.contains("Value")), "{failures:?}");
}

/// Estimates, standard errors and discrepancy.
fn numbers(fit: &Fit) -> Vec<f64> {
    let parameters = fit.parameters.iter().flat_map(|p| [p.estimate.unwrap(), p.std_error.unwrap()]);
    parameters.chain([fit.discrepancy_squared.unwrap()]).collect()
}

#[test]
fn a_fit_is_the_same_on_another_engine() {
    let setting = ball(2, 300, 5);
    for kernel in kernel::names() {
        for (compute, statistic) in
            [(Compute::Dense, Statistic::V), (Compute::Tiled, Statistic::U), (Compute::LowRank, Statistic::V)]
        {
            let estimator = Estimator::tksd()
                .boundary(setting.boundary.clone())
                .kernel(kernel::by_name(kernel).unwrap())
                .statistic(statistic)
                .tolerance(1e-6)
                .compute(compute);
            let plain = Arc::new(Plain::default());
            let native = estimator.clone().fit(&setting.data, &setting.model).unwrap();
            let other = estimator.engine(plain.clone()).fit(&setting.data, &setting.model).unwrap();
            assert!(plain.passes.load(Ordering::Relaxed) > 0);
            let what = format!("{kernel}, {compute:?}, {statistic:?}");
            // With landmarks, rounding is multiplied by the condition of their factor.
            let tolerance = if compute == Compute::LowRank { 1e-8 } else { 1e-11 };
            assert_close(&numbers(&other), &numbers(&native), tolerance, &what);
        }
    }
}

#[test]
fn a_search_is_the_same_on_another_engine() {
    let (data, model) = (modes(150, 3), two_modes());
    let estimator = Estimator::tksd().boundary(edge()).compute(Compute::Tiled);
    let native = estimator.clone().fit(&data, &model).unwrap();
    let other = estimator.engine(Arc::new(Plain::default())).fit(&data, &model).unwrap();
    assert_close(&numbers(&other), &numbers(&native), 1e-6, "mixture");
}

#[test]
fn an_interrupted_engine_ends_a_fit() {
    let (setting, interrupt) = (ball(2, 50, 5), Interrupt::new());
    let estimator = Estimator::tksd().boundary(setting.boundary.clone()).engine(Arc::new(Plain::default()));
    let problem = estimator.interrupt(interrupt.clone());
    let problem = problem.check(&setting.data, &setting.model).unwrap();
    interrupt.raise();
    assert!(problem.fit().unwrap_err().is_interrupted());
}

#[test]
fn forms_conform() {
    let setting = ball(2, 150, 7);
    let boundary = Points::new(setting.boundary.values()[..16].to_vec(), 2).unwrap();
    let sigma = Bandwidth::Median.resolve(&setting.data, 0).unwrap();
    for name in kernel::names() {
        for differentiated in [vec![0, 1], vec![1]] {
            let radial = || {
                let kernel = kernel::by_name(name).unwrap();
                Radial::new(&setting.data, kernel, vec![sigma, 0.8 * sigma], differentiated.clone(), false)
                    .unwrap()
            };
            let normals = Matrix::from_fn(8, differentiated.len(), |i, l| boundary.row(i)[differentiated[l]]);
            let flux = || FluxConditioned::new(radial(), &boundary, &normals, &[1e-3; 8]).unwrap();
            let distance = || BoundaryDistance::exact(setting.domain.clone());
            let exact = Arc::new(Conditioned::new(radial(), &boundary, 1e-3).unwrap());
            let landmarks = Landmarks::choose(&exact, &setting.data, 1e-4, 100, 0).unwrap();
            let low_rank = LowRank::new(Arc::clone(&exact), Arc::new(landmarks)).unwrap();
            let weighted = Weighted::new(radial(), &setting.data, distance()).unwrap();
            let both = Weighted::new(flux(), &setting.data, distance()).unwrap();
            let forms: [(&str, &dyn SteinForm); 6] = [
                ("radial", &radial()),
                ("conditioned", exact.as_ref()),
                ("low rank", &low_rank),
                ("weighted", &weighted),
                ("flux", &flux()),
                ("weighted flux", &both),
            ];
            for (form, which) in forms {
                let found = stein::conformance::check(which, &setting.data);
                assert_eq!(found, Ok(()), "{form}, {name}, {differentiated:?}");
            }
        }
    }
}

/// The suite finds a form whose derivatives are those of another kernel.
#[test]
fn a_wrong_form_is_found() {
    struct Wrong(Radial, Radial);
    impl SteinForm for Wrong {
        fn points(&self) -> usize {
            self.0.points()
        }
        fn dimension(&self) -> usize {
            self.0.dimension()
        }
        fn differentiated(&self) -> &[usize] {
            self.0.differentiated()
        }
        fn apply(&self, columns: &Matrix, terms: &[stein::Term]) -> Result<Matrix, Error> {
            let is_value = terms.iter().all(|term| term.operator == stein::Operator::Value);
            if is_value { self.0.apply(columns, terms) } else { self.1.apply(columns, terms) }
        }
        fn apply_at(&self, at: &Points, columns: &Matrix, terms: &[stein::Term]) -> Result<Matrix, Error> {
            let is_value = terms.iter().all(|term| term.operator == stein::Operator::Value);
            if is_value { self.0.apply_at(at, columns, terms) } else { self.1.apply_at(at, columns, terms) }
        }
        fn diagonal(&self) -> Result<stein::Diagonal, Error> {
            self.0.diagonal()
        }
        fn holder(&self) -> stein::Holder {
            stein::Holder::exact(stein::FormKind::Other("wrong".into()))
        }
    }
    let setting = ball(2, 40, 7);
    let of = |bandwidth: f64| {
        Radial::tiled(&setting.data, kernel::by_name("gaussian").unwrap(), bandwidth).unwrap()
    };
    let failures = stein::conformance::check(&Wrong(of(1.0), of(1.1)), &setting.data).unwrap_err();
    assert!(failures.iter().any(|failure| failure.contains("by differences")), "{failures:?}");
}
