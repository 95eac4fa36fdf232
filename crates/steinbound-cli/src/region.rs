//! What is known of the region in which data are seen: points on its boundary, the domain, and how to lay a map flat.

use std::sync::Arc;

use steinbound::domain::{Domain, Polygon};
use steinbound::model::Model;
use steinbound::projection::EqualArea;
use steinbound::{Error, Fit, Matrix, Points};
use steinbound_io::map::is_map;
use steinbound_io::names::shown;
use steinbound_io::{Map, MapOptions, read_map};

use crate::failure::Failure;
use crate::input::Matching;
use crate::options::DataOptions;
use crate::output::Output;

/// The boundary, given as points or through a domain.
#[derive(Default)]
pub struct Region {
    pub boundary: Option<Points<'static>>,
    pub domain: Option<Arc<dyn Domain>>,
    pub projection: Option<EqualArea>,
    /// Whether the coordinates are degrees of longitude and latitude.
    pub is_geographic: bool,
}

/// Edges of a map are cut to so many degrees before they are projected: a straight line on the globe is not one on the map.
const LONGEST_EDGE: f64 = 0.25;

impl Region {
    /// Reads boundary and domain, and projects them and the data where that is asked for.
    pub fn load(
        options: &DataOptions,
        data: &mut Points<'static>,
        matching: &Matching,
        output: &Output,
    ) -> Result<Region, Failure> {
        let mut region = Region::default();
        let mut polygon = None;
        let mut geographic = false;
        match &options.boundary {
            Some(path) if is_map(path) => {
                if options.domain.is_some() {
                    return Err(Failure::input(
                        "the rings of --boundary define the domain; leave --domain out, or give the boundary as points in a .csv file",
                    ));
                }
                let map = read_map(path, &MapOptions { feature: options.feature.clone() })?;
                tell_warnings(&map, output);
                geographic = map.looks_geographic;
                polygon = Some(map.polygon()?);
            }
            Some(path) => region.boundary = Some(matching.read("boundary", path, output)?),
            None => {}
        }
        if options.feature.is_some() && polygon.is_none() {
            output.note("--feature has no effect without a map in --boundary");
        }
        if let Some(spec) = &options.domain {
            spec.maps().into_iter().for_each(|map| tell_warnings(map, output));
            geographic = spec.is_geographic();
            match spec.polygon() {
                Some(found) => polygon = Some(found?),
                None => region.domain = Some(spec.build(data.dimension())?),
            }
        }
        if options.project {
            region.project(data, &mut polygon)?;
            region.tell_projection(output);
        } else if geographic || has_geographic_names(data) {
            region.is_geographic = true;
            note_degrees(data, output);
        }
        if let Some(polygon) = polygon {
            region.domain = Some(Arc::new(polygon));
        }
        Ok(region)
    }

    fn project(&mut self, data: &mut Points<'static>, polygon: &mut Option<Polygon>) -> Result<(), Failure> {
        if data.dimension() != 2 {
            return Err(Failure::input(format!(
                "--project needs two columns, longitude and latitude, and the data have {}; choose them with --columns",
                data.dimension()
            )));
        }
        if let Some(domain) = &self.domain {
            return Err(Failure::input(format!(
                "--project works with maps and boundary points, not with a {}; give the border as a map",
                domain.describe()
            )));
        }
        check_degrees(data, "the data")?;
        let projection = EqualArea::about(data.rows().map(|x| [x[0], x[1]])).map_err(Error::from)?;
        *data = projected(data, &projection)?;
        if let Some(boundary) = &self.boundary {
            check_degrees(boundary, "the boundary points")?;
            self.boundary = Some(projected(boundary, &projection)?);
        }
        if let Some(found) = polygon {
            let bounds = found.bounds();
            if bounds[1].0 < -90.0 || bounds[1].1 > 90.0 {
                return Err(Failure::input(
                    "--project: the latitudes of the map are not between -90 and 90; longitude comes first, or the map is projected already",
                ));
            }
            let flat = found.map_vertices(LONGEST_EDGE, |place| projection.forward(place));
            *found = flat.map_err(|error| {
                Failure::input(format!("--project: the map cannot be laid flat: {error}"))
            })?;
        }
        self.projection = Some(projection);
        Ok(())
    }

    /// Tells in which units results are, where a projection is used.
    fn tell_projection(&self, output: &Output) {
        if let Some(projection) = &self.projection {
            let [longitude, latitude] = projection.center();
            output.note(&format!(
                "projected about longitude {longitude:.4}, latitude {latitude:.4}: means are in degrees, covariances in square kilometres, \
                 bandwidth and distances in kilometres"
            ));
        }
    }

    /// The projection as results show it.
    pub fn shown_projection(&self) -> Option<serde_json::Value> {
        let projection = self.projection.as_ref()?;
        Some(
            serde_json::json!({ "name": "lambert-azimuthal-equal-area", "center": projection.center(), "unit": "km" }),
        )
    }

    /// Points of the plane in degrees again, where a projection is used.
    pub fn in_degrees(&self, points: &Points) -> Result<Points<'static>, Failure> {
        let Some(projection) = &self.projection else { return Ok(points.clone().into_owned()) };
        Ok(points.moved(|x| projection.inverse([x[0], x[1]]).to_vec()).map_err(Error::from)?)
    }

    /// Points given in degrees as the model sees them.
    pub fn flattened(&self, points: Points<'static>) -> Result<Points<'static>, Failure> {
        match &self.projection {
            Some(projection) => projected(&points, projection),
            None => Ok(points),
        }
    }

    /// Parameters whose places are in degrees, where a projection is used, as the model sees them.
    pub fn onto_plane(&self, model: &dyn Model, reported: Vec<f64>) -> Vec<f64> {
        self.carried(model, reported, EqualArea::forward)
    }

    /// Parameters of the plane with their places in degrees again.
    pub fn out_of_plane_values(&self, model: &dyn Model, reported: Vec<f64>) -> Vec<f64> {
        self.carried(model, reported, EqualArea::inverse)
    }

    /// Parameters with their places carried there or back. A list of the wrong length is refused later, by the model.
    fn carried(
        &self,
        model: &dyn Model,
        mut reported: Vec<f64>,
        carry: impl Fn(&EqualArea, [f64; 2]) -> [f64; 2],
    ) -> Vec<f64> {
        let places = self
            .projection
            .iter()
            .flat_map(|projection| pairs(model).into_iter().map(move |p| (projection, p)));
        for (projection, place) in places {
            if place.iter().all(|k| *k < reported.len()) {
                let carried = carry(projection, place.map(|k| reported[k]));
                place.into_iter().zip(carried).for_each(|(k, value)| reported[k] = value);
            }
        }
        reported
    }

    /// A fit whose locations are degrees again, where a projection was used.
    pub fn out_of_plane(&self, model: &dyn Model, fit: Fit) -> Fit {
        let map = |values: &[f64]| self.degrees(model, values);
        let mut fit = fit.mapped(map);
        fit.tuning = fit.tuning.map(|tuning| tuning.mapped(map));
        fit
    }

    /// Parameters with their locations in degrees, and the derivative of these, where a projection was used.
    pub fn degrees(&self, model: &dyn Model, values: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        let projection = self.projection.as_ref()?;
        let mut moved = values.to_vec();
        let mut jacobian = Matrix::identity(values.len());
        for place in pairs(model) {
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

/// The places of a model's locations, two coordinates each.
fn pairs(model: &dyn Model) -> Vec<[usize; 2]> {
    model.locations().into_iter().filter_map(|place| <[usize; 2]>::try_from(place).ok()).collect()
}

/// Tells what looks wrong with a map.
pub fn tell_warnings(map: &Map, output: &Output) {
    map.warnings.iter().for_each(|warning| output.warn(warning));
}

fn has_geographic_names(data: &Points) -> bool {
    let is_one_of = |name: &str, list: &[&str]| list.contains(&name.to_lowercase().as_str());
    let names = data.names();
    names.len() == 2
        && names.iter().any(|name| is_one_of(name, &["lon", "long", "lng", "longitude"]))
        && names.iter().any(|name| is_one_of(name, &["lat", "latitude"]))
}

fn note_degrees(data: &Points, output: &Output) {
    let latitude = data.mean().get(1).copied().unwrap_or(0.0);
    if let Ok(map) = EqualArea::new(0.0, latitude) {
        let (east, north) = map.kilometres_per_degree();
        if east > 0.98 * north {
            return;
        }
        output.note(&format!(
            "longitude and latitude are used as they are, although here a degree of longitude is {east:.0} km and one of latitude {north:.0} km; \
             --project lays them on a plane in kilometres"
        ));
    }
}

fn check_degrees(points: &Points, what: &str) -> Result<(), Failure> {
    let bounds = points.bounds();
    let fits = |l: usize, limit: f64| bounds[l].0 >= -limit && bounds[l].1 <= limit;
    if fits(0, 360.0) && fits(1, 90.0) {
        return Ok(());
    }
    let swapped = if fits(1, 180.0) && fits(0, 90.0) {
        "; it looks as if latitude came first: choose the columns in the order longitude,latitude with --columns"
    } else {
        "; give degrees, longitude first, or leave --project out for coordinates that are projected already"
    };
    let name = shown(&points.names()[1]);
    Err(Failure::input(format!(
        "--project: {what} are not longitudes and latitudes: {name} goes from {} to {}{swapped}",
        bounds[1].0, bounds[1].1
    )))
}

fn projected(points: &Points, projection: &EqualArea) -> Result<Points<'static>, Failure> {
    let plane = points.moved(|x| projection.forward([x[0], x[1]]).to_vec());
    Ok(plane.map_err(Error::from)?)
}
