//! The diagnostics of a fit.

use steinbound::inference::Diagnostics;
use steinbound::text::Table;

/// Each diagnostic with its value and the limit beyond which there is a warning; `None` where there are none.
pub fn table(found: &Diagnostics) -> Option<Table> {
    let mut table = Table::new(3, ["diagnostic", "value", "warning when"]);
    for check in &found.checks {
        table.row(vec![check.what.clone(), check.shown_value(), format!("above {}", check.shown_limit())]);
    }
    (!table.rows().is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use steinbound::model::Gaussian;
    use steinbound::{Estimator, Points};

    use super::*;

    #[test]
    fn only_what_is_known_is_shown() {
        assert_eq!(table(&Diagnostics::default()), None);
        let data = Points::from_rows(&[[1.0], [2.0], [6.0], [500.0]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let (_, found) = Estimator::mle().check(&data, &model).unwrap().fit_diagnosed().unwrap();
        let table = table(&found).unwrap();
        let row = &table.rows()[0];
        assert_eq!(row[0], "largest share of a row in a variance");
        assert!(row[1].ends_with("% (row 4, mean[x1])") && row[2] == "above 150.0 %", "{row:?}");
        assert_eq!(table.rows().len(), 1);
    }

    #[test]
    fn no_word_is_cut() {
        let rows = (0..60).map(f64::from).map(|k| [2.0 + (k * 0.7).sin(), 1.0 + (k * 1.1).cos()]);
        let data = Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let disc = std::sync::Arc::new(steinbound::domain::Ball::new(4.0).unwrap().in_dimension(2));
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        for estimator in [Estimator::efficient(), Estimator::tksd()] {
            let (_, found) =
                estimator.domain(disc.clone()).check(&data, &model).unwrap().fit_diagnosed().unwrap();
            let table = table(&found).unwrap();
            assert!(table.rows().len() > 3 && !table.to_string().contains(".."), "{table}");
        }
    }
}
