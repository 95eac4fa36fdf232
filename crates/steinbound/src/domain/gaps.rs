//! Stretches of a boundary that have no points, where the boundary is known by points alone.

use super::spanning_tree::{End, SpanningTree};
use crate::points::{Points, squared_distance};

/// A stretch without boundary points that has observations close to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gap {
    /// The boundary point at which the stretch begins.
    pub(crate) from: Vec<f64>,
    /// The boundary point at which it ends, if that is known.
    pub(crate) to: Option<Vec<f64>>,
    /// Its length from one to the other; without an end, how far the observations are at most.
    pub(crate) length: f64,
    /// Its length in units of the usual distance between neighbouring boundary points.
    pub(crate) times: f64,
    /// The number of observations close to its middle.
    pub(crate) observations: usize,
}

/// A distance between neighbouring points counts as a gap from this multiple of the median on.
const LONG: f64 = 6.0;

/// Points that were drawn independently have distances with an exponential tail. What chance would exceed in
/// one of exp(9) boundaries counts as a gap; as the tail is measured, that is one of 300 for 60 random points
/// on circles and squares and one of 100 on the border of the United States, and fewer for more points.
const RARE: f64 = 9.0;

/// The share of the distances above the median that is left out at the top when their tail is measured, since
/// gaps may be among them, and the mean of the others for an exponential tail of mean one.
const TRIMMED: (f64, f64) = (0.1, 0.744);

/// How far to look beyond the end of a chain, in units of the kernel's width or the longest distance between
/// neighbours: observations have to be found there.
const BEYOND: f64 = 4.0;

/// The least number of observations that makes a gap worth a warning, and their least share: the bias comes
/// from the density at the boundary.
const LEAST: (usize, f64) = (3, 0.005);

/// The stretches of a boundary in the plane that have no points and observations close to them, the longest
/// first. The widths are those of the kernel along the two coordinates: a shorter stretch does no harm.
///
/// A stretch is seen by its ends: a chain of neighbouring points that ends, with no further points beyond. So
/// islands and holes, whose points are closed chains, are no gaps, however far they are apart.
pub(crate) fn gaps(boundary: &Points, data: &Points, widths: &[f64]) -> Vec<Gap> {
    let is_plane = boundary.dimension() == 2 && data.dimension() == 2 && widths.len() == 2;
    if !is_plane || !widths.iter().all(|width| *width > 0.0 && width.is_finite()) {
        return Vec::new();
    }
    let flat = |points: &Points| -> Vec<[f64; 2]> {
        points.rows().map(|row| [row[0] / widths[0], row[1] / widths[1]]).collect()
    };
    let (places, seen) = (flat(boundary), flat(data));
    let tree = SpanningTree::of(&places);
    let Some((usual, longest)) = spacing(tree.lengths()) else { return Vec::new() };
    let least = LEAST.0.max((LEAST.1 * seen.len() as f64).ceil() as usize);
    let count = |points: &[[f64; 2]], strip: &Strip| points.iter().filter(|x| strip.contains(**x)).count();
    let mut ends = tree.open_ends(&places, longest);
    let mut found = Vec::new();
    // The nearest ends belong together, unless there are points on the way from one to the other.
    for (i, j) in pairs(&ends, &places) {
        let strip = Strip::between(places[i], places[j]);
        if !has(&ends, i) || !has(&ends, j) || count(&places, &strip) > 0 {
            continue;
        }
        ends.retain(|end| end.at != i && end.at != j);
        let observations = count(&seen, &strip);
        if strip.length > 1.0 && observations >= least {
            let (from, to) = (boundary.row(i).to_vec(), boundary.row(j).to_vec());
            let length = squared_distance(&from, &to).sqrt();
            found.push(Gap { from, to: Some(to), length, times: strip.length / usual, observations });
        }
    }
    for End { at, direction } in ends {
        let strip = Strip::beyond(places[at], direction, BEYOND * longest.max(1.0));
        let observations = count(&seen, &strip);
        if count(&places, &strip) == 0 && observations >= least {
            let step = direction.iter().zip(widths).map(|(u, width)| (u * width).powi(2)).sum::<f64>().sqrt();
            let (from, length) = (boundary.row(at).to_vec(), 0.75 * strip.length * step);
            found.push(Gap { from, to: None, length, times: 0.75 * strip.length / usual, observations });
        }
    }
    found.sort_by(|a, b| b.times.total_cmp(&a.times));
    found
}

/// The median distance between neighbouring points, and the longest that is no gap. `None` for too few points
/// to know.
fn spacing(mut lengths: Vec<f64>) -> Option<(f64, f64)> {
    if lengths.len() < 8 {
        return None;
    }
    lengths.sort_by(f64::total_cmp);
    let upper = &lengths[lengths.len() / 2..];
    let median = upper[0];
    let kept = &upper[..((1.0 - TRIMMED.0) * upper.len() as f64).ceil() as usize];
    let excess = kept.iter().map(|length| length - median).sum::<f64>() / kept.len() as f64 / TRIMMED.1;
    let rare = median + excess * ((upper.len() as f64).ln() + RARE);
    (median > 0.0 && rare.is_finite()).then(|| (median, rare.max(LONG * median)))
}

fn has(ends: &[End], at: usize) -> bool {
    ends.iter().any(|end| end.at == at)
}

/// All pairs of ends, the nearest first.
fn pairs(ends: &[End], places: &[[f64; 2]]) -> Vec<(usize, usize)> {
    let apart = |(i, j): &(usize, usize)| squared_distance(&places[*i], &places[*j]);
    let others = |k: usize| ends[..k].iter().map(move |other| (other.at, ends[k].at));
    let mut all: Vec<(usize, usize)> = (0..ends.len()).flat_map(others).collect();
    all.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
    all
}

/// The surroundings of a segment without its ends: what is next to its middle half.
struct Strip {
    middle: [f64; 2],
    direction: [f64; 2],
    length: f64,
}

impl Strip {
    fn between(a: [f64; 2], b: [f64; 2]) -> Strip {
        let length = squared_distance(&a, &b).sqrt();
        let direction = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        Strip { middle: [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])], direction, length }
    }

    fn beyond(a: [f64; 2], direction: [f64; 2], length: f64) -> Strip {
        let middle = [a[0] + 0.5 * length * direction[0], a[1] + 0.5 * length * direction[1]];
        Strip { middle, direction, length }
    }

    /// Within a quarter of the length to all sides, and within the kernel's width of the segment.
    fn contains(&self, x: [f64; 2]) -> bool {
        let [dx, dy] = [x[0] - self.middle[0], x[1] - self.middle[1]];
        let along = dx * self.direction[0] + dy * self.direction[1];
        let across = dy * self.direction[0] - dx * self.direction[1];
        along.abs() <= 0.25 * self.length && across.abs() <= (0.25 * self.length).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use rand::RngExt;

    use super::*;
    use crate::domain::{Ball, BoundarySampling, Cuboid, Domain, contiguous_united_states};
    use crate::random::stream;

    /// Points on a circle, at these shares of it.
    fn circle(center: f64, radius: f64, shares: impl Iterator<Item = f64>) -> Vec<[f64; 2]> {
        shares.map(|t| (TAU * t).sin_cos()).map(|(y, x)| [center + radius * x, radius * y]).collect()
    }

    fn even(count: usize) -> impl Iterator<Item = f64> {
        (0..count).map(move |i| i as f64 / count as f64)
    }

    /// Points of the plane within these distances of a center.
    fn ring(center: f64, from: f64, to: f64, count: usize) -> Vec<[f64; 2]> {
        let mut rng = stream(5, count as u64);
        let place = || [0, 1].map(|_| 2.0 * to * rng.random::<f64>() - to);
        let places = std::iter::repeat_with(place);
        let inside = places.filter(|[x, y]| (from..to).contains(&x.hypot(*y)));
        inside.map(|[x, y]| [center + x, y]).take(count).collect()
    }

    fn found(boundary: &[[f64; 2]], data: &[[f64; 2]], width: f64) -> Vec<Gap> {
        gaps(&Points::from_rows(boundary).unwrap(), &Points::from_rows(data).unwrap(), &[width; 2])
    }

    #[test]
    fn a_missing_arc_is_found_where_it_is() {
        let data = ring(0.0, 0.0, 1.0, 400);
        let mut rng = stream(3, 0);
        let random: Vec<f64> = (0..80).map(|_| 0.8 * rng.random::<f64>()).collect();
        for shares in [even(80).map(|t| 0.8 * t).collect(), random] {
            let [gap] = &found(&circle(0.0, 1.0, shares.into_iter()), &data, 0.8)[..] else {
                panic!("one gap")
            };
            let near = |place: &[f64], share: f64| {
                let (y, x) = (TAU * share).sin_cos();
                (place[0] - x).hypot(place[1] - y) < 0.1
            };
            let to = gap.to.as_deref().unwrap();
            assert!(near(&gap.from, 0.0) || near(&gap.from, 0.8), "{gap:?}");
            assert!(near(to, 0.0) || near(to, 0.8), "{gap:?}");
            assert!((gap.length - 2.0 * (0.2 * PI).sin()).abs() < 0.15 && gap.times > LONG, "{gap:?}");
            assert!(gap.observations > 10, "{gap:?}");
        }
        // The kernel spans it.
        let most: Vec<[f64; 2]> = circle(0.0, 1.0, even(80).map(|t| 0.8 * t));
        assert_eq!(found(&most, &data, 1.5), []);
        // Nobody is there.
        assert_eq!(found(&most, &ring(-0.5, 0.0, 0.5, 400), 0.8), []);
    }

    #[test]
    fn closed_chains_have_no_gaps_between_them() {
        let islands = [circle(-4.0, 1.0, even(60)), circle(4.0, 1.0, even(60))].concat();
        assert_eq!(found(&islands, &[ring(-4.0, 0.0, 1.0, 200), ring(4.0, 0.0, 1.0, 200)].concat(), 0.5), []);
        let near = [circle(-1.5, 1.0, even(60)), circle(1.5, 1.0, even(60))].concat();
        assert_eq!(found(&near, &[ring(-1.5, 0.0, 1.0, 200), ring(1.5, 0.0, 1.0, 200)].concat(), 0.5), []);
        let hole = [circle(0.0, 1.0, even(40)), circle(0.0, 3.0, even(120))].concat();
        assert_eq!(found(&hole, &ring(0.0, 1.0, 3.0, 400), 0.5), []);
    }

    #[test]
    fn chains_that_end_are_followed_beyond_their_ends() {
        let data: Vec<[f64; 2]> = ring(0.0, 0.0, 3.0, 800).into_iter().filter(|[x, _]| *x > 0.0).collect();
        let line = |top: f64| -> Vec<[f64; 2]> {
            even(60).map(|t| [0.0, 5.0 * t * (top + 3.0) / 5.0 - 3.0]).collect()
        };
        assert_eq!(found(&line(3.0), &data, 0.5), []);
        let [gap] = &found(&line(0.0), &data, 0.5)[..] else { panic!("one gap") };
        assert!(gap.to.is_none() && gap.from[1].abs() < 0.1 && gap.observations >= 3, "{gap:?}");
    }

    /// Complete boundaries with points at random: at most one alarm in a hundred.
    #[test]
    fn complete_boundaries_have_no_gaps() {
        let domains: [Box<dyn Domain>; 3] = [
            Box::new(Ball::new(1.0).unwrap().in_dimension(2)),
            Box::new(Cuboid::uniform(-1.0, 1.0, 2).unwrap()),
            Box::new(contiguous_united_states().unwrap()),
        ];
        let (mut alarms, mut tried) = (Vec::new(), 0);
        for (k, domain) in domains.iter().enumerate() {
            let bounds = domain.bounds();
            let mut rng = stream(7, k as u64);
            let place = || bounds.iter().map(|(a, b)| a + (b - a) * rng.random::<f64>()).collect::<Vec<_>>();
            let inside = std::iter::repeat_with(place).filter(|x| domain.contains(x)).take(400);
            let data = Points::from_rows(&inside.collect::<Vec<_>>()).unwrap();
            for (count, width) in [(60, 0.5), (60, 0.05), (100, 0.5), (100, 0.05), (400, 0.05)] {
                let widths = [width * (bounds[0].1 - bounds[0].0); 2];
                for seed in 0..20 {
                    let sampling = BoundarySampling::new(count);
                    let boundary = domain.sample_boundary(&sampling, &mut stream(seed, 1)).unwrap();
                    alarms.extend(gaps(&boundary, &data, &widths));
                    tried += 1;
                }
            }
        }
        assert!(100 * alarms.len() <= tried, "{} of {tried}: {alarms:?}", alarms.len());
    }

    #[test]
    fn other_boundaries_are_not_looked_at() {
        let few = circle(0.0, 1.0, [0.0, 0.1, 0.2].into_iter());
        assert_eq!(found(&few, &ring(0.0, 0.0, 1.0, 50), 0.1), []);
        assert_eq!(found(&[[1.0, 2.0]; 30], &ring(0.0, 0.0, 1.0, 50), 0.1), []);
        let line = Points::from_rows(&[[0.0], [1.0]]).unwrap();
        assert_eq!(gaps(&line, &line, &[1.0]), []);
    }
}
