//! Pictures of data, densities and fits, one kind in a file of its own.

mod coefficients;
mod compared;
mod comparison;
mod coverage;
mod line;
mod map;
mod pair_plot;
mod regression;
mod sensitivity;
mod test;
mod witness;

pub use coefficients::coefficients;
pub use compared::compared;
pub use comparison::comparison;
pub use coverage::coverage;
pub use regression::regression;
pub use sensitivity::sensitivity;
pub use test::test;
pub use witness::witness;

use steinbound_plot::{Color, Marker, Style};

use crate::{Picture, Scene};

/// Data and density: the density over a histogram on a line, contours on a map in the plane, a plot of every
/// pair of coordinates beyond that.
///
/// `None` where there is nothing to draw, as without data.
pub fn density(scene: &Scene) -> Option<Picture> {
    match scene.dimension() {
        _ if scene.data.is_empty() => None,
        1 => line::picture(scene),
        2 => Some(map::picture(scene)),
        _ => pair_plot::picture(scene),
    }
}

/// The width of a picture that fills a page.
const WIDTH: f64 = 720.0;

/// Observations.
fn observed(count: usize) -> Style {
    let (size, opacity) = if count > 1000 { (1.3, 0.5) } else { (2.0, 0.5) };
    Style::new(Color::GREY).marker(Marker::Circle).size(size).opacity(opacity)
}

/// Boundary points.
fn knot(count: usize) -> Style {
    Style::new(Color::BLACK).marker(Marker::Circle).size(if count > 200 { 1.1 } else { 1.6 })
}

/// The boundary as a line.
fn edge() -> Style {
    Style::new(Color::GREY).width(1.0)
}

/// What was fitted.
fn fitted() -> Style {
    Style::new(Color::BLUE).width(2.0)
}

/// Bars of a histogram of the data.
const BARS: Color = Color::rgb(0x96, 0x96, 0x96);

/// The ground inside a region.
const GROUND: Color = Color::rgb(0xf1, 0xef, 0xe9);
