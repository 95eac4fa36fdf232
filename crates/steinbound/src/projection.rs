//! Projection of longitude and latitude onto a plane.

use num_dual::{Dual64, DualNum};

use crate::error::DomainError;
use crate::matrix::Matrix;

/// The radius, in kilometres, of the sphere that has the area of the Earth.
const EARTH: f64 = 6371.0072;

/// Lambert's azimuthal equal-area projection about a centre: degrees of longitude and latitude to kilometres
/// east and north.
///
/// Areas are exact, so that densities per square kilometre stay densities; distances near the centre are
/// nearly exact (2 % off at 2,000 km).
///
/// # Reference
///
/// Snyder, *Map Projections: A Working Manual*, 1987, section 24.
///
/// ```
/// use steinbound::projection::EqualArea;
/// let berlin = EqualArea::new(13.4, 52.5)?;
/// let [east, north] = berlin.forward([13.4, 53.5]);
/// assert!(east.abs() < 1e-9 && (north - 111.2).abs() < 0.1);
/// let [longitude, latitude] = berlin.inverse([east, north]);
/// assert!((longitude - 13.4).abs() < 1e-9 && (latitude - 53.5).abs() < 1e-9);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualArea {
    /// Longitude and latitude of the centre, in radians.
    center: [f64; 2],
    /// The longitude, in degrees, from which those of places are counted eastwards.
    west: f64,
}

/// The longitude from which a turn around the Earth begins that holds all longitudes of an interval: -180 where
/// they are between -180 and 180, and otherwise the one opposite of their middle.
///
/// ```
/// use steinbound::projection::first_longitude;
/// assert_eq!(first_longitude((-10.0, 175.0)), -180.0);
/// assert_eq!(first_longitude((175.0, 187.0)), 1.0);
/// ```
pub fn first_longitude((low, high): (f64, f64)) -> f64 {
    if low >= -180.0 && high <= 180.0 { -180.0 } else { 0.5 * (low + high) - 180.0 }
}

impl EqualArea {
    /// How far the place opposite of the centre is away, in kilometres: the radius of the plane.
    pub const RIM: f64 = 2.0 * EARTH;

    /// The projection about a centre in degrees.
    pub fn new(longitude: f64, latitude: f64) -> Result<EqualArea, DomainError> {
        if longitude.is_nan() || longitude.abs() > 180.0 {
            return Err(DomainError::BadNumber {
                what: "the longitude of the map's centre".into(),
                value: longitude,
                remedy: "longitudes are degrees between -180 and 180",
            });
        }
        if latitude.is_nan() || latitude.abs() > 90.0 {
            return Err(DomainError::BadNumber {
                what: "the latitude of the map's centre".into(),
                value: latitude,
                remedy: "latitudes are degrees between -90 and 90; longitude comes first",
            });
        }
        Ok(EqualArea { center: [longitude.to_radians(), latitude.to_radians()], west: -180.0 })
    }

    /// Kilometres east and north of the centre.
    pub fn forward(&self, [longitude, latitude]: [f64; 2]) -> [f64; 2] {
        self.project([longitude, latitude])
    }

    /// Longitude and latitude in degrees. Beyond the edge of the map, 12,742 km from the centre, the nearest
    /// place at the edge.
    pub fn inverse(&self, [east, north]: [f64; 2]) -> [f64; 2] {
        let distance = east.hypot(north);
        if distance == 0.0 {
            return self.center();
        }
        let angle = 2.0 * (0.5 * distance / EARTH).min(1.0).asin();
        let (sine, cosine) = angle.sin_cos();
        let (center_sine, center_cosine) = self.center[1].sin_cos();
        let height = cosine * center_sine + north * sine * center_cosine / distance;
        let turn = (east * sine).atan2(distance * center_cosine * cosine - north * center_sine * sine);
        let longitude = self.counted((self.center[0] + turn).to_degrees());
        [longitude, height.clamp(-1.0, 1.0).asin().to_degrees()]
    }

    /// The derivative of [`inverse`](EqualArea::inverse): degrees by kilometres, as rows (longitude,
    /// latitude). `None` at a pole.
    pub fn inverse_jacobian(&self, place: [f64; 2]) -> Option<Matrix> {
        let degrees = self.inverse(place).map(Dual64::from);
        let along = |l: usize| {
            let mut moved = degrees;
            moved[l].eps = 1.0;
            self.project(moved).map(|value| value.eps)
        };
        let (by_longitude, by_latitude) = (along(0), along(1));
        let determinant = by_longitude[0] * by_latitude[1] - by_latitude[0] * by_longitude[1];
        let rows = [[by_latitude[1], -by_latitude[0]], [-by_longitude[1], by_longitude[0]]];
        let is_sound = determinant.is_finite() && determinant.abs() > 1e-9;
        is_sound.then(|| Matrix::from_fn(2, 2, |i, j| rows[i][j] / determinant))
    }

    /// The projection about the middle of some places in degrees: the direction of the mean of their places
    /// on the sphere, so that 180 degrees east and west are the same. Longitudes of places are then those of
    /// the [turn](first_longitude) in which these are.
    ///
    /// ```
    /// use steinbound::projection::EqualArea;
    /// let fiji = EqualArea::about([[179.0, -17.0], [-179.0, -17.0]].into_iter())?;
    /// let [east, _] = fiji.forward([180.0, -17.0]);
    /// assert!(east.abs() < 1e-6);
    /// let counted_on = EqualArea::about([[179.0, -17.0], [181.5, -17.0]].into_iter())?;
    /// let [longitude, _] = counted_on.inverse(counted_on.forward([-179.0, -17.0]));
    /// assert!((longitude - 181.0).abs() < 1e-9);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn about(places: impl Iterator<Item = [f64; 2]>) -> Result<EqualArea, DomainError> {
        let mut sum = [0.0; 3];
        let mut extent = (f64::INFINITY, f64::NEG_INFINITY);
        for [longitude, latitude] in places {
            extent = (extent.0.min(longitude), extent.1.max(longitude));
            let (east, north) = (longitude.to_radians(), latitude.to_radians());
            sum[0] += north.cos() * east.cos();
            sum[1] += north.cos() * east.sin();
            sum[2] += north.sin();
        }
        let [x, y, z] = sum;
        let plane = EqualArea::new(y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees())?;
        // No places have no extent.
        Ok(if extent.0 <= extent.1 { EqualArea { west: first_longitude(extent), ..plane } } else { plane })
    }

    /// Longitude and latitude of the centre, in degrees.
    pub fn center(&self) -> [f64; 2] {
        let [longitude, latitude] = self.center.map(f64::to_degrees);
        [self.counted(longitude), latitude]
    }

    /// A longitude in the turn of this plane. One that is there already keeps its digits.
    fn counted(&self, longitude: f64) -> f64 {
        let is_there = (self.west..self.west + 360.0).contains(&longitude);
        if is_there { longitude } else { (longitude - self.west).rem_euclid(360.0) + self.west }
    }

    /// Kilometres in a degree of longitude and of latitude at the centre.
    pub fn kilometres_per_degree(&self) -> (f64, f64) {
        let degree = EARTH.to_radians();
        (degree * self.center[1].cos(), degree)
    }

    fn project<D: DualNum<Primitive = f64> + Copy>(&self, [longitude, latitude]: [D; 2]) -> [D; 2] {
        let radian = std::f64::consts::PI / 180.0;
        let (center_sine, center_cosine) = self.center[1].sin_cos();
        // The shorter way round, in whole turns of degrees: both names of a meridian give the same bits.
        let turns = ((longitude.re() - self.center[0].to_degrees()) / 360.0 + 0.5).floor();
        let turn = (longitude - 360.0 * turns) * radian - self.center[0];
        let (sine, cosine) = (latitude * radian).sin_cos();
        let stretch =
            ((sine * center_sine + cosine * center_cosine * turn.cos() + 1.0) * 0.5).sqrt().recip() * EARTH;
        [stretch * cosine * turn.sin(), stretch * (sine * center_cosine - cosine * center_sine * turn.cos())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [[f64; 2]; 5] =
        [[-98.0, 39.0], [-115.0, 35.0], [-70.0, 45.0], [-98.0, 38.0], [-124.0, 25.0]];

    #[test]
    fn there_and_back() {
        let map = EqualArea::new(-98.0, 39.0).unwrap();
        for place in PLACES {
            let back = map.inverse(map.forward(place));
            assert!((0..2).all(|l| (back[l] - place[l]).abs() < 1e-10), "{back:?}");
        }
    }

    /// The Jacobian determinant of an equal-area map is the area of a square degree, at any place.
    #[test]
    fn areas_are_kept() {
        let map = EqualArea::new(-98.0, 39.0).unwrap();
        for place in PLACES {
            let at = map.forward(place);
            let jacobian = map.inverse_jacobian(at).unwrap();
            let determinant = jacobian[(0, 0)] * jacobian[(1, 1)] - jacobian[(0, 1)] * jacobian[(1, 0)];
            let square_degree = EARTH.to_radians().powi(2) * place[1].to_radians().cos();
            assert!((determinant * square_degree - 1.0).abs() < 1e-10);
            for l in 0..2 {
                let step = |by: f64| {
                    let mut moved = at;
                    moved[l] += by;
                    map.inverse(moved)
                };
                let (above, below) = (step(1e-3), step(-1e-3));
                for k in 0..2 {
                    let difference = (above[k] - below[k]) / 2e-3;
                    assert!((difference - jacobian[(k, l)]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn impossible_centres_are_refused() {
        assert!(EqualArea::new(10.0, 91.0).unwrap_err().to_string().contains("longitude comes first"));
        assert!(EqualArea::new(f64::NAN, 0.0).is_err());
    }
}
