use std::collections::HashMap;

use super::rings::closed;

/// A vertex as a key; positive and negative zero give the same key.
pub(super) fn key(vertex: [f64; 2]) -> [u64; 2] {
    vertex.map(|v| (v + 0.0).to_bits())
}

/// The rings of the same area without edges that occur an even number of times, such as the common border of
/// two neighbours or the cut that joins a hole to the outline. By the even-odd rule, both sides of such edges
/// are inside or both are outside.
pub(super) fn without_shared_edges(rings: Vec<Vec<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    match odd_edges(rings.iter().flat_map(|ring| closed(ring))) {
        Some(edges) => chained(edges),
        None => rings,
    }
}

/// The edges that occur an odd number of times, once each; `None` if no edge occurs twice.
fn odd_edges(edges: impl Iterator<Item = [[f64; 2]; 2]> + Clone) -> Option<Vec<[[f64; 2]; 2]>> {
    let mut times: HashMap<[[u64; 2]; 2], usize> = HashMap::new();
    for edge in edges.clone() {
        *times.entry(edge_key(edge)).or_default() += 1;
    }
    if times.values().all(|count| *count == 1) {
        return None;
    }
    let mut is_odd =
        |edge: &[[f64; 2]; 2]| times.remove(&edge_key(*edge)).is_some_and(|count| count % 2 == 1);
    Some(edges.filter(|edge| is_odd(edge)).collect())
}

/// An edge as a key, in whichever direction it runs.
pub(super) fn edge_key([a, b]: [[f64; 2]; 2]) -> [[u64; 2]; 2] {
    [key(a).min(key(b)), key(a).max(key(b))]
}

/// Joins edges to rings. Every vertex has an even number of edges, so a walk always returns to its start.
pub(super) fn chained(edges: Vec<[[f64; 2]; 2]>) -> Vec<Vec<[f64; 2]>> {
    let mut at: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
    for (e, [a, b]) in edges.iter().enumerate().rev() {
        at.entry(key(*a)).or_default().push(e);
        at.entry(key(*b)).or_default().push(e);
    }
    let mut used = vec![false; edges.len()];
    let mut rings = Vec::new();
    for start in 0..edges.len() {
        if used[start] {
            continue;
        }
        used[start] = true;
        let [first, mut here] = edges[start];
        let mut ring = vec![first];
        while key(here) != key(first) {
            ring.push(here);
            let candidates = at.get_mut(&key(here));
            let next = candidates.and_then(|list| {
                while list.last().is_some_and(|e| used[*e]) {
                    list.pop();
                }
                list.pop()
            });
            let Some(e) = next else { break };
            used[e] = true;
            let [a, b] = edges[e];
            here = if key(a) == key(here) { b } else { a };
        }
        rings.push(ring);
    }
    rings
}
