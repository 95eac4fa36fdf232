use std::sync::Arc;

use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use steinbound::domain::{Ball, BoundarySampling, Domain};
use steinbound::fit::DistanceKind;
use steinbound::model::Gaussian;
use steinbound::simulate::{self, tasks};
use steinbound::{Error, Estimator, Fit, Method};

use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions};
use crate::output::{Output, Table, duration};

/// The paper's ball example, simulated and fitted by every method: no files needed.
#[derive(Debug, Args)]
pub struct Demo {
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// The example: N((0.5, 0.5), I) seen only inside the disc of radius 2^0.53.
const TRUTH: [f64; 2] = [0.5, 0.5];
const POINTS: usize = 300;
const BOUNDARY_POINTS: usize = 32;
/// How many samples the mean error is taken over; the first of them is the one shown.
const SAMPLES: u64 = 64;

/// A method, what it is told of the disc, and how it measures distances.
const METHODS: [(Method, &str, Option<DistanceKind>); 7] = [
    (Method::Tksd, "32 boundary points", None),
    (Method::Bdksd, "exact distance", Some(DistanceKind::Exact)),
    (Method::Bdksd, "nearest of 32 points", Some(DistanceKind::Nearest)),
    (Method::Truncsm, "exact distance", Some(DistanceKind::Exact)),
    (Method::Truncsm, "nearest of 32 points", Some(DistanceKind::Nearest)),
    (Method::Ksd, "nothing", None),
    (Method::Mle, "nothing", None),
];

/// One simulated sample, fitted by every method.
struct Run {
    acceptance: f64,
    fits: Vec<Fit>,
}

impl Run {
    fn new(disc: &Arc<Ball>, model: &Gaussian, seed: u64) -> Result<Run, Error> {
        let rng = &mut simulate::stream(seed, tasks::DATA);
        let sample = simulate::truncated(model, &TRUTH, disc.as_ref(), POINTS, rng)?;
        let rng = &mut simulate::stream(seed, tasks::BOUNDARY);
        let boundary = disc.sample_boundary(&BoundarySampling::new(BOUNDARY_POINTS), rng)?;
        let fit = |(method, _, distance): &(Method, &str, Option<DistanceKind>)| {
            let mut estimator = Estimator::new(*method).boundary(boundary.clone()).domain(disc.clone());
            if let Some(distance) = distance {
                estimator = estimator.distance(*distance);
            }
            estimator.fit(&sample.points, model)
        };
        Ok(Run { acceptance: sample.acceptance(), fits: METHODS.iter().map(fit).collect::<Result<_, _>>()? })
    }

    fn error(&self, method: usize) -> f64 {
        let means = self.fits[method].estimates();
        (means[0] - TRUTH[0]).hypot(means[1] - TRUTH[1])
    }
}

impl Demo {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        let radius = 2f64.powf(0.53);
        let disc = Arc::new(Ball::new(radius).map_err(Error::from)?.in_dimension(2));
        let model = Gaussian::with_variance(2, 1.0).map_err(Error::from)?;
        let seed = self.general.seed;
        let shown = Run::new(&disc, &model, seed)?;
        let others = (1..SAMPLES).into_par_iter().map(|k| Run::new(&disc, &model, seed.wrapping_add(k)));
        let others: Vec<Run> = others.collect::<Result<_, _>>()?;
        let mean_error = |method: usize| {
            let sum: f64 = others.iter().map(|run| run.error(method)).sum();
            (shown.error(method) + sum) / SAMPLES as f64
        };

        if self.general.format == Format::Json {
            let row = |(k, (method, knows, _)): (usize, &(Method, &str, Option<DistanceKind>))| {
                let fit = &shown.fits[k];
                json!({
                    "method": method, "knows": knows, "estimate": fit.estimates(), "std_error": fit.std_errors(),
                    "error": shown.error(k), "mean_error": mean_error(k), "seconds": fit.seconds.total,
                })
            };
            output.json(&json!({
                "schema": "steinbound.demo/1", "truth": TRUTH, "radius": radius, "n": POINTS, "m": BOUNDARY_POINTS,
                "seed": seed, "samples": SAMPLES, "fits": METHODS.iter().enumerate().map(row).collect::<Vec<_>>(),
            }))?;
            return Ok(Verdict::Fine);
        }
        let mut table = Table::new(
            2,
            [
                "method",
                "knows of the disc",
                "mean[x1]",
                "std. error",
                "mean[x2]",
                "std. error",
                "error",
                "mean error",
                "time",
            ],
        );
        for (k, (method, knows, _)) in METHODS.iter().enumerate() {
            let fit = &shown.fits[k];
            let (means, errors) = (fit.estimates(), fit.std_errors());
            let three = |value: f64| format!("{value:.3}");
            table.row(vec![
                method.name().into(),
                (*knows).into(),
                three(means[0]),
                three(errors[0]),
                three(means[1]),
                three(errors[1]),
                three(shown.error(k)),
                three(mean_error(k)),
                duration(fit.seconds.total),
            ]);
        }
        let out = output.result();
        writeln!(
            out,
            "{POINTS} points of a normal distribution with mean (0.5, 0.5) and unit variances, seen only"
        )?;
        writeln!(out, "inside the disc of radius {radius:.3}; which mean do the methods recover?\n")?;
        table.print(out)?;
        let share = 100.0 * shown.acceptance;
        writeln!(
            out,
            "\nOf all points drawn, {share:.0}% were seen. ksd and mle ignore that, which pulls them towards the"
        )?;
        writeln!(
            out,
            "centre; the others correct for it. The mean error is over {SAMPLES} samples, this one the first."
        )?;
        Ok(Verdict::Fine)
    }
}
