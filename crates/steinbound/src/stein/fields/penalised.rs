//! The Stein form of test fields whose flux through the boundary is penalised.

use std::sync::{Arc, OnceLock};

use super::{Penalty, TestFields};
use crate::compute::cholesky::Cholesky;
use crate::compute::packed::LARGEST_TILE;
use crate::compute::{dot, place_of, product};
use crate::engine::ScaledPoints;
use crate::error::{Error, KernelError};
use crate::matrix::{Matrix, add_scaled};
use crate::points::Points;
use crate::stein::form::{Diagonal, FormKind, Holder, Operator, SteinForm, Term, check_shape, wrong_shape};
use crate::stein::radial::cross;

/// The form of [`TestFields`] with a [`Penalty`]: the first step of efficient Stein estimation.
///
/// # Definition
///
/// `K_lm(x, y) = k(x, Z) [P^-1]_lm k(Z, y)`, with the block of `P^-1` that belongs to two coordinates. The
/// squared discrepancy is `gbar' P^-1 gbar` for the mean Stein features `gbar`: the largest square of a mean of
/// a Stein transform over fields `w` with `w' P w <= 1`. If every component is penalised, the kernel is one
/// number for all coordinates, that of TKSD with as many landmarks.
///
/// # Complexity
///
/// A pass over the data for the sums, and one back for values at each point: `2 n J` kernel values.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::engine::PairKernel;
/// use steinbound::stein::{Directions, Penalised, Penalty, SteinForm, TestFields};
/// use steinbound::{Points, kernel};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
/// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![0.7], vec![0], vec![0.0])?;
/// let fields = TestFields::choose(kernel, &data, &ends, 1e-3, 100, 0)?;
/// let penalty = Penalty::new(&fields, &ends, &Directions::unknown(2, 1), 4.0 / 0.5)?;
/// let form = Penalised::new(Arc::new(fields), &data, penalty)?;
/// assert!(form.holder().rank.unwrap() >= 3);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Penalised {
    fields: Arc<TestFields>,
    data: Arc<ScaledPoints>,
    penalty: Penalty,
    /// The factor of `P`.
    factor: Cholesky,
    /// `P^-1`, block by block; a single block where all coordinates share it. Many fits never ask for it.
    blocks: OnceLock<Vec<Matrix>>,
    is_coupled: bool,
}

/// What a term takes of the landmarks: an operator on coefficients that are sums of parts, added to a column of
/// the result.
struct Outer {
    output: usize,
    operator: Operator,
    parts: Vec<Part>,
}

/// The block of `P^-1` of two coordinates, times a sum over the data.
struct Part {
    row: usize,
    column: usize,
    sum: usize,
}

impl Penalised {
    /// The form for some data.
    pub fn new(
        fields: impl Into<Arc<TestFields>>,
        data: &Points,
        penalty: Penalty,
    ) -> Result<Penalised, Error> {
        let fields = fields.into();
        let data = fields.scaled(data)?;
        Penalised::of(fields, data, penalty)
    }

    pub(crate) fn of(
        fields: Arc<TestFields>,
        data: Arc<ScaledPoints>,
        penalty: Penalty,
    ) -> Result<Penalised, Error> {
        let (count, d) = (fields.landmarks(), fields.coordinates());
        let matrix = penalty.matrix();
        if matrix.rows() != count * d {
            let what = format!("a penalty of {} features", matrix.rows());
            return Err(KernelError::WrongShape { points: data.len(), coordinates: d, what }.into());
        }
        let first = block(matrix, count, 0, 0);
        let is_shared = |l: usize, m: usize| {
            let own = block(matrix, count, l, m);
            if l == m { own == first } else { own.values().iter().all(|v| *v == 0.0) }
        };
        let is_coupled = !(0..d).all(|l| (0..d).all(|m| is_shared(l, m)));
        let factor = Cholesky::new(matrix.clone()).ok_or(KernelError::SingularFields)?;
        Ok(Penalised { fields, data, penalty, factor, blocks: OnceLock::new(), is_coupled })
    }

    pub(crate) fn fields(&self) -> &Arc<TestFields> {
        &self.fields
    }

    pub(crate) fn data(&self) -> &Arc<ScaledPoints> {
        &self.data
    }

    pub(crate) fn penalty(&self) -> &Penalty {
        &self.penalty
    }

    /// The factor of the penalty.
    pub(crate) fn factor(&self) -> &Cholesky {
        &self.factor
    }

    fn blocks(&self) -> &[Matrix] {
        self.blocks.get_or_init(|| {
            let count = self.fields.landmarks();
            let distinct = if self.is_coupled { self.coordinates() } else { 1 };
            // On one thread: in parallel, this thread could meanwhile take up a pass that waits for the blocks.
            let inverse = self.factor.inverse_columns(distinct * count);
            (0..distinct * distinct).map(|at| block(&inverse, count, at / distinct, at % distinct)).collect()
        })
    }

    /// The block of `P^-1` of two coordinates; `None` where it is zero.
    fn block(&self, l: usize, m: usize) -> Option<&Matrix> {
        match self.is_coupled {
            true => self.blocks().get(l * self.coordinates() + m),
            false => (l == m).then_some(&self.blocks()[0]),
        }
    }

    fn at(&self, rows: &ScaledPoints, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let d = self.coordinates();
        // Sums over the data; then coefficients as blocks times sums, each for a term at the rows.
        let mut inner: Vec<Term> = Vec::new();
        let mut outer: Vec<Outer> = Vec::new();
        for (output, term) in terms.iter().enumerate() {
            let mut add =
                |operator: Operator, parts: Vec<Part>| outer.push(Outer { output, operator, parts });
            let mut value = |row: usize, column: usize| {
                vec![Part { row, column, sum: place_of(&mut inner, Term::new(Operator::Value, term.column)) }]
            };
            match term.operator {
                Operator::Value | Operator::Gram => add(Operator::Value, value(0, 0)),
                Operator::Between(l, m) => add(Operator::Value, value(l, m)),
                Operator::First(l) => (0..d).for_each(|m| add(Operator::First(m), value(m, l))),
                Operator::Second(_) | Operator::Both | Operator::Energy => {
                    let mut divergence = |row: usize| -> Vec<Part> {
                        let slope = |m: usize| Term::new(Operator::Second(m), term.column);
                        let part = |m: usize| Part { row, column: m, sum: place_of(&mut inner, slope(m)) };
                        (0..d).map(part).collect()
                    };
                    match term.operator {
                        Operator::Second(l) => add(Operator::Value, divergence(l)),
                        _ => (0..d).for_each(|l| add(Operator::First(l), divergence(l))),
                    }
                }
            }
        }
        let fields = &self.fields;
        let sums = cross(fields.evaluator(), &fields.landmarks, &self.data, columns, &inner)?;
        let mut coefficients = Matrix::zeros(fields.landmarks(), outer.len());
        for (j, term) in outer.iter().enumerate() {
            for part in &term.parts {
                if let Some(block) = self.block(part.row, part.column) {
                    add_scaled(coefficients.column_mut(j), 1.0, &block.times_vector(sums.column(part.sum)));
                }
            }
        }
        let back: Vec<Term> = outer.iter().enumerate().map(|(j, term)| Term::new(term.operator, j)).collect();
        let found = cross(fields.evaluator(), rows, &fields.landmarks, &coefficients, &back)?;
        let mut products = Matrix::zeros(rows.len(), terms.len());
        for (j, term) in outer.iter().enumerate() {
            add_scaled(products.column_mut(term.output), 1.0, found.column(j));
        }
        Ok(products)
    }
}

/// The block of a matrix that belongs to two coordinates.
fn block(of: &Matrix, count: usize, l: usize, m: usize) -> Matrix {
    Matrix::from_fn(count, count, |i, j| of[(l * count + i, m * count + j)])
}

impl SteinForm for Penalised {
    fn points(&self) -> usize {
        self.data.len()
    }

    fn dimension(&self) -> usize {
        self.data.dimension()
    }

    fn differentiated(&self) -> &[usize] {
        self.fields.evaluator().kernel.differentiated()
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        self.at(&self.data, columns, terms)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        if targets.dimension() != self.dimension() {
            return Err(wrong_shape(self, format!("points of {} coordinates", targets.dimension())).into());
        }
        self.at(&*self.fields.scaled(targets)?, columns, terms)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let (points, d) = (self.points(), self.coordinates());
        let is_coupled = self.is_coupled;
        let mut diagonal = Diagonal {
            value: vec![0.0; if is_coupled { 0 } else { points }],
            between: Matrix::zeros(points, if is_coupled { d * d } else { 0 }),
            slope: Matrix::zeros(points, d),
            both: vec![0.0; points],
        };
        for start in (0..points).step_by(LARGEST_TILE) {
            let range = start..(start + LARGEST_TILE).min(points);
            let fields = &self.fields;
            let out = fields.evaluator().values_and_slopes(&self.data, range.clone(), &fields.landmarks)?;
            let zeros = || Matrix::zeros(fields.landmarks(), range.len());
            for l in 0..d {
                // Row l of P^-1, applied to the values and to the slopes.
                let mut divergence = zeros();
                for m in 0..d {
                    let Some(block) = self.block(l, m) else { continue };
                    add_scaled(divergence.values_mut(), 1.0, product(block, &out.slope[m]).values());
                    let between = product(block, &out.value);
                    for (at, i) in range.clone().enumerate() {
                        let value = dot(out.value.column(at), between.column(at));
                        match is_coupled {
                            true => diagonal.between[(i, l * d + m)] = value,
                            false => diagonal.value[i] = value,
                        }
                    }
                }
                for (at, i) in range.clone().enumerate() {
                    diagonal.slope[(i, l)] = dot(out.value.column(at), divergence.column(at));
                    diagonal.both[i] += dot(out.slope[l].column(at), divergence.column(at));
                }
            }
        }
        Ok(diagonal)
    }

    fn holder(&self) -> Holder {
        let residual = Some(self.fields.residual()).filter(|residual| residual.is_finite());
        Holder { form: FormKind::Landmarks, rank: Some(self.fields.landmarks()), residual }
    }

    fn is_coupled(&self) -> bool {
        self.is_coupled
    }
}
