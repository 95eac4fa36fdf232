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
    pub(crate) domain: Option<&'a dyn Domain>,
    pub(crate) boundary: Option<&'a Points<'a>>,
    pub(crate) labels: Vec<String>,
    pub(crate) aspect: Option<f64>,
    pub(crate) seed: u64,
}

/// Points beyond this number are thinned: more cannot be told apart, and pages grow with them.
const MOST_POINTS: usize = 3000;

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
            domain: None,
            boundary: None,
            labels: data.names().to_vec(),
            aspect: None,
            seed: 0,
        }
    }

    /// The density that was fitted to the data.
    pub fn of(data: &'a Points<'a>, model: &'a dyn Model, fit: &'a Fit) -> Scene<'a> {
        Scene {
            theta: fit.fitted_parameters(),
            covariance: fit.covariance.as_ref(),
            confidence: fit.confidence,
            ..Scene::at(data, model, &fit.estimates())
        }
    }

    /// The region, where it is known.
    pub fn domain(mut self, domain: impl Into<Option<&'a dyn Domain>>) -> Scene<'a> {
        self.domain = domain.into();
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

    /// How many times as long a unit of the second coordinate is as one of the first; 1 on a plane, `1 / cos(latitude)` in degrees.
    pub fn aspect(mut self, ratio: f64) -> Scene<'a> {
        self.aspect = Some(ratio);
        self
    }

    /// The seed of draws from the density.
    pub fn seed(mut self, seed: u64) -> Scene<'a> {
        self.seed = seed;
        self
    }

    pub(crate) fn dimension(&self) -> usize {
        self.data.dimension()
    }

    pub(crate) fn label(&self, l: usize) -> String {
        self.labels.get(l).cloned().unwrap_or_default()
    }

    /// The logarithm of the density up to a constant; `None` where it has none.
    pub(crate) fn log_density(&self, x: &[f64]) -> Option<f64> {
        self.model.log_density(x, self.theta.as_deref()?).filter(|value| !value.is_nan())
    }

    /// Whether a point can be observed, as far as that is known.
    pub(crate) fn is_inside(&self, x: &[f64]) -> bool {
        self.domain.is_none_or(|domain| domain.contains(x))
    }

    /// What a picture of one coordinate spans: data, boundary and whatever is finite of the domain, and a little more.
    pub(crate) fn window(&self, l: usize) -> (f64, f64) {
        let mut ends = vec![self.data.bounds()[l]];
        ends.extend(self.boundary.filter(|points| !points.is_empty()).map(|points| points.bounds()[l]));
        ends.extend(self.domain.and_then(|domain| domain.bounds().get(l).copied()));
        let (low, high) = range(ends.into_iter().flat_map(|(low, high)| [low, high]));
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

/// Which of so many points are drawn: all of them, or some at even distances.
pub(crate) fn some_of(count: usize) -> Vec<usize> {
    let shown = count.min(MOST_POINTS);
    (0..shown).map(|k| k * count / shown).collect()
}

/// Points of the plane as pairs.
pub fn pairs(points: &Points) -> Vec<(f64, f64)> {
    points.rows().map(|x| (x[0], x[1])).collect()
}
