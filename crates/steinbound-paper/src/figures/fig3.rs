//! Figure 3: the witness function as boundary points are added.

use std::sync::Arc;

use steinbound::domain::{Ball, BoundarySampling, Domain, LevelSet, Norm};
use steinbound::{Error, Estimator, Points};
use steinbound_plot::{Axis, Color, ColorScale, Entry, Grid, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::draw;
use crate::error::PaperError;
use crate::methods::TKSD;
use crate::results::Results;
use crate::settings::Truncation;
use crate::study::{Cell, Measured, Study, Trial};

/// Contours of the first coordinate of the witness in three shapes.
pub struct Witnesses;

const OBSERVATIONS: usize = 150;
const BOUNDARY_POINTS: [usize; 4] = [10, 50, 150, 300];

/// Levels of contours on both sides of zero, as shares of the largest value.
const LEVELS: [f64; 5] = [0.15, 0.35, 0.55, 0.75, 0.95];

/// The number of places along each axis at which the witness is evaluated.
const STEPS: usize = 61;

/// A shape that truncates the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Diamond,
    Disc,
    Heart,
}

impl Shape {
    const ALL: [Shape; 3] = [Shape::Diamond, Shape::Disc, Shape::Heart];

    fn name(self) -> &'static str {
        match self {
            Shape::Diamond => "l1 ball",
            Shape::Disc => "l2 ball",
            Shape::Heart => "heart",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Shape::Diamond => "ℓ₁ ball",
            Shape::Disc => "ℓ₂ ball",
            Shape::Heart => "heart",
        }
    }

    fn truncation(self) -> Result<Truncation, Error> {
        let domain: Arc<dyn Domain> = match self {
            Shape::Diamond => Arc::new(Ball::new(1.5)?.with_norm(Norm::One).in_dimension(2)),
            Shape::Disc => Arc::new(Ball::new(1.2)?.in_dimension(2)),
            Shape::Heart => Arc::new(LevelSet::parse("x1^2 + (x2 - (x1^2)^(1/3))^2 - 1", 2)?),
        };
        Truncation::new(domain, vec![0.5, 0.5], 1.0)
    }

    /// The boundary as a curve.
    fn edge(self) -> Vec<(f64, f64)> {
        let at = |angle: f64| {
            let (x, y) = (angle.cos(), angle.sin());
            match self {
                Shape::Diamond => (1.5 * x / (x.abs() + y.abs()), 1.5 * y / (x.abs() + y.abs())),
                Shape::Disc => (1.2 * x, 1.2 * y),
                Shape::Heart => (x, y + x.powi(2).cbrt()),
            }
        };
        draw::steps(0.0, std::f64::consts::TAU, 721).into_iter().map(at).collect()
    }
}

/// The data and boundary points of a trial, and the witness of the fitted density.
struct Found {
    data: Points<'static>,
    boundary: Points<'static>,
    estimate: Vec<f64>,
    discrepancy: f64,
    /// The first coordinate of the witness along the boundary, and on a grid around the shape.
    on_edge: Vec<f64>,
    grid: Grid,
    /// Whether each place of the grid lies in the shape.
    is_inside: Vec<bool>,
}

impl Found {
    /// The witness at the places inside.
    fn inside(&self) -> impl Iterator<Item = f64> {
        let both = self.grid.values.iter().zip(&self.is_inside);
        both.filter(|(_, is_inside)| **is_inside).map(|(value, _)| *value)
    }
}

fn found(shape: Shape, m: usize, trial: &Trial) -> Result<Found, Error> {
    let inside = shape.truncation()?;
    let data = inside.sample(OBSERVATIONS, &mut trial.stream(&format!("fig3 data {}", shape.name())))?;
    let rng = &mut trial.stream(&format!("fig3 boundary {} {m}", shape.name()));
    let boundary = inside.domain.sample_boundary(&BoundarySampling::new(m), rng)?;
    let estimator = Estimator::tksd().boundary(boundary.clone());
    let problem = estimator.check(&data, &inside.model)?;
    let estimate = problem.fit()?.estimates();
    let edge: Vec<[f64; 2]> = shape.edge().iter().map(|(x, y)| [*x, *y]).collect();
    let axis = |l: usize| {
        let (low, high) = draw::range(edge.iter().map(|place| place[l]));
        let margin = 0.05 * (high - low);
        draw::steps(low - margin, high + margin, STEPS)
    };
    let (x, y) = (axis(0), axis(1));
    let places: Vec<[f64; 2]> = y.iter().flat_map(|y| x.iter().map(move |x| [*x, *y])).collect();
    let on_edge = problem.witness(&estimate, &Points::from_rows(&edge)?)?;
    let everywhere = problem.witness(&estimate, &Points::from_rows(&places)?)?;
    Ok(Found {
        estimate,
        discrepancy: on_edge.discrepancy,
        on_edge: on_edge.values.column(0).to_vec(),
        is_inside: places.iter().map(|place| inside.domain.contains(place)).collect(),
        grid: Grid { x, y, values: everywhere.values.column(0).to_vec() },
        data,
        boundary,
    })
}

/// The largest absolute value.
fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    draw::range(values.into_iter().map(f64::abs)).1
}

impl Figure for Witnesses {
    fn name(&self) -> &'static str {
        "fig3"
    }

    fn title(&self) -> &'static str {
        "the witness function as boundary points are added"
    }

    fn setting(&self) -> &'static str {
        "150 points of N((0.5, 0.5), I), seen only inside the l1 ball of radius 1.5, the l2 ball of radius 1.2, or the heart \
         x1^2 + (x2 - (x1^2)^(1/3))^2 < 1. The mean is estimated by TKSD with m uniform boundary points; the contours are those of the first \
         coordinate of the witness of the fitted density."
    }

    fn departures(&self) -> &'static str {
        "The text has the data about the origin; this is the public code's setting. The paper leaves out the radii of its balls. The sign of the witness in its proof is corrected. The table has the largest value of the \
         witness on the edge, which should be zero there, and its largest distance from the witness with 300 points, both as shares of the largest value inside."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let cell = |shape: Shape, m: usize| {
            Cell::new([shape.name().to_string(), m.to_string()], &[TKSD], move |trial| {
                let (here, last) = (found(shape, m, trial)?, found(shape, BOUNDARY_POINTS[3], trial)?);
                let apart = here.inside().zip(last.inside()).map(|(a, b)| a - b);
                let values = vec![
                    here.estimate[0],
                    here.estimate[1],
                    here.discrepancy,
                    largest(here.on_edge.iter().copied()) / largest(here.inside()),
                    largest(apart) / largest(last.inside()),
                ];
                Ok(vec![Measured::values(values)])
            })
        };
        let cells =
            Shape::ALL.into_iter().flat_map(|shape| BOUNDARY_POINTS.map(|m| cell(shape, m))).collect();
        Ok(vec![Study {
            name: "fig3",
            labels: &["domain", "m"],
            quantities: &["mean_1", "mean_2", "discrepancy", "left_on_edge", "distance_from_last"],
            trials: 1,
            is_timed: false,
            cells,
        }])
    }

    fn pictures(&self, _results: &Results, seed: u64) -> Result<Vec<Picture>, PaperError> {
        let trial = Trial { seed, number: 0 };
        let point = Style::new(Color::GREY).marker(Marker::Circle).size(1.0).opacity(0.6);
        let knot = Style::new(Color::VERMILLION).marker(Marker::Circle).size(1.5);
        let mut figure = steinbound_plot::Figure::new(720.0);
        for shape in Shape::ALL {
            let mut panels = Vec::new();
            for m in BOUNDARY_POINTS {
                let mut panel = Panel::new(Axis::linear(""), Axis::linear(""))
                    .title(format!("{}, m = {m}", shape.title()))
                    .equal_aspect()
                    .without_axes();
                let edge = Style::new(Color::GREY).width(0.8);
                if let Ok(found) = found(shape, m, &trial) {
                    let limit = largest(found.inside());
                    // Zero is a level of its own, which would follow the boundary.
                    let levels =
                        LEVELS.into_iter().flat_map(|share| [-share * limit, share * limit]).collect();
                    let (x, y) = (
                        draw::range(found.grid.x.iter().copied()),
                        draw::range(found.grid.y.iter().copied()),
                    );
                    // Contours run up to the boundary, and everything beyond it is painted over.
                    let corners = vec![(x.0, y.0), (x.1, y.0), (x.1, y.1), (x.0, y.1)];
                    panel = panel
                        .points(draw::pairs(&found.data), point.clone())
                        .contours(found.grid, levels, ColorScale::diverging(0.8 * limit))
                        .rings(
                            vec![corners, shape.edge()],
                            Some(Color::WHITE),
                            Style::new(Color::WHITE).width(0.0),
                        )
                        .line(shape.edge(), edge)
                        .points(draw::pairs(&found.boundary), knot.clone());
                } else {
                    panel = panel.line(shape.edge(), edge);
                }
                panels.push(panel);
            }
            figure = figure.row(195.0, panels);
        }
        let ends = [(-0.8, "witness below zero"), (0.8, "witness above zero")];
        let color = |value: f64| ColorScale::diverging(1.0).color(value).unwrap_or(Color::BLACK);
        let mut entries: Vec<Entry> =
            ends.into_iter().map(|(value, label)| Entry::line(label, Style::new(color(value)))).collect();
        entries.extend([Entry::marker("data", point), Entry::marker("boundary points", knot)]);
        let caption = "Contours of the first coordinate of the witness, at 0.15, 0.35, .., 0.95 of its largest absolute value; that of zero is left out.".into();
        Ok(vec![Picture { name: "fig3", caption, figure: figure.legend(entries) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lie_on_the_boundary() {
        for shape in Shape::ALL {
            let domain = shape.truncation().unwrap().domain;
            for (x, y) in shape.edge() {
                let (center, factor) = (0.3, 1e-6);
                let moved =
                    |sign: f64| [x * (1.0 + sign * factor), center + (y - center) * (1.0 + sign * factor)];
                assert!(domain.contains(&moved(-1.0)) && !domain.contains(&moved(1.0)), "{shape:?} {x} {y}");
            }
        }
    }
}
