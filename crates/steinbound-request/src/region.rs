//! What is known of the region in which data are seen, and the plane on which a map is laid.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use steinbound::domain::{Domain, Polygon, contains_near, contains_within, rounding_tolerance};
use steinbound::model::Model;
use steinbound::projection::{EqualArea, first_longitude};
use steinbound::text::brief_point;
use steinbound::{Fit, Matrix, Points};
use steinbound_io::Map;
use steinbound_io::names::shown;

use crate::error::RequestError;
use crate::listener::Listener;
use crate::option::Options;
use crate::options;
use crate::request::Source;
use crate::wording::Wording;

/// Edges of a map are divided until they span at most this many degrees before they are projected, because a
/// straight line on the globe is not one on the plane.
const LONGEST_EDGE: f64 = 0.25;

/// A metre, in kilometres.
const METRE: f64 = 1e-3;

const KILOMETRES_PER_DEGREE: f64 = 111.2;

/// How many points outside a message lists.
const LISTED: usize = 3;

/// How many features results list.
const MOST_FEATURES: usize = 100;

/// What is said of the region.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RegionRequest {
    /// Points on the boundary, in the data's columns.
    pub boundary: Option<Points<'static>>,
    /// A vector perpendicular to the boundary at each of these points.
    pub normals: Option<Points<'static>>,
    /// The region itself.
    pub shape: Option<Shape>,
    /// Whether the coordinates of a map look like longitude and latitude.
    pub is_geographic: bool,
    /// Whether the map states that they are.
    pub is_in_degrees: bool,
    /// Whether longitude and latitude are to be laid on a plane.
    pub projection: Plane,
    /// The map, where the region is from one.
    pub map: Option<MapFacts>,
}

/// Whether longitude and latitude are laid on a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Plane {
    /// Where the map and the data are both in degrees.
    WhereInDegrees,
    /// Always.
    Projected,
    /// Never: coordinates are used as they are.
    #[default]
    AsGiven,
}

/// What is known of the map that a region is from.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct MapFacts {
    /// The file.
    pub path: String,
    /// The features, by their names or their places in the file.
    pub features: Vec<String>,
    /// The length of a metre in its coordinates, where it states lengths and their unit.
    pub metre: Option<f64>,
    /// How many rings were repaired because they crossed or had spikes.
    pub rings_repaired: usize,
    /// How many rings were left out because they enclose nothing or repeat another.
    pub rings_left_out: usize,
}

impl From<&Map> for MapFacts {
    fn from(map: &Map) -> MapFacts {
        MapFacts {
            path: map.path.clone(),
            features: map.features.clone(),
            metre: map.metre,
            rings_repaired: map.repaired_rings,
            rings_left_out: map.left_out_rings,
        }
    }
}

/// A region.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Shape {
    /// The polygons of a map, which can be projected.
    Polygon(Box<Polygon>),
    /// Anything else.
    Domain(Arc<dyn Domain>),
}

/// The region of a prepared request. Boundary, domain and data are on the plane where there is a projection.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Region {
    /// Points on the boundary, where they are given.
    pub boundary: Option<Points<'static>>,
    /// A vector perpendicular to the boundary at each of these points, where they are given.
    pub normals: Option<Points<'static>>,
    /// The domain, where it is known.
    pub domain: Option<Arc<dyn Domain>>,
    /// The projection, where there is one.
    pub projection: Option<EqualArea>,
    /// Whether it was not asked for.
    pub(crate) is_plane_chosen: bool,
    /// Whether the coordinates are degrees of longitude and latitude.
    pub is_geographic: bool,
    /// The map, where the region is from one.
    pub map: Option<MapFacts>,
    /// The data outside the domain.
    pub outside: OutsideCount,
}

/// Data outside a domain, by what was done with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutsideCount {
    /// Those that were left out.
    pub dropped: usize,
    /// Those that were kept.
    pub kept: usize,
}

/// What is done with data outside a domain, which otherwise are refused.
pub(crate) struct OutsideWanted {
    pub(crate) keeps: bool,
    pub(crate) drops: bool,
}

impl OutsideWanted {
    /// What the options have; refused are both.
    pub(crate) fn of(options: &Options, wording: Wording) -> Result<OutsideWanted, RequestError> {
        let (keeps, drops) = (options.flag(&options::ALLOW_OUTSIDE), options.flag(&options::DROP_OUTSIDE));
        if keeps && drops {
            let [allow, drop] = ["allow-outside", "drop-outside"].map(|name| wording.flag(name));
            return Err(RequestError::refused(format!(
                "{allow} keeps points outside and {drop} leaves them out; give one"
            )));
        }
        Ok(OutsideWanted { keeps, drops })
    }
}

/// The first of some places for a message, and a sign that there are more.
pub(crate) fn first_places(places: impl ExactSizeIterator<Item = String>) -> String {
    let more = if places.len() > LISTED { ", .." } else { "" };
    format!("{}{more}", places.take(LISTED).collect::<Vec<_>>().join(", "))
}

/// A region as results show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegionUsed {
    /// The domain in words.
    pub domain: String,
    /// The file of the map, where there is one.
    pub map: Option<String>,
    /// The number of features of the map.
    pub feature_count: usize,
    /// Their names or places in the file, the first hundred.
    pub features: Vec<String>,
    /// How many rings of the map were repaired because they crossed or had spikes.
    pub rings_repaired: usize,
    /// How many rings of the map were left out because they enclose nothing or repeat another.
    pub rings_left_out: usize,
    /// The unit of lengths, where it is known.
    pub unit: Option<&'static str>,
    /// The data outside.
    pub outside: OutsideCount,
}

/// A projection as results show it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProjectionUsed {
    /// Longitude and latitude of the center.
    pub center: [f64; 2],
    /// The name of the projection.
    pub name: &'static str,
    /// The unit of the plane.
    pub unit: &'static str,
}

impl RegionRequest {
    /// Refuses normals where there are no boundary points that they could belong to, or where these are
    /// projected.
    ///
    /// ```
    /// use steinbound_request::{RegionRequest, Wording};
    /// let error = RegionRequest::default().check_normals(Wording::Python).unwrap_err();
    /// assert!(error.to_string().starts_with("boundary_normals: there are no boundary points"));
    /// ```
    pub fn check_normals(&self, wording: Wording) -> Result<(), RequestError> {
        let normals = wording.option("boundary-normals");
        let reason = match (&self.boundary, &self.shape) {
            (None, Some(_)) => format!(
                "the boundary is given as a region, which has its own normals; leave {normals} out, or give the boundary as \
                 points"
            ),
            (None, None) => format!(
                "there are no boundary points that normals could belong to; give them by {}, or leave {normals} out",
                wording.with_placeholder("boundary", if wording.is_command_line() { "FILE" } else { ".." })
            ),
            (Some(_), _) if self.projection == Plane::Projected => format!(
                "directions in degrees are not those on the plane of {}; leave {normals} out, or give everything in \
                 coordinates that are projected already",
                wording.option("project")
            ),
            _ => return Ok(()),
        };
        Err(RequestError::value(normals, reason))
    }

    /// Whether longitude and latitude are laid on a plane.
    fn is_projected(&self, data: &Points) -> bool {
        match self.projection {
            Plane::Projected => true,
            Plane::AsGiven => false,
            Plane::WhereInDegrees => {
                let is_map = matches!(self.shape, Some(Shape::Polygon(_)));
                let states = self.is_in_degrees || (self.is_geographic && has_geographic_names(data));
                is_map && states && data.dimension() == 2 && is_on_earth(data)
            }
        }
    }

    /// Projects data and region where that is asked for, or where both are in degrees. Data outside the domain
    /// are refused, left out or kept, as the options have it; `source` loses those that are left out.
    pub(crate) fn prepare<'a>(
        self,
        data: Cow<'a, Points<'a>>,
        source: &mut Option<Source>,
        options: &Options,
        wording: Wording,
        listener: &dyn Listener,
    ) -> Result<(Cow<'a, Points<'a>>, Region), RequestError> {
        if self.normals.is_some() {
            self.check_normals(wording)?;
        }
        let is_projected = self.is_projected(&data);
        let mut region = Region {
            boundary: self.boundary,
            normals: self.normals,
            map: self.map,
            is_geographic: self.is_geographic || self.is_in_degrees || has_geographic_names(&data),
            ..Region::default()
        };
        let boundary = region.boundary.clone();
        let (mut flat, map) = match is_projected {
            true => region.project(&data, self.shape, wording).map(|(flat, map)| (Some(flat), map))?,
            false => {
                if region.is_geographic {
                    note_degrees(&data, wording, listener);
                }
                match self.shape {
                    Some(Shape::Polygon(map)) if region.is_geographic && are_degrees(&data, &map) => {
                        // Map and data may count longitudes from different meridians.
                        let counted = map.counted_from(first_longitude(data.bounds()[0]))?;
                        region.domain = Some(Arc::new(counted));
                        (None, Some(*map))
                    }
                    shape => {
                        region.domain = shape.map(Shape::into_domain);
                        (None, None)
                    }
                }
            }
        };
        let inside = region.inside(&data, map.as_ref());
        let mut data = data;
        if let Some(kept) = region.sort_out(&data, &inside, source.as_ref(), options, wording, listener)? {
            if let Some(source) = source {
                source.keep(&kept);
            }
            data = Cow::Owned(data.subset(&kept)?);
            if is_projected {
                // About what is left, as if nothing else had been given.
                region.boundary = boundary;
                let shape = map.map(|map| Shape::Polygon(Box::new(map)));
                flat = Some(region.project(&data, shape, wording)?.0);
            }
        }
        region.is_plane_chosen = self.projection == Plane::WhereInDegrees;
        let data = flat.map_or(data, Cow::Owned);
        Ok((data, region))
    }
}

impl Shape {
    fn into_domain(self) -> Arc<dyn Domain> {
        match self {
            Shape::Polygon(polygon) => Arc::new(*polygon),
            Shape::Domain(domain) => domain,
        }
    }
}

impl Region {
    /// The data on a plane about their center, and with them the boundary and the region; and the region in
    /// degrees.
    fn project(
        &mut self,
        data: &Points,
        shape: Option<Shape>,
        wording: Wording,
    ) -> Result<(Points<'static>, Option<Polygon>), RequestError> {
        let project = wording.option("project");
        if data.dimension() != 2 {
            let remedy =
                if wording.is_command_line() { "choose them with --columns" } else { "give these alone" };
            return Err(RequestError::refused(format!(
                "{project} needs two columns, longitude and latitude, and the data have {}; {remedy}",
                data.dimension()
            )));
        }
        if let Some(Shape::Domain(domain)) = &shape {
            return Err(RequestError::refused(format!(
                "{project} works with maps and boundary points, not with a {}; give the border as a map",
                domain.describe()
            )));
        }
        check_degrees(data, "the data", wording)?;
        let projection = EqualArea::about(data.rows().map(|x| [x[0], x[1]]))?;
        if let Some(boundary) = &self.boundary {
            check_degrees(boundary, "the boundary points", wording)?;
            self.boundary = Some(on_plane(boundary, &projection)?);
        }
        let mut map = None;
        if let Some(Shape::Polygon(polygon)) = shape {
            let latitudes = polygon.bounds()[1];
            if latitudes.0 < -90.0 || latitudes.1 > 90.0 {
                let reason = "the latitudes of the map are not between -90 and 90; longitude comes first, or the map is \
                              projected already";
                return Err(RequestError::value(project, reason));
            }
            let flat = polygon.projected(&projection, LONGEST_EDGE);
            let flat = flat.map_err(|error| {
                RequestError::value(project, format!("the map cannot be laid flat: {error}"))
            })?;
            self.domain = Some(Arc::new(flat));
            map = Some(*polygon);
        }
        let flat = on_plane(data, &projection)?;
        self.projection = Some(projection);
        Ok((flat, map))
    }

    /// Whether each point lies inside, or on the border: a metre beyond it on a map whose unit is known, what
    /// rounding explains elsewhere. On a map in degrees borders are straight in degrees, and only nearly so on the plane: there
    /// the points as they were given are looked at.
    fn inside(&self, given: &Points, map: Option<&Polygon>) -> Vec<bool> {
        let Some(domain) = self.domain.as_deref().filter(|domain| domain.dimension() == given.dimension())
        else {
            // Another number of coordinates is refused later.
            return vec![true; given.len()];
        };
        if let Some(map) = map {
            return given.rows().map(|x| is_on_map(map, [x[0], x[1]])).collect();
        }
        let rounding = rounding_tolerance(domain, &given.bounds());
        let tolerance = match &self.map {
            Some(_) if self.is_geographic => METRE / KILOMETRES_PER_DEGREE,
            Some(MapFacts { metre: Some(metre), .. }) => metre.max(rounding),
            _ => rounding,
        };
        given.rows().map(|x| contains_within(domain, x, tolerance)).collect()
    }

    /// Counts the data outside the domain; the rows of the others, if those outside are to be left out. Refuses
    /// them unless they are left out or kept.
    fn sort_out(
        &mut self,
        given: &Points,
        inside: &[bool],
        source: Option<&Source>,
        options: &Options,
        wording: Wording,
        listener: &dyn Listener,
    ) -> Result<Option<Vec<usize>>, RequestError> {
        let [allow, drop] = ["allow-outside", "drop-outside"].map(|name| wording.flag(name));
        let OutsideWanted { keeps, drops } = OutsideWanted::of(options, wording)?;
        let outside: Vec<usize> = (0..inside.len()).filter(|row| !inside[*row]).collect();
        let Some(domain) = self.domain.as_deref().filter(|_| !outside.is_empty()) else { return Ok(None) };
        let (count, rows) = (outside.len(), inside.len());
        if keeps {
            self.outside.kept = count;
            return Ok(None);
        }
        let listed = first_places(outside.iter().map(|row| place_of(given, source, wording, *row)));
        let described = domain.describe();
        let found = format!("{count} of {rows} data points lie outside the {described}: {listed}");
        if !drops || count == rows {
            let remedy = match (wording.is_command_line(), count == rows) {
                (_, true) => format!(
                    "check that data and region have the same coordinates ({allow} keeps such points)"
                ),
                (true, false) => {
                    format!("check the region, or leave them out with {drop} ({allow} keeps such points)")
                }
                (false, false) => format!("check the region, or remove them ({allow} keeps such points)"),
            };
            let path = source.map(|source| source.path.clone());
            return Err(RequestError::Data { path, reason: format!("{found}; {remedy}") });
        }
        self.outside.dropped = count;
        listener.note(&format!("{found}; they were left out"));
        Ok(Some((0..rows).filter(|row| inside[*row]).collect()))
    }

    /// The unit of lengths, where it is known.
    pub fn unit(&self) -> Option<&'static str> {
        match (&self.projection, self.is_geographic) {
            (Some(_), _) => Some("km"),
            (None, true) => Some("degrees"),
            (None, false) => None,
        }
    }

    /// The region as results show it; `None` where no domain is known.
    pub fn region_used(&self) -> Option<RegionUsed> {
        let domain = self.domain.as_ref()?;
        let map = self.map.clone();
        let is_map = map.is_some();
        let facts = map.unwrap_or_default();
        Some(RegionUsed {
            domain: domain.describe(),
            map: is_map.then_some(facts.path),
            feature_count: facts.features.len(),
            features: facts.features.into_iter().take(MOST_FEATURES).collect(),
            rings_repaired: facts.rings_repaired,
            rings_left_out: facts.rings_left_out,
            unit: self.unit(),
            outside: self.outside,
        })
    }

    /// The projection as results show it.
    pub fn projection_used(&self) -> Option<ProjectionUsed> {
        let center = self.projection.as_ref()?.center();
        Some(ProjectionUsed { center, name: "lambert-azimuthal-equal-area", unit: "km" })
    }

    /// What is to be said of the plane, where there is one, before results of a model.
    pub(crate) fn plane_note(&self, model: &dyn Model, wording: Wording) -> Option<String> {
        let [longitude, latitude] = self.projection.as_ref()?.center();
        let how = match self.is_plane_chosen {
            true => format!(" (map and data are in degrees; {} keeps them)", wording.flag("no-project")),
            false => String::new(),
        };
        let units = plane_units(model);
        Some(format!("projected about longitude {longitude:.4}, latitude {latitude:.4}{how}: {units}"))
    }

    /// The same for a model beside one of which it was said, if its units are others.
    pub(crate) fn other_plane_note(&self, model: &dyn Model, said: &dyn Model) -> Option<String> {
        let [longitude, latitude] = self.projection.as_ref()?.center();
        let differs = locations(model).is_empty() != locations(said).is_empty();
        let units = plane_units(model);
        differs.then(|| {
            format!(
                "projected about longitude {longitude:.4}, latitude {latitude:.4}, model {}: {units}",
                model.name()
            )
        })
    }

    /// Points in degrees on the plane, where there is a projection.
    pub fn project_points(&self, points: Points<'static>) -> Result<Points<'static>, RequestError> {
        match &self.projection {
            Some(projection) => on_plane(&points, projection),
            None => Ok(points),
        }
    }

    /// Points of the plane in degrees, where there is a projection.
    pub fn unproject_points(&self, points: &Points) -> Result<Points<'static>, RequestError> {
        let Some(projection) = &self.projection else { return Ok(points.clone().into_owned()) };
        Ok(points.moved(|x| projection.inverse([x[0], x[1]]).to_vec())?)
    }

    /// Reported parameters with their locations on the plane, where there is a projection.
    pub fn project_parameters(&self, model: &dyn Model, reported: Vec<f64>) -> Vec<f64> {
        self.with_locations(model, reported, EqualArea::forward)
    }

    /// Reported parameters with their locations in degrees, where there is a projection.
    pub fn unproject_parameters(&self, model: &dyn Model, reported: Vec<f64>) -> Vec<f64> {
        self.with_locations(model, reported, EqualArea::inverse)
    }

    /// A list of the wrong length is refused later, by the model.
    fn with_locations(
        &self,
        model: &dyn Model,
        mut reported: Vec<f64>,
        map: impl Fn(&EqualArea, [f64; 2]) -> [f64; 2],
    ) -> Vec<f64> {
        let Some(projection) = &self.projection else { return reported };
        for place in locations(model) {
            if place.iter().all(|k| *k < reported.len()) {
                let moved = map(projection, place.map(|k| reported[k]));
                place.into_iter().zip(moved).for_each(|(k, value)| reported[k] = value);
            }
        }
        reported
    }

    /// A fit with its locations in degrees, where there is a projection.
    pub fn unproject_fit(&self, model: &dyn Model, fit: Fit) -> Fit {
        let map = |values: &[f64]| self.degrees(model, values);
        let mut fit = fit.mapped(map);
        fit.tuning = fit.tuning.map(|tuning| tuning.mapped(map));
        fit
    }

    /// Parameters with their locations in degrees and the derivative of this map, where there is a
    /// projection.
    pub fn degrees(&self, model: &dyn Model, values: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        let projection = self.projection.as_ref()?;
        let mut moved = values.to_vec();
        let mut jacobian = Matrix::identity(values.len());
        for place in locations(model) {
            let flat = place.map(|k| values[k]);
            let slopes = projection.inverse_jacobian(flat)?;
            let degrees = projection.inverse(flat);
            for i in 0..2 {
                moved[place[i]] = degrees[i];
                for j in 0..2 {
                    jacobian[(place[i], place[j])] = slopes[(i, j)];
                }
            }
        }
        Some((moved, jacobian))
    }
}

/// The units of a model's parameters on a plane. Only locations are given in degrees.
fn plane_units(model: &dyn Model) -> &'static str {
    match locations(model).is_empty() {
        true => {
            "coordinates in parameters and formulas are kilometres east and north of that place, as are bandwidth and \
             distances"
        }
        false => {
            "means are in degrees, covariances in square kilometres, bandwidth and distances in kilometres"
        }
    }
}

/// Whether a place in degrees is inside of a map in degrees, or on its border.
fn is_on_map(map: &Polygon, [longitude, latitude]: [f64; 2]) -> bool {
    // A degree of longitude has no length at a pole.
    let (east, north) = match EqualArea::new(0.0, latitude.clamp(-89.99, 89.99)) {
        Ok(plane) => plane.kilometres_per_degree(),
        Err(_) => return false,
    };
    // Map and data may count longitudes from different meridians.
    let mut names = [0.0, -360.0, 360.0].into_iter().map(|turn| longitude + turn);
    names.any(|longitude| contains_near(map, [longitude, latitude], [METRE / east, METRE / north]))
}

/// Where the two coordinates of each location are among the parameters.
fn locations(model: &dyn Model) -> Vec<[usize; 2]> {
    model.locations().into_iter().filter_map(|place| <[usize; 2]>::try_from(place).ok()).collect()
}

fn on_plane(points: &Points, projection: &EqualArea) -> Result<Points<'static>, RequestError> {
    Ok(points.moved(|x| projection.forward([x[0], x[1]]).to_vec())?)
}

/// A point as it was given, and where it is in its file.
fn place_of(given: &Points, source: Option<&Source>, wording: Wording, row: usize) -> String {
    let place = source.and_then(|source| source.places.get(row));
    let place = place.map_or_else(
        || format!("row {}", row + usize::from(!wording.counts_from_zero())),
        ToString::to_string,
    );
    format!("{place} {}", brief_point(given.row(row)))
}

/// Whether points can be degrees of longitude and latitude.
fn is_on_earth(points: &Points) -> bool {
    let bounds = points.bounds();
    bounds[0].0 >= -180.0 && bounds[0].1 <= 360.0 && bounds[1].0 >= -90.0 && bounds[1].1 <= 90.0
}

/// Whether data and map can both be degrees of longitude and latitude, counted from any meridian.
fn are_degrees(data: &Points, map: &Polygon) -> bool {
    let can_be = |bounds: &[(f64, f64)]| {
        let limits = bounds.iter().zip([360.0, 90.0]);
        bounds.len() == 2 && limits.into_iter().all(|((low, high), most)| *low >= -most && *high <= most)
    };
    can_be(&data.bounds()) && can_be(&map.bounds())
}

fn has_geographic_names(data: &Points) -> bool {
    let is_one_of = |name: &str, list: &[&str]| list.contains(&name.to_lowercase().as_str());
    let names = data.names();
    names.len() == 2
        && names.iter().any(|name| is_one_of(name, &["lon", "long", "lng", "longitude"]))
        && names.iter().any(|name| is_one_of(name, &["lat", "latitude"]))
}

/// Notes that degrees are used as if they were lengths, where that makes a difference.
fn note_degrees(data: &Points, wording: Wording, listener: &dyn Listener) {
    let latitude = data.mean().get(1).copied().unwrap_or(0.0);
    let Ok(map) = EqualArea::new(0.0, latitude) else { return };
    let (east, north) = map.kilometres_per_degree();
    if east <= 0.98 * north {
        listener.note(&format!(
            "longitude and latitude are used as they are, although here a degree of longitude is {east:.0} km and one of \
             latitude {north:.0} km; {} lays them on a plane in kilometres",
            wording.flag("project")
        ));
    }
}

fn check_degrees(points: &Points, what: &str, wording: Wording) -> Result<(), RequestError> {
    let bounds = points.bounds();
    let fits = |l: usize, limit: f64| bounds[l].0 >= -limit && bounds[l].1 <= limit;
    if fits(0, 360.0) && fits(1, 90.0) {
        return Ok(());
    }
    let project = wording.option("project");
    let remedy = match (fits(1, 180.0) && fits(0, 90.0), wording.is_command_line()) {
        (true, true) => {
            "it looks as if latitude came first: choose the columns in the order longitude,latitude with --columns".into()
        }
        (true, false) => "it looks as if latitude came first: give longitude, then latitude".into(),
        (false, _) => {
            format!("give degrees, longitude first, or leave {project} out for coordinates that are projected already")
        }
    };
    let (name, (low, high)) = (shown(&points.names()[1]), bounds[1]);
    let reason =
        format!("{what} are not longitudes and latitudes: {name} goes from {low} to {high}; {remedy}");
    Err(RequestError::value(project, reason))
}
