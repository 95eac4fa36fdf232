//! Figure 8: three placements of boundary points.

use steinbound_plot::{Axis, Color, Entry, Marker, Panel, Style};

use super::fig9::{Scenario, data, truncation};
use super::{Figure, Picture};
use crate::draw;
use crate::error::PaperError;
use crate::results::Results;
use crate::study::{Study, Trial};

/// One sample with boundary points towards the mean, away from it, and all around.
pub struct Scenarios;

impl Figure for Scenarios {
    fn name(&self) -> &'static str {
        "fig8"
    }

    fn title(&self) -> &'static str {
        "three placements of boundary points"
    }

    fn setting(&self) -> &'static str {
        "The sample and the boundary points of the first trial of fig9, which measures the errors."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        Ok(Vec::new())
    }

    fn pictures(&self, _results: &Results, seed: u64) -> Result<Vec<Picture>, PaperError> {
        let trial = Trial { seed, number: 0 };
        let disc = truncation()?;
        let sample = draw::pairs(&data(&disc, &trial)?);
        let circle = draw::steps(0.0, std::f64::consts::TAU, 181)
            .into_iter()
            .map(|a| (a.cos(), a.sin()))
            .collect::<Vec<_>>();
        let point = Style::new(Color::GREY).marker(Marker::Circle).size(1.8);
        let mean = Style::new(Color::BLACK).marker(Marker::Cross).size(5.0);
        let mut panels = Vec::new();
        for scenario in Scenario::ALL {
            let edge = Style::new(scenario.color()).marker(Marker::Circle).size(3.0);
            let axis = || Axis::linear("").range(-1.25, 1.25);
            let panel = Panel::new(axis(), axis())
                .title(scenario.name())
                .equal_aspect()
                .without_axes()
                .line(circle.clone(), Style::new(Color::LIGHT_GREY))
                .points(sample.clone(), point.clone())
                .points(draw::pairs(&scenario.boundary(&trial)?), edge)
                .points(vec![(1.0, 0.0)], mean.clone());
            panels.push(panel);
        }
        let mut entries = vec![Entry::marker("data", point), Entry::marker("mean of the distribution", mean)];
        for scenario in Scenario::ALL {
            let edge = Style::new(scenario.color()).marker(Marker::Circle).size(3.0);
            entries.push(Entry::marker(format!("boundary points, {}", scenario.name()), edge));
        }
        let figure = steinbound_plot::Figure::new(720.0).row(260.0, panels).legend(entries);
        let caption = "One sample in the unit disc, and 30 boundary points placed in three ways.".into();
        Ok(vec![Picture { name: "fig8", caption, figure }])
    }
}
