//! Rings in degrees that go around the Earth's far side: cut where longitudes jump from 180 to -180.

/// A step of longitude by nearly a whole turn is one across the 180th meridian if it is this short, in
/// degrees. Longer ones are straight lines around the Earth, as the rules of map formats have it.
const LONGEST_STEP: f64 = 10.0;

/// Vertices in degrees.
type Ring = Vec<[f64; 2]>;

/// A vertex, whose longitude goes on by 360 degrees for each turn.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    longitude: f64,
    latitude: f64,
    turns: i32,
}

/// What is special about a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// It crosses the 180th meridian.
    Crosses,
    /// It goes around the north pole, which is taken to be inside.
    North,
    /// It goes around the south pole, which is taken to be inside.
    South,
    /// It has an edge that spans more than half of the Earth.
    Wide,
}

/// The ring, without its first vertex repeated, in pieces between -180 and 180 degrees; or why that is
/// ambiguous.
pub(super) fn cut(ring: Ring) -> Result<(Vec<Ring>, Option<Passage>), &'static str> {
    let (vertices, turns, is_wide) = unwound(&ring);
    let is_within = ring.iter().all(|vertex| vertex[0].abs() <= 180.0);
    let has_jumps = turns != 0 || vertices.iter().any(|vertex| vertex.turns != 0);
    if !has_jumps && is_within {
        return Ok((vec![ring], is_wide.then_some(Passage::Wide)));
    }
    let mut around = vertices;
    let passage = match turns {
        0 if has_no_area(&around) => return Ok((vec![ring], Some(Passage::Wide))),
        0 => Passage::Crosses,
        1 | -1 => {
            let pole = pole_of(&ring).ok_or("goes around both poles; cut the map along a meridian")?;
            let Some(first) = around.first().copied() else { return Ok((vec![ring], None)) };
            around.push(Vertex { turns, ..first });
            around.push(Vertex { turns, latitude: pole, ..first });
            around.push(Vertex { latitude: pole, ..first });
            if pole > 0.0 { Passage::North } else { Passage::South }
        }
        _ => return Err("goes around a pole more than once; cut the map along a meridian"),
    };
    let pieces = windows(&with_crossings(&around));
    // Longitudes that are merely counted from elsewhere need no remark.
    let is_plain = passage == Passage::Crosses && pieces.len() == 1;
    Ok((pieces, Some(passage).filter(|_| !is_plain)))
}

/// The vertices with their turns, the turns of the whole ring, and whether an edge spans more than half of the
/// Earth.
fn unwound(ring: &[[f64; 2]]) -> (Vec<Vertex>, i32, bool) {
    let mut turns = 0;
    let mut is_wide = false;
    let mut vertices = Vec::with_capacity(ring.len() + 4);
    for (at, [longitude, latitude]) in ring.iter().copied().enumerate() {
        vertices.push(Vertex { longitude, latitude, turns });
        let next = ring[(at + 1) % ring.len()];
        let step = next[0] - longitude;
        // All longitudes are one at a pole.
        let is_at_pole = latitude.abs() >= 90.0 && next[1].abs() >= 90.0;
        if step.abs() > 180.0 && !is_at_pole {
            match 360.0 - step.abs() <= LONGEST_STEP {
                true => turns -= if step > 0.0 { 1 } else { -1 },
                false => is_wide = true,
            }
        }
    }
    (vertices, turns, is_wide)
}

fn position(vertex: &Vertex) -> f64 {
    vertex.longitude + 360.0 * f64::from(vertex.turns)
}

/// Whether a ring encloses nothing, as a band around the Earth does if its ends are taken for the same.
fn has_no_area(vertices: &[Vertex]) -> bool {
    let Some(first) = vertices.first() else { return true };
    vertices.iter().all(|vertex| (position(vertex) - position(first)).abs() < 1e-9)
        || vertices.iter().all(|vertex| (vertex.latitude - first.latitude).abs() < 1e-9)
}

/// The pole on whose side a whole ring lies.
fn pole_of(ring: &[[f64; 2]]) -> Option<f64> {
    match (ring.iter().all(|vertex| vertex[1] >= 0.0), ring.iter().all(|vertex| vertex[1] <= 0.0)) {
        (true, false) => Some(90.0),
        (false, true) => Some(-90.0),
        _ => None,
    }
}

/// The ring with a vertex wherever it crosses the 180th meridian, so that both sides have the same.
fn with_crossings(vertices: &[Vertex]) -> Vec<Vertex> {
    let mut with = Vec::with_capacity(vertices.len() + 8);
    for (at, vertex) in vertices.iter().enumerate() {
        with.push(*vertex);
        let next = &vertices[(at + 1) % vertices.len()];
        let (from, to) = (position(vertex), position(next));
        let first = ((from.min(to) - 180.0) / 360.0).floor() as i32;
        let last = ((from.max(to) - 180.0) / 360.0).ceil() as i32;
        let mut crossed: Vec<Vertex> = (first..=last)
            .map(|turns| Vertex { longitude: 180.0, latitude: 0.0, turns })
            .filter(|border| from.min(to) < position(border) && position(border) < from.max(to))
            .map(|border| {
                let share = (position(&border) - from) / (to - from);
                Vertex { latitude: vertex.latitude + share * (next.latitude - vertex.latitude), ..border }
            })
            .collect();
        if to < from {
            crossed.reverse();
        }
        with.extend(crossed);
    }
    with
}

/// The parts of a ring in each turn around the Earth. Parts that are apart are joined along the meridian; what
/// is joined twice encloses nothing.
fn windows(vertices: &[Vertex]) -> Vec<Ring> {
    let positions = vertices.iter().map(position);
    let (low, high) = positions.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let first = ((low + 180.0) / 360.0).floor() as i32;
    let last = ((high - 180.0) / 360.0).ceil() as i32;
    let part = |turn: i32| -> Ring {
        let within = vertices.iter().filter_map(|vertex| {
            let longitude = vertex.longitude + 360.0 * f64::from(vertex.turns - turn);
            (longitude.abs() <= 180.0).then_some([longitude, vertex.latitude])
        });
        within.collect()
    };
    (first..=last).map(part).filter(|part| part.len() > 2).collect()
}

#[cfg(test)]
mod tests {
    use steinbound::domain::{Domain, Polygon, RepairedRings};

    use super::*;

    fn polygon(ring: &[[f64; 2]]) -> (Polygon, Option<Passage>) {
        let (rings, passage) = cut(ring.to_vec()).unwrap();
        (RepairedRings::new(rings).unwrap().polygon().unwrap(), passage)
    }

    #[test]
    fn a_ring_across_the_meridian_is_cut() {
        let island = [[179.0, -18.0], [-178.0, -18.0], [-178.0, -15.0], [179.0, -15.0]];
        let (fiji, passage) = polygon(&island);
        assert_eq!((fiji.rings().len(), fiji.area(), passage), (2, 9.0, Some(Passage::Crosses)));
        assert!(
            fiji.contains(&[179.5, -16.0])
                && fiji.contains(&[-179.0, -16.0])
                && !fiji.contains(&[0.0, -16.0])
        );
        // Written with longitudes beyond 180 degrees, on either side.
        for shift in [0.0, -360.0] {
            let on =
                [[179.0, -18.0], [182.0, -18.0], [182.0, -15.0], [179.0, -15.0]].map(|[x, y]| [x + shift, y]);
            assert_eq!(polygon(&on).0.area(), 9.0);
        }
    }

    /// A ring that crosses six times leaves several parts on either side.
    #[test]
    fn teeth_across_the_meridian() {
        let teeth = [
            [178.0, 0.0],
            [-178.0, 1.0],
            [178.0, 2.0],
            [-178.0, 3.0],
            [178.0, 4.0],
            [-178.0, 5.0],
            [178.0, 6.0],
            [176.0, 6.0],
            [176.0, 0.0],
        ];
        let (map, _) = polygon(&teeth);
        assert!((map.area() - (2.0 * 6.0 + 3.0 * 4.0)).abs() < 1e-9, "{}", map.area());
        let east = |x: f64| if x < -90.0 { x + 360.0 } else { x };
        let flat = Polygon::new(vec![teeth.map(|[x, y]| [east(x), y]).to_vec()]).unwrap();
        for k in 0..4000 {
            let x = [176.0 + 6.0 * f64::from(k % 61) / 61.0, 6.0 * f64::from(k % 97) / 97.0 + 0.01];
            let named = [if x[0] > 180.0 { x[0] - 360.0 } else { x[0] }, x[1]];
            assert_eq!(map.contains(&named), flat.contains(&x), "{x:?}");
        }
    }

    #[test]
    fn a_ring_around_a_pole_holds_it() {
        let coast: Vec<[f64; 2]> = (0..36).map(|k| [-175.0 + 10.0 * f64::from(k), -70.0]).collect();
        let (south, passage) = polygon(&coast);
        assert_eq!((passage, south.area()), (Some(Passage::South), 360.0 * 20.0));
        let north: Vec<[f64; 2]> = coast.iter().rev().map(|[x, y]| [*x, -y]).collect();
        assert_eq!(polygon(&north).1, Some(Passage::North));
        // As in files that are cut already, and with a step along the meridian itself.
        let mut closed = coast.clone();
        closed.extend([[180.0, -70.0], [180.0, -90.0], [-180.0, -90.0], [-180.0, -70.0]]);
        assert_eq!((polygon(&closed).0.area(), polygon(&closed).1), (7200.0, None));
        let mut stitched = coast.clone();
        stitched.extend([[180.0, -70.0], [-180.0, -70.0]]);
        assert_eq!(polygon(&stitched).0.area(), 7200.0);
        let both: Vec<[f64; 2]> =
            (0..36).map(|k| [-175.0 + 10.0 * f64::from(k), f64::from(k) - 18.0]).collect();
        assert!(cut(both).unwrap_err().contains("both poles"));
    }

    #[test]
    fn bands_and_boxes_are_what_they_look_like() {
        let rectangle = |x: f64, y: f64| [[-x, -y], [x, -y], [x, y], [-x, y]];
        assert_eq!(polygon(&rectangle(180.0, 90.0)).0.area(), 360.0 * 180.0);
        assert_eq!(polygon(&rectangle(180.0, 60.0)).0.area(), 360.0 * 120.0);
        let (wide, passage) = polygon(&rectangle(150.0, 60.0));
        assert_eq!((wide.area(), passage), (300.0 * 120.0, Some(Passage::Wide)));
        assert_eq!(polygon(&rectangle(80.0, 60.0)).1, None);
    }
}
