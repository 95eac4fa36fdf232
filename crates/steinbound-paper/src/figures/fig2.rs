//! Figure 2: error and runtime as the dimension grows.

use std::sync::Arc;
use std::time::Instant;

use steinbound::domain::{Ball, BoundaryDistance, Norm};
use steinbound::{Error, Estimator, Points};
use steinbound_plot::{Axis, Color, Entry, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::comparison::Published;
use crate::draw;
use crate::error::PaperError;
use crate::methods::{
    BDKSD, BDKSD_NEAREST, EFFICIENT, LIKELIHOOD, TKSD, TRUNCSM, TRUNCSM_NEAREST, legend, style,
};
use crate::results::{Results, Setting};
use crate::settings::{SharedLikelihood, Truncation};
use crate::study::{Cell, Measured, Study, Trial};

/// Six estimators, and the likelihood, in balls of 2 to 12 dimensions.
pub struct Dimensions;

const OBSERVATIONS: usize = 300;
const DIMENSIONS: [usize; 6] = [2, 4, 6, 8, 10, 12];
const METHODS: [&str; 6] = [TKSD, TRUNCSM, TRUNCSM_NEAREST, BDKSD, BDKSD_NEAREST, LIKELIHOOD];

/// The methods in the order of the legend.
const SHOWN: [&str; 7] = [TKSD, EFFICIENT, TRUNCSM, TRUNCSM_NEAREST, BDKSD, BDKSD_NEAREST, LIKELIHOOD];

/// The number of samples for efficient estimation, the first of those for the other methods: in more than two
/// dimensions its fits take longer than those of all others together.
const EFFICIENT_TRIALS: usize = 64;

/// The number of draws over which the likelihood integrates in more than two dimensions, made once for all
/// trials.
const DRAWS: usize = 20_000;

/// Distances to the boundary of the l1 ball by its formula, and by enumeration of all facets.
const FORMULA: &str = "formula";
const FACETS: &str = "all facets";

/// Seconds of the public code's TKSD in the l2 ball, measured once on two cores.
const PUBLIC_SECONDS: [f64; 6] = [0.021, 0.031, 0.064, 0.139, 0.311, 0.719];

fn truncation(ball: &str, dimension: usize) -> Result<Truncation, Error> {
    match ball {
        "l2" => Truncation::round(dimension),
        _ => Truncation::ball(Norm::One, dimension as f64, dimension),
    }
}

/// The study in which a method is measured.
fn study_of(method: &str) -> &'static str {
    if method == EFFICIENT { "fig2_efficient" } else { "fig2" }
}

fn data(ball: &Truncation, name: &str, dimension: usize, trial: &Trial) -> Result<Points<'static>, Error> {
    ball.sample(OBSERVATIONS, &mut trial.stream(&format!("fig2 data {name} {dimension}")))
}

fn efficient(name: &'static str, dimension: usize) -> Result<Cell, Error> {
    let ball = truncation(name, dimension)?;
    Ok(Cell::new([name.to_string(), dimension.to_string()], &[EFFICIENT], move |trial| {
        let data = data(&ball, name, dimension, trial)?;
        let fit = || ball.fit(ball.with_domain(Estimator::efficient()), &data);
        Ok(vec![Measured::error(fit, &ball.truth)])
    }))
}

fn trial_of(name: &'static str, dimension: usize) -> Result<Cell, Error> {
    let ball = truncation(name, dimension)?;
    let shared = SharedLikelihood::new(DRAWS, format!("fig2 draws {name} {dimension}"));
    Ok(Cell::new([name.to_string(), dimension.to_string()], &METHODS, move |trial| {
        let data = data(&ball, name, dimension, trial)?;
        let edge = ball.edge(
            8 * dimension * dimension,
            &mut trial.stream(&format!("fig2 boundary {name} {dimension}")),
        )?;
        let likelihood = match dimension {
            2 => ball.with_domain(Estimator::truncated_mle()),
            _ => shared.estimator(&ball, trial),
        };
        let fit = |estimator: Estimator| Measured::error(|| ball.fit(estimator, &data), &ball.truth);
        let nearest = |estimator: Estimator| fit(estimator.boundary(edge.clone()));
        Ok(vec![
            nearest(Estimator::tksd()),
            fit(ball.with_domain(Estimator::truncsm())),
            nearest(Estimator::truncsm()),
            fit(ball.with_domain(Estimator::bdksd())),
            nearest(Estimator::bdksd()),
            fit(likelihood),
        ])
    }))
}

/// The Euclidean distances to the boundary of the l1 ball: the smallest of the distances to its `2^d` facets.
fn by_facets(points: &Points, radius: f64) -> Vec<f64> {
    let dimension = points.dimension();
    let to_facet = |x: &[f64], facet: u32| {
        let along: f64 = x.iter().enumerate().map(|(l, v)| if facet >> l & 1 == 1 { -v } else { *v }).sum();
        (radius - along).abs() / (dimension as f64).sqrt()
    };
    let least =
        |x: &[f64]| (0..1u32 << dimension).map(|facet| to_facet(x, facet)).fold(f64::INFINITY, f64::min);
    points.rows().map(least).collect()
}

/// The two computations of distances in the l1 ball, on the data of the benchmark.
fn distances(dimension: usize) -> Result<Cell, Error> {
    let (ball, radius) = (truncation("l1", dimension)?, dimension as f64);
    let euclidean = Ball::new(radius)?.with_norm(Norm::One).in_dimension(dimension).with_euclidean_distance();
    let exact = BoundaryDistance::exact(Arc::new(euclidean));
    Ok(Cell::new([dimension], &[FORMULA, FACETS], move |trial| {
        let data = data(&ball, "l1", dimension, trial)?;
        let started = Instant::now();
        let (formula, _) = exact.at(&data)?;
        let by_formula = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let facets = by_facets(&data, radius);
        let by_facets = started.elapsed().as_secs_f64();
        let (_, difference) = draw::range(formula.iter().zip(&facets).map(|(a, b)| (a - b).abs()));
        let timed = |seconds: f64| Measured { values: vec![difference], seconds };
        Ok(vec![timed(by_formula), timed(by_facets)])
    }))
}

impl Figure for Dimensions {
    fn name(&self) -> &'static str {
        "fig2"
    }

    fn title(&self) -> &'static str {
        "error and runtime as the dimension grows"
    }

    fn setting(&self) -> &'static str {
        "300 points of N((0.5, .., 0.5), I) in d dimensions, seen only inside the l2 ball of radius d^0.53 or the l1 ball of radius d; the mean \
         is sought. TKSD and the methods with nearest points see the same 8 d^2 random points on the boundary."
    }

    fn departures(&self) -> &'static str {
        "The text swaps the radii of the two balls; these are the public code's. Its exact methods go through all 2^d facets of the l1 ball to find a \
         distance, which is where their published runtime comes from. The distance is (r - |x|_1) / sqrt(d): both are timed here. \
         Efficient Stein estimation is added: it is given the ball and places its boundary points itself, and because of its time it is run on the first 64 samples only. \
         The truncated likelihood is added; beyond two dimensions it integrates over 20,000 draws made once for all trials, which shifts all its \
         estimates by about an eighth of a sample's standard error, and its time is not shown. Each fit runs on one thread and includes standard errors, which the public code does not have."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let both = |cell: fn(&'static str, usize) -> Result<Cell, Error>| {
            ["l2", "l1"].into_iter().flat_map(|ball| DIMENSIONS.map(|d| cell(ball, d))).collect()
        };
        let study = |name, trials, cells: Result<_, Error>| -> Result<Study, Error> {
            let (labels, quantities) = (&["ball", "d"], &["error"]);
            Ok(Study { name, labels, quantities, trials, is_timed: true, cells: cells? })
        };
        Ok(vec![
            study("fig2", 256, both(trial_of))?,
            study("fig2_efficient", EFFICIENT_TRIALS, both(efficient))?,
            Study {
                name: "fig2_distance",
                labels: &["d"],
                quantities: &["largest_difference"],
                trials: 64,
                is_timed: true,
                cells: DIMENSIONS.into_iter().map(distances).collect::<Result<_, _>>()?,
            },
        ])
    }

    fn published(&self) -> Vec<Published> {
        const ORDER: [&str; 5] = [TRUNCSM, TRUNCSM_NEAREST, BDKSD, BDKSD_NEAREST, TKSD];
        let round = ROUND.into_iter().flat_map(|(setting, means)| {
            ORDER.into_iter().zip(means).map(move |(method, (mean, std_error))| Published {
                std_error: Some(std_error),
                ..Published::error("fig2", setting, method, mean, 64)
            })
        });
        let diamond = DIAMOND.into_iter().flat_map(|(setting, means, std_error)| {
            ORDER.into_iter().zip(means).map(move |(method, mean)| Published {
                std_error: (method == TKSD).then_some(std_error),
                ..Published::error("fig2", setting, method, mean, 16)
            })
        });
        round.chain(diamond).collect()
    }

    fn pictures(&self, results: &Results, _seed: u64) -> Result<Vec<Picture>, PaperError> {
        let titles = [("l2", "ℓ₂ ball of radius d^0.53"), ("l1", "ℓ₁ ball of radius d")];
        let ticks = || DIMENSIONS.map(|d| d as f64).to_vec();
        let errors = titles.map(|(ball, title)| {
            let axes = (Axis::linear("dimension d").ticks(ticks()), Axis::linear("mean error").from_zero());
            SHOWN.into_iter().rev().fold(Panel::new(axes.0, axes.1).title(title), |panel, method| {
                let means = results.means(study_of(method), &[("ball", ball)], "d", method, "error");
                draw::means(panel, &means, style(method))
            })
        });
        let timed = &SHOWN[..6];
        let public = Style::new(Color::GREY).marker(Marker::Plus).dotted();
        let facets = Style::new(Color::PURPLE).marker(Marker::Cross).dashed();
        let times = titles.map(|(ball, title)| {
            let axes =
                (Axis::linear("dimension d").ticks(ticks()), Axis::log("median seconds").range(2e-6, 10.0));
            let mut panel =
                timed.iter().rev().fold(Panel::new(axes.0, axes.1).title(title), |panel, method| {
                    panel.line(results.times(study_of(method), &[("ball", ball)], "d", method), style(method))
                });
            if ball == "l2" {
                let seconds = ticks().into_iter().zip(PUBLIC_SECONDS).collect();
                panel = panel.line(seconds, public.clone());
            } else {
                panel = panel.line(results.times("fig2_distance", &[], "d", FACETS), facets.clone());
            }
            panel
        });
        let mut entries = legend(timed);
        entries.push(Entry::line("TKSD, public code", public));
        entries.push(Entry::line("distances alone, by all 2^d facets", facets));
        let draw = |panels: [Panel; 2]| steinbound_plot::Figure::new(720.0).row(300.0, panels.into());
        Ok(vec![
            Picture {
                name: "fig2",
                caption: format!(
                    "Mean error of the estimated mean against the dimension; that of efficient Stein estimation over \
                     {EFFICIENT_TRIALS} of the samples at most."
                ),
                figure: draw(errors).legend(legend(&SHOWN)),
            },
            Picture {
                name: "fig2_time",
                caption: "Median time of a fit with its standard errors, on one thread. The public code's is a fit without standard errors, as measured once \
                          on two cores."
                    .into(),
                figure: draw(times).legend(entries),
            },
        ])
    }
}

/// Means and standard errors of the public code, 64 trials: TruncSM exact and nearest, bd-KSD exact and
/// nearest, TKSD.
const ROUND: [(Setting<'static>, [(f64, f64); 5]); 6] = [
    (
        &[("ball", "l2"), ("d", "2")],
        [(0.119, 0.008), (0.144, 0.011), (0.129, 0.009), (0.137, 0.010), (0.120, 0.008)],
    ),
    (
        &[("ball", "l2"), ("d", "4")],
        [(0.161, 0.007), (0.347, 0.008), (0.171, 0.007), (0.312, 0.009), (0.159, 0.007)],
    ),
    (
        &[("ball", "l2"), ("d", "6")],
        [(0.201, 0.006), (0.443, 0.006), (0.210, 0.007), (0.412, 0.007), (0.199, 0.006)],
    ),
    (
        &[("ball", "l2"), ("d", "8")],
        [(0.218, 0.007), (0.489, 0.005), (0.226, 0.007), (0.462, 0.005), (0.215, 0.006)],
    ),
    (
        &[("ball", "l2"), ("d", "10")],
        [(0.247, 0.008), (0.508, 0.006), (0.255, 0.008), (0.484, 0.006), (0.241, 0.007)],
    ),
    (
        &[("ball", "l2"), ("d", "12")],
        [(0.262, 0.006), (0.515, 0.005), (0.271, 0.007), (0.493, 0.005), (0.255, 0.006)],
    ),
];

/// The same in the l1 ball, 16 trials; the standard error is known only for TKSD.
const DIAMOND: [(Setting<'static>, [f64; 5], f64); 4] = [
    (&[("ball", "l1"), ("d", "2")], [0.123, 0.156, 0.135, 0.148, 0.099], 0.016),
    (&[("ball", "l1"), ("d", "4")], [0.158, 0.271, 0.170, 0.243, 0.167], 0.015),
    (&[("ball", "l1"), ("d", "6")], [0.201, 0.316, 0.207, 0.295, 0.185], 0.012),
    (&[("ball", "l1"), ("d", "8")], [0.220, 0.336, 0.224, 0.319, 0.207], 0.013),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_is_the_least_distance_to_all_facets() {
        for dimension in [2, 5] {
            let cell = distances(dimension).unwrap();
            let measured = cell.run(&Trial { seed: 1, number: 0 }, 1);
            assert!(measured[0].values[0] < 1e-12, "{measured:?}");
        }
    }
}
