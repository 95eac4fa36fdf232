use std::sync::Arc;

use clap::Args;
use serde_json::json;
use steinbound::domain::{Ball, BoundarySampling, Domain};
use steinbound::fit::DistanceKind;
use steinbound::model::Gaussian;
use steinbound::simulate::{self, tasks};
use steinbound::{Estimator, Method};

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

impl Demo {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        let radius = 2f64.powf(0.53);
        let disc = Arc::new(Ball::new(radius).map_err(steinbound::Error::from)?.in_dimension(2));
        let model = Gaussian::with_variance(2, 1.0).map_err(steinbound::Error::from)?;
        let seed = self.general.seed;
        let sample = simulate::truncated(
            &model,
            &TRUTH,
            disc.as_ref(),
            POINTS,
            &mut simulate::stream(seed, tasks::DATA),
        )?;
        let rng = &mut simulate::stream(seed, tasks::BOUNDARY);
        let boundary = disc.sample_boundary(&BoundarySampling::new(BOUNDARY_POINTS), rng);
        let boundary = boundary.map_err(steinbound::Error::from)?;

        let (exact, nearest) = (Some(DistanceKind::Exact), Some(DistanceKind::Nearest));
        let methods = [
            ("tksd", "32 boundary points", Method::Tksd, None),
            ("bdksd", "exact distance", Method::Bdksd, exact),
            ("bdksd", "nearest of 32 points", Method::Bdksd, nearest),
            ("truncsm", "exact distance", Method::Truncsm, exact),
            ("truncsm", "nearest of 32 points", Method::Truncsm, nearest),
            ("ksd", "nothing", Method::Ksd, None),
            ("mle", "nothing", Method::Mle, None),
        ];
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
                "time",
            ],
        );
        let mut rows = Vec::new();
        for (name, knows, method, distance) in methods {
            let mut estimator = Estimator::new(method).boundary(boundary.clone()).domain(disc.clone());
            if let Some(distance) = distance {
                estimator = estimator.distance(distance);
            }
            let fit = estimator.fit(&sample.points, &model)?;
            let (means, errors) = (fit.estimates(), fit.std_errors());
            let error = (means[0] - TRUTH[0]).hypot(means[1] - TRUTH[1]);
            let three = |value: f64| format!("{value:.3}");
            table.row(vec![
                name.into(),
                knows.into(),
                three(means[0]),
                three(errors[0]),
                three(means[1]),
                three(errors[1]),
                three(error),
                duration(fit.seconds.total),
            ]);
            rows.push(json!({
                "method": name, "knows": knows, "estimate": means, "std_error": errors, "error": error,
                "seconds": fit.seconds.total,
            }));
        }
        if self.general.format == Format::Json {
            output.json(&json!({
                "schema": "steinbound.demo/1", "truth": TRUTH, "radius": radius, "n": POINTS, "m": BOUNDARY_POINTS,
                "seed": seed, "fits": rows,
            }))?;
            return Ok(Verdict::Fine);
        }
        let out = output.result();
        writeln!(out, "{POINTS} points of a normal distribution with mean (0.5, 0.5) and unit variances,")?;
        writeln!(
            out,
            "seen only inside the disc of radius {radius:.3}; which mean do the methods recover?\n"
        )?;
        table.print(out)?;
        let share = 100.0 * sample.acceptance();
        writeln!(
            out,
            "\nOf all points drawn, {share:.0}% were seen. ksd and mle ignore the truncation, which pulls"
        )?;
        writeln!(out, "them towards the centre; the others correct for it. Another sample: --seed 1")?;
        Ok(Verdict::Fine)
    }
}
