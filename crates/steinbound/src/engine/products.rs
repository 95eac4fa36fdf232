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

use std::collections::HashMap;

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
    let products = tiles::symmetric(source, &request.sources.packed(interrupt)?, &request.sums, interrupt)?;
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
    let packed = request.sources.packed(interrupt)?;
    let products = tiles::cross(kernel, rows, others, &packed, &request.sums, interrupt)?;
    request.finish(products, interrupt)
}

/// What a given column is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Factor {
    One,
    /// `t_l`, `l` counting the differentiated coordinates.
    Coordinate(usize),
    /// `sum_l t_l^2 / s_l^4`.
    Norm,
}

/// A column to multiply by: a given one times a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Source {
    column: usize,
    factor: Factor,
}

/// The columns to multiply by, each of them once.
struct Sources<'a> {
    kernel: &'a PairKernel,
    /// The points to which the columns belong.
    points: &'a ScaledPoints,
    columns: &'a Matrix,
    list: Vec<Source>,
    /// The place in the list of every source that was asked for, listed itself or not.
    places: HashMap<Source, usize>,
    /// The places of listed sources by what they are at [a few rows](Sources::sample): with hundreds of
    /// columns, to compare each with all others would take as long as a good part of the sums.
    alike: HashMap<Vec<u64>, Vec<usize>>,
}

/// About as many rows are looked at to tell columns apart.
const SAMPLED_ROWS: usize = 64;

/// Rows of two columns that are compared at a time.
const COMPARED_ROWS: usize = 64;

impl<'a> Sources<'a> {
    fn new(kernel: &'a PairKernel, points: &'a ScaledPoints, columns: &'a Matrix) -> Sources<'a> {
        let (places, alike) = (HashMap::new(), HashMap::new());
        Sources { kernel, points, columns, list: Vec::new(), places, alike }
    }

    /// The place of a source in the list, to which it is added where none has the same bits.
    fn place(&mut self, source: Source) -> usize {
        if let Some(place) = self.places.get(&source) {
            return *place;
        }
        let sample = self.sample(source);
        let alike = self.alike.get(&sample).map_or(&[][..], Vec::as_slice);
        let known = alike.iter().copied().find(|place| self.is_same(self.list[*place], source));
        let place = known.unwrap_or_else(|| {
            self.list.push(source);
            self.alike.entry(sample).or_default().push(self.list.len() - 1);
            self.list.len() - 1
        });
        self.places.insert(source, place);
        place
    }

    /// The bits at rows far apart: most columns that differ already differ there.
    fn sample(&self, source: Source) -> Vec<u64> {
        let rows = self.columns.rows();
        let bits = |i: usize| {
            let mut value = [0.0];
            self.write(source, i, &mut value);
            value[0].to_bits()
        };
        (0..rows).step_by(rows.div_ceil(SAMPLED_ROWS).max(1)).map(bits).collect()
    }

    fn is_same(&self, one: Source, other: Source) -> bool {
        let rows = self.columns.rows();
        let [mut left, mut right] = [[0.0; COMPARED_ROWS]; 2];
        (0..rows).step_by(COMPARED_ROWS).all(|start| {
            let here = COMPARED_ROWS.min(rows - start);
            self.write(one, start, &mut left[..here]);
            self.write(other, start, &mut right[..here]);
            left[..here].iter().zip(&right[..here]).all(|(left, right)| left.to_bits() == right.to_bits())
        })
    }

    /// Writes the rows of a source from `start` on.
    fn write(&self, source: Source, start: usize, rows: &mut [f64]) {
        let range = start..start + rows.len();
        let given = &self.columns.column(source.column)[range.clone()];
        match source.factor {
            Factor::One => rows.copy_from_slice(given),
            Factor::Coordinate(l) => {
                let coordinate = &self.points.shifted.column(l)[range];
                for ((row, given), t) in rows.iter_mut().zip(given).zip(coordinate) {
                    *row = given * t;
                }
            }
            Factor::Norm => {
                for ((row, given), i) in rows.iter_mut().zip(given).zip(range) {
                    *row = given * squared_norm(self.kernel, self.points, i);
                }
            }
        }
    }

    fn packed(&self, interrupt: &Interrupt) -> Result<Packed, Interrupted> {
        let packed = Packed::new(self.columns.rows(), self.list.len(), |j, start, rows| {
            if !interrupt.is_raised() {
                self.write(self.list[j], start, rows);
            }
        });
        interrupt.check()?;
        Ok(packed)
    }
}

/// The width of a differentiated coordinate.
fn width(kernel: &PairKernel, l: usize) -> f64 {
    kernel.widths[kernel.differentiated[l]]
}

/// `sum_l t_l^2 / s_l^4` at a point.
fn squared_norm(kernel: &PairKernel, points: &ScaledPoints, i: usize) -> f64 {
    let shifted = &points.shifted;
    (0..shifted.columns()).map(|l| (shifted[(i, l)] / width(kernel, l).powi(2)).powi(2)).sum()
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
    sources: Sources<'a>,
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
        let sources = Sources::new(kernel, others, columns);
        let mut request = Request { kernel, rows, sources, sums: Vec::new(), recipes: Vec::new() };
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
                let reach = LARGEST_REACH * width(self.kernel, l);
                points.shifted.column(l).iter().all(|t| t.abs() <= reach)
            })
        };
        self.kernel.kernel.log_slope().is_some() && near(self.rows) && near(self.sources.points)
    }

    fn value_of(&mut self, column: usize, factor: Factor) -> usize {
        self.sum_of(PairSum::Value, Source { column, factor })
    }

    /// The place of a sum, which is added where it is new.
    fn sum_of(&mut self, sum: PairSum, source: Source) -> usize {
        let column = self.sources.place(source);
        place_of(&mut self.sums, (sum, column))
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
                    let factor = 2.0 * rate / width(self.kernel, *l).powi(2);
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
                        *term = norm.map_or_else(
                            || squared_norm(self.kernel, self.rows, i) * plain[i],
                            |norm| sums[(i, norm)],
                        );
                        for (l, moment) in moments.iter().enumerate() {
                            let square = width(self.kernel, l).powi(2);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel;
    use crate::points::Points;

    /// Columns that agree in all rows are one source, whatever they are made of. One that differs in a single
    /// row is another, whether that row is among those looked at first or not.
    #[test]
    fn columns_are_shared_only_if_all_bits_agree() -> Result<(), crate::Error> {
        let rows = 5 * SAMPLED_ROWS + 3;
        let points = Points::new((0..rows).map(|i| (i as f64).sin()).collect::<Vec<f64>>(), 1)?;
        let kernel = kernel::by_name("gaussian")?;
        let kernel = Arc::new(PairKernel::new(kernel, vec![0.7], vec![0], vec![0.25])?);
        let scaled = kernel.scale(&points)?;
        // Weights, their products with the coordinate, and these with another last bit in one row.
        let changed = [0, 1, rows - 1];
        let columns = Matrix::from_fn(rows, 2 + changed.len(), |i, c| {
            let weight = 1.0 + (i % 7) as f64;
            let product = weight * scaled.shifted(i, 0);
            match c {
                0 => weight,
                c if c >= 2 && changed[c - 2] == i => f64::from_bits(product.to_bits() ^ 1),
                _ => product,
            }
        });
        let mut sources = Sources::new(&kernel, &scaled, &columns);
        let mut place = |column: usize, factor: Factor| sources.place(Source { column, factor });
        assert_eq!(place(0, Factor::One), 0);
        assert_eq!(place(1, Factor::One), 1);
        assert_eq!(place(0, Factor::Coordinate(0)), 1);
        let others: Vec<usize> = (2..5).map(|c| place(c, Factor::One)).collect();
        assert_eq!(others, [2, 3, 4]);
        assert_eq!(place(0, Factor::Norm), 5);
        assert_eq!([place(0, Factor::Norm), place(0, Factor::One), place(3, Factor::One)], [5, 0, 3]);
        let packed = sources.packed(&Interrupt::new())?;
        assert_eq!(packed.block(0).column(1)[..64], columns.column(1)[..64]);
        Ok(())
    }
}
