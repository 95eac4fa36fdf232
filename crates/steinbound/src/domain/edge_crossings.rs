use super::repair::{Counting, merged};
use super::rings::{closed, orientation};
use super::sweep::swept;
use crate::error::DomainError;

/// An edge with its ring and its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) a: [f64; 2],
    pub(super) b: [f64; 2],
    pub(super) ring: usize,
    pub(super) number: usize,
    /// How often it is run through.
    pub(super) times: i32,
}

impl Edge {
    /// The lower and upper end of a coordinate.
    pub(super) fn extent(&self, axis: usize) -> (f64, f64) {
        (self.a[axis].min(self.b[axis]), self.a[axis].max(self.b[axis]))
    }
}

/// Refuses rings if two of their edges cross or overlap. Edges may touch at a vertex, and may coincide.
pub(super) fn refuse_crossings(rings: &[Vec<[f64; 2]>]) -> Result<(), DomainError> {
    let mut edges = Vec::new();
    for (ring, vertices) in rings.iter().enumerate() {
        let numbered = closed(vertices).enumerate();
        edges.extend(numbered.map(|(k, [a, b])| Edge { a, b, ring: ring + 1, number: k + 1, times: 1 }));
    }
    if neighbouring_pairs(&edges, &mut refuse_pair)? == Pairs::All {
        return Ok(());
    }
    let mut edges = merged(edges, Counting::Once);
    loop {
        let swept = swept(&edges, Counting::Once, 0.0, &mut |e, f, _| refuse_pair(e, f))?;
        if !swept.is_cut {
            return Ok(());
        }
        edges = merged(swept.edges, Counting::Once);
    }
}

/// Which pairs of edges were visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairs {
    All,
    /// Only some of them, because there are many times more than edges.
    TooMany,
}

/// More comparisons for each edge than short edges need; a sweep that keeps an order needs fewer then.
const MOST_COMPARISONS: usize = 100;

/// Visits all pairs of edges whose boxes meet, some of them more than once.
///
/// The plane is cut into horizontal strips, each of which is swept from left to right: only edges that lie
/// above each other within a strip are compared. The number of strips keeps the number of pieces of edges
/// within a few times the number of edges, so that borders of short edges take nearly linear time, and so do
/// long upright edges side by side. Where it would take much longer, as among sloping needles, it gives up.
pub(super) fn neighbouring_pairs(
    edges: &[Edge],
    visit: &mut dyn FnMut(&Edge, &Edge) -> Result<(), DomainError>,
) -> Result<Pairs, DomainError> {
    let mut edges = edges.to_vec();
    let mut left = MOST_COMPARISONS * edges.len() + 100_000;
    edges.sort_by(|e, f| e.extent(0).0.total_cmp(&f.extent(0).0));
    for strip in strips(&edges) {
        let mut active: Vec<Edge> = Vec::new();
        for edge in strip {
            let (start, _) = edge.extent(0);
            let (low, high) = edge.extent(1);
            let Some(rest) = left.checked_sub(active.len()) else { return Ok(Pairs::TooMany) };
            left = rest;
            active.retain(|other| other.extent(0).1 >= start);
            for other in &active {
                let (other_low, other_high) = other.extent(1);
                if other_low <= high && low <= other_high {
                    visit(other, &edge)?;
                }
            }
            active.push(edge);
        }
    }
    Ok(Pairs::All)
}

/// The edges that meet each of some horizontal strips, in the order given.
fn strips(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let extents = edges.iter().map(|edge| edge.extent(1));
    let (low, high) = extents
        .clone()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |all, own| (all.0.min(own.0), all.1.max(own.1)));
    let heights: f64 = extents.map(|(low, high)| high - low).sum();
    let count = edges.len() as f64;
    let affordable = 2.0 * count * (high - low) / heights;
    // The cast takes NaN to zero.
    let number = count.sqrt().min(affordable).max(1.0) as usize;
    let place = |y: f64| (((y - low) / (high - low) * number as f64) as usize).min(number - 1);
    let mut strips = vec![Vec::new(); number];
    for edge in edges {
        let (bottom, top) = edge.extent(1);
        strips[place(bottom)..=place(top)].iter_mut().for_each(|strip| strip.push(*edge));
    }
    strips
}

fn refuse_pair(e: &Edge, f: &Edge) -> Result<(), DomainError> {
    let [c, d] = [orientation(e.a, e.b, f.a), orientation(e.a, e.b, f.b)];
    let [a, b] = [orientation(f.a, f.b, e.a), orientation(f.a, f.b, e.b)];
    let (how, place) = if let Some(place) = crossing(e, [a, b], [c, d]) {
        ("cross", place)
    } else if let Some(place) = ([a, b, c, d] == [0.0; 4]).then(|| shared_stretch(e, f)).flatten() {
        ("run along each other", place)
    } else {
        return Ok(());
    };
    let [first, second] = if (e.ring, e.number) < (f.ring, f.number) { [e, f] } else { [f, e] };
    Err(DomainError::CrossingEdges {
        first: (first.ring, first.number),
        second: (second.ring, second.number),
        how,
        place,
    })
}

/// Where two edges meet in the inside of both, from the sides on which the ends of each lie of the other.
pub(super) fn crossing(e: &Edge, [a, b]: [f64; 2], [c, d]: [f64; 2]) -> Option<[f64; 2]> {
    let opposite = |u: f64, v: f64| (u > 0.0 && v < 0.0) || (u < 0.0 && v > 0.0);
    let share = a / (a - b);
    (opposite(a, b) && opposite(c, d)).then(|| [0, 1].map(|l| e.a[l] + share * (e.b[l] - e.a[l])))
}

/// The middle of the overlap of two edges on one line; `None` if they share at most a vertex, or coincide.
fn shared_stretch(e: &Edge, f: &Edge) -> Option<[f64; 2]> {
    let is_same = (e.a == f.a && e.b == f.b) || (e.a == f.b && e.b == f.a);
    let stretch = [0, 1].map(|axis| {
        let ((low, high), (other_low, other_high)) = (e.extent(axis), f.extent(axis));
        (low.max(other_low), high.min(other_high))
    });
    let has_length = stretch.iter().any(|(low, high)| low < high);
    // On a sloping line the ends of the overlap are opposite corners of its bounding box.
    (has_length && !is_same).then(|| stretch.map(|(low, high)| 0.5 * (low + high)))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    /// Every pair of edges compared, on rings that mostly cross.
    #[test]
    fn the_sweep_finds_what_comparing_all_pairs_finds() {
        let mut rng = stream(10, 0);
        let mut found = [0; 2];
        for trial in 0..400 {
            let vertices = 3 + trial % 5;
            let scale = if trial % 3 == 0 { 0.02 } else { 1.0 };
            let mut ring =
                || (0..vertices).map(|_| [rng.random::<f64>(), scale * rng.random::<f64>()]).collect();
            let rings: Vec<Vec<[f64; 2]>> = vec![ring(), ring()];
            let edges: Vec<[[f64; 2]; 2]> = rings.iter().flat_map(|ring| closed(ring)).collect();
            let crosses = |[a, b]: &[[f64; 2]; 2], [c, d]: &[[f64; 2]; 2]| {
                let solve = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
                let (u, v, w) =
                    ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]], [c[0] - a[0], c[1] - a[1]]);
                let (s, t) = (solve(w, v) / solve(u, v), solve(w, u) / solve(u, v));
                (1e-9..1.0 - 1e-9).contains(&s) && (1e-9..1.0 - 1e-9).contains(&t)
            };
            let expected = edges.iter().any(|e| edges.iter().any(|f| crosses(e, f)));
            assert_eq!(refuse_crossings(&rings).is_err(), expected, "{rings:?}");
            found[usize::from(expected)] += 1;
        }
        assert!(found[0] > 20 && found[1] > 100, "{found:?}");
    }

    #[test]
    fn large_maps_are_checked_in_time() {
        let zigzag = |upright: bool| {
            let count = 50_000;
            let place = |k: usize| {
                let [along, across] = [k as f64, 1e5 * (k % 2) as f64];
                if upright { [along, across] } else { [across, along] }
            };
            let back = if upright { [count as f64, -1.0] } else { [-1.0, count as f64] };
            let mut ring: Vec<[f64; 2]> = (0..count).map(place).collect();
            ring.extend([back, [-1.0, -1.0]]);
            ring
        };
        let coast = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / 1e5;
            let radius = 1.0 + 0.2 * (5.0 * angle).sin() + 0.001 * ((k * 7919) % 13) as f64;
            [radius * angle.cos(), radius * angle.sin()]
        };
        for ring in [(0..100_000).map(coast).collect(), zigzag(true), zigzag(false)] {
            let start = std::time::Instant::now();
            assert_eq!(refuse_crossings(&[ring]), Ok(()));
            let seconds = start.elapsed().as_secs_f64();
            // A hundredth of this is usual; comparing all pairs would take a minute.
            assert!(seconds < 10.0, "{seconds}");
        }
    }
}
