//! Figures for [steinbound](https://docs.rs/steinbound): panels with axes, marks and one legend, as SVG and
//! PNG.
//!
//! ```
//! use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style, png};
//!
//! let (tksd, mle) = (Style::new(Color::BLUE).marker(Marker::Circle), Style::new(Color::VERMILLION).dashed());
//! let panel = Panel::new(Axis::log("sample size"), Axis::log("squared error"))
//!     .title("(a) ball")
//!     .error_bars(vec![(100.0, 0.2, 0.05), (1000.0, 0.02, 0.004)], tksd.clone())
//!     .line(vec![(100.0, 0.2), (1000.0, 0.02)], tksd.clone())
//!     .line(vec![(100.0, 0.5), (1000.0, 0.4)], mle.clone());
//! let svg = Figure::new(360.0)
//!     .row(260.0, vec![panel])
//!     .legend(vec![Entry::line("TKSD", tksd), Entry::line("MLE", mle)])
//!     .to_svg();
//! let picture: Vec<u8> = png(&svg, 2.0)?;
//! # Ok::<(), steinbound_plot::PlotError>(())
//! ```
//!
//! A [`Figure`] holds rows of [`Panel`]s; a panel has two [`Axis`] and marks, each with a [`Style`].
//!
//! # Promises
//!
//! The crate returns strings and bytes and writes no files. The same figure gives the same bytes on any
//! machine: text is measured and drawn with a bundled font. No input panics: values that cannot be placed on
//! an axis are left out. Labels do not overlap, and only data are drawn inside the frames. Elements have
//! classes (`panel`, `frame`, `grid`, `ticks`, `tick-labels`, `axis-label`, `title`, `marks`, `legend`,
//! `background`, and one for each kind of mark), so a page can restyle them with CSS.

mod axes;
mod axis;
mod color_scale;
mod contour;
mod draw;
mod error;
mod figure;
mod layout;
mod legend;
mod marker;
mod marks;
pub mod numbers;
mod panel;
mod png;
mod scale;
mod style;
mod svg;
mod text;
mod ticks;

pub use axis::Axis;
pub use color_scale::ColorScale;
pub use contour::Grid;
pub use error::PlotError;
pub use figure::Figure;
pub use legend::Entry;
pub use marks::{Anchor, Heatmap};
pub use panel::Panel;
pub use png::{RESOLUTION, png};
pub use style::{Color, Marker, Style};
