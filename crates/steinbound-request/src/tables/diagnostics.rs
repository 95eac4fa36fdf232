//! The diagnostics of a fit.

use steinbound::inference::Diagnostics;
use steinbound::text::Table;

/// Each diagnostic with its value and the limit beyond which there is a warning; `None` where there are none.
pub fn table(found: &Diagnostics) -> Option<Table> {
    let size = |value: Option<f64>| value.map(|value| format!("{value:.1e}"));
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    let above = |limit: &str| format!("above {limit}");
    let mut rows: Vec<(&str, Option<String>, String)> = Vec::new();
    if let Some(tie) = &found.tie {
        rows.push(("tie of the data to the boundary", Some(share(tie.strength)), above(&share(tie.limit))));
    }
    rows.push(("condition of the boundary's kernel matrix", size(found.boundary_condition), above("1e12")));
    rows.push(("condition of the equations for the parameters", size(found.normal_condition), above("1e8")));
    if let Some(leverage) = &found.leverage {
        let value = format!("{} (row {}, {})", share(leverage.share), leverage.row, leverage.parameter);
        let what = "largest share of one row, or cluster, in a variance";
        rows.push((what, Some(value), above(&share(leverage.limit))));
    }
    rows.push(("fitted density outside the region", found.mass_outside.map(share), above("99 %")));
    let differences = [
        ("move of the estimate with a finer boundary", &found.boundary_moves, "2"),
        ("difference between V- and U-statistic", &found.statistics_disagree, "1"),
    ];
    for (what, difference, limit) in differences {
        let value = difference
            .as_ref()
            .map(|found| format!("{:.2} standard errors ({})", found.standard_errors, found.parameter));
        rows.push((what, value, above(limit)));
    }
    let mut table = Table::new(3, ["diagnostic", "value", "warning when"]);
    for (what, value, limit) in rows {
        if let Some(value) = value {
            table.row(vec![what.into(), value, limit]);
        }
    }
    (!table.rows().is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_shown() {
        assert_eq!(table(&Diagnostics::default()), None);
        let mut found = Diagnostics::default();
        found.normal_condition = Some(12.5);
        let table = table(&found).unwrap();
        let expected = ["condition of the equations for the parameters", "1.2e1", "above 1e8"];
        assert_eq!(table.rows(), [expected.map(String::from).to_vec()]);
    }
}
