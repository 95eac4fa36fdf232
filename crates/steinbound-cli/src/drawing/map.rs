//! A map in letters: the inside, the boundary, data and marks.

use super::MOST_LINES;

/// The characters for data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// An `o`, which every font has.
    Letters,
    /// Eight dots to a letter.
    Braille,
}

/// Whether a place is inside.
pub type Inside<'a> = &'a dyn Fn(&[f64]) -> bool;

/// The content of a rectangle of the plane. Later parts hide earlier ones.
pub struct Map<'a> {
    /// The ends of both axes.
    pub bounds: [(f64, f64); 2],
    pub columns: usize,
    pub rows: usize,
    /// The inside, drawn with dots.
    pub inside: Option<Inside<'a>>,
    /// Boundary points, drawn with `+`.
    pub edge: Vec<[f64; 2]>,
    pub points: Vec<[f64; 2]>,
    pub marks: Vec<(char, [f64; 2])>,
    pub ink: Ink,
}

/// The number of rows with which both axes have one scale, where a unit of the first is `stretch` times as
/// long as one of the second. A letter is about twice as high as wide.
pub fn rows_to_scale(bounds: [(f64, f64); 2], stretch: f64, columns: usize) -> usize {
    let (width, height) = (bounds[0].1 - bounds[0].0, bounds[1].1 - bounds[1].0);
    (columns as f64 * height / (width * stretch) * 0.5).round().max(1.0) as usize
}

/// Columns and rows that fit: to one scale where that is not too flat or too narrow, else as large as can be.
pub fn size(bounds: [(f64, f64); 2], widest: usize) -> (usize, usize) {
    const FLATTEST: usize = 6;
    // One line is for the legend, one keeps it apart.
    const HIGHEST: usize = MOST_LINES - 2;
    let rows = rows_to_scale(bounds, 1.0, widest);
    if rows <= HIGHEST {
        return (widest, rows.max(FLATTEST));
    }
    let columns = (widest as f64 * HIGHEST as f64 / rows as f64).round() as usize;
    (if columns < 2 * FLATTEST { widest } else { columns }, HIGHEST)
}

impl Map<'_> {
    pub fn lines(&self) -> Vec<String> {
        let (columns, rows) = (self.columns.max(1), self.rows.max(1));
        let [(left, right), (bottom, top)] = self.bounds;
        let (width, height) = (right - left, top - bottom);
        // A letter has `across` times `down` parts.
        let cell = |x: &[f64; 2], across: usize, down: usize| {
            let column = ((x[0] - left) / width * (across * columns) as f64) as usize;
            let row = ((top - x[1]) / height * (down * rows) as f64) as usize;
            (row.min(down * rows - 1), column.min(across * columns - 1))
        };
        let mut letters = vec![vec![' '; columns]; rows];
        if let Some(inside) = self.inside {
            for (row, line) in letters.iter_mut().enumerate() {
                for (column, letter) in line.iter_mut().enumerate() {
                    let x = left + (column as f64 + 0.5) / columns as f64 * width;
                    let y = top - (row as f64 + 0.5) / rows as f64 * height;
                    if inside(&[x, y]) {
                        *letter = '.';
                    }
                }
            }
        }
        for x in &self.edge {
            let (row, column) = cell(x, 1, 1);
            letters[row][column] = '+';
        }
        for x in &self.points {
            match self.ink {
                Ink::Letters => {
                    let (row, column) = cell(x, 1, 1);
                    letters[row][column] = 'o';
                }
                Ink::Braille => {
                    let (row, column) = cell(x, 2, 4);
                    let letter = &mut letters[row / 4][column / 2];
                    *letter = with_dot(*letter, column % 2, row % 4);
                }
            }
        }
        for (mark, x) in &self.marks {
            let (row, column) = cell(x, 1, 1);
            letters[row][column] = *mark;
        }
        letters.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_string()).collect()
    }
}

/// A braille letter with one more dot; any other letter is replaced.
fn with_dot(letter: char, column: usize, row: usize) -> char {
    const BLANK: u32 = 0x2800;
    const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    let old = if ('\u{2800}'..='\u{28ff}').contains(&letter) { u32::from(letter) } else { BLANK };
    char::from_u32(old | DOTS[column][row]).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(ink: Ink) -> Map<'static> {
        Map {
            bounds: [(0.0, 4.0), (0.0, 2.0)],
            columns: 4,
            rows: 2,
            inside: None,
            edge: vec![],
            points: vec![[0.1, 1.9], [3.9, 0.1]],
            marks: vec![('X', [2.5, 0.5])],
            ink,
        }
    }

    #[test]
    fn what_is_on_top_hides_what_is_below() {
        assert_eq!(square(Ink::Letters).lines(), ["o", "  Xo"]);
        let all = |_: &[f64]| true;
        let map = Map { inside: Some(&all), edge: vec![[0.0, 0.0], [4.0, 2.0]], ..square(Ink::Letters) };
        assert_eq!(map.lines(), ["o..+", "+.Xo"]);
    }

    #[test]
    fn braille_has_eight_dots_to_a_letter() {
        assert_eq!(square(Ink::Braille).lines(), ["⠁", "  X⢀"]);
        let full: Vec<[f64; 2]> =
            (0..8).map(|k| [0.25 + 0.5 * f64::from(k % 2), 1.875 - 0.25 * f64::from(k / 2)]).collect();
        let map = Map { points: full, marks: vec![], ..square(Ink::Braille) };
        assert_eq!(map.lines(), ["⣿", ""]);
    }

    #[test]
    fn places_beyond_the_map_stay_on_its_edge() {
        let map = Map { points: vec![[-9.0, 9.0], [1e300, -1e300], [f64::NAN, 1.0]], ..square(Ink::Letters) };
        assert_eq!(map.lines().concat().matches('o').count(), 3);
    }

    #[test]
    fn maps_are_to_scale_and_never_too_high() {
        assert_eq!(size([(0.0, 2.0), (0.0, 1.0)], 60), (60, 15));
        assert_eq!(size([(0.0, 1.0), (0.0, 1.0)], 80), (36, 18));
        assert_eq!(size([(0.0, 1.0), (0.0, 1000.0)], 80), (80, 18));
        assert_eq!(size([(0.0, 1000.0), (0.0, 1.0)], 80), (80, 6));
    }
}
