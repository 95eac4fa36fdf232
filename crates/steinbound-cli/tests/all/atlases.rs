//! Every feature of whole atlases is read, projected, sampled and fitted. `make atlases` downloads them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use steinbound::domain::{Domain, Polygon};
use steinbound::model::Gaussian;
use steinbound::projection::EqualArea;
use steinbound::{Method, Points};
use steinbound_io::{IoError, Map, MapOptions};
use steinbound_request::{Inference, MapFacts, ModelRequest, Plane, Request, Shape};

/// Layers of the atlases.
const LAYERS: [(&str, &str); 7] = [
    ("world-atlas/countries-110m.json", "countries"),
    ("world-atlas/countries-50m.json", "countries"),
    ("world-atlas/land-110m.json", "land"),
    ("world-atlas/land-50m.json", "land"),
    ("us-atlas/states-10m.json", "states"),
    ("us-atlas/nation-10m.json", "nation"),
    ("us-atlas/counties-10m.json", "counties"),
];

/// What was found of the features of a layer.
#[derive(Debug, Default)]
struct Count {
    read: usize,
    without_area: usize,
    fitted: usize,
    trusted: usize,
    covered: usize,
    failed: Vec<String>,
}

#[test]
#[ignore = "needs the atlases; `make atlases` downloads and runs it"]
fn every_feature_is_fitted() {
    let folder = PathBuf::from(std::env::var("ATLASES").expect("ATLASES is the folder of the atlases"));
    let mut failed = Vec::new();
    for (file, layer) in LAYERS {
        let start = Instant::now();
        let path = folder.join(file);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let parsed: Value = serde_json::from_slice(&bytes).unwrap();
        let geometries = parsed["objects"][layer]["geometries"].as_array().unwrap();
        let mut count = Count::default();
        for geometry in geometries {
            // Some features have no identifier, and some share one.
            let name = geometry["properties"]["name"].as_str().map(|name| ("name", name));
            let id = geometry["id"].as_str().map(|id| ("id", id));
            look_at(&path, &bytes, layer, if layer == "counties" { id } else { name.or(id) }, &mut count);
        }
        if geometries.len() > 1 {
            look_at(&path, &bytes, layer, None, &mut count);
        }
        let Count { read, without_area, fitted, trusted, covered, .. } = count;
        println!(
            "{file} {layer}: {read} regions read, {without_area} without area, {fitted} fitted, {trusted} trusted, {covered} with \
             the mean within three standard errors, {:.0} s",
            start.elapsed().as_secs_f64()
        );
        failed.extend(count.failed);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Reads a feature, or all of a layer, and fits data that are drawn inside of it.
fn look_at(path: &Path, bytes: &[u8], layer: &str, feature: Option<(&str, &str)>, count: &mut Count) {
    let what = format!("{} {layer} {feature:?}", path.display());
    let features = feature.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let options = MapOptions { features, layer: Some(layer.to_string()) };
    let map = match Map::parse(&path.to_string_lossy(), bytes, &options) {
        Ok(map) => map,
        Err(IoError::NoArea { .. }) => {
            count.without_area += 1;
            return;
        }
        Err(error) => {
            count.failed.push(format!("{what}: {error}"));
            return;
        }
    };
    count.read += 1;
    match fitted(&map) {
        Ok((is_trusted, is_covered)) => {
            count.fitted += 1;
            count.trusted += usize::from(is_trusted);
            count.covered += usize::from(is_covered);
        }
        Err(error) => count.failed.push(format!("{what}: {error}")),
    }
}

/// Whether a fit can be trusted and its interval of three standard errors holds the mean.
fn fitted(map: &Map) -> Result<(bool, bool), Box<dyn std::error::Error>> {
    let polygon = map.polygon()?;
    let (data, mean, spread) = drawn(&polygon)?;
    let model = Gaussian::with_variance(2, spread * spread)?;
    let mut request = Request::new(&data, ModelRequest::Given(&model), Method::EFFICIENT);
    request.region.shape = Some(Shape::Polygon(Box::new(polygon)));
    request.region.map = Some(MapFacts::from(map));
    request.region.is_in_degrees = map.is_in_degrees;
    request.region.projection = Plane::WhereInDegrees;
    let case = request.prepare(&())?;
    let unit = case.region.region_used().and_then(|region| region.unit);
    if unit != Some("km") {
        return Err(format!("the unit is {unit:?}").into());
    }
    let problem = case.fitting_problem()?;
    let answer = case.fit(&problem, &Inference::default(), &())?;
    let parameters = &answer.flat.parameters;
    let target = case.region.projection.as_ref().map_or(mean, |plane| plane.forward(mean));
    let is_near = |k: usize| {
        let parameter = &parameters[k];
        let both = parameter.estimate.zip(parameter.std_error);
        both.is_some_and(|(estimate, error)| (estimate - target[k]).abs() <= 3.0 * error)
    };
    Ok((answer.is_sound, parameters.len() == 2 && is_near(0) && is_near(1)))
}

/// Data from a Gaussian about the middle of the longest ring, kept inside, in degrees; with its mean and its
/// standard deviation in kilometres.
fn drawn(polygon: &Polygon) -> Result<(Points<'static>, [f64; 2], f64), Box<dyn std::error::Error>> {
    let longest = polygon.rings().iter().max_by_key(|ring| ring.len()).ok_or("no ring")?;
    let plane = EqualArea::about(longest.iter().copied())?;
    let flat = polygon.projected(&plane, 0.25)?;
    let ring: Vec<[f64; 2]> = longest.iter().map(|place| plane.forward(*place)).collect();
    let bounds = [0, 1].map(|l| {
        let fold = |f: fn(f64, f64) -> f64, start| ring.iter().map(|place| place[l]).fold(start, f);
        (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY))
    });
    let center = bounds.map(|(low, high)| 0.5 * (low + high));
    let spread = 0.35 * ((bounds[0].1 - bounds[0].0) * (bounds[1].1 - bounds[1].0)).sqrt();
    // Additive recurrences fill boxes evenly without a generator of random numbers.
    let mut rows = Vec::new();
    for k in 1..2_000_000u32 {
        let number = |share: f64| (0.5 + share * f64::from(k)).fract();
        let u = [0.819_172_513_396_164_4, 0.671_043_606_703_789_3, 0.549_700_477_901_9].map(number);
        let place = [0, 1].map(|l| bounds[l].0 + u[l] * (bounds[l].1 - bounds[l].0));
        let square = ((place[0] - center[0]).powi(2) + (place[1] - center[1]).powi(2)) / (spread * spread);
        // Edges are straight in degrees; on the plane they are cut into pieces that miss them by metres.
        let degrees = plane.inverse(place);
        if u[2] < (-0.5 * square).exp() && flat.contains(&place) && polygon.contains(&degrees) {
            rows.push(degrees);
            if rows.len() == 300 {
                break;
            }
        }
    }
    Ok((Points::from_rows(&rows)?.with_names(["lon", "lat"])?, plane.inverse(center), spread))
}
