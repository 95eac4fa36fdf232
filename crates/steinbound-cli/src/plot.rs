//! Figures into files.

use std::path::Path;

use steinbound_io::write;
use steinbound_plot::{Figure, RESOLUTION, png};

use crate::failure::Failure;

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotFormat {
    Svg,
    Png,
}

impl PlotFormat {
    /// What the name of a file asks for.
    pub fn of(path: &Path) -> Result<PlotFormat, Failure> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(PlotFormat::Svg),
            Some("png") => Ok(PlotFormat::Png),
            _ => Err(Failure::input(
                "--plot draws .svg and .png files; give the file a name that ends in one of these",
            )),
        }
    }

    /// Writes the file.
    pub fn write(self, path: &Path, figure: &Figure) -> Result<(), Failure> {
        let svg = figure.to_svg();
        let bytes = match self {
            PlotFormat::Svg => svg.into_bytes(),
            PlotFormat::Png => png(&svg, RESOLUTION).map_err(|error| Failure::Other(error.to_string()))?,
        };
        Ok(write::whole_file(path, |out| out.write_all(&bytes))?)
    }
}
