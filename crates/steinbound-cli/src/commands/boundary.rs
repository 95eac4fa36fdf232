use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};
use steinbound::Points;
use steinbound::domain::Domain;
use steinbound_io::{DomainSpec, TableOptions, write};
use steinbound_request::{chosen_dimension, sample_boundary, tables};

use crate::arguments::{Given, Sampling};
use crate::failure::{Failure, Verdict};
use crate::files::{is_standard, two_results};
use crate::options::{self, FeatureOptions, Format, GeneralOptions, WORDING, domain, show_remarks, together};
use crate::output::Output;
use crate::tables::{read_sheet, without_options};

/// Sample points on the boundary of a domain or a map, and measure how well they cover it.
///
/// Without --output the points go to standard output, comma-separated, and the report on their coverage to
/// standard error.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help boundary' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound boundary --domain \"ball(radius=2)\" --boundary-points 64 \\
      --output circle.csv
  steinbound boundary country.geojson --feature NAME=France \\
      --boundary-points 200 --boundary-sampling even > coast.csv
  steinbound boundary --domain \"halfspace(normal=1:0, offset=5)\" \\
      --near points.csv > line.csv
  steinbound boundary --domain \"usa()\" --boundary-points 200 --format json")]
pub struct Boundary {
    /// A map: .geojson, .topojson, .json, .gpkg, .wkt, .shp, or .csv with well-known text or vertices of rings.
    #[arg(help_heading = "Region", value_name = "MAPFILE", conflicts_with = "domain", value_hint = ValueHint::FilePath)]
    pub map: Option<PathBuf>,
    #[command(flatten)]
    pub features: FeatureOptions,
    /// The domain, as in fit, such as "ball(radius=2)".
    #[arg(help_heading = "Region", long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: Option<DomainSpec>,
    #[command(flatten)]
    pub sampling: Given<Sampling>,
    /// The number of coordinates [default: from the domain or --near, else 2].
    #[arg(help_heading = "Region", long, value_name = "D", value_parser = options::dimension, allow_hyphen_values = true)]
    pub dimension: Option<usize>,
    /// Data near which an unbounded boundary is sampled.
    ///
    /// With them, the share of a kernel left between the boundary points is measured as well.
    #[arg(help_heading = "Region", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub near: Option<PathBuf>,
    /// The .csv file for the points, or - for standard output [default: standard output].
    #[arg(help_heading = "Output", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Boundary {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.general.apply(output)?;
        let file = self.output.as_deref().filter(|path| !is_standard(path));
        if self.output.is_some() && file.is_none() && self.general.format == Format::Json {
            return Err(two_results("--output"));
        }
        let near = match &self.near {
            Some(path) => Some(
                read_sheet(path, &TableOptions::default(), output).map_err(without_options)?.into_points()?,
            ),
            None => None,
        };
        let domain = self.build(near.as_ref(), output)?;
        let options = together(&self.general, [&*self.sampling]);
        let answer = sample_boundary(domain, near.as_ref(), &options, WORDING)?;
        let points = &answer.points;
        answer.notes.iter().for_each(|note| output.note(note));
        if let Some(path) = file {
            write::whole_file(path, |out| write::points(out, points))?;
        }
        if self.general.format == Format::Json {
            output.json(&answer.json())?;
            return Ok(Verdict::Fine);
        }
        let report = tables::coverage::document(&answer.domain, &answer.coverage, answer.leak);
        match file {
            Some(_) => output.document(&report)?,
            None => {
                write::points(output.result(), points)?;
                report.text_lines().iter().for_each(|line| output.note(&line.text));
            }
        }
        Ok(Verdict::Fine)
    }

    /// The domain, from the map or the specification.
    fn build(&self, near: Option<&Points>, output: &Output) -> Result<Arc<dyn Domain>, Failure> {
        if self.features.is_given() && self.map.is_none() {
            output.note("--feature and --layer have no effect without a map");
        }
        if let Some(path) = &self.map {
            if self.dimension.is_some_and(|dimension| dimension != 2) {
                return Err(Failure::input("a map has 2 coordinates; leave --dimension out"));
            }
            return Ok(Arc::new(self.features.read(path, output)?.polygon()?));
        }
        let Some(spec) = &self.domain else {
            return Err(Failure::input(
                "there is no region to sample: give a MAPFILE, or a domain with --domain SPEC",
            ));
        };
        spec.maps().into_iter().for_each(|map| show_remarks(map, output));
        let from_data = near.map(Points::dimension);
        let named = near.map(|near| spec.with_columns(near.names())).transpose()?;
        let spec = named.as_ref().unwrap_or(spec);
        Ok(spec.build(chosen_dimension(spec, self.dimension, from_data, WORDING)?)?)
    }
}
