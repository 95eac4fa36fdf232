//! Sections of reports, made from results.

use steinbound::fit::{Parameter, Problem};
use steinbound::inference::{Comparison, Diagnostics, Selection, TestResult, WaldTest};
use steinbound::text::{Table, duration};
use steinbound::{Error, Fit};
use steinbound_request::sensitivity::SensitivityOutcome;
use steinbound_request::tables;

use crate::{Picture, Scene, Section, pictures};

impl Section {
    /// Adds a picture, or the reason why there is none: a finished result does not fail for it.
    pub(crate) fn drawn(self, picture: Result<Option<Picture>, Error>) -> Section {
        match picture {
            Ok(picture) => self.picture(picture),
            Err(error) => self.text(format!("This cannot be drawn: {error}")),
        }
    }
}

/// The estimates, quantities derived from them, and the test of a hypothesis.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// use steinbound_report::{Report, sections};
/// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
/// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
/// let page = Report::of_fit("A fit", &fit).section(sections::estimates(&fit, &[], None)).to_html()?;
/// assert!(page.contains("mean[x1]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn estimates(fit: &Fit, derived: &[Parameter], wald: Option<&WaldTest>) -> Section {
    let section = Section::new("Estimates").table(&fit.table_style().table(fit.shown_parameters()));
    let statistic = if fit.degrees_of_freedom.is_some() { "t" } else { "z" };
    let mut how = format!(
        "Standard errors: {}. {statistic} is the estimate over its standard error, and p the probability of an estimate at \
         least as far from zero if the parameter were zero",
        fit.errors_by()
    );
    if let Some(agreement) = fit.agreement() {
        how.push_str(&format!(". At the estimate: {agreement}"));
    }
    let mut section =
        section.text(format!("{how}. Found in {} ({})", duration(fit.seconds.total), fit.convergence()));
    if !derived.is_empty() {
        section = section.text("Derived quantities:").table(&fit.table_style().table(derived));
    }
    if let Some(test) = wald {
        section = section.text(tables::answers::wald_sentence(test));
    }
    section
}

/// What a model was chosen from, with the values by which it was chosen.
pub fn selection(found: &Selection) -> Section {
    let section = Section::new("Models tried").text(tables::selection::sentence(found));
    let section = section.table(&tables::selection::table(found));
    tables::selection::exclusions(found).into_iter().fold(section, Section::text)
}

/// Parameters that were given and not fitted.
pub fn given(names: &[String], values: &[f64]) -> Section {
    let mut table = Table::new(1, ["parameter", "value"]);
    for (name, value) in names.iter().zip(values) {
        table.row(vec![name.clone(), value.to_string()]);
    }
    Section::new("Given parameters").table(&table)
}

/// A test of fit, with the distribution of its statistic under the hypothesis.
pub fn test(found: &TestResult) -> Section {
    Section::new("Test of fit")
        .text(tables::test::verdict(found))
        .table(&tables::test::table(found))
        .picture(pictures::test(found))
}

/// How densely the boundary points cover the boundary.
pub fn boundary(scene: &Scene, problem: &Problem) -> Section {
    let picture = pictures::coverage(scene, problem);
    let mut section = Section::new("Boundary");
    if let (Some(leak), Ok(Some(_))) = (problem.setup().leak, &picture) {
        let (points, left) = (problem.setup().m, format!("{:.2} %", 100.0 * leak));
        section = section.text(match scene.has_domain() {
            true => format!(
                "{points} boundary points; on the boundary between them, near the data, {left} of the kernel is left"
            ),
            false => format!(
                "{points} boundary points. At each of them the others leave {left} of the kernel on average. The rest of the \
                 boundary is not known: a part without points would bias the estimate and cannot be detected here"
            ),
        });
    }
    if let Some(tie) = problem.tie() {
        let [strength, limit] = [tie.strength, tie.limit].map(|share| format!("{:.1} %", 100.0 * share));
        let verdict = if tie.strength > tie.limit { "above" } else { "within" };
        section = section.text(format!(
            "The kernel between data and boundary is {strength} of the kernel among the data, {verdict} the limit of {limit} \
             for this number of observations"
        ));
    }
    section.drawn(picture)
}

/// The diagnostics of a fit, with their limits.
pub fn diagnostics(found: &Diagnostics) -> Section {
    let section = Section::new("Diagnostics");
    match tables::diagnostics::table(found) {
        Some(table) => section.table(&table),
        None => section,
    }
}

/// How much the estimates depend on settings, or why that is not known.
pub fn sensitivity(outcome: &SensitivityOutcome) -> Section {
    let section = Section::new("Sensitivity");
    match (outcome.found(), outcome.reason()) {
        (Some(found), _) => {
            let reasons = tables::sensitivity::reasons(found).into_iter();
            reasons
                .fold(section.text(&found.summary), Section::text)
                .picture(pictures::sensitivity(found))
                .folded_table(&tables::sensitivity::table(found))
        }
        (None, Some(reason)) => section.text(reason),
        (None, None) => section,
    }
}

/// The fits of a comparison, and their estimates side by side.
pub fn comparison(found: &Comparison) -> [Section; 2] {
    let mut fits = Section::new("Fits").table(&tables::comparison::fits(found));
    for reason in tables::comparison::reasons(found) {
        fits = fits.text(reason);
    }
    let reference = tables::comparison::reference(found).unwrap_or_default();
    let fits = fits.text(format!(
        "{reference}. It is measured on the data that were fitted: a model with more parameters comes closer, whether it needs \
         them or not"
    ));
    let estimates = Section::new("Estimates")
        .table(&tables::comparison::parameters(found))
        .picture(pictures::comparison(found));
    [fits, estimates]
}
