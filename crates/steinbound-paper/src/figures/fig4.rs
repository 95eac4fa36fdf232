//! Figure 4: the bound on the density of boundary points.

use std::f64::consts::TAU;

use rand::RngExt;
use steinbound::domain::density_bound;
use steinbound_plot::{Axis, Color, Entry, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::error::PaperError;
use crate::results::Results;
use crate::study::{Cell, Measured, Study, Trial};

/// The paper's bound, and the probability with which it holds on a circle.
pub struct DensityBound;

const DIMENSIONS: [usize; 3] = [2, 5, 10];
const AREAS: [usize; 4] = [1, 4, 16, 64];
const COUNTS: [usize; 13] = [1, 2, 3, 5, 10, 20, 32, 50, 100, 200, 300, 400, 500];

/// The number of sets of boundary points on the circle.
const SETS: usize = 20_000;

/// The share of sets of `count` uniform points on the unit circle that come within `distance` of every point
/// of the circle.
fn share_dense(count: usize, distance: f64, trial: &Trial) -> f64 {
    let rng = &mut trial.stream(&format!("fig4 circle {count}"));
    // The point halfway between two neighbours is at the distance `2 sin(gap / 4)` from both.
    let widest = 4.0 * (0.5 * distance).min(1.0).asin();
    let mut is_dense = || {
        let mut angles: Vec<f64> = (0..count).map(|_| TAU * rng.random::<f64>()).collect();
        angles.sort_by(f64::total_cmp);
        let around = angles[0] + TAU - angles[count - 1];
        angles.windows(2).map(|pair| pair[1] - pair[0]).fold(around, f64::max) <= widest
    };
    (0..SETS).filter(|_| is_dense()).count() as f64 / SETS as f64
}

impl Figure for DensityBound {
    fn name(&self) -> &'static str {
        "fig4"
    }

    fn title(&self) -> &'static str {
        "the bound on how densely boundary points lie"
    }

    fn setting(&self) -> &'static str {
        "The distance within which m uniform boundary points are claimed to be dense with probability 0.95, for boundaries of area L(V) in d dimensions: \
         (L(V) / xi(d) (1 - 0.05^(1/m)))^(1/d)."
    }

    fn departures(&self) -> &'static str {
        "The bound is a necessary condition and no more, and it compares an area with a volume, so that it depends on units. The last panel measures the \
         probability on the unit circle over 20,000 sets of points: it is not 0.95. steinbound warns by what is left of the kernel between \
         the boundary points instead."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let bound = |d: usize, area: usize, m: usize| {
            let run = move |_: &Trial| Ok(vec![Measured::values(vec![density_bound(d, area as f64, m)])]);
            Cell::new([d, area, m], &["bound"], run)
        };
        let areas = |d: usize| AREAS.into_iter().flat_map(move |area| COUNTS.map(|m| bound(d, area, m)));
        let circle = |m: usize| {
            Cell::new([m], &["measured"], move |trial| {
                let distance = density_bound(2, TAU, m);
                Ok(vec![Measured::values(vec![distance, share_dense(m, distance, trial)])])
            })
        };
        let study = |name, labels, quantities, cells| Study {
            name,
            labels,
            quantities,
            trials: 1,
            is_timed: false,
            cells,
        };
        Ok(vec![
            study("fig4", &["d", "area", "m"], &["bound"], DIMENSIONS.into_iter().flat_map(areas).collect()),
            study(
                "fig4_circle",
                &["m"],
                &["bound", "probability"],
                COUNTS.into_iter().filter(|m| *m >= 5).map(circle).collect(),
            ),
        ])
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let looks = [Color::BLUE, Color::GREEN, Color::ORANGE, Color::VERMILLION];
        let look = |place: usize| Style::new(looks[place]).width(1.0 + 0.35 * place as f64);
        let counts = || Axis::log("boundary points m").ticks(vec![1.0, 10.0, 100.0, 500.0]);
        let values =
            |study: &str, setting: &[(&str, &str)], method: &str, quantity: &str| -> Vec<(f64, f64)> {
                let means = results.means(study, setting, "m", method, quantity);
                means.into_iter().map(|(m, mean)| (m, mean.mean)).collect()
            };
        let mut panels: Vec<Panel> = Vec::new();
        for dimension in DIMENSIONS {
            let mut panel = Panel::new(counts(), Axis::linear("bound on ε").range(0.0, 4.5))
                .title(format!("d = {dimension}"));
            for (place, area) in AREAS.into_iter().enumerate() {
                let (d, area) = (dimension.to_string(), area.to_string());
                panel =
                    panel.line(values("fig4", &[("d", &d), ("area", &area)], "bound", "bound"), look(place));
            }
            panels.push(panel);
        }
        let measured = Style::new(Color::BLACK).marker(Marker::Circle);
        let claimed = Style::new(Color::GREY).dashed();
        let circle = Panel::new(
            Axis::log("boundary points m").ticks(vec![5.0, 20.0, 100.0, 500.0]),
            Axis::linear("probability").range(0.0, 1.05),
        )
        .title("unit circle")
        .horizontal(0.95, claimed.clone())
        .line(values("fig4_circle", &[], "measured", "probability"), measured.clone());
        panels.push(circle);
        let mut entries: Vec<Entry> = AREAS
            .into_iter()
            .enumerate()
            .map(|(place, area)| Entry::line(format!("L(V) = {area}"), look(place)))
            .collect();
        entries
            .extend([Entry::line("measured probability", measured), Entry::line("claimed: 0.95", claimed)]);
        let figure = steinbound_plot::Figure::new(720.0).row(230.0, panels).legend(entries);
        let caption = "First three: the bound against the number of boundary points. Last: the probability that boundary points on the unit circle \
                       are as dense as the bound."
            .into();
        Ok(vec![Picture { name: "fig4", caption, figure }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stevens' formula: that no gap exceeds a share `a` of the circle has probability
    /// `sum_k (-1)^k C(m, k) (1 - k a)_+^(m - 1)`.
    #[test]
    fn the_probability_on_the_circle_is_that_of_covering_it() {
        let trial = Trial { seed: 1, number: 0 };
        for (m, published) in [(10, 0.24), (32, 0.67), (100, 0.96)] {
            let distance = density_bound(2, TAU, m);
            let gap = 4.0 * (0.5 * distance).asin() / TAU;
            let mut exact = 0.0;
            let mut choose = 1.0;
            for k in 0..=m {
                let left = 1.0 - k as f64 * gap;
                if left <= 0.0 {
                    break;
                }
                exact += if k % 2 == 0 { 1.0 } else { -1.0 } * choose * left.powi(m as i32 - 1);
                choose *= (m - k) as f64 / (k + 1) as f64;
            }
            let found = share_dense(m, distance, &trial);
            let error = (exact * (1.0 - exact) / SETS as f64).sqrt();
            assert!((found - exact).abs() < 4.0 * error, "m {m}: {found} {exact}");
            assert!((exact - published).abs() < 0.01, "m {m}: {exact}");
        }
    }
}
