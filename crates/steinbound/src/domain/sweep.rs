//! A sweep from left to right that finds where edges meet, however they lie.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::edge_crossings::{Edge, crossing};
use super::ordered::Ordered;
use super::repair::{Counting, in_pieces, on_lines};
use super::rings::orientation;
use crate::error::DomainError;

/// Edges cut where the sweep met others, each of which may need another sweep.
pub(super) struct Swept {
    pub(super) edges: Vec<Edge>,
    /// Whether any edge was cut: if not, edges meet at their ends only.
    pub(super) is_cut: bool,
}

/// What is told of two of the edges given that cross or run along each other, and where; an error ends the sweep.
pub(super) type Visit<'a> = &'a mut dyn FnMut(&Edge, &Edge, [f64; 2]) -> Result<(), DomainError>;

/// Cuts edges, no two of which are equal, where they cross, touch or run along each other. Crossings are placed
/// on a grid with this step.
///
/// Edges that the sweep line meets are kept in their order along it, and only neighbours are compared, so that
/// `n` edges with `k` crossings take `(n + k) log n` steps. Signs are exact, but a crossing is rounded, which may
/// disturb the order behind it: only a sweep without a cut is known to have missed nothing, and sweeps are
/// repeated until there is one.
pub(super) fn swept(
    edges: &[Edge],
    counting: Counting,
    step: f64,
    visit: Visit,
) -> Result<Swept, DomainError> {
    let mut sweep = Sweep {
        edges,
        counting,
        step,
        visit,
        pieces: Vec::with_capacity(edges.len()),
        events: BinaryHeap::new(),
        line: Ordered::default(),
        late: Vec::new(),
        is_cut: false,
    };
    sweep.run()?;
    Ok(sweep.finish())
}

/// A part of an edge, from its end that the sweep reaches first to the other.
#[derive(Debug, Clone, Copy)]
struct Piece {
    low: [f64; 2],
    high: [f64; 2],
    /// The number of its edge.
    of: u32,
    /// Whether the edge runs towards the end that the sweep reaches first.
    is_reversed: bool,
    times: i32,
    is_on_line: bool,
}

/// The sweep arrives at an end of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Event {
    at: [f64; 2],
    piece: u32,
    begins: bool,
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        let by_place = lexical(self.at, other.at);
        by_place.then(self.piece.cmp(&other.piece)).then(self.begins.cmp(&other.begins))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The order in which the sweep reaches places: as if the line were tilted a little.
fn lexical(a: [f64; 2], b: [f64; 2]) -> Ordering {
    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
}

/// Without negative zeros, which would come before others.
fn plain(place: [f64; 2]) -> [f64; 2] {
    place.map(|v| v + 0.0)
}

struct Sweep<'a> {
    edges: &'a [Edge],
    counting: Counting,
    step: f64,
    visit: Visit<'a>,
    pieces: Vec<Piece>,
    events: BinaryHeap<Reverse<Event>>,
    /// The pieces that the sweep line meets, from the lowest to the highest.
    line: Ordered,
    /// Cuts at places that the sweep has passed already.
    late: Vec<(usize, [f64; 2])>,
    is_cut: bool,
}

impl Sweep<'_> {
    fn run(&mut self) -> Result<(), DomainError> {
        for (of, edge) in self.edges.iter().enumerate() {
            let (a, b) = (plain(edge.a), plain(edge.b));
            let is_reversed = lexical(b, a).is_lt();
            let (low, high) = if is_reversed { (b, a) } else { (a, b) };
            let of = of as u32;
            self.pieces.push(Piece { low, high, of, is_reversed, times: edge.times, is_on_line: false });
        }
        let events = self.pieces.iter().enumerate().flat_map(|(piece, Piece { low, high, .. })| {
            let event = |at: &[f64; 2], begins| Reverse(Event { at: *at, piece: piece as u32, begins });
            [event(low, true), event(high, false)]
        });
        self.events = events.collect::<Vec<_>>().into();
        let mut beginning = Vec::new();
        while let Some(Reverse(first)) = self.events.pop() {
            beginning.clear();
            self.note(first, &mut beginning);
            while self.events.peek().is_some_and(|event| event.0.at == first.at) {
                if let Some(Reverse(event)) = self.events.pop() {
                    self.note(event, &mut beginning);
                }
            }
            self.pass(first.at, &mut beginning)?;
        }
        Ok(())
    }

    fn piece(&self, piece: u32) -> Piece {
        self.pieces[piece as usize]
    }

    fn note(&mut self, event: Event, beginning: &mut Vec<u32>) {
        if event.begins {
            beginning.push(event.piece);
        } else if self.piece(event.piece).high == event.at {
            self.take_off(event.piece);
        }
    }

    fn take_off(&mut self, piece: u32) {
        if std::mem::take(&mut self.pieces[piece as usize].is_on_line) {
            self.line.remove(piece);
        }
    }

    /// Moves the sweep over a place where pieces begin or end.
    fn pass(&mut self, at: [f64; 2], beginning: &mut Vec<u32>) -> Result<(), DomainError> {
        let pieces = &self.pieces;
        let side = |piece: u32| {
            let Piece { low, high, .. } = pieces[piece as usize];
            orientation(low, high, at)
        };
        let below = self.line.last_where(|piece| side(piece) > 0.0);
        let mut through = Vec::new();
        let mut next = self.line.after(below);
        while let Some(piece) = next.filter(|piece| side(*piece) == 0.0) {
            through.push(piece);
            next = self.line.after(next);
        }
        for piece in through {
            self.take_off(piece);
            beginning.extend(self.cut_off(piece, at));
        }
        self.sort(at, beginning);
        let beginning = self.without_overlaps(beginning)?;
        let mut last = below;
        for piece in &beginning {
            self.line.insert_after(last, *piece);
            self.pieces[*piece as usize].is_on_line = true;
            last = Some(*piece);
        }
        let above = self.line.after(last);
        self.compare(at, below, beginning.first().copied().or(above))?;
        if !beginning.is_empty() {
            self.compare(at, last, above)?;
        }
        Ok(())
    }

    /// Ends a piece at a place and returns what is left of it, which begins there; `None` if nothing is.
    fn cut_off(&mut self, piece: u32, at: [f64; 2]) -> Option<u32> {
        let whole = self.piece(piece);
        if !(lexical(whole.low, at).is_lt() && lexical(at, whole.high).is_lt()) {
            return None;
        }
        self.is_cut = true;
        self.pieces[piece as usize].high = at;
        let rest = self.pieces.len() as u32;
        self.pieces.push(Piece { low: at, is_on_line: false, ..whole });
        self.events.push(Reverse(Event { at: whole.high, piece: rest, begins: false }));
        Some(rest)
    }

    /// Sorts pieces that begin at a place from the lowest to the highest; of those in one direction the
    /// shortest comes first.
    fn sort(&self, at: [f64; 2], beginning: &mut [u32]) {
        beginning.sort_by(|p, q| {
            let [p_high, q_high] = [p, q].map(|piece| self.piece(*piece).high);
            let turn = orientation(at, q_high, p_high);
            turn.partial_cmp(&0.0).unwrap_or(Ordering::Equal).then(lexical(p_high, q_high)).then(p.cmp(q))
        });
    }

    /// Of pieces that run along each other from one place, the shortest; the others go on at its end.
    fn without_overlaps(&mut self, beginning: &[u32]) -> Result<Vec<u32>, DomainError> {
        let mut kept: Vec<u32> = Vec::with_capacity(beginning.len());
        for piece in beginning.iter().copied() {
            let here = self.piece(piece);
            let along = kept.last().copied().filter(|shortest| {
                let Piece { low, high, .. } = self.piece(*shortest);
                orientation(low, high, here.high) == 0.0
            });
            let Some(shortest) = along else {
                kept.push(piece);
                continue;
            };
            let Piece { high, is_reversed, times, of, .. } = self.piece(shortest);
            (self.visit)(&self.edges[of as usize], &self.edges[here.of as usize], high)?;
            if let Some(rest) = self.cut_off(piece, high) {
                self.events.push(Reverse(Event { at: high, piece: rest, begins: true }));
            }
            self.is_cut = true;
            let together = self.counting.sum(times, here.times, is_reversed == here.is_reversed);
            self.pieces[shortest as usize].times = together;
            self.pieces[piece as usize].times = 0;
        }
        Ok(kept)
    }

    /// Cuts two neighbours on the line where they cross.
    fn compare(&mut self, at: [f64; 2], below: Option<u32>, above: Option<u32>) -> Result<(), DomainError> {
        let (Some(below), Some(above)) = (below, above) else { return Ok(()) };
        let as_edge =
            |Piece { low, high, of, .. }: Piece| Edge { a: low, b: high, ..self.edges[of as usize] };
        let [e, f] = [below, above].map(|piece| as_edge(self.piece(piece)));
        let [c, d] = [orientation(e.a, e.b, f.a), orientation(e.a, e.b, f.b)];
        let [a, b] = [orientation(f.a, f.b, e.a), orientation(f.a, f.b, e.b)];
        let Some(place) = crossing(&e, [a, b], [c, d]) else { return Ok(()) };
        let place = plain(on_lines(place, [&e, &f], self.step));
        let [first, second] = [below, above].map(|piece| self.edges[self.piece(piece).of as usize]);
        (self.visit)(&first, &second, place)?;
        for piece in [below, above] {
            let Piece { low, high, .. } = self.piece(piece);
            if place == low || place == high {
                continue;
            }
            let is_ahead = lexical(at, place).is_lt() && lexical(place, high).is_lt();
            match is_ahead.then(|| self.cut_off(piece, place)).flatten() {
                None => self.late.push((piece as usize, place)),
                Some(rest) => {
                    self.events.push(Reverse(Event { at: place, piece, begins: false }));
                    self.events.push(Reverse(Event { at: place, piece: rest, begins: true }));
                }
            }
        }
        Ok(())
    }

    /// The pieces in the order of the edges.
    fn finish(self) -> Swept {
        let Sweep { edges, pieces, late, is_cut, .. } = self;
        if !is_cut && late.is_empty() {
            return Swept { edges: edges.to_vec(), is_cut: false };
        }
        let mut numbers: Vec<usize> = (0..pieces.len()).collect();
        numbers.sort_by(|p, q| {
            let (p, q) = (&pieces[*p], &pieces[*q]);
            let along = lexical(p.low, q.low);
            p.of.cmp(&q.of).then(if p.is_reversed { along.reverse() } else { along })
        });
        let mut places = vec![0; pieces.len()];
        numbers.iter().enumerate().for_each(|(place, piece)| places[*piece] = place);
        let directed = numbers.iter().map(|number| {
            let Piece { low, high, of, is_reversed, times, .. } = pieces[*number];
            let (a, b) = if is_reversed { (high, low) } else { (low, high) };
            Edge { a, b, times, ..edges[of as usize] }
        });
        let directed: Vec<Edge> = directed.collect();
        let mut late: Vec<_> = late.into_iter().map(|(piece, place)| (places[piece], place)).collect();
        late.retain(|(piece, place)| *place != directed[*piece].a && *place != directed[*piece].b);
        Swept { edges: in_pieces(&directed, late), is_cut: true }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::repair::merged;
    use super::super::rings::{Rings, closed};
    use super::*;
    use crate::random::stream;

    fn cut(mut edges: Vec<Edge>) -> Vec<Edge> {
        for _ in 0..30 {
            edges = merged(edges, Counting::Odd);
            let swept = swept(&edges, Counting::Odd, 1e-12, &mut |_, _, _| Ok(())).unwrap();
            if !swept.is_cut {
                return swept.edges;
            }
            edges = swept.edges;
        }
        panic!("edges still cross");
    }

    /// On grids, where most vertices lie on other edges and edges run along each other, and at random: no two
    /// pieces meet but at their ends, and they enclose what the rings did.
    #[test]
    fn pieces_meet_at_their_ends_only() {
        let mut rng = stream(15, 0);
        for trial in 0..300 {
            let grid = [3.0, 6.0, 1e6][trial % 3];
            let mut draw = || (grid * rng.random::<f64>()).round() / grid;
            let rings: Vec<Vec<[f64; 2]>> =
                (0..1 + trial % 4).map(|_| (0..3 + trial % 9).map(|_| [draw(), draw()]).collect()).collect();
            let all = rings.iter().flat_map(|ring| closed(ring)).filter(|[a, b]| a != b);
            let edges: Vec<Edge> = all.map(|[a, b]| Edge { a, b, ring: 1, number: 0, times: 1 }).collect();
            let pieces = cut(edges.clone());
            for (at, e) in pieces.iter().enumerate() {
                for f in &pieces[..at] {
                    let [c, d] = [orientation(e.a, e.b, f.a), orientation(e.a, e.b, f.b)];
                    let [a, b] = [orientation(f.a, f.b, e.a), orientation(f.a, f.b, e.b)];
                    assert_eq!(crossing(e, [a, b], [c, d]), None, "{trial}");
                    for (edge, place, side) in [(e, f.a, c), (e, f.b, d), (f, e.a, a), (f, e.b, b)] {
                        let is_within = (0..2).all(|l| {
                            let (low, high) = edge.extent(l);
                            (low..=high).contains(&place[l])
                        });
                        let is_end = place == edge.a || place == edge.b;
                        assert!(side != 0.0 || !is_within || is_end, "{trial}: {e:?} {f:?}");
                    }
                }
            }
            let rings = [edges, pieces].map(|list| Rings::of_edges(list.iter().map(|e| [e.a, e.b])));
            for _ in 0..100 {
                let place = [rng.random::<f64>(), rng.random::<f64>()];
                assert_eq!(rings[0].side(place), rings[1].side(place), "{trial}: {place:?}");
            }
        }
    }
}
