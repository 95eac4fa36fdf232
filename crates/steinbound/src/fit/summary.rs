//! A fit as a document.

use std::fmt::{self, Display, Formatter};

use super::{Assumption, CovarianceKind, Fit, Parameter, Starts};
use crate::minimise::sandwich;
use crate::stein::Statistic;
use crate::text::{
    Document, Table, duration, estimate, p_value, percent, setting, significant, significant_to, statistic,
    with_article,
};

impl Parameter {
    /// The estimate in standard errors; `None` if either does not exist or the standard error is zero.
    ///
    /// ```
    /// use steinbound::fit::Parameter;
    /// let slope = Parameter {
    ///     name: "slope".into(), estimate: Some(3.0), std_error: Some(1.5), lower: None, upper: None,
    /// };
    /// assert_eq!(slope.z(), Some(2.0));
    /// assert!((slope.p_value().unwrap() - 0.04550026).abs() < 1e-8);
    /// ```
    pub fn z(&self) -> Option<f64> {
        let z = self.estimate? / self.std_error?;
        z.is_finite().then_some(z)
    }

    /// The probability of an estimate at least as far from zero if the parameter were zero, by the normal
    /// distribution.
    pub fn p_value(&self) -> Option<f64> {
        self.z().map(|z| sandwich::two_sided_p(z, None))
    }

    /// The row of a table.
    fn cells(&self, style: &TableStyle) -> Vec<String> {
        let shown = |value: Option<f64>| style.number(value, self.std_error);
        vec![
            self.name.clone(),
            shown(self.estimate),
            shown(self.std_error),
            statistic(self.z()),
            p_value(self.z().map(|z| sandwich::two_sided_p(z, style.degrees_of_freedom))),
            shown(self.lower),
            shown(self.upper),
        ]
    }
}

/// Parameters with their uncertainty as a table: estimate, standard error, z, p and the interval of this
/// confidence.
///
/// ```
/// use steinbound::fit::{Parameter, parameter_table};
/// let ratio = Parameter {
///     name: "ratio".into(), estimate: Some(0.5), std_error: Some(0.1),
///     lower: Some(0.304), upper: Some(0.696),
/// };
/// let table = parameter_table([&ratio], 0.95).to_string();
/// assert!(table.ends_with("ratio          0.50        0.10  5.00  <0.0001       0.30       0.70\n"));
/// ```
pub fn parameter_table<'a>(parameters: impl IntoIterator<Item = &'a Parameter>, confidence: f64) -> Table {
    TableStyle::new(confidence).table(parameters)
}

/// How tables show parameters: the confidence of the intervals, where p-values come from, and digits.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TableStyle {
    /// The confidence level.
    pub confidence: f64,
    /// The degrees of freedom of Student's t, if p-values are by it; otherwise they are normal.
    pub degrees_of_freedom: Option<usize>,
    /// The significant digits of every number; if `None`, those that the standard error makes meaningful.
    pub digits: Option<usize>,
}

impl TableStyle {
    /// Normal p-values, and digits by the standard error.
    ///
    /// ```
    /// use steinbound::fit::{Parameter, TableStyle};
    /// let slope = Parameter {
    ///     name: "educ".into(), estimate: Some(80.645614), std_error: Some(21.583236),
    ///     lower: Some(38.34), upper: Some(122.95),
    /// };
    /// let table = TableStyle::new(0.95).digits(Some(7)).table([&slope]).to_string();
    /// assert!(table.contains("80.64561    21.58324  3.74"), "{table}");
    /// ```
    pub fn new(confidence: f64) -> TableStyle {
        TableStyle { confidence, degrees_of_freedom: None, digits: None }
    }

    /// With this number of significant digits.
    pub fn digits(self, digits: Option<usize>) -> TableStyle {
        TableStyle { digits, ..self }
    }

    /// A number with its standard error.
    pub fn number(&self, value: Option<f64>, error: Option<f64>) -> String {
        match (self.digits, value) {
            (Some(digits), Some(value)) => significant_to(value, digits),
            _ => estimate(value, error),
        }
    }

    /// The header of the ends of intervals.
    pub fn interval(&self) -> [String; 2] {
        let level = percent(self.confidence);
        [format!("{level}% lower"), format!("{level}% upper")]
    }

    /// The table of some parameters.
    pub fn table<'a>(&self, parameters: impl IntoIterator<Item = &'a Parameter>) -> Table {
        let [lower, upper] = self.interval();
        let statistic = if self.degrees_of_freedom.is_some() { "t" } else { "z" };
        let mut table =
            Table::new(1, ["parameter", "estimate", "std. error", statistic, "p", &lower, &upper]);
        parameters.into_iter().for_each(|parameter| table.row(parameter.cells(self)));
        table
    }
}

impl Fit {
    /// The fit as plain text, similar to R's: what was fitted, the parameters with z and p, the settings and
    /// how the search ended. `z` is the estimate over its standard error and `p` two-sided, for the
    /// hypothesis that the parameter is zero. Values that do not exist are shown as `-`; if moments do not
    /// exist, the natural parameters follow.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// let summary = fit.summary();
    /// assert!(summary.starts_with("mle fit of a gaussian model\n"));
    /// assert!(summary.contains("mean[x1]        3.0         1.2  2.41  0.0162        0.6        5.4"));
    /// assert_eq!(summary, fit.to_string());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn summary(&self) -> String {
        self.to_string()
    }

    /// The fit as a document: title, parameters, settings and warnings. [`summary`](Fit::summary) is its
    /// text.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let document = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?.document();
    /// assert_eq!(document.heading(), Some("mle fit of a gaussian model"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn document(&self) -> Document {
        self.document_with(None)
    }

    /// How tables show the parameters of this fit.
    pub fn table_style(&self) -> TableStyle {
        TableStyle { degrees_of_freedom: self.degrees_of_freedom, ..TableStyle::new(self.confidence) }
    }

    /// The same [document](Fit::document) with this number of significant digits of every parameter.
    pub fn document_with(&self, digits: Option<usize>) -> Document {
        let statistic = match self.setup.statistic {
            Some(Statistic::V) => ", V-statistic",
            Some(Statistic::U) => ", U-statistic",
            None => "",
        };
        let distance =
            self.setup.distance.map_or_else(String::new, |kind| format!(", {} distance", kind.name()));
        let document = Document::new()
            .title(format!(
                "{} fit of {} model{statistic}{distance}",
                self.setup.method.name(),
                with_article(&self.setup.model)
            ))
            .gap()
            .table(self.table_style().digits(digits).table(self.shown_parameters()))
            .gap()
            .lines(self.settings_lines());
        self.warnings.iter().fold(document, Document::warning)
    }

    /// Settings, agreement with the data and the end of the search, one line each.
    fn settings_lines(&self) -> Vec<String> {
        let boundary =
            if self.setup.m > 0 { format!(", m = {} boundary points", self.setup.m) } else { String::new() };
        let mut lines = vec![format!("n = {} points, d = {}{boundary}", self.setup.n, self.setup.d)];
        if let Some(kernel) = &self.setup.kernel {
            let ridge =
                self.setup.ridge.map_or_else(String::new, |ridge| format!(", ridge {}", setting(ridge)));
            lines.push(format!("kernel {}, bandwidth {}{ridge}", kernel.name, significant(kernel.bandwidth)));
        }
        lines.extend(self.setup.boundary.as_ref().map(|used| used.to_string()));
        lines.extend(self.assumption());
        lines.extend(self.agreement().map(|text| text + &self.criteria().unwrap_or_default()));
        if self.covariance.is_some() || self.natural_covariance.is_some() {
            lines.push(format!("standard errors: {}", self.errors_by()));
        }
        let form =
            self.setup.compute.as_ref().map_or_else(String::new, |used| format!(", {}", used.describe()));
        lines.push(format!("{}{form}, {}", self.convergence(), duration(self.seconds.total)));
        lines
    }

    /// The parameters that a table shows: the reported ones, followed by the fitted ones if some of the
    /// reported do not exist.
    pub fn shown_parameters(&self) -> impl Iterator<Item = &Parameter> {
        let is_incomplete = self.parameters.iter().any(|p| p.estimate.is_none());
        let is_new = |p: &&Parameter| {
            p.estimate.is_some() && !self.parameters.iter().any(|reported| reported.name == p.name)
        };
        self.parameters.iter().chain(self.natural.iter().filter(move |p| is_incomplete && is_new(p)))
    }

    /// The values that were assumed, in words: those that are equal in one.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::GaussianMixture};
    /// let data = Points::from_rows(&[[-2.1], [-1.7], [-2.0], [1.8], [2.2], [2.5]])?;
    /// let fit = Estimator::mle().fit(&data, &GaussianMixture::new(1, 2)?)?;
    /// assert_eq!(fit.assumption().unwrap(), "assumed: weight[k] = 0.5000 for k = 1 to 2");
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn assumption(&self) -> Option<String> {
        let (first, last) = (self.assumed.first()?, self.assumed.last()?);
        let is_numbered = |(k, a): (usize, &Assumption)| {
            a.value == first.value && a.name == first.name.replace("[1]", &format!("[{}]", k + 1))
        };
        if last.name != first.name && self.assumed.iter().enumerate().all(is_numbered) {
            let (name, count) = (first.name.replace("[1]", "[k]"), self.assumed.len());
            return Some(format!("assumed: {name} = {} for k = 1 to {count}", significant(first.value)));
        }
        let each = self.assumed.iter().map(|a| format!("{} = {}", a.name, significant(a.value)));
        Some(format!("assumed: {}", each.collect::<Vec<_>>().join(", ")))
    }

    /// The discrepancy or the log-likelihood at the estimate, in words.
    pub fn agreement(&self) -> Option<String> {
        match (self.discrepancy, self.discrepancy_squared, self.log_likelihood) {
            (Some(value), ..) => Some(format!("discrepancy {}", significant(value))),
            (None, Some(squared), _) => {
                Some(format!("squared discrepancy {} (negative)", significant(squared)))
            }
            (None, None, likelihood) => likelihood.map(|value| format!("log-likelihood {value:.4}")),
        }
    }

    /// The information criteria, after the log-likelihood.
    fn criteria(&self) -> Option<String> {
        let (aic, bic, df) = (self.aic?, self.bic?, self.df?);
        let parameters = if df == 1 { "parameter" } else { "parameters" };
        Some(format!(", AIC {aic:.2}, BIC {bic:.2} ({df} {parameters})"))
    }

    /// How standard errors were found, in words.
    ///
    /// ```
    /// use steinbound::fit::StandardErrors;
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [4.0]])?.with_clusters(&["a", "a", "b", "c"])?;
    /// let (estimator, model) = (Estimator::mle(), Gaussian::with_variance(1, 1.0)?);
    /// assert_eq!(estimator.fit(&data, &model)?.errors_by(), "sandwich over 3 clusters");
    /// let corrected = estimator.standard_errors(StandardErrors::Cluster).fit(&data, &model)?;
    /// let expected = "clustered (3 clusters, variances times 3/2, t with 2 degrees of freedom)";
    /// assert_eq!(corrected.errors_by(), expected);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn errors_by(&self) -> String {
        let kind = self.covariance_type;
        match (kind, self.clusters, &self.bootstrap) {
            (CovarianceKind::Cluster, Some(count), _) => {
                let less = count - 1;
                let degrees = if less == 1 { "degree" } else { "degrees" };
                format!(
                    "{kind} ({count} clusters, variances times {count}/{less}, t with {less} {degrees} of freedom)"
                )
            }
            (_, Some(count), used) => {
                let used = used.as_ref().map_or_else(String::new, |used| format!(": {used}"));
                format!("{kind} over {count} clusters{used}")
            }
            (_, None, Some(used)) => format!("{kind}: {used}"),
            (_, None, None) => kind.to_string(),
        }
    }

    /// How the search ended, in words.
    pub fn convergence(&self) -> String {
        let steps = |count: usize| format!("{count} {}", if count == 1 { "step" } else { "steps" });
        match (self.converged, self.iterations, self.starts) {
            (false, 0, None) if self.fitted_parameters().is_some() => {
                "closed form, not to be trusted".to_string()
            }
            (false, 0, _) => "no minimum".to_string(),
            (false, count, _) => format!("not converged after {}", steps(count)),
            (true, 0, None) => "closed form".to_string(),
            (true, count, Some(Starts { tried, agreed })) if tried > 1 => {
                format!("converged in {}, from {agreed} of {tried} starts", steps(count))
            }
            (true, count, _) => format!("converged in {}", steps(count)),
        }
    }
}

impl Display for Fit {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.document().fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Estimator, Points, model::Gaussian};

    #[test]
    fn one_step_is_not_several() {
        let data = Points::from_rows(&[[1.0], [2.0], [6.0]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let mut fit = Estimator::mle().fit(&data, &model).unwrap();
        fit.iterations = 1;
        assert_eq!(fit.convergence(), "converged in 1 step");
        fit.iterations = 2;
        assert_eq!(fit.convergence(), "converged in 2 steps");
    }
}
