//! A map of points inside a border: in the terminal, or as an SVG file.

use std::fmt::Write;

use steinbound::Points;
use steinbound::domain::{Domain, Polygon};

/// A place on the map with its letter and what it stands for.
pub struct Mark {
    pub letter: char,
    pub label: &'static str,
    pub color: &'static str,
    pub place: [f64; 2],
}

/// Points seen inside a border, and places to mark.
pub struct Picture<'a> {
    pub border: &'a Polygon,
    pub points: &'a Points<'a>,
    pub boundary: &'a Points<'a>,
    pub marks: Vec<Mark>,
}

impl Picture<'_> {
    /// The map in letters: dots for the inside, `o` for points.
    pub fn text(&self, columns: usize) -> Vec<String> {
        let bounds = self.border.bounds();
        let (width, height) = (bounds[0].1 - bounds[0].0, bounds[1].1 - bounds[1].0);
        // A letter is about twice as high as wide, and a degree of latitude wider than one of longitude.
        let stretch = (0.5 * (bounds[1].0 + bounds[1].1)).to_radians().cos();
        let rows = ((columns as f64) * height / (width * stretch) * 0.5).round().max(1.0) as usize;
        let cell = |x: &[f64]| {
            let column = ((x[0] - bounds[0].0) / width * columns as f64) as usize;
            let row = ((bounds[1].1 - x[1]) / height * rows as f64) as usize;
            (row.min(rows - 1), column.min(columns - 1))
        };
        let mut letters = vec![vec![' '; columns]; rows];
        for (row, line) in letters.iter_mut().enumerate() {
            for (column, letter) in line.iter_mut().enumerate() {
                let x = bounds[0].0 + (column as f64 + 0.5) / columns as f64 * width;
                let y = bounds[1].1 - (row as f64 + 0.5) / rows as f64 * height;
                if self.border.contains(&[x, y]) {
                    *letter = '.';
                }
            }
        }
        for x in self.points.rows() {
            let (row, column) = cell(x);
            letters[row][column] = 'o';
        }
        for mark in &self.marks {
            let (row, column) = cell(&mark.place);
            letters[row][column] = mark.letter;
        }
        letters.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_string()).collect()
    }

    /// The map as an SVG document.
    pub fn svg(&self) -> String {
        const WIDTH: f64 = 900.0;
        const MARGIN: f64 = 20.0;
        const LEGEND: f64 = 56.0;
        let bounds = self.border.bounds();
        let stretch = (0.5 * (bounds[1].0 + bounds[1].1)).to_radians().cos();
        let scale = (WIDTH - 2.0 * MARGIN) / ((bounds[0].1 - bounds[0].0) * stretch);
        let height = (bounds[1].1 - bounds[1].0) * scale + 2.0 * MARGIN + LEGEND;
        let at = |x: &[f64]| {
            (MARGIN + (x[0] - bounds[0].0) * stretch * scale, MARGIN + (bounds[1].1 - x[1]) * scale)
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<path fill=\"#f1efe9\" fill-rule=\"evenodd\" stroke=\"#6b6b6b\" \
             stroke-width=\"0.8\" d=\""
        );
        for ring in self.border.rings() {
            for (k, vertex) in ring.iter().enumerate() {
                let (x, y) = at(vertex);
                let _ = write!(svg, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
            }
            svg.push('Z');
        }
        svg.push_str("\"/>\n");
        let mut dots = |points: &Points, radius: f64, fill: &str, opacity: f64| {
            let _ = writeln!(svg, "<g fill=\"{fill}\" fill-opacity=\"{opacity}\">");
            for x in points.rows() {
                let (x, y) = at(x);
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
            }
            svg.push_str("</g>\n");
        };
        dots(self.points, 2.4, POINT, 0.45);
        dots(self.boundary, 1.8, BOUNDARY, 1.0);
        for mark in &self.marks {
            let (x, y) = at(&mark.place);
            cross(&mut svg, x, y, mark.color);
        }
        let line = height - LEGEND + 20.0;
        let mut left = MARGIN;
        let mut entry = |svg: &mut String, label: &str, draw: &dyn Fn(&mut String, f64, f64)| {
            draw(svg, left + 6.0, line - 5.0);
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{line:.0}\" fill=\"#222222\">{label}</text>",
                left + 18.0
            );
            left += 34.0 + 7.4 * label.len() as f64;
        };
        let dot = |color: &'static str| {
            move |svg: &mut String, x: f64, y: f64| {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
            }
        };
        entry(&mut svg, "data", &dot(POINT));
        entry(&mut svg, "boundary points", &dot(BOUNDARY));
        for mark in &self.marks {
            entry(&mut svg, mark.label, &|svg, x, y| cross(svg, x, y, mark.color));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Colours that people who see two primaries can tell apart.
const POINT: &str = "#0072b2";
const BOUNDARY: &str = "#222222";

fn cross(svg: &mut String, x: f64, y: f64, color: &str) {
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {y:.1}H{:.1}M{x:.1} {:.1}V{:.1}\" stroke=\"#ffffff\" stroke-width=\"6\"/>\
         <path d=\"M{:.1} {y:.1}H{:.1}M{x:.1} {:.1}V{:.1}\" stroke=\"{color}\" stroke-width=\"3\"/>",
        x - 8.0,
        x + 8.0,
        y - 8.0,
        y + 8.0,
        x - 7.0,
        x + 7.0,
        y - 7.0,
        y + 7.0
    );
}
