//! The weights of a mixture, which counts determine, and how far its components are apart.

use std::ops::Range;

use super::GaussianMixture;
use crate::compute::cholesky::Cholesky;
use crate::matrix::Matrix;
use crate::model::{Counted, Separation};

impl Counted for GaussianMixture {
    fn counted_parameters(&self) -> Range<usize> {
        self.weight_start()..self.covariance_start()
    }

    fn separation(&self, theta: &[f64]) -> Option<Separation> {
        // Prim's shortest tree: components join in the order of their distance from those already in it.
        let mut nearest: Vec<(f64, usize)> = (0..self.components).map(|_| (f64::INFINITY, 0)).collect();
        let mut waiting: Vec<usize> = (1..self.components).collect();
        let mut joined = 0;
        let mut widest: Option<Separation> = None;
        while !waiting.is_empty() {
            for k in &waiting {
                let distance = self.distance(theta, joined, *k);
                if distance < nearest[*k].0 {
                    nearest[*k] = (distance, joined);
                }
            }
            let place = (0..waiting.len())
                .min_by(|a, b| nearest[waiting[*a]].0.total_cmp(&nearest[waiting[*b]].0))?;
            joined = waiting.swap_remove(place);
            let (distance, from) = nearest[joined];
            if widest.is_none_or(|known| distance > known.distance) {
                let (low, high) = (from.min(joined), from.max(joined));
                widest = Some(Separation::new((low + 1, high + 1), distance));
            }
        }
        widest
    }
}

impl GaussianMixture {
    /// The distance between the means of two components, in the mean of their covariances.
    fn distance(&self, theta: &[f64], j: usize, k: usize) -> f64 {
        let d = self.dimension;
        let factors = self.factors(theta);
        let covariance = |k: usize| {
            let inverse = factors.at(k).inverse_lower();
            inverse.transpose().times(&inverse)
        };
        let (one, other) = (covariance(j), covariance(k));
        let mean = Matrix::from_fn(d, d, |a, b| 0.5 * (one[(a, b)] + other[(a, b)]));
        let difference = |l: usize| theta[j * d + l] - theta[k * d + l];
        let Some(factor) = Cholesky::new(mean) else { return 0.0 };
        let mut solved = Matrix::from_fn(d, 1, |l, _| difference(l));
        factor.solve_lower(&mut solved);
        solved.values().iter().map(|v| v * v).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain is as far apart as its widest link; a narrow component in a wide one is not apart.
    #[test]
    fn the_widest_link_of_a_chain_counts() {
        let chain = GaussianMixture::new(1, 4).unwrap().estimate_weights();
        let theta = [-2.0, 0.0, 2.0, 7.0, 0.0, 0.0, 0.0];
        let found = chain.separation(&theta).unwrap();
        assert_eq!((found.components, found.distance), ((3, 4), 5.0));
        let nested = GaussianMixture::new(2, 2).unwrap().spherical().estimate_weights();
        let theta = nested.fitted_from_reported(&[0.0, 0.0, 3.0, 4.0, 0.5, 0.5, 1.0, 49.0]).unwrap();
        let found = nested.separation(&theta).unwrap();
        assert!((found.distance - 1.0).abs() < 1e-12, "{found:?}");
        assert_eq!(GaussianMixture::new(2, 1).unwrap().estimate_weights().separation(&[0.0, 0.0]), None);
    }
}
