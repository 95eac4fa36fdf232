use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use steinbound::domain::coverage;
use steinbound::simulate;
use steinbound_io::{DomainSpec, TableOptions, read_table, write};

use crate::failure::{Failure, Verdict};
use crate::options::{self, Format, GeneralOptions, SamplingOptions, domain};
use crate::output::{Output, significant};

/// Sample points on the boundary of a domain, and tell how well they cover it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steinbound boundary --domain \"ball(radius=2)\" --boundary-points 64 --output border.csv
  steinbound boundary --domain \"halfspace(normal=1:0, offset=5)\" --near points.csv > border.csv")]
pub struct Boundary {
    /// The domain, as in fit.
    #[arg(long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: DomainSpec,
    #[command(flatten)]
    pub sampling: SamplingOptions,
    /// The number of coordinates (default: from the domain or --near, else 2).
    #[arg(long, value_name = "D", value_parser = options::dimension)]
    pub dimension: Option<usize>,
    /// Data near which an unbounded boundary is sampled.
    #[arg(long, value_name = "FILE")]
    pub near: Option<PathBuf>,
    /// The file for the points; without it they go to standard output, and the coverage to standard error.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Boundary {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply()?;
        let near = match &self.near {
            Some(path) => Some(read_table(path, &TableOptions::default())?.into_points()?),
            None => None,
        };
        let from_data = near.as_ref().map(|points| points.dimension());
        let dimension = options::chosen_dimension(&self.domain, self.dimension, from_data)?;
        let domain = self.domain.build(dimension)?;
        if from_data.is_some_and(|found| found != domain.dimension()) {
            return Err(Failure::input(format!(
                "the points of --near have another number of columns than the {} has coordinates",
                domain.describe()
            )));
        }
        let mut sampling = self.sampling.request(dimension);
        if let Some(near) = &near {
            sampling = sampling.near(near);
        }
        let rng = &mut simulate::stream(self.general.seed, simulate::tasks::BOUNDARY);
        let points = domain.sample_boundary(&sampling, rng).map_err(|error| match error {
            steinbound::DomainError::Unbounded { .. } => Failure::input(format!("{error} with --near FILE")),
            other => Failure::from(steinbound::Error::from(other)),
        })?;
        let coverage = coverage(domain.as_ref(), &points).map_err(steinbound::Error::from)?;
        if let Some(path) = &self.output {
            write::whole_file(path, |out| write::points(out, &points))?;
        }
        if self.general.format == Format::Json {
            output.json(&json!({
                "schema": "steinbound.boundary/1",
                "domain": domain.describe(),
                "m": points.len(),
                "d": dimension,
                "points": points.rows().collect::<Vec<_>>(),
                "coverage": coverage,
            }))?;
            return Ok(Verdict::Fine);
        }
        let number = |value: Option<f64>| value.map_or_else(|| "-".into(), significant);
        let report = format!(
            "{} points on the boundary of the {}\n\
             fill distance  {}  (the farthest place on the boundary from any point)\n\
             mean gap       {}\n\
             closest pair   {}",
            points.len(),
            domain.describe(),
            number(coverage.fill_distance),
            number(coverage.mean_gap),
            number(coverage.closest_pair)
        );
        match &self.output {
            Some(_) => writeln!(output.result(), "{report}")?,
            None => {
                write::points(output.result(), &points)?;
                report.lines().for_each(|line| output.note(line));
            }
        }
        Ok(Verdict::Fine)
    }
}
