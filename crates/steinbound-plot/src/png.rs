//! SVG to PNG with the bundled font only.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use steinbound::check_memory;

use crate::error::PlotError;
use crate::text;

/// The largest number of pixels in each direction: 16,000 make a picture of a gigabyte.
const LIMIT: u32 = 16_000;

/// The scale at which pictures are sharp on screens and in print.
pub const RESOLUTION: f32 = 2.0;

/// The drawing as a PNG file on white ground, `scale` pixels per CSS pixel.
///
/// Text is set in the bundled Roboto, independently of the installed fonts, so the same drawing gives the
/// same bytes on any machine.
///
/// ```
/// use steinbound_plot::{Axis, Color, Figure, Panel, Style, png};
///
/// let panel = Panel::new(Axis::linear("n"), Axis::log("error")).line(vec![(1.0, 0.1), (2.0, 0.01)], Style::new(Color::BLUE));
/// let picture = png(&Figure::new(300.0).row(200.0, vec![panel]).to_svg(), 2.0)?;
/// assert_eq!(&picture[1..4], b"PNG");
/// # Ok::<(), steinbound_plot::PlotError>(())
/// ```
///
/// # Errors
///
/// [`PlotError::Svg`] for text that is not SVG, [`PlotError::Size`] for a scale that gives no pixels or too
/// many.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PlotError> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut database = fontdb::Database::new();
        database.load_font_data(text::REGULAR.to_vec());
        database.load_font_data(text::BOLD.to_vec());
        database.set_sans_serif_family(text::FAMILY);
        Arc::new(database)
    });
    let options =
        Options { fontdb: Arc::clone(fonts), font_family: text::FAMILY.to_string(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| PlotError::Svg(error.to_string()))?;
    let size = tree.size();
    let (width, height) = (f64::from(size.width() * scale).round(), f64::from(size.height() * scale).round());
    let refused = || PlotError::Size { width, height, limit: LIMIT };
    let fits = |length: f64| length >= 1.0 && length <= f64::from(LIMIT);
    if !fits(width) || !fits(height) {
        return Err(refused());
    }
    // Four bytes for each pixel, and as much again for the rows as they are encoded.
    let bytes = (8.0 * width * height) as u128;
    check_memory(|| format!("{width} x {height} pixels"), bytes, "choose a smaller scale")?;
    let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or_else(refused)?;
    pixmap.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PlotError::Encode(error.to_string()))
}
