//! Maps in degrees on a plane.

use std::f64::consts::TAU;

use super::polygon::mapped_rings;
use super::rings::closed;
use super::{Domain, Polygon, RepairedRings};
use crate::error::DomainError;
use crate::projection::EqualArea;

/// Vertices of the ring around the plane on which the whole Earth lies.
const RIM_VERTICES: usize = 360;

impl Polygon {
    /// A map in degrees of longitude and latitude on the plane of a projection, in kilometres.
    ///
    /// Edges are straight lines in degrees, as in map files, and are cut until they span at most `longest_edge`
    /// degrees. A cut along the 180th meridian, such as map files make it, is closed, and so are poles inside.
    /// Where the place opposite of the centre is inside, it becomes the rim of the plane, 12,742 km away.
    ///
    /// ```
    /// use steinbound::{domain::{Domain, Polygon}, projection::EqualArea};
    /// // Everything south of 60 degrees, as in a map that is cut along a meridian.
    /// let south = vec![[-180.0, -60.0], [-180.0, -90.0], [180.0, -90.0], [180.0, -60.0]];
    /// let cap = Polygon::new(vec![south])?.projected(&EqualArea::new(20.0, -70.0)?, 0.25)?;
    /// let half_turn = 1.0 - (60.0f64).to_radians().sin();
    /// let area = std::f64::consts::TAU * 6371.0072 * 6371.0072 * half_turn;
    /// assert!(cap.rings().len() == 1 && (cap.area() / area - 1.0).abs() < 1e-5);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn projected(&self, projection: &EqualArea, longest_edge: f64) -> Result<Polygon, DomainError> {
        let place = |[longitude, latitude]: [f64; 2]| {
            // All longitudes are one at a pole.
            let longitude = if latitude.abs() >= 90.0 { 0.0 } else { longitude };
            let flat = projection.forward([longitude, latitude]);
            if flat.iter().all(|value| value.is_finite()) { flat } else { [0.0, -EqualArea::RIM] }
        };
        let flat = mapped_rings(&with_matching_cuts(self.rings()), longest_edge, place)?.polygon()?;
        let [longitude, latitude] = projection.center();
        // Maps name longitudes between -180 and 180.
        let opposite = [longitude.rem_euclid(360.0) - 180.0, -latitude];
        if !self.contains(&opposite) {
            return Ok(flat);
        }
        // A little larger than the plane, so that its polygon holds the circle.
        let radius = 1.001 * EqualArea::RIM;
        let rim = (0..RIM_VERTICES).map(|k| TAU * k as f64 / RIM_VERTICES as f64);
        let rim = rim.map(|angle| [radius * angle.cos(), radius * angle.sin()]).collect();
        RepairedRings::new(flat.rings().iter().cloned().chain([rim]).collect())?.polygon()
    }

    /// A map in degrees with longitudes from `west` on, a turn around the Earth: what is beyond is moved by
    /// whole turns. A cut along the 180th meridian is closed, and what lies across `west` is cut there.
    ///
    /// ```
    /// use steinbound::domain::Polygon;
    /// let east = vec![[175.0, -20.0], [180.0, -20.0], [180.0, -10.0], [175.0, -10.0]];
    /// let west = vec![[-180.0, -20.0], [-174.0, -20.0], [-174.0, -10.0], [-180.0, -10.0]];
    /// let counted_on = Polygon::new(vec![east, west])?.counted_from(0.5)?;
    /// assert_eq!((counted_on.rings().len(), counted_on.area()), (1, 110.0));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn counted_from(&self, west: f64) -> Result<Polygon, DomainError> {
        let (low, high) = self.bounds()[0];
        let is_degrees = [low, high, west].iter().all(|longitude| longitude.abs() <= MOST_DEGREES);
        if !is_degrees {
            return Err(DomainError::BadNumber {
                what: "a longitude of the map".into(),
                value: if low.abs() > high.abs() { low } else { high },
                remedy: "longitudes are degrees between -360 and 360",
            });
        }
        if west <= low && high <= west + 360.0 {
            return Ok(self.clone());
        }
        let rings = with_matching_cuts(self.rings());
        let turns = ((west - high) / 360.0).ceil() as i32..=((west + 360.0 - low) / 360.0).floor() as i32;
        let pieces = turns.flat_map(|turn| {
            let shift = 360.0 * f64::from(turn);
            let moved = |ring: &Vec<[f64; 2]>| ring.iter().map(|[x, y]| [x + shift, *y]).collect::<Vec<_>>();
            let within = |ring: Vec<[f64; 2]>| east_of(&west_of(&ring, west + 360.0), west);
            rings.iter().map(moved).map(within).filter(|ring| !ring.is_empty()).collect::<Vec<_>>()
        });
        RepairedRings::new(pieces.collect())?.polygon()
    }
}

/// Twice what longitudes may be, whichever meridian they are counted from.
const MOST_DEGREES: f64 = 720.0;

/// The part of a ring with longitudes from `border` on. Parts that are apart are joined along the border; what
/// is joined twice encloses nothing.
fn east_of(ring: &[[f64; 2]], border: f64) -> Vec<[f64; 2]> {
    let mut part = Vec::with_capacity(ring.len() + 4);
    for [a, b] in closed(ring) {
        if a[0] >= border {
            part.push(a);
        }
        if (a[0] - border) * (b[0] - border) < 0.0 {
            part.push([border, a[1] + (border - a[0]) / (b[0] - a[0]) * (b[1] - a[1])]);
        }
    }
    part
}

/// The part of a ring with longitudes up to `border`.
fn west_of(ring: &[[f64; 2]], border: f64) -> Vec<[f64; 2]> {
    let mirrored = |ring: &[[f64; 2]]| ring.iter().map(|[x, y]| [-x, *y]).collect::<Vec<_>>();
    mirrored(&east_of(&mirrored(ring), -border))
}

/// The rings with the same vertices on both sides of the 180th meridian, where they run along it.
fn with_matching_cuts(rings: &[Vec<[f64; 2]>]) -> Vec<Vec<[f64; 2]>> {
    let on_meridian = rings.iter().flatten().filter(|vertex| vertex[0].abs() == 180.0);
    let mut latitudes: Vec<f64> = on_meridian.map(|vertex| vertex[1]).collect();
    latitudes.sort_by(f64::total_cmp);
    latitudes.dedup();
    if latitudes.is_empty() {
        return rings.to_vec();
    }
    let cut = |[a, b]: [[f64; 2]; 2]| {
        let mut pieces = vec![a];
        if a[0] == b[0] && a[0].abs() == 180.0 {
            let between = |latitude: &f64| a[1].min(b[1]) < *latitude && *latitude < a[1].max(b[1]);
            let first = latitudes.partition_point(|latitude| *latitude <= a[1].min(b[1]));
            let middle = latitudes[first..].iter().copied().take_while(between);
            pieces.extend(middle.map(|latitude| [a[0], latitude]));
            if b[1] < a[1] {
                pieces[1..].reverse();
            }
        }
        pieces
    };
    rings.iter().map(|ring| closed(ring).flat_map(cut).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARTH_AREA: f64 = 2.0 * TAU * 6371.0072 * 6371.0072;

    /// Both halves of a square that is cut along the 180th meridian, with other vertices on either side.
    fn cut_square() -> Polygon {
        let east = vec![[178.0, -18.0], [180.0, -18.0], [180.0, -16.1], [180.0, -15.0], [178.0, -15.0]];
        let west = vec![[-178.0, -18.0], [-178.0, -15.0], [-180.0, -15.0], [-180.0, -18.0]];
        RepairedRings::new(vec![east, west]).unwrap().polygon().unwrap()
    }

    #[test]
    fn a_cut_along_a_meridian_is_closed() {
        let plane = EqualArea::new(179.9, -17.0).unwrap();
        let flat = cut_square().projected(&plane, 0.25).unwrap();
        let area =
            EARTH_AREA / 2.0 * (4.0 / 360.0) * ((-15f64).to_radians().sin() - (-18f64).to_radians().sin());
        assert_eq!(flat.rings().len(), 1, "{:?}", flat.describe());
        assert!((flat.area() / area - 1.0).abs() < 1e-5, "{} {area}", flat.area());
        let mut gradient = [0.0; 2];
        let middle = plane.forward([180.0, -16.5]);
        assert!(flat.distance_to_boundary(&middle, &mut gradient) > 100.0);
    }

    /// Wherever the count begins, the same places are inside.
    #[test]
    fn longitudes_may_be_counted_from_anywhere() {
        let teeth = vec![[170.0, 0.0], [180.0, 0.0], [180.0, 2.0], [176.0, 3.0], [180.0, 4.0], [170.0, 5.0]];
        let beyond = vec![[-180.0, 1.0], [-100.0, 1.5], [-90.0, 3.0], [-180.0, 3.5]];
        let band = vec![[-180.0, 10.0], [180.0, 10.0], [180.0, 20.0], [-180.0, 20.0]];
        let lake = vec![[-40.0, 12.0], [30.0, 11.0], [35.0, 19.0], [-10.0, 15.0]];
        let map = RepairedRings::new(vec![teeth, beyond, band, lake]).unwrap().polygon().unwrap();
        for west in [-180.0, -360.0, -95.5, -0.25, 0.0, 12.5, 179.0, 180.0] {
            let counted = map.counted_from(west).unwrap();
            assert!((counted.area() / map.area() - 1.0).abs() < 1e-12, "{west}");
            for k in 0..6000 {
                let place =
                    [-179.5 + 359.0 * f64::from(k % 83) / 83.0, 21.0 * f64::from(k % 71) / 71.0 + 0.01];
                let moved = [(place[0] - west).rem_euclid(360.0) + west, place[1]];
                assert_eq!(counted.contains(&moved), map.contains(&place), "{west} {place:?}");
            }
        }
        assert!(map.counted_from(f64::NAN).is_err());
    }

    #[test]
    fn the_whole_earth_and_what_is_opposite() {
        let all = vec![[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0]];
        let lake = vec![[10.0, 10.0], [20.0, 10.0], [20.0, 20.0], [10.0, 20.0]];
        let map = Polygon::new(vec![all, lake]).unwrap();
        for center in [[0.0, 0.0], [15.0, 15.0], [-165.0, -15.0], [100.0, 60.0]] {
            let plane = EqualArea::new(center[0], center[1]).unwrap();
            let flat = map.projected(&plane, 0.25).unwrap();
            for place in
                [[15.0, 15.0], [12.0, 19.0], [0.0, 0.0], [179.0, 40.0], [-120.0, -60.0], [15.0, 25.0]]
            {
                let at = plane.forward(place);
                assert_eq!(flat.contains(&at), map.contains(&place), "{center:?} {place:?}");
            }
        }
    }
}
