use clap::Args;
use serde::Serialize;
use steinbound::Method;
use steinbound::fit::DistanceKind;
use steinbound::inference::{Compared, Comparison, Contender};
use steinbound_report::{Report, Section, pictures};

use super::comparison_table;
use crate::choices;
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::interrupt;
use crate::model::Chosen;
use crate::options::{
    DataOptions, DensityOptions, Format, GeneralOptions, MethodOptions, MethodSettings, ModelKind,
    ModelOptions, note_unused, number,
};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::progress::Bar;
use crate::report;
use crate::resampling::TestOptions;

/// Fit several methods and models to the same data and lay them side by side.
///
/// The discrepancy of every fitted density is measured with the same kernel, bandwidth, ridge and boundary, whatever method fitted it. It is that of the
/// data which were fitted: more parameters come closer, needed or not; --test tells what chance would do.
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
    #[arg(help_heading = "Model", long, value_name = "MODEL,..", value_delimiter = ',', value_parser = choices::model())]
    pub model: Vec<ModelKind>,
    /// The numbers of components of mixtures, each a model of its own.
    #[arg(
        help_heading = "Model",
        long,
        value_name = "K,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub components: Vec<usize>,
    #[command(flatten)]
    pub density: DensityOptions,
    /// The methods [default: all that use what is known of the boundary].
    #[arg(help_heading = "Method", long, value_name = "METHOD,..", value_delimiter = ',', value_parser = choices::method())]
    pub method: Vec<Method>,
    #[command(flatten)]
    pub settings: MethodSettings,
    /// The confidence level of intervals.
    #[arg(help_heading = "Inference", long, default_value = "0.95", value_name = "LEVEL", value_parser = number, allow_hyphen_values = true)]
    pub confidence: f64,
    /// Test the goodness of fit of every model that was fitted by tksd, bdksd or ksd.
    #[arg(long, help_heading = "Inference")]
    pub test: bool,
    #[command(flatten)]
    pub testing: TestOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// A comparison and what else is known of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<serde_json::Value>,
}

impl Compare {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        let settings = self.testing.settings()?;
        self.pictures.check()?;
        self.testing.note_unused(self.test, output);
        let models = self.models(output)?;
        let reference = self.reference(self.settings.clone());
        let input = Input::read(&self.general, &self.data, &models[0].0, &reference, None, output)?;
        let methods = self.methods(&input, output);
        self.note_unused(&methods, &models[0].0, &input, output);
        let chosen: Vec<(Chosen, &String)> = models
            .iter()
            .map(|(options, label)| Ok((options.build(&input.data, None)?, label)))
            .collect::<Result<_, Failure>>()?;
        let contenders: Vec<Contender> = chosen
            .iter()
            .flat_map(|(chosen, label)| methods.iter().map(move |method| (chosen, *label, *method)))
            .map(|(chosen, label, method)| {
                let estimator = input.estimator.clone().method(method).confidence(self.confidence);
                let mut contender = Contender::new(estimator, chosen.model.as_ref());
                contender.is_tuned = self.settings.is_tuned();
                contender.label = label.clone();
                contender
            })
            .collect();
        let problem = input.problem(output)?;
        let bar = Bar::new("test", self.general.quiet);
        let tell = |done: usize, total: usize| bar.tell(done, total);
        let settings = settings.progress(&tell);
        let test = self.test.then_some(&settings);
        let mut comparison = Comparison::run(&problem, &contenders, &input.data, test);
        drop(bar);
        if interrupt::is_asked() {
            return Err(Failure::Interrupted);
        }
        for (row, contender) in comparison.fits.iter_mut().zip(&contenders) {
            row.fit = row.fit.take().map(|fit| input.region.out_of_plane(contender.model, fit));
        }
        if comparison.fits.iter().all(|row| row.fit.is_none()) {
            let reason = |row: &Compared| {
                let why = row.reason.as_deref().unwrap_or_default();
                format!("{}, {}: {why}", row.method.name(), row.label)
            };
            let reasons: Vec<String> = comparison.fits.iter().map(reason).collect();
            return Err(Failure::input(format!("no candidate could be fitted\n  {}", reasons.join("\n  "))));
        }
        let remarks = remarks(&comparison, problem.warnings());
        for (is_warning, text) in &remarks {
            if *is_warning { output.warn(text) } else { output.note(text) }
        }
        match self.general.format {
            Format::Json => output
                .json(&Printed { comparison: &comparison, projection: input.region.shown_projection() })?,
            Format::Table => comparison_table::print(&comparison, output)?,
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        self.pictures.plot(|| Ok(pictures::comparison(&comparison)), output)?;
        let page = || -> Result<Report, Failure> {
            let mut page = report::warned(Report::new("Methods and models side by side"), problem.warnings());
            for (is_warning, text) in &remarks {
                page = if *is_warning { page.warning(text) } else { page.note(text) };
            }
            let page = report::data_facts(page, &self.data, &input);
            let page = report::model_facts(page, &self.density, &self.components)
                .fact("seed", self.general.seed.to_string());
            let mut fits = Section::new("Fits").table(&comparison_table::fits(&comparison));
            for line in comparison_table::reasons(&comparison) {
                fits = fits.text(line);
            }
            let measured = comparison_table::reference(&comparison).unwrap_or_default();
            let fits = fits.text(format!(
                "{measured}. It is that of the data which were fitted: more parameters come closer, needed or not"
            ));
            let estimates = Section::new("Estimates")
                .picture(pictures::comparison(&comparison))
                .table(&comparison_table::parameters(&comparison));
            Ok(page.section(fits).section(estimates))
        };
        self.pictures.report(page, output)?;
        printed?;
        let is_sound = |row: &Compared| row.fit.as_ref().is_some_and(steinbound::Fit::is_trustworthy);
        Ok(if comparison.fits.iter().any(is_sound) { Verdict::Fine } else { Verdict::Doubtful })
    }

    /// The methods without repetitions, or those that use what is known.
    fn methods(&self, input: &Input, output: &Output) -> Vec<Method> {
        if !self.method.is_empty() {
            return distinct("--method", &self.method, |method| method.name().into(), output);
        }
        match (&input.region.domain, &input.region.boundary) {
            (Some(_), _) => vec![Method::TKSD, Method::BDKSD, Method::TRUNCSM, Method::TRUNCATED_MLE],
            (None, Some(_)) => vec![Method::TKSD, Method::BDKSD, Method::TRUNCSM],
            (None, None) => vec![Method::KSD, Method::MLE],
        }
    }

    /// The method whose discrepancy all densities are measured with.
    fn reference(&self, settings: MethodSettings) -> MethodOptions {
        let knows_boundary = self.data.boundary.is_some() || self.data.domain.is_some();
        MethodOptions { method: if knows_boundary { Method::TKSD } else { Method::KSD }, settings }
    }

    /// The options of each model, and what the table calls it.
    fn models(&self, output: &Output) -> Result<Vec<(ModelOptions, String)>, Failure> {
        let of = |model, components, density| ModelOptions { model, components, density };
        if self.density.log_density.is_some() {
            return Ok(vec![(of(None, None, self.density.clone()), "formula".into())]);
        }
        if self.density.start.is_some() {
            return Err(Failure::input(
                "--start is for --log-density here; mixtures are fitted from starts of their own",
            ));
        }
        let name = |kind: &ModelKind| match kind {
            ModelKind::Gaussian => "gaussian".to_string(),
            ModelKind::GaussianMixture => "gaussian-mixture".to_string(),
        };
        let kinds = if self.model.is_empty() {
            vec![ModelKind::Gaussian]
        } else {
            distinct("--model", &self.model, name, output)
        };
        let components = distinct("--components", &self.components, usize::to_string, output);
        let has_mixture = kinds.contains(&ModelKind::GaussianMixture);
        let mut models = Vec::new();
        for kind in kinds {
            let mut density = self.density.clone();
            match kind {
                ModelKind::Gaussian => {
                    // What is meant for a mixture in the list is refused only where there is none.
                    density.estimate_weights &= !has_mixture;
                    let stray = components.first().copied().filter(|_| !has_mixture);
                    models.push((of(Some(kind), stray, density), name(&kind)));
                }
                ModelKind::GaussianMixture if components.is_empty() => {
                    models.push((of(Some(kind), None, density), name(&kind)));
                }
                ModelKind::GaussianMixture => models.extend(components.iter().map(|count| {
                    (of(Some(kind), Some(*count), density.clone()), format!("{} {count}", name(&kind)))
                })),
            }
        }
        Ok(models)
    }

    /// Tells of options that neither the discrepancy nor any method uses.
    fn note_unused(&self, methods: &[Method], model: &ModelOptions, input: &Input, output: &Output) {
        let distance = methods.iter().find(|method| method.has_distance());
        let chosen = DistanceKind::chosen(self.settings.distance, input.region.domain.as_deref());
        let mut settings = self.settings.clone();
        if distance.is_some() {
            (settings.distance, settings.distance_power) = (None, None);
            if chosen == DistanceKind::Nearest {
                settings.distance_norm = None;
            }
        }
        note_unused(&self.data, model, &self.reference(settings), &input.region, output);
    }
}

/// What there is to know of the fits and tests beside what is known of the problem, and whether it is a warning.
fn remarks(comparison: &Comparison, known: &[String]) -> Vec<(bool, String)> {
    let mut told = known.to_vec();
    let mut remarks = Vec::new();
    for row in &comparison.fits {
        let named = |text: &String| format!("{}, {}: {text}", row.method.name(), row.label);
        for warning in row.fit.iter().flat_map(|fit| &fit.warnings) {
            if !told.contains(warning) {
                remarks.push((true, named(warning)));
                told.push(warning.clone());
            }
        }
        if let Some(test) = &row.test {
            remarks.extend(test.notes.iter().map(|note| (!test.trustworthy, named(note))));
        }
    }
    remarks
}

/// A list without repetitions, of which the user is told.
fn distinct<T: Clone + PartialEq>(
    option: &str,
    list: &[T],
    name: impl Fn(&T) -> String,
    output: &Output,
) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in list {
        if kept.contains(item) {
            output.note(&format!("{option} names {} more than once; it is used once", name(item)));
        } else {
            kept.push(item.clone());
        }
    }
    kept
}
