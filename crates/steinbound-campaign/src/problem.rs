//! What a command is about: data inside a region, and a model for them that the program can fit.

use crate::dice::Dice;
use crate::shape::{Region, Shape};

/// A model.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// Mean and covariance are unknown.
    Gaussian,
    /// Only the mean is.
    KnownCovariance,
    /// So many components of a known covariance.
    Mixture(usize),
    /// A model by its name, with the number of its parameters in each coordinate.
    Named(&'static str, usize),
    /// A formula with the parameter `a`.
    Formula,
}

/// Models by name, the numbers of their parameters, and whether values are positive.
const NAMED: [(&str, usize, bool); 8] = [
    ("exponential", 1, true),
    ("gamma", 2, true),
    ("weibull", 2, true),
    ("lognormal", 2, true),
    ("pareto", 1, true),
    ("beta", 2, true),
    ("von-mises", 2, false),
    ("student-t", 3, false),
];

/// Column names that programs stumble over.
const STRANGE_NAMES: [&str; 16] = [
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "\u{202e}txet",
    "a\u{200b}b",
    "tab\there",
    "bell\u{7}",
    "\u{1b}[31mred",
    "say \"so\", then",
    "",
    "mean[x1]",
    "1",
    "naïve ∑ 名前",
    "x2",
    "]]>&amp;'",
    "\u{9b}2J",
    "two\nlines",
];

/// Data, region and model.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where the data are.
    pub region: Region,
    /// The names of the coordinates.
    pub names: Vec<String>,
    /// The data.
    pub rows: Vec<Vec<f64>>,
    /// Points on the boundary, each with a direction across it.
    pub edge: Vec<(Vec<f64>, Vec<f64>)>,
    /// The model.
    pub model: Model,
    /// Whether the coordinates are longitude and latitude.
    pub is_geographic: bool,
}

impl Problem {
    /// A problem.
    pub fn draw(dice: &mut Dice) -> Problem {
        let d = *dice.weighted(&[(34, 1), (50, 2), (10, 3), (3, 4), (2, 5), (1, 6)]);
        let mut model = match dice.below(20) {
            0..=6 => Model::Gaussian,
            7..=12 => Model::KnownCovariance,
            13 => Model::Mixture(dice.between(1, 3)),
            14..=17 => {
                let (name, parameters, _) = NAMED[dice.below(NAMED.len())];
                Model::Named(name, parameters)
            }
            _ => Model::Formula,
        };
        // Other models than these are for few coordinates.
        if d > 3 && !matches!(model, Model::Gaussian | Model::KnownCovariance) {
            model = Model::KnownCovariance;
        }
        let is_positive = NAMED.iter().any(|(name, _, positive)| *positive && model == named(name));
        let is_geographic = d == 2 && !is_positive && dice.chance(12);
        let region = if is_positive { positive(dice, d) } else { anywhere(dice, d, is_geographic) };
        let rows = rows(dice, &region);
        let edge = (0..dice.between(3, 60)).filter_map(|_| region.edge(dice)).collect();
        Problem { names: names(dice, d, is_geographic), rows, edge, region, model, is_geographic }
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.region.centre.len()
    }

    /// The smallest and the largest value of each coordinate of data and boundary points.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        let all = || self.rows.iter().chain(self.edge.iter().map(|(point, _)| point));
        let range = |j: usize| {
            all().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], row| {
                [low.min(row[j]), high.max(row[j])]
            })
        };
        (0..self.dimension()).map(range).collect()
    }
}

fn named(name: &'static str) -> Model {
    let parameters = NAMED.iter().find(|(other, _, _)| *other == name).map_or(1, |entry| entry.1);
    Model::Named(name, parameters)
}

/// A region of positive numbers below 1.
fn positive(dice: &mut Dice, d: usize) -> Region {
    let low = *dice.weighted(&[(1, -1.0), (2, -0.9)]);
    let sides = vec![[low, *dice.weighted(&[(3, 1.0), (1, 0.6)])]; d];
    Region { shape: Shape::Box(sides), centre: vec![0.5; d], scale: 0.5 }
}

/// A region of any place and size; most are near the origin and of about the size 1.
fn anywhere(dice: &mut Dice, d: usize, is_geographic: bool) -> Region {
    if is_geographic {
        let centre = vec![120.0 * dice.centred(), 60.0 * dice.centred()];
        let shape = if dice.chance(70) { Shape::ring(dice) } else { Shape::draw(dice, d) };
        return Region { shape, centre, scale: 0.5 + 5.0 * dice.uniform() };
    }
    let power = if dice.chance(80) { 0 } else { dice.between(0, 24) as i32 - 12 };
    let scale = 10f64.powi(power) * *dice.weighted(&[(3, 1.0), (2, 1.5), (1, 3.7)]);
    let far = *dice.weighted(&[(80, 0.0), (10, 1.0), (4, 100.0), (3, 1e6), (3, 1e9)]);
    let centre = (0..d).map(|_| if far == 0.0 { 0.0 } else { far * scale * dice.centred() }).collect();
    Region { shape: Shape::draw(dice, d), centre, scale }
}

/// Data inside a region, in one of several patterns.
fn rows(dice: &mut Dice, region: &Region) -> Vec<Vec<f64>> {
    let d = region.centre.len();
    let count = match dice.below(40) {
        0 => dice.between(0, 4),
        _ if d > 3 => dice.between(5, 40),
        1 => dice.between(150, 400),
        2..=5 => dice.between(5, 12),
        _ => dice.between(20, 70),
    };
    let pattern = dice.below(20);
    let spread = 0.2 + dice.uniform();
    let mean: Vec<f64> = (0..d).map(|_| 0.5 * dice.centred()).collect();
    let line: Vec<f64> = (0..d).map(|_| 0.5 * dice.centred()).collect();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for k in 0..count {
        let near = |dice: &mut Dice| -> Vec<f64> {
            let along = 2.0 * dice.centred();
            let coordinate = |j: usize, dice: &mut Dice| match pattern {
                0 => 2.0 * dice.centred(),
                1 => (4.0 * dice.centred()).round() / 8.0 + 0.05,
                2 => along * line[j] + if j == 0 { 0.0 } else { 1e-9 },
                3 => mean[j],
                4 => mean[j] + 1e-9 * dice.normal(),
                5 if k % 2 == 0 => -mean[j] + 0.1 * dice.normal(),
                _ => mean[j] + spread * dice.normal(),
            };
            (0..d).map(|j| coordinate(j, dice)).collect()
        };
        let at = region.inside(dice, near);
        match rows.last() {
            Some(last) if pattern == 6 && k % 3 > 0 => rows.push(last.clone()),
            _ => rows.push(region.place(&at)),
        }
    }
    if pattern == 7
        && let Some(row) = rows.first_mut()
    {
        // An outlier.
        row[0] += 1e3 * region.scale;
    }
    rows
}

/// Names of columns.
fn names(dice: &mut Dice, d: usize, is_geographic: bool) -> Vec<String> {
    let plain: [&str; 6] = match (is_geographic, dice.below(3)) {
        (true, _) => ["lon", "lat", "z", "t", "u", "v"],
        (_, 0) => ["height", "weight", "age", "wage", "x_5", "x.6"],
        _ => ["x1", "x2", "x3", "x4", "x5", "x6"],
    };
    let mut names: Vec<String> = plain[..d].iter().map(|name| name.to_string()).collect();
    if dice.chance(8) {
        let at = dice.below(d);
        names[at] = match dice.chance(10) {
            true => "long".repeat(dice.between(20, 2000)),
            false => dice.pick(&STRANGE_NAMES).to_string(),
        };
    }
    names
}
