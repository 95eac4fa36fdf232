//! A regression whose response is seen only between limits.

use statrs::function::erf::erfc;
use steinbound::regression::PreparedRegression;
use steinbound::{Fit, Points};
use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

use super::{BARS, WIDTH, edge, fitted, observed};
use crate::Picture;
use crate::scene::some_of;

/// An observation: its response, limits, and the mean and standard deviation of the untruncated response.
struct Observation {
    response: f64,
    limits: (f64, f64),
    mean: f64,
    deviation: f64,
}

impl Observation {
    fn standard(&self, value: f64) -> f64 {
        (value - self.mean) / self.deviation
    }

    /// The probability of a smaller response among those that can be seen: even from 0 to 1 if the model
    /// holds.
    fn rank(&self) -> f64 {
        let [low, high] = [self.limits.0, self.limits.1].map(|limit| self.standard(limit));
        let whole = probability(low, high);
        if whole > 0.0 {
            return probability(low, self.standard(self.response)) / whole;
        }
        // So far in a tail all that is seen lies at the limit on the side of the mean.
        f64::from(u8::from(self.response > self.seen_mean()))
    }

    /// The mean of those responses that can be seen.
    fn seen_mean(&self) -> f64 {
        let [low, high] = [self.limits.0, self.limits.1].map(|limit| self.standard(limit));
        let height = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let whole = probability(low, high);
        if whole > 0.0 {
            return self.mean + self.deviation * (height(low) - height(high)) / whole;
        }
        if low > 0.0 { self.limits.0 } else { self.limits.1 }
    }
}

/// The probability of a standard normal number between two others, in the tail where it is small.
fn probability(low: f64, high: f64) -> f64 {
    let beyond = |z: f64| 0.5 * erfc(z / std::f64::consts::SQRT_2);
    if low > 0.0 { beyond(low) - beyond(high) } else { beyond(-high) - beyond(-low) }
}

/// Responses over what the regression expects of them, with and without the truncation, and their ranks among
/// the responses that could have been seen. `None` where the fit has no standard deviation.
pub fn regression(prepared: &PreparedRegression, fit: &Fit) -> Option<Picture> {
    let observation = |x: &[f64]| {
        let (mean, deviation) = prepared.response(x, fit)?;
        Some(Observation { response: x[0], limits: prepared.limits_at(x).limits, mean, deviation })
    };
    let points: &Points = &prepared.points;
    let all: Vec<Observation> = points.rows().map(observation).collect::<Option<_>>()?;
    let shown: Vec<&Observation> = some_of(all.len()).into_iter().map(|i| &all[i]).collect();
    let left = responses(&shown, &points.names()[0]);
    let edges = steps(0.0, 1.0, 11);
    let weights = points.weights();
    // A censored response has no rank: it lies at a limit, beyond which it would have been.
    let is_between =
        |o: &Observation| prepared.censored.is_none() || (o.limits.0 < o.response && o.response < o.limits.1);
    let between = || all.iter().zip(weights.iter()).filter(|(o, _)| is_between(o));
    let total: f64 = between().map(|(_, w)| *w).sum();
    let ranks = between().map(|(o, w)| (o.rank(), 10.0 * w / total));
    let right = Panel::new(
        Axis::linear("rank among what could be seen").range(0.0, 1.0),
        Axis::linear("share, 1 if even").from_zero(),
    )
    .title("(b) ranks")
    .histogram(edges.clone(), histogram(ranks, &edges), Style::new(BARS))
    .horizontal(1.0, fitted());
    let common = common_limits(&shown);
    let mut legend =
        vec![Entry::marker("responses", observed(shown.len())), Entry::line("expected", fitted())];
    let (entry, which): (fn(&'static str, Style) -> Entry, _) = match common {
        Some(_) => (Entry::line, "where the dashed line is"),
        None => (Entry::marker, "where the vermillion dots are"),
    };
    let is_limited = shown.iter().any(|o| o.limits.0.is_finite() || o.limits.1.is_finite());
    if is_limited {
        legend.push(entry("expected of those seen", if common.is_some() { seen() } else { dots() }));
    }
    if is_limited && common.is_some() {
        legend.push(Entry::line("limit", edge()));
    }
    let figure = Figure::new(WIDTH).row_weighted(330.0, vec![(1.5, left), (1.0, right)]).legend(legend);
    let average = if is_limited { format!("; what is seen is on average {which}") } else { String::new() };
    let caption = format!(
        "(a) Responses over the expected untruncated response (the line has slope one){average}. (b) Ranks of the responses \
         among those that could have been seen, by the fitted normal distribution between the limits; the bars should be even."
    );
    Some(Picture::new(figure.id("regression"), caption))
}

fn seen() -> Style {
    Style::new(Color::VERMILLION).dashed()
}

/// Responses over their expectations.
fn responses(shown: &[&Observation], name: &str) -> Panel {
    let (low, high) = range(shown.iter().map(|o| o.mean));
    let look = observed(shown.len());
    let points = shown.iter().map(|o| (o.mean, o.response)).collect();
    let mut panel = Panel::new(Axis::linear(format!("expected {name}")), Axis::linear(name))
        .title("(a) responses")
        .points(points, look)
        .line(vec![(low, low), (high, high)], fitted());
    match common_limits(shown) {
        Some(limits) if limits.0.is_finite() || limits.1.is_finite() => {
            for limit in [limits.0, limits.1].into_iter().filter(|limit| limit.is_finite()) {
                panel = panel.horizontal(limit, edge());
            }
            let at = |mean: f64| Observation { response: mean, limits, mean, deviation: shown[0].deviation };
            let line = steps(low, high, 101).into_iter().map(|mean| (mean, at(mean).seen_mean())).collect();
            panel.line(line, seen())
        }
        Some(_) => panel,
        // Limits of their own for every response have no line.
        None => panel.points(shown.iter().map(|o| (o.mean, o.seen_mean())).collect(), dots()),
    }
}

/// The limits that all observations share, if they do.
fn common_limits(shown: &[&Observation]) -> Option<(f64, f64)> {
    let first = shown.first()?.limits;
    shown.iter().all(|o| o.limits == first).then_some(first)
}

fn dots() -> Style {
    Style::new(Color::VERMILLION).marker(Marker::Circle).size(1.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_means_are_those_of_a_truncated_normal() {
        // Standard normal above 0: the median is 0.674490, the mean sqrt(2 / pi).
        let half =
            Observation { response: 0.674_489_75, limits: (0.0, f64::INFINITY), mean: 0.0, deviation: 1.0 };
        assert!((half.rank() - 0.5).abs() < 1e-8);
        assert!((half.seen_mean() - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-12);
        // Far in the tail the mean excess over a limit t is about 1/t - 2/t^3.
        let tail = Observation { response: 20.01, limits: (20.0, f64::INFINITY), mean: 0.0, deviation: 1.0 };
        assert!((tail.seen_mean() - 20.0 - (1.0 / 20.0 - 2.0 / 8000.0)).abs() < 1e-5);
        assert!(tail.rank() > 0.1 && tail.rank() < 0.3);
        // Beyond all numbers there is still a mean, at the limit.
        let beyond = Observation { response: 50.1, limits: (50.0, f64::INFINITY), mean: 0.0, deviation: 1.0 };
        assert_eq!((beyond.seen_mean(), beyond.rank()), (50.0, 1.0));
        let below =
            Observation { response: -51.0, limits: (f64::NEG_INFINITY, -50.0), mean: 0.0, deviation: 1.0 };
        assert_eq!((below.seen_mean(), below.rank()), (-50.0, 0.0));
    }
}
