use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde_json::json;
use steinbound::model::{Gaussian, Model};
use steinbound::simulate::{self, tasks};
use steinbound::text::significant;
use steinbound_io::DomainSpec;
use steinbound_io::write::{self, Pending};

use crate::choices;
use crate::failure::{Failure, Verdict};
use crate::options::{
    self, DensityOptions, Format, GeneralOptions, ModelKind, ModelOptions, SamplingOptions, Values, domain,
    values,
};
use crate::output::Output;

/// Simulate a truncated sample, and points on the boundary.
///
/// Points are drawn from the density and kept where they lie inside the domain, until there are enough. Files appear complete or not at all.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help simulate' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound simulate --domain \"ball(radius=1.44)\" --at 0.5,0.5 -n 300 \\
      --output points.csv --boundary-points 32 --boundary-output border.csv
  steinbound simulate --domain \"interval(-1, 1)\" -n 50 --output line.csv
  steinbound simulate --domain \"box(low=-3, high=3)\" -n 300 --output modes.csv \\
      --model gaussian-mixture --components 2 --at -1.5,-1.5,1.5,1.5
  steinbound simulate --domain \"usa()\" --at -115,35 --known-covariance 10 \\
      -n 400 --output usa.csv")]
pub struct Simulate {
    /// The model [default: gaussian].
    #[arg(help_heading = "Model", long, value_name = "MODEL", value_parser = choices::model())]
    pub model: Option<ModelKind>,
    /// The number of components of a mixture.
    #[arg(help_heading = "Model", long, value_name = "K", allow_hyphen_values = true)]
    pub components: Option<usize>,
    /// The covariance, as in fit [default: identity].
    #[arg(help_heading = "Model", long, value_name = "V", allow_hyphen_values = true)]
    pub known_covariance: Option<String>,
    /// The parameters: d means, or d means and d(d+1)/2 covariances [default: mean 0].
    ///
    /// Covariances come by rows of the upper triangle. For a mixture, the means component by component.
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true)]
    pub at: Option<Values>,
    /// The domain, as in fit, such as "ball(radius=2)".
    #[arg(help_heading = "Region", long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: DomainSpec,
    /// The number of coordinates [default: from the domain or --at, else 2].
    #[arg(help_heading = "Region", long, value_name = "D", value_parser = options::dimension, allow_hyphen_values = true)]
    pub dimension: Option<usize>,
    /// How many points to simulate.
    #[arg(help_heading = "Output", short = 'n', value_name = "N", allow_hyphen_values = true)]
    pub count: usize,
    /// The .csv file for the points.
    #[arg(help_heading = "Output", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub sampling: SamplingOptions,
    /// The .csv file for the boundary points [default: none].
    #[arg(help_heading = "Output", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub boundary_output: Option<PathBuf>,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Simulate {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        if self.count == 0 {
            return Err(Failure::input("-n is 0; ask for at least one point"));
        }
        if self.boundary_output.as_ref() == Some(&self.output) {
            return Err(Failure::input("--output and --boundary-output name the same file; give two"));
        }
        if self.sampling.boundary_points.is_some() && self.boundary_output.is_none() {
            return Err(Failure::input("--boundary-points needs --boundary-output FILE to put them in"));
        }
        let given = match &self.at {
            Some(Values::Plain(list)) => Some(list.len() / self.components.unwrap_or(1).max(1)),
            _ => None,
        };
        let dimension = options::chosen_dimension(&self.domain, self.dimension, given)?;
        let domain = self.domain.build(dimension)?;
        let (model, theta) = self.model(dimension)?;
        let rng = &mut simulate::stream(self.general.seed, tasks::DATA);
        let sample = simulate::truncated(model.as_ref(), &theta, domain.as_ref(), self.count, rng)?;
        let boundary = match &self.boundary_output {
            None => None,
            Some(_) => {
                let rng = &mut simulate::stream(self.general.seed, tasks::BOUNDARY);
                let sampling = self.sampling.request(dimension).near(&sample.points);
                Some(domain.sample_boundary(&sampling, rng).map_err(steinbound::Error::from)?)
            }
        };
        // Both files are complete before either takes its name.
        let mut files = vec![Pending::fill(&self.output, |out| write::points(out, &sample.points))?];
        if let (Some(path), Some(points)) = (&self.boundary_output, &boundary) {
            files.push(Pending::fill(path, |out| write::points(out, points))?);
        }
        for file in files {
            file.commit()?;
        }
        let m = boundary.as_ref().map_or(0, |points| points.len());
        match self.general.format {
            Format::Json => output.json(&json!({
                "schema": "steinbound.simulate/1",
                "model": model.name(),
                "domain": domain.describe(),
                "n": self.count,
                "d": dimension,
                "m": m,
                "acceptance": sample.acceptance(),
                "output": self.output.to_string_lossy(),
                "boundary_output": self.boundary_output.as_ref().map(|path| path.to_string_lossy()),
            }))?,
            Format::Table => {
                let out = output.result();
                let share = significant(sample.acceptance());
                writeln!(
                    out,
                    "{} points in {dimension} dimensions inside the {} (share of draws kept: {share})",
                    self.count,
                    domain.describe()
                )?;
                writeln!(out, "points           {}", self.output.display())?;
                if let Some(path) = &self.boundary_output {
                    writeln!(out, "boundary points  {} ({m})", path.display())?;
                }
            }
        }
        Ok(Verdict::Fine)
    }

    /// The model and its fitted parameters.
    fn model(&self, dimension: usize) -> Result<(Box<dyn Model>, Vec<f64>), Failure> {
        let typed = match &self.at {
            Some(Values::Named(_)) => {
                return Err(Failure::input("--at takes the parameters in order here; leave the names out"));
            }
            Some(Values::Plain(list)) => Some(list.clone()),
            None => None,
        };
        if let Some(value) = typed.iter().flatten().find(|value| !value.is_finite()) {
            return Err(Failure::input(format!("--at holds {value}; parameters are finite numbers")));
        }
        let known_covariance = Some(self.known_covariance.clone().unwrap_or_else(|| "1".into()));
        let options = ModelOptions {
            model: self.model,
            components: self.components,
            density: DensityOptions { known_covariance, ..DensityOptions::default() },
        };
        if options.kind() == ModelKind::GaussianMixture {
            let model = options.mixture(dimension)?;
            let expected = model.parameters();
            return match typed {
                Some(means) if means.len() == expected => Ok((Box::new(model), means)),
                Some(means) => Err(Failure::input(format!(
                    "--at has {} values; {} components in {dimension} dimensions have {expected} means",
                    means.len(),
                    model.components()
                ))),
                None => Err(Failure::input(format!(
                    "a mixture needs --at with its {expected} means, component by component"
                ))),
            };
        }
        if self.components.is_some() {
            return Err(Failure::input("--components is for --model gaussian-mixture; leave it out"));
        }
        let at = typed.unwrap_or_else(|| vec![0.0; dimension]);
        if at.len() == dimension {
            return Ok((Box::new(options.gaussian(dimension)?), at));
        }
        let full = Gaussian::full(dimension);
        if at.len() == full.parameters() && self.known_covariance.is_none() {
            let theta = full.fitted_from(&at).map_err(|error| Failure::input(format!("--at: {error}")))?;
            return Ok((Box::new(full), theta));
        }
        let or_covariances = match self.known_covariance {
            Some(_) => String::new(),
            None => format!(", or these and the {} covariances", full.parameters() - dimension),
        };
        Err(Failure::input(format!(
            "--at has {} values; in {dimension} dimensions give {dimension} means{or_covariances}",
            at.len()
        )))
    }
}
