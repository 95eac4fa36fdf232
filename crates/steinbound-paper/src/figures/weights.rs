//! The functions that weight the data, in one dimension.

use std::sync::Arc;

use steinbound::domain::{BoundaryDistance, Cuboid, Domain};
use steinbound::{Error, Estimator, Points};
use steinbound_plot::{Axis, Color, Entry, Panel, Style};

use super::{Figure, Picture};
use crate::draw;
use crate::error::PaperError;
use crate::methods::{BDKSD, TKSD, TRUNCSM, line};
use crate::results::Results;
use crate::settings::Truncation;
use crate::study::{Cell, Measured, Study, Trial};

/// TruncSM's weight and the witnesses of bd-KSD and TKSD.
pub struct Weights;

const OBSERVATIONS: usize = 300;
const MEANS: [&str; 2] = ["0", "-0.75"];
const PLACES: usize = 101;
const METHODS: [&str; 3] = [TRUNCSM, BDKSD, TKSD];

/// Line styles that differ without colours as well.
fn look(method: &str) -> Style {
    match method {
        TRUNCSM => line(method).dotted(),
        BDKSD => line(method).dashed(),
        _ => line(method),
    }
}

/// The three functions at a place, for a density about a mean.
fn functions(mean: f64, place: f64, trial: &Trial) -> Result<[f64; 3], Error> {
    let interval: Arc<dyn Domain> = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    let inside = Truncation::new(interval.clone(), vec![0.0], 1.0)?;
    let data = inside.sample(OBSERVATIONS, &mut trial.stream("weights data"))?;
    let at = Points::from_rows(&[[place]])?;
    let (distance, _) = BoundaryDistance::exact(interval.clone()).at(&at)?;
    let witness = |estimator: Estimator| -> Result<f64, Error> {
        let problem = estimator.check(&data, &inside.model)?;
        Ok(problem.witness(&[mean], &at)?.values[(0, 0)])
    };
    let ends = Points::from_rows(&[[-1.0], [1.0]])?;
    Ok([
        distance[0],
        witness(Estimator::bdksd().domain(interval))?,
        witness(Estimator::tksd().boundary(ends))?,
    ])
}

impl Figure for Weights {
    fn name(&self) -> &'static str {
        "weights"
    }

    fn title(&self) -> &'static str {
        "the functions that weight the data, in one dimension"
    }

    fn setting(&self) -> &'static str {
        "300 points of N(0, 1), seen only in [-1, 1], and the density N(t, 1) for t = 0, the truth, and t = -0.75. TruncSM weights the data by their \
         distance to the boundary, whatever t is; bd-KSD and TKSD by a witness that adapts to how data and density differ."
    }

    fn departures(&self) -> &'static str {
        "The paper prepared this comparison and left it out. Each function is divided by its value that is farthest from zero, so that all have the peak 1."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let cell = |mean: &'static str, place: f64| {
            Cell::new([mean.to_string(), format!("{place:.2}")], &METHODS, move |trial| {
                let values = functions(mean.parse().unwrap_or(0.0), place, trial)?;
                Ok(values.into_iter().map(|value| Measured::values(vec![value])).collect())
            })
        };
        let places = draw::steps(-1.0, 1.0, PLACES);
        let cells =
            MEANS.into_iter().flat_map(|mean| places.iter().map(move |place| cell(mean, *place))).collect();
        let (labels, quantities) = (&["mean", "x"], &["value"]);
        Ok(vec![Study { name: "weights", labels, quantities, trials: 1, is_timed: false, cells }])
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let panel = |mean: &'static str| {
            let axes = (Axis::linear("x").range(-1.0, 1.0), Axis::linear("value over its peak"));
            let title = format!("t = {}", mean.replace('-', "−"));
            let start = Panel::new(axes.0, axes.1)
                .title(&title)
                .horizontal(0.0, Style::new(Color::LIGHT_GREY).width(0.8));
            METHODS.into_iter().fold(start, |panel, method| {
                let values = results.means("weights", &[("mean", mean)], "x", method, "value");
                let larger = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
                let largest = values.iter().map(|(_, value)| value.mean).fold(0.0, larger);
                let curve = values.iter().map(|(x, value)| (*x, value.mean / largest)).collect();
                panel.line(curve, look(method))
            })
        };
        let labels = ["TruncSM: distance to the boundary", "bd-KSD: witness", "TKSD: witness"];
        let entry = |(method, label): (&str, &str)| Entry::line(label, look(method));
        let entries = METHODS.into_iter().zip(labels).map(entry).collect();
        let figure = steinbound_plot::Figure::new(720.0).row(270.0, MEANS.map(panel).into()).legend(entries);
        let caption = "What the data are weighted with, at the true mean and at a wrong one.".into();
        Ok(vec![Picture { name: "weights", caption, figure }])
    }
}
