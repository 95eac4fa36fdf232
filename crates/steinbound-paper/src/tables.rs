//! Tables of trials as comma-separated values: one line for each trial and method.

use crate::results::Results;
use crate::study::{Measured, Study};

/// The measurements of every trial. The same seed gives the same bytes.
pub fn values(results: &Results, study: usize) -> String {
    let quantities = results.studies[study].quantities.iter().map(|q| q.to_string()).collect();
    table(results, study, quantities, |measured| measured.values.iter().map(|v| number(*v)).collect())
}

/// The time of every trial.
pub fn times(results: &Results, study: usize) -> String {
    table(results, study, vec!["seconds".into()], |measured| vec![number(measured.seconds)])
}

fn table(
    results: &Results,
    study: usize,
    columns: Vec<String>,
    read: impl Fn(&Measured) -> Vec<String>,
) -> String {
    let Study { labels, cells, .. } = &results.studies[study];
    let mut header: Vec<String> = labels.iter().map(|l| l.to_string()).collect();
    header.extend(["trial".into(), "method".into()]);
    header.extend(columns);
    let mut text = line(header);
    for (cell, trials) in cells.iter().zip(&results.measured[study]) {
        for (trial, measured) in trials.iter().enumerate() {
            for (method, measured) in cell.methods.iter().zip(measured) {
                let mut row = cell.labels.clone();
                row.extend([trial.to_string(), method.to_string()]);
                row.extend(read(measured));
                text.push_str(&line(row));
            }
        }
    }
    text
}

/// A number that reads back to the same bits; empty if it is not finite.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!("{value:?}") }
}

fn line(fields: Vec<String>) -> String {
    let quoted = |field: String| match field.contains([',', '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    };
    fields.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::small;

    #[test]
    fn a_line_for_each_trial_and_method() {
        let expected = "ball,d,trial,method,error,other\n\
                        \"l1, l2\",2,0,a,1.0,\n\"l1, l2\",2,1,a,2.0,\n\
                        \"l1, l2\",4,0,a,3.0,\n\"l1, l2\",4,0,b,30.0,\n\
                        \"l1, l2\",4,1,a,5.0,\n\"l1, l2\",4,1,b,50.0,\n";
        assert_eq!(values(&small(), 0), expected);
        assert!(times(&small(), 0).ends_with("\"l1, l2\",4,1,b,500.0\n"));
    }
}
