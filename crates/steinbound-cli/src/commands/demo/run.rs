//! The simulated sample of the demo, and its fits by every method.

use std::sync::Arc;

use steinbound::domain::{BoundarySampling, Domain, Polygon};
use steinbound::fit::DistanceKind;
use steinbound::model::Gaussian;
use steinbound::simulate::{self, tasks};
use steinbound::text::{Table, duration};
use steinbound::{Error, Estimator, Fit, Method, Points};
use steinbound_plot::{Color, Marker};

use super::map::{Map, Mark};

/// The example: N((-115, 35), 10 I) in degrees, seen only inside the border.
pub const TRUTH: [f64; 2] = [-115.0, 35.0];
pub const VARIANCE: f64 = 10.0;
pub const POINTS: usize = 400;
pub const BOUNDARY_POINTS: usize = 200;

/// A method, what it knows of the border, and how it measures distances.
pub const METHODS: [(Method, &str, Option<DistanceKind>); 9] = [
    (Method::EFFICIENT, "all of it", None),
    (Method::TKSD, "200 points on it", None),
    (Method::BDKSD, "all of it", Some(DistanceKind::Exact)),
    (Method::BDKSD, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::TRUNCSM, "all of it", Some(DistanceKind::Exact)),
    (Method::TRUNCSM, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::TRUNCATED_MLE, "all of it", None),
    (Method::KSD, "nothing", None),
    (Method::MLE, "nothing", None),
];

/// The simulated sample, fitted by every method.
pub struct Run {
    pub points: Points<'static>,
    pub boundary: Points<'static>,
    pub acceptance: f64,
    pub fits: Vec<Fit>,
}

impl Run {
    pub fn new(border: &Arc<Polygon>, seed: u64) -> Result<Run, Error> {
        let model = Gaussian::with_variance(2, VARIANCE)?;
        let rng = &mut simulate::stream(seed, tasks::DATA);
        let sample = simulate::truncated(&model, &TRUTH, border.as_ref(), POINTS, rng)?;
        let rng = &mut simulate::stream(seed, tasks::BOUNDARY);
        let boundary = border.sample_boundary(&BoundarySampling::new(BOUNDARY_POINTS), rng)?;
        let fit = |(method, _, distance): &(Method, &str, Option<DistanceKind>)| {
            let mut estimator = Estimator::new(*method).domain(border.clone());
            // Efficient places its own points.
            if *method != Method::EFFICIENT {
                estimator = estimator.boundary(boundary.clone());
            }
            if let Some(distance) = distance {
                estimator = estimator.distance(*distance);
            }
            estimator.fit(&sample.points, &model)
        };
        let fits = METHODS.iter().map(fit).collect::<Result<_, _>>()?;
        Ok(Run { acceptance: sample.acceptance(), points: sample.points, boundary, fits })
    }

    /// The distance of an estimate from the truth.
    pub fn error(&self, method: usize) -> f64 {
        let means = self.fits[method].estimates();
        (means[0] - TRUTH[0]).hypot(means[1] - TRUTH[1])
    }

    /// The estimates of every method.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            2,
            ["method", "knows of the border", "lon", "std. error", "lat", "std. error", "error", "time"],
        );
        for (k, (method, knows, _)) in METHODS.iter().enumerate() {
            let fit = &self.fits[k];
            let (means, errors) = (fit.estimates(), fit.std_errors());
            let two = |value: f64| format!("{value:.2}");
            table.row(vec![
                method.name().into(),
                (*knows).into(),
                two(means[0]),
                two(errors[0]),
                two(means[1]),
                two(errors[1]),
                two(self.error(k)),
                duration(fit.seconds.total),
            ]);
        }
        table
    }

    /// The map of the sample with the estimates of the first and the last method.
    pub fn map<'a>(&'a self, border: &'a Polygon) -> Map<'a> {
        let place = |k: usize| {
            let means = self.fits[k].estimates();
            [means[0], means[1]]
        };
        let marks = vec![
            Mark {
                letter: 'M',
                label: "mle: ignores the border",
                color: Color::VERMILLION,
                marker: Marker::Square,
                place: place(METHODS.len() - 1),
            },
            Mark {
                letter: 'E',
                label: "efficient",
                color: Color::BLUE,
                marker: Marker::Circle,
                place: place(0),
            },
            Mark { letter: 'X', label: "truth", color: Color::BLACK, marker: Marker::Cross, place: TRUTH },
        ];
        Map { border, points: &self.points, boundary: &self.boundary, marks }
    }
}
