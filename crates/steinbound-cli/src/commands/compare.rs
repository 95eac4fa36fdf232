use clap::Args;
use steinbound::Method;
use steinbound::domain::Domain;
use steinbound::fit::DistanceKind;
use steinbound::model::{FAMILIES, Family};
use steinbound_report::{Report, Scene, Section, pictures, sections};
use steinbound_request::{
    ChosenModel, Components, ModelRequest, NamedModel, Situation, choices, default_methods, distinct,
    family_models, options, reference_method, tables,
};

use crate::arguments::{self, Confidence, Density, Given, Testing};
use crate::facts;
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::model::covariance;
use crate::options::{DataOptions, Format, GeneralOptions, MethodSettings, WORDING, together};
use crate::output::Output;
use crate::pictures::PictureOptions;

/// Fit several methods and models to the same data and lay them side by side.
///
/// The discrepancy of every fitted density is measured with the same kernel, bandwidth, ridge and boundary,
/// whatever method fitted it. It is that of the data which were fitted: more parameters come closer, needed
/// or not; --test compares it with what chance gives.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help compare' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound compare points.csv --domain \"ball(radius=1.44)\" --known-covariance 1
  steinbound compare points.csv --boundary border.csv --method tksd,truncsm,mle
  steinbound compare modes.csv --domain \"box(low=-3, high=3)\" \\
      --boundary-points 100 --method tksd --known-covariance 1 \\
      --model gaussian,gaussian-mixture --components 2,3
  steinbound compare points.csv --boundary border.csv --known-covariance 1 \\
      --method tksd,ksd --test
  steinbound compare points.csv --boundary border.csv --format json

The exit code is 3 only where no fit can be trusted.")]
pub struct Compare {
    #[command(flatten)]
    pub data: DataOptions,
    /// The models [default: gaussian].
    #[arg(help_heading = "Model", long, value_name = "MODEL,..", value_delimiter = ',', value_parser = arguments::model())]
    pub model: Vec<&'static dyn Family>,
    /// The numbers of components of mixtures, such as 1,2 or 1..3, each a model of its own.
    #[arg(
        help_heading = "Model",
        long,
        value_name = "K,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub components: Vec<Components>,
    #[command(flatten)]
    pub density: Given<Density>,
    /// The methods [default: all that use what is known of the boundary].
    #[arg(help_heading = "Method", long, value_name = "METHOD,..", value_delimiter = ',', value_parser = arguments::method())]
    pub method: Vec<Method>,
    #[command(flatten)]
    pub settings: MethodSettings,
    #[command(flatten)]
    pub confidence: Given<Confidence>,
    /// Test the goodness of fit of every model that was fitted by tksd, bdksd or ksd.
    #[arg(long, help_heading = "Inference")]
    pub test: bool,
    #[command(flatten)]
    pub testing: Given<Testing>,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Compare {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.testing.goodness_of_fit()?;
        self.pictures.check()?;
        let reference = reference_method(self.data.boundary.is_some() || self.data.domain.is_some());
        let situation = Situation::new(reference, &self.testing, WORDING).tested(self.test);
        situation.test_notes().iter().for_each(|note| output.note(note));
        let models = self.models(output)?;
        let given =
            [&self.data.given(), &*self.settings.given, &*self.confidence, &*self.testing, &*self.density];
        let options = together(&self.general, given);
        let first = || -> Result<ModelRequest<'static>, Failure> { Ok(models[0].model.clone()) };
        let (general, data, verbose) = (&self.general, &self.data, self.settings.verbose);
        let input = Input::read(general, data, first, reference, options, None, verbose, output)?;
        let methods = match self.method.is_empty() {
            true => default_methods(&input.region),
            false => distinct("method", &self.method, |method| method.name().into(), WORDING, output),
        };
        self.note_unused(&methods, &input, output);
        let problem = input.problem(output)?;
        let answer = input.compare(&problem, &methods, &models, self.test, output)?;
        let comparison = &answer.comparison;
        match general.format {
            Format::Json => output.json(&answer)?,
            Format::Table => output.document(&tables::comparison::document(comparison))?,
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        self.pictures.plot(|| Ok(pictures::comparison(comparison)), output)?;
        let components: Vec<String> = self.components.iter().map(ToString::to_string).collect();
        let page = || -> Result<Report, Failure> {
            let (warnings, notes): (Vec<_>, Vec<_>) =
                answer.remarks.iter().partition(|remark| remark.is_warning);
            let of_fits = warnings.iter().map(|remark| remark.text.as_str());
            let warnings: Vec<&str> =
                problem.warnings().iter().map(|warning| warning.text()).chain(of_fits).collect();
            let knows_region = reference.uses().knows_boundary();
            let title = "Methods and models side by side";
            let page = Report::of_comparison(title, comparison, knows_region, &warnings);
            let page = notes.iter().fold(page, |page, note| page.note(&note.text));
            let page = page
                .facts(facts::of_data(data, &input))
                .facts(facts::of_model(&self.density, &components))
                .fact("seed", general.seed.to_string());
            let built = models.iter().map(|named| named.model.build(&input.data, None, WORDING));
            let built = built.collect::<Result<Vec<ChosenModel>, _>>()?;
            let contenders =
                built.iter().flat_map(|chosen| methods.iter().map(move |_| chosen.model.as_model()));
            let fitted = contenders.zip(&answer.flat).zip(&comparison.fits).enumerate();
            let scenes: Vec<(String, Scene)> = fitted
                .filter_map(|(k, ((model, fit), row))| {
                    let name = format!("[{}] {}, {}", k + 1, row.method.name(), row.label);
                    Some((name, Scene::of(&input.data, model, fit.as_ref()?).in_region(&input, &problem)))
                })
                .collect();
            let [fits, estimates] = sections::comparison(comparison);
            let densities = Section::new("Data and densities").picture(pictures::compared(&scenes));
            Ok(page.section(fits).section(densities).section(estimates))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::of(answer.is_sound))
    }

    /// The models, and what tables call them.
    fn models(&self, output: &Output) -> Result<Vec<NamedModel<'static>>, Failure> {
        if let Some(formula) = self.density.formula() {
            return Ok(vec![NamedModel::new(formula, "formula")]);
        }
        if self.density.is_given(&options::START) {
            return Err(Failure::input(
                "--start is for --log-density here; mixtures are fitted from starts of their own",
            ));
        }
        let families = match self.model.is_empty() {
            true => vec![FAMILIES[0]],
            false => distinct("model", &self.model, |family| family.name().into(), WORDING, output),
        };
        let components: Vec<usize> = self.components.iter().flat_map(|range| range.numbers()).collect();
        let components = distinct("components", &components, usize::to_string, WORDING, output);
        let common = self.density.family(covariance(&self.density)?, WORDING)?;
        Ok(family_models(&families, &components, &common))
    }

    /// Notes which options neither the discrepancy nor any method uses.
    fn note_unused(&self, methods: &[Method], input: &Input, output: &Output) {
        let mut given = input.options.clone();
        if methods.iter().any(|method| method.has_distance()) {
            let domain = input.region.domain.as_deref().map(|domain| domain as &dyn Domain);
            let asked = given.choice(&options::DISTANCE, choices::distance());
            let is_nearest = |method: &Method| {
                method.has_distance() && method.uses().distance(asked, domain) == DistanceKind::Nearest
            };
            if methods.iter().any(is_nearest) {
                given.unset(&options::DISTANCE_NORM);
            }
            given.unset(&options::DISTANCE);
            given.unset(&options::DISTANCE_POWER);
        }
        if methods.iter().any(|method| method.uses().boundary_normals) {
            given.unset(&options::BOUNDARY_NORMALS);
        }
        input.situation().with_options(&given).all_notes().iter().for_each(|note| output.note(note));
    }
}
