use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use steinbound::domain::{BoundarySampling, Domain, Polygon, contiguous_united_states};
use steinbound::fit::DistanceKind;
use steinbound::model::Gaussian;
use steinbound::simulate::{self, tasks};
use steinbound::text::{Table, duration};
use steinbound::{Error, Estimator, Fit, Method, Points};
use steinbound_plot::{Color, Marker};

use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions};
use crate::output::Output;
use crate::picture::{Mark, Picture};
use crate::plot::PlotFormat;

/// The paper's example, simulated and fitted by every method: points inside the border of the United States. No files needed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steinbound demo
  steinbound demo --seed 7 --plot map.svg")]
pub struct Demo {
    /// Draw the map into an .svg or .png file.
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// The example: N((-115, 35), 10 I) in degrees, seen only inside the border.
const TRUTH: [f64; 2] = [-115.0, 35.0];
const VARIANCE: f64 = 10.0;
const POINTS: usize = 400;
const BOUNDARY_POINTS: usize = 200;

/// A method, what it is told of the border, and how it measures distances.
const METHODS: [(Method, &str, Option<DistanceKind>); 8] = [
    (Method::Tksd, "200 points on it", None),
    (Method::Bdksd, "all of it", Some(DistanceKind::Exact)),
    (Method::Bdksd, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::Truncsm, "all of it", Some(DistanceKind::Exact)),
    (Method::Truncsm, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::TruncatedMle, "all of it", None),
    (Method::Ksd, "nothing", None),
    (Method::Mle, "nothing", None),
];

/// The simulated sample, fitted by every method.
struct Run {
    points: Points<'static>,
    boundary: Points<'static>,
    acceptance: f64,
    fits: Vec<Fit>,
}

impl Run {
    fn new(border: &Arc<Polygon>, seed: u64) -> Result<Run, Error> {
        let model = Gaussian::with_variance(2, VARIANCE)?;
        let rng = &mut simulate::stream(seed, tasks::DATA);
        let sample = simulate::truncated(&model, &TRUTH, border.as_ref(), POINTS, rng)?;
        let rng = &mut simulate::stream(seed, tasks::BOUNDARY);
        let boundary = border.sample_boundary(&BoundarySampling::new(BOUNDARY_POINTS), rng)?;
        let fit = |(method, _, distance): &(Method, &str, Option<DistanceKind>)| {
            let mut estimator = Estimator::new(*method).boundary(boundary.clone()).domain(border.clone());
            if let Some(distance) = distance {
                estimator = estimator.distance(*distance);
            }
            estimator.fit(&sample.points, &model)
        };
        let fits = METHODS.iter().map(fit).collect::<Result<_, _>>()?;
        Ok(Run { acceptance: sample.acceptance(), points: sample.points, boundary, fits })
    }

    /// How far an estimate is from the truth.
    fn error(&self, method: usize) -> f64 {
        let means = self.fits[method].estimates();
        (means[0] - TRUTH[0]).hypot(means[1] - TRUTH[1])
    }

    fn picture<'a>(&'a self, border: &'a Polygon) -> Picture<'a> {
        let place = |k: usize| {
            let means = self.fits[k].estimates();
            [means[0], means[1]]
        };
        let marks = vec![
            Mark {
                letter: 'M',
                label: "mle: ignores the border",
                color: Color::VERMILLION,
                marker: Marker::Square,
                place: place(METHODS.len() - 1),
            },
            Mark { letter: 'T', label: "tksd", color: Color::BLUE, marker: Marker::Circle, place: place(0) },
            Mark { letter: 'X', label: "truth", color: Color::BLACK, marker: Marker::Cross, place: TRUTH },
        ];
        Picture { border, points: &self.points, boundary: &self.boundary, marks }
    }
}

impl Demo {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        let format = self.plot.as_deref().map(PlotFormat::of).transpose()?;
        let border = Arc::new(contiguous_united_states().map_err(Error::from)?);
        let run = Run::new(&border, self.general.seed)?;
        if let (Some(path), Some(format)) = (&self.plot, format) {
            format.write(path, &run.picture(&border).figure())?;
        }
        match self.general.format {
            Format::Json => self.json(&run, output),
            Format::Table => self.table(&run, &border, output),
        }?;
        Ok(Verdict::Fine)
    }

    fn json(&self, run: &Run, output: &mut Output) -> Result<(), Failure> {
        let row = |(k, (method, knows, _)): (usize, &(Method, &str, Option<DistanceKind>))| {
            let fit = &run.fits[k];
            json!({
                "method": method, "knows": knows, "distance": fit.distance, "estimate": fit.estimates(),
                "std_error": fit.std_errors(), "error": run.error(k), "seconds": fit.seconds.total,
            })
        };
        output.json(&json!({
            "schema": "steinbound.demo/1", "truth": TRUTH, "variance": VARIANCE, "n": POINTS, "m": BOUNDARY_POINTS,
            "seed": self.general.seed, "acceptance": run.acceptance,
            "fits": METHODS.iter().enumerate().map(row).collect::<Vec<_>>(),
        }))
    }

    fn table(&self, run: &Run, border: &Polygon, output: &mut Output) -> Result<(), Failure> {
        let mut table = Table::new(
            2,
            ["method", "knows of the border", "lon", "std. error", "lat", "std. error", "error", "time"],
        );
        for (k, (method, knows, _)) in METHODS.iter().enumerate() {
            let fit = &run.fits[k];
            let (means, errors) = (fit.estimates(), fit.std_errors());
            let two = |value: f64| format!("{value:.2}");
            table.row(vec![
                method.name().into(),
                (*knows).into(),
                two(means[0]),
                two(errors[0]),
                two(means[1]),
                two(errors[1]),
                two(run.error(k)),
                duration(fit.seconds.total),
            ]);
        }
        let out = output.result();
        writeln!(
            out,
            "{POINTS} points of a normal distribution about (-115, 35) with variance 10, seen only inside the"
        )?;
        writeln!(out, "contiguous United States; which mean do the methods recover?\n")?;
        let picture = run.picture(border);
        let lines = picture.text(78);
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        let mut legend = "o data".to_string();
        for mark in picture.marks.iter().rev() {
            let is_hidden = !lines.iter().any(|line| line.contains(mark.letter));
            let place = if is_hidden { " (in the same place)" } else { "" };
            legend.push_str(&format!("   {} {}{place}", mark.letter, mark.label));
        }
        writeln!(out, "{legend}\n")?;
        write!(out, "{table}")?;
        let share = 100.0 * run.acceptance;
        writeln!(
            out,
            "\nOf all points drawn, {share:.0}% were seen. ksd and mle ignore that, which pulls them inland; the others correct for it."
        )?;
        if let Some(path) = &self.plot {
            writeln!(out, "The map was drawn into {}.", path.display())?;
        }
        Ok(())
    }
}
