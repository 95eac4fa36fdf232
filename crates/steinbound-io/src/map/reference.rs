//! Names of coordinate systems, as map formats state them.

use super::Coordinates;

/// The coordinates of a system in the registry of the EPSG.
pub(super) fn of_code(code: u64) -> Coordinates {
    match code {
        // Most numbers of four digits with a 4 in front are longitude and latitude.
        4000..=4999 => Coordinates::Degrees,
        3857 | 3785 | 3395 | 900_913 | 102_100 | 102_113 | 54_004 => Coordinates::Mercator,
        _ => Coordinates::Plane,
    }
}

/// The coordinates of a name such as `urn:ogc:def:crs:EPSG::4326` or `CRS84`.
pub(super) fn of_name(name: &str) -> Coordinates {
    let name = name.trim().to_ascii_uppercase();
    if ["CRS84", "CRS83", "CRS27", "CRS84H"].iter().any(|known| name.ends_with(known)) {
        return Coordinates::Degrees;
    }
    let start = name.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |end| end + 1);
    name[start..].parse().map_or(Coordinates::Unstated, of_code)
}

/// The coordinates of a definition in well-known text, as in the `.prj` file of a shapefile.
pub(super) fn of_definition(text: &str) -> Coordinates {
    let text = text.trim().to_ascii_uppercase();
    match text.as_str() {
        text if text.starts_with("GEOG") => Coordinates::Degrees,
        // The quoted names are those of the system, its method and its parameters.
        text if text.starts_with("PROJ") && text.split('"').skip(1).step_by(2).any(is_mercator) => {
            Coordinates::Mercator
        }
        text if text.starts_with("PROJ") => Coordinates::Plane,
        _ => Coordinates::Unstated,
    }
}

/// Whether a projection of this name is along the equator; other Mercator projections are along a meridian or
/// an arbitrary line, and local.
fn is_mercator(name: &str) -> bool {
    name.contains("MERCATOR") && !name.contains("TRANSVERSE") && !name.contains("OBLIQUE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_systems() {
        for degrees in ["urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326", "EPSG:4258", "4269"] {
            assert_eq!(of_name(degrees), Coordinates::Degrees, "{degrees}");
        }
        assert_eq!(of_name("urn:ogc:def:crs:EPSG::25833"), Coordinates::Plane);
        assert_eq!(of_name("EPSG:3857"), Coordinates::Mercator);
        assert_eq!(of_name("local"), Coordinates::Unstated);
    }
}
