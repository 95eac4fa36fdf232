//! A map of points inside a border: in the terminal, or as a figure.

use steinbound::Points;
use steinbound::domain::{Domain, Polygon};
use steinbound_plot::{Color, Entry, Figure, Marker, Panel, Style};

/// A place on the map with its letter and what it stands for.
pub struct Mark {
    pub letter: char,
    pub label: &'static str,
    pub color: Color,
    pub marker: Marker,
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
    /// How long a degree of longitude is beside one of latitude.
    fn stretch(&self) -> f64 {
        let (south, north) = self.border.bounds()[1];
        (0.5 * (south + north)).to_radians().cos()
    }

    /// The map in letters: dots for the inside, `o` for points.
    pub fn text(&self, columns: usize) -> Vec<String> {
        let bounds = self.border.bounds();
        let (width, height) = (bounds[0].1 - bounds[0].0, bounds[1].1 - bounds[1].0);
        // A letter is about twice as high as wide, and a degree of latitude wider than one of longitude.
        let rows = ((columns as f64) * height / (width * self.stretch()) * 0.5).round().max(1.0) as usize;
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
