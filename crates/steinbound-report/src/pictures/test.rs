//! A test of goodness of fit: the statistic among those drawn under the hypothesis.

use steinbound::inference::TestResult;
use steinbound::text::percent;
use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Color, Entry, Figure, Panel, Style};

use super::WIDTH;
use crate::Picture;

/// Draws under the hypothesis as a histogram, with the statistic and the critical value. `None` for a result
/// without draws, as one that was read from a file.
pub fn test(found: &TestResult) -> Option<Picture> {
    if found.draws.is_empty() {
        return None;
    }
    let (low, high) = range(found.draws.iter().copied().chain([found.statistic, found.critical]));
    if high <= low {
        return None;
    }
    let edges = steps(low, high, 41);
    let share = 1.0 / found.draws.len() as f64;
    let counts = histogram(found.draws.iter().map(|value| (*value, share)), &edges);
    let statistic = Style::new(Color::VERMILLION).width(2.2);
    let critical = Style::new(Color::BLACK).dashed().width(1.4);
    let panel = Panel::new(Axis::linear("squared discrepancy"), Axis::linear("draws").from_zero().percent())
        .histogram(edges, counts, Style::new(Color::SKY))
        .vertical(found.critical, critical.clone())
        .vertical(found.statistic, statistic.clone());
    let legend = vec![
        Entry::fill("drawn under the model", Color::SKY),
        Entry::line(format!("exceeded in {} %", percent(found.level)), critical),
        Entry::line("the data", statistic),
    ];
    let side = if found.rejected { "beyond what" } else { "within what" };
    let caption = format!(
        "The squared discrepancy of the data (vermillion) is {side} {} draws under the model give.",
        found.draws.len()
    );
    Some(Picture::new(Figure::new(WIDTH).row(260.0, vec![panel]).legend(legend).id("test"), caption))
}
