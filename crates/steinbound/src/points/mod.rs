//! [`Points`]: a checked set of points, the only data type of the interface.

pub(crate) mod error;

use std::borrow::Cow;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::error::PointsError;

/// `n` points in `d` coordinates, finite and of one length, with optional observation weights and clusters.
///
/// Data and boundary are both `Points`. Values are stored row by row and may be borrowed, so that large
/// arrays are not copied.
///
/// *Weights* are sampling weights: every estimator minimises its weighted objective, and standard errors
/// treat the weights as given constants (a weight of 2 means that the observation represents two, not that it
/// was seen twice). *Clusters* mark observations that depend on each other; standard errors then sum over
/// clusters instead of rows.
///
/// ```
/// use steinbound::Points;
/// let points = Points::from_rows(&[[0.1, 0.2], [0.3, -0.4], [0.0, 0.5]])?
///     .with_weights(vec![1.0, 2.0, 1.0])?
///     .with_names(["east", "north"])?;
/// assert_eq!((points.len(), points.dimension()), (3, 2));
/// assert_eq!(points.row(1), &[0.3, -0.4]);
/// assert_eq!(points.weight(1), 2.0);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Points<'a> {
    values: Cow<'a, [f64]>,
    dimension: usize,
    names: Vec<String>,
    weights: Option<Vec<f64>>,
    clusters: Option<Vec<usize>>,
    /// The name of each cluster, by its number; empty where they have none.
    cluster_names: Vec<String>,
    scales: Option<Vec<f64>>,
}

impl<'a> Points<'a> {
    /// Points from values stored row by row, `dimension` to a row.
    pub fn new(values: impl Into<Cow<'a, [f64]>>, dimension: usize) -> Result<Points<'a>, PointsError> {
        let values = values.into();
        if dimension == 0 {
            return Err(PointsError::NoCoordinates);
        }
        if values.is_empty() {
            return Err(PointsError::Empty);
        }
        if !values.len().is_multiple_of(dimension) {
            return Err(PointsError::Ragged { values: values.len(), dimension });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(PointsError::NotFinite {
                row: at / dimension + 1,
                column: at % dimension + 1,
                value: values[at],
            });
        }
        Ok(Points::unchecked(values, dimension))
    }

    /// An empty set of points: an unknown boundary.
    ///
    /// With it the truncated discrepancy is the ordinary kernelised Stein discrepancy.
    ///
    /// ```
    /// assert!(steinbound::Points::none(2).is_empty());
    /// ```
    pub fn none(dimension: usize) -> Points<'static> {
        Points::unchecked(Cow::Owned(Vec::new()), dimension.max(1))
    }

    /// The first point only, without weight or cluster: used to query what a model supports.
    pub(crate) fn first(&self) -> Points<'_> {
        Points::unchecked(
            Cow::Borrowed(&self.values[..self.dimension.min(self.values.len())]),
            self.dimension,
        )
    }

    /// Points from rows of equal length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Points<'static>, PointsError> {
        let dimension = rows.first().ok_or(PointsError::Empty)?.as_ref().len();
        let mut values = Vec::with_capacity(rows.len() * dimension);
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != dimension {
                return Err(PointsError::RaggedRow { row: i + 1, found: row.len(), expected: dimension });
            }
            values.extend_from_slice(row);
        }
        Points::new(values, dimension)
    }

    fn unchecked(values: Cow<'a, [f64]>, dimension: usize) -> Points<'a> {
        Points {
            values,
            dimension,
            names: (1..=dimension).map(|l| format!("x{l}")).collect(),
            weights: None,
            clusters: None,
            cluster_names: Vec::new(),
            scales: None,
        }
    }

    /// The same points with names for their coordinates (`x1`, `x2`, .. otherwise).
    pub fn with_names<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Points<'a>, PointsError> {
        self.names = names.into_iter().map(Into::into).collect();
        expect_count("column names", self.names.len(), self.dimension)?;
        Ok(self)
    }

    /// The same points with one weight for each: finite, not negative, not all zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Points<'a>, PointsError> {
        expect_count("weights", weights.len(), self.len())?;
        if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(PointsError::BadWeight { row: i + 1, value: weights[i] });
        }
        if weights.iter().all(|w| *w == 0.0) {
            return Err(PointsError::NoWeight);
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same points with one cluster label for each; equal labels mark one cluster.
    pub fn with_clusters<T: Eq + std::hash::Hash>(mut self, labels: &[T]) -> Result<Points<'a>, PointsError> {
        expect_count("cluster labels", labels.len(), self.len())?;
        let mut seen = std::collections::HashMap::new();
        let ids = labels.iter().map(|label| {
            let next = seen.len();
            *seen.entry(label).or_insert(next)
        });
        self.clusters = Some(ids.collect());
        self.cluster_names.clear();
        Ok(self)
    }

    /// The same, and results name a cluster by its label instead of its first row.
    ///
    /// ```
    /// let points = steinbound::Points::new(vec![1.0, 2.0, 3.0], 1)?.with_named_clusters(&["b", "a", "b"])?;
    /// assert_eq!((points.clusters().unwrap(), points.cluster_name(1)), (&[0, 1, 0][..], Some("a")));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn with_named_clusters<T: Eq + std::hash::Hash + ToString>(
        self,
        labels: &[T],
    ) -> Result<Points<'a>, PointsError> {
        let mut points = self.with_clusters(labels)?;
        points.name_clusters(|i| Some(labels[i].to_string()));
        Ok(points)
    }

    /// Names each cluster after its first row.
    fn name_clusters(&mut self, name: impl Fn(usize) -> Option<String>) {
        let mut names = Vec::new();
        for (i, id) in self.clusters.iter().flatten().enumerate() {
            if *id == names.len() {
                names.extend(name(i));
            }
        }
        self.cluster_names = names;
    }

    /// The same points with a scale for each coordinate, by which kernels and the median bandwidth divide it.
    /// This lets coordinates in different units share one bandwidth, and makes a kernel on (response,
    /// covariates) a product of kernels. The kernel ignores a coordinate of infinite scale. Estimates stay in
    /// the data's units.
    ///
    /// ```
    /// # use steinbound::{Points, kernel::Bandwidth};
    /// let points = Points::from_rows(&[[0.0, 0.0], [3.0, 4000.0]])?.with_scales(vec![1.0, 1000.0])?;
    /// assert_eq!(Bandwidth::Median.resolve(&points, 0)?, 5.0);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn with_scales(mut self, scales: Vec<f64>) -> Result<Points<'a>, PointsError> {
        expect_count("scales", scales.len(), self.dimension)?;
        if let Some(l) = scales.iter().position(|s| s.is_nan() || *s <= 0.0) {
            return Err(PointsError::BadScale { column: l + 1, value: scales[l] });
        }
        self.scales = Some(scales);
        Ok(self)
    }

    /// The number of points, `n`.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Whether there are no points: only for [`Points::none`].
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of coordinates, `d`.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The names of the coordinates.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Point `i`, counted from zero.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dimension..(i + 1) * self.dimension]
    }

    /// The points in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.dimension)
    }

    /// The weight of point `i`; 1 if no weights were given.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// Whether weights were given.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// One weight for each point.
    pub fn weights(&self) -> Cow<'_, [f64]> {
        match &self.weights {
            Some(weights) => Cow::Borrowed(weights),
            None => Cow::Owned(vec![1.0; self.len()]),
        }
    }

    /// The number of rows with positive weight, or of the clusters they belong to.
    pub(crate) fn independent(&self) -> usize {
        let counted = (0..self.len()).filter(|i| self.weight(*i) > 0.0);
        match &self.clusters {
            Some(clusters) => counted.map(|i| clusters[i]).collect::<std::collections::BTreeSet<_>>().len(),
            None => counted.count(),
        }
    }

    /// The rows with positive weight, or a random subset of `most` of them, drawn without replacement.
    pub(crate) fn some_rows(&self, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).filter(|i| self.weight(*i) > 0.0).collect();
        if rows.len() > most {
            for i in 0..most {
                let other = rng.random_range(i..rows.len());
                rows.swap(i, other);
            }
            rows.truncate(most);
        }
        rows
    }

    /// The weights divided by their mean, so that sums of their products neither overflow nor vanish.
    pub(crate) fn relative_weights(&self) -> Vec<f64> {
        let weights = self.weights();
        let largest = weights.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
        let mean = weights.iter().map(|w| w / largest).sum::<f64>() / weights.len().max(1) as f64;
        if mean == 1.0 {
            return vec![1.0; weights.len()];
        }
        weights.iter().map(|w| w / largest / mean).collect()
    }

    /// The scale of each coordinate; 1 if none were given.
    pub fn scales(&self) -> Cow<'_, [f64]> {
        match &self.scales {
            Some(scales) => Cow::Borrowed(scales),
            None => Cow::Owned(vec![1.0; self.dimension]),
        }
    }

    /// Cluster numbers counted from zero, if clusters were given.
    pub fn clusters(&self) -> Option<&[usize]> {
        self.clusters.as_deref()
    }

    /// The name of the cluster of a row, where clusters were given [by names](Points::with_named_clusters).
    pub fn cluster_name(&self, row: usize) -> Option<&str> {
        let id = *self.clusters()?.get(row)?;
        self.cluster_names.get(id).map(String::as_str)
    }

    /// The weighted mean of the points.
    ///
    /// ```
    /// # use steinbound::Points;
    /// let points = Points::from_rows(&[[0.0], [3.0]])?.with_weights(vec![2.0, 1.0])?;
    /// assert_eq!(points.mean(), vec![1.0]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn mean(&self) -> Vec<f64> {
        let weights = self.relative_weights();
        let total: f64 = weights.iter().sum();
        let mut mean = vec![0.0; self.dimension];
        for (row, weight) in self.rows().zip(weights.iter()) {
            for (m, x) in mean.iter_mut().zip(row) {
                *m += weight / total * x;
            }
        }
        mean
    }

    /// The smallest and largest value of each coordinate.
    pub fn bounds(&self) -> Vec<(f64, f64)> {
        let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); self.dimension];
        for row in self.rows() {
            for (bound, x) in bounds.iter_mut().zip(row) {
                *bound = (bound.0.min(*x), bound.1.max(*x));
            }
        }
        bounds
    }

    /// Some of the points, by their rows, with their weights and clusters.
    ///
    /// ```
    /// use steinbound::Points;
    /// let points = Points::from_rows(&[[1.0], [2.0], [3.0]])?.with_weights(vec![1.0, 2.0, 3.0])?;
    /// let ends = points.subset(&[0, 2])?;
    /// assert_eq!((ends.values(), ends.weight(1)), (&[1.0, 3.0][..], 3.0));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn subset(&self, rows: &[usize]) -> Result<Points<'static>, PointsError> {
        let values: Vec<f64> = rows.iter().flat_map(|row| self.row(*row)).copied().collect();
        let mut subset = Points::new(values, self.dimension)?;
        subset.names = self.names.clone();
        subset.scales = self.scales.clone();
        if let Some(weights) = &self.weights {
            subset = subset.with_weights(rows.iter().map(|row| weights[*row]).collect())?;
        }
        if let Some(clusters) = &self.clusters {
            let labels: Vec<usize> = rows.iter().map(|row| clusters[*row]).collect();
            subset = subset.with_clusters(&labels)?;
            subset.name_clusters(|i| self.cluster_name(rows[i]).map(str::to_string));
        }
        Ok(subset)
    }

    /// The points moved one by one, with their names, weights and clusters but without scales.
    ///
    /// ```
    /// # use steinbound::Points;
    /// let points = Points::from_rows(&[[1.0, 2.0]])?.with_names(["a", "b"])?;
    /// let swapped = points.moved(|x| vec![x[1], x[0]])?;
    /// assert_eq!((swapped.row(0), swapped.names()[0].as_str()), (&[2.0, 1.0][..], "a"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn moved(&self, mut place: impl FnMut(&[f64]) -> Vec<f64>) -> Result<Points<'static>, PointsError> {
        let mut values = Vec::with_capacity(self.values.len());
        for x in self.rows() {
            let moved = place(x);
            expect_count("coordinates of a moved point", moved.len(), self.dimension)?;
            values.extend_from_slice(&moved);
        }
        let mut moved = Points::new(values, self.dimension)?;
        moved.names = self.names.clone();
        moved.weights = self.weights.clone();
        moved.clusters = self.clusters.clone();
        moved.cluster_names = self.cluster_names.clone();
        Ok(moved)
    }

    /// New values instead of these, with the same names, weights and scales.
    pub(crate) fn replaced(&self, values: Vec<f64>) -> Result<Points<'static>, PointsError> {
        let mut points = Points::new(values, self.dimension)?;
        expect_count("points", points.len(), self.len())?;
        points.names = self.names.clone();
        points.weights = self.weights.clone();
        points.scales = self.scales.clone();
        Ok(points)
    }

    /// Some of the rows, with their weights and clusters.
    pub(crate) fn part(&self, rows: &[usize]) -> Result<Points<'static>, PointsError> {
        let mut points = Points::from_rows(&rows.iter().map(|i| self.row(*i)).collect::<Vec<_>>())?;
        points.names = self.names.clone();
        points.weights = self.weights.as_ref().map(|all| rows.iter().map(|i| all[*i]).collect());
        points.scales = self.scales.clone();
        match &self.clusters {
            Some(ids) => points.with_clusters(&rows.iter().map(|i| ids[*i]).collect::<Vec<_>>()),
            None => Ok(points),
        }
    }

    /// A copy that owns its values.
    pub fn into_owned(self) -> Points<'static> {
        Points {
            values: Cow::Owned(self.values.into_owned()),
            dimension: self.dimension,
            names: self.names,
            weights: self.weights,
            clusters: self.clusters,
            cluster_names: self.cluster_names,
            scales: self.scales,
        }
    }
}

/// The variance of each column; 1 if that is zero.
pub(crate) fn column_variances(points: &Points, weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mean = |l: usize| points.rows().zip(weights).map(|(x, w)| w / total * x[l]).sum::<f64>();
    let variance = |l: usize| {
        let mean = mean(l);
        let variance =
            points.rows().zip(weights).map(|(x, w)| w / total * (x[l] - mean).powi(2)).sum::<f64>();
        if variance > 0.0 && variance.is_finite() { variance } else { 1.0 }
    };
    (0..points.dimension()).map(variance).collect()
}

/// The squared Euclidean distance.
pub(crate) fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn expect_count(what: &'static str, found: usize, expected: usize) -> Result<(), PointsError> {
    if found == expected {
        return Ok(());
    }
    Err(PointsError::WrongCount { what, found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_values_are_not_copied() {
        let values = vec![1.0, 2.0, 3.0, 4.0];
        let points = Points::new(values.as_slice(), 2).unwrap();
        assert_eq!(points.values().as_ptr(), values.as_ptr());
    }

    #[test]
    fn bad_points_are_refused_by_place() {
        assert_eq!(Points::new(vec![], 2), Err(PointsError::Empty));
        assert_eq!(Points::new(vec![1.0], 0), Err(PointsError::NoCoordinates));
        assert!(matches!(Points::new(vec![1.0; 3], 2), Err(PointsError::Ragged { values: 3, .. })));
        let infinite = Points::new(vec![1.0, 2.0, 3.0, f64::INFINITY], 2).unwrap_err();
        assert!(infinite.to_string().starts_with("row 2, column 2 is inf"));
        let rows: [&[f64]; 2] = [&[1.0, 2.0], &[3.0]];
        assert!(matches!(Points::from_rows(&rows), Err(PointsError::RaggedRow { row: 2, .. })));
    }

    #[test]
    fn bad_weights_are_refused() {
        let points = || Points::new(vec![1.0, 2.0], 1).unwrap();
        assert!(points().with_weights(vec![1.0]).is_err());
        assert_eq!(
            points().with_weights(vec![1.0, -1.0]),
            Err(PointsError::BadWeight { row: 2, value: -1.0 })
        );
        assert_eq!(points().with_weights(vec![0.0, 0.0]), Err(PointsError::NoWeight));
    }

    #[test]
    fn parts_keep_the_names_of_their_clusters() {
        let points = Points::new(vec![1.0, 2.0, 3.0, 4.0], 1).unwrap();
        let points = points.with_named_clusters(&["V11", "V2", "V11", "V3"]).unwrap();
        let part = points.subset(&[3, 2]).unwrap();
        assert_eq!([0, 1].map(|i| part.cluster_name(i)), [Some("V3"), Some("V11")]);
        assert_eq!(points.moved(|x| x.to_vec()).unwrap().cluster_name(1), Some("V2"));
        assert_eq!(part.with_clusters(&[7, 7]).unwrap().cluster_name(0), None);
    }

    #[test]
    fn clusters_are_numbered_by_first_appearance() {
        let points = Points::new(vec![1.0, 2.0, 3.0], 1).unwrap();
        let points = points.with_clusters(&["b", "a", "b"]).unwrap();
        assert_eq!(points.clusters(), Some(&[0, 1, 0][..]));
    }
}
