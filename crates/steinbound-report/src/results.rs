//! Reports of fits and tests: verdict, warnings and settings.

use steinbound::fit::Problem;
use steinbound::inference::{Sensitivity, TestResult};
use steinbound::stein::Statistic;
use steinbound::text::{setting, significant};
use steinbound::{Fit, Warning};
use steinbound_request::sensitivity::SensitivityOutcome;
use steinbound_request::tables;

use crate::{Report, Scene, Section, Verdict, pictures, sections};

/// Moves of an estimate under other settings, in standard errors, that a reader should know before the number.
const LARGE_MOVE: f64 = 2.0;

/// What fits under other settings say against the fit, where that is much and there is no warning of it.
fn concern(found: &Sensitivity) -> Option<String> {
    let refused = found.rows.iter().filter(|row| !row.variant.is_fitted()).count();
    let moved = if found.warning.is_none() { found.largest } else { 0.0 };
    concern_about(moved, refused, found.rows.len().saturating_sub(1))
}

fn concern_about(moved: f64, refused: usize, others: usize) -> Option<String> {
    let mut reasons = Vec::new();
    if moved > LARGE_MOVE {
        reasons.push(format!("an estimate moves by up to {moved:.2} standard errors"));
    }
    if 2 * refused > others {
        reasons.push(format!("{refused} of {others} fits are refused"));
    }
    let reasons = reasons.join(", and ");
    (!reasons.is_empty()).then(|| format!("Under other settings {reasons}: see Sensitivity."))
}

impl Report {
    /// A report of a fit, with its verdict and its warnings.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// use steinbound_report::Report;
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!(Report::of_fit("A fit", &fit).to_html()?.contains("none of the checks raised a warning"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_fit(title: impl Into<String>, fit: &Fit) -> Report {
        let (verdict, text) = match (fit.is_trustworthy(), fit.warnings.len()) {
            (false, _) => (Verdict::Doubtful, "This result must not be trusted.".to_string()),
            (true, 0) => (Verdict::Sound, "Computed, and none of the checks raised a warning.".into()),
            (true, 1) => (Verdict::Careful, "Computed, with a warning.".into()),
            (true, count) => (Verdict::Careful, format!("Computed, with {count} warnings.")),
        };
        Report::new(title).verdict(verdict, text).warnings(&fit.warnings)
    }

    /// Says beside the verdict what fits under other settings say against it.
    pub(crate) fn heeding(self, outcome: &SensitivityOutcome) -> Report {
        match outcome.found().and_then(concern) {
            Some(concern) => self.with_concern(&concern),
            None => self,
        }
    }

    /// Takes back that all is well, and says why.
    fn with_concern(self, concern: &str) -> Report {
        match self.verdict.clone() {
            Some((Verdict::Sound, _)) => self.verdict(Verdict::Careful, format!("Computed. {concern}")),
            Some((Verdict::Careful, text)) => self.verdict(Verdict::Careful, format!("{text} {concern}")),
            _ => self,
        }
    }

    /// A report of a test, with its verdict, its notes, and warnings about the data and the fit.
    pub fn of_test(title: impl Into<String>, found: &TestResult, warnings: &[Warning]) -> Report {
        let verdict = match (found.trustworthy, found.rejected || !warnings.is_empty()) {
            (false, _) => Verdict::Doubtful,
            (true, true) => Verdict::Careful,
            (true, false) => Verdict::Sound,
        };
        let text = format!("At the level {}, the model is {}.", found.level, tables::test::verdict(found));
        let report = Report::new(title).verdict(verdict, text).warnings(warnings);
        // Notes on a level that cannot be relied on give the reason.
        match found.trustworthy {
            true => found.notes.iter().fold(report, Report::note),
            false => report.warnings(&found.notes),
        }
    }

    /// Adds the settings of a problem, the name of its model and the seed.
    pub fn problem_facts(self, problem: &Problem, model: &str, seed: u64) -> Report {
        let statistic = match problem.setup().statistic {
            Some(Statistic::V) => " (V-statistic)",
            Some(Statistic::U) => " (U-statistic)",
            None => "",
        };
        let mut facts =
            vec![("model", model.to_string()), ("method", format!("{}{statistic}", problem.method().name()))];
        if problem.setup().m > 0 {
            facts.push(("boundary points", problem.setup().m.to_string()));
        }
        if let Some(kernel) = &problem.setup().kernel {
            facts.push(("kernel", format!("{}, bandwidth {}", kernel.name, significant(kernel.bandwidth))));
        }
        if let Some(ridge) = problem.setup().ridge {
            facts.push(("ridge", setting(ridge)));
        }
        if let Some(compute) = &problem.setup().compute {
            facts.push(("pairs", format!("{} ({})", compute.describe(), compute.reason)));
        }
        facts.push(("seed", seed.to_string()));
        self.facts(facts)
    }

    /// Adds pictures of the density, of its disagreement with the data, and of the boundary.
    pub fn scene(self, scene: &Scene, problem: &Problem) -> Report {
        self.section(Section::new("Data and density").picture(pictures::density(scene)))
            .section(Section::new("Where they disagree").drawn(pictures::witness(scene, problem)))
            .section(sections::boundary(scene, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_does_not_contradict_other_settings() {
        assert_eq!(concern_about(1.9, 8, 17), None);
        let concern = concern_about(3.468, 9, 17).unwrap();
        let words = "Under other settings an estimate moves by up to 3.47 standard errors, and 9 of 17 fits are refused: \
                     see Sensitivity.";
        assert_eq!(concern, words);
        assert!(concern_about(0.0, 9, 17).unwrap().starts_with("Under other settings 9 of 17"));
        let page = |verdict: Verdict, text: &str| {
            Report::new("r").verdict(verdict, text).with_concern(&concern).to_html().unwrap()
        };
        let sound = page(Verdict::Sound, "Computed, and none of the checks raised a warning.");
        assert!(sound.contains(&format!("verdict careful\">Computed. {words}")), "{sound}");
        let careful = page(Verdict::Careful, "Computed, with a warning.");
        assert!(
            careful.contains(&format!("verdict careful\">Computed, with a warning. {words}")),
            "{careful}"
        );
        assert!(page(Verdict::Doubtful, "No.").contains("verdict doubtful\">No."));
    }
}
