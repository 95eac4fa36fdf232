//! Regions of which the specification and the membership are both known, so that data lie inside.

use crate::dice::Dice;

/// A region in coordinates of its own, about the origin and of about the size 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Within 1 in every coordinate, or in some directions without an end.
    Box(Vec<[f64; 2]>),
    /// Within 1 in the norm 1, 2 or infinity.
    Ball(&'static str),
    /// Within half-axes.
    Ellipse(Vec<f64>),
    /// Between two spheres.
    Annulus,
    /// Beyond a plane.
    Halfspace,
    /// Within a radius of the last axis.
    Cylinder,
    /// Where a formula is negative.
    Level,
    /// Inside of a ring in the plane, seen whole from the origin.
    Polygon(Vec<[f64; 2]>),
    /// Two boxes that overlap.
    Union,
    /// A ball cut by a plane.
    Cut,
    /// All but a ball.
    Outside,
}

/// A shape in the units of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The shape.
    pub shape: Shape,
    /// Where its origin is.
    pub centre: Vec<f64>,
    /// The length of 1.
    pub scale: f64,
}

impl Shape {
    /// A shape for data of so many coordinates.
    pub fn draw(dice: &mut Dice, dimension: usize) -> Shape {
        let high = *dice.weighted(&[(6, 1.0), (2, f64::INFINITY), (1, 0.3)]);
        match dice.below(if dimension == 1 { 8 } else { 14 }) {
            0..=2 => Shape::Box((0..dimension).map(|_| [-1.0, high]).collect()),
            3 => Shape::Union,
            4 => Shape::Halfspace,
            5 => Shape::Ball("2"),
            6 => Shape::Level,
            7 => Shape::Cut,
            8 => Shape::Ball(dice.pick(&["1", "2", "inf"])),
            9 => Shape::Ellipse((0..dimension).map(|_| 0.4 + dice.uniform()).collect()),
            10 => Shape::Annulus,
            11 if dimension > 1 => Shape::Cylinder,
            12 if dimension == 2 => Shape::ring(dice),
            13 => Shape::Outside,
            _ => Shape::Ball("2"),
        }
    }

    /// A ring of a few or of many vertices.
    pub fn ring(dice: &mut Dice) -> Shape {
        let count = *dice.weighted(&[(4, 4), (3, 9), (2, 40), (1, 3), (1, 150)]);
        let vertex = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / count as f64;
            let radius = 0.5 + 0.5 * dice.uniform();
            [radius * angle.cos(), radius * angle.sin()]
        };
        Shape::Polygon((0..count).map(vertex).collect())
    }

    /// Whether a point in the coordinates of the shape is inside.
    pub fn contains(&self, at: &[f64]) -> bool {
        let norm = |at: &[f64]| at.iter().map(|v| v * v).sum::<f64>().sqrt();
        match self {
            Shape::Box(sides) => sides.iter().zip(at).all(|([low, high], v)| low < v && v < high),
            Shape::Ball("1") => at.iter().map(|v| v.abs()).sum::<f64>() < 1.0,
            Shape::Ball("inf") => at.iter().all(|v| v.abs() < 1.0),
            Shape::Ball(_) | Shape::Level => norm(at) < 1.0,
            Shape::Ellipse(radii) => at.iter().zip(radii).map(|(v, r)| (v / r).powi(2)).sum::<f64>() < 1.0,
            Shape::Annulus => (0.3..1.0).contains(&norm(at)),
            Shape::Halfspace => at[0] > -0.5,
            Shape::Cylinder => {
                let (axis, across) = at.split_last().expect("there are coordinates");
                norm(across) < 1.0 && axis.abs() < 1.0
            }
            Shape::Polygon(ring) => is_in_ring(ring, at[0], at[1]),
            Shape::Union => at.iter().all(|v| v.abs() < 0.6) || at.iter().all(|v| (0.0..1.0).contains(v)),
            Shape::Cut => norm(at) < 1.0 && at[0] > -0.5,
            Shape::Outside => norm(at) > 0.5,
        }
    }
}

fn is_in_ring(ring: &[[f64; 2]], x: f64, y: f64) -> bool {
    let mut is_inside = false;
    for (k, [x1, y1]) in ring.iter().enumerate() {
        let [x2, y2] = ring[(k + 1) % ring.len()];
        if (*y1 > y) != (y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1 {
            is_inside = !is_inside;
        }
    }
    is_inside
}

impl Region {
    /// A point of the shape in the units of the data.
    pub fn place(&self, at: &[f64]) -> Vec<f64> {
        at.iter().zip(&self.centre).map(|(v, centre)| centre + self.scale * v).collect()
    }

    /// The specification, if the program has one for it; that of a polygon names a file.
    pub fn specification(&self, file: &str) -> String {
        let d = self.centre.len();
        let list = |values: Vec<f64>| values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(":");
        let along = |v: f64| list(self.place(&vec![v; d]));
        let centre = list(self.centre.clone());
        let s = self.scale;
        let ball = |radius: f64| format!("ball(radius={radius:?}, center={centre})");
        let mut normal = vec![0.0; d];
        normal[0] = 1.0;
        let plane = format!("halfspace(normal={}, offset={:?})", list(normal), self.centre[0] - 0.5 * s);
        match &self.shape {
            Shape::Box(sides) if d == 1 => {
                format!("interval({}, {})", along(sides[0][0]), along(sides[0][1]))
            }
            Shape::Box(sides) => {
                let side = |k: usize| list(self.place(&sides.iter().map(|side| side[k]).collect::<Vec<_>>()));
                format!("box(low={}, high={})", side(0), side(1))
            }
            Shape::Ball("2") => ball(s),
            Shape::Ball(norm) => format!("ball(radius={s:?}, norm={norm}, center={centre})"),
            Shape::Ellipse(radii) => {
                let radii = list(radii.iter().map(|r| r * s).collect());
                format!("ellipse(radii={radii}, center={centre})")
            }
            Shape::Annulus => format!("annulus(inner={:?}, outer={s:?}, center={centre})", 0.3 * s),
            Shape::Halfspace => plane,
            Shape::Cylinder => {
                let axis = self.centre[d - 1];
                let across = list(self.centre[..d - 1].to_vec());
                format!("cylinder(radius={s:?}, low={:?}, high={:?}, center={across})", axis - s, axis + s)
            }
            Shape::Level => {
                let term = |(j, c): (usize, &f64)| format!("((x{} - ({c:?}))/{s:?})^2", j + 1);
                let terms: Vec<String> = self.centre.iter().enumerate().map(term).collect();
                format!("level(\"{} - 1\")", terms.join(" + "))
            }
            Shape::Polygon(_) => format!("polygon({file})"),
            Shape::Union => format!(
                "union(box(low={}, high={}), box(low={}, high={}))",
                along(-0.6),
                along(0.6),
                along(0.0),
                along(1.0)
            ),
            Shape::Cut => format!("intersection({}, {plane})", ball(s)),
            Shape::Outside => format!("outside({})", ball(0.5 * s)),
        }
    }

    /// A point inside, in the coordinates of the shape; `near` is tried first.
    pub fn inside(&self, dice: &mut Dice, near: impl Fn(&mut Dice) -> Vec<f64>) -> Vec<f64> {
        for attempt in 0..300 {
            let at = match attempt < 100 {
                true => near(dice),
                false => (0..self.centre.len()).map(|_| dice.centred()).collect(),
            };
            if self.shape.contains(&at) {
                return at;
            }
        }
        vec![0.51; self.centre.len()]
    }

    /// A point of the boundary in the units of the data, and a direction that is about perpendicular there: where
    /// a ray from a point inside leaves the region. None where it does not.
    pub fn edge(&self, dice: &mut Dice) -> Option<(Vec<f64>, Vec<f64>)> {
        let d = self.centre.len();
        let from = self.inside(dice, |dice| (0..d).map(|_| 0.3 * dice.centred()).collect());
        let direction: Vec<f64> = self.centre.iter().map(|_| dice.normal()).collect();
        let at = |t: f64| from.iter().zip(&direction).map(|(v, step)| v + t * step).collect::<Vec<f64>>();
        let (mut near, mut far) = (0.0, 0.05);
        while self.shape.contains(&at(far)) {
            (near, far) = (far, 2.0 * far);
            if far > 1e3 {
                return None;
            }
        }
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            if self.shape.contains(&at(middle)) { near = middle } else { far = middle }
        }
        Some((self.place(&at(near)), direction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_boundary_are_where_the_region_ends() {
        let mut dice = Dice::new(1, 1);
        for d in 1..=4 {
            for _ in 0..30 {
                let region = Region { shape: Shape::draw(&mut dice, d), centre: vec![0.0; d], scale: 1.0 };
                let Some((edge, direction)) = region.edge(&mut dice) else { continue };
                let beyond: Vec<f64> = edge.iter().zip(&direction).map(|(v, step)| v + 1e-9 * step).collect();
                assert!(region.shape.contains(&edge) && !region.shape.contains(&beyond), "{region:?}");
            }
        }
    }
}
