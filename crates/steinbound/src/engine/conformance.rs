//! What every engine must satisfy, as a suite that any new engine can run.

use std::sync::Arc;

use super::{Engine, PairKernel, PairSum, ScaledPoints, Storage};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::kernel::{self, Kernel};
use crate::matrix::Matrix;
use crate::points::Points;

/// Sizes and shapes of a case.
struct Case {
    rows: usize,
    others: usize,
    widths: &'static [f64],
    differentiated: &'static [usize],
    /// How far apart the points are.
    spread: f64,
}

/// One and few points, sizes that fill no tile or several, a subset of differentiated coordinates, a
/// coordinate that the kernel does not see, many coordinates, and points many bandwidths apart.
const CASES: [Case; 7] = [
    Case { rows: 1, others: 1, widths: &[0.7], differentiated: &[0], spread: 1.0 },
    Case { rows: 5, others: 3, widths: &[0.7, 1.3], differentiated: &[1], spread: 2.0 },
    Case { rows: 131, others: 9, widths: &[0.8, 0.8], differentiated: &[0, 1], spread: 2.0 },
    Case { rows: 17, others: 300, widths: &[1.0, 2.0, f64::INFINITY], differentiated: &[1, 0], spread: 2.0 },
    Case {
        rows: 67,
        others: 40,
        widths: &[3.0; 9],
        differentiated: &[0, 1, 2, 3, 4, 5, 6, 7, 8],
        spread: 1.0,
    },
    Case { rows: 40, others: 13, widths: &[0.5, 0.5], differentiated: &[0, 1], spread: 200.0 },
    Case { rows: 2_100, others: 2, widths: &[0.6, 0.9], differentiated: &[0, 1], spread: 2.0 },
];

/// From this many points on, only what takes no square of their number is compared.
const MANY: usize = 1_000;

/// Relative difference that rounding may leave.
const TOLERANCE: f64 = 1e-10;

/// Checks an engine with every kernel of this crate, against direct evaluation of [`Kernel::profile`]:
/// symmetric sums, stored and not, sums over two sets of points, values and slopes of any range of points,
/// the same bits each time, and an error once interrupted.
///
/// Returns what fails, in words.
///
/// ```
/// use steinbound::engine::{Native, conformance};
/// assert_eq!(conformance::check(&Native), Ok(()));
/// ```
pub fn check(engine: &dyn Engine) -> Result<(), Vec<String>> {
    let mut failures = Vec::new();
    for (number, kernel) in kernel::all().into_iter().enumerate() {
        // The largest case is about tiles: a kernel whose slopes come from values, and one whose do not, will
        // do.
        for case in CASES.iter().filter(|case| case.rows < MANY || number < 2) {
            let what = format!(
                "{}, kernel {}, {} against {} points of widths {:?}",
                engine.name(),
                kernel.name(),
                case.rows,
                case.others,
                case.widths
            );
            match Check::new(engine, Arc::clone(&kernel), case).and_then(|check| check.run()) {
                Ok(found) => failures.extend(found.into_iter().map(|failure| format!("{what}: {failure}"))),
                Err(error) => failures.push(format!("{what}: {error}")),
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// An engine on the points of a case.
struct Check<'a> {
    engine: &'a dyn Engine,
    kernel: Arc<PairKernel>,
    rows: Arc<ScaledPoints>,
    others: ScaledPoints,
}

impl<'a> Check<'a> {
    fn new(engine: &'a dyn Engine, kernel: Arc<dyn Kernel>, case: &Case) -> Result<Check<'a>, Error> {
        let dimension = case.widths.len();
        let points = |count: usize, shift: f64| {
            // Low-discrepancy points, some of which coincide.
            let coordinate = |i: usize, l: usize| {
                case.spread * ((i - i % 11 % 2) as f64 * (l as f64 + 2.0).sqrt() + shift).fract()
            };
            let values = (0..count * dimension).map(|at| coordinate(at / dimension, at % dimension));
            Points::new(values.collect::<Vec<f64>>(), dimension)
        };
        let origin = vec![0.5 * case.spread; dimension];
        let kernel = PairKernel::new(kernel, case.widths.to_vec(), case.differentiated.to_vec(), origin)?;
        let rows = Arc::new(kernel.scale(&points(case.rows, 0.3)?)?);
        let others = kernel.scale(&points(case.others, 0.7)?)?;
        Ok(Check { engine, kernel: Arc::new(kernel), rows, others })
    }

    fn run(&self) -> Result<Vec<String>, Error> {
        let mut failures = Vec::new();
        let go = Interrupt::new();
        let columns = |count: usize| Matrix::from_fn(count, 2, |i, c| ((i * (c + 2)) as f64 + 0.3).sin());
        let terms = self.terms();
        for storage in [Storage::Dense, Storage::Tiled] {
            let (kernel, points) = (Arc::clone(&self.kernel), Arc::clone(&self.rows));
            let pairs = self.engine.prepare(kernel, points, storage, &go)?;
            let columns = columns(self.rows.len());
            let found = pairs.symmetric(&columns, &terms, &go)?;
            self.compare(&found, &self.rows, &columns, &terms, &format!("{storage:?} sums"), &mut failures);
            if pairs.symmetric(&columns, &terms, &go)? != found {
                failures.push(format!("{storage:?} sums change from one pass to the next"));
            }
            // Alone, and beside derivatives, which may be multiplied in another way.
            let besides =
                if self.rows.len() < MANY { vec![vec![], vec![(PairSum::Mixed, 0)]] } else { vec![] };
            for others in besides {
                let special = [(PairSum::Gram, 0), (PairSum::Gram, 1), (PairSum::Energy, 1)];
                let found = pairs.symmetric(&columns, &[&special[..], &others].concat(), &go)?;
                self.check_inner(&found, &columns, &mut failures);
            }
            let raised = Interrupt::new();
            raised.raise();
            if !pairs.symmetric(&columns, &terms, &raised).is_err_and(|error| error.is_interrupted()) {
                failures.push(format!("{storage:?} sums are not interrupted"));
            }
        }
        let columns = columns(self.others.len());
        let found = self.engine.cross(&self.kernel, &self.rows, &self.others, &columns, &terms, &go)?;
        self.compare(&found, &self.others, &columns, &terms, "cross sums", &mut failures);
        let special = [(PairSum::Gram, 1), (PairSum::Energy, 0)];
        let plain = [(PairSum::Value, 1), (PairSum::Mixed, 0)];
        let found = self.engine.cross(&self.kernel, &self.rows, &self.others, &columns, &special, &go)?;
        self.compare(&found, &self.others, &columns, &plain, "cross energy and Gram", &mut failures);
        self.check_values(&mut failures)?;
        Ok(failures)
    }

    /// Every sum of each of two columns.
    fn terms(&self) -> Vec<(PairSum, usize)> {
        let slopes = (0..self.kernel.differentiated().len()).map(PairSum::Slope);
        let sums: Vec<PairSum> = [PairSum::Value, PairSum::Mixed].into_iter().chain(slopes).collect();
        (0..2).flat_map(|column| sums.iter().map(move |sum| (*sum, column))).collect()
    }

    /// Compares sums with those of pairs, one after the other.
    fn compare(
        &self,
        found: &Matrix,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        what: &str,
        failures: &mut Vec<String>,
    ) {
        if (found.rows(), found.columns()) != (self.rows.len(), terms.len()) {
            failures.push(format!("{what} are {} by {}", found.rows(), found.columns()));
            return;
        }
        // Of many rows a few will do.
        for i in (0..self.rows.len()).step_by((self.rows.len() / 50).max(1)) {
            for (at, (sum, column)) in terms.iter().enumerate() {
                let pair = |j: usize| self.pair(*sum, &self.rows, i, others, j) * columns[(j, *column)];
                let expected: f64 = (0..others.len()).map(pair).sum();
                let size = (0..others.len()).map(|j| pair(j).abs()).sum::<f64>() + self.size(*sum);
                if !is_within((found[(i, at)] - expected).abs(), TOLERANCE * size) {
                    let found = found[(i, at)];
                    failures.push(format!("{what}: {sum:?} at point {i} is {found}, not {expected}"));
                }
            }
        }
    }

    /// The identities of [`PairSum::Gram`], the first two columns of `found`, and [`PairSum::Energy`], the
    /// third.
    fn check_inner(&self, found: &Matrix, columns: &Matrix, failures: &mut Vec<String>) {
        let inner = |c: usize, at: usize| crate::compute::dot(columns.column(c), found.column(at));
        let direct = |sum: PairSum, c: usize, other: usize| {
            let (mut total, mut size) = (0.0, 0.0);
            for i in 0..self.rows.len() {
                for j in 0..self.rows.len() {
                    let term =
                        columns[(i, c)] * self.pair(sum, &self.rows, i, &self.rows, j) * columns[(j, other)];
                    (total, size) = (total + term, size + term.abs());
                }
            }
            (total, size + self.size(sum))
        };
        let (gram, energy) = (0.5 * (inner(0, 1) + inner(1, 0)), inner(1, 2));
        for (found, (expected, size), what) in
            [(gram, direct(PairSum::Value, 0, 1), "Gram"), (energy, direct(PairSum::Mixed, 1, 1), "Energy")]
        {
            if !is_within((found - expected).abs(), TOLERANCE * size) {
                failures.push(format!("the inner product by {what} is {found}, not {expected}"));
            }
        }
    }

    fn check_values(&self, failures: &mut Vec<String>) -> Result<(), Error> {
        let (go, count) = (Interrupt::new(), self.rows.len());
        for range in [0..count, count / 3..count, count - 1..count] {
            let values = self.engine.values(&self.kernel, &self.rows, range.clone(), &self.others, &go)?;
            let both =
                self.engine.values_and_slopes(&self.kernel, &self.rows, range.clone(), &self.others, &go)?;
            let slopes = both.slope.iter().enumerate().map(|(l, slope)| (PairSum::Slope(l), -1.0, slope));
            let all = [(PairSum::Value, 1.0, &values), (PairSum::Value, 1.0, &both.value)];
            for (sum, sign, found) in all.into_iter().chain(slopes) {
                // The derivative in the first argument of a radial kernel is minus that in the second.
                let expected = Matrix::from_fn(self.others.len(), range.len(), |j, i| {
                    sign * self.pair(sum, &self.rows, range.start + i, &self.others, j)
                });
                let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * self.size(sum);
                let has_shape = (found.rows(), found.columns()) == (expected.rows(), expected.columns());
                if !has_shape || !found.values().iter().zip(expected.values()).all(is_near) {
                    failures.push(format!("{sum:?} of points {range:?} written out differ from the kernel"));
                }
            }
        }
        Ok(())
    }

    /// One pair by definition.
    fn pair(&self, sum: PairSum, rows: &ScaledPoints, i: usize, others: &ScaledPoints, j: usize) -> f64 {
        let difference = |l: usize| others.coordinate(j, l) - rows.coordinate(i, l);
        let q: f64 = (0..rows.dimension()).map(|l| difference(l).powi(2)).sum();
        let [value, first, second] = self.kernel.kernel().profile(q);
        let width = |l: usize| self.kernel.widths()[l];
        match sum {
            PairSum::Value | PairSum::Gram => value,
            PairSum::Slope(l) => {
                let l = self.kernel.differentiated()[l];
                2.0 * first * difference(l) / width(l)
            }
            PairSum::Mixed | PairSum::Energy => {
                let of_coordinate =
                    |l: &usize| (-2.0 * first - 4.0 * second * difference(*l).powi(2)) / width(*l).powi(2);
                self.kernel.differentiated().iter().map(of_coordinate).sum()
            }
        }
    }

    /// The size of a sum for two points near each other.
    fn size(&self, sum: PairSum) -> f64 {
        let (value, mixed) = self.kernel.diagonal();
        match sum {
            PairSum::Value | PairSum::Gram => value,
            PairSum::Slope(_) => mixed.sqrt(),
            PairSum::Mixed | PairSum::Energy => mixed,
        }
    }
}

/// Whether a difference is a number up to the limit: a NaN is not.
pub(crate) fn is_within(difference: f64, limit: f64) -> bool {
    difference <= limit
}
