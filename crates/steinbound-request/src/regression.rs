//! Truncated regression: from columns and a formula to a case.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use steinbound::domain::{contains_within, rounding_tolerance};
use steinbound::fit::{Interrupt, StandardErrors};
use steinbound::regression::{Censored, Effect, PreparedRegression, Quantity, ResponseAt, ResponseLimit};
use steinbound::{Fit, Method, PointsError};
use steinbound_io::{Design, Formula, Frame, Limit, limit_values};

use crate::choices::{self, Predicted};
use crate::error::RequestError;
use crate::fit::FitAnswer;
use crate::model::ReadyModel;
use crate::option::Options;
use crate::options;
use crate::region::{OutsideCount, OutsideWanted, Region, first_places};
use crate::request::{Case, Source};
use crate::tables::predictions::Prediction;
use crate::values::number;
use crate::wording::Wording;

/// A regression that is asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RegressionRequest {
    /// The response and the terms.
    pub formula: Formula,
    /// The data.
    pub frame: Frame,
    /// Where responses are cut off below.
    pub lower: Option<Column>,
    /// Where responses are cut off above.
    pub upper: Option<Column>,
    /// Observation weights.
    pub weights: Option<Column>,
    /// Clusters.
    pub clusters: Option<Labels>,
    /// The method.
    pub method: Method,
    /// Its options.
    pub options: Options,
    /// How messages name options.
    pub wording: Wording,
    /// What ends the work before it is done.
    pub interrupt: Interrupt,
}

/// Numbers for the rows of a frame.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Column {
    /// A number for all rows, or the name of a column.
    Text(String),
    /// One for each row.
    Each(Vec<f64>),
}

/// Labels for the rows of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Labels {
    /// The name of a column.
    Column(String),
    /// One for each row.
    Each(Vec<String>),
}

impl Column {
    /// The name of a column, where it is one.
    fn name(&self) -> Option<&str> {
        match self {
            Column::Text(text) => Some(text.as_str()).filter(|text| number(text).is_err()),
            Column::Each(_) => None,
        }
    }
}

/// A regression that is ready to be computed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RegressionCase {
    /// The formula as it was read.
    pub formula: Formula,
    /// The columns that the formula makes of the data.
    pub design: Design,
    /// Points, model and domain.
    pub prepared: PreparedRegression,
    /// The rows that are used, counted from zero: they have everything that is needed.
    pub rows: Vec<usize>,
    /// The rows whose response lies outside its limits, where they were left out.
    pub outside: OutsideCount,
    /// What was left out or chosen on the way, in sentences.
    pub notes: Vec<String>,
    /// Where responses of these rows are cut off, below and above.
    limits: [Option<Column>; 2],
    /// The method.
    pub method: Method,
    /// Its options.
    pub options: Options,
    wording: Wording,
    interrupt: Interrupt,
    source: Source,
    /// The rows that are used.
    frame: Frame,
}

/// A regression, of the schema `steinbound.fit/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RegressionAnswer {
    /// The fit and what was asked of it.
    #[serde(flatten)]
    pub answer: FitAnswer,
    /// The formula.
    pub formula: String,
    /// The name of the response.
    pub response: String,
    /// The rows whose response lies outside its limits, where they were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideCount>,
    /// Predicted means, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictions: Option<Vec<Prediction>>,
    /// Average marginal effects, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
}

impl RegressionRequest {
    /// A regression with default options, of the rows of a frame.
    pub fn new(formula: Formula, frame: Frame, method: Method) -> RegressionRequest {
        RegressionRequest {
            formula,
            frame,
            lower: None,
            upper: None,
            weights: None,
            clusters: None,
            method,
            options: Options::new(),
            wording: Wording::default(),
            interrupt: Interrupt::new(),
        }
    }

    /// Refuses a regression without limits for a method that needs one, before anything is read.
    pub fn check_limits(has_limit: bool, method: Method, wording: Wording) -> Result<(), RequestError> {
        if has_limit || !method.uses().knows_boundary() {
            return Ok(());
        }
        Err(RequestError::refused(format!(
            "no limit of the response is given; add {} or {} (a number or a column), or use {} for data that are not truncated",
            wording.with_placeholder("lower", "V"),
            wording.with_placeholder("upper", "V"),
            wording.with_value("method", Method::MLE.name())
        )))
    }

    /// The method where none, or this one, is chosen, and these limits censor. The limits that are given are
    /// the lower and the upper one.
    ///
    /// ```
    /// use steinbound::{Method, regression::Censored};
    /// use steinbound_request::{RegressionRequest, Wording};
    /// let chosen = |censored, limits| {
    ///     RegressionRequest::chosen_method(None, censored, limits, Wording::CommandLine)
    /// };
    /// assert_eq!(chosen(Censored::No, [true, false])?, Method::EFFICIENT);
    /// assert_eq!(chosen(Censored::Both, [true, false])?, Method::MLE);
    /// assert_eq!(chosen(Censored::Upper, [true, true])?, Method::TRUNCATED_MLE);
    /// assert!(chosen(Censored::Upper, [true, false]).is_err());
    /// # Ok::<(), steinbound_request::RequestError>(())
    /// ```
    pub fn chosen_method(
        method: Option<Method>,
        censored: Censored,
        limits: [bool; 2],
        wording: Wording,
    ) -> Result<Method, RequestError> {
        if censored == Censored::No {
            return Ok(method.unwrap_or_default());
        }
        let option = wording.option("censored");
        let sides = censored.sides();
        let names = ["lower", "upper"];
        let missing = match censored {
            Censored::Both => (limits == [false; 2]).then_some("lower"),
            _ => (0..2).find(|side| sides[*side] && !limits[*side]).map(|side| names[side]),
        };
        if let Some(name) = missing {
            let limit = wording.with_placeholder(name, "V");
            return Err(RequestError::refused(format!(
                "{option} needs the limit at which responses are recorded; add {limit} (a number or a column)"
            )));
        }
        let truncates = (0..2).any(|side| limits[side] && !sides[side]);
        match method {
            None if truncates => Ok(Method::TRUNCATED_MLE),
            None => Ok(Method::MLE),
            Some(method) if method == Method::MLE || method == Method::TRUNCATED_MLE => Ok(method),
            Some(method) => Err(RequestError::refused(format!(
                "{} cannot be used with {option}: it works with the slope of the density, which says nothing of responses \
                 recorded at a limit; leave {} out, or use {} or {}",
                wording.with_value("method", method.name()),
                wording.option("method"),
                Method::MLE.name(),
                Method::TRUNCATED_MLE.name()
            ))),
        }
    }

    /// What has no effect among weights, clusters and covariance.
    pub fn notes(&self) -> Vec<String> {
        let kind = self
            .options
            .choice(&options::COV, choices::cov())
            .filter(|kind| *kind != StandardErrors::Cluster);
        let unused = kind.filter(|_| self.clusters.is_some()).map(|kind| {
            let (cluster, cov) =
                (self.wording.option("cluster"), self.wording.with_value("cov", kind.name()));
            format!("{cluster} has no effect with {cov}")
        });
        unused.into_iter().collect()
    }

    /// Selects the rows that have everything, and builds points and model.
    ///
    /// ```
    /// use steinbound::Method;
    /// use steinbound_io::{Formula, Frame, FrameOptions, examples::STUDENT_SCORES};
    /// use steinbound_request::{Column, Inference, RegressionRequest};
    /// let frame = Frame::parse("scores.csv", STUDENT_SCORES.as_bytes(), &FrameOptions::default())?;
    /// let formula = Formula::parse("achiv ~ langscore")?;
    /// let mut request = RegressionRequest::new(formula, frame, Method::TRUNCATED_MLE);
    /// request.lower = Some(Column::Text("40".into()));
    /// let regression = request.prepare()?;
    /// let case = regression.case();
    /// let answer = case.fit(&case.fitting_problem()?, &Inference::default(), &())?;
    /// assert_eq!(answer.fit.parameters[1].name, "langscore");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare(self) -> Result<RegressionCase, RequestError> {
        let interrupt = self.options.timed(self.interrupt.clone(), self.wording)?;
        let mut used = self.formula.columns(&self.frame)?;
        let weights = self.weights.as_ref().and_then(|column| match column {
            Column::Text(name) => Some(name.as_str()),
            Column::Each(_) => None,
        });
        used.extend(weights.map(String::from));
        if let Some(Labels::Column(name)) = &self.clusters {
            used.push(name.clone());
        }
        let limits = [&self.lower, &self.upper];
        used.extend(limits.into_iter().flatten().filter_map(Column::name).map(String::from));
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        let mut rows = self.frame.complete_rows(&used)?;
        let mut frame = self.frame.select(&rows);
        let mut design = self.formula.design(&frame)?;
        let mut prepared = self.build(&frame, &design, &rows)?;
        let mut outside = OutsideCount::default();
        let mut notes = Vec::new();
        if OutsideWanted::of(&self.options, self.wording)?.drops {
            let found = outside_limits(&prepared);
            // Limits outside of which everything lies are refused with the fit.
            if (1..rows.len()).contains(&found.len()) {
                notes.push(left_out(&frame, &prepared, &found));
                outside.dropped = found.len();
                let mut found = found.into_iter().peekable();
                let mut at = 0..;
                rows.retain(|_| found.next_if_eq(&at.next().unwrap_or_default()).is_none());
                // Levels, knots and bandwidth are those of the rows that are left.
                frame = self.frame.select(&rows);
                design = self.formula.design(&frame)?;
                prepared = self.build(&frame, &design, &rows)?;
            }
        }
        notes.extend(design.notes.iter().cloned());
        notes.extend(censored_note(&prepared, &design));
        let places = (0..frame.len()).map(|row| frame.place(row)).collect();
        let own = |column: Option<Column>| match column {
            Some(Column::Each(values)) => Some(Column::Each(rows.iter().map(|row| values[*row]).collect())),
            text => text,
        };
        let limits = [own(self.lower), own(self.upper)];
        Ok(RegressionCase {
            limits,
            formula: self.formula,
            design,
            prepared,
            rows,
            outside,
            notes,
            method: self.method,
            options: self.options,
            wording: self.wording,
            interrupt,
            source: Source::new(frame.path(), places),
            frame,
        })
    }

    fn build(
        &self,
        frame: &Frame,
        design: &Design,
        rows: &[usize],
    ) -> Result<PreparedRegression, RequestError> {
        let kernel_on = self.options.choice(&options::KERNEL_ON, choices::kernel_on()).unwrap_or_default();
        let mut regression = design.regression()?.kernel_on(kernel_on);
        if let Some(sigma) = self.options.number(&options::KNOWN_SIGMA) {
            regression = regression.known_sigma(sigma);
        }
        let lower = self.limit("lower", self.lower.as_ref(), frame, design, rows)?;
        let upper = self.limit("upper", self.upper.as_ref(), frame, design, rows)?;
        let [lower, upper] = design.limits([lower, upper])?;
        if let Some(limit) = lower {
            regression = regression.lower(limit);
        }
        if let Some(limit) = upper {
            regression = regression.upper(limit);
        }
        regression = regression.censored(censored(&self.options, design));
        let mut prepared = regression.build(self.options.seed())?;
        let weights = match &self.weights {
            Some(Column::Text(name)) => Some(frame.weights(name)?),
            Some(Column::Each(values)) => Some(self.selected(values, "weights", rows)?),
            None => None,
        };
        if let Some(weights) = weights {
            prepared.points = prepared.points.with_weights(weights)?;
        }
        let clusters = match &self.clusters {
            Some(Labels::Column(name)) => Some(frame.texts(name)?),
            Some(Labels::Each(labels)) => Some(self.selected(labels, "cluster labels", rows)?),
            None => None,
        };
        if let Some(clusters) = clusters {
            prepared.points = prepared.points.with_named_clusters(&clusters)?;
        }
        Ok(prepared)
    }

    fn limit(
        &self,
        option: &str,
        column: Option<&Column>,
        frame: &Frame,
        design: &Design,
        rows: &[usize],
    ) -> Result<Option<ResponseLimit>, RequestError> {
        let text = match column {
            None => return Ok(None),
            Some(Column::Each(values)) => {
                return Ok(Some(ResponseLimit::Each(self.selected(
                    values,
                    "limits of the response",
                    rows,
                )?)));
            }
            Some(Column::Text(text)) => text,
        };
        if *text == design.response_column() {
            return Err(RequestError::refused(format!(
                "{} is the response itself, which then is never cut off; give its limit, a number or another column",
                self.wording.option(option)
            )));
        }
        Ok(Some(match limit_values(frame, text)? {
            Limit::Constant(value) => ResponseLimit::Constant(value),
            Limit::Column { values, .. } => ResponseLimit::Each(values),
        }))
    }

    /// The values of the rows that are used, of one for each row.
    fn selected<T: Clone>(
        &self,
        values: &[T],
        what: &'static str,
        rows: &[usize],
    ) -> Result<Vec<T>, RequestError> {
        let (found, expected) = (values.len(), self.frame.len());
        if found != expected {
            return Err(PointsError::WrongCount { what, found, expected }.into());
        }
        Ok(rows.iter().map(|row| values[*row].clone()).collect())
    }
}

impl RegressionCase {
    /// What is fitted.
    pub fn case(&self) -> Case<'_> {
        self.case_by(self.method, self.options.clone(), self.interrupt.clone())
    }

    /// The same by another method, with other options, and ended by another interrupt.
    pub fn case_by(&self, method: Method, options: Options, interrupt: Interrupt) -> Case<'_> {
        // What is no time was refused before.
        let interrupt = options.timed(interrupt.clone(), self.wording).unwrap_or(interrupt);
        let estimator = options.estimator(method).interrupt(interrupt.clone());
        Case {
            data: Cow::Borrowed(&self.prepared.points),
            region: Region::default(),
            model: ReadyModel::Given(self.prepared.fitted_model()),
            estimator: self.prepared.estimator(&estimator),
            method,
            options,
            wording: self.wording,
            selection: None,
            source: Some(self.source.clone()),
            interrupt,
            watching: Arc::default(),
            is_regression: true,
            doubt: self.doubt(),
            started: Instant::now(),
        }
    }

    /// The mean of the untruncated response for the rows of another frame, and where their limits are known what
    /// else is expected of them.
    pub fn predict(&self, fit: &Fit, frame: &Frame) -> Result<Vec<Prediction>, RequestError> {
        let mut rows = self.predict_of(Predicted::Mean, fit, frame)?;
        let covariates = self.design.covariates_of(frame)?;
        let reach = fit.reach(self.options.confidence());
        let has_limits = self.limits.iter().flatten().all(|limit| match limit {
            Column::Text(text) => number(text).is_ok() || frame.is_numeric(text).is_ok(),
            Column::Each(values) => values.len() == frame.len(),
        });
        if !has_limits {
            return Ok(rows);
        }
        let limits = self.limits_of(frame)?;
        for quantity in self.prepared.quantities().into_iter().filter(|of| *of != Quantity::Latent) {
            let found = self.prepared.predict_quantity(fit, &covariates, quantity, |row| limits[row]);
            for (row, (value, error)) in rows.iter_mut().zip(found.into_iter().flatten()) {
                row.expect(quantity, value, error, reach);
            }
        }
        check_finite(&rows, fit, frame)?;
        Ok(rows)
    }

    /// What is expected of the response for the rows of another frame.
    ///
    /// The limits are those of the regression; where they differ between rows the frame has the columns that they
    /// are in, or as many rows as the regression.
    pub fn predict_of(
        &self,
        what: Predicted,
        fit: &Fit,
        frame: &Frame,
    ) -> Result<Vec<Prediction>, RequestError> {
        let covariates = self.design.covariates_of(frame)?;
        let found = match what {
            Predicted::Mean => self.prepared.predict(fit, &covariates),
            other => {
                let limits = self.limits_of(frame)?;
                self.prepared.predict_quantity(fit, &covariates, other.quantity(), |row| limits[row])
            }
        };
        let found = found.ok_or_else(|| {
            RequestError::refused("the fit has no covariance, so that there is nothing to predict from")
        })?;
        let reach = fit.reach(self.options.confidence());
        let rows: Vec<Prediction> =
            found.into_iter().map(|(mean, error)| Prediction::new(mean, error, reach)).collect();
        check_finite(&rows, fit, frame)?;
        Ok(rows)
    }

    /// The limits of the rows of another frame, in units of the response of the formula.
    fn limits_of(&self, frame: &Frame) -> Result<Vec<ResponseAt>, RequestError> {
        let [lower, upper] = &self.limits;
        let side = |option, limit: &Option<Column>| {
            limit.as_ref().map(|limit| self.side_of(option, limit, frame)).transpose()
        };
        let [lower, upper] = self.design.limits([side("lower", lower)?, side("upper", upper)?])?;
        let [below, above] = censored(&self.options, &self.design).sides();
        let value = |limit: &Option<ResponseLimit>, row: usize, none: f64| match limit {
            None => none,
            Some(ResponseLimit::Constant(value)) => *value,
            Some(ResponseLimit::Each(values)) => values[row],
        };
        let at = |row: usize| {
            let low = value(&lower, row, f64::NEG_INFINITY);
            let high = value(&upper, row, f64::INFINITY);
            ResponseAt::new((low, high), [below && low.is_finite(), above && high.is_finite()])
        };
        Ok((0..frame.len()).map(at).collect())
    }

    /// The limits of one side for the rows of another frame, in units of the column of the response.
    fn side_of(&self, option: &str, limit: &Column, frame: &Frame) -> Result<ResponseLimit, RequestError> {
        let rows = frame.len();
        Ok(ResponseLimit::Each(match limit {
            Column::Text(text) => match limit_values(frame, text)? {
                Limit::Constant(value) => return Ok(ResponseLimit::Constant(value)),
                Limit::Column { values, .. } => values,
            },
            Column::Each(values) if values.len() == rows => values.clone(),
            Column::Each(values) => {
                return Err(RequestError::refused(format!(
                    "{} was given for each of the {} rows of the data, and there are {rows} rows to predict; fit with the \
                     name of a column as {}, and give the rows that column, too",
                    self.wording.option(option),
                    values.len(),
                    self.wording.option(option)
                )));
            }
        }))
    }

    /// What is predicted, in words: the response, or the function of it that the formula names.
    pub fn predicted(&self) -> &str {
        let is_column = self.design.response_name == self.design.response_column();
        if is_column { "response" } else { &self.design.response_name }
    }

    /// The average marginal effects of the variables of the formula.
    pub fn effects(&self, fit: &Fit) -> Result<Vec<Effect>, RequestError> {
        let changes = self.design.changes(&self.frame)?;
        Ok(self.prepared.effects(fit, &changes)?)
    }

    /// Why these data cannot be fitted as truncated, if so: responses pile up at a limit.
    fn doubt(&self) -> Option<String> {
        let piles = self.prepared.pile_ups();
        let is_lower = piles.first()?.is_lower != self.design.is_decreasing();
        let (side, other) = if is_lower { ("lower", 1) } else { ("upper", 0) };
        let is_one_of_two =
            self.limits[other].is_some() && self.prepared.censored.is_none() && piles.len() == 1;
        let remedy = match is_one_of_two {
            true => self.wording.with_value("censored", side),
            false => self.wording.flag("censored"),
        };
        let remedy = if self.wording.is_command_line() { remedy.replace(' ', "=") } else { remedy };
        let piles: Vec<String> = piles.iter().map(ToString::to_string).collect();
        let piles = piles.join(" and ");
        Some(format!(
            "{piles}: they are censored, not truncated, so that this estimate of truncated data is wrong; use {remedy}"
        ))
    }

    /// The answer with what belongs to a regression.
    pub fn answer(&self, answer: FitAnswer, predictions: Option<Vec<Prediction>>) -> RegressionAnswer {
        let (formula, response) = (self.formula.text().to_string(), self.design.response_name.clone());
        let outside = Some(self.outside).filter(|outside| *outside != OutsideCount::default());
        RegressionAnswer { answer, formula, response, outside, predictions, effects: None }
    }
}

/// Refuses rows whose prediction does not fit into a number: covariates far from those of the fit.
fn check_finite(rows: &[Prediction], fit: &Fit, frame: &Frame) -> Result<(), RequestError> {
    // A fit without standard errors says so itself.
    let beyond = rows.iter().position(|row| !row.is_finite()).filter(|_| fit.is_trustworthy());
    let Some(row) = beyond else { return Ok(()) };
    Err(RequestError::refused(format!(
        "{}, {}: what is predicted there is beyond the range of numbers; bring the columns to the size of those fitted",
        frame.path(),
        frame.place(row)
    )))
}

/// The rows whose response lies outside its limits, but for rounding.
fn outside_limits(prepared: &PreparedRegression) -> Vec<usize> {
    let Some(domain) = prepared.domain.as_deref() else { return Vec::new() };
    let points = &prepared.points;
    let tolerance = rounding_tolerance(domain, &points.bounds());
    (0..points.len()).filter(|row| !contains_within(domain, points.row(*row), tolerance)).collect()
}

/// The note on rows that are left out because of their responses.
fn left_out(frame: &Frame, prepared: &PreparedRegression, outside: &[usize]) -> String {
    let points = &prepared.points;
    let name = &points.names()[0];
    let place = |row: &usize| format!("{} ({name} is {})", frame.place(*row), points.row(*row)[0]);
    let (count, rows, listed) = (outside.len(), points.len(), first_places(outside.iter().map(place)));
    format!("{count} of {rows} rows have a response outside its limits: {listed}; they were left out")
}

/// How many responses are recorded at limits that censor, in words that name the limits of the column.
fn censored_note(prepared: &PreparedRegression, design: &Design) -> Option<String> {
    let counts = prepared.censored_counts()?;
    let model = prepared.censored.as_ref()?;
    let is_limited = |side: usize| {
        prepared.points.rows().any(|x| [model.limits_at(x).0, model.limits_at(x).1][side].is_finite())
    };
    let at = |side: usize| {
        let name = if (side == 0) != design.is_decreasing() { "lower" } else { "upper" };
        match counts[side] {
            0 => format!("none is recorded at the {name} limit, which therefore says nothing of them"),
            1 => format!("one is recorded at the {name} limit"),
            count => format!("{count} are recorded at the {name} limit"),
        }
    };
    let sides: Vec<String> = (0..2).filter(|side| is_limited(*side)).map(at).collect();
    Some(format!("of {} responses {}", prepared.points.len(), sides.join(", and ")))
}

/// Which limits of the response as it is modelled censor: those of its column are exchanged by a function that
/// decreases.
fn censored(options: &Options, design: &Design) -> Censored {
    let given = options.censored();
    if design.is_decreasing() { given.reversed() } else { given }
}
