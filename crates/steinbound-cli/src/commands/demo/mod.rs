mod map;
mod run;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use steinbound::domain::{Polygon, contiguous_united_states};
use steinbound::fit::DistanceKind;
use steinbound::text::Document;
use steinbound::{Error, Method};
use steinbound_io::table::shown_path;
use steinbound_report::{Picture, Report, Section};

use run::{BOUNDARY_POINTS, METHODS, POINTS, Run, TRUTH, VARIANCE};

use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions};
use crate::output::Output;
use crate::pictures::{PictureOptions, typed_command, write_report};

/// Run the paper's example, simulated and fitted by every method; no files needed.
///
/// Points of a normal distribution in the south-west are seen only inside the border of the United States.
/// The table shows which mean each method recovers, and the map where it lies.
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

/// The report's file by default.
const REPORT: &str = "steinbound-demo.html";

/// How to read the table.
const READING: &str = "ksd and mle ignore that, which pulls them inland; the others correct for it.";

/// What the map shows.
const MAP: &str = "Points seen inside a border. The places of the estimated means are marked.";

impl Demo {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply(output)?;
        self.pictures.check()?;
        let border = Arc::new(contiguous_united_states().map_err(Error::from)?);
        let run = Run::new(&border, self.general.seed)?;
        let picture = || Picture::new(run.map(&border).figure(), MAP);
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

    /// Writes the report that was asked for, or else one into the current folder if that can be written to.
    /// Gives its path.
    fn report(&self, run: &Run, picture: Picture, output: &Output) -> Result<Option<PathBuf>, Failure> {
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
        let map = run.map(border);
        let lines = map.text(78);
        let mut legend = "o data".to_string();
        for mark in map.marks.iter().rev() {
            let is_hidden = !lines.iter().any(|line| line.contains(mark.letter));
            let place = if is_hidden { " (in the same place)" } else { "" };
            legend.push_str(&format!("   {} {}{place}", mark.letter, mark.label));
        }
        let share = 100.0 * run.acceptance;
        let mut document = Document::new()
            .line(format!(
                "{POINTS} points of a normal distribution about (-115, 35) with variance 10, seen only inside the"
            ))
            .line("contiguous United States; which mean do the methods recover?")
            .gap()
            .lines(lines)
            .line(legend)
            .gap()
            .table(run.table())
            .gap()
            .line(format!("Of all points drawn, {share:.0}% were seen. {READING}"));
        if let Some(path) = report {
            let path = shown_path(path);
            document = document.line(format!("The report is in {path}; open it in a browser."));
        }
        output.document(&document)
    }
}
