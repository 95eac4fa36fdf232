//! A density, the data that were seen of it, and the region in which they were.

use steinbound::domain::Domain;
use steinbound::model::Model;
use steinbound::{Fit, Matrix, Points};
use steinbound_plot::numbers::range;

/// What pictures of a density are drawn from.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// use steinbound_report::{Scene, pictures};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
/// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
/// let model = Gaussian::with_variance(1, 1.0)?;
/// let fit = Estimator::tksd().boundary(ends.clone()).fit(&data, &model)?;
/// let scene = Scene::of(&data, &model, &fit).boundary(Some(&ends));
/// assert!(pictures::density(&scene).is_some());
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    pub(crate) data: &'a Points<'a>,
    pub(crate) model: &'a dyn Model,
    /// The parameters as they are fitted; `None` where there are none to draw.
    pub(crate) theta: Option<Vec<f64>>,
    /// The parameters as they are reported.
    pub(crate) reported: Vec<f64>,
    pub(crate) covariance: Option<&'a Matrix>,
    pub(crate) confidence: f64,
    /// Whether the parameters were fitted to these data.
    pub(crate) is_fitted: bool,
    /// Whether the fit may be trusted; given parameters may.
    pub(crate) is_trusted: bool,
    pub(crate) domain: Option<&'a dyn Domain>,
    pub(crate) boundary: Option<&'a Points<'a>>,
    pub(crate) labels: Vec<String>,
    pub(crate) aspect: Option<f64>,
    /// A place amid the data, and the parameters of the density of points measured from there.
    centred: Option<(Vec<f64>, Vec<f64>)>,
    pub(crate) seed: u64,
}

/// More points than this are thinned: they would overlap, and make the page larger.
const MOST_POINTS: usize = 3000;

/// A boundary is drawn up to this multiple of the data's extent away from them; a farther one would shrink
/// the data.
const REACH: f64 = 2.5;

impl<'a> Scene<'a> {
    /// A density with these parameters, in reported order.
    pub fn at(data: &'a Points<'a>, model: &'a dyn Model, reported: &[f64]) -> Scene<'a> {
        let has_size = reported.len() == model.reported_names(data.names()).len();
        Scene {
            data,
            model,
            theta: has_size.then(|| model.fitted_from(reported).ok()).flatten(),
            reported: reported.to_vec(),
            covariance: None,
            confidence: 0.95,
            is_fitted: false,
            is_trusted: true,
            centred: None,
            domain: None,
            boundary: None,
            labels: data.names().to_vec(),
            aspect: None,
            seed: 0,
        }
        .centred()
    }

    /// The density that was fitted to the data.
    pub fn of(data: &'a Points<'a>, model: &'a dyn Model, fit: &'a Fit) -> Scene<'a> {
        let scene = Scene {
            theta: fit.fitted_parameters(),
            covariance: fit.covariance.as_ref(),
            confidence: fit.confidence,
            is_fitted: true,
            is_trusted: fit.is_trustworthy(),
            ..Scene::at(data, model, &fit.estimates())
        };
        scene.centred()
    }

    /// The same, the parameters being fitted to these data.
    pub fn fitted(mut self) -> Scene<'a> {
        self.is_fitted = true;
        self
    }

    /// Far from the origin a density in its own parameters is a difference of large numbers; measured from
    /// amid the data it is not.
    fn centred(mut self) -> Scene<'a> {
        let middle = self.data.mean();
        let shift: Vec<f64> = middle.iter().map(|value| -value).collect();
        let moved = self.theta.as_ref().and_then(|theta| self.model.translate(theta, &shift));
        self.centred = moved.map(|(theta, _)| (middle, theta));
        self
    }

    /// The region, where it is known.
    pub fn domain(mut self, domain: Option<&'a dyn Domain>) -> Scene<'a> {
        self.domain = domain;
        self
    }

    /// Points on the boundary, where there are any.
    pub fn boundary(mut self, boundary: Option<&'a Points<'a>>) -> Scene<'a> {
        self.boundary = boundary;
        self
    }

    /// What the axes are called, where that is not the names of the columns.
    pub fn labels(mut self, labels: Vec<String>) -> Scene<'a> {
        self.labels = labels;
        self
    }

    /// How many times as long a unit of the second coordinate is as one of the first; 1 on a plane, `1 /
    /// cos(latitude)` in degrees.
    pub fn aspect(mut self, ratio: f64) -> Scene<'a> {
        self.aspect = Some(ratio);
        self
    }

    /// The seed of draws from the density.
    pub fn seed(mut self, seed: u64) -> Scene<'a> {
        self.seed = seed;
        self
    }

    /// Whether the region is known, and not only points on its boundary.
    pub fn has_domain(&self) -> bool {
        self.domain.is_some()
    }

    /// What the density is called.
    pub(crate) fn density_name(&self) -> &'static str {
        if self.is_fitted { "fitted density" } else { "density" }
    }

    /// The name of its centres.
    pub(crate) fn centre_name(&self) -> &'static str {
        if self.is_fitted { "estimated mean" } else { "mean" }
    }

    pub(crate) fn dimension(&self) -> usize {
        self.data.dimension()
    }

    pub(crate) fn label(&self, l: usize) -> String {
        self.labels.get(l).cloned().unwrap_or_default()
    }

    /// The logarithm of the density up to a constant; `None` where it has none.
    pub fn log_density(&self, x: &[f64]) -> Option<f64> {
        let density = self.model.density()?;
        let value = match &self.centred {
            Some((middle, theta)) => {
                let moved: Vec<f64> = x.iter().zip(middle).map(|(x, middle)| x - middle).collect();
                density.log_density(&moved, theta)
            }
            None => density.log_density(x, self.theta.as_deref()?),
        };
        (!value.is_nan()).then_some(value)
    }

    /// Whether a point can be observed, as far as that is known.
    pub fn is_inside(&self, x: &[f64]) -> bool {
        self.domain.is_none_or(|domain| domain.contains(x))
    }

    /// What a picture of one coordinate has to show: the data, and as much of boundary and domain as is not
    /// far from them.
    pub fn reach(&self, l: usize) -> (f64, f64) {
        let (first, last) = self.data.bounds()[l];
        let far = REACH * (last - first).max(f64::MIN_POSITIVE);
        let boundary = self.boundary.filter(|points| !points.is_empty()).map(Points::bounds);
        let domain = self.domain.map(|domain| domain.bounds());
        let ends = boundary.iter().chain(&domain).filter_map(|bounds| bounds.get(l));
        let near = ends
            .flat_map(|(low, high)| [*low, *high])
            .filter(|end| *end >= first - far && *end <= last + far);
        range(near.chain([first, last]))
    }

    /// The same and a little more.
    pub(crate) fn window(&self, l: usize) -> (f64, f64) {
        let (low, high) = self.reach(l);
        let margin = if high > low { 0.04 * (high - low) } else { 1.0 };
        (low - margin, high + margin)
    }

    /// The rows to draw: all of them, or some at even distances.
    pub(crate) fn shown_rows(&self) -> Vec<usize> {
        some_of(self.data.len())
    }

    /// What to say of thinned data.
    pub(crate) fn thinning(&self) -> String {
        match self.data.len() > MOST_POINTS {
            true => format!(" {MOST_POINTS} of {} points are drawn.", self.data.len()),
            false => String::new(),
        }
    }

    /// Places of the density's centres, as coordinates of the reported parameters.
    pub(crate) fn centres(&self) -> Vec<Vec<usize>> {
        let is_known = |place: &Vec<usize>| {
            place.iter().all(|k| self.reported.get(*k).is_some_and(|value| value.is_finite()))
        };
        self.model.locations().into_iter().filter(is_known).collect()
    }
}

/// The indices of the points that are drawn: all of them, or some at even distances.
pub(crate) fn some_of(count: usize) -> Vec<usize> {
    let shown = count.min(MOST_POINTS);
    (0..shown).map(|k| k * count / shown).collect()
}

/// The first two coordinates of points as pairs; none where there are fewer.
pub fn pairs(points: &Points) -> Vec<(f64, f64)> {
    points.rows().filter_map(|x| Some((*x.first()?, *x.get(1)?))).collect()
}

#[cfg(test)]
mod tests {
    use steinbound::domain::Cuboid;
    use steinbound::model::Gaussian;

    use super::*;

    #[test]
    fn a_far_boundary_does_not_shrink_the_data() {
        let data = Points::from_rows(&[[1.0], [2.0], [3.0]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let domain = Cuboid::new(vec![0.0], vec![1e5]).unwrap();
        let scene = Scene::at(&data, &model, &[2.0]).domain(Some(&domain));
        let (low, high) = scene.window(0);
        assert!((-0.2..0.0).contains(&low) && high < 4.0, "{low} {high}");
        // A boundary of fewer coordinates is of no account.
        let flat = Points::from_rows(&[[0.0]]).unwrap();
        let plane = Points::from_rows(&[[0.0, 1.0], [1.0, 3.0]]).unwrap();
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        assert!(Scene::at(&plane, &model, &[0.0, 0.0]).boundary(Some(&flat)).window(1).1 > 3.0);
        assert!(pairs(&flat).is_empty());
    }

    #[test]
    fn densities_far_from_the_origin_keep_their_digits() {
        let data = Points::from_rows(&[[1.7e9], [1.7e9 + 2.0]]).unwrap();
        let model = Gaussian::full(1);
        let scene = Scene::at(&data, &model, &[1.7e9 + 1.0, 1.0]);
        let drop = scene.log_density(&[1.7e9 + 1.0]).unwrap() - scene.log_density(&[1.7e9 + 2.0]).unwrap();
        assert!((drop - 0.5).abs() < 1e-6, "{drop}");
    }
}
