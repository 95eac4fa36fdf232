use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use serde::Serialize;
use steinbound::domain::Domain;
use steinbound::fit::Problem;
use steinbound::inference::sandwich::normal_quantile;
use steinbound::inference::{Diagnostics, GoodnessOfFit, Sensitivity, TestResult};
use steinbound::model::Model;
use steinbound::regression::{KernelOn, PreparedRegression, ResponseLimit};
use steinbound::text::{Table, estimate, percent};
use steinbound::{Error, Fit, FitError, Method};
use steinbound_io::{Design, Formula, Frame, FrameOptions, Limit, limit_values};

use steinbound_report::{Report, Scene, Section, pictures};

use super::test::result;
use crate::choices;
use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions, MethodOptions, RowOptions, number};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::progress::Bar;
use crate::questions::{Answers, QuestionOptions};
use crate::report;
use crate::resampling::BootstrapOptions;
use crate::summary;
use crate::tables::{TextOptions, read_named, without_options};
use crate::variants::{self, Tried, Wanted};

/// Fit a linear regression whose response is seen only between limits.
///
/// Rows whose response lies below --lower or above --upper never made it into the data, which biases ordinary least squares. Coefficients come with
/// standard errors, tests against zero and intervals, and belong to the untruncated response.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help regress' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound regress scores.csv --formula \"achiv ~ langscore + prog\" --lower 40
  steinbound regress scores.csv --lower 40 --method truncated-mle \\
      --formula \"achiv ~ langscore + C(prog, base=general)\"
  steinbound regress scores.csv --formula \"achiv ~ langscore + prog\" --lower 40 \\
      --hypothesis \"langscore = 1\"
  steinbound regress wages.csv --formula \"wage ~ age + age:school\" \\
      --lower floor --upper 100 --predict new.csv
  steinbound regress scores.csv --formula \"achiv ~ langscore\" --lower 40 \\
      --test --format json

Text columns are categorical; C(column) makes a numeric one so. a:b is an interaction, a*b both and their interaction, -1 leaves the intercept out.")]
pub struct Regress {
    /// The data, with a header: separated values, .parquet or points of a map.
    ///
    /// Text with separated values may be packed by gzip. Maps (.geojson, .json, .wkt, .shp) give the properties of their points as columns. A single
    /// dash means standard input.
    #[arg(help_heading = "Data", value_hint = ValueHint::FilePath, display_order = 0)]
    pub data: PathBuf,
    /// The response and the terms: "y ~ x1 + x2".
    #[arg(help_heading = "Model", long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,
    /// Responses below this number, or this column's value, are not seen.
    #[arg(help_heading = "Model", long, value_name = "V", allow_hyphen_values = true)]
    pub lower: Option<String>,
    /// Responses above this number, or this column's value, are not seen.
    #[arg(help_heading = "Model", long, value_name = "V", allow_hyphen_values = true)]
    pub upper: Option<String>,
    /// The standard deviation of the noise, where it is known [default: estimated].
    #[arg(help_heading = "Model", long, value_name = "V", value_parser = number, allow_hyphen_values = true)]
    pub known_sigma: Option<f64>,
    /// What the kernel looks at [default: product].
    #[arg(help_heading = "Method", long, value_name = "WHAT", value_parser = choices::kernel_on())]
    pub kernel_on: Option<KernelOn>,
    /// Predict the mean of the untruncated response for the rows of a file.
    #[arg(help_heading = "Inference", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predict: Option<PathBuf>,
    /// How many boundary points tksd uses [default: one for each row, at most 200].
    #[arg(help_heading = "Method", long, value_name = "M", allow_hyphen_values = true)]
    pub boundary_points: Option<usize>,
    #[command(flatten)]
    pub rows: RowOptions,
    #[command(flatten)]
    pub text: TextOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    /// The confidence level of intervals.
    #[arg(help_heading = "Inference", long, default_value = "0.95", value_name = "LEVEL", value_parser = number, allow_hyphen_values = true)]
    pub confidence: f64,
    /// Test whether the responses come from such a regression.
    ///
    /// At the level 0.05 with 500 draws, for tksd, bdksd and ksd.
    #[arg(long, help_heading = "Inference")]
    pub test: bool,
    /// Fit under other kernels, bandwidths and boundary points as well, and tell what changes.
    #[arg(long, help_heading = "Inference")]
    pub sensitivity: bool,
    #[command(flatten)]
    pub bootstrap: BootstrapOptions,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// A fit and what else is known of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    fit: &'a Fit,
    #[serde(flatten)]
    answers: &'a Answers,
    diagnostics: &'a Diagnostics,
    formula: &'a str,
    response: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a TestResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<&'a Sensitivity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<&'a [Prediction]>,
}

/// A predicted mean of the untruncated response.
#[derive(Debug, Serialize)]
struct Prediction {
    mean: f64,
    std_error: f64,
    lower: f64,
    upper: f64,
}

impl Regress {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        self.bootstrap.check(self.confidence, output)?;
        self.pictures.check()?;
        let ignores_limits = !self.method.method.uses().knows_boundary();
        if self.lower.is_none() && self.upper.is_none() && !ignores_limits {
            return Err(Failure::input(
                "no limit of the response is given; add --lower V or --upper V (a number or a column), or use --method mle for data that are not truncated",
            ));
        }
        let formula = Formula::parse(&self.formula)?;
        let frame = self.read(&formula, output)?;
        let design = formula.design(&frame)?;
        self.check_names(&design)?;
        let prepared = self.prepare(&frame, &design)?;
        self.note_unused(output);
        let questions = self.questions.read(&prepared.model.reported_names(prepared.points.names()))?;
        let mut estimator = self
            .method
            .estimator(self.general.seed)
            .allow_outside(self.rows.allow_outside)
            .confidence(self.confidence);
        if let Some(count) = self.boundary_points {
            estimator = estimator.boundary_points(count);
        }
        let estimator = prepared.estimator(&estimator);
        let explain = |error| self.explain(error, &frame, &prepared);
        let problem = self.method.problem(&estimator, &prepared.points, &prepared.model).map_err(explain)?;
        let place = |row: usize| format!("{} of {}", frame.place(row), frame.path());
        let found = summary::fitted(&problem, &self.bootstrap, place, output);
        let summary::Fitted { mut fit, diagnostics, seconds } = found.map_err(explain)?;
        let predictions = match &self.predict {
            Some(path) => Some(self.predictions(path, &design, &prepared, &fit, output)?),
            None => None,
        };
        let test = self.tested(&problem, &fit, output).map_err(explain)?;
        let wanted = Wanted::new(self.sensitivity, self.pictures.report.is_some());
        let (data, model) = (&prepared.points, &prepared.model);
        let tried = Tried::new(wanted, &estimator, &mut fit, seconds, data, model, output);
        let (answers, answered) = questions.answer(&mut fit)?;
        let (fit, verdict) = summary::finish(fit, self.method.verbose, output);
        let sensitivity = tried.asked(self.sensitivity);
        match self.general.format {
            Format::Json => output.json(&Printed {
                fit: &fit,
                answers: &answers,
                diagnostics: &diagnostics,
                formula: formula.text(),
                response: &design.response_name,
                test: test.as_ref(),
                sensitivity,
                predictions: predictions.as_deref(),
            })?,
            Format::Table => {
                write!(output.result(), "{fit}")?;
                variants::print_tuning(&fit, self.method.verbose, output)?;
                if let Some(found) = sensitivity {
                    variants::print_sensitivity(found, output)?;
                }
                answers.print(self.confidence, output)?;
                if let Some(found) = &test {
                    writeln!(output.result(), "\ntest of fit")?;
                    write!(output.result(), "{}", result(found))?;
                }
                if let Some(predictions) = &predictions {
                    let table = predictions_table(predictions, self.confidence);
                    write!(output.result(), "\npredicted mean of the untruncated response\n{table}")?;
                }
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let picture = || pictures::regression(&prepared, &fit);
        self.pictures.plot(|| Ok(picture()), output)?;
        let page = || -> Result<Report, Failure> {
            let title = format!(
                "{} fit of a truncated regression of {}",
                fit.setup.method.name(),
                design.response_name
            );
            let mut page = self.facts(report::of_fit(&title, &fit), frame.len());
            page = report::problem_facts(page, &problem, "regression", self.general.seed);
            page = page.section(report::estimates(&fit, &answers));
            page = page.section(Section::new("Responses").picture(picture()));
            if let Some(found) = &test {
                page = page.section(report::test_section(found));
            }
            if let Some(predictions) = &predictions {
                let table = predictions_table(predictions, self.confidence);
                page = page.section(Section::new("Predictions").table(&table));
            }
            let scene = Scene::of(&prepared.points, &prepared.model, &fit).boundary(problem.boundary());
            let scene = scene.domain(prepared.domain.as_deref().map(|domain| domain as &dyn Domain));
            page = page.section(report::boundary_section(&scene, &problem));
            Ok(page.section(report::sensitivity(&tried)).section(report::diagnostics(&diagnostics)))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(verdict.and(answered))
    }

    /// What was asked.
    fn facts(&self, mut page: Report, rows: usize) -> Report {
        page = page.fact("data", format!("{}: {rows} rows", self.data.display()));
        page = page.fact("formula", &self.formula);
        let limits = [("above", &self.lower), ("below", &self.upper)];
        let limits: Vec<String> =
            limits.iter().filter_map(|(side, limit)| Some(format!("{side} {}", limit.as_ref()?))).collect();
        let seen = if limits.is_empty() {
            "all responses".into()
        } else {
            format!("responses {}", limits.join(" and "))
        };
        page = page.fact("seen", seen);
        if let Some(sigma) = self.known_sigma {
            page = page.fact("known sigma", sigma.to_string());
        }
        for (what, column) in [("weights", &self.rows.weights), ("clusters", &self.rows.cluster)] {
            if let Some(column) = column {
                page = page.fact(what, format!("column {column}"));
            }
        }
        page
    }

    /// The rows of the data that have all that is used.
    fn read(&self, formula: &Formula, output: &Output) -> Result<Frame, Failure> {
        let options = FrameOptions { drop_missing: self.rows.drop_missing, format: self.text.format() };
        let frame = read_named(&self.data, &options, output)?;
        let mut used = formula.columns(&frame)?;
        for column in [&self.rows.weights, &self.rows.cluster].into_iter().flatten() {
            used.push(column.clone());
        }
        let is_column = |text: &&String| number(text).is_err();
        used.extend([&self.lower, &self.upper].into_iter().flatten().filter(is_column).cloned());
        let names: Vec<&str> = used.iter().map(String::as_str).collect();
        let kept = frame.complete_rows(&names)?;
        output.note_dropped(frame.len() - kept.len(), frame.path());
        let frame = frame.select(&kept);
        if self.method.verbose {
            output.note(&format!("read {} rows from {}", frame.len(), frame.path()));
        }
        Ok(frame)
    }

    /// Refuses names that would stand for two things.
    fn check_names(&self, design: &Design) -> Result<(), Failure> {
        for (option, limit) in [("--lower", &self.lower), ("--upper", &self.upper)] {
            if limit.as_ref() == Some(&design.response_name) {
                return Err(Failure::input(format!(
                    "{option} is the response itself, which then is never cut off; give its limit, a number or another column"
                )));
            }
        }
        Ok(())
    }

    fn prepare(&self, frame: &Frame, design: &Design) -> Result<PreparedRegression, Failure> {
        let mut regression = design.regression()?.kernel_on(self.kernel_on.unwrap_or_default());
        if let Some(sigma) = self.known_sigma {
            regression = regression.known_sigma(sigma);
        }
        let limit = |text: &String| -> Result<ResponseLimit, Failure> {
            Ok(match limit_values(frame, text)? {
                Limit::Constant(value) => ResponseLimit::Constant(value),
                Limit::Column { values, .. } => ResponseLimit::Each(values),
            })
        };
        if let Some(text) = &self.lower {
            regression = regression.lower(limit(text)?);
        }
        if let Some(text) = &self.upper {
            regression = regression.upper(limit(text)?);
        }
        let mut prepared = regression.build(self.general.seed)?;
        if let Some(column) = &self.rows.weights {
            prepared.points = prepared.points.with_weights(frame.weights(column)?).map_err(Error::from)?;
        }
        if let Some(column) = &self.rows.cluster {
            prepared.points = prepared.points.with_clusters(&frame.texts(column)?).map_err(Error::from)?;
        }
        Ok(prepared)
    }

    fn note_unused(&self, output: &Output) {
        let method = self.method.method;
        let is_nearest =
            method.has_distance() && self.method.distance == Some(steinbound::fit::DistanceKind::Nearest);
        self.method.note_unused(is_nearest, output);
        let others = [
            ("--kernel-on", self.kernel_on.is_some() && !method.has_kernel()),
            ("--boundary-points", self.boundary_points.is_some() && method != Method::TKSD && !is_nearest),
        ];
        for (option, unused) in others {
            if unused {
                output.note(&format!("{option} has no effect with --method {}", method.name()));
            }
        }
    }

    /// The test of goodness of fit, where it was asked for and the method has one.
    fn tested(&self, problem: &Problem, fit: &Fit, output: &Output) -> Result<Option<TestResult>, Error> {
        if !self.test {
            return Ok(None);
        }
        if !self.method.method.has_kernel() {
            output.note(&format!("--test has no effect with --method {}", self.method.method.name()));
            return Ok(None);
        }
        let bar = Bar::new("test", self.general.quiet);
        let tell = |done: usize, total: usize| bar.tell(done, total);
        let found = problem.test(fit, &GoodnessOfFit::new().progress(&tell))?;
        drop(bar);
        found.notes.iter().for_each(|note| output.note(note));
        Ok(Some(found))
    }

    /// An error of the library as the user sees it.
    fn explain(&self, error: Error, frame: &Frame, prepared: &PreparedRegression) -> Failure {
        let path = frame.path();
        match &error {
            Error::Fit(FitError::OutsideDomain { outside, rows, first, .. }) => {
                let (row, name) = (first - 1, &prepared.points.names()[0]);
                let value = prepared.points.row(row)[0];
                let side = if outside == rows { ": is the limit on the wrong side" } else { "" };
                Failure::input(format!(
                    "{path}, {}: the response {name} is {value}, outside its limits, as in {outside} of {rows} rows{side}; check --lower \
                     and --upper, remove such rows, or keep them with --allow-outside",
                    frame.place(row)
                ))
            }
            _ => Failure::input(format!("{path}: {error}")),
        }
    }

    fn predictions(
        &self,
        path: &Path,
        design: &Design,
        prepared: &PreparedRegression,
        fit: &Fit,
        output: &Output,
    ) -> Result<Vec<Prediction>, Failure> {
        let options = FrameOptions { drop_missing: self.rows.drop_missing, ..FrameOptions::default() };
        let frame = read_named(path, &options, output).map_err(without_options)?;
        let kept = frame.complete_rows(&design.columns()).map_err(without_options)?;
        output.note_dropped(frame.len() - kept.len(), frame.path());
        let covariates = design.covariates_of(&frame.select(&kept))?;
        let found = prepared.predict(fit, &covariates).ok_or_else(|| {
            Failure::input("the fit has no covariance, so that there is nothing to predict from")
        })?;
        let reach = normal_quantile(self.confidence);
        let prediction = |(mean, std_error): (f64, f64)| Prediction {
            mean,
            std_error,
            lower: mean - reach * std_error,
            upper: mean + reach * std_error,
        };
        Ok(found.into_iter().map(prediction).collect())
    }
}

fn predictions_table(predictions: &[Prediction], confidence: f64) -> Table {
    let level = percent(confidence);
    let (lower, upper) = (format!("{level}% lower"), format!("{level}% upper"));
    let mut table = Table::new(0, ["row", "mean", "std. error", &lower, &upper]);
    for (i, p) in predictions.iter().enumerate() {
        let shown = |value| estimate(Some(value), Some(p.std_error));
        table.row(vec![
            (i + 1).to_string(),
            shown(p.mean),
            shown(p.std_error),
            shown(p.lower),
            shown(p.upper),
        ]);
    }
    table
}
