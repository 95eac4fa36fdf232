//! Axes: label, range and ticks.

use crate::scale::{Extent, Scale, drawable};
use crate::text::{self, TICK_SIZE, Weight};
use crate::ticks::{self, Tick};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Log,
    Categories,
}

/// The angle of sloping labels.
pub(crate) const SLOPE: f64 = std::f64::consts::FRAC_PI_4;

/// The direction of an axis, which decides how close its labels may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Across,
    Up,
}

/// One axis of a panel. The range follows the data with a small margin unless it is given.
///
/// ```
/// use steinbound_plot::Axis;
///
/// let sizes = Axis::log("sample size").ticks(vec![100.0, 300.0, 1000.0]);
/// let coverage = Axis::linear("coverage").range(0.8, 1.0).percent();
/// let dimensions = Axis::categories("dimension", vec!["2", "3", "5"]);   // at 0, 1, 2
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    kind: Kind,
    range: Option<(f64, f64)>,
    ticks: Option<Vec<f64>>,
    names: Option<Vec<String>>,
    from_zero: bool,
    percent: bool,
}

impl Axis {
    fn new(label: String, kind: Kind) -> Axis {
        Axis { label, kind, range: None, ticks: None, names: None, from_zero: false, percent: false }
    }

    /// An axis with even steps.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis::new(label.into(), Kind::Linear)
    }

    /// A logarithmic axis; numbers that are not positive are left out.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis::new(label.into(), Kind::Log)
    }

    /// Names at 0, 1, 2 and so on.
    pub fn categories<N: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = N>) -> Axis {
        let names = names.into_iter().map(Into::into).collect();
        Axis { names: Some(names), ..Axis::new(label.into(), Kind::Categories) }
    }

    /// Sets the range to exactly `low` to `high`. An end that is not a number, or not positive on a
    /// logarithmic axis, follows the data.
    pub fn range(mut self, low: f64, high: f64) -> Axis {
        self.range = Some((low, high));
        self
    }

    /// Sets the positions of all ticks.
    pub fn ticks(mut self, places: Vec<f64>) -> Axis {
        self.ticks = Some(places);
        self
    }

    /// Sets the labels at the positions given by [`Axis::ticks`], or at 0, 1, 2 and so on.
    pub fn tick_labels<N: Into<String>>(mut self, labels: impl IntoIterator<Item = N>) -> Axis {
        self.names = Some(labels.into_iter().map(Into::into).collect());
        self
    }

    /// Lets a linear axis begin at zero, or end there if all numbers are negative; slightly beyond if there
    /// are points at zero.
    pub fn from_zero(mut self) -> Axis {
        self.from_zero = true;
        self
    }

    /// Writes 0.25 as 25%.
    pub fn percent(mut self) -> Axis {
        self.percent = true;
        self
    }

    pub(crate) fn is_log(&self) -> bool {
        self.kind == Kind::Log
    }

    /// Whether a panel may widen the range to keep its aspect.
    pub(crate) fn may_widen(&self) -> bool {
        self.kind == Kind::Linear && self.range.is_none()
    }

    /// Ends of the axis for data of this extent, in logarithms on a logarithmic axis.
    pub(crate) fn bounds(&self, extent: &Extent) -> (f64, f64) {
        let mut bounds = match self.kind {
            Kind::Categories => (-0.5, self.names.as_ref().map_or(1, Vec::len).max(1) as f64 - 0.5),
            _ => extent.bounds().unwrap_or((0.0, 1.0)),
        };
        if self.from_zero && self.kind == Kind::Linear {
            // Points at zero keep their margin, since the frame would cut their markers.
            if extent.all_above_zero() && !extent.has_point_near_zero() {
                bounds.0 = 0.0;
            } else if extent.all_below_zero() && !extent.has_point_near_zero() {
                bounds.1 = 0.0;
            }
        }
        if let Some((low, high)) = self.range {
            let place = |value: f64| match self.is_log() {
                true => (drawable(value) && value >= 1e-150).then(|| value.log10()),
                false => drawable(value).then_some(value),
            };
            bounds = (place(low).unwrap_or(bounds.0), place(high).unwrap_or(bounds.1));
            if bounds.0 > bounds.1 {
                bounds = (bounds.1, bounds.0);
            }
        }
        apart(bounds, self.is_log(), self.from_zero)
    }

    /// The axis with its ticks, on `length` pixels.
    pub(crate) fn scale(&self, (low, high): (f64, f64), length: f64, direction: Direction) -> Scale {
        let bare =
            Scale { log: self.is_log(), low, high, ticks: Vec::new(), minor: Vec::new(), sloping: false };
        if let Some(ticks) = self.given_ticks() {
            let inside =
                |tick: &Tick| bare.part(tick.value).is_some_and(|part| (-1e-9..=1.0 + 1e-9).contains(&part));
            let mut scale = Scale { ticks: ticks.into_iter().filter(inside).collect(), ..bare };
            // Names cannot be left out as numbers can, so they are sloped instead.
            scale.sloping =
                self.names.is_some() && direction == Direction::Across && !fits(&scale, length, direction, 1);
            return thinned(scale, length, direction);
        }
        // Pixels from one tick to the next. On logarithmic axes the steps are uneven, so their mean can be
        // smaller.
        let spacing = match (direction, self.kind) {
            (Direction::Across, Kind::Log) => 30.0,
            (Direction::Across, _) => 36.0,
            (Direction::Up, _) => 23.0,
        };
        let mut most = ((length / spacing) as usize).clamp(2, 7);
        loop {
            let (ticks, minor) = match self.kind {
                Kind::Log => ticks::logarithmic(10_f64.powf(low), 10_f64.powf(high), most),
                _ => (ticks::linear(low, high, most, self.percent), Vec::new()),
            };
            let scale = Scale { ticks, minor, ..bare.clone() };
            if most == 2 || fits(&scale, length, direction, 1) {
                return thinned(scale, length, direction);
            }
            most -= 1;
        }
    }

    fn given_ticks(&self) -> Option<Vec<Tick>> {
        let named = |places: &[f64], names: &[String]| {
            let label = |index: usize| names.get(index).cloned().unwrap_or_default();
            places.iter().enumerate().map(|(index, &value)| Tick { value, label: label(index) }).collect()
        };
        match (&self.ticks, &self.names) {
            (Some(places), Some(labels)) => Some(named(places, labels)),
            (None, Some(labels)) => {
                let places: Vec<f64> = (0..labels.len()).map(|index| index as f64).collect();
                Some(named(&places, labels))
            }
            (Some(places), None) if self.percent => {
                let shown: Vec<f64> = places.iter().map(|place| 100.0 * place).collect();
                let ticks = ticks::labelled(&shown).into_iter().zip(places);
                Some(ticks.map(|(tick, &value)| Tick { value, label: format!("{}%", tick.label) }).collect())
            }
            (Some(places), None) => Some(ticks::labelled(places)),
            (None, None) => None,
        }
    }
}

/// Two ends far enough apart for numbers between them to be distinguishable.
fn apart((low, high): (f64, f64), log: bool, from_zero: bool) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    let least = if log { 1e-6 } else { (1e-9 * largest).max(1e-140) };
    if high - low >= least {
        return (low, high);
    }
    if log {
        return (low - 0.3, high + 0.3);
    }
    let half = if largest < 1e-140 { 0.5 } else { 0.1 * largest };
    if from_zero && largest < 1e-140 { (0.0, 1.0) } else { (low - half, high + half) }
}

/// Whether every `stride`-th label has room.
fn fits(scale: &Scale, length: f64, direction: Direction, stride: usize) -> bool {
    let place = |tick: &Tick| scale.part(tick.value).unwrap_or(0.0) * length;
    let half = |tick: &Tick| match direction {
        // Sloping lines of text can be as close as their height allows.
        Direction::Across if scale.sloping => 0.48 * TICK_SIZE / SLOPE.sin(),
        Direction::Across => text::width(&tick.label, TICK_SIZE, Weight::Regular) / 2.0 + 4.0,
        Direction::Up => TICK_SIZE * 0.6,
    };
    let mut spans: Vec<(f64, f64)> = scale
        .ticks
        .iter()
        .step_by(stride)
        .filter(|tick| !tick.label.is_empty())
        .map(|tick| (place(tick) - half(tick), place(tick) + half(tick)))
        .collect();
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    spans.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}

/// The scale with only every n-th label, so that none overlap; all ticks remain.
fn thinned(mut scale: Scale, length: f64, direction: Direction) -> Scale {
    let count = scale.ticks.len();
    let stride = (1..=count).find(|&stride| fits(&scale, length, direction, stride)).unwrap_or(1);
    for (index, tick) in scale.ticks.iter_mut().enumerate() {
        if index % stride != 0 {
            tick.label.clear();
        }
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(values: &[f64], log: bool) -> Extent {
        let mut extent = Extent::new(log);
        values.iter().for_each(|&value| extent.point(value));
        extent
    }

    #[test]
    fn ranges_follow_the_data_or_what_was_asked() {
        let data = extent(&[2.0, 12.0], false);
        let axis = Axis::linear("");
        assert_eq!(axis.bounds(&data), (1.5, 12.5));
        assert_eq!(axis.clone().from_zero().bounds(&data), (0.0, 12.5));
        assert_eq!(axis.clone().from_zero().bounds(&extent(&[0.5, 20.5], false)).0, 0.0);
        assert_eq!(axis.clone().from_zero().bounds(&extent(&[0.0, 20.0], false)).0, -1.0);
        assert_eq!(axis.clone().from_zero().bounds(&extent(&[-3.0, -0.2], false)).1, 0.0);
        assert_eq!(axis.clone().range(5.0, 3.0).bounds(&data), (3.0, 5.0));
        assert_eq!(axis.clone().range(0.0, f64::NAN).bounds(&data), (0.0, 12.5));
        assert_eq!(Axis::log("").range(0.0, 100.0).bounds(&extent(&[1.0, 10.0], true)), (-0.05, 2.0));
        assert_eq!(Axis::categories("", ["a", "b", "c"]).bounds(&data), (-0.5, 2.5));
    }

    #[test]
    fn a_single_value_still_has_room_around_it() {
        for (axis, value) in [
            (Axis::linear(""), 0.0),
            (Axis::linear(""), -7.0),
            (Axis::log(""), 3.0),
            (Axis::linear("").from_zero(), 0.0),
        ] {
            let (low, high) = axis.bounds(&extent(&[value], axis.is_log()));
            let place = if axis.is_log() { value.log10() } else { value };
            assert!(low <= place && place < high, "{axis:?}");
            assert!(axis.scale((low, high), 200.0, Direction::Across).ticks.len() >= 2, "{axis:?}");
        }
        assert_eq!(Axis::linear("").bounds(&extent(&[], false)), (0.0, 1.0));
    }

    #[test]
    fn some_label_is_always_left() {
        let long: Vec<String> = (0..30).map(|index| format!("category {index}")).collect();
        let axes = [
            Axis::categories("", long),
            Axis::linear("").range(1e6, 1e6 + 1.0),
            Axis::log("").range(1e-9, 1e9),
        ];
        for axis in axes {
            for length in [30.0, 120.0, 500.0] {
                for direction in [Direction::Across, Direction::Up] {
                    let scale =
                        axis.scale(axis.bounds(&extent(&[0.5, 90.0], axis.is_log())), length, direction);
                    assert!(scale.ticks.iter().any(|tick| !tick.label.is_empty()), "{scale:?}");
                }
            }
        }
    }

    #[test]
    fn names_slope_before_they_are_left_out() {
        let axis = Axis::categories("", ["bd-KSD (exact)", "bd-KSD (approximate)", "truncated MLE"]);
        let scale = |length| axis.scale((-0.5, 2.5), length, Direction::Across);
        assert!(!scale(600.0).sloping && scale(120.0).sloping);
        assert!(scale(120.0).ticks.iter().all(|tick| !tick.label.is_empty()));
    }

    #[test]
    fn given_ticks_outside_the_range_are_left_out() {
        let axis = Axis::linear("").range(0.0, 1.0).ticks(vec![-1.0, 0.0, 0.5, 1.0, 3.0]).percent();
        let scale = axis.scale((0.0, 1.0), 400.0, Direction::Across);
        let labels: Vec<&str> = scale.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0%", "50%", "100%"]);
    }
}
