//! Passes with as few columns as possible.
//!
//! Terms that ask for the same sum of the same column are computed once; columns count as the same when all
//! their bits are. For a kernel whose slope is a multiple `c` of its value (the Gaussian: `c = -1/2`), the
//! sums of derivatives are taken from sums of values. With coordinates less the origin, `t_l = x_l - o_l`,
//! and `V(v)` the sums `sum_j k(x_i, x_j) v_j`,
//!
//! ```text
//! sum_j d/dy_l k v_j          = (2 c / s_l^2) [ V(t_l v) - t_l V(v) ]
//! sum_j sum_l d/dx_l d/dy_l k v_j = -2 c V(v) sum_l s_l^-2
//!                                   - 4 c^2 sum_l s_l^-4 [ t_l^2 V(v) - 2 t_l V(t_l v) + V(t_l^2 v) ].
//! ```
//!
//! The differences lose digits where points are many bandwidths from the origin: beyond [`LARGEST_REACH`]
//! they are not used.

use super::tiles::{self, Tiles};
use super::{PairKernel, PairSum, ScaledPoints};
use crate::compute::packed::Packed;
use crate::compute::place_of;
use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::Matrix;

/// The distance from the origin, in bandwidths, up to which differences of sums keep twelve digits.
const LARGEST_REACH: f64 = 32.0;

/// All terms for a set of points against itself.
pub(super) fn symmetric(
    source: &Tiles,
    columns: &Matrix,
    terms: &[(PairSum, usize)],
    interrupt: &Interrupt,
) -> Result<Matrix, Interrupted> {
    let (kernel, points) = (&source.kernel, &source.points);
    let request = Request::new(kernel, points, points, columns, terms);
    let products = tiles::symmetric(source, &request.packed(interrupt)?, &request.sums, interrupt)?;
    request.finish(products, interrupt)
}

/// All terms for row points against other points, to which the columns belong.
pub(super) fn cross(
    kernel: &PairKernel,
    rows: &ScaledPoints,
    others: &ScaledPoints,
    columns: &Matrix,
    terms: &[(PairSum, usize)],
    interrupt: &Interrupt,
) -> Result<Matrix, Interrupted> {
    interrupt.check()?;
    // At other points there is no such thing as an energy or a transpose.
    let plain = |sum: PairSum| match sum {
        PairSum::Energy => PairSum::Mixed,
        PairSum::Gram => PairSum::Value,
        sum => sum,
    };
    let terms: Vec<(PairSum, usize)> = terms.iter().map(|(sum, column)| (plain(*sum), *column)).collect();
    let request = Request::new(kernel, rows, others, columns, &terms);
    let packed = request.packed(interrupt)?;
    let products = tiles::cross(kernel, rows, others, &packed, &request.sums, interrupt)?;
    request.finish(products, interrupt)
}

/// What a given column is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Factor {
    One,
    /// `t_l`, `l` counting the differentiated coordinates.
    Coordinate(usize),
    /// `sum_l t_l^2 / s_l^4`.
    Norm,
}

/// A column to multiply by: a given one times a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Source {
    column: usize,
    factor: Factor,
}

/// How a term is made of sums.
enum Recipe {
    Sum(usize),
    Slope {
        l: usize,
        plain: usize,
        moment: usize,
    },
    /// Without the sums of the norm, these are replaced by the norm times the sums: the inner product with
    /// the column stays.
    Mixed {
        plain: usize,
        moments: Vec<usize>,
        norm: Option<usize>,
    },
}

/// The sums to compute for some terms, and the way back from these.
struct Request<'a> {
    kernel: &'a PairKernel,
    rows: &'a ScaledPoints,
    others: &'a ScaledPoints,
    columns: &'a Matrix,
    sources: Vec<Source>,
    sums: Vec<(PairSum, usize)>,
    recipes: Vec<Recipe>,
}

impl<'a> Request<'a> {
    fn new(
        kernel: &'a PairKernel,
        rows: &'a ScaledPoints,
        others: &'a ScaledPoints,
        columns: &'a Matrix,
        terms: &[(PairSum, usize)],
    ) -> Request<'a> {
        let (sources, sums, recipes) = (Vec::new(), Vec::new(), Vec::new());
        let mut request = Request { kernel, rows, others, columns, sources, sums, recipes };
        let uses_values = request.uses_values();
        for (sum, column) in terms {
            let recipe = match sum {
                PairSum::Slope(l) if uses_values => Recipe::Slope {
                    l: *l,
                    plain: request.value_of(*column, Factor::One),
                    moment: request.value_of(*column, Factor::Coordinate(*l)),
                },
                PairSum::Mixed | PairSum::Energy if uses_values => Recipe::Mixed {
                    plain: request.value_of(*column, Factor::One),
                    moments: (0..kernel.differentiated.len())
                        .map(|l| request.value_of(*column, Factor::Coordinate(l)))
                        .collect(),
                    norm: (*sum == PairSum::Mixed).then(|| request.value_of(*column, Factor::Norm)),
                },
                sum => Recipe::Sum(request.sum_of(*sum, Source { column: *column, factor: Factor::One })),
            };
            request.recipes.push(recipe);
        }
        request
    }

    fn uses_values(&self) -> bool {
        let near = |points: &ScaledPoints| {
            (0..points.shifted.columns()).all(|l| {
                let reach = LARGEST_REACH * self.width(l);
                points.shifted.column(l).iter().all(|t| t.abs() <= reach)
            })
        };
        self.kernel.kernel.log_slope().is_some() && near(self.rows) && near(self.others)
    }

    /// The width of a differentiated coordinate.
    fn width(&self, l: usize) -> f64 {
        self.kernel.widths[self.kernel.differentiated[l]]
    }

    fn value_of(&mut self, column: usize, factor: Factor) -> usize {
        self.sum_of(PairSum::Value, Source { column, factor })
    }

    /// The place of a sum, which is added where it is new.
    fn sum_of(&mut self, sum: PairSum, source: Source) -> usize {
        let known = self.sources.iter().position(|other| self.is_same(*other, source));
        let column = known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        });
        place_of(&mut self.sums, (sum, column))
    }

    fn is_same(&self, one: Source, other: Source) -> bool {
        let rows = self.columns.rows();
        let is_same_at = |i: usize| self.entry(one, i).to_bits() == self.entry(other, i).to_bits();
        // Most columns that differ already differ in a few rows far apart.
        one == other
            || (0..rows).step_by(rows.div_ceil(64).max(1)).all(is_same_at) && (0..rows).all(is_same_at)
    }

    /// The entry of a column at one of the points to which the columns belong.
    #[inline]
    fn entry(&self, source: Source, i: usize) -> f64 {
        let given = self.columns[(i, source.column)];
        match source.factor {
            Factor::One => given,
            Factor::Coordinate(l) => given * self.others.shifted[(i, l)],
            Factor::Norm => given * self.norm(self.others, i),
        }
    }

    /// `sum_l t_l^2 / s_l^4` at a point.
    fn norm(&self, points: &ScaledPoints, i: usize) -> f64 {
        (0..points.shifted.columns()).map(|l| (points.shifted[(i, l)] / self.width(l).powi(2)).powi(2)).sum()
    }

    fn packed(&self, interrupt: &Interrupt) -> Result<Packed, Interrupted> {
        let packed = Packed::new(self.columns.rows(), self.sources.len(), |j, start, rows| {
            if interrupt.is_raised() {
                return;
            }
            for (i, value) in (start..).zip(rows) {
                *value = self.entry(self.sources[j], i);
            }
        });
        interrupt.check()?;
        Ok(packed)
    }

    /// The terms, one column each, from the sums.
    fn finish(self, sums: Matrix, interrupt: &Interrupt) -> Result<Matrix, Interrupted> {
        let rate = self.kernel.kernel.log_slope().unwrap_or(0.0);
        let mut terms = Matrix::zeros(sums.rows(), self.recipes.len());
        for (output, recipe) in self.recipes.iter().enumerate() {
            interrupt.check()?;
            let term = terms.column_mut(output);
            match recipe {
                Recipe::Sum(at) => term.copy_from_slice(sums.column(*at)),
                Recipe::Slope { l, plain, moment } => {
                    let factor = 2.0 * rate / self.width(*l).powi(2);
                    let (plain, moment) = (sums.column(*plain), sums.column(*moment));
                    let t = self.rows.shifted.column(*l);
                    for (i, term) in term.iter_mut().enumerate() {
                        *term = factor * (moment[i] - t[i] * plain[i]);
                    }
                }
                Recipe::Mixed { plain, moments, norm } => {
                    let constant = -2.0 * rate * self.kernel.inverse_square_widths();
                    let plain = sums.column(*plain);
                    for (i, term) in term.iter_mut().enumerate() {
                        *term =
                            norm.map_or_else(|| self.norm(self.rows, i) * plain[i], |norm| sums[(i, norm)]);
                        for (l, moment) in moments.iter().enumerate() {
                            let square = self.width(l).powi(2);
                            let t = self.rows.shifted[(i, l)] / square;
                            *term += t * (t * plain[i] - 2.0 * sums[(i, *moment)] / square);
                        }
                        *term = constant * plain[i] - 4.0 * rate * rate * *term;
                    }
                }
            }
        }
        Ok(terms)
    }
}
