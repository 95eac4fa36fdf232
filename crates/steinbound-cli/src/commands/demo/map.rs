//! A map of points inside a border: in the terminal, or as a figure.

use steinbound::Points;
use steinbound::domain::{Domain, Polygon};
use steinbound_plot::{Color, Entry, Figure, Marker, Panel, Style};

use crate::drawing::map::{self, Ink, rows_to_scale};

/// A place on the map, with its letter and its label.
pub struct Mark {
    pub letter: char,
    pub label: &'static str,
    pub color: Color,
    pub marker: Marker,
    pub place: [f64; 2],
}

/// Points seen inside a border, and places to mark.
pub struct Map<'a> {
    pub border: &'a Polygon,
    pub points: &'a Points<'a>,
    pub boundary: &'a Points<'a>,
    pub marks: Vec<Mark>,
}

impl Map<'_> {
    /// The length of a degree of longitude relative to one of latitude.
    fn stretch(&self) -> f64 {
        let (south, north) = self.border.bounds()[1];
        (0.5 * (south + north)).to_radians().cos()
    }

    /// The map in letters: dots for the inside, `o` for points.
    pub fn text(&self, columns: usize) -> Vec<String> {
        let bounds = [self.border.bounds()[0], self.border.bounds()[1]];
        let inside = |x: &[f64]| self.border.contains(x);
        let map = map::Map {
            bounds,
            columns,
            rows: rows_to_scale(bounds, self.stretch(), columns),
            inside: Some(&inside),
            edge: Vec::new(),
            points: self.points.rows().map(|x| [x[0], x[1]]).collect(),
            marks: self.marks.iter().map(|mark| (mark.letter, mark.place)).collect(),
            ink: Ink::Letters,
        };
        map.lines()
    }

    /// The map as a figure.
    pub fn figure(&self) -> Figure {
        const WIDTH: f64 = 720.0;
        let bounds = self.border.bounds();
        let pair = |x: &[f64]| (x[0], x[1]);
        let land = self.border.rings().iter().map(|ring| ring.iter().map(|v| pair(v)).collect()).collect();
        let height = WIDTH * (bounds[1].1 - bounds[1].0) / ((bounds[0].1 - bounds[0].0) * self.stretch());
        let point = Style::new(Color::GREY).marker(Marker::Circle).size(2.0).opacity(0.6);
        let edge = Style::new(Color::BLACK).marker(Marker::Circle).size(1.3);
        let mut panel = Panel::map(land)
            .points(self.points.rows().map(pair).collect(), point.clone())
            .points(self.boundary.rows().map(pair).collect(), edge.clone());
        let mut entries = vec![Entry::marker("data", point), Entry::marker("boundary points", edge)];
        for mark in &self.marks {
            let look = Style::new(mark.color).marker(mark.marker).hollow().size(6.0).width(2.4);
            panel = panel.points(vec![pair(&mark.place)], look.clone());
            entries.push(Entry::marker(mark.label, look));
        }
        Figure::new(WIDTH).row(height, vec![panel]).legend(entries)
    }
}
