//! The parts of which reports are made.

use std::path::Path;

use steinbound::fit::{Problem, parameter_table};
use steinbound::inference::{Diagnostics, Null, Sensitivity, SensitivityRow, TestResult};
use steinbound::stein::Statistic;
use steinbound::text::{Table, duration, significant};
use steinbound::{Estimator, Fit, Points};
use steinbound_io::table::shown_path;
use steinbound_report::{Report, Scene, Section, Verdict, pictures};

use crate::commands::test_verdict;
use crate::failure::Failure;
use crate::input::Input;
use crate::options::DataOptions;
use crate::questions::Answers;
use crate::variants;

/// Where a sensitivity that nobody asked for would take longer, it is left out.
const PATIENCE: f64 = 20.0;

/// Fits behind a sensitivity.
const SENSITIVITY_FITS: f64 = 18.0;

/// A report of a fit, with what to think of it and what was asked.
pub fn of_fit(title: &str, fit: &Fit) -> Report {
    let (verdict, text) = match (fit.is_trustworthy(), fit.warnings.len()) {
        (false, _) => (Verdict::Doubtful, "This result must not be trusted.".to_string()),
        (true, 0) => (Verdict::Sound, "Computed, and none of the checks raised a warning.".into()),
        (true, 1) => (Verdict::Careful, "Computed, with a warning.".into()),
        (true, count) => (Verdict::Careful, format!("Computed, with {count} warnings.")),
    };
    warned(Report::new(title).verdict(verdict, text), &fit.warnings)
}

/// A report of a test.
pub fn of_test(title: &str, found: &TestResult, warnings: &[String]) -> Report {
    let verdict = match (found.trustworthy, found.rejected || !warnings.is_empty()) {
        (false, _) => Verdict::Doubtful,
        (true, true) => Verdict::Careful,
        (true, false) => Verdict::Sound,
    };
    let text = format!("At the level {}, the model is {}.", found.level, test_verdict(found));
    warned(Report::new(title).verdict(verdict, text), &[&found.notes, warnings].concat())
}

/// A test, with its distribution under the hypothesis.
pub fn test_section(found: &TestResult) -> Section {
    let mut table = Table::new(1, ["", "value"]);
    let how = match found.null {
        Null::Wild => "random signs",
        Null::Parametric => "data drawn from the density",
    };
    for (name, value) in [
        ("squared discrepancy", significant(found.statistic)),
        ("on average under the model", significant(found.expected)),
        ("critical value", significant(found.critical)),
        ("level", significant(found.level)),
        ("p-value", significant(found.p_value)),
        ("draws", format!("{} ({how})", found.bootstrap)),
    ] {
        table.row(vec![name.into(), value]);
    }
    Section::new("Test of fit").text(test_verdict(found)).table(&table).picture(pictures::test(found))
}

/// A report with warnings.
pub fn warned(report: Report, warnings: &[String]) -> Report {
    warnings.iter().fold(report, |report, warning| report.warning(warning))
}

/// What was asked of the data and their region.
pub fn data_facts(mut report: Report, options: &DataOptions, input: &Input) -> Report {
    let (n, names) = (input.data.len(), input.matching.names());
    report = report
        .fact("data", format!("{}: {n} points, columns {}", shown_path(&options.data), names.join(", ")));
    for (what, column) in [("weights", &options.rows.weights), ("clusters", &options.rows.cluster)] {
        if let Some(column) = column {
            report = report.fact(what, format!("column {column}"));
        }
    }
    let file = |path: &Path| shown_path(path);
    report = match (&input.region.domain, &options.boundary) {
        (Some(domain), Some(path)) => {
            report.fact("region", format!("{} ({})", domain.describe(), file(path)))
        }
        (Some(domain), None) => report.fact("region", domain.describe()),
        (None, Some(path)) => {
            report.fact("region", format!("known by points on its boundary ({})", file(path)))
        }
        (None, None) => report.fact("region", "not truncated, or not taken into account"),
    };
    match &input.region.projection {
        Some(projection) => {
            let [longitude, latitude] = projection.center();
            report.fact(
                "projection",
                format!("equal areas, in kilometres about longitude {longitude:.4}, latitude {latitude:.4}"),
            )
        }
        None => report,
    }
}

/// How the answer was computed.
pub fn problem_facts(mut report: Report, problem: &Problem, model: &str, seed: u64) -> Report {
    let statistic = match problem.statistic() {
        Some(Statistic::V) => " (V-statistic)",
        Some(Statistic::U) => " (U-statistic)",
        None => "",
    };
    report = report.fact("model", model).fact("method", format!("{}{statistic}", problem.method().name()));
    if problem.boundary_points() > 0 {
        report = report.fact("boundary points", problem.boundary_points().to_string());
    }
    if let Some(kernel) = problem.kernel() {
        report =
            report.fact("kernel", format!("{}, bandwidth {}", kernel.name, significant(kernel.bandwidth)));
    }
    if let Some(ridge) = problem.ridge() {
        report = report.fact("ridge", ridge.to_string());
    }
    if let Some(compute) = problem.compute() {
        report = report.fact("pairs", format!("{} ({})", compute.describe(), compute.reason));
    }
    report.fact("seed", seed.to_string())
}

/// The estimates, and what was asked about them.
pub fn estimates(fit: &Fit, answers: &Answers) -> Section {
    let mut section =
        Section::new("Estimates").table(&parameter_table(fit.shown_parameters(), fit.confidence));
    if let Some(table) = answers.derived_table(fit.confidence) {
        section = section.text("Derived quantities:").table(&table);
    }
    if let Some(text) = answers.wald_sentence() {
        section = section.text(text);
    }
    let mut how = format!("Standard errors: {}", fit.covariance_type);
    if let Some(used) = &fit.bootstrap {
        how.push_str(&format!(" ({used})"));
    }
    how.push_str(
        ". z is the estimate over its standard error, and p the probability of one so far from zero if the parameter were zero",
    );
    if let Some(agreement) = fit.agreement() {
        how.push_str(&format!(". At the estimate: {agreement}"));
    }
    section.text(format!("{how}. Found in {} ({})", duration(fit.seconds.total), fit.convergence()))
}

/// Pictures of the density, of where it disagrees with the data, and of the boundary.
pub fn scene_sections(mut report: Report, scene: &Scene, problem: &Problem) -> Result<Report, Failure> {
    report = report.section(Section::new("Data and density").picture(pictures::density(scene)));
    report = report.section(Section::new("Where they disagree").picture(pictures::witness(scene, problem)?));
    Ok(report.section(boundary_section(scene, problem)?))
}

/// How well the boundary points stand for the boundary.
pub fn boundary_section(scene: &Scene, problem: &Problem) -> Result<Section, Failure> {
    let picture = pictures::coverage(scene, problem)?;
    let mut section = Section::new("Boundary");
    if let (Some(leak), Some(_)) = (problem.leak(), &picture) {
        section = section.text(format!(
            "{} boundary points; near the data they leave {:.2} % of the kernel on the boundary between them",
            problem.boundary_points(),
            100.0 * leak
        ));
    }
    Ok(section.picture(picture))
}

/// What the fit rests on.
pub fn diagnostics(found: &Diagnostics) -> Section {
    let mut table = Table::new(3, ["what", "value", "a warning when"]);
    let mut row = |what: &str, value: Option<String>, limit: String| {
        if let Some(value) = value {
            table.row(vec![what.into(), value, limit]);
        }
    };
    let size = |value: Option<f64>| value.map(|value| format!("{value:.1e}"));
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    row("condition of the boundary's kernel matrix", size(found.boundary_condition), "above 1e12".into());
    row("condition of the equations for the parameters", size(found.normal_condition), "above 1e8".into());
    if let Some(leverage) = &found.leverage {
        let value = format!("{} (row {}, {})", share(leverage.share), leverage.row, leverage.parameter);
        row(
            "largest share of one row in a variance",
            Some(value),
            format!("above {}", share(leverage.limit)),
        );
    }
    row("fitted density outside the region", found.mass_outside.map(share), "above 99 %".into());
    if let Some(apart) = &found.statistics_disagree {
        let value = format!("{:.2} standard errors ({})", apart.standard_errors, apart.parameter);
        row("V- and U-statistic apart by", Some(value), "above 1".into());
    }
    let section = Section::new("What it rests on");
    if table.rows().is_empty() { section } else { section.table(&table) }
}

/// The share of other settings that may move an estimate by more than a standard error. On samples of the fitted model in discs, boxes and the United States at most 5 of 17 did, on
/// the listings of Berlin, which are no Gaussian, 8.
const MOST_MOVED: f64 = 1.0 / 3.0;

/// How much the estimates depend on settings; computed for the report unless that takes too long.
pub fn sensitivity(
    report: Report,
    known: Option<&Sensitivity>,
    estimator: &Estimator,
    fit: &Fit,
    data: &Points,
    model: &dyn steinbound::model::Model,
    mapped: impl Fn(Sensitivity) -> Sensitivity,
) -> Report {
    let section = Section::new("Sensitivity");
    if !fit.method.has_kernel() || !fit.is_trustworthy() {
        return report;
    }
    let seconds = SENSITIVITY_FITS * fit.seconds.total;
    if known.is_none() && seconds > PATIENCE {
        return report.section(section.text(format!(
            "Other kernels, bandwidths and boundary points were not tried, which would take about {}; ask for it with --sensitivity",
            duration(seconds)
        )));
    }
    let computed = match known {
        Some(_) => None,
        None => match variants::as_fitted(estimator, fit).sensitivity(data, model) {
            Ok(found) => Some(mapped(found)),
            Err(error) => {
                return report.section(section.text(format!("Other settings could not be tried: {error}")));
            }
        },
    };
    let Some(found) = known.or(computed.as_ref()) else { return report };
    let tried = found.rows.len().saturating_sub(1);
    let is_moved = |row: &&SensitivityRow| {
        row.variant.is_fitted() && !row.agrees && row.difference.is_some_and(|moved| moved > 1.0)
    };
    let moved = found.rows.iter().skip(1).filter(is_moved).count();
    let section = section
        .text(&found.summary)
        .picture(pictures::sensitivity(found))
        .folded_table(&variants::sensitivity_table(found));
    match moved as f64 > MOST_MOVED * tried as f64 {
        true => report
            .warning(format!(
                "the answer depends on settings: {moved} of {tried} other kernels, bandwidths and numbers of boundary points move an estimate by more than a standard error, and by \
                 more than chance, as happens where the model does not fit; test it, and try another model"
            ))
            .section(section),
        false => report.section(section),
    }
}
