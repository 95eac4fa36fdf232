use super::rings::Edges;

/// The area that edges enclose by the even-odd rule.
///
/// Between two neighbouring levels at which edges begin or end, no edges cross, so the area of that strip is
/// its width half-way up times its height. Unlike sums of the areas of single rings, this also holds where
/// rings touch or pass through each other at vertices. Levels are taken along the axis on which strips
/// contain fewer edges.
pub(super) fn enclosed_area(edges: &Edges) -> f64 {
    let upright = Segments::new([&edges.x, &edges.y, &edges.end_x, &edges.end_y]);
    let lying = Segments::new([&edges.y, &edges.x, &edges.end_y, &edges.end_x]);
    if lying.work() < upright.work() { lying.area() } else { upright.area() }
}

/// A segment as `(level, place)` of its lower and its upper end.
struct Segments(Vec<[(f64, f64); 2]>);

impl Segments {
    fn new([places, levels, end_places, end_levels]: [&[f64]; 4]) -> Segments {
        let starts = levels.iter().copied().zip(places.iter().copied());
        let ends = end_levels.iter().copied().zip(end_places.iter().copied());
        let ordered = starts.zip(ends).map(|(a, b)| if a.0 <= b.0 { [a, b] } else { [b, a] });
        let mut segments: Vec<_> = ordered.filter(|[low, high]| low.0 < high.0).collect();
        segments.sort_by(|s, t| s[0].0.total_cmp(&t[0].0));
        Segments(segments)
    }

    /// The average number of segments in a strip.
    fn work(&self) -> f64 {
        let heights: f64 = self.0.iter().map(|[low, high]| high.0 - low.0).sum();
        let ends = self.0.iter().flatten().map(|end| end.0);
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        heights / (high - low)
    }

    fn area(&self) -> f64 {
        let mut levels: Vec<f64> = self.0.iter().flatten().map(|end| end.0).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let mut waiting = self.0.iter().peekable();
        let mut active: Vec<[(f64, f64); 2]> = Vec::new();
        let mut places = Vec::new();
        let mut area = 0.0;
        for slab in levels.windows(2) {
            active.retain(|[_, high]| high.0 > slab[0]);
            while let Some(segment) = waiting.next_if(|[low, _]| low.0 <= slab[0]) {
                active.push(*segment);
            }
            let middle = 0.5 * (slab[0] + slab[1]);
            places.clear();
            places.extend(
                active
                    .iter()
                    .map(|[low, high]| low.1 + (middle - low.0) / (high.0 - low.0) * (high.1 - low.1)),
            );
            places.sort_by(f64::total_cmp);
            let width: f64 = places.chunks_exact(2).map(|pair| pair[1] - pair[0]).sum();
            area += width * (slab[1] - slab[0]);
        }
        area
    }
}
