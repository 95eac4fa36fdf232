//! The direction of an unknown boundary from points on it.

use super::neighbours::Neighbours;
use crate::points::Points;

/// The largest number of neighbouring points, the point itself among them, that decide a direction.
const MOST: usize = 30;

/// The nearest of them that decide by themselves, if they lie on a surface: more reach around corners. With 200 points
/// on a box of half-width 1.2 and 300 observations errors are 1.054 times those of truncated likelihood, without this
/// 1.068.
const NEAREST: usize = 15;

/// The least number of neighbours in the plane and in space. Fewer decide only if they are flatter; see
/// [`flattest`].
const LEAST: [usize; 2] = [8, 12];

/// How far away neighbours may be, in bandwidths.
const REACH: f64 = 1.0;

/// The largest share of the smallest principal variance in the next larger one for which points lie on a
/// surface. An arc of a circle with the radius of a bandwidth, one bandwidth to either side, has 0.07.
const FLAT: f64 = 0.1;

/// The least share of the middle principal variance in the largest one for points to cover a surface in space
/// and not only a curve.
const WIDE: f64 = 0.02;

/// The unit normal at each boundary point; `None` where neighbours are too few, too far away, or do not lie
/// on a surface, and in more than three coordinates.
///
/// # Definition
///
/// The last principal direction of the 15 nearest distinct boundary points, or if these do not lie on a surface of the
/// 30 nearest, or of as many as lie within one bandwidth, at least 8 in the plane and 12 in space. Distances and principal directions are those after
/// division by `widths`, the bandwidth in each coordinate; the normal is perpendicular in the coordinates as
/// given. Its sign has no meaning. On the line it is 1.
pub(crate) fn nearby_normals(boundary: &Points, widths: &[f64]) -> Vec<Option<Vec<f64>>> {
    let dimension = boundary.dimension();
    if dimension != widths.len() || dimension > 3 {
        return vec![None; boundary.len()];
    }
    if dimension == 1 {
        return vec![Some(vec![1.0]); boundary.len()];
    }
    let scaled: Vec<f64> = boundary.rows().flat_map(|x| x.iter().zip(widths).map(|(x, w)| x / w)).collect();
    let row = |i: usize| &scaled[i * dimension..(i + 1) * dimension];
    // Repeated points would crowd out neighbours and add nothing.
    let mut order: Vec<usize> = (0..boundary.len()).collect();
    let compared = |i: &usize, j: &usize| {
        let pairs = row(*i).iter().zip(row(*j));
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    order.sort_unstable_by(|i, j| compared(i, j).then(i.cmp(j)));
    let groups: Vec<&[usize]> = order.chunk_by(|i, j| compared(i, j).is_eq()).collect();
    let distinct: Vec<f64> = groups.iter().flat_map(|group| row(group[0])).copied().collect();
    let tree = Neighbours::new(&distinct, dimension);
    let mut normals = vec![None; boundary.len()];
    for group in groups {
        let found = tree.several(row(group[0]), MOST, REACH);
        let neighbours = found.iter().map(|(_, k)| &distinct[k * dimension..(k + 1) * dimension]);
        let neighbours: Vec<&[f64]> = neighbours.collect();
        let normal = across(&neighbours[..neighbours.len().min(NEAREST)]).or_else(|| across(&neighbours));
        let normal = normal.map(|normal| in_given_units(normal, widths));
        group.iter().for_each(|i| normals[*i] = normal.clone());
    }
    normals
}

/// A direction that is perpendicular to a plane after division by the widths, as the one perpendicular to the
/// same plane before: products with directions in the plane are the same, zero.
fn in_given_units(mut normal: Vec<f64>, widths: &[f64]) -> Vec<f64> {
    normal.iter_mut().zip(widths).for_each(|(n, width)| *n /= width);
    let length = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
    normal.iter_mut().for_each(|v| *v /= length);
    normal
}

/// The last principal direction of some points, if they lie on a surface.
fn across(points: &[&[f64]]) -> Option<Vec<f64>> {
    let dimension = points.first()?.len();
    if points.len() < LEAST[dimension - 2] {
        return None;
    }
    let mean: Vec<f64> =
        (0..dimension).map(|l| points.iter().map(|x| x[l]).sum::<f64>() / points.len() as f64).collect();
    let product =
        |l: usize, k: usize| points.iter().map(|x| (x[l] - mean[l]) * (x[k] - mean[k])).sum::<f64>();
    // The third coordinate of the plane has no variance, and stays apart.
    let covariance = std::array::from_fn(|l| {
        std::array::from_fn(|k| if l.max(k) < dimension { product(l, k) } else { 0.0 })
    });
    let (variances, directions) = principal(covariance);
    let mut axes: Vec<usize> = (0..3).collect();
    if dimension == 2 {
        axes.retain(|l| directions[*l][2] == 0.0);
    }
    axes.sort_by(|a, b| variances[*a].total_cmp(&variances[*b]));
    let [smallest, next, rest @ ..] = axes.as_slice() else { return None };
    let is_flat = variances[*smallest] < flattest(points.len()) * variances[*next];
    let is_wide = rest.iter().all(|largest| variances[*next] > WIDE * variances[*largest]);
    (is_flat && is_wide).then(|| directions[*smallest][..dimension].to_vec())
}

/// The share of the smallest variance in the next below which points count as a surface: noise of that many
/// points looks as flat once in a hundred thousand times.
fn flattest(count: usize) -> f64 {
    // For variances a and b of n normal draws in the plane, 4 a b / (a + b)^2 is below v with probability
    // v^((n - 2) / 2). Uniform draws in a disc, or in a ball from 12 of them on, are no more often as flat:
    // measured with a million sets of each size.
    let v = 1e-5f64.powf(2.0 / (count as f64 - 2.0));
    // The smaller root of v (1 + r)^2 = 4 r.
    let half = 2.0 / v - 1.0;
    (half - (half * half - 1.0).sqrt()).min(FLAT)
}

/// Principal variances and directions of a symmetric matrix, by rotations that remove one pair of elements
/// after the other (Jacobi).
fn principal(mut matrix: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    // Rows are directions.
    let mut directions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if matrix[p][q] == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * matrix[p][q]).atan2(matrix[q][q] - matrix[p][p]);
            let (sin, cos) = angle.sin_cos();
            let turned = |rows: &mut [[f64; 3]; 3]| {
                for l in 0..3 {
                    let (a, b) = (rows[p][l], rows[q][l]);
                    (rows[p][l], rows[q][l]) = (cos * a - sin * b, sin * a + cos * b);
                }
            };
            turned(&mut matrix);
            turned(&mut directions);
            for row in &mut matrix {
                let (a, b) = (row[p], row[q]);
                (row[p], row[q]) = (cos * a - sin * b, sin * a + cos * b);
            }
            (matrix[p][q], matrix[q][p]) = (0.0, 0.0);
        }
    }
    (std::array::from_fn(|l| matrix[l][l]), directions)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::domain::{Ball, BoundarySampling, BoundaryScheme, Cuboid, Domain, contiguous_united_states};
    use crate::random::stream;

    fn cosine(a: &[f64], b: &[f64]) -> f64 {
        let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((length(a) - 1.0).abs() < 1e-12);
        product.abs() / length(b)
    }

    fn along(domain: &dyn Domain, count: usize) -> Points<'static> {
        let even = BoundarySampling::new(count).scheme(BoundaryScheme::Even);
        domain.sample_boundary(&even, &mut stream(0, 0)).unwrap()
    }

    #[test]
    fn circles_and_spheres_have_radial_normals() {
        let disc = Ball::new(2.0).unwrap().in_dimension(2);
        // About 14, 20 and 400 points within a bandwidth.
        for count in [90, 130, 2500] {
            let points = along(&disc, count);
            let normals = nearby_normals(&points, &[1.0, 1.0]);
            assert!(points.rows().zip(&normals).all(|(x, n)| cosine(n.as_ref().unwrap(), x) > 1.0 - 1e-5));
        }
        let ball = Ball::new(2.0).unwrap().in_dimension(3);
        let points = ball.sample_boundary(&BoundarySampling::new(1000), &mut stream(1, 1)).unwrap();
        let normals = nearby_normals(&points, &[1.0; 3]);
        let known: Vec<f64> =
            points.rows().zip(&normals).filter_map(|(x, n)| Some(cosine(n.as_ref()?, x))).collect();
        assert!(known.len() > 950, "{}", known.len());
        // Within fifteen degrees everywhere, and three on average.
        assert!(known.iter().all(|c| *c > 0.966));
        assert!(known.iter().map(|c| 1.0 - c).sum::<f64>() / (known.len() as f64) < 0.0014);
    }

    #[test]
    fn sides_have_their_own_and_corners_none() {
        let square = Cuboid::uniform(-3.0, 3.0, 2).unwrap();
        let points = along(&square, 480);
        let normals = nearby_normals(&points, &[1.0, 1.0]);
        for (x, normal) in points.rows().zip(&normals) {
            let from_corner = 3.0 - x[0].abs().min(x[1].abs());
            match normal {
                _ if from_corner > 0.8 => {
                    let side = if x[0].abs() > x[1].abs() { [1.0, 0.0] } else { [0.0, 1.0] };
                    assert!(cosine(normal.as_ref().unwrap(), &side) > 1.0 - 1e-12);
                }
                normal if from_corner < 0.1 => assert_eq!(*normal, None, "{x:?}"),
                _ => {}
            }
        }
    }

    /// Perpendicular in the coordinates as given, although neighbours are found in others.
    #[test]
    fn widths_do_not_turn_normals() {
        let row = |k: usize| [0.01 * k as f64, 7.0 * 0.01 * k as f64];
        let line = Points::from_rows(&(0..200).map(row).collect::<Vec<_>>()).unwrap();
        let normals = nearby_normals(&line, &[0.3, 20.0]);
        // At its ends, too.
        for normal in normals {
            assert!(cosine(&normal.unwrap(), &[-7.0, 1.0]) > 1.0 - 1e-12);
        }
    }

    #[test]
    fn maps_have_the_normals_of_their_coasts() {
        let states = contiguous_united_states().unwrap();
        let points = along(&states, 1000);
        let widths = [7.0, 4.0];
        let normals = nearby_normals(&points, &widths);
        let known = normals.iter().flatten().count();
        assert!(known > 400, "{known}");
        // The long straight part of the border with Canada.
        let north =
            points.rows().zip(&normals).filter(|(x, _)| x[1] > 48.9 && (-119.0..-98.0).contains(&x[0]));
        let mut count = 0;
        for (_, normal) in north {
            count += 1;
            assert!(cosine(normal.as_ref().unwrap(), &[0.0, 1.0]) > 0.999);
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn noise_and_curves_in_space_have_none() {
        let mut rng = stream(3, 0);
        for dimension in [2, 3] {
            let values: Vec<f64> = (0..4000 * dimension).map(|_| 8.0 * rng.random::<f64>()).collect();
            let noise = Points::new(values, dimension).unwrap();
            let normals = nearby_normals(&noise, &vec![1.0; dimension]);
            assert_eq!(normals.iter().flatten().count(), 0);
            // A cluster of a few.
            let few: Vec<f64> = (0..7 * dimension).map(|_| rng.random::<f64>()).collect();
            let few = nearby_normals(&Points::new(few, dimension).unwrap(), &vec![1.0; dimension]);
            assert_eq!(few, vec![None; 7]);
        }
        let row = |k: usize| [(0.02 * k as f64).cos(), (0.02 * k as f64).sin(), 0.1];
        let ring = Points::from_rows(&(0..314).map(row).collect::<Vec<_>>()).unwrap();
        assert_eq!(nearby_normals(&ring, &[1.0; 3]).iter().flatten().count(), 0);
        assert_eq!(nearby_normals(&Points::new(vec![0.5; 8], 4).unwrap(), &[1.0; 4]), vec![None; 2]);
        assert_eq!(nearby_normals(&Points::new(vec![0.5; 2], 1).unwrap(), &[1.0]), vec![Some(vec![1.0]); 2]);
    }

    #[test]
    fn repeated_points_change_nothing() {
        let disc = Ball::new(2.0).unwrap().in_dimension(2);
        let points = along(&disc, 100);
        let rows: Vec<&[f64]> = points.rows().flat_map(|x| [x; 40]).collect();
        let repeated = nearby_normals(&Points::from_rows(&rows).unwrap(), &[1.0, 1.0]);
        let single = nearby_normals(&points, &[1.0, 1.0]);
        assert!(repeated.chunks(40).zip(&single).all(|(group, one)| group.iter().all(|n| n == one)));
        assert!(single.iter().all(Option::is_some));
        assert_eq!(nearby_normals(&Points::from_rows(&[[1.0, 2.0]; 50]).unwrap(), &[1.0; 2]), vec![None; 50]);
    }

    /// A rotation of a diagonal matrix is taken apart again.
    #[test]
    fn principal_directions_are_those_of_the_construction() {
        let mut rng = stream(5, 0);
        for _ in 0..200 {
            let (spin, tilt): (f64, f64) = (TAU * rng.random::<f64>(), StandardNormal.sample(&mut rng));
            let ((a, b), (c, d)) = (spin.sin_cos(), tilt.sin_cos());
            let axes = [[b, a, 0.0], [-a * d, b * d, c], [a * c, -b * c, d]];
            let truth = [1e-6, 0.3, 2.0];
            let matrix = std::array::from_fn(|l| {
                std::array::from_fn(|k| (0..3).map(|m| truth[m] * axes[m][l] * axes[m][k]).sum())
            });
            let (variances, directions) = principal(matrix);
            for (value, axis) in truth.iter().zip(&axes) {
                let near = (0..3)
                    .min_by(|l, k| (variances[*l] - value).abs().total_cmp(&(variances[*k] - value).abs()));
                let near = near.unwrap();
                assert!((variances[near] - value).abs() < 1e-12);
                assert!(cosine(&directions[near], axis) > 1.0 - 1e-9);
            }
        }
    }
}
