//! Pictures and reports of a prepared request and its answer.

use steinbound::fit::Problem;
use steinbound_request::{Case, FitAnswer};

use crate::{Report, Scene, sections};

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
        let page = self
            .problem_facts(problem, case.model().name(), case.options.seed())
            .section(sections::estimates(&answer.fit, &answer.derived, answer.wald.as_ref()))
            .scene(&scene, problem)
            .section(sections::sensitivity(&answer.sensitivity));
        answer.diagnostics.iter().fold(page, |page, found| page.section(sections::diagnostics(found)))
    }
}
