//! The features read so far, and the region that they make.

use std::collections::{BTreeSet, HashSet};

use steinbound::domain::{LeftOutRing, Polygon, RepairedRings, RepeatedRing, RingSpike};

use super::antimeridian::{Passage, cut};
use super::{Coordinates, Map};
use crate::error::IoError;
use crate::names::{few, shown};

/// The gap between the ends of a closed ring that rounding explains, as a part of its size.
const ROUNDING: f64 = 1e-9;

/// The data read so far.
pub(super) struct Layer<'a> {
    pub(super) path: &'a str,
    features: Vec<MapFeature>,
    /// The kinds of geometry found that enclose no area.
    pub(super) others: BTreeSet<String>,
    pub(super) coordinates: Coordinates,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    /// The features with heights.
    heights: Vec<String>,
}

/// The polygons of a feature.
struct MapFeature {
    /// What messages call it.
    label: String,
    name: Option<String>,
    polygons: Vec<Vec<NumberedRing>>,
    /// How many rings it has.
    rings: usize,
}

/// A ring and its number in its feature, counted from 1.
pub(super) type NumberedRing = (usize, Vec<[f64; 2]>);

/// What happened to the rings of a map.
#[derive(Default)]
struct Events {
    left_out: Vec<String>,
    repeats: Vec<String>,
    cancelled: Vec<String>,
    spikes: Vec<String>,
    crossings: Vec<String>,
    crossing_places: usize,
    repaired_rings: usize,
    overlaps: Vec<String>,
    meridian: Vec<String>,
    poles: Vec<String>,
    wide: Vec<String>,
}

impl<'a> Layer<'a> {
    pub(super) fn new(path: &'a str) -> Layer<'a> {
        Layer {
            path,
            features: Vec::new(),
            others: BTreeSet::new(),
            coordinates: Coordinates::Unstated,
            warnings: Vec::new(),
            notes: Vec::new(),
            heights: Vec::new(),
        }
    }

    /// Begins a feature, to which the following rings belong.
    pub(super) fn begin(&mut self, place: &str, name: Option<String>) {
        let label = match &name {
            Some(name) => format!("{place} (\"{}\")", shown(name)),
            None => place.to_string(),
        };
        self.features.push(MapFeature { label, name, polygons: Vec::new(), rings: 0 });
    }

    /// Begins a polygon of the feature. In it the following rings are combined by the even-odd rule; polygons
    /// are united.
    pub(super) fn begin_polygon(&mut self) {
        if let Some(feature) = self.features.last_mut() {
            feature.polygons.push(Vec::new());
        }
    }

    /// The feature being read, for messages.
    pub(super) fn feature(&self) -> String {
        self.features.last().map_or_else(String::new, |feature| feature.label.clone())
    }

    /// Adds a ring of a format in which rings repeat their first vertex at the end, but for rounding.
    pub(super) fn add_closed(&mut self, mut ring: Vec<[f64; 2]>) -> Result<(), IoError> {
        let gap = match (ring.first(), ring.last()) {
            (Some(first), Some(last)) => (last[0] - first[0]).abs().max((last[1] - first[1]).abs()),
            _ => 0.0,
        };
        let size =
            [0, 1].map(|axis| extent(&ring, axis)).iter().fold(0.0, |s, (low, high)| f64::max(s, high - low));
        if gap > 0.0 && gap <= ROUNDING * size {
            ring.pop();
        } else if gap != 0.0 {
            let ring = self.features.last().map_or(0, |feature| feature.rings) + 1;
            return Err(IoError::OpenRing { path: self.path.to_string(), feature: self.feature(), ring });
        }
        self.add(ring);
        Ok(())
    }

    /// Makes polygons of the rings of the feature, each of which is in one of the groups, counted from 0.
    pub(super) fn regroup(&mut self, groups: &[Vec<usize>]) {
        let Some(feature) = self.features.last_mut() else { return };
        let mut rings: Vec<_> = feature.polygons.drain(..).flatten().map(Some).collect();
        let mut take = |at: &usize| rings.get_mut(*at).and_then(Option::take);
        feature.polygons = groups.iter().map(|group| group.iter().filter_map(&mut take).collect()).collect();
    }

    /// Adds a ring.
    pub(super) fn add(&mut self, ring: Vec<[f64; 2]>) {
        if let Some(feature) = self.features.last_mut() {
            feature.rings += 1;
            let ring = (feature.rings, ring);
            match feature.polygons.last_mut() {
                Some(polygon) => polygon.push(ring),
                None => feature.polygons.push(vec![ring]),
            }
        }
    }

    /// Notes that the feature has heights, which are left out.
    pub(super) fn leave_out_heights(&mut self) {
        let feature = self.feature();
        if self.heights.last() != Some(&feature) {
            self.heights.push(feature);
        }
    }

    pub(super) fn finish(mut self) -> Result<Map, IoError> {
        let path = self.path.to_string();
        let others = few(self.others.iter().map(String::as_str));
        let rings = || self.features.iter().flat_map(|feature| feature.polygons.iter().flatten());
        let vertices = || rings().flat_map(|(_, ring)| ring);
        if vertices().next().is_none() {
            return Err(match others.is_empty() {
                true => IoError::EmptyMap { path },
                false => IoError::NoPolygon { path, found: others },
            });
        }
        let reach = |axis: usize| vertices().fold(0.0f64, |r, v| r.max(v[axis].abs()));
        let (x, y) = (reach(0), reach(1));
        if !others.is_empty() {
            self.warnings.push(format!("{path}: geometries that enclose no area are left out: {others}"));
        }
        self.warnings.extend(self.coordinates.warning(self.path));
        let may_be_degrees = matches!(self.coordinates, Coordinates::Degrees | Coordinates::Unstated);
        if may_be_degrees && x <= 90.0 && y > 90.0 && y <= 180.0 {
            self.warnings.push(format!(
                "{path}: the axes look swapped, with latitude first: the second coordinate reaches {y}, which no latitude does; \
                 write longitude before latitude, in the map as in the data"
            ));
        }
        let looks_geographic = self.coordinates.look_geographic(x, y);
        let is_in_degrees = looks_geographic && self.coordinates == Coordinates::Degrees;
        let mut events = Events::default();
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for feature in std::mem::take(&mut self.features) {
            let Some(part) = self.repaired(&feature, looks_geographic, &mut events)? else { continue };
            names.push(feature.name.unwrap_or(feature.label));
            parts.push(part);
        }
        let left_out_rings = events.left_out.len() + events.repeats.len();
        let repaired_rings = events.repaired_rings;
        if parts.is_empty() {
            let without_area: Vec<String> = events.left_out.into_iter().chain(events.cancelled).collect();
            return Err(IoError::NoArea { path, what: listed(&without_area) });
        }
        let fail = |error| IoError::MapDomain { path: path.clone(), error };
        let (united, has_overlap) = RepairedRings::union(parts).map_err(fail)?;
        let polygon = united.polygon().map_err(fail)?;
        if !self.heights.is_empty() {
            self.notes.push(format!("{path}: heights are left out: {}", listed(&self.heights)));
        }
        self.notes.extend(events.notes(&path));
        if has_overlap {
            self.notes.push(format!("{path}: features overlap; what is inside of any of them is the region"));
        }
        Ok(Map {
            path,
            rings: polygon.rings().to_vec(),
            warnings: self.warnings,
            notes: self.notes,
            looks_geographic,
            is_in_degrees,
            metre: self.coordinates.metre(),
            features: names,
            repaired_rings,
            left_out_rings,
            polygon,
        })
    }

    /// The polygons of a feature united, without crossings; `None` if it encloses nothing.
    fn repaired(
        &self,
        feature: &MapFeature,
        is_geographic: bool,
        events: &mut Events,
    ) -> Result<Option<RepairedRings>, IoError> {
        let MapFeature { label, polygons, .. } = feature;
        let mut parts = Vec::new();
        for polygon in polygons {
            parts.push(self.repaired_polygon(label, polygon, is_geographic, events)?);
        }
        let (united, has_overlap) = RepairedRings::union(parts).map_err(|error| IoError::MapFeature {
            path: self.path.to_string(),
            feature: label.clone(),
            reason: error.to_string(),
        })?;
        if has_overlap {
            events.overlaps.push(label.clone());
        }
        Ok((!united.rings().is_empty()).then_some(united))
    }

    /// The rings of a polygon without crossings.
    fn repaired_polygon(
        &self,
        label: &str,
        rings: &[NumberedRing],
        is_geographic: bool,
        events: &mut Events,
    ) -> Result<RepairedRings, IoError> {
        let mut pieces = Vec::new();
        // The number of the ring to which each piece belongs.
        let mut numbers = Vec::new();
        for (number, ring) in rings {
            let mut ring = ring.clone();
            let is_finite = ring.iter().flatten().all(|value| value.is_finite());
            let cut_ring = match is_geographic && is_finite && ring.len() > 2 {
                false => vec![ring],
                true => {
                    if ring.first() == ring.last() {
                        ring.pop();
                    }
                    let (cut_ring, passage) = cut(ring).map_err(|problem| IoError::BadMapRing {
                        path: self.path.to_string(),
                        feature: label.to_string(),
                        ring: *number,
                        problem,
                    })?;
                    events.note_passage(passage, label, *number);
                    cut_ring
                }
            };
            numbers.extend(cut_ring.iter().map(|_| *number));
            pieces.extend(cut_ring);
        }
        let count = pieces.len();
        let repaired = RepairedRings::new(pieces).map_err(|error| IoError::MapFeature {
            path: self.path.to_string(),
            feature: label.to_string(),
            reason: error.to_string(),
        })?;
        for LeftOutRing { ring, place, problem, .. } in repaired.left_out() {
            let place = place.map_or_else(String::new, |[x, y]| format!(" at ({x}, {y})"));
            events.left_out.push(format!("{label}, ring {}{place} {problem}", numbers[ring - 1]));
        }
        for RepeatedRing { ring, of, .. } in repaired.repeats() {
            let [ring, of] = [ring, of].map(|ring| numbers[ring - 1]);
            events.repeats.push(format!("{label}, ring {ring} repeats ring {of}"));
        }
        let mut spiked: Vec<usize> = Vec::new();
        for RingSpike { ring, place: [x, y], .. } in repaired.spikes() {
            let ring = numbers[ring - 1];
            spiked.push(ring);
            events.spikes.push(format!("{label}, ring {ring} at ({x}, {y})"));
        }
        let mut crossed: HashSet<usize> = HashSet::new();
        for crossing in repaired.crossings() {
            events.crossing_places += 1;
            let [first, second] = crossing.rings.map(|ring| numbers[ring - 1]);
            let [x, y] = crossing.place;
            if crossed.insert(first) {
                let what = if first == second { "itself".into() } else { format!("ring {second}") };
                events.crossings.push(format!("{label}, ring {first} crosses {what} at ({x}, {y})"));
            }
        }
        spiked.retain(|ring| !crossed.contains(ring));
        spiked.dedup();
        events.repaired_rings += crossed.len() + spiked.len();
        // Rings that are left out are named already.
        if repaired.rings().is_empty() && repaired.left_out().len() < count {
            let numbers: Vec<String> = rings.iter().map(|(number, _)| number.to_string()).collect();
            let plural = if numbers.len() == 1 { "" } else { "s" };
            let list = few(numbers.iter().map(String::as_str));
            events
                .cancelled
                .push(format!("{label}, where the edges of ring{plural} {list} cancel each other"));
        }
        Ok(repaired)
    }
}

/// The smallest and the largest coordinate of a ring along an axis.
pub(super) fn extent(ring: &[[f64; 2]], axis: usize) -> (f64, f64) {
    let values = ring.iter().map(|vertex| vertex[axis]);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

impl Events {
    fn note_passage(&mut self, passage: Option<Passage>, label: &str, ring: usize) {
        let place = format!("{label}, ring {ring}");
        match passage {
            Some(Passage::Crosses) => self.meridian.push(place),
            Some(Passage::North) => self.poles.push(format!("{place} (north)")),
            Some(Passage::South) => self.poles.push(format!("{place} (south)")),
            Some(Passage::Wide) => self.wide.push(place),
            None => {}
        }
    }

    /// What was done, one sentence for each kind.
    fn notes(&self, path: &str) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |list: &[String], sentence: &str| {
            if !list.is_empty() {
                notes.push(format!("{path}: {sentence}: {}", listed(list)));
            }
        };
        note(&self.left_out, "rings without area are left out");
        note(&self.repeats, "rings that repeat another are left out");
        note(&self.cancelled, "polygons that enclose no area are left out");
        note(&self.spikes, "spikes, where a ring runs back along itself, are cut off");
        note(
            &self.crossings,
            &format!(
                "rings cross at {} place{}; what is inside of an odd number of rings counts as inside",
                self.crossing_places,
                if self.crossing_places == 1 { "" } else { "s" }
            ),
        );
        note(&self.overlaps, "polygons of a feature overlap; what is inside of any of them is the region");
        note(&self.meridian, "rings that cross the 180th meridian are continued on its other side");
        note(&self.poles, "rings that go around a pole have it inside");
        note(&self.wide, "rings with an edge around more than half of the Earth are taken as drawn");
        notes
    }
}

/// How many places a note lists.
const LISTED: usize = 3;

fn listed(list: &[String]) -> String {
    let first = list.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    match list.len().checked_sub(LISTED) {
        None | Some(0) => first,
        Some(more) => format!("{first}; and {more} more"),
    }
}

impl Map {
    /// The area that the rings enclose.
    pub fn polygon(&self) -> Result<Polygon, IoError> {
        Ok(self.polygon.clone())
    }
}
