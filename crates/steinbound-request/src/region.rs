//! What is known of the region in which data are seen, and the plane on which a map is laid.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use steinbound::domain::{Domain, Polygon};
use steinbound::model::Model;
use steinbound::projection::EqualArea;
use steinbound::{Fit, Matrix, Points};
use steinbound_io::names::shown;

use crate::error::RequestError;
use crate::listener::Listener;
use crate::wording::Wording;

/// Edges of a map are divided until they span at most this many degrees before they are projected, because a
/// straight line on the globe is not one on the plane.
const LONGEST_EDGE: f64 = 0.25;

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
    /// Whether a map says that its coordinates are longitude and latitude.
    pub is_geographic: bool,
    /// Whether longitude and latitude are to be laid on a plane.
    pub is_projected: bool,
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
    /// Whether the coordinates are degrees of longitude and latitude.
    pub is_geographic: bool,
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
            (Some(_), _) if self.is_projected => format!(
                "directions in degrees are not those on the plane of {}; leave {normals} out, or give everything in \
                 coordinates that are projected already",
                wording.option("project")
            ),
            _ => return Ok(()),
        };
        Err(RequestError::value(normals, reason))
    }

    /// Projects data and region where that is asked for.
    pub(crate) fn prepare<'a>(
        self,
        data: Cow<'a, Points<'a>>,
        wording: Wording,
        listener: &dyn Listener,
    ) -> Result<(Cow<'a, Points<'a>>, Region), RequestError> {
        if self.normals.is_some() {
            self.check_normals(wording)?;
        }
        let mut region = Region { boundary: self.boundary, normals: self.normals, ..Region::default() };
        let data = match self.is_projected {
            true => Cow::Owned(region.project(&data, self.shape, wording)?),
            false => {
                if self.is_geographic || has_geographic_names(&data) {
                    region.is_geographic = true;
                    note_degrees(&data, wording, listener);
                }
                region.domain = self.shape.map(Shape::into_domain);
                data
            }
        };
        if let Some([longitude, latitude]) = region.projection.as_ref().map(EqualArea::center) {
            listener.note(&format!(
                "projected about longitude {longitude:.4}, latitude {latitude:.4}: means are in degrees, covariances in \
                 square kilometres, bandwidth and distances in kilometres"
            ));
        }
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
    /// The data on a plane about their center, and with them the boundary and the region.
    fn project(
        &mut self,
        data: &Points,
        shape: Option<Shape>,
        wording: Wording,
    ) -> Result<Points<'static>, RequestError> {
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
        if let Some(Shape::Polygon(polygon)) = shape {
            let latitudes = polygon.bounds()[1];
            if latitudes.0 < -90.0 || latitudes.1 > 90.0 {
                let reason = "the latitudes of the map are not between -90 and 90; longitude comes first, or the map is \
                              projected already";
                return Err(RequestError::value(project, reason));
            }
            let flat = polygon.map_vertices(LONGEST_EDGE, |place| projection.forward(place));
            let flat = flat.map_err(|error| {
                RequestError::value(project, format!("the map cannot be laid flat: {error}"))
            })?;
            self.domain = Some(Arc::new(flat));
        }
        let flat = on_plane(data, &projection)?;
        self.projection = Some(projection);
        Ok(flat)
    }

    /// The projection as results show it.
    pub fn projection_used(&self) -> Option<ProjectionUsed> {
        let center = self.projection.as_ref()?.center();
        Some(ProjectionUsed { center, name: "lambert-azimuthal-equal-area", unit: "km" })
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

/// Where the two coordinates of each location are among the parameters.
fn locations(model: &dyn Model) -> Vec<[usize; 2]> {
    model.locations().into_iter().filter_map(|place| <[usize; 2]>::try_from(place).ok()).collect()
}

fn on_plane(points: &Points, projection: &EqualArea) -> Result<Points<'static>, RequestError> {
    Ok(points.moved(|x| projection.forward([x[0], x[1]]).to_vec())?)
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
