//! One component of a mixture: its factor, and the effect of a parameter on it.

use crate::matrix::Matrix;

/// The part of a component that a parameter changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// A coordinate of the mean.
    Mean(usize),
    /// The log-weight.
    Weight,
    /// The entry (i, j), `i >= j`, of the lower factor `L`; on the diagonal its logarithm.
    Entry(usize, usize),
    /// The logarithm of a spherical precision.
    LogPrecision,
}

/// Lower factors `L` of precisions `Lambda = L L'`: one for all components, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Factors {
    dimension: usize,
    lower: Vec<f64>,
    precision: Vec<f64>,
    log_determinants: Vec<f64>,
}

impl Factors {
    pub(super) fn with_capacity(dimension: usize, count: usize) -> Factors {
        let size = count * dimension * dimension;
        Factors {
            dimension,
            lower: Vec::with_capacity(size),
            precision: Vec::with_capacity(size),
            log_determinants: Vec::with_capacity(count),
        }
    }

    /// The factor shared by all components, from its entries (i, j), `i >= j`.
    pub(super) fn one(dimension: usize, entry: impl Fn(usize, usize) -> f64) -> Factors {
        let mut factors = Factors::with_capacity(dimension, 1);
        factors.push(entry);
        factors
    }

    /// Adds the factor of the next component.
    pub(super) fn push(&mut self, entry: impl Fn(usize, usize) -> f64) {
        let (d, start) = (self.dimension, self.lower.len());
        for i in 0..d {
            self.lower.extend((0..d).map(|j| if j <= i { entry(i, j) } else { 0.0 }));
        }
        let lower = &self.lower[start..];
        let product =
            |i: usize, j: usize| -> f64 { (0..=i.min(j)).map(|k| lower[i * d + k] * lower[j * d + k]).sum() };
        for i in 0..d {
            self.precision.extend((0..d).map(|j| product(i, j)));
        }
        self.log_determinants.push((0..d).map(|i| lower[i * d + i].ln()).sum());
    }

    /// The factor of component `k`.
    #[inline]
    pub(super) fn at(&self, k: usize) -> Factor<'_> {
        let set = if self.log_determinants.len() == 1 { 0 } else { k };
        let size = self.dimension * self.dimension;
        let part = set * size..(set + 1) * size;
        Factor {
            dimension: self.dimension,
            lower: &self.lower[part.clone()],
            precision: &self.precision[part],
            log_determinant: self.log_determinants[set],
        }
    }
}

/// The lower factor of one precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor<'a> {
    dimension: usize,
    lower: &'a [f64],
    precision: &'a [f64],
    /// `log |L|`.
    pub(super) log_determinant: f64,
}

impl<'a> Factor<'a> {
    #[inline]
    pub(super) fn lower(&self, i: usize, j: usize) -> f64 {
        self.lower[i * self.dimension + j]
    }

    #[inline]
    pub(super) fn precision(&self, i: usize, j: usize) -> f64 {
        self.precision[i * self.dimension + j]
    }

    /// Writes `u = L' y` and `s = -L u`.
    #[inline]
    pub(super) fn pull(&self, y: &[f64], u: &mut [f64], s: &mut [f64]) {
        let d = self.dimension;
        for j in 0..d {
            u[j] = (j..d).map(|i| self.lower(i, j) * y[i]).sum();
        }
        for i in 0..d {
            s[i] = -(0..=i).map(|j| self.lower(i, j) * u[j]).sum::<f64>();
        }
    }

    /// `L^-1`, by forward substitution.
    pub(super) fn inverse_lower(&self) -> Matrix {
        let d = self.dimension;
        let mut inverse = Matrix::zeros(d, d);
        for j in 0..d {
            for i in j..d {
                let target = f64::from(u8::from(i == j));
                let known: f64 = (j..i).map(|k| self.lower(i, k) * inverse[(k, j)]).sum();
                inverse[(i, j)] = (target - known) / self.lower(i, i);
            }
        }
        inverse
    }
}

/// One component at one point: `y = x - mu`, `u = L' y` and the score `s = -L u`.
///
/// `q` is the logarithm of weight times density, and `h_l = d_l s_l = -Lambda_ll`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component<'a> {
    pub(super) factor: Factor<'a>,
    pub(super) y: &'a [f64],
    pub(super) u: &'a [f64],
    pub(super) s: &'a [f64],
}

impl Component<'_> {
    /// `h_l`.
    #[inline]
    pub(super) fn slope(&self, l: usize) -> f64 {
        -self.factor.precision(l, l)
    }

    /// `D q`, up to a term that is the same for all components. Never infinite, so that it can be multiplied
    /// by zero.
    #[inline]
    pub(super) fn change(&self, direction: Direction) -> f64 {
        let value = match direction {
            Direction::Mean(m) => -self.s[m],
            Direction::Weight => 1.0,
            Direction::Entry(i, j) if i == j => 1.0 - self.factor.lower(i, i) * self.u[i] * self.y[i],
            Direction::Entry(i, j) => -self.u[j] * self.y[i],
            Direction::LogPrecision => 0.5 * (self.u.len() as f64 - self.square()),
        };
        value.clamp(f64::MIN, f64::MAX)
    }

    /// `D s_l`.
    #[inline]
    pub(super) fn score_change(&self, direction: Direction, l: usize) -> f64 {
        match direction {
            Direction::Mean(m) => self.factor.precision(l, m),
            Direction::Weight => 0.0,
            Direction::Entry(i, j) => {
                let own = if l == i { self.u[j] } else { 0.0 };
                -self.scale(i, j) * (own + self.factor.lower(l, j) * self.y[i])
            }
            Direction::LogPrecision => self.s[l],
        }
    }

    /// `D h_l`.
    #[inline]
    pub(super) fn slope_change(&self, direction: Direction, l: usize) -> f64 {
        match direction {
            Direction::Entry(i, j) if i == l => -2.0 * self.scale(i, j) * self.factor.lower(i, j),
            Direction::LogPrecision => self.slope(l),
            _ => 0.0,
        }
    }

    /// `D D' q`, up to a term that is the same for all components.
    #[inline]
    pub(super) fn second(&self, one: Direction, other: Direction) -> f64 {
        use Direction::{Entry, LogPrecision, Mean, Weight};
        match (one, other) {
            (Mean(m), Mean(n)) => -self.factor.precision(m, n),
            (Mean(m), Entry(i, j)) | (Entry(i, j), Mean(m)) => {
                let own = if m == i { self.u[j] } else { 0.0 };
                self.scale(i, j) * (self.factor.lower(m, j) * self.y[i] + own)
            }
            (Entry(i, j), Entry(a, b)) => {
                let mut value = 0.0;
                if j == b {
                    value -= self.scale(i, j) * self.scale(a, b) * self.y[i] * self.y[a];
                }
                // The exponential of a diagonal entry has a second derivative of its own.
                if i == j && one == other {
                    value -= self.factor.lower(i, i) * self.u[i] * self.y[i];
                }
                value
            }
            (Mean(m), LogPrecision) | (LogPrecision, Mean(m)) => -self.s[m],
            (LogPrecision, LogPrecision) => -0.5 * self.square(),
            // These do not occur together: a mixture has one kind of covariance.
            (Weight, _) | (_, Weight) | (Entry(..), LogPrecision) | (LogPrecision, Entry(..)) => 0.0,
        }
    }

    /// `D D' (v . s)`.
    #[inline]
    pub(super) fn second_of_score(&self, one: Direction, other: Direction, v: &[f64]) -> f64 {
        use Direction::{Entry, LogPrecision, Mean};
        match (one, other) {
            (Mean(m), Entry(i, j)) | (Entry(i, j), Mean(m)) => {
                let mut value = v[i] * self.factor.lower(m, j);
                if m == i {
                    value += (j..v.len()).map(|l| v[l] * self.factor.lower(l, j)).sum::<f64>();
                }
                self.scale(i, j) * value
            }
            (Entry(i, j), Entry(a, b)) => {
                let mut value = 0.0;
                if j == b {
                    let scale = self.scale(i, j) * self.scale(a, b);
                    value -= scale * (v[i] * self.y[a] + v[a] * self.y[i]);
                }
                if i == j && one == other {
                    value += (0..v.len()).map(|l| v[l] * self.score_change(one, l)).sum::<f64>();
                }
                value
            }
            (Mean(m), LogPrecision) | (LogPrecision, Mean(m)) => v[m] * self.factor.precision(m, m),
            (LogPrecision, LogPrecision) => v.iter().zip(self.s).map(|(v, s)| v * s).sum(),
            _ => 0.0,
        }
    }

    /// `D D' h_l`: `h_l` is minus the sum of the squares of row `l` of `L`.
    #[inline]
    pub(super) fn second_of_slope(&self, one: Direction, other: Direction, l: usize) -> f64 {
        match one {
            Direction::Entry(i, j) if i == l && one == other => {
                let scale = self.scale(i, j);
                if i == j { -4.0 * scale * scale } else { -2.0 }
            }
            Direction::LogPrecision if one == other => self.slope(l),
            _ => 0.0,
        }
    }

    /// The derivative of an entry of `L` in its parameter.
    fn scale(&self, i: usize, j: usize) -> f64 {
        if i == j { self.factor.lower(i, i) } else { 1.0 }
    }

    fn square(&self) -> f64 {
        self.u.iter().map(|u| u * u).sum()
    }
}
