use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueHint};
use serde_json::json;
use steinbound::text::{Document, Table, duration};
use steinbound_io::remedy;
use steinbound_io::table::shown_path;
use steinbound_paper::{Agreement, Compared, FEWEST, LIMIT, PaperError, Reproduction, figures};

use crate::arguments::Suggestion;
use crate::failure::{Failure, Verdict};
use crate::interrupt;
use crate::options::{Format, GeneralOptions};
use crate::output::Output;
use crate::progress::Bar;

/// Run the paper's experiments again, and set them beside the published values.
///
/// The folder gets an index.html to open, and for each figure its trials as .csv and the picture as .svg and
/// .png. The same seed gives the same tables; times are in files of their own, *_time.csv. It can be
/// interrupted at any moment: finished trials are kept, and --resume goes on with them.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help reproduce' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound reproduce list
  steinbound reproduce fig10 --trials 8                 # a quick look at one figure
  steinbound reproduce all --trials 8 --output quick    # at all of them, half a minute
  steinbound reproduce all --output paper               # all trials
  steinbound reproduce all --output paper --resume      # go on after an interruption")]
pub struct Reproduce {
    /// Figures by name (`list` shows them), or `all`.
    #[arg(help_heading = "Experiments", required = true, value_name = "FIGURE", value_parser = figure_names(), display_order = 0)]
    pub figures: Vec<String>,
    /// Trials of each experiment, from 2 to 10,000 [default: as in the paper].
    #[arg(help_heading = "Experiments", long, value_name = "N", allow_hyphen_values = true)]
    pub trials: Option<usize>,
    /// The folder for the results, which must be empty or new.
    #[arg(help_heading = "Output", long, value_name = "DIR", default_value = "reproduction", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// Go on with what was begun in the folder with the same settings.
    #[arg(long, help_heading = "Output")]
    pub resume: bool,
    #[command(flatten)]
    pub general: GeneralOptions,
}

fn figure_names() -> Suggestion {
    let figures = figures::all().into_iter().map(|figure| (figure.name(), figure.title()));
    let words = [("list", "what there is"), ("all", "every figure")];
    Suggestion(words.into_iter().chain(figures).collect())
}

impl Reproduce {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply(output)?;
        if self.figures.iter().any(|name| name == "list") {
            if self.figures.len() > 1 {
                return Err(Failure::input(
                    "`list` stands alone; leave out the other names, or leave out `list`",
                ));
            }
            return self.list(output);
        }
        let mut reproduction = Reproduction::new(&self.figures)?.seed(self.general.seed);
        if let Some(trials) = self.trials {
            reproduction = reproduction.trials(trials)?;
        }
        interrupt::keeps(format!(
            "finished trials are kept in {}; the same command with --resume goes on with them",
            shown_path(&self.output)
        ));
        let started = Instant::now();
        let bar = Bar::new("reproduce", output.is_quiet());
        let report = reproduction.run(&self.output, self.resume, &|done, total| bar.step(done, total))?;
        drop(bar);
        let page = self.output.join("index.html");
        let beyond: Vec<&Compared> = report.compared.iter().filter(|row| row.is_beyond()).collect();
        let Agreement { judged, beyond: missed } = report.agreement;
        let seconds = started.elapsed().as_secs_f64();
        let (failed, measured) = report.failed;
        match self.general.format {
            Format::Json => output.json(&json!({
                "schema": "steinbound.reproduce/1",
                "page": page.display().to_string(),
                "files": report.files,
                "measured": measured,
                "failed": failed,
                "comparison": report.compared,
                "agreement": report.agreement,
                "seconds": {"total": seconds},
            }))?,
            Format::Table => {
                let time = duration(seconds);
                let mut document = Document::new()
                    .line(format!("{measured} measurements, {failed} without a result, in {time}"));
                if judged > 0 {
                    document = document.line(format!(
                        "{missed} of {judged} published means lie beyond {LIMIT} combined standard errors"
                    ));
                } else if !report.compared.is_empty() {
                    document = document.line(format!(
                        "published means are shown but not judged: that takes {FEWEST} trials"
                    ));
                }
                if !beyond.is_empty() {
                    document = document.gap().table(table(&beyond)).gap();
                }
                output.document(&document.line(format!("open {}", shown_path(&page))))?;
            }
        }
        Ok(Verdict::Fine)
    }

    fn list(&self, output: &mut Output) -> Result<Verdict, Failure> {
        let mut rows = Vec::new();
        for figure in figures::all() {
            let trials = figure.studies()?.iter().map(|study| study.trials).max().unwrap_or(1);
            rows.push((figure.name(), trials, figure.title()));
        }
        if self.general.format == Format::Json {
            let row = |(name, trials, title): &(&str, usize, &str)| json!({"name": name, "trials": trials, "title": title});
            output.json(&json!({"schema": "steinbound.figures/1", "figures": rows.iter().map(row).collect::<Vec<_>>()}))?;
            return Ok(Verdict::Fine);
        }
        let width = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        for (name, trials, title) in rows {
            let trials = if trials > 1 { format!(" ({trials} trials)") } else { String::new() };
            writeln!(output.result(), "{name:width$}  {title}{trials}")?;
        }
        Ok(Verdict::Fine)
    }
}

/// Means that do not agree with the published ones.
fn table(rows: &[&Compared]) -> Table {
    let mut table =
        Table::new(4, ["figure", "setting", "method", "quantity", "ours", "published", "difference"]);
    for row in rows {
        table.row(vec![
            row.figure.clone(),
            row.setting.clone(),
            row.method.clone(),
            row.quantity.clone(),
            format!("{:.3}", row.ours),
            format!("{:.3}", row.published),
            format!("{:+.1}", row.difference),
        ]);
    }
    table
}

impl From<PaperError> for Failure {
    fn from(error: PaperError) -> Failure {
        match &error {
            PaperError::Io(error) => error.clone().into(),
            PaperError::Full { .. } | PaperError::Interrupted | PaperError::Plot(_) | PaperError::Page(_) => {
                Failure::Other(error.to_string())
            }
            PaperError::Unusable { reason, .. } if remedy(reason).is_some() => {
                Failure::Other(error.to_string())
            }
            _ => Failure::Input(error.to_string()),
        }
    }
}
