use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use steinbound_io::{Formula, Frame, FrameOptions};
use steinbound_report::{Report, pictures};
use steinbound_request::sensitivity::SensitivityWanted;
use steinbound_request::{
    Column, Inference, Labels, RegressionCase, RegressionRequest, Situation, options, tables,
};

use crate::arguments::{Bootstrapping, Confidence, Given, Regression};
use crate::failure::{Failure, Verdict};
use crate::options::{Format, GeneralOptions, MethodOptions, RowOptions, TableOptions, WORDING, together};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::questions::QuestionOptions;
use crate::summary;
use crate::tables::{TextOptions, read_named, without_options};
use crate::time_limit;

/// Fit a linear regression whose response is seen only between limits.
///
/// Rows whose response lies below --lower or above --upper never made it into the data, which biases ordinary
/// least squares. Coefficients come with standard errors, tests against zero and intervals, and belong to the
/// untruncated response.
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
  steinbound regress scores.csv --formula \"achiv ~ langscore\" --upper 76 --censored --effects

Text columns are categorical; C(column) makes a numeric one so. a:b is an interaction, a*b both and their interaction, -1 leaves the intercept out. log(x + 1), I(x^2), poly(x, 2), bs(x, df=5) and scale(x) derive columns, and the response may be log(y): limits stay in units of y.")]
pub struct Regress {
    /// The data, with a header: separated values, .parquet or points of a map.
    ///
    /// Text with separated values may be packed by gzip. Maps (.geojson, .json, .wkt, .shp) give the
    /// properties of their points as columns. A single dash means standard input.
    #[arg(help_heading = "Data", value_hint = ValueHint::FilePath, display_order = 0)]
    pub data: PathBuf,
    /// The response and the terms: "y ~ x1 + x2".
    #[arg(help_heading = "Model", long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,
    /// Responses below this number, or this column's value, are not seen (or censored: --censored).
    #[arg(help_heading = "Model", long, value_name = "V", allow_hyphen_values = true)]
    pub lower: Option<String>,
    /// Responses above this number, or this column's value, are not seen (or censored: --censored).
    #[arg(help_heading = "Model", long, value_name = "V", allow_hyphen_values = true)]
    pub upper: Option<String>,
    #[command(flatten)]
    pub regression: Given<Regression>,
    /// Predict the mean of the untruncated response for the rows of a file.
    #[arg(help_heading = "Inference", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predict: Option<PathBuf>,
    /// Average marginal effects of the variables on what is expected of the response.
    ///
    /// Before truncation and censoring, among those between the limits, and with --censored on what is recorded and on the
    /// probability of not being censored. Categorical variables step from their base.
    #[arg(help_heading = "Inference", long)]
    pub effects: bool,
    #[command(flatten)]
    pub rows: RowOptions,
    #[command(flatten)]
    pub text: TextOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub confidence: Given<Confidence>,
    /// Test whether the responses come from such a regression.
    ///
    /// At the level 0.05 with 500 draws. Likelihoods are tested by the discrepancy of tksd or, where they ignore the
    /// limits, of ksd, with data drawn from the fit.
    #[arg(long, help_heading = "Inference")]
    pub test: bool,
    /// Fit under other kernels, bandwidths and boundary points, and show what changes.
    #[arg(long, help_heading = "Inference")]
    pub sensitivity: bool,
    #[command(flatten)]
    pub bootstrap: Given<Bootstrapping>,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Regress {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply(output)?;
        let (general, method) = (&self.general, &self.method);
        let given =
            [&*method.given, &*self.rows.outside, &*self.regression, &*self.confidence, &*self.bootstrap];
        let given = together(general, given);
        given.check_bootstrap(WORDING)?;
        let limits = [self.lower.is_some(), self.upper.is_some()];
        let asked = Some(method.method).filter(|_| method.is_given.0);
        let chosen = RegressionRequest::chosen_method(asked, given.censored(), limits, WORDING)?;
        let situation = Situation::new(chosen, &given, WORDING).regression();
        situation.bootstrap_notes().iter().for_each(|note| output.note(note));
        self.pictures.check()?;
        RegressionRequest::check_limits(limits.contains(&true), chosen, WORDING)?;
        let formula = Formula::parse(&self.formula)?;
        let frame = self.read(output)?;
        let (rows, path) = (frame.len(), frame.path().to_string());
        let mut request = RegressionRequest::new(formula, frame, chosen);
        request.lower = self.lower.clone().map(Column::Text);
        request.upper = self.upper.clone().map(Column::Text);
        request.weights = self.rows.weights.clone().map(Column::Text);
        request.clusters = self.rows.cluster.clone().map(Labels::Column);
        request.options = given.clone();
        request.wording = WORDING;
        request.notes().iter().for_each(|note| output.note(note));
        request.interrupt = time_limit::interrupt();
        let regression = request.prepare()?;
        output.note_dropped(rows - regression.rows.len() - regression.outside.dropped, &path);
        regression.notes.iter().for_each(|note| output.note(note));
        if method.verbose {
            output.note(&format!("read {} rows from {path}", regression.rows.len()));
        }
        let notes = situation.notes(&options::METHOD_SETTINGS).into_iter();
        let notes = notes.chain(situation.notes(&options::REGRESSION));
        notes.for_each(|note| output.note(&note));
        let case = regression.case();
        let mut wanted = Inference::default();
        wanted.questions = self.questions.read(&case.parameter_names())?;
        wanted.sensitivity = SensitivityWanted::new(self.sensitivity, self.pictures.report.is_some());
        wanted.is_tested = self.test;
        let others =
            self.predict.as_ref().map(|path| self.read_others(path, &regression, output)).transpose()?;
        let problem = case.fitting_problem()?;
        let answer = case.fit(&problem, &wanted, output)?;
        if method.verbose {
            summary::note_fit(&answer.fit, output);
        }
        let predictions = others.map(|frame| regression.predict(&answer.fit, &frame)).transpose()?;
        let effects = self.effects.then(|| regression.effects(&answer.fit)).transpose()?;
        let mut answer = regression.answer(answer, predictions);
        answer.effects = effects;
        let found = &answer.answer;
        let fit = &found.fit;
        let style = fit.table_style().digits(self.table.digits());
        match general.format {
            Format::Json => output.json(&answer)?,
            Format::Table => {
                output.document(&fit.document_with(style.digits))?;
                if let Some(tuning) = &fit.tuning {
                    output.document(&tables::tuning::document(tuning, &fit.parameters, method.verbose))?;
                }
                if let Some(found) = found.reported_sensitivity() {
                    output.further_document(&tables::sensitivity::document(found))?;
                }
                let wald = found.wald.as_ref();
                output.document(&tables::answers::styled(&found.derived, wald, &style))?;
                if let Some(effects) = &answer.effects {
                    output.document(&tables::effects::document(effects, &style))?;
                }
                if let Some(test) = &found.test {
                    output.further_document(&tables::test::of_fit(test))?;
                }
                if let Some(found) = &answer.predictions {
                    output.further_document(&tables::predictions::document_of(
                        regression.predicted(),
                        found,
                        &style,
                    ))?;
                    output.document(&tables::predictions::expectations(found, &style))?;
                }
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let prepared = &regression.prepared;
        let picture = || pictures::regression(prepared, fit);
        self.pictures.plot(|| Ok(picture()), output)?;
        let page = || -> Result<Report, Failure> {
            let page = self.facts(Report::of_regression(&answer), regression.rows.len());
            Ok(page.regression(&regression, &case, &problem, &answer))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::of(found.is_sound))
    }

    /// What was asked.
    fn facts(&self, mut page: Report, rows: usize) -> Report {
        page = page.fact("data", format!("{}: {rows} rows", self.data.display()));
        page = page.fact("formula", &self.formula);
        let [censors_below, censors_above] = self.regression.censored().sides();
        let responses = |limits: [(bool, &str, &Option<String>); 2]| {
            let given = limits.into_iter().filter(|(is_of_kind, ..)| *is_of_kind);
            let texts: Vec<String> =
                given.filter_map(|(_, side, limit)| Some(format!("{side} {}", limit.as_ref()?))).collect();
            (!texts.is_empty()).then_some(texts)
        };
        let seen =
            responses([(!censors_below, "above", &self.lower), (!censors_above, "below", &self.upper)]);
        let censored =
            responses([(censors_below, "below", &self.lower), (censors_above, "above", &self.upper)]);
        page = page.fact(
            "seen",
            match seen {
                Some(limits) => format!("responses {}", limits.join(" and ")),
                None => "all responses".into(),
            },
        );
        if let Some(limits) = censored {
            page = page
                .fact("censored", format!("responses {}: only that is known of them", limits.join(" or ")));
        }
        if let Some(sigma) = self.regression.number(&options::KNOWN_SIGMA) {
            page = page.fact("known sigma", sigma.to_string());
        }
        for (what, column) in [("weights", &self.rows.weights), ("clusters", &self.rows.cluster)] {
            if let Some(column) = column {
                page = page.fact(what, format!("column {column}"));
            }
        }
        page
    }

    fn read(&self, output: &Output) -> Result<Frame, Failure> {
        let options = FrameOptions { drop_missing: self.rows.drop_missing, format: self.text.format() };
        Ok(read_named(&self.data, &options, output)?)
    }

    /// The rows for which responses are predicted.
    fn read_others(
        &self,
        path: &Path,
        regression: &RegressionCase,
        output: &Output,
    ) -> Result<Frame, Failure> {
        let options = FrameOptions { drop_missing: self.rows.drop_missing, ..FrameOptions::default() };
        let frame = read_named(path, &options, output).map_err(without_options)?;
        let kept = frame.complete_rows(&regression.design.columns()).map_err(without_options)?;
        output.note_dropped(frame.len() - kept.len(), frame.path());
        Ok(frame.select(&kept))
    }
}
