use std::sync::Arc;

use super::Domain;
use crate::matrix::Matrix;
use crate::points::{Points, squared_distance};

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
#[non_exhaustive]
pub enum BoundaryDistance {
    /// The exact distance, by the domain's formula; zero outside.
    Exact(Arc<dyn Domain>),
    /// The Euclidean distance to the nearest of these boundary points; its gradient is zero at a boundary point. Without
    /// boundary points the distance is zero.
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
                gradient.fill(0.0);
                let Some((square, nearest)) = nearest_point(x, boundary) else { return 0.0 };
                let distance = square.sqrt();
                if distance > 0.0 {
                    for ((g, x), b) in gradient.iter_mut().zip(x).zip(nearest) {
                        *g = (x - b) / distance;
                    }
                }
                distance
            }
        }
    }
}

/// The squared distance to the nearest of some points, and that point (the first of equals).
pub(super) fn nearest_point<'a>(x: &[f64], points: &'a Points) -> Option<(f64, &'a [f64])> {
    let with_distance = points.rows().map(|b| (squared_distance(x, b), b));
    with_distance.reduce(|best, next| if next.0 < best.0 { next } else { best })
}
