use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::minimum::Minimum;
use crate::compute::dot;
use crate::error::PointsError;
use crate::matrix::{Matrix, add_scaled, times_elementwise};

/// Running sums of the gradients that observations contribute at a minimum: all that standard errors need to
/// know of the data.
///
/// Sums of disjoint parts of the data [merge](InfluenceSums::merge) into those of the whole, so that
/// estimates and standard errors come from two passes over data that are never in one place: one for
/// [`Sums`](super::Sums), one for these.
///
/// ```
/// use steinbound::domain::{Ball, BoundarySampling, Domain};
/// use steinbound::kernel::{self, Bandwidth};
/// use steinbound::model::{Gaussian, Model};
/// use steinbound::stein::{Conditioned, InfluenceSums, Landmarks, MOST_LANDMARKS, Radial};
/// use steinbound::{Estimator, Matrix, Points, fit::Compute, simulate};
/// let disc = Ball::new(1.4)?.in_dimension(2);
/// let model = Gaussian::with_variance(2, 1.0)?;
/// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 600, &mut simulate::stream(1, 0))?.points;
/// let boundary = disc.sample_boundary(&BoundarySampling::new(32), &mut simulate::stream(1, 1))?;
///
/// // Landmarks, in practice from a small sample of the data. They can be written to a file and read elsewhere.
/// let sigma = Bandwidth::Median.resolve(&data, 0)?;
/// let form = Conditioned::new(Radial::tiled(&data, kernel::by_name("gaussian")?, sigma)?, &boundary, 1e-3)?;
/// let landmarks = Landmarks::choose(&form, &data, 1e-3, MOST_LANDMARKS, 0)?;
///
/// // Three parts of the data, with the features of the model's score.
/// let affine = model.affine().unwrap();
/// let score = affine.linear_score();
/// let features = |part: &Points| {
///     let mut features = Matrix::zeros(part.len(), score.features());
///     let mut row = vec![0.0; score.features()];
///     for (i, x) in part.rows().enumerate() {
///         affine.features(x, &mut row);
///         row.iter().enumerate().for_each(|(c, value)| features[(i, c)] = *value);
///     }
///     features
/// };
/// let rows: Vec<&[f64]> = data.rows().collect();
/// let parts: Vec<Points> = rows.chunks(250).map(Points::from_rows).collect::<Result<_, _>>()?;
///
/// // First pass: the estimate.
/// let mut sums = landmarks.sums(&parts[0], &features(&parts[0]), &parts[0].weights())?;
/// for part in &parts[1..] {
///     sums.merge(&landmarks.sums(part, &features(part), &part.weights())?)?;
/// }
/// let minimum = sums.minimum(&score)?;
///
/// // Second pass: its covariance.
/// let of_part = |part: &Points| {
///     let gradients = landmarks.gradients(part, features(part), &sums, &score, &minimum.theta)?;
///     Ok::<_, steinbound::Error>(InfluenceSums::new(&gradients, &part.weights(), None)?)
/// };
/// let mut influence = of_part(&parts[0])?;
/// for part in &parts[1..] {
///     influence.merge(&of_part(part)?)?;
/// }
/// let covariance = influence.covariance(&minimum)?;
///
/// // The same as with all data in one place.
/// let whole = Estimator::tksd().boundary(boundary).compute(Compute::LowRank).fit(&data, &model)?;
/// for (k, parameter) in whole.parameters.iter().enumerate() {
///     assert!((minimum.theta[k] - parameter.estimate.unwrap()).abs() < 1e-10);
///     assert!((covariance[(k, k)].sqrt() - parameter.std_error.unwrap()).abs() < 1e-10);
/// }
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InfluenceSums {
    /// The number of points.
    pub rows: usize,
    /// `sum w`.
    pub weight: f64,
    /// `sum_i w_i g_i`: zero over all data, if the parameters are the minimum.
    pub gradient: Vec<f64>,
    /// `sum_i w_i^2 g_i g_i'`.
    pub squares: Matrix,
    /// `sum_i w_i g_i` over each cluster of dependent observations, where there are clusters. A cluster may
    /// be spread over several parts of the data.
    pub clusters: Option<BTreeMap<usize, Vec<f64>>>,
}

impl InfluenceSums {
    /// The sums over some data: `gradients` by [`Landmarks::gradients`](super::Landmarks::gradients), a
    /// weight for each point, and the number of its cluster where observations are dependent.
    pub fn new(
        gradients: &Matrix,
        weights: &[f64],
        clusters: Option<&[usize]>,
    ) -> Result<InfluenceSums, PointsError> {
        let (rows, parameters) = (gradients.rows(), gradients.columns());
        let counts = [("weights", weights.len()), ("cluster numbers", clusters.map_or(rows, <[usize]>::len))];
        if let Some((what, found)) = counts.into_iter().find(|(_, found)| *found != rows) {
            return Err(PointsError::WrongCount { what, found, expected: rows });
        }
        let weighted: Vec<Vec<f64>> =
            (0..parameters).map(|k| times_elementwise(weights, gradients.column(k))).collect();
        let of_clusters = |ids: &[usize]| {
            let mut sums: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for (i, id) in ids.iter().enumerate() {
                let sum = sums.entry(*id).or_insert_with(|| vec![0.0; parameters]);
                sum.iter_mut().zip(&weighted).for_each(|(sum, column)| *sum += column[i]);
            }
            sums
        };
        Ok(InfluenceSums {
            rows,
            weight: weights.iter().sum(),
            gradient: weighted.iter().map(|column| column.iter().sum()).collect(),
            squares: Matrix::from_fn(parameters, parameters, |j, k| dot(&weighted[j], &weighted[k])),
            clusters: clusters.map(of_clusters),
        })
    }

    /// Adds the sums of other data at the same parameters.
    pub fn merge(&mut self, other: &InfluenceSums) -> Result<(), PointsError> {
        let counts = [
            ("parameters", other.gradient.len(), self.gradient.len()),
            ("parameters", other.squares.rows(), self.squares.rows()),
            ("sets of clusters", usize::from(other.clusters.is_some()), usize::from(self.clusters.is_some())),
        ];
        if let Some((what, found, expected)) = counts.into_iter().find(|(_, found, own)| found != own) {
            return Err(PointsError::WrongCount { what, found, expected });
        }
        self.rows += other.rows;
        self.weight += other.weight;
        add_scaled(&mut self.gradient, 1.0, &other.gradient);
        add_scaled(self.squares.values_mut(), 1.0, other.squares.values());
        if let (Some(own), Some(more)) = (&mut self.clusters, &other.clusters) {
            for (id, sum) in more {
                match own.get_mut(id) {
                    Some(own) => add_scaled(own, 1.0, sum),
                    None => {
                        own.insert(*id, sum.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// The covariance of the parameters at a minimum, as
    /// [`sandwich::covariance`](crate::inference::sandwich::covariance) has it: `N^-1 S N^-1 / (sum w)^2`,
    /// with `S` the squares summed over observations, or over clusters.
    pub fn covariance(&self, minimum: &Minimum) -> Result<Matrix, PointsError> {
        let parameters = minimum.theta.len();
        let of_clusters = self.clusters.iter().flat_map(BTreeMap::values).map(Vec::len);
        let mut sizes =
            [self.gradient.len(), self.squares.rows(), self.squares.columns()].into_iter().chain(of_clusters);
        if let Some(found) = sizes.find(|size| *size != parameters) {
            return Err(PointsError::WrongCount { what: "parameters", found, expected: parameters });
        }
        let meat = match &self.clusters {
            None => self.squares.clone(),
            Some(clusters) => Matrix::from_fn(parameters, parameters, |j, k| {
                clusters.values().map(|sum| sum[j] * sum[k]).sum()
            }),
        };
        let half = minimum.factor.solve_rows(&meat, 1.0 / self.weight);
        Ok(minimum.factor.solve_rows(&half.transpose(), 1.0 / self.weight))
    }
}
