//! Rings as they are found in maps, made into those of a polygon.

use std::collections::HashMap;

use super::Polygon;
use super::dissolve::{chained, edge_key, key};
use super::edge_crossings::{Edge, Pairs, crossing, neighbouring_pairs};
use super::polygon::{RingFault, without_repeats};
use super::rings::{Rings, closed, orientation};
use super::sweep::swept;
use crate::error::DomainError;

/// Rings that do not cross, made of rings that may.
///
/// # Definition
///
/// Vertices that repeat the one before, spikes, rings without area and rings that repeat another are left out.
/// Edges are cut where they cross or run along each other, and pieces that then occur an even number of times are
/// removed. A point is inside if it is inside an odd number of the rings that are left, in which their
/// orientation plays no role.
///
/// # Complexity
///
/// `(n + k) log n` steps for `n` edges that cross `k` times, however they lie: at most 8 crossings for each edge and
/// 500 more are allowed. This is repeated for each round of cuts. One round is usual.
///
/// ```
/// use steinbound::domain::RepairedRings;
/// let bow_tie = vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]];
/// let needle = vec![[5.0, 5.0], [6.0, 6.0], [5.0, 5.0]];
/// let repaired = RepairedRings::new(vec![bow_tie, needle])?;
/// assert_eq!((repaired.crossings().len(), repaired.left_out().len()), (1, 1));
/// assert_eq!(repaired.polygon()?.area(), 2.0);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RepairedRings {
    rings: Vec<Vec<[f64; 2]>>,
    left_out: Vec<LeftOutRing>,
    repeats: Vec<RepeatedRing>,
    spikes: Vec<RingSpike>,
    crossings: Vec<RingCrossing>,
}

/// A ring without area.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeftOutRing {
    /// The ring, counted from 1.
    pub ring: usize,
    /// Its first vertex; `None` if it has none.
    pub place: Option<[f64; 2]>,
    /// What is wrong with it, to be read after "the ring".
    pub problem: String,
}

/// A ring that has the same edges as one before: a mistake, since the two would cancel each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepeatedRing {
    /// The ring that was left out, counted from 1.
    pub ring: usize,
    /// The ring that has its edges.
    pub of: usize,
}

/// A ring that turns back on itself and encloses nothing on the way.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RingSpike {
    /// The ring, counted from 1.
    pub ring: usize,
    /// Where it turns back first.
    pub place: [f64; 2],
}

/// Where two rings, or a ring and itself, were cut because they cross or run along each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RingCrossing {
    /// The rings, counted from 1.
    pub rings: [usize; 2],
    /// Where.
    pub place: [f64; 2],
}

/// Rounds of cuts. Cutting moves edges by rounding, so that they may cross others again; two rounds are rare.
const ROUNDS: usize = 12;

/// Crossings are placed on a grid with so many lines, as a power of two: where edges run along each other,
/// another crosses all of them at the same place.
const CROSSING_BITS: i32 = 40;

/// More crossings for each edge than any border has by mistake.
const MOST_CROSSINGS: usize = 16;

impl RepairedRings {
    /// The rings repaired, each with or without its first vertex repeated at its end. Refused are vertices that
    /// are no finite numbers of moderate size, and scribbles with many times as many crossings as edges.
    pub fn new(rings: Vec<Vec<[f64; 2]>>) -> Result<RepairedRings, DomainError> {
        let mut left_out = Vec::new();
        let mut repeats = Vec::new();
        let mut spikes = Vec::new();
        let mut sound = Vec::new();
        let mut numbers = Vec::new();
        let mut known: HashMap<Vec<[[u64; 2]; 2]>, usize> = HashMap::new();
        for (at, ring) in rings.into_iter().enumerate() {
            let place = ring.first().copied();
            let checked = match without_repeats(at + 1, ring)? {
                Ok(ring) => {
                    let (ring, tip) = without_spikes(ring);
                    spikes.extend(tip.map(|place| RingSpike { ring: at + 1, place }));
                    without_repeats(at + 1, ring)?
                }
                fault => fault,
            };
            match checked {
                Ok(ring) => match *known.entry(all_edges(&ring)).or_insert(at + 1) {
                    first if first == at + 1 => {
                        sound.push(ring);
                        numbers.push(at + 1);
                    }
                    of => repeats.push(RepeatedRing { ring: at + 1, of }),
                },
                Err(RingFault(problem)) => left_out.push(LeftOutRing { ring: at + 1, place, problem }),
            }
        }
        let edges = sound.iter().zip(&numbers).flat_map(|(ring, number)| numbered(ring, *number));
        let mut edges: Vec<Edge> = edges.collect();
        // Both sides of a cut go before others are compared with them: near the place opposite of a
        // projection's centre they would cross the whole plane.
        let count = edges.len();
        edges = merged(edges, Counting::Odd);
        let has_shared = edges.len() < count;
        let Cut { edges, crossings, is_cut } = cut_where_they_meet(edges, Counting::Odd)?;
        let rings = match is_cut || has_shared {
            true => with_area(chained(edges.iter().map(|edge| [edge.a, edge.b]).collect())),
            false => sound,
        };
        // A ring that is left out is named already.
        spikes.retain(|spike| numbers.binary_search(&spike.ring).is_ok());
        Ok(RepairedRings { rings, left_out, repeats, spikes, crossings })
    }

    /// What is inside of any of several regions, and whether some of them overlap. Common borders are
    /// dissolved.
    ///
    /// ```
    /// use steinbound::domain::RepairedRings;
    /// let square = |x: f64, y: f64| vec![vec![[x, y], [x + 2.0, y], [x + 2.0, y + 2.0], [x, y + 2.0]]];
    /// let parts = [(0.0, 0.0), (2.0, 0.0), (3.0, 1.0)].map(|(x, y)| RepairedRings::new(square(x, y)));
    /// let parts: Vec<_> = parts.into_iter().collect::<Result<_, _>>()?;
    /// let (united, overlap) = RepairedRings::union(parts)?;
    /// assert_eq!((united.polygon()?.area(), overlap), (8.0 + 3.0, true));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn union(mut parts: Vec<RepairedRings>) -> Result<(RepairedRings, bool), DomainError> {
        parts.retain(|part| !part.rings.is_empty());
        if parts.len() < 2 {
            return Ok((parts.pop().unwrap_or_default(), false));
        }
        // Where borders nearly coincide, rounding may leave a border open. On a grid they coincide.
        for bits in [None, Some(34), Some(28)] {
            let snapped = match bits {
                None => parts.clone(),
                Some(bits) => on_grid(&parts, bits)?,
            };
            if let Some(united) = united(&snapped)? {
                return Ok(united);
            }
        }
        Err(DomainError::NotUnited)
    }

    /// The rings, none of which repeats its first vertex at its end.
    pub fn rings(&self) -> &[Vec<[f64; 2]>] {
        &self.rings
    }

    /// The rings that were left out.
    pub fn left_out(&self) -> &[LeftOutRing] {
        &self.left_out
    }

    /// The rings that were left out because they repeat another.
    pub fn repeats(&self) -> &[RepeatedRing] {
        &self.repeats
    }

    /// The rings that had spikes.
    pub fn spikes(&self) -> &[RingSpike] {
        &self.spikes
    }

    /// Where rings were cut.
    pub fn crossings(&self) -> &[RingCrossing] {
        &self.crossings
    }

    /// The area that the rings enclose.
    pub fn polygon(self) -> Result<Polygon, DomainError> {
        Polygon::of_sound_rings(self.rings)
    }

    /// The edges with the region on their left.
    fn directed_edges(&self, number: usize) -> Vec<Edge> {
        let rings = Rings::new(self.rings.clone());
        let edges = self.rings.iter().flat_map(|ring| closed(ring));
        let windings = rings.windings(|_| 1);
        let directed = edges.zip(windings).enumerate().map(|(at, ([a, b], [_, left]))| {
            let is_inside_left = left % 2 != 0;
            let (a, b) = if is_inside_left { (a, b) } else { (b, a) };
            Edge { a, b, ring: number, number: at, times: 1 }
        });
        directed.collect()
    }
}

/// The area that rings enclose by the even-odd rule, which may pass through each other at vertices.
pub(super) fn enclosed_area(rings: &[Vec<[f64; 2]>]) -> f64 {
    let edges: Vec<Edge> = rings.iter().flat_map(|ring| numbered(ring, 0)).collect();
    let pieces = cut_where_they_meet(edges.clone(), Counting::Odd).map_or(edges, |cut| cut.edges);
    Rings::of_edges(pieces.iter().map(|piece| [piece.a, piece.b])).area()
}

/// The union of parts and whether they overlap; `None` if its border is open.
fn united(parts: &[RepairedRings]) -> Result<Option<(RepairedRings, bool)>, DomainError> {
    let directed = parts.iter().enumerate().flat_map(|(number, part)| part.directed_edges(number));
    let directed = merged(directed.collect(), Counting::Directed);
    let Cut { edges: pieces, .. } = cut_where_they_meet(directed, Counting::Directed)?;
    let all = Rings::of_edges(pieces.iter().map(|piece| [piece.a, piece.b]));
    let mut has_overlap = pieces.iter().any(|piece| piece.times.abs() > 1);
    let mut border = Vec::new();
    for (piece, [right, left]) in pieces.iter().zip(all.windings(|other| pieces[other].times)) {
        has_overlap |= right > 1 || left > 1;
        if (right > 0) != (left > 0) {
            border.push([piece.a, piece.b]);
        }
    }
    let is_closed = ends_meet(&border);
    let united = || RepairedRings { rings: with_area(chained(border)), ..RepairedRings::default() };
    Ok(is_closed.then(|| (united(), has_overlap)))
}

/// Whether an even number of edges ends at every vertex.
fn ends_meet(edges: &[[[f64; 2]; 2]]) -> bool {
    let mut open = std::collections::HashSet::new();
    for end in edges.iter().flatten() {
        let end = key(*end);
        if !open.remove(&end) {
            open.insert(end);
        }
    }
    open.is_empty()
}

/// The parts with their vertices on a grid with so many lines, as a power of two.
fn on_grid(parts: &[RepairedRings], bits: i32) -> Result<Vec<RepairedRings>, DomainError> {
    let vertices = parts.iter().flat_map(|part| part.rings.iter().flatten());
    let step = grid_step(vertices, bits);
    let snapped = |part: &RepairedRings| {
        let rings = part.rings.iter().map(|ring| ring.iter().map(|place| snap(*place, step)).collect());
        RepairedRings::new(rings.collect())
    };
    parts.iter().map(snapped).collect()
}

/// The step of a grid over some places.
fn grid_step<'a>(places: impl Iterator<Item = &'a [f64; 2]>, bits: i32) -> f64 {
    let reach = places.flatten().fold(f64::MIN_POSITIVE, |reach, value| reach.max(value.abs()));
    2f64.powi(reach.log2().ceil() as i32 - bits)
}

fn snap(place: [f64; 2], step: f64) -> [f64; 2] {
    if step > 0.0 { place.map(|value| (value / step).round() * step) } else { place }
}

fn numbered(ring: &[[f64; 2]], number: usize) -> impl Iterator<Item = Edge> {
    closed(ring).map(move |[a, b]| Edge { a, b, ring: number, number: 0, times: 1 })
}

/// A ring without the edges that it runs back along at once, and where it first turned back.
fn without_spikes(ring: Vec<[f64; 2]>) -> (Vec<[f64; 2]>, Option<[f64; 2]>) {
    let mut tip = None;
    let mut kept: Vec<[f64; 2]> = Vec::with_capacity(ring.len());
    for vertex in ring {
        match kept.len() >= 2 && kept[kept.len() - 2] == vertex {
            true => {
                let end = kept.pop();
                tip = tip.or(end);
            }
            false => kept.push(vertex),
        }
    }
    // Spikes where the ring begins.
    let mut start = 0;
    while kept.len() - start > 2 {
        let last = kept.len() - 1;
        if kept[last - 1] == kept[start] {
            tip = tip.or(Some(kept[last]));
            kept.truncate(last - 1);
        } else if kept[last] == kept[start + 1] {
            tip = tip.or(Some(kept[start]));
            kept.truncate(last);
            start += 1;
        } else {
            break;
        }
    }
    (kept.split_off(start), tip)
}

/// The edges of a ring, the same wherever it begins and in whichever direction it runs.
fn all_edges(ring: &[[f64; 2]]) -> Vec<[[u64; 2]; 2]> {
    let mut edges: Vec<_> = closed(ring).map(edge_key).collect();
    edges.sort_unstable();
    edges
}

/// The rings that enclose an area: pieces of rings that were cut may be needles.
fn with_area(rings: Vec<Vec<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    rings.into_iter().filter_map(|ring| without_repeats(0, ring).ok()?.ok()).collect()
}

/// How edges that lie on each other count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// As one where their number is odd.
    Odd,
    /// Those of one direction less those of the other.
    Directed,
    /// As one.
    Once,
}

impl Counting {
    /// How often an edge is run through if it is so often on its own, and so often by another.
    pub(super) fn sum(self, own: i32, other: i32, is_same_direction: bool) -> i32 {
        match self {
            Counting::Odd => (own + other) % 2,
            Counting::Directed if is_same_direction => own.saturating_add(other),
            Counting::Directed => own.saturating_sub(other),
            Counting::Once => 1,
        }
    }
}

/// Edges without those that lie on others, which count with the first of them; without those that then do not
/// count.
pub(super) fn merged(edges: Vec<Edge>, counting: Counting) -> Vec<Edge> {
    let mut places: HashMap<[[u64; 2]; 2], usize> = HashMap::with_capacity(edges.len());
    let mut kept: Vec<Edge> = Vec::with_capacity(edges.len());
    for edge in edges {
        let place = *places.entry(edge_key([edge.a, edge.b])).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(first) => first.times = counting.sum(first.times, edge.times, first.a == edge.a),
            None => kept.push(edge),
        }
    }
    kept.retain(|edge| edge.times != 0);
    kept
}

/// Edges that meet at their ends only, each of them once.
struct Cut {
    edges: Vec<Edge>,
    crossings: Vec<RingCrossing>,
    is_cut: bool,
}

/// Cuts edges where they cross, touch or run along each other.
fn cut_where_they_meet(mut edges: Vec<Edge>, counting: Counting) -> Result<Cut, DomainError> {
    let most = MOST_CROSSINGS * edges.len() + 1_000;
    let step = grid_step(edges.iter().flat_map(|edge| [&edge.a, &edge.b]), CROSSING_BITS);
    let mut crossings = Vec::new();
    let mut pairs = Pairs::All;
    for round in 0..=ROUNDS {
        let is_first = round == 0;
        let is_too_late = round == ROUNDS;
        edges.iter_mut().enumerate().for_each(|(at, edge)| edge.number = at);
        let mut cuts: Vec<(usize, [f64; 2])> = Vec::new();
        if pairs == Pairs::All {
            pairs = neighbouring_pairs(&edges, &mut |e, f| {
                let before = cuts.len();
                let place = meet(e, f, step, &mut cuts);
                if let Some(place) = place.filter(|_| is_first) {
                    crossings.push(RingCrossing::new(e, f, place));
                }
                match cuts.len() > before && (cuts.len() > most || is_too_late) {
                    true => Err(scribble(e, f, place.unwrap_or(e.a))),
                    false => Ok(()),
                }
            })?;
        }
        let is_cut = match pairs {
            Pairs::All if cuts.is_empty() => false,
            Pairs::All => {
                edges = in_pieces(&edges, cuts);
                true
            }
            Pairs::TooMany => {
                if is_first {
                    crossings.clear();
                }
                let mut found = 0;
                let swept = swept(&edges, counting, step, &mut |e, f, place| {
                    found += 1;
                    if is_first {
                        crossings.push(RingCrossing::new(e, f, place));
                    }
                    if 2 * found > most || is_too_late { Err(scribble(e, f, place)) } else { Ok(()) }
                })?;
                edges = swept.edges;
                swept.is_cut
            }
        };
        if !is_cut {
            // A pair of edges may be looked at in several strips.
            crossings.sort_by(|a, b| in_order(&a.place, &b.place).then(a.rings.cmp(&b.rings)));
            crossings.dedup();
            return Ok(Cut { edges, crossings, is_cut: round > 0 });
        }
        edges = merged(edges, counting);
    }
    Ok(Cut { edges, crossings, is_cut: true })
}

impl RingCrossing {
    fn new(e: &Edge, f: &Edge, place: [f64; 2]) -> RingCrossing {
        RingCrossing { rings: [e.ring.min(f.ring), e.ring.max(f.ring)], place }
    }
}

fn scribble(e: &Edge, f: &Edge, place: [f64; 2]) -> DomainError {
    let (first, second) = ((e.ring.min(f.ring), 1), (e.ring.max(f.ring), 1));
    DomainError::CrossingEdges {
        first,
        second,
        how: "cross too often to tell inside from outside, last",
        place,
    }
}

/// Notes where two edges are to be cut; where they cross or run along each other, that place is returned.
fn meet(e: &Edge, f: &Edge, step: f64, cuts: &mut Vec<(usize, [f64; 2])>) -> Option<[f64; 2]> {
    let [c, d] = [orientation(e.a, e.b, f.a), orientation(e.a, e.b, f.b)];
    let [a, b] = [orientation(f.a, f.b, e.a), orientation(f.a, f.b, e.b)];
    let mut cut = |edge: &Edge, place: [f64; 2]| {
        let is_inside = place != edge.a && place != edge.b;
        if is_inside {
            cuts.push((edge.number, place));
        }
        is_inside
    };
    if let Some(place) = crossing(e, [a, b], [c, d]) {
        let place = on_lines(place, [e, f], step);
        cut(e, place);
        cut(f, place);
        return Some(place);
    }
    let within = |edge: &Edge, place: [f64; 2]| {
        let is_within = |axis: usize| (edge.extent(axis).0..=edge.extent(axis).1).contains(&place[axis]);
        is_within(0) && is_within(1)
    };
    let mut touches = 0;
    let mut last = None;
    for (edge, place, side) in [(e, f.a, c), (e, f.b, d), (f, e.a, a), (f, e.b, b)] {
        if side == 0.0 && within(edge, place) && cut(edge, place) {
            touches += 1;
            last = Some(place);
        }
    }
    // Edges on one line that are cut run along each other; others touch, which is allowed.
    last.filter(|_| touches > 0 && [a, b, c, d] == [0.0; 4])
}

/// A crossing of two edges on the grid, but with the exact coordinate of an edge along an axis. Between edges
/// shorter than the grid it keeps its place.
pub(super) fn on_lines(place: [f64; 2], edges: [&Edge; 2], step: f64) -> [f64; 2] {
    let extent = |edge: &Edge, axis: usize| (edge.b[axis] - edge.a[axis]).abs();
    let is_short = edges.iter().any(|edge| extent(edge, 0).max(extent(edge, 1)) < 16.0 * step);
    if is_short {
        return place;
    }
    let snapped = snap(place, step);
    [0, 1].map(|axis| match edges.iter().find(|edge| extent(edge, axis) == 0.0) {
        Some(edge) => edge.a[axis],
        None => snapped[axis],
    })
}

/// The pieces of edges between their cuts, in the order of the edges.
pub(super) fn in_pieces(edges: &[Edge], mut cuts: Vec<(usize, [f64; 2])>) -> Vec<Edge> {
    let along = |(edge, place): &(usize, [f64; 2])| {
        let Edge { a, b, .. } = edges[*edge];
        (place[0] - a[0]) * (b[0] - a[0]) + (place[1] - a[1]) * (b[1] - a[1])
    };
    cuts.sort_by(|c, d| {
        c.0.cmp(&d.0).then_with(|| along(c).total_cmp(&along(d))).then_with(|| in_order(&c.1, &d.1))
    });
    cuts.dedup();
    let mut cuts = cuts.into_iter().peekable();
    let mut pieces = Vec::with_capacity(edges.len() + cuts.len());
    for (at, edge) in edges.iter().enumerate() {
        let mut from = edge.a;
        while let Some((_, place)) = cuts.next_if(|(edge, _)| *edge == at) {
            pieces.push(Edge { a: from, b: place, ..*edge });
            from = place;
        }
        pieces.push(Edge { a: from, ..*edge });
    }
    pieces
}

fn in_order(a: &[f64; 2], b: &[f64; 2]) -> std::cmp::Ordering {
    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::domain::Domain;
    use crate::random::stream;

    fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
    }

    fn union(parts: Vec<Vec<Vec<[f64; 2]>>>) -> (Polygon, bool) {
        let parts = parts.into_iter().map(|part| RepairedRings::new(part).unwrap()).collect();
        let (united, overlap) = RepairedRings::union(parts).unwrap();
        (united.polygon().unwrap(), overlap)
    }

    /// How often closed lines turn around a point, and whether that is odd: counted by angles.
    fn turns(ring: &[[f64; 2]], x: [f64; 2]) -> i32 {
        let turn = |[a, b]: [[f64; 2]; 2]| {
            let [a, b] = [a, b].map(|p| [p[0] - x[0], p[1] - x[1]]);
            (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1])
        };
        (closed(ring).map(turn).sum::<f64>() / std::f64::consts::TAU).round() as i32
    }

    /// Stars of random vertices cross themselves and each other at many places.
    #[test]
    fn membership_is_kept_whatever_crosses() {
        for seed in 0..60 {
            let mut rng = stream(seed, 0);
            let count = 3 + (seed as usize) % 12;
            // On a coarse grid vertices fall on edges, and edges on each other.
            let grid = if seed % 2 == 0 { 1e9 } else { 4.0 };
            let mut number = || (grid * rng.random::<f64>()).round() / grid;
            let rings: Vec<Vec<[f64; 2]>> =
                (0..3).map(|_| (0..count).map(|_| [number(), number()]).collect()).collect();
            let Ok(repaired) = RepairedRings::new(rings.clone()).unwrap().polygon() else { continue };
            let (united, _) = union(rings.iter().map(|ring| vec![ring.clone()]).collect());
            let again = RepairedRings::new(repaired.rings().to_vec()).unwrap();
            assert!(again.crossings().is_empty() && again.left_out().is_empty());
            for _ in 0..200 {
                let x = [rng.random::<f64>(), rng.random::<f64>()];
                let odd = rings.iter().filter(|ring| turns(ring, x) % 2 != 0).count();
                assert_eq!(repaired.contains(&x), odd % 2 == 1, "{seed} {x:?}");
                assert_eq!(united.contains(&x), odd > 0, "{seed} {x:?}");
            }
        }
    }

    #[test]
    fn sound_rings_are_left_as_they_are() {
        let rings = vec![square(0.0, 0.0, 4.0), square(1.0, 1.0, 2.0)];
        let repaired = RepairedRings::new(rings.clone()).unwrap();
        assert_eq!((repaired.rings(), repaired.crossings()), (&rings[..], &[][..]));
        assert_eq!(repaired.polygon(), Polygon::new(rings));
    }

    #[test]
    fn what_has_no_area_is_named() {
        let rings = vec![
            vec![],
            square(0.0, 0.0, 1.0),
            vec![[5.0, 5.0]; 3],
            vec![[5.0, 5.0], [6.0, 6.0], [7.0, 7.0]],
        ];
        let repaired = RepairedRings::new(rings).unwrap();
        let found: Vec<_> = repaired.left_out().iter().map(|ring| (ring.ring, ring.place)).collect();
        assert_eq!(found, [(1, None), (3, Some([5.0, 5.0])), (4, Some([5.0, 5.0]))]);
        assert!(repaired.left_out()[2].problem.contains("on a line"));
        assert_eq!(repaired.polygon().unwrap().area(), 1.0);
        assert!(RepairedRings::new(vec![vec![[f64::NAN, 0.0]]]).is_err());
    }

    /// By the even-odd rule a ring given twice would enclose nothing.
    #[test]
    fn a_ring_given_again_counts_once() {
        let turned = vec![[2.0, 2.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0]];
        let hole = vec![[0.5, 0.5], [1.0, 0.5], [1.0, 1.0]];
        let rings = vec![square(0.0, 0.0, 2.0), hole.clone(), turned.clone(), hole, turned];
        let repaired = RepairedRings::new(rings).unwrap();
        let repeats: Vec<_> = repaired.repeats().iter().map(|repeat| (repeat.ring, repeat.of)).collect();
        assert_eq!(repeats, [(3, 1), (4, 2), (5, 1)]);
        assert_eq!(repaired.polygon().unwrap().area(), 4.0 - 0.125);
    }

    #[test]
    fn spikes_and_common_stretches_are_removed() {
        let spike = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [9.0, 2.0], [4.0, 2.0], [4.0, 4.0], [0.0, 4.0]];
        let of_two_edges = [&spike[..3], &[[6.0, 1.0], [9.0, 2.0], [6.0, 1.0]], &spike[4..]].concat();
        // Wherever the ring begins, the spike is found at its tip.
        for ring in [&spike[..], &of_two_edges] {
            for start in 0..ring.len() {
                let turned = [&ring[start..], &ring[..start]].concat();
                let repaired = RepairedRings::new(vec![square(20.0, 0.0, 1.0), turned]).unwrap();
                let spikes: Vec<_> =
                    repaired.spikes().iter().map(|spike| (spike.ring, spike.place)).collect();
                assert_eq!(spikes, [(2, [9.0, 2.0])]);
                let repaired = repaired.polygon().unwrap();
                assert_eq!((repaired.area(), repaired.length()), (17.0, 20.0));
            }
        }
        // A neighbour with a vertex in the middle of the common border.
        let (united, overlap) = union(vec![vec![square(0.0, 0.0, 2.0)], vec![square(2.0, 1.0, 2.0)]]);
        assert_eq!((united.area(), united.length(), overlap), (8.0, 14.0, false));
    }

    #[test]
    fn parts_within_parts_are_united() {
        let country = vec![square(0.0, 0.0, 8.0), square(2.0, 2.0, 4.0)];
        let (with_hole_filled, overlap) = union(vec![country.clone(), vec![square(2.0, 2.0, 4.0)]]);
        assert_eq!((with_hole_filled.area(), with_hole_filled.rings().len(), overlap), (64.0, 1, false));
        let (with_town, overlap) = union(vec![country.clone(), vec![square(0.5, 0.5, 1.0)]]);
        assert_eq!((with_town.area(), overlap), (48.0, true));
        let (twice, overlap) = union(vec![country.clone(), country.clone()]);
        assert_eq!((twice.area(), overlap), (48.0, true));
        let reversed = country.iter().map(|ring| ring.iter().rev().copied().collect()).collect();
        assert_eq!(union(vec![country, reversed]).0.area(), 48.0);
    }

    #[test]
    fn scribbles_are_refused() {
        let mut rng = stream(1, 0);
        let scribble = (0..3000).map(|_| [rng.random::<f64>(), rng.random::<f64>()]).collect();
        let error = RepairedRings::new(vec![scribble]).unwrap_err().to_string();
        assert!(error.contains("cross too often"), "{error}");
    }

    /// A coast of a hundred thousand vertices with a thousand loops.
    #[test]
    fn large_maps_are_repaired_in_time() {
        let coast = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / 1e5;
            let back = if k % 100 == 50 { 1e-4 } else { 0.0 };
            let radius = 1.0 + 0.2 * (5.0 * angle).sin() + 1e-3 * ((k * 7919) % 13) as f64;
            [radius * (angle - back).cos(), radius * (angle - back).sin()]
        };
        let start = std::time::Instant::now();
        let repaired = RepairedRings::new(vec![(0..100_000).map(coast).collect()]).unwrap();
        assert!(repaired.crossings().len() > 300, "{}", repaired.crossings().len());
        let halves = [0.0, 1.0].map(|x| RepairedRings::new(vec![square(x, -2.0, 1.0)]).unwrap());
        let parts = halves.into_iter().chain([repaired]).collect();
        let (united, overlap) = RepairedRings::union(parts).unwrap();
        assert!(overlap && united.rings().iter().map(Vec::len).sum::<usize>() > 50_000);
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < 20.0, "{seconds}");
    }
}
