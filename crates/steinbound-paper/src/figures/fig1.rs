//! Figure 1: a density truncated by the border of the United States.

use std::sync::Arc;

use steinbound::domain::{BoundarySampling, Polygon, contiguous_united_states};
use steinbound::{Error, Estimator, Points};
use steinbound_plot::{Axis, Color, Entry, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::comparison::Published;
use crate::draw;
use crate::error::PaperError;
use crate::methods::{
    EFFICIENT, EFFICIENT_POINTS, LIKELIHOOD, NAIVE, TKSD, TRUNCSM, TRUNCSM_NEAREST, legend, line, style,
};
use crate::results::{Results, Setting};
use crate::settings::{SharedLikelihood, Truncation};
use crate::study::{Cell, Measured, Study, Trial};

/// Error against the number of boundary points, and maps of these.
pub struct UnitedStates;

const OBSERVATIONS: usize = 400;
const BOUNDARY_POINTS: [usize; 10] = [15, 35, 50, 100, 150, 200, 250, 300, 350, 400];
const ON_MAPS: [usize; 3] = [25, 100, 200];

/// The number of draws over which the likelihood integrates, made once for all trials.
const DRAWS: usize = 40_000;

/// The label of methods that use the border itself and need no boundary points.
const WHOLE: &str = "border known";

/// The label of methods that ignore the truncation.
const IGNORED: &str = "border ignored";

/// Methods that see boundary points alone.
const SPARSE: [&str; 3] = [TKSD, EFFICIENT_POINTS, TRUNCSM_NEAREST];

/// Methods that use the border itself.
const KNOWING: [&str; 3] = [EFFICIENT, TRUNCSM, LIKELIHOOD];

fn truncation() -> Result<(Truncation, Arc<Polygon>), Error> {
    let border = Arc::new(contiguous_united_states()?);
    Ok((Truncation::new(border.clone(), vec![-115.0, 35.0], 10.0)?, border))
}

/// The data of a trial, the same for all numbers of boundary points.
fn data(states: &Truncation, trial: &Trial) -> Result<Points<'static>, Error> {
    states.sample(OBSERVATIONS, &mut trial.stream("fig1 data"))
}

fn boundary(states: &Truncation, count: usize, trial: &Trial) -> Result<Points<'static>, Error> {
    let rng = &mut trial.stream(&format!("fig1 boundary {count}"));
    Ok(states.domain.sample_boundary(&BoundarySampling::new(count), rng)?)
}

impl Figure for UnitedStates {
    fn name(&self) -> &'static str {
        "fig1"
    }

    fn title(&self) -> &'static str {
        "a density truncated by the border of the United States"
    }

    fn setting(&self) -> &'static str {
        "400 points of N((-115, 35), 10 I), in degrees, seen only inside the contiguous United States; the mean is sought. \
         Boundary points are uniform along the border. The error is the distance between the estimated and the true mean."
    }

    fn departures(&self) -> &'static str {
        "The public generator repeats points until there are enough of them and orders the vertices of the border by their angle about a \
         centre, which is not the border. Here all points are independent and the border is the real one, with its islands (Natural Earth, \
         1:50 million), so that the published means are shown for interest only. Added are efficient Stein estimation, with the same boundary points and with the whole border, \
         along which it places its points itself; TruncSM with the exact distance; and the truncated likelihood. To integrate over the country for so many samples the latter uses 40,000 draws, made once, which shifts all its estimates by \
         about a tenth of a sample's standard error. What ignores the border is in the table."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let (states, _) = truncation()?;
        let sparse = |m: usize| {
            let states = states.clone();
            Cell::new([m], &SPARSE, move |trial| {
                let (data, edge) = (data(&states, trial)?, boundary(&states, m, trial)?);
                let fit = |estimator: Estimator| {
                    Measured::error(|| states.fit(estimator.boundary(edge.clone()), &data), &states.truth)
                };
                Ok(vec![fit(Estimator::tksd()), fit(Estimator::efficient()), fit(Estimator::truncsm())])
            })
        };
        let mut cells: Vec<Cell> = BOUNDARY_POINTS.into_iter().map(sparse).collect();
        let likelihood = SharedLikelihood::new(DRAWS, "fig1 draws".into());
        let whole = states.clone();
        cells.push(Cell::new([WHOLE], &KNOWING, move |trial| {
            let data = data(&whole, trial)?;
            let fit = |estimator: Estimator| Measured::error(|| whole.fit(estimator, &data), &whole.truth);
            Ok(vec![
                fit(whole.with_domain(Estimator::efficient())),
                fit(whole.with_domain(Estimator::truncsm())),
                fit(likelihood.estimator(&whole, trial)),
            ])
        }));
        cells.push(Cell::new([IGNORED], &[NAIVE], move |trial| {
            let data = data(&states, trial)?;
            Ok(vec![Measured::error(|| states.fit(Estimator::mle(), &data), &states.truth)])
        }));
        let (labels, quantities) = (&["m"], &["error"]);
        Ok(vec![Study { name: "fig1", labels, quantities, trials: 256, is_timed: true, cells }])
    }

    fn published(&self) -> Vec<Published> {
        let settings: [(Setting<'static>, [f64; 2]); 5] = [
            (&[("m", "15")], [0.620, 0.894]),
            (&[("m", "50")], [0.307, 0.479]),
            (&[("m", "100")], [0.305, 0.357]),
            (&[("m", "200")], [0.335, 0.312]),
            (&[("m", "400")], [0.346, 0.295]),
        ];
        let both = |(setting, means): (_, [f64; 2])| {
            [TKSD, TRUNCSM_NEAREST].into_iter().zip(means).map(move |(method, mean)| Published {
                is_comparable: false,
                ..Published::error("fig1", setting, method, mean, 48)
            })
        };
        settings.into_iter().flat_map(both).collect()
    }

    fn pictures(&self, results: &Results, seed: u64) -> Result<Vec<Picture>, PaperError> {
        let (states, border) = truncation()?;
        let trial = Trial { seed, number: 0 };
        let data = data(&states, &trial)?;
        let land: Vec<Vec<(f64, f64)>> =
            border.rings().iter().map(|ring| ring.iter().map(|v| (v[0], v[1])).collect()).collect();
        let (point, edge) = (
            Style::new(Color::GREY).marker(Marker::Circle).size(1.2).opacity(0.7),
            Style::new(Color::VERMILLION).marker(Marker::Circle).size(1.6),
        );
        let mut maps = Vec::new();
        for m in ON_MAPS {
            let map = Panel::map(land.clone())
                .title(format!("m = {m}"))
                .points(draw::pairs(&data), point.clone())
                .points(draw::pairs(&boundary(&states, m, &trial)?), edge.clone());
            maps.push(map);
        }
        let mut panel = Panel::new(
            Axis::linear("number of boundary points m").from_zero(),
            Axis::linear("mean error in degrees").from_zero(),
        );
        for method in SPARSE {
            panel = draw::means(panel, &results.means("fig1", &[], "m", method, "error"), style(method));
        }
        for method in KNOWING {
            if let Some(mean) = results.mean("fig1", &[("m", WHOLE)], method, "error") {
                let everywhere =
                    [BOUNDARY_POINTS[0], BOUNDARY_POINTS[9]].map(|m| (m as f64, mean.mean)).to_vec();
                panel = panel.line(everywhere, line(method));
            }
        }
        let mut entries = legend(&SPARSE);
        for method in KNOWING {
            let label = format!("{} (border known)", crate::methods::label(method));
            entries.push(Entry::line(&label, line(method)));
        }
        entries.push(Entry::marker("data", point));
        entries.push(Entry::marker("boundary points", edge));
        let figure =
            steinbound_plot::Figure::new(720.0).row(170.0, maps).row(300.0, vec![panel]).legend(entries);
        let caption =
            "Top: one sample and m points on the border. Bottom: mean error of the estimated mean against m. Horizontal lines are of methods that know the \
             whole border."
                .into();
        Ok(vec![Picture { name: "fig1", caption, figure }])
    }
}
