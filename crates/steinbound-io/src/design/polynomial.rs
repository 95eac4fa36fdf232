//! Polynomials of one variable, as powers or orthogonal over the first data.

/// The powers of a variable, or polynomials that are orthonormal over the first data.
///
/// # Definition
///
/// The orthogonal polynomials follow from the recurrence `p_{k+1} = (x - a_k) p_k - (s_k / s_{k-1}) p_{k-1}`
/// with `a_k = sum x p_k^2 / s_k` and `s_k = sum p_k^2` over the first data. Column `k` is `p_k / sqrt(s_k)`,
/// for `k = 1, ..`; each is orthogonal to the constant and to the others.
///
/// # Reference
///
/// Kennedy and Gentle, "Statistical Computing" (1980), pages 343 to 347.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial {
    degree: usize,
    /// None for plain powers.
    recurrence: Option<Recurrence>,
}

#[derive(Debug, Clone, PartialEq)]
struct Recurrence {
    /// The data are shifted and scaled first, so that high powers stay in range.
    centre: f64,
    scale: f64,
    shifts: Vec<f64>,
    squares: Vec<f64>,
}

impl Polynomial {
    pub fn raw(degree: usize) -> Polynomial {
        Polynomial { degree, recurrence: None }
    }

    /// Learns from data; fails with the number of distinct values if those do not determine the polynomials.
    pub fn orthogonal(values: &[f64], degree: usize) -> Result<Polynomial, usize> {
        let mut distinct = values.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        if distinct.len() <= degree {
            return Err(distinct.len());
        }
        let centre = values.iter().sum::<f64>() / values.len() as f64;
        let scale = distinct.iter().map(|value| (value - centre).abs()).fold(0.0, f64::max);
        let points: Vec<f64> = values.iter().map(|value| (value - centre) / scale).collect();
        let (mut before, mut current) = (vec![0.0; points.len()], vec![1.0; points.len()]);
        let mut squares = vec![points.len() as f64];
        let mut shifts = Vec::with_capacity(degree);
        for k in 0..degree {
            let shift = current.iter().zip(&points).map(|(p, x)| x * p * p).sum::<f64>() / squares[k];
            let ratio = if k == 0 { 0.0 } else { squares[k] / squares[k - 1] };
            let next: Vec<f64> =
                (0..points.len()).map(|i| (points[i] - shift) * current[i] - ratio * before[i]).collect();
            shifts.push(shift);
            squares.push(next.iter().map(|p| p * p).sum());
            (before, current) = (current, next);
        }
        Ok(Polynomial { degree, recurrence: Some(Recurrence { centre, scale, shifts, squares }) })
    }

    pub fn columns(&self) -> usize {
        self.degree
    }

    /// The columns at a value, and their derivatives.
    pub fn at(&self, x: f64) -> (Vec<f64>, Vec<f64>) {
        let Some(Recurrence { centre, scale, shifts, squares }) = &self.recurrence else {
            let value = |k: usize| x.powi(k as i32);
            let slope = |k: usize| k as f64 * x.powi(k as i32 - 1);
            return ((1..=self.degree).map(value).collect(), (1..=self.degree).map(slope).collect());
        };
        let x = (x - centre) / scale;
        let (mut values, mut slopes) = (vec![1.0], vec![0.0]);
        for k in 0..self.degree {
            let (mut value, mut slope) =
                ((x - shifts[k]) * values[k], (x - shifts[k]) * slopes[k] + values[k]);
            if k > 0 {
                let ratio = squares[k] / squares[k - 1];
                value -= ratio * values[k - 1];
                slope -= ratio * slopes[k - 1];
            }
            values.push(value);
            slopes.push(slope);
        }
        let roots = squares[1..].iter().map(|square| square.sqrt());
        let values = values[1..].iter().zip(roots.clone()).map(|(value, root)| value / root).collect();
        let slopes = slopes[1..].iter().zip(roots).map(|(slope, root)| slope / root / scale).collect();
        (values, slopes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_orthonormal_over_the_first_data() {
        let data: Vec<f64> = (0..40).map(|i| 1e4 + (f64::from(i) * 0.7).sin() + f64::from(i % 7)).collect();
        let polynomial = Polynomial::orthogonal(&data, 6).unwrap();
        let rows: Vec<Vec<f64>> = data.iter().map(|x| polynomial.at(*x).0).collect();
        for j in 0..6 {
            assert!(rows.iter().map(|row| row[j]).sum::<f64>().abs() < 1e-12, "{j}");
            for k in 0..6 {
                let product: f64 = rows.iter().map(|row| row[j] * row[k]).sum();
                assert!((product - f64::from(u8::from(j == k))).abs() < 1e-12, "{j} {k}: {product}");
            }
        }
        assert_eq!(Polynomial::orthogonal(&[1.0, 2.0, 1.0], 2), Err(2));
    }

    #[test]
    fn derivatives_are_limits_of_differences() {
        for polynomial in
            [Polynomial::raw(4), Polynomial::orthogonal(&[0.5, 1.0, 2.5, 4.0, 4.5, 7.0], 4).unwrap()]
        {
            let (_, slopes) = polynomial.at(1.7);
            let (above, below) = (polynomial.at(1.7 + 1e-6).0, polynomial.at(1.7 - 1e-6).0);
            for k in 0..4 {
                let difference = (above[k] - below[k]) / 2e-6;
                assert!((slopes[k] - difference).abs() < 1e-7 * slopes[k].abs().max(1.0), "{k}");
            }
        }
    }
}
