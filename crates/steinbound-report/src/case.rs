//! Pictures and reports of a prepared request and its answer.

use steinbound::Fit;
use steinbound::domain::Domain;
use steinbound::fit::{Problem, parameter_table};
use steinbound::text::with_article;
use steinbound_request::{Case, FitAnswer, Region, RegressionAnswer, RegressionCase, TestAnswer, tables};

use crate::{Report, Scene, Section, Verdict, pictures, sections};

/// How many features of a map a report lists.
const MOST_FEATURES: usize = 12;

/// The units of what is fitted on a plane.
const UNITS: &str =
    "means in degrees, covariances in square kilometres, bandwidth and distances in kilometres";

/// The region of the data and how it is projected, as names and values for a report. `file` is where its
/// boundary is from.
///
/// ```
/// use steinbound_request::Region;
/// let facts = steinbound_report::region_facts(&Region::default(), None);
/// assert_eq!(facts, [("region", "not truncated, or not taken into account".to_string())]);
/// ```
pub fn region_facts(region: &Region, file: Option<&str>) -> Vec<(&'static str, String)> {
    let file = file.map_or_else(String::new, |file| format!(" ({file})"));
    let text = match (&region.domain, &region.boundary) {
        (Some(domain), _) => format!("{}{file}", domain.describe()),
        (None, Some(_)) if region.normals.is_some() => {
            format!("known by points on its boundary, with normals{file}")
        }
        (None, Some(_)) => format!("known by points on its boundary{file}"),
        (None, None) => "not truncated, or not taken into account".into(),
    };
    let mut facts = vec![("region", text)];
    if let Some(map) = region.map.as_ref().filter(|map| !map.features.is_empty()) {
        let first: Vec<&str> = map.features.iter().take(MOST_FEATURES).map(String::as_str).collect();
        let more = map.features.len().saturating_sub(MOST_FEATURES);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        facts.push(("features", first.join(", ") + &more));
    }
    if region.outside.dropped > 0 {
        facts.push(("left out", format!("{} points outside the region", region.outside.dropped)));
    }
    if let Some([longitude, latitude]) = region.projection.as_ref().map(|projection| projection.center()) {
        let center = format!("longitude {longitude:.4}, latitude {latitude:.4}");
        facts.push(("projection", format!("equal areas, in kilometres about {center}")));
        facts.push(("units", UNITS.into()));
    }
    facts
}

impl<'a> Scene<'a> {
    /// The scene with what is known of the region of a case. Its parameters are those on the plane.
    pub fn in_region(self, case: &'a Case, problem: &'a Problem) -> Scene<'a> {
        let region = &case.region;
        let scene =
            self.domain(region.domain.as_deref()).boundary(problem.boundary()).seed(case.options.seed());
        match &region.projection {
            Some(_) => scene.labels(vec!["km to the east".into(), "km to the north".into()]).aspect(1.0),
            None if region.is_geographic && case.data.dimension() == 2 => {
                let latitude = case.data.mean()[1].clamp(-85.0, 85.0);
                scene.aspect(1.0 / latitude.to_radians().cos())
            }
            None => scene,
        }
    }
}

impl Report {
    /// A report of the fit of a density, with its verdict and its warnings.
    pub fn of_density(fit: &Fit) -> Report {
        Report::of_fit(
            format!("{} fit of {} model", fit.setup.method.name(), with_article(&fit.setup.model)),
            fit,
        )
    }

    /// A report of the fit of a regression, with its verdict and its warnings.
    pub fn of_regression(answer: &RegressionAnswer) -> Report {
        let fit = &answer.answer.fit;
        let method = fit.setup.method.name();
        let kind = if answer.answer.fit.setup.model == "regression" { "truncated" } else { "censored" };
        let page = Report::of_fit(format!("{method} fit of a {kind} regression of {}", answer.response), fit);
        match answer.answer.doubt {
            Some(_) => page.verdict(Verdict::Doubtful, "This result must not be trusted."),
            None => page,
        }
    }

    /// Adds how a fit was computed, the estimates, pictures, sensitivity and diagnostics.
    ///
    /// ```
    /// use steinbound::{Method, Points, model::Gaussian};
    /// use steinbound_report::Report;
    /// use steinbound_request::{Inference, ModelRequest, Request};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [2.5], [3.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let case = Request::new(&data, ModelRequest::Given(&model), Method::MLE).prepare(&())?;
    /// let problem = case.fitting_problem()?;
    /// let answer = case.fit(&problem, &Inference::default(), &())?;
    /// let page = Report::of_fit("A fit", &answer.fit).fit(&case, &problem, &answer).to_html()?;
    /// assert!(page.contains("mean[x1]") && page.contains("<svg"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(self, case: &Case, problem: &Problem, answer: &FitAnswer) -> Report {
        let scene = Scene::of(&case.data, case.model(), &answer.flat).in_region(case, problem);
        let page = self.problem_facts(problem, case.model().name(), case.options.seed());
        let page = answer.selection.iter().fold(page, |page, found| page.section(sections::selection(found)));
        let page = page
            .section(sections::estimates(&answer.fit, &answer.derived, answer.wald.as_ref()))
            .scene(&scene, problem)
            .section(sections::sensitivity(&answer.sensitivity))
            .heeding(&answer.sensitivity);
        answer.diagnostics.iter().fold(page, |page, found| page.section(sections::diagnostics(found)))
    }

    /// Adds how a test was computed, its result, and the estimates where they were fitted.
    ///
    /// ```
    /// use steinbound::{Method, Points, model::Gaussian};
    /// use steinbound_report::Report;
    /// use steinbound_request::{ModelRequest, Request};
    /// let data = Points::new((0..40).map(|i| 2.0 + 0.05 * f64::from(i)).collect::<Vec<_>>(), 1)?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let case = Request::new(&data, ModelRequest::Given(&model), Method::KSD).prepare(&())?;
    /// let problem = case.tuned_problem(&())?;
    /// let answer = case.test(&problem, None, &())?;
    /// let page = Report::of_test("A test", &answer.result, &answer.warnings);
    /// assert!(page.test(&case, &problem, &answer).to_html()?.contains("mean[x1]"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn test(self, case: &Case, problem: &Problem, answer: &TestAnswer) -> Report {
        let model = case.model();
        let mut page = self
            .problem_facts(problem, model.name(), case.options.seed())
            .section(sections::test(&answer.result));
        if let Some(at) = &answer.at {
            page = page.section(sections::given(&case.parameter_names(), at));
        }
        let scene = match (&answer.flat, &answer.flat_at) {
            (Some(fit), _) => Scene::of(&case.data, model, fit),
            (None, at) => Scene::at(&case.data, model, at.as_deref().unwrap_or_default()),
        };
        if let Some(fit) = &answer.fit {
            let table = parameter_table(fit.shown_parameters(), fit.confidence);
            page = page.section(Section::new("Estimates").table(&table));
        }
        page.scene(&scene.in_region(case, problem), problem)
    }

    /// The same for a regression, with its test and predictions where there are any.
    pub fn regression(
        self,
        regression: &RegressionCase,
        case: &Case,
        problem: &Problem,
        answer: &RegressionAnswer,
    ) -> Report {
        let (found, prepared) = (&answer.answer, &regression.prepared);
        let fit = &found.fit;
        let page = match prepared.censored_counts() {
            Some([low, high]) => {
                self.fact("censored responses", format!("{} of {}", low + high, prepared.points.len()))
            }
            None => self,
        };
        let mut page = page
            .problem_facts(problem, "regression", case.options.seed())
            .section(sections::estimates(fit, &found.derived, found.wald.as_ref()))
            .section(
                Section::new("Responses")
                    .picture(pictures::regression(prepared, fit))
                    .picture(pictures::coefficients(&prepared.points, fit)),
            );
        if let Some(test) = &found.test {
            page = page.section(sections::test(test));
        }
        if let Some(effects) = &answer.effects {
            let found = tables::effects::tables(effects, &fit.table_style()).into_iter();
            let section = Section::new("Effects");
            page = page.section(
                found.fold(section, |section, (heading, table)| section.text(heading).table(&table)),
            );
        }
        if let Some(predictions) = &answer.predictions {
            let table = tables::predictions::table(predictions, &fit.table_style());
            let title = match regression.predicted() {
                "response" => "Predictions".to_string(),
                function => format!("Predictions of {function}"),
            };
            page = page.section(Section::new(&title).table(&table));
        }
        let scene = Scene::of(&prepared.points, prepared.fitted_model(), fit).boundary(problem.boundary());
        let scene = scene.domain(prepared.domain.as_deref().map(|domain| domain as &dyn Domain));
        let page = page
            .section(sections::boundary(&scene, problem))
            .section(sections::sensitivity(&found.sensitivity))
            .heeding(&found.sensitivity);
        found.diagnostics.iter().fold(page, |page, found| page.section(sections::diagnostics(found)))
    }
}
