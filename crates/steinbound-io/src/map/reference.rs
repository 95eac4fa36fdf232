//! Names of coordinate systems, as map formats state them.

use std::ops::RangeInclusive;

use super::Coordinates;

/// Numbers of systems in the registry of the EPSG whose unit is the metre: those that maps of continents,
/// countries and states are usually published in. Others may be in feet.
const IN_METRES: [RangeInclusive<u64>; 30] = [
    // Transverse Mercator zones around the Earth, of Europe, North America and Australia; the poles.
    32601..=32661,
    32701..=32761,
    25828..=25838,
    26901..=26923,
    28348..=28358,
    7846..=7859,
    3031..=3032,
    3413..=3413,
    // Equal areas: the Earth, Europe, the United States, Australia.
    6931..=6933,
    8857..=8859,
    54_009..=54_009,
    3034..=3035,
    5070..=5070,
    102_003..=102_003,
    3577..=3577,
    // National grids: Sweden, Finland, Germany, France, Great Britain, the Netherlands, Belgium, Switzerland,
    // Poland, Portugal, Czechia, Canada, New Zealand, Japan.
    3006..=3006,
    3067..=3067,
    31466..=31469,
    2154..=2154,
    27700..=27700,
    28991..=28992,
    31370..=31370,
    2056..=2056,
    21781..=21781,
    2180..=2180,
    3763..=3763,
    5514..=5514,
    3347..=3347,
    2193..=2193,
    6669..=6687,
];

/// The coordinates of a system in the registry of the EPSG.
pub(super) fn of_code(code: u64) -> Coordinates {
    match code {
        // Most numbers of four digits with a 4 in front are longitude and latitude.
        4000..=4999 => Coordinates::Degrees,
        3857 | 3785 | 3395 | 900_913 | 102_100 | 102_113 | 54_004 => Coordinates::Mercator,
        _ => Coordinates::Plane(IN_METRES.iter().any(|known| known.contains(&code)).then_some(1.0)),
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
        text if text.starts_with("PROJ") => Coordinates::Plane(unit_of(text)),
        _ => Coordinates::Unstated,
    }
}

/// The metres in the unit of a plane, as its definition states it: last, after those of the angles and of the
/// ellipsoid.
fn unit_of(definition: &str) -> Option<f64> {
    let (before, unit) = definition.rsplit_once("UNIT[")?;
    if ["ANGLE", "SCALE", "TIME"].iter().any(|kind| before.ends_with(kind)) {
        return unit_of(before);
    }
    let factor = unit.split([',', ']']).nth(1)?.trim().parse().ok()?;
    (f64::is_finite(factor) && factor > 0.0).then_some(factor)
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
        assert_eq!(of_name("urn:ogc:def:crs:EPSG::25833"), Coordinates::Plane(Some(1.0)));
        // Long Island in feet.
        assert_eq!(of_name("EPSG:2263"), Coordinates::Plane(None));
        assert_eq!(of_name("EPSG:3857"), Coordinates::Mercator);
        assert_eq!(of_name("local"), Coordinates::Unstated);
    }

    #[test]
    fn units_of_definitions() {
        let angles = "GEOGCS[\"NAD83\",UNIT[\"Degree\",0.0174532925199433]]";
        let projected =
            |end: &str| of_definition(&format!("PROJCS[\"a\",{angles},PROJECTION[\"Albers\"]{end}]"));
        assert_eq!(
            projected(",UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]]"),
            Coordinates::Plane(Some(1.0))
        );
        assert_eq!(
            projected(",UNIT[\"US survey foot\", 0.3048006096]"),
            Coordinates::Plane(Some(0.3048006096))
        );
        assert_eq!(projected(",UNIT[\"metre\",0]"), Coordinates::Plane(None));
        let newer = "PROJCRS[\"a\",ELLIPSOID[\"b\",6378137,298,LENGTHUNIT[\"metre\",1]],CS[Cartesian,2],\
                     AXIS[\"e\",east],LENGTHUNIT[\"foot\",0.3048],PARAMETER[\"c\",0,ANGLEUNIT[\"degree\",0.0174]]]";
        assert_eq!(of_definition(newer), Coordinates::Plane(Some(0.3048)));
    }
}
