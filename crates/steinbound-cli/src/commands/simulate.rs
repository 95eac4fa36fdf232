use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde_json::json;
use steinbound::text::{significant, visible};
use steinbound_io::DomainSpec;
use steinbound_io::write::{self, Pending};
use steinbound_request::{SimulationRequest, Values, chosen_dimension, dimension_for, options};

use crate::arguments::{Given, Sampling, Simulated};
use crate::failure::{Failure, Verdict};
use crate::files::{is_standard, two_results};
use crate::model::request;
use crate::options::{self as shared, Format, GeneralOptions, WORDING, domain, together, values};
use crate::output::Output;

/// Simulate a truncated sample, and points on the boundary.
///
/// Points are drawn from the density and kept where they lie inside the domain, until there are enough. Files
/// appear complete or not at all.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help simulate' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound simulate --domain \"ball(radius=1.44)\" --at 0.5,0.5 -n 300 \\
      --output points.csv --boundary-points 200 --boundary-output border.csv
  steinbound simulate --domain \"interval(-1, 1)\" -n 50 --output line.csv
  steinbound simulate --domain \"box(low=-3, high=3)\" -n 300 --output modes.csv \\
      --model gaussian-mixture --components 2 --at -1.5,-1.5,1.5,1.5
  steinbound simulate --domain \"interval(0, 3)\" --model weibull --at 1.5,1 \\
      -n 300 --output lives.csv
  steinbound simulate --domain \"box(low=0, high=2)\" -n 300 --output tilt.csv \\
      --log-density \"a*x1*x2 - x1\" --at a=0.5
  steinbound simulate --domain \"usa()\" --at -115,35 --known-covariance 10 \\
      -n 400 --output usa.csv")]
pub struct Simulate {
    #[command(flatten)]
    pub model: Given<Simulated>,
    /// The parameters: d means, or d means and d(d+1)/2 covariances [default: mean 0].
    ///
    /// Covariances come by rows of the upper triangle. For a mixture, the means component by component, or all
    /// parameters. For other models the parameters in the order of a fit's table, and for a formula a=0,b=1.
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true)]
    pub at: Option<Values>,
    /// The domain, as in fit, such as "ball(radius=2)".
    #[arg(help_heading = "Region", long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: DomainSpec,
    /// The number of coordinates [default: from the domain or --at, else 2].
    #[arg(help_heading = "Region", long, value_name = "D", value_parser = shared::dimension, allow_hyphen_values = true)]
    pub dimension: Option<usize>,
    /// How many points to simulate.
    #[arg(help_heading = "Output", short = 'n', value_name = "N", allow_hyphen_values = true)]
    pub count: usize,
    /// The .csv file for the points, or - for standard output.
    #[arg(help_heading = "Output", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub sampling: Given<Sampling>,
    /// The .csv file for the boundary points [default: none].
    #[arg(help_heading = "Output", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub boundary_output: Option<PathBuf>,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Simulate {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply(output)?;
        if self.count == 0 {
            return Err(Failure::input("-n is 0; ask for at least one point"));
        }
        let is_printed = is_standard(&self.output);
        if is_printed && self.general.format == Format::Json {
            return Err(two_results("--output"));
        }
        if self.boundary_output.as_deref().is_some_and(is_standard) {
            return Err(Failure::input(
                "--boundary-output - is not possible; give the boundary points a file",
            ));
        }
        if self.sampling.is_given(&options::BOUNDARY_POINTS) && self.boundary_output.is_none() {
            return Err(Failure::input("--boundary-points needs --boundary-output FILE to put them in"));
        }
        let model = request(&self.model)?;
        let given = dimension_for(&model, self.at.as_ref());
        self.domain.maps().into_iter().for_each(|map| shared::show_remarks(map, output));
        if self.domain.is_in_degrees() {
            output.note("points are drawn in degrees, as if these were lengths; fit them with --no-project");
        }
        let dimension = chosen_dimension(&self.domain, self.dimension, given, WORDING)?;
        let mut request = SimulationRequest::new(model, self.domain.build(dimension)?, self.count);
        request.at = self.at.clone();
        request.has_boundary = self.boundary_output.is_some();
        request.options = together(&self.general, [&*self.sampling]);
        request.wording = WORDING;
        let answer = request.run()?;
        // Both files are complete before either takes its name.
        let sample = &answer.sample.points;
        let mut files = Vec::new();
        if !is_printed {
            files.push(Pending::fill(&self.output, |out| write::points(out, sample))?);
        }
        if let (Some(path), Some(points)) = (&self.boundary_output, &answer.boundary) {
            files.push(Pending::fill(path, |out| write::points(out, points))?);
        }
        for file in files {
            file.commit()?;
        }
        match self.general.format {
            Format::Json => {
                let mut value = answer.json();
                value["output"] = json!(self.output.to_string_lossy());
                value["boundary_output"] =
                    json!(self.boundary_output.as_ref().map(|path| path.to_string_lossy()));
                output.json(&value)?;
            }
            Format::Table => {
                let share = significant(answer.sample.acceptance());
                let mut lines = vec![format!(
                    "{} points in {dimension} dimensions inside the {} (share of draws kept: {share})",
                    self.count, answer.domain
                )];
                if !is_printed {
                    lines.push(format!("points           {}", self.output.display()));
                }
                if let (Some(path), Some(points)) = (&self.boundary_output, &answer.boundary) {
                    lines.push(format!("boundary points  {} ({})", path.display(), points.len()));
                }
                if is_printed {
                    lines.iter().for_each(|line| output.note(line));
                    write::points(output.result(), sample)?;
                } else {
                    lines.iter().try_for_each(|line| writeln!(output.result(), "{}", visible(line)))?;
                }
            }
        }
        Ok(Verdict::Fine)
    }
}
