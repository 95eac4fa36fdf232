//! Reports of fits and tests: verdict, warnings and settings.

use steinbound::fit::Problem;
use steinbound::inference::{Compared, Comparison, Sensitivity, TestResult};
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

/// Places as the numbers of a table: `[1], [2] and [4]`.
fn numbered(places: &[usize]) -> String {
    let mut names: Vec<String> = places.iter().map(|k| format!("[{}]", k + 1)).collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
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

    /// A report of several fits of the same data, with what their checks and tests say, and warnings about the data
    /// and the fits. `is_truncated` says whether a boundary is known, which some methods ignore.
    pub fn of_comparison(
        title: impl Into<String>,
        found: &Comparison,
        is_truncated: bool,
        warnings: &[impl AsRef<str>],
    ) -> Report {
        let places = |holds: &dyn Fn(&Compared, &Fit) -> bool| -> Vec<usize> {
            let rows = found.fits.iter().enumerate();
            rows.filter(|(_, row)| row.fit.as_ref().is_some_and(|fit| holds(row, fit)))
                .map(|(k, _)| k)
                .collect()
        };
        let (all, trusted) = (found.fits.len(), places(&|_, fit| fit.is_trustworthy()).len());
        let mut text = match (trusted, warnings.len()) {
            (0, _) => "No fit can be trusted.".to_string(),
            (_, 0) if trusted == all => format!("No check of {all} fits raised a warning."),
            (_, 1) if trusted == all => format!("{all} fits computed, with a warning."),
            (_, count) if trusted == all => format!("{all} fits computed, with {count} warnings."),
            _ => format!("{} of {all} fits are doubtful or could not be computed.", all - trusted),
        };
        let rejected = places(&|row, _| row.test.as_ref().is_some_and(|test| test.rejected));
        let ignorant = places(&|row, _| is_truncated && !row.method.uses().knows_boundary());
        for (rows, [one, more]) in [
            (&rejected, ["is rejected by its test", "are rejected by their tests"]),
            (&ignorant, ["ignores the truncation", "ignore the truncation"]),
        ] {
            if !rows.is_empty() {
                let verb = if rows.len() == 1 { one } else { more };
                text.push_str(&format!(" {} {verb}.", numbered(rows)));
            }
        }
        let is_sound = trusted == all && warnings.is_empty() && rejected.is_empty() && ignorant.is_empty();
        let verdict = match (trusted, is_sound) {
            (0, _) => Verdict::Doubtful,
            (_, true) => Verdict::Sound,
            (_, false) => Verdict::Careful,
        };
        Report::new(title).verdict(verdict, text).warnings(warnings)
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
    fn a_comparison_names_what_no_check_warns_of() {
        use steinbound::inference::Contender;
        use steinbound::model::Gaussian;
        use steinbound::{Estimator, Points};
        let rows: Vec<[f64; 1]> = (0..60).map(|k| [0.5 + 0.45 * (f64::from(k) * 0.7).sin()]).collect();
        let data = Points::from_rows(&rows).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let contenders = [Estimator::ksd(), Estimator::mle()].map(|method| Contender::new(method, &model));
        let reference = contenders[0].estimator.check(&data, &model).unwrap();
        let mut found = Comparison::run(&reference, &contenders, &data, None);
        let page = |found: &Comparison, is_truncated: bool, warnings: &[&str]| {
            Report::of_comparison("c", found, is_truncated, warnings).to_html().unwrap()
        };
        assert!(page(&found, false, &[]).contains("verdict sound\">No check of 2 fits raised a warning."));
        let text = page(&found, true, &["it is odd"]);
        assert!(
            text.contains("verdict careful\">2 fits computed, with a warning. [1] and [2] ignore"),
            "{text}"
        );
        // A test of the first rejects it.
        let settings = steinbound::inference::GoodnessOfFit::new();
        found = Comparison::run(&reference, &contenders, &data, Some(&settings));
        if let Some(test) = &mut found.fits[0].test {
            test.rejected = true;
        }
        let text = page(&found, false, &[]);
        let words = "verdict careful\">No check of 2 fits raised a warning. [1] is rejected by its test.";
        assert!(text.contains(words), "{text}");
        found.fits.iter_mut().for_each(|row| row.fit = None);
        assert!(page(&found, false, &[]).contains("verdict doubtful\">No fit can be trusted."));
        assert_eq!(numbered(&[0, 2, 4]), "[1], [3] and [5]");
    }

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
