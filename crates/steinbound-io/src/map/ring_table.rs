use std::collections::HashMap;

use super::{Coordinates, Layer};
use crate::error::IoError;
use crate::open::text_rows;
use crate::records::Rows;
use crate::table::{Sheet, TableOptions};
use crate::text_format::TextFormat;

/// Headers of the column that identifies rings.
const RING_NAMES: [&str; 3] = ["ring", "part", "id"];

/// Reads rings from a table of two columns, or of three with a header.
pub(super) fn read(bytes: &[u8], layer: &mut Layer) -> Result<(), IoError> {
    let headers = text_rows(layer.path, bytes, &TextFormat::default())?.layout().names.clone();
    let ring_column = headers.iter().find(|name| RING_NAMES.contains(&name.to_lowercase().as_str()));
    let options = TableOptions {
        cluster: ring_column.filter(|_| headers.len() == 3).cloned(),
        ..TableOptions::default()
    };
    let sheet = Sheet::parse(layer.path, bytes, &options)?;
    if sheet.dimension() != 2 || headers.len() != 2 + usize::from(options.cluster.is_some()) {
        return Err(IoError::RingColumns { path: layer.path.to_string(), found: headers.len() });
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut rings: Vec<Vec<[f64; 2]>> = Vec::new();
    for (row, vertex) in sheet.values.chunks_exact(2).enumerate() {
        let label = sheet.clusters().map_or("", |labels| labels[row].as_str());
        let next = numbers.len();
        let ring = *numbers.entry(label).or_insert(next);
        if ring == rings.len() {
            rings.push(Vec::new());
        }
        rings[ring].push([vertex[0], vertex[1]]);
    }
    layer.begin("the table", None);
    rings.into_iter().for_each(|ring| layer.add(ring));
    let is = |at: usize, stem: &str| sheet.names[at].to_lowercase().starts_with(stem);
    layer.coordinates = match (is(0, "lon") || is(0, "lng"), is(1, "lat")) {
        (true, true) => Coordinates::Degrees,
        _ => Coordinates::Plane(None),
    };
    if is(0, "lat") && (is(1, "lon") || is(1, "lng")) {
        layer.coordinates = Coordinates::Degrees;
        layer.warnings.push(format!(
            "{}: latitude is the first column; it is taken as the first coordinate, so the data must have it first as well",
            layer.path
        ));
    }
    Ok(())
}
