//! Figure 9: how the placement of boundary points changes the error. Figure 8 shows the placements.

use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use steinbound::domain::Ball;
use steinbound::model::Sampling;
use steinbound::{Error, Estimator, Points};
use steinbound_plot::{Axis, Color, Entry, Panel, Style};

use super::{Figure, Picture};
use crate::comparison::Published;
use crate::draw;
use crate::error::PaperError;
use crate::methods::{EFFICIENT, EFFICIENT_POINTS, LIKELIHOOD, TKSD, TRUNCSM, label, line};
use crate::results::{Results, Setting};
use crate::settings::Truncation;
use crate::study::{Cell, Measured, Study, Trial};

/// Errors for boundary points towards the mean, away from it, and all around.
pub struct BoundaryDistribution;

/// The number of draws before truncation, and of boundary points.
const DRAWS: usize = 400;
const BOUNDARY_POINTS: usize = 30;

/// Methods that see the boundary points alone.
const GIVEN: [&str; 2] = [TKSD, EFFICIENT_POINTS];

/// The label of methods that use the circle itself and need no boundary points.
const WHOLE: &str = "circle known";

/// The placement of boundary points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Mostly near the mean of the distribution.
    Towards,
    /// Mostly on the other side.
    Away,
    /// All around.
    Uniform,
}

impl Scenario {
    pub const ALL: [Scenario; 3] = [Scenario::Towards, Scenario::Away, Scenario::Uniform];

    pub fn name(self) -> &'static str {
        match self {
            Scenario::Towards => "towards",
            Scenario::Away => "away",
            Scenario::Uniform => "uniform",
        }
    }

    /// Its colour in both figures.
    pub fn color(self) -> Color {
        match self {
            Scenario::Towards => Color::BLUE,
            Scenario::Away => Color::VERMILLION,
            Scenario::Uniform => Color::GREEN,
        }
    }

    fn point(self, rng: &mut ChaCha8Rng) -> [f64; 2] {
        let normal: f64 = StandardNormal.sample(rng);
        match self {
            Scenario::Towards => [normal.cos(), normal.sin()],
            Scenario::Away => [(normal - 1.0).sin(), (normal - 1.0).cos()],
            Scenario::Uniform => {
                let angle = std::f64::consts::TAU * rng.random::<f64>();
                [angle.cos(), angle.sin()]
            }
        }
    }

    /// The boundary points of a trial.
    pub fn boundary(self, trial: &Trial) -> Result<Points<'static>, Error> {
        let rng = &mut trial.stream(&format!("fig9 boundary {}", self.name()));
        let rows: Vec<[f64; 2]> = (0..BOUNDARY_POINTS).map(|_| self.point(rng)).collect();
        Ok(Points::from_rows(&rows)?)
    }
}

/// N((1, 0), I), observed only inside the unit disc.
pub fn truncation() -> Result<Truncation, Error> {
    let disc = Ball::new(1.0)?.in_dimension(2);
    Truncation::new(Arc::new(disc), vec![1.0, 0.0], 1.0)
}

/// The data of a trial: those of the draws that fall into the disc.
pub fn data(disc: &Truncation, trial: &Trial) -> Result<Points<'static>, Error> {
    let rng = &mut trial.stream("fig9 data");
    let mut rows: Vec<[f64; 2]> = Vec::new();
    if let Some(sampler) = disc.model.sampler(&disc.truth) {
        for _ in 0..DRAWS {
            let mut point = [0.0; 2];
            sampler(rng, &mut point);
            if disc.domain.contains(&point) {
                rows.push(point);
            }
        }
    }
    Ok(Points::from_rows(&rows)?)
}

impl Figure for BoundaryDistribution {
    fn name(&self) -> &'static str {
        "fig9"
    }

    fn title(&self) -> &'static str {
        "how the placement of boundary points changes the error"
    }

    fn setting(&self) -> &'static str {
        "400 draws of N((1, 0), I), of which those inside the unit disc are seen; the mean is sought by TKSD with 30 boundary points. Towards: at angles \
         N(0, 1), about the side of the mean. Away: at (sin a, cos a) with a from N(-1, 1), mostly on the other side. Uniform: all around."
    }

    fn departures(&self) -> &'static str {
        "The text has the mean at (1, 1) and 400 points after truncation; this is the public code's setting. Added are efficient Stein estimation, with the same boundary points \
         and with the circle known, and two other methods that know the circle."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let disc = truncation()?;
        let of = |scenario: Scenario| {
            let disc = disc.clone();
            Cell::new([scenario.name()], &GIVEN, move |trial| {
                let (data, edge) = (data(&disc, trial)?, scenario.boundary(trial)?);
                let fit = |estimator: Estimator| {
                    Measured::error(|| disc.fit(estimator.boundary(edge.clone()), &data), &disc.truth)
                };
                Ok(vec![fit(Estimator::tksd()), fit(Estimator::efficient())])
            })
        };
        let mut cells: Vec<Cell> = Scenario::ALL.into_iter().map(of).collect();
        cells.push(Cell::new([WHOLE], &[EFFICIENT, TRUNCSM, LIKELIHOOD], move |trial| {
            let data = data(&disc, trial)?;
            let fit = |estimator: Estimator| {
                Measured::error(|| disc.fit(disc.with_domain(estimator), &data), &disc.truth)
            };
            Ok(vec![fit(Estimator::efficient()), fit(Estimator::truncsm()), fit(Estimator::truncated_mle())])
        }));
        let (labels, quantities) = (&["boundary"], &["error"]);
        Ok(vec![Study { name: "fig9", labels, quantities, trials: 256, is_timed: false, cells }])
    }

    fn published(&self) -> Vec<Published> {
        const MEANS: [(Setting<'static>, f64, f64); 3] = [
            (&[("boundary", "towards")], 0.273, 0.012),
            (&[("boundary", "away")], 0.639, 0.025),
            (&[("boundary", "uniform")], 0.277, 0.012),
        ];
        let one = |(setting, mean, std_error)| Published {
            std_error: Some(std_error),
            ..Published::error("fig9", setting, TKSD, mean, 128)
        };
        MEANS.into_iter().map(one).collect()
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let edges = draw::steps(0.0, 1.6, 33);
        let mean_of = |method: &str, scenario: &str| {
            let mean = results.mean("fig9", &[("boundary", scenario)], method, "error");
            mean.map_or(f64::NAN, |mean| mean.mean)
        };
        let counts = |method: &str, scenario: Scenario| {
            let errors = results.values("fig9", &[("boundary", scenario.name())], method, "error");
            draw::histogram(&errors, &edges)
        };
        let all = GIVEN.into_iter().flat_map(|method| Scenario::ALL.map(|scenario| counts(method, scenario)));
        let (_, most) = draw::range(all.flatten());
        let known = [EFFICIENT, LIKELIHOOD].map(|method| (method, mean_of(method, WHOLE)));
        let panel = |method: &str| {
            let axes = (
                Axis::linear("error of the estimated mean").range(0.0, 1.6),
                Axis::linear("trials").range(0.0, 1.05 * most),
            );
            let mut panel = Panel::new(axes.0, axes.1).title(label(method));
            for scenario in Scenario::ALL {
                let look = Style::new(scenario.color());
                panel = panel.histogram(edges.clone(), counts(method, scenario), look.clone());
                let look = if scenario == Scenario::Uniform { look.dashed() } else { look };
                panel = panel.vertical(mean_of(method, scenario.name()), look);
            }
            known.iter().fold(panel, |panel, (method, mean)| panel.vertical(*mean, line(method)))
        };
        let panels = GIVEN.map(panel).into();
        let mut entries: Vec<Entry> = Scenario::ALL
            .into_iter()
            .map(|scenario| {
                let [one, other] = GIVEN.map(|method| mean_of(method, scenario.name()));
                let label = format!("{} (means {one:.2} and {other:.2})", scenario.name());
                Entry::fill(label, scenario.color())
            })
            .collect();
        for (method, mean) in known {
            let label = format!("{}, {WHOLE} (mean {mean:.2})", label(method));
            entries.push(Entry::line(label, line(method)));
        }
        let figure = steinbound_plot::Figure::new(720.0).row(320.0, panels).legend(entries);
        let caption = "Errors for three placements of the boundary points, by TKSD and by efficient Stein estimation; vertical lines are means, and the \
                       legend has that of TKSD first. Errors above 1.6 are \
                       counted in the last bar."
            .into();
        Ok(vec![Picture { name: "fig9", caption, figure }])
    }
}
