//! Average marginal effects of a regression.

use steinbound::fit::TableStyle;
use steinbound::regression::{Effect, Quantity};
use steinbound::text::{Document, Table};

/// A heading and a table for each quantity that the effects change.
pub fn tables(effects: &[Effect], style: &TableStyle) -> Vec<(String, Table)> {
    let of = |quantity: Quantity| {
        let found: Vec<_> = effects.iter().filter(|effect| effect.of == quantity).collect();
        let table = style.table(found.iter().map(|effect| &effect.parameter));
        let heading = format!("average effects on the {}", quantity.describe());
        (!found.is_empty()).then_some((heading, table))
    };
    let all = [Quantity::Latent, Quantity::Seen, Quantity::Recorded, Quantity::Uncensored];
    all.into_iter().filter_map(of).collect()
}

/// The same as a document.
pub fn document(effects: &[Effect], style: &TableStyle) -> Document {
    let found = tables(effects, style).into_iter();
    found.fold(Document::new(), |document, (heading, table)| document.gap().line(heading).table(table))
}
