//! B-splines and natural cubic splines.

use crate::formula;

/// Columns that span piecewise polynomials of one variable.
///
/// # Definition
///
/// B-splines over knots that contain each end of the range once more than the degree; without the first
/// column unless the constants are to be spanned. Natural splines are those combinations of cubic ones whose
/// second derivative is zero at both ends, and are linear beyond; the combinations are an orthonormal basis
/// of the null space of these two conditions, from Householder reflections.
///
/// # Reference
///
/// De Boor, "A Practical Guide to Splines" (1978), chapters 9 and 10; Hastie, "Generalized additive models",
/// in "Statistical Models in S" (1992), chapter 7.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SplineBasis {
    degree: usize,
    /// With the ends repeated, ascending.
    knots: Vec<f64>,
    /// The number of columns of B-splines that are left out at the beginning.
    skip: usize,
    /// The weights of the B-splines in each natural one.
    natural: Option<Vec<Vec<f64>>>,
}

impl SplineBasis {
    /// Learns ends and knots from data; the error is a reason with its remedy.
    pub fn new(wanted: &formula::Spline, values: &[f64], name: &str) -> Result<SplineBasis, String> {
        let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(*value), most.max(*value))
        });
        let (low, high) = (wanted.ends[0].unwrap_or(least), wanted.ends[1].unwrap_or(most));
        if low >= high {
            return Err(format!("{name} has no range between {low} and {high}; leave it out"));
        }
        if !wanted.is_natural && (least < low || most > high) {
            return Err(format!(
                "the data of {name} reach from {least} to {most}, beyond the ends of the spline, {low} and {high}; \
                 move the ends, or use ns, which is linear beyond them"
            ));
        }
        let outside = wanted.knots.iter().find(|knot| !(low < **knot && **knot < high));
        if let Some(knot) = outside {
            return Err(format!(
                "the knot {knot} is not between {low} and {high}, the ends of {name}; leave it out"
            ));
        }
        let skip = usize::from(!wanted.has_intercept);
        // The number of columns without inner knots.
        let fewest = if wanted.is_natural { 2 - skip } else { wanted.degree + 1 - skip };
        let inner = match wanted.columns {
            None => wanted.knots.clone(),
            Some(columns) if columns < fewest => {
                return Err(format!(
                    "df={columns} is less than the {fewest} columns without knots; give more"
                ));
            }
            Some(columns) => {
                let within = values.iter().copied().filter(|value| (low..=high).contains(value)).collect();
                quantiles(within, columns - fewest)
            }
        };
        let multiplicity = wanted.degree + 1;
        let knots: Vec<f64> = [vec![low; multiplicity], inner, vec![high; multiplicity]].concat();
        let mut basis = SplineBasis { degree: wanted.degree, knots, skip, natural: None };
        if wanted.is_natural {
            let curvature = |end| basis.derivative(end, 2)[skip..].to_vec();
            basis.natural = Some(null_space(curvature(low), curvature(high)));
        }
        Ok(basis)
    }

    fn ends(&self) -> (f64, f64) {
        (self.knots[0], self.knots[self.knots.len() - 1])
    }

    pub fn columns(&self) -> usize {
        match &self.natural {
            Some(weights) => weights.len(),
            None => self.knots.len() - self.degree - 1 - self.skip,
        }
    }

    /// The ends beyond which there are no values, if it has any.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.natural.is_none().then(|| self.ends())
    }

    /// The columns at a value, and their derivatives.
    pub fn at(&self, x: f64) -> (Vec<f64>, Vec<f64>) {
        let (low, high) = self.ends();
        let inside = x.clamp(low, high);
        let (mut values, slopes) = (self.derivative(inside, 0), self.derivative(inside, 1));
        if self.natural.is_some() && x != inside {
            values.iter_mut().zip(&slopes).for_each(|(value, slope)| *value += slope * (x - inside));
        }
        let (values, slopes) = (&values[self.skip..], &slopes[self.skip..]);
        match &self.natural {
            None => (values.to_vec(), slopes.to_vec()),
            Some(weights) => {
                let combined = |row: &[f64]| weights.iter().map(|weights| dot(weights, row)).collect();
                (combined(values), combined(slopes))
            }
        }
    }

    /// A derivative of all B-splines at a value within the range.
    fn derivative(&self, x: f64, order: usize) -> Vec<f64> {
        let knots = &self.knots;
        if order > self.degree {
            return vec![0.0; knots.len() - self.degree - 1];
        }
        // The interval of the value, the last one that is not empty at the upper end.
        let last = knots.len() - self.degree - 2;
        let interval = knots.partition_point(|knot| *knot <= x).saturating_sub(1).min(last);
        let mut values = vec![0.0; knots.len() - 1];
        values[interval] = 1.0;
        let ratio = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        for degree in 1..=self.degree {
            let is_value = degree <= self.degree - order;
            values = (0..values.len() - 1)
                .map(|j| {
                    let (left, right) = (knots[j + degree] - knots[j], knots[j + degree + 1] - knots[j + 1]);
                    if is_value {
                        ratio((x - knots[j]) * values[j], left)
                            + ratio((knots[j + degree + 1] - x) * values[j + 1], right)
                    } else {
                        degree as f64 * (ratio(values[j], left) - ratio(values[j + 1], right))
                    }
                })
                .collect();
        }
        values
    }
}

/// The values that divide data into parts of equal size, interpolated linearly between data.
fn quantiles(mut values: Vec<f64>, count: usize) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let quantile = |k: usize| {
        let position = (values.len() - 1) as f64 * k as f64 / (count + 1) as f64;
        let (below, part) = (position.floor() as usize, position.fract());
        let above = values[(below + 1).min(values.len() - 1)];
        values[below] + part * (above - values[below])
    };
    if values.is_empty() { Vec::new() } else { (1..=count).map(quantile).collect() }
}

/// Orthonormal vectors that are orthogonal to two others: the last columns of the product of the reflections
/// that make those two triangular.
fn null_space(mut first: Vec<f64>, mut second: Vec<f64>) -> Vec<Vec<f64>> {
    let length = first.len();
    reflector(&mut first, 0);
    reflect(&first, &mut second);
    reflector(&mut second, 1);
    let unit = |j: usize| {
        let mut unit = vec![0.0; length];
        unit[j] = 1.0;
        reflect(&second, &mut unit);
        reflect(&first, &mut unit);
        unit
    };
    (2..length).map(unit).collect()
}

/// Turns a vector into the normal of the plane whose reflection moves it onto an axis, from there on.
fn reflector(vector: &mut [f64], axis: usize) {
    vector[..axis].fill(0.0);
    let norm = dot(vector, vector).sqrt();
    vector[axis] += if vector[axis] < 0.0 { -norm } else { norm };
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn reflect(normal: &[f64], vector: &mut [f64]) {
    let (square, product) = (dot(normal, normal), dot(normal, vector));
    if square > 0.0 {
        vector.iter_mut().zip(normal).for_each(|(value, n)| *value -= 2.0 * product / square * n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spline(is_natural: bool, degree: usize, knots: &[f64]) -> SplineBasis {
        let wanted = formula::Spline {
            is_natural,
            degree,
            columns: None,
            knots: knots.to_vec(),
            ends: [Some(0.0), Some(10.0)],
            has_intercept: true,
        };
        SplineBasis::new(&wanted, &[1.0, 9.0], "x").unwrap()
    }

    #[test]
    fn b_splines_add_up_to_one() {
        for degree in [1, 2, 3, 5] {
            let basis = spline(false, degree, &[2.0, 3.5, 7.0]);
            assert_eq!(basis.columns(), degree + 4);
            for x in [0.0, 1e-9, 2.0, 3.4999, 5.0, 7.0, 9.99, 10.0] {
                let (values, slopes) = basis.at(x);
                assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{degree} {x}");
                assert!(slopes.iter().sum::<f64>().abs() < 1e-12, "{degree} {x}");
            }
        }
    }

    #[test]
    fn one_cubic_piece_is_bernstein() {
        let (values, _) = spline(false, 3, &[]).at(2.5);
        let expected = [0.421875, 0.421875, 0.140625, 0.015625];
        assert!(values.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-15));
    }

    #[test]
    fn derivatives_are_limits_of_differences() {
        for basis in [spline(false, 3, &[2.0, 7.0]), spline(true, 3, &[2.0, 7.0]), spline(false, 1, &[4.0])] {
            for x in [0.5, 3.0, 8.0] {
                let (_, slopes) = basis.at(x);
                let (above, below) = (basis.at(x + 1e-6).0, basis.at(x - 1e-6).0);
                for (k, slope) in slopes.iter().enumerate() {
                    assert!((slope - (above[k] - below[k]) / 2e-6).abs() < 1e-7, "{x} {k}");
                }
            }
        }
    }

    #[test]
    fn natural_splines_are_linear_beyond_the_ends() {
        let basis = spline(true, 3, &[2.0, 7.0]);
        assert_eq!(basis.columns(), 4);
        for (end, outward) in [(0.0, -1.0), (10.0, 1.0)] {
            let steps = [-1e-3, 0.0, 1.0, 2.0].map(|step| basis.at(end + outward * step));
            for k in 0..4 {
                let slope = outward * steps[1].1[k];
                assert!((steps[2].0[k] - steps[1].0[k] - slope).abs() < 1e-13);
                assert!((steps[3].0[k] - steps[2].0[k] - slope).abs() < 1e-13);
                // The curvature vanishes at the end: the slope just inside differs in second order only.
                assert!((steps[0].1[k] - steps[1].1[k]).abs() < 1e-5);
            }
        }
    }
}
