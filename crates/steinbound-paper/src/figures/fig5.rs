//! Figure 5: consistency as observations and boundary points grow.

use steinbound::Estimator;
use steinbound_plot::{Axis, ColorScale, Heatmap, Panel};

use super::{Figure, Picture};
use crate::comparison::Published;
use crate::draw;
use crate::error::PaperError;
use crate::methods::{BDKSD, EFFICIENT, LIKELIHOOD, TKSD, TRUNCSM, legend, style};
use crate::results::{Results, Setting};
use crate::settings::Truncation;
use crate::study::{Cell, Measured, Study};

/// Error against the numbers of observations and of boundary points.
pub struct Consistency;

const GRID: [usize; 8] = [100, 350, 600, 850, 1100, 1350, 1600, 1850];
const BOUNDARY_POINTS: [usize; 9] = [5, 10, 15, 20, 25, 30, 35, 40, 45];
const LINE: [usize; 7] = [50, 300, 550, 800, 1050, 1300, 1550];
const METHODS: [&str; 5] = [TKSD, EFFICIENT, TRUNCSM, BDKSD, LIKELIHOOD];

/// The number of boundary points in the comparison of methods.
const FIXED: usize = 32;

impl Figure for Consistency {
    fn name(&self) -> &'static str {
        "fig5"
    }

    fn title(&self) -> &'static str {
        "consistency as observations and boundary points grow"
    }

    fn setting(&self) -> &'static str {
        "n points of N((0.5, 0.5), I), seen only inside the disc of radius 2^0.53; the mean is sought. Left: TKSD with m random points on the circle. \
         Right: TKSD with m = 32, and methods that know the disc."
    }

    fn departures(&self) -> &'static str {
        "Efficient Stein estimation and the truncated likelihood are added; the former places its boundary points itself. Where m stays, TKSD keeps a bias that no number of observations removes, as the rows of few boundary points show."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let disc = Truncation::round(2)?;
        let at = |n: usize, m: usize| {
            let disc = disc.clone();
            Cell::new([n, m], &[TKSD], move |trial| {
                let data = disc.sample(n, &mut trial.stream(&format!("fig5 data {n}")))?;
                let edge = disc.edge(m, &mut trial.stream(&format!("fig5 boundary {m}")))?;
                let fit = || disc.fit(Estimator::tksd().boundary(edge), &data);
                Ok(vec![Measured::error(fit, &disc.truth)])
            })
        };
        let grid = GRID.into_iter().flat_map(|n| BOUNDARY_POINTS.map(|m| at(n, m))).collect();
        let along = |n: usize| {
            let disc = disc.clone();
            Cell::new([n], &METHODS, move |trial| {
                let data = disc.sample(n, &mut trial.stream(&format!("fig5 data {n}")))?;
                let edge = disc.edge(FIXED, &mut trial.stream(&format!("fig5 boundary {FIXED}")))?;
                let fit = |estimator: Estimator| Measured::error(|| disc.fit(estimator, &data), &disc.truth);
                let with_domain = |estimator: Estimator| fit(disc.with_domain(estimator));
                Ok(vec![
                    fit(Estimator::tksd().boundary(edge)),
                    with_domain(Estimator::efficient()),
                    with_domain(Estimator::truncsm()),
                    with_domain(Estimator::bdksd()),
                    with_domain(Estimator::truncated_mle()),
                ])
            })
        };
        let line = LINE.into_iter().map(along).collect();
        let study = |name, labels, cells| Study {
            name,
            labels,
            quantities: &["error"],
            trials: 64,
            is_timed: false,
            cells,
        };
        Ok(vec![study("fig5_grid", &["n", "m"], grid), study("fig5_line", &["n"], line)])
    }

    fn published(&self) -> Vec<Published> {
        const LINES: [(Setting<'static>, [f64; 3]); 4] = [
            (&[("n", "50")], [0.288, 0.310, 0.269]),
            (&[("n", "300")], [0.118, 0.122, 0.116]),
            (&[("n", "800")], [0.072, 0.080, 0.073]),
            (&[("n", "1550")], [0.050, 0.054, 0.051]),
        ];
        const CELLS: [(Setting<'static>, f64); 9] = [
            (&[("n", "100"), ("m", "5")], 0.273),
            (&[("n", "100"), ("m", "20")], 0.165),
            (&[("n", "100"), ("m", "45")], 0.164),
            (&[("n", "600"), ("m", "5")], 0.261),
            (&[("n", "600"), ("m", "20")], 0.086),
            (&[("n", "600"), ("m", "45")], 0.082),
            (&[("n", "1600"), ("m", "5")], 0.248),
            (&[("n", "1600"), ("m", "20")], 0.057),
            (&[("n", "1600"), ("m", "45")], 0.052),
        ];
        let lines = LINES.into_iter().flat_map(|(setting, means)| {
            [TRUNCSM, BDKSD, TKSD]
                .into_iter()
                .zip(means)
                .map(move |(method, mean)| Published::error("fig5_line", setting, method, mean, 32))
        });
        let cells =
            CELLS.into_iter().map(|(setting, mean)| Published::error("fig5_grid", setting, TKSD, mean, 32));
        lines.chain(cells).collect()
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let mean = |m: usize, n: usize| {
            let (n, m) = (n.to_string(), m.to_string());
            let mean = results.mean("fig5_grid", &[("n", &n), ("m", &m)], TKSD, "error");
            mean.map_or(f64::NAN, |mean| mean.mean)
        };
        let values: Vec<f64> = BOUNDARY_POINTS.into_iter().flat_map(|m| GRID.map(|n| mean(m, n))).collect();
        let (low, high) = draw::range(values.iter().copied());
        let heatmap = Heatmap {
            x_edges: (0..=GRID.len()).map(|i| 250.0 * i as f64 - 25.0).collect(),
            y_edges: (0..=BOUNDARY_POINTS.len()).map(|i| 5.0 * i as f64 + 2.5).collect(),
            values,
            scale: ColorScale::sequential_log(low, high),
            label: "mean error".into(),
            digits: None,
        };
        let ticks = |values: &[usize]| values.iter().map(|v| *v as f64).collect::<Vec<_>>();
        let grid = Panel::new(
            Axis::linear("observations n").ticks(ticks(&[100, 600, 1100, 1600])),
            Axis::linear("boundary points m").ticks(ticks(&BOUNDARY_POINTS)),
        )
        .title("TKSD")
        .heatmap(heatmap);
        let line = METHODS.into_iter().rev().fold(
            Panel::new(
                Axis::log("observations n").ticks(ticks(&[50, 100, 200, 400, 800, 1600])),
                Axis::log("mean error"),
            )
            .title("m = 32"),
            |panel, method| {
                draw::means(panel, &results.means("fig5_line", &[], "n", method, "error"), style(method))
            },
        );
        let figure = steinbound_plot::Figure::new(720.0)
            .row_weighted(310.0, vec![(1.1, grid), (1.0, line)])
            .legend(legend(&METHODS));
        let caption = "Left: mean error of TKSD against the numbers of observations and of boundary points (colours on a logarithmic scale). \
                       Right: mean error of five methods, both axes logarithmic."
            .into();
        Ok(vec![Picture { name: "fig5", caption, figure }])
    }
}
