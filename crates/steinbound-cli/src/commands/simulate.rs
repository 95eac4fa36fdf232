use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use steinbound::model::{Gaussian, Model};
use steinbound::simulate::{self, tasks};
use steinbound_io::DomainSpec;
use steinbound_io::write::{self, Pending};

use crate::failure::{Failure, Verdict};
use crate::options::{self, Format, GeneralOptions, Numbers, SamplingOptions, domain, numbers};
use crate::output::{Output, significant};

/// Simulate a truncated sample, and points on the boundary.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steinbound simulate --domain \"ball(radius=1.44)\" --at 0.5,0.5 -n 300 --output points.csv \\
      --boundary-points 32 --boundary-output border.csv
  steinbound simulate --domain \"interval(-1, 1)\" -n 50 --output points.csv")]
pub struct Simulate {
    /// The model: gaussian.
    #[arg(long, value_name = "MODEL", value_parser = options::model, default_value = "gaussian")]
    pub model: String,
    /// d means, or d means and the d(d+1)/2 covariances by rows of the upper triangle (default: mean 0, covariance identity).
    #[arg(long, value_name = "P1,P2,..", value_parser = numbers, allow_hyphen_values = true)]
    pub at: Option<Numbers>,
    /// The domain, as in fit.
    #[arg(long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: DomainSpec,
    /// The number of coordinates (default: from the domain or --at, else 2).
    #[arg(long, value_name = "D", value_parser = options::dimension)]
    pub dimension: Option<usize>,
    /// How many points to simulate.
    #[arg(short = 'n', value_name = "N", allow_hyphen_values = true)]
    pub count: usize,
    /// The file for the points.
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub sampling: SamplingOptions,
    /// The file for the boundary points.
    #[arg(long, value_name = "FILE")]
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
        let given = self.at.as_ref().map(|at| at.0.len());
        let dimension = options::chosen_dimension(&self.domain, self.dimension, given)?;
        let domain = self.domain.build(dimension)?;
        let (model, theta) = self.gaussian(dimension)?;
        let rng = &mut simulate::stream(self.general.seed, tasks::DATA);
        let sample = simulate::truncated(&model, &theta, domain.as_ref(), self.count, rng)?;
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
                "model": self.model,
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

    fn gaussian(&self, dimension: usize) -> Result<(Gaussian, Vec<f64>), Failure> {
        let at = self.at.as_ref().map_or_else(|| vec![0.0; dimension], |at| at.0.clone());
        let full = Gaussian::full(dimension);
        if let Some(value) = at.iter().find(|value| !value.is_finite()) {
            return Err(Failure::input(format!("--at holds {value}; parameters are finite numbers")));
        }
        if at.len() == dimension {
            let model = Gaussian::with_variance(dimension, 1.0).map_err(steinbound::Error::from)?;
            return Ok((model, at));
        }
        if at.len() == full.parameters() {
            let theta = full.fitted_from(&at).map_err(|error| Failure::input(format!("--at: {error}")))?;
            return Ok((full, theta));
        }
        Err(Failure::input(format!(
            "--at has {} values; in {dimension} dimensions give {dimension} means, or these and the {} covariances",
            at.len(),
            full.parameters() - dimension
        )))
    }
}
