//! What boundary points leave of the kernel they make vanish.

use super::conditioned::Conditioned;
use super::form::SteinForm;
use crate::compute::dot;
use crate::engine::ScaledPoints;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;

/// The most boundary points at which leaks are measured.
pub const LEAK_PROBES: usize = 64;

/// Which of this many boundary points are probed for leaks: all of them, or [`LEAK_PROBES`] spread evenly.
pub(crate) fn leak_probes(count: usize) -> Vec<usize> {
    let probes = LEAK_PROBES.min(count);
    (0..probes).map(|k| k * count / probes).collect()
}

/// What boundary points leave of the kernel.
///
/// ```
/// use steinbound::stein::{Conditioned, Radial};
/// use steinbound::{Points, kernel};
/// let data = Points::from_rows(&[[0.2, 0.1], [0.5, 0.6], [0.8, 0.3]])?;
/// let left = |side: usize| {
///     // This many boundary points on each side of the unit square.
///     let at = |k: usize| k as f64 / side as f64;
///     let sides = (0..side).flat_map(|k| [[at(k), 0.0], [1.0, at(k)], [1.0 - at(k), 1.0], [0.0, 1.0 - at(k)]]);
///     let form = Radial::tiled(&data, kernel::by_name("gaussian")?, 0.4)?;
///     let form = Conditioned::new(form, &Points::from_rows(&sides.collect::<Vec<_>>())?, 1e-4)?;
///     form.residual_at(&Points::from_rows(&[[0.37, 0.0], [1.0, 0.61]])?, &data)
/// };
/// let (sparse, dense) = (left(1)?, left(8)?);
/// assert!(sparse.tie > 0.3 && dense.tie < 0.01);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KernelResidual {
    /// On the boundary between them: the mean of `k0(t, t) / k(t, t)`.
    pub leak: f64,
    /// At the observations: the mean of `k0(x, x) / k(x, x)`.
    pub kept: f64,
    /// How strongly observations are still tied to the boundary, beside how they are tied to each other: the
    /// root mean square of `k0(t, x)` over that of `k0(x, x')` for different observations.
    ///
    /// With `q` the density inside and `v` the outer normal, the mean of Stein's operator at the truth is not
    /// zero but `int q(t) v(t) k0(t, x) dt` over the boundary, and the equations of an estimate weigh it
    /// against means of `k0(x, x')`. So the bias goes with this tie, and not with the leak: in a domain
    /// narrower than the bandwidth all of `k0` is as small as what leaks, and in many dimensions what leaks
    /// at one place has little to do with what leaks beside it, and cancels.
    pub tie: f64,
}

impl Conditioned {
    /// How much of the kernel is left at a boundary point when that point is not known: `k0(b, b) / k(b, b)`,
    /// `k0` being conditioned on all the others. Evenly spread over the boundary points, at most
    /// [`LEAK_PROBES`] of them.
    ///
    /// Near zero, the points are close enough together to stand for the boundary between them; near one, each
    /// is alone, and test functions leak through the gaps. With `A = K + e I`, conditioning on all others
    /// leaves `1 / (A^-1)_bb - e`, so that one factor serves all.
    pub fn leaks(&self) -> Vec<f64> {
        let probes = leak_probes(self.boundary.len());
        if probes.is_empty() {
            return Vec::new();
        }
        self.leaks_without(&self.inverse_columns(&probes))
    }

    /// How much of the kernel is left at other places, `k0(t, t) / k(t, t)`: zero at a boundary point (up to
    /// the ridge), one far away.
    pub fn leaks_at(&self, places: &Points) -> Result<Vec<f64>, Error> {
        Ok(self.leaks_of(&self.known_at(&self.evaluator().scale(places)?)?))
    }

    /// What is left at places on the boundary, as some observations see it. The places should be near the
    /// data: gaps in parts of the boundary that no data come near do no harm.
    pub fn residual_at(&self, places: &Points, observations: &Points) -> Result<KernelResidual, Error> {
        let near = vec![1.0 / places.len() as f64; places.len()];
        let (places, observations) = (self.evaluator().scale(places)?, self.evaluator().scale(observations)?);
        let (known, seen) = (self.known_at(&places)?, self.known_at(&observations)?);
        let plain = self.evaluator().values(&observations, &places)?;
        let left = |j: usize, i: usize| plain[(j, i)] - dot(known.column(j), seen.column(i));
        self.residual(dot(&self.leaks_of(&known), &near), &near, left, &observations, &seen)
    }

    /// The same with boundary points for places, each when it is not known: with `A = K + e I`, conditioning
    /// on all others leaves `k0(b, x) = (A^-1 k(b, x))_b / (A^-1)_bb`. The leak is that of
    /// [`leaks`](Conditioned::leaks), on average; in the tie boundary points count by the observations near
    /// them.
    pub fn residual_among(&self, observations: &Points) -> Result<KernelResidual, Error> {
        let probes = leak_probes(self.boundary.len());
        let place = |b: &usize| (0..self.dimension()).map(|l| self.boundary_points()[(*b, l)]).collect();
        let places: Vec<Vec<f64>> = probes.iter().map(place).collect();
        let near = self.nearness(&Points::from_rows(&places)?, observations)?;
        let observations = self.evaluator().scale(observations)?;
        let (inverse, seen) = (self.inverse_columns(&probes), self.known_at(&observations)?);
        let left = |j: usize, i: usize| {
            let column = inverse.column(j);
            dot(column, seen.column(i)) / dot(column, column)
        };
        let leak = self.leaks_without(&inverse).iter().sum::<f64>() / probes.len() as f64;
        self.residual(leak, &near, left, &observations, &seen)
    }

    /// Puts together what is left: on the boundary, between places and observations (a function of their
    /// indices), and at observations of which the boundary has `seen` so much.
    fn residual(
        &self,
        leak: f64,
        near: &[f64],
        between: impl Fn(usize, usize) -> f64,
        observations: &ScaledPoints,
        seen: &Matrix,
    ) -> Result<KernelResidual, Error> {
        let count = observations.len();
        let square = |j: usize| (0..count).map(|i| between(j, i).powi(2)).sum::<f64>() / count as f64;
        let to_boundary: f64 = near.iter().enumerate().map(|(j, near)| near * square(j)).sum();
        let plain = self.evaluator().values(observations, observations)?;
        let among = |i: usize, j: usize| plain[(i, j)] - dot(seen.column(i), seen.column(j));
        let pairs = (count * count.saturating_sub(1) / 2) as f64;
        let to_others = (0..count).flat_map(|i| (0..i).map(move |j| (i, j)));
        let to_others = to_others.map(|(i, j)| among(i, j).powi(2)).sum::<f64>() / pairs;
        let kept = self.leaks_of(seen).iter().sum::<f64>() / count as f64;
        Ok(KernelResidual { leak, kept, tie: (to_boundary / to_others).sqrt() })
    }

    /// How much is left where the boundary knows so much.
    fn leaks_of(&self, known: &Matrix) -> Vec<f64> {
        let (whole, _) = self.evaluator().kernel.diagonal();
        let left = |j: usize| 1.0 - dot(known.column(j), known.column(j)) / whole;
        (0..known.columns()).map(|j| left(j).clamp(0.0, 1.0)).collect()
    }

    /// How much is left at boundary points when they are not known, by their columns of the inverse.
    fn leaks_without(&self, inverse: &Matrix) -> Vec<f64> {
        let (whole, _) = self.evaluator().kernel.diagonal();
        let left = |j: usize| 1.0 / dot(inverse.column(j), inverse.column(j)) - self.ridge;
        (0..inverse.columns()).map(|j| (left(j) / whole).clamp(0.0, 1.0)).collect()
    }

    /// How near places are to observations, `sum_i k(x_i, t)`, as shares of one; not a number where the
    /// kernel reaches none of them.
    pub(crate) fn nearness(&self, places: &Points, observations: &Points) -> Result<Vec<f64>, Error> {
        let (places, observations) = (self.evaluator().scale(places)?, self.evaluator().scale(observations)?);
        let values = self.evaluator().values(&places, &observations)?;
        let near: Vec<f64> = (0..places.len()).map(|j| values.column(j).iter().sum()).collect();
        let total: f64 = near.iter().sum();
        Ok(near.iter().map(|near| near / total).collect())
    }

    /// Columns `L^-1 e_b` with `K + e I = L L'`: their inner products are elements of the inverse.
    fn inverse_columns(&self, which: &[usize]) -> Matrix {
        let unit = |i: usize, j: usize| f64::from(u8::from(i == which[j]));
        let mut unit = Matrix::from_fn(self.boundary.len(), which.len(), unit);
        self.factor.solve_lower(&mut unit);
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;
    use crate::random::stream;
    use crate::stein::{Operator, Radial, Term};
    use rand::RngExt;

    const RIDGE: f64 = 0.01;

    fn scattered(count: usize, seed: u64) -> Points<'static> {
        let rng = &mut stream(seed, 0);
        Points::new((0..2 * count).map(|_| rng.random::<f64>()).collect::<Vec<_>>(), 2).unwrap()
    }

    fn conditioned(data: &Points, boundary: &Points) -> Conditioned {
        let form = Radial::tiled(data, kernel::by_name("gaussian").unwrap(), 0.7).unwrap();
        Conditioned::new(form, boundary, RIDGE).unwrap()
    }

    /// `k0` by its definition, through the forms that the estimators use: the kernel of one observation,
    /// applied elsewhere.
    fn left_between(observation: &[f64], boundary: &Points, place: &[f64]) -> f64 {
        let observation = Points::from_rows(&[observation]).unwrap();
        let form = conditioned(&observation, boundary);
        let one = Matrix::from_fn(1, 1, |_, _| 1.0);
        let place = Points::from_rows(&[place]).unwrap();
        form.apply_at(&place, &one, &[Term::new(Operator::Value, 0)]).unwrap()[(0, 0)]
    }

    fn plain_between(a: &[f64], b: &[f64]) -> f64 {
        (-((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)) / (2.0 * 0.7 * 0.7)).exp()
    }

    /// The tie written out, with a function for what is left between the `j`-th place and an observation.
    fn tie(
        weight: impl Fn(&[f64]) -> f64,
        observations: &Points,
        boundary: &Points,
        places: &Points,
        left: impl Fn(usize, &[f64]) -> f64,
    ) -> f64 {
        let (mut total, mut near) = (0.0, 0.0);
        for (j, place) in places.rows().enumerate() {
            let weight = weight(place);
            let square: f64 = observations.rows().map(|x| left(j, x).powi(2)).sum();
            total += weight * square / observations.len() as f64;
            near += weight;
        }
        let (mut among, mut pairs) = (0.0, 0.0);
        for (i, x) in observations.rows().enumerate() {
            for (_, y) in observations.rows().enumerate().filter(|(j, _)| *j != i) {
                among += left_between(x, boundary, y).powi(2);
                pairs += 1.0;
            }
        }
        (total / near / (among / pairs)).sqrt()
    }

    #[test]
    fn what_is_left_at_places_follows_its_definition() {
        let (data, boundary, places) = (scattered(12, 1), scattered(6, 2), scattered(5, 3));
        let observations = Points::from_rows(&data.rows().take(4).collect::<Vec<_>>()).unwrap();
        let found = conditioned(&data, &boundary).residual_at(&places, &observations).unwrap();
        let left = |j: usize, x: &[f64]| left_between(x, &boundary, places.row(j));
        let expected = tie(|_| 1.0, &observations, &boundary, &places, left);
        assert!((found.tie - expected).abs() < 1e-10 * expected, "{found:?} {expected}");
        let kept = observations.rows().map(|x| left_between(x, &boundary, x)).sum::<f64>() / 4.0;
        assert!((found.kept - kept).abs() < 1e-12, "{found:?} {kept}");
        let leak = places.rows().map(|t| left_between(t, &boundary, t)).sum::<f64>() / 5.0;
        assert!((found.leak - leak).abs() < 1e-12, "{found:?} {leak}");
    }

    #[test]
    fn what_is_left_at_boundary_points_is_what_the_others_leave() {
        let (data, boundary) = (scattered(12, 4), scattered(6, 5));
        let observations = Points::from_rows(&data.rows().take(4).collect::<Vec<_>>()).unwrap();
        let found = conditioned(&data, &boundary).residual_among(&observations).unwrap();
        let others = |j: usize| {
            let rows = boundary.rows().enumerate().filter(|(i, _)| *i != j);
            Points::from_rows(&rows.map(|(_, row)| row).collect::<Vec<_>>()).unwrap()
        };
        let left = |j: usize, x: &[f64]| left_between(x, &others(j), boundary.row(j));
        let near = |b: &[f64]| observations.rows().map(|x| plain_between(x, b)).sum();
        let expected = tie(near, &observations, &boundary, &boundary, left);
        assert!((found.tie - expected).abs() < 1e-10 * expected, "{found:?} {expected}");
        let leak =
            boundary.rows().enumerate().map(|(j, b)| left_between(b, &others(j), b)).sum::<f64>() / 6.0;
        assert!((found.leak - leak).abs() < 1e-12, "{found:?} {leak}");
    }
}
