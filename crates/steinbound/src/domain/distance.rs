use std::sync::Arc;

use super::Domain;
use crate::matrix::Matrix;
use crate::points::Points;

/// The weight `h` of bd-KSD and TruncSM: the distance to the boundary, exact or to the nearest known point of it.
///
/// ```
/// use steinbound::Points;
/// use steinbound::domain::BoundaryDistance;
/// let boundary = Points::from_rows(&[[-1.0, 0.0], [1.0, 0.0]])?;
/// let distance = BoundaryDistance::Nearest(boundary);
/// let (values, gradients) = distance.at(&Points::from_rows(&[[0.5, 0.0], [1.0, 0.0]])?);
/// assert_eq!(values, vec![0.5, 0.0]);
/// assert_eq!(gradients.to_rows(), vec![vec![-1.0, 0.0], vec![0.0, 0.0]]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum BoundaryDistance {
    /// The exact distance, by the domain's formula; zero outside.
    Exact(Arc<dyn Domain>),
    /// The Euclidean distance to the nearest of these boundary points; its gradient is zero at a boundary point.
    Nearest(Points<'static>),
}

impl BoundaryDistance {
    /// The distances of points, and their gradients, one row for each point.
    pub fn at(&self, points: &Points) -> (Vec<f64>, Matrix) {
        let mut gradients = Matrix::zeros(points.len(), points.dimension());
        let mut gradient = vec![0.0; points.dimension()];
        let mut values = Vec::with_capacity(points.len());
        for (i, x) in points.rows().enumerate() {
            values.push(self.evaluate(x, &mut gradient));
            for (l, g) in gradient.iter().enumerate() {
                gradients[(i, l)] = *g;
            }
        }
        (values, gradients)
    }

    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        match self {
            BoundaryDistance::Exact(domain) => domain.distance(x, gradient),
            BoundaryDistance::Nearest(boundary) => {
                let (square, nearest) = nearest_point(x, boundary);
                let distance = square.sqrt();
                for ((g, x), b) in gradient.iter_mut().zip(x).zip(nearest) {
                    *g = if distance > 0.0 { (x - b) / distance } else { 0.0 };
                }
                distance
            }
        }
    }
}

/// The squared distance to the nearest of some points, and that point (the first of equals).
pub(super) fn nearest_point<'a>(x: &[f64], points: &'a Points) -> (f64, &'a [f64]) {
    let mut best = (f64::INFINITY, points.row(0));
    for b in points.rows() {
        let square: f64 = x.iter().zip(b).map(|(x, b)| (x - b) * (x - b)).sum();
        if square < best.0 {
            best = (square, b);
        }
    }
    best
}
