//! The shapes of points.

use crate::style::{Color, Marker, Style};
use crate::svg::{Svg, path};

/// Opens a group with the fill and stroke of the markers drawn in it.
pub(crate) fn open_group(svg: &mut Svg, shape: Marker, style: &Style) {
    let color = style.color.hex();
    let element = svg.element("g").attribute("class", "markers");
    match shape {
        Marker::Cross | Marker::Plus => {
            element
                .attribute("fill", "none")
                .attribute("stroke", &color)
                .number("stroke-width", outline(style))
                .open();
        }
        _ if style.hollow => {
            let element = element.attribute("fill", &Color::WHITE.hex()).attribute("stroke", &color);
            element.number("stroke-width", outline(style)).open();
        }
        _ => {
            element.attribute("fill", &color).open();
        }
    };
}

/// The stroke of markers, limited so that the shape remains recognisable.
fn outline(style: &Style) -> f64 {
    let width = if style.width > 0.0 { style.width } else { 1.3 };
    width.min(0.5 * style.size).max(0.3)
}

/// One marker. The shapes have about the same area for the same size.
pub(crate) fn draw(svg: &mut Svg, shape: Marker, (x, y): (f64, f64), size: f64) {
    let corners = |offsets: &[(f64, f64)]| -> Vec<(f64, f64)> {
        offsets.iter().map(|&(across, down)| (x + size * across, y + size * down)).collect()
    };
    let strokes: Vec<Vec<(f64, f64)>> = match shape {
        Marker::Circle => {
            svg.element("circle").number("cx", x).number("cy", y).number("r", size).empty();
            return;
        }
        Marker::Square => vec![corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)])],
        Marker::Triangle => vec![corners(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)])],
        Marker::Down => vec![corners(&[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)])],
        Marker::Diamond => vec![corners(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)])],
        Marker::Cross => vec![corners(&[(-0.9, -0.9), (0.9, 0.9)]), corners(&[(-0.9, 0.9), (0.9, -0.9)])],
        Marker::Plus => vec![corners(&[(-1.2, 0.0), (1.2, 0.0)]), corners(&[(0.0, -1.2), (0.0, 1.2)])],
    };
    let mut data = String::new();
    strokes.iter().for_each(|stroke| path(&mut data, stroke, stroke.len() > 2));
    svg.element("path").attribute("d", &data).empty();
}
