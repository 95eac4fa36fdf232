//! From numbers to positions: the extent of data, and the scale of an axis.

use crate::ticks::Tick;

/// Whether a number can be placed on an axis. Beyond 1e150 spans overflow.
pub(crate) fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= 1e150
}

/// The range of numbers along one axis.
#[derive(Debug, Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    const EMPTY: Span = Span { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn include(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn is_empty(&self) -> bool {
        self.low > self.high
    }
}

/// The extent of a panel's marks along one axis. Points get a margin; edges of areas may touch the frame.
#[derive(Debug, Clone)]
pub(crate) struct Extent {
    log: bool,
    points: Span,
    edges: Span,
}

impl Extent {
    pub(crate) fn new(log: bool) -> Extent {
        Extent { log, points: Span::EMPTY, edges: Span::EMPTY }
    }

    fn place(&self, value: f64) -> Option<f64> {
        match (drawable(value), self.log) {
            (false, _) => None,
            (true, false) => Some(value),
            (true, true) => (value >= 1e-150).then(|| value.log10()),
        }
    }

    pub(crate) fn has_place(&self, value: f64) -> bool {
        self.place(value).is_some()
    }

    /// A point, which should not lie on the frame.
    pub(crate) fn point(&mut self, value: f64) {
        if let Some(place) = self.place(value) {
            self.points.include(place);
        }
    }

    /// The edge of an area, which may lie on the frame.
    pub(crate) fn edge(&mut self, value: f64) {
        if let Some(place) = self.place(value) {
            self.edges.include(place);
        }
    }

    /// Whether areas determine the range, so that it should not be widened.
    pub(crate) fn is_tight(&self) -> bool {
        !self.edges.is_empty() && self.edges.low <= self.points.low && self.edges.high >= self.points.high
    }

    /// Whether there are data and none of them are negative.
    pub(crate) fn all_above_zero(&self) -> bool {
        self.bounds().is_some() && self.points.low.min(self.edges.low) >= 0.0
    }

    /// Whether a point's marker would reach beyond zero.
    pub(crate) fn has_point_near_zero(&self) -> bool {
        let span = self.points.high - self.points.low;
        self.points.low.abs().min(self.points.high.abs()) < 0.02 * span
            && !(self.edges.low <= 0.0 && self.edges.high >= 0.0)
    }

    /// Whether there are data and none of them are positive.
    pub(crate) fn all_below_zero(&self) -> bool {
        self.bounds().is_some() && self.points.high.max(self.edges.high) <= 0.0
    }

    /// Lower and upper end, in logarithms on a logarithmic axis; `None` without data.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        let (points, edges) = (self.points, self.edges);
        if points.is_empty() && edges.is_empty() {
            return None;
        }
        let span = points.high.max(edges.high) - points.low.min(edges.low);
        let margin = 0.05 * span;
        let low = if edges.low <= points.low { edges.low } else { points.low - margin };
        let high = if edges.high >= points.high { edges.high } else { points.high + margin };
        Some((low, high))
    }
}

/// An axis with final range and ticks.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    pub(crate) log: bool,
    /// Ends of the range, in logarithms on a logarithmic axis.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<Tick>,
    pub(crate) minor: Vec<f64>,
    /// Whether labels slope because they would not fit next to each other.
    pub(crate) sloping: bool,
}

impl Scale {
    /// The relative position of a number: 0 at the lower end, 1 at the upper; `None` if it cannot be drawn.
    pub(crate) fn part(&self, value: f64) -> Option<f64> {
        if !drawable(value) || (self.log && value <= 0.0) {
            return None;
        }
        let place = if self.log { value.log10() } else { value };
        Some((place - self.low) / (self.high - self.low))
    }
}

/// A rectangle on the page in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Frame {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Whether a point lies inside or at most `slack` pixels away.
    pub(crate) fn holds(&self, (x, y): (f64, f64), slack: f64) -> bool {
        x >= self.left - slack
            && x <= self.right() + slack
            && y >= self.top - slack
            && y <= self.bottom() + slack
    }
}

/// The largest distance of a coordinate from the page, in pixels; beyond it renderers lose precision.
const FAR: f64 = 20_000.0;

/// A frame with its two scales.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) frame: Frame,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

impl View {
    pub(crate) fn across(&self, x: f64) -> Option<f64> {
        Some((self.frame.left + self.x.part(x)? * self.frame.width).clamp(-FAR, FAR))
    }

    pub(crate) fn down(&self, y: f64) -> Option<f64> {
        Some((self.frame.bottom() - self.y.part(y)? * self.frame.height).clamp(-FAR, FAR))
    }

    pub(crate) fn point(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.across(x)?, self.down(y)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_get_a_margin_and_edges_none() {
        let mut extent = Extent::new(false);
        assert_eq!(extent.bounds(), None);
        for value in [1.0, 11.0, f64::NAN, f64::INFINITY, 1e200] {
            extent.point(value);
        }
        assert_eq!(extent.bounds(), Some((0.5, 11.5)));
        extent.edge(0.0);
        extent.edge(5.0);
        let (low, high) = extent.bounds().expect("data");
        assert!(low == 0.0 && high > 11.0 && !extent.is_tight());
        extent.edge(11.0);
        assert_eq!(extent.bounds(), Some((0.0, 11.0)));
        assert!(extent.is_tight());
    }

    #[test]
    fn logarithms_leave_out_what_is_not_above_zero() {
        let mut extent = Extent::new(true);
        for value in [-1.0, 0.0, 0.1, 100.0] {
            extent.edge(value);
        }
        assert_eq!(extent.bounds(), Some((-1.0, 2.0)));
    }

    #[test]
    fn the_view_turns_numbers_into_pixels() {
        let scale =
            |log, low, high| Scale { log, low, high, ticks: Vec::new(), minor: Vec::new(), sloping: false };
        let frame = Frame { left: 10.0, top: 20.0, width: 100.0, height: 50.0 };
        let view = View { frame, x: scale(false, 0.0, 2.0), y: scale(true, -1.0, 1.0) };
        assert_eq!(view.point((1.0, 1.0)), Some((60.0, 45.0)));
        assert_eq!(view.point((0.0, 10.0)), Some((10.0, 20.0)));
        assert_eq!(view.point((1.0, -1.0)), None);
        assert_eq!(view.point((f64::NAN, 1.0)), None);
        assert_eq!(view.across(1e100), Some(FAR));
    }
}
