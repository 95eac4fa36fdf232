use super::Polygon;
use crate::error::DomainError;

/// One vertex per line: ring, longitude, latitude.
const VERTICES: &str = include_str!("us_border.csv");

/// The contiguous United States with its islands, in degrees of longitude and latitude.
///
/// # Definition
///
/// 52 rings with 2,436 vertices (2,488 when each ring's first vertex is repeated at its end, as map files
/// do), without Alaska, Hawaii and the territories. Degrees are not lengths: project with
/// [`Polygon::map_vertices`] where distances matter.
///
/// # Reference
///
/// Natural Earth, countries at 1:50 million, which is in the public domain, as packaged in the TopoJSON file
/// `countries-50m.json` of the npm package `world-atlas`. `tools/us_border.py` makes the data file from that
/// one.
///
/// ```
/// use steinbound::domain::{Domain, contiguous_united_states};
/// let states = contiguous_united_states()?;
/// assert_eq!(states.describe(), "polygon of 52 rings and 2436 vertices");
/// assert!(states.contains(&[-98.0, 39.0]));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn contiguous_united_states() -> Result<Polygon, DomainError> {
    let mut rings: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut before = None;
    for line in VERTICES.lines().skip(1) {
        let mut fields = line.split(',');
        let ring = fields.next();
        let mut number = || fields.next().and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
        let vertex = [number(), number()];
        match rings.last_mut() {
            Some(vertices) if ring == before => vertices.push(vertex),
            _ => rings.push(vec![vertex]),
        }
        before = ring;
    }
    Polygon::new(rings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;

    #[test]
    fn the_border_is_that_of_the_contiguous_states() {
        let states = contiguous_united_states().unwrap();
        let vertices: usize = states.rings().iter().map(Vec::len).sum();
        assert_eq!((states.rings().len(), vertices), (52, 2436));
        // The westernmost cape and Maine; Florida's keys and the Lake of the Woods.
        let bounds = states.bounds();
        let expected = [(-124.71, -66.99), (24.54, 49.37)];
        for ((low, high), (west, east)) in bounds.iter().zip(expected) {
            assert!((low - west).abs() < 0.05 && (high - east).abs() < 0.05, "{bounds:?}");
        }
        for inside in [[-98.0, 39.0], [-115.0, 35.0], [-74.0, 41.5], [-81.5, 28.0]] {
            assert!(states.contains(&inside), "{inside:?}");
        }
        for outside in [[-80.0, 20.0], [-90.0, 27.0], [-150.0, 64.0], [-98.0, 52.0]] {
            assert!(!states.contains(&outside), "{outside:?}");
        }
    }

    /// Areas on the globe are areas under the cylindrical equal-area projection, and integrals of the widths
    /// at each latitude.
    #[test]
    fn the_area_is_that_of_the_contiguous_states() {
        let states = contiguous_united_states().unwrap();
        let equal_area = |[lon, lat]: [f64; 2]| [lon, lat.to_radians().sin().to_degrees()];
        let square_kilometres = 111.195f64.powi(2);
        let area = states.map_vertices(0.1, equal_area).unwrap().area() * square_kilometres;
        let step = 0.01;
        let width = |k: usize| {
            let latitude = 24.0 + step * (k as f64 + 0.5);
            let sections = states.sections(&[0.0, latitude], 0, (-180.0, 180.0));
            sections.iter().map(|(west, east)| east - west).sum::<f64>() * latitude.to_radians().cos()
        };
        let integral = (0..2600).map(width).sum::<f64>() * step * square_kilometres;
        assert!((area / integral - 1.0).abs() < 1e-3, "{area} {integral}");
        // The official area of 8.08 million counts coastal waters, which this coastline leaves out.
        assert!((area / 8.08e6 - 1.0).abs() < 0.025, "{area}");
    }
}
