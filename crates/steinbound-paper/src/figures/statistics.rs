//! Comparison of the U-statistic with the V-statistic.

use steinbound::stein::Statistic;
use steinbound::{Error, Estimator};
use steinbound_plot::{Axis, Panel};

use super::{Figure, Picture};
use crate::draw;
use crate::error::PaperError;
use crate::methods::{LIKELIHOOD, TKSD, TKSD_U, legend, style};
use crate::results::Results;
use crate::settings::{SharedLikelihood, Truncation};
use crate::study::{Cell, Measured, Study};

/// TKSD by its two statistics, against the numbers of observations and of dimensions.
pub struct Statistics;

const OBSERVATIONS: [usize; 7] = [25, 50, 100, 200, 400, 800, 1600];
const METHODS: [&str; 3] = [TKSD, TKSD_U, LIKELIHOOD];
const DIMENSIONS: [usize; 6] = [2, 4, 6, 8, 10, 12];

/// The number of draws over which the likelihood integrates in more than two dimensions, made once for all
/// trials.
const DRAWS: usize = 20_000;

/// The number of observations in the comparison of dimensions.
const FIXED: usize = 300;

fn cell(label: usize, dimension: usize, count: usize) -> Result<Cell, Error> {
    let ball = Truncation::round(dimension)?;
    let shared = SharedLikelihood::new(DRAWS, format!("statistics draws {dimension}"));
    Ok(Cell::new([label], &METHODS, move |trial| {
        let purpose = |what: &str| format!("statistics {what} {dimension} {count}");
        let data = ball.sample(count, &mut trial.stream(&purpose("data")))?;
        let edge = ball.edge(8 * dimension * dimension, &mut trial.stream(&purpose("boundary")))?;
        let fit = |method: &&str| {
            let estimator = match *method {
                LIKELIHOOD if dimension > 2 => shared.estimator(&ball, trial),
                LIKELIHOOD => ball.with_domain(Estimator::truncated_mle()),
                TKSD_U => Estimator::tksd().statistic(Statistic::U).boundary(edge.clone()),
                _ => Estimator::tksd().boundary(edge.clone()),
            };
            Measured::error(|| ball.fit(estimator, &data), &ball.truth)
        };
        Ok(METHODS.iter().map(fit).collect())
    }))
}

impl Figure for Statistics {
    fn name(&self) -> &'static str {
        "statistics"
    }

    fn title(&self) -> &'static str {
        "the U-statistic beside the V-statistic"
    }

    fn setting(&self) -> &'static str {
        "N((0.5, .., 0.5), I) in the l2 ball of radius d^0.53 with 8 d^2 random boundary points; the mean is sought by minimising either statistic. \
         Left: d = 2. Right: 300 observations."
    }

    fn departures(&self) -> &'static str {
        "The paper defines both statistics and uses one. Its U-statistic has a factor 2 / (n (n - 1)) over ordered pairs, twice the unbiased value; \
         the minimum is the same. The truncated likelihood is added, beyond two dimensions over shared draws as in fig2."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let study = |name, labels, cells: Vec<Result<Cell, Error>>| -> Result<Study, PaperError> {
            let cells = cells.into_iter().collect::<Result<_, _>>()?;
            Ok(Study { name, labels, quantities: &["error"], trials: 64, is_timed: false, cells })
        };
        let by_count = OBSERVATIONS.map(|n| cell(n, 2, n));
        let by_dimension = DIMENSIONS.map(|d| cell(d, d, FIXED));
        Ok(vec![
            study("statistics_n", &["n"], by_count.into())?,
            study("statistics_d", &["d"], by_dimension.into())?,
        ])
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let lines = |panel: Panel, study: &str, label: &str| {
            METHODS.into_iter().rev().fold(panel, |panel, method| {
                draw::means(panel, &results.means(study, &[], label, method, "error"), style(method))
            })
        };
        let counts = OBSERVATIONS.map(|n| n as f64).to_vec();
        let by_count = Panel::new(Axis::log("observations n").ticks(counts), Axis::log("mean error"))
            .title("d = 2, m = 32");
        let dimensions = DIMENSIONS.map(|d| d as f64).to_vec();
        let by_dimension =
            Panel::new(Axis::linear("dimension d").ticks(dimensions), Axis::linear("mean error").from_zero())
                .title("n = 300, m = 8d²");
        let panels = vec![lines(by_count, "statistics_n", "n"), lines(by_dimension, "statistics_d", "d")];
        let figure = steinbound_plot::Figure::new(720.0).row(290.0, panels).legend(legend(&METHODS));
        let caption = "Mean error of TKSD by the V-statistic (the default) and the U-statistic, against the number of observations and the dimension."
            .into();
        Ok(vec![Picture { name: "statistics", caption, figure }])
    }
}
