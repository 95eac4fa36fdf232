use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use steinbound::domain::{BoundarySampling, Domain, Polygon, contiguous_united_states};
use steinbound::fit::DistanceKind;
use steinbound::model::Gaussian;
use steinbound::simulate::{self, tasks};
use steinbound::text::{Table, duration};
use steinbound::{Error, Estimator, Fit, Method, Points};
use steinbound_io::table::shown_path;
use steinbound_plot::{Color, Marker};
use steinbound_report::{Picture as Drawing, Report, Section};

use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions};
use crate::output::Output;
use crate::picture::{Mark, Picture};
use crate::pictures::{PictureOptions, typed_command, write_report};

/// Run the paper's example, simulated and fitted by every method; no files needed.
///
/// Points of a normal distribution in the south-west are seen only inside the border of the United States. The table tells which mean each method
/// recovers, and the map where.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help demo' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound demo
  steinbound demo --seed 7
  steinbound demo --plot map.svg
  steinbound demo --format json")]
pub struct Demo {
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// The example: N((-115, 35), 10 I) in degrees, seen only inside the border.
const TRUTH: [f64; 2] = [-115.0, 35.0];
const VARIANCE: f64 = 10.0;
const POINTS: usize = 400;
const BOUNDARY_POINTS: usize = 200;

/// Where the report is left unless told otherwise.
const REPORT: &str = "steinbound-demo.html";

/// How to read the table.
const READING: &str = "ksd and mle ignore that, which pulls them inland; the others correct for it.";

/// What the map shows.
const MAP: &str = "Points seen inside a border. The places of the estimated means are marked.";

/// A method, what it is told of the border, and how it measures distances.
const METHODS: [(Method, &str, Option<DistanceKind>); 8] = [
    (Method::TKSD, "200 points on it", None),
    (Method::BDKSD, "all of it", Some(DistanceKind::Exact)),
    (Method::BDKSD, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::TRUNCSM, "all of it", Some(DistanceKind::Exact)),
    (Method::TRUNCSM, "200 points on it", Some(DistanceKind::Nearest)),
    (Method::TRUNCATED_MLE, "all of it", None),
    (Method::KSD, "nothing", None),
    (Method::MLE, "nothing", None),
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

    /// The estimates of every method.
    fn table(&self) -> Table {
        let mut table = Table::new(
            2,
            ["method", "knows of the border", "lon", "std. error", "lat", "std. error", "error", "time"],
        );
        for (k, (method, knows, _)) in METHODS.iter().enumerate() {
            let fit = &self.fits[k];
            let (means, errors) = (fit.estimates(), fit.std_errors());
            let two = |value: f64| format!("{value:.2}");
            table.row(vec![
                method.name().into(),
                (*knows).into(),
                two(means[0]),
                two(errors[0]),
                two(means[1]),
                two(errors[1]),
                two(self.error(k)),
                duration(fit.seconds.total),
            ]);
        }
        table
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
        self.pictures.check()?;
        let border = Arc::new(contiguous_united_states().map_err(Error::from)?);
        let run = Run::new(&border, self.general.seed)?;
        let picture = || Drawing::new(run.picture(&border).figure(), MAP);
        self.pictures.plot(|| Ok(Some(picture())), output)?;
        let report = self.report(&run, picture(), output)?;
        match self.general.format {
            Format::Json => self.json(&run, report.as_deref(), output),
            Format::Table => self.table(&run, &border, report.as_deref(), output),
        }?;
        Ok(Verdict::Fine)
    }

    fn json(&self, run: &Run, report: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
        let row = |(k, (method, knows, _)): (usize, &(Method, &str, Option<DistanceKind>))| {
            let fit = &run.fits[k];
            json!({
                "method": method, "knows": knows, "distance": fit.setup.distance, "estimate": fit.estimates(),
                "std_error": fit.std_errors(), "error": run.error(k), "seconds": fit.seconds.total,
            })
        };
        output.json(&json!({
            "schema": "steinbound.demo/1", "truth": TRUTH, "variance": VARIANCE, "n": POINTS, "m": BOUNDARY_POINTS,
            "seed": self.general.seed, "acceptance": run.acceptance, "report": report.map(shown_path),
            "fits": METHODS.iter().enumerate().map(row).collect::<Vec<_>>(),
        }))
    }

    /// Leaves a report, beside the one that was asked for or in the current folder, and says where. Without room for it the demo goes on.
    fn report(&self, run: &Run, picture: Drawing, output: &Output) -> Result<Option<PathBuf>, Failure> {
        let share = 100.0 * run.acceptance;
        let report = Report::new("Which mean do the methods recover?")
            .fact("data", format!("{POINTS} points of a normal distribution about (-115, 35) with variance 10, seen only inside the contiguous United States"))
            .fact("seen", format!("{share:.0} % of all points drawn"))
            .fact("boundary points", BOUNDARY_POINTS.to_string())
            .fact("seed", self.general.seed.to_string())
            .section(Section::new("Estimates").table(&run.table()).text(format!("Of all points drawn, {share:.0} % were seen. {READING}")))
            .section(Section::new("Map").picture(picture))
            .command(typed_command());
        if let Some(path) = &self.pictures.report {
            write_report(path, &report)?;
            return Ok(Some(path.clone()));
        }
        match write_report(REPORT.as_ref(), &report) {
            Ok(()) => Ok(Some(PathBuf::from(REPORT))),
            Err(_) => {
                output.note("no report was left, because this folder cannot be written to; --report FILE.html puts it elsewhere");
                Ok(None)
            }
        }
    }

    fn table(
        &self,
        run: &Run,
        border: &Polygon,
        report: Option<&Path>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let table = run.table();
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
        writeln!(out, "\nOf all points drawn, {share:.0}% were seen. {READING}")?;
        if let Some(path) = report {
            writeln!(out, "The report is in {}; open it in a browser.", shown_path(path))?;
        }
        Ok(())
    }
}
