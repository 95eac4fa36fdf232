//! Figure 10: the share of points that the balls keep.

use steinbound::Error;
use steinbound::domain::Norm;
use steinbound::model::Sampling;
use steinbound_plot::{Axis, Color, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::draw;
use crate::error::PaperError;
use crate::results::Results;
use crate::settings::Truncation;
use crate::study::{Cell, Measured, Study};

/// The share of a normal distribution inside balls that grow with the dimension.
pub struct BallSizes;

/// The number of draws in a trial.
const DRAWS: usize = 1000;

/// Names of the balls, with the powers of the dimension that are their radii.
const BALLS: [(&str, Norm, f64); 2] = [("l1", Norm::One, 0.98), ("l2", Norm::Two, 0.53)];

fn cell((name, norm, power): (&'static str, Norm, f64), dimension: usize) -> Result<Cell, Error> {
    let ball = Truncation::ball(norm, (dimension as f64).powf(power), dimension)?;
    Ok(Cell::new([name.to_string(), dimension.to_string()], &["kept"], move |trial| {
        let Some(sampler) = ball.model.sampler(&ball.truth) else { return Ok(Vec::new()) };
        let rng = &mut trial.stream(&format!("fig10 {name} {dimension}"));
        let mut point = vec![0.0; dimension];
        let mut is_inside = || {
            sampler(rng, &mut point);
            ball.domain.contains(&point)
        };
        let inside = (0..DRAWS).filter(|_| is_inside()).count();
        Ok(vec![Measured::values(vec![inside as f64 / DRAWS as f64])])
    }))
}

impl Figure for BallSizes {
    fn name(&self) -> &'static str {
        "fig10"
    }

    fn title(&self) -> &'static str {
        "the share of points that the balls keep"
    }

    fn setting(&self) -> &'static str {
        "1,000 draws of N((0.5, .., 0.5), I) in each trial; how many fall into the l1 ball of radius d^0.98, and into the l2 ball of radius d^0.53."
    }

    fn departures(&self) -> &'static str {
        "These are the radii of the paper's appendix; Figure 2 has the l1 ball of radius d."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let dimensions = || (2..=20).step_by(2);
        let cells =
            BALLS.into_iter().flat_map(|ball| dimensions().map(move |dimension| cell(ball, dimension)));
        Ok(vec![Study {
            name: "fig10",
            labels: &["ball", "d"],
            quantities: &["share"],
            trials: 32,
            is_timed: false,
            cells: cells.collect::<Result<_, _>>()?,
        }])
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let titles = ["ℓ₁ ball of radius d^0.98", "ℓ₂ ball of radius d^0.53"];
        let panel = |((ball, ..), title): ((&str, Norm, f64), &str)| {
            let axes = (
                Axis::linear("dimension d"),
                Axis::linear("mean share of points kept").range(0.0, 1.0).percent(),
            );
            let means = results.means("fig10", &[("ball", ball)], "d", "kept", "share");
            draw::means(
                Panel::new(axes.0, axes.1).title(title),
                &means,
                Style::new(Color::BLUE).marker(Marker::Circle),
            )
        };
        let panels = BALLS.into_iter().zip(titles).map(panel).collect();
        let caption =
            "Mean share of points that remain after truncation. Standard errors are smaller than the dots."
                .into();
        Ok(vec![Picture {
            name: "fig10",
            caption,
            figure: steinbound_plot::Figure::new(720.0).row(260.0, panels),
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Trial;

    /// Two dimensions can be integrated: P(|x| < r) for x about (0.5, 0.5), by a sum over the disc.
    #[test]
    fn shares_are_probabilities() {
        let radius = 2f64.powf(0.53);
        let (steps, mut mass) = (400, 0.0);
        let width = 2.0 * radius / steps as f64;
        let place = |i: usize| -radius + (i as f64 + 0.5) * width;
        for i in 0..steps {
            for j in 0..steps {
                let (x, y) = (place(i), place(j));
                if x.hypot(y) < radius {
                    let square = (x - 0.5).powi(2) + (y - 0.5).powi(2);
                    mass += width * width * (-0.5 * square).exp() / std::f64::consts::TAU;
                }
            }
        }
        let cell = cell(BALLS[1], 2).unwrap();
        let share = |number| cell.run(&Trial { seed: 1, number }, 1)[0].values[0];
        let mean = (0..20).map(share).sum::<f64>() / 20.0;
        let error = (mass * (1.0 - mass) / (20.0 * DRAWS as f64)).sqrt();
        assert!((mean - mass).abs() < 3.0 * error, "{mean} {mass}");
    }
}
