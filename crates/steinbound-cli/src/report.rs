//! The parts of which reports are made.

use std::path::Path;

use steinbound::Fit;
use steinbound::fit::{Problem, parameter_table};
use steinbound::inference::{Diagnostics, TestResult};
use steinbound::stein::Statistic;
use steinbound::text::{Table, duration, significant};
use steinbound_report::{Picture, Report, Scene, Section, Verdict, pictures};

use crate::commands::{test_draws, test_verdict};
use crate::input::Input;
use crate::options::{DataOptions, DensityOptions};
use crate::questions::Answers;
use crate::variants::{self, Tried};

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
    let report = warned(Report::new(title).verdict(verdict, text), warnings);
    found
        .notes
        .iter()
        .fold(report, |report, note| if found.trustworthy { report.note(note) } else { report.warning(note) })
}

/// A test, with its distribution under the hypothesis.
pub fn test_section(found: &TestResult) -> Section {
    let mut table = Table::new(1, ["", "value"]);
    let how = test_draws(found);
    for (name, value) in [
        ("squared discrepancy", significant(found.statistic)),
        ("on average under the model", significant(found.expected)),
        ("critical value", significant(found.critical)),
        ("level", found.level.to_string()),
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
    report =
        report.fact("data", format!("{}: {n} points, columns {}", options.data.display(), names.join(", ")));
    for (what, column) in [("weights", &options.rows.weights), ("clusters", &options.rows.cluster)] {
        if let Some(column) = column {
            report = report.fact(what, format!("column {column}"));
        }
    }
    let file = |path: &Path| path.display().to_string();
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

/// What was said of the model, or of several with so many components.
pub fn model_facts(mut report: Report, density: &DensityOptions, components: &[usize]) -> Report {
    let components: Vec<String> = components.iter().map(usize::to_string).collect();
    let facts = [
        ("log-density", density.log_density.clone()),
        ("components", (!components.is_empty()).then(|| components.join(", "))),
        ("known covariance", density.known_covariance.clone()),
        ("start", density.start.as_ref().map(ToString::to_string)),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            report = report.fact(name, value);
        }
    }
    report
}

/// How the answer was computed.
pub fn problem_facts(mut report: Report, problem: &Problem, model: &str, seed: u64) -> Report {
    let statistic = match problem.setup().statistic {
        Some(Statistic::V) => " (V-statistic)",
        Some(Statistic::U) => " (U-statistic)",
        None => "",
    };
    report = report.fact("model", model).fact("method", format!("{}{statistic}", problem.method().name()));
    if problem.setup().m > 0 {
        report = report.fact("boundary points", problem.setup().m.to_string());
    }
    if let Some(kernel) = problem.setup().kernel.as_ref() {
        report =
            report.fact("kernel", format!("{}, bandwidth {}", kernel.name, significant(kernel.bandwidth)));
    }
    if let Some(ridge) = problem.setup().ridge {
        report = report.fact("ridge", ridge.to_string());
    }
    if let Some(compute) = problem.setup().compute.as_ref() {
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
pub fn scene_sections(report: Report, scene: &Scene, problem: &Problem) -> Report {
    report
        .section(Section::new("Data and density").picture(pictures::density(scene)))
        .section(drawn(Section::new("Where they disagree"), pictures::witness(scene, problem)))
        .section(boundary_section(scene, problem))
}

/// A section with its picture, or the reason why there is none: a finished answer does not fail for it.
fn drawn(section: Section, picture: Result<Option<Picture>, steinbound::Error>) -> Section {
    match picture {
        Ok(picture) => section.picture(picture),
        Err(error) => section.text(format!("This cannot be drawn: {error}")),
    }
}

/// How well the boundary points stand for the boundary.
pub fn boundary_section(scene: &Scene, problem: &Problem) -> Section {
    let picture = pictures::coverage(scene, problem);
    let mut section = Section::new("Boundary");
    if let (Some(leak), Ok(Some(_))) = (problem.setup().leak, &picture) {
        let (points, left) = (problem.setup().m, format!("{:.2} %", 100.0 * leak));
        section = section.text(match scene.has_domain() {
            true => format!("{points} boundary points; near the data they leave {left} of the kernel on the boundary between them"),
            false => format!(
                "{points} boundary points. Where each of them is, the others leave {left} of the kernel on average. Nothing more of the boundary is known: a part of it \
                 without points goes unseen here, and biases the estimate"
            ),
        });
    }
    if let Some(tie) = problem.tie() {
        let [strength, limit] = [tie.strength, tie.limit].map(|share| format!("{:.1} %", 100.0 * share));
        let verdict = if tie.strength > tie.limit { "more than" } else { "within" };
        section = section.text(format!(
            "The kernel ties the data to the boundary by {strength} of what ties them to each other, {verdict} the {limit} that do no harm with so many observations"
        ));
    }
    drawn(section, picture)
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
    let tie = found.tie.as_ref();
    row(
        "tie of the data to the boundary",
        tie.map(|tie| share(tie.strength)),
        tie.map_or_else(String::new, |tie| format!("above {}", share(tie.limit))),
    );
    row("condition of the boundary's kernel matrix", size(found.boundary_condition), "above 1e12".into());
    row("condition of the equations for the parameters", size(found.normal_condition), "above 1e8".into());
    if let Some(leverage) = &found.leverage {
        let value = format!("{} (row {}, {})", share(leverage.share), leverage.row, leverage.parameter);
        row(
            "largest share of one row, or cluster, in a variance",
            Some(value),
            format!("above {}", share(leverage.limit)),
        );
    }
    row("fitted density outside the region", found.mass_outside.map(share), "above 99 %".into());
    if let Some(moves) = &found.boundary_moves {
        let value = format!("{:.2} standard errors ({})", moves.standard_errors, moves.parameter);
        row("a better known boundary moves it by", Some(value), "above 2".into());
    }
    if let Some(apart) = &found.statistics_disagree {
        let value = format!("{:.2} standard errors ({})", apart.standard_errors, apart.parameter);
        row("V- and U-statistic apart by", Some(value), "above 1".into());
    }
    let section = Section::new("What it rests on");
    if table.rows().is_empty() { section } else { section.table(&table) }
}

/// How much the estimates depend on settings, or why that is not known.
pub fn sensitivity(found: &Tried) -> Section {
    let section = Section::new("Sensitivity");
    match found {
        Tried::Nothing => section,
        Tried::Refused(reason) => section.text(reason),
        Tried::Found(found) => section
            .text(&found.summary)
            .picture(pictures::sensitivity(found))
            .folded_table(&variants::sensitivity_table(found)),
    }
}
