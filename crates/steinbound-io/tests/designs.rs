//! Designs against those of patsy and formulaic, which `tools/formula_fixtures.py` wrote.

use steinbound_io::{Formula, Frame, FrameOptions};

/// A matrix by columns.
type Columns = Vec<Vec<f64>>;

struct Case {
    formula: String,
    program: String,
    is_span: bool,
    columns: Columns,
}

fn cases() -> Vec<Case> {
    let case = |block: &str| {
        let mut lines = block.lines();
        let formula = lines.next().unwrap().to_string();
        let (program, comparison) = lines.next().unwrap().split_once(' ').unwrap();
        let row = |line: &str| line.split(' ').map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = lines.map(row).collect();
        let columns = (0..rows[0].len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
        Case { formula, program: program.to_string(), is_span: comparison == "span", columns }
    };
    include_str!("designs/designs.txt").split("\n\n").map(case).collect()
}

fn ours(formula: &str) -> Columns {
    let frame =
        Frame::parse("data.csv", include_bytes!("designs/data.csv"), &FrameOptions::default()).unwrap();
    let design = Formula::parse(formula).unwrap().design(&frame).unwrap();
    assert_eq!(design.apply(&frame).unwrap(), design.matrix, "{formula}");
    (0..design.matrix.columns()).map(|j| design.matrix.column(j).to_vec()).collect()
}

fn is_close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * a.abs().max(1.0))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The part of a vector that is orthogonal to orthonormal ones.
fn residual(vector: &[f64], basis: &Columns) -> Vec<f64> {
    let mut rest = vector.to_vec();
    for _ in 0..2 {
        for unit in basis {
            let length = dot(&rest, unit);
            rest.iter_mut().zip(unit).for_each(|(value, unit)| *value -= length * unit);
        }
    }
    rest
}

/// An orthonormal basis of the span.
fn basis(columns: &Columns) -> Columns {
    let mut units = Vec::new();
    for column in columns {
        let rest = residual(column, &units);
        let length = dot(&rest, &rest).sqrt();
        if length > 1e-9 {
            units.push(rest.into_iter().map(|value| value / length).collect());
        }
    }
    units
}

#[test]
fn designs_are_those_of_other_programs() {
    let cases = cases();
    assert_eq!(cases.len(), 86);
    assert!(["patsy", "formulaic", "numpy"].iter().all(|one| cases.iter().any(|case| case.program == *one)));
    for Case { formula, program, is_span, columns: theirs } in cases {
        let ours = ours(&formula);
        if is_span {
            let (of_ours, of_theirs) = (basis(&ours), basis(&theirs));
            assert_eq!(of_ours.len(), of_theirs.len(), "{formula}: the ranks differ");
            for column in &ours {
                let rest = residual(column, &of_theirs);
                assert!(dot(&rest, &rest).sqrt() < 1e-9, "{formula}: the spans differ");
            }
            continue;
        }
        assert_eq!(ours.len(), theirs.len(), "{formula}: {program} has another number of columns");
        let mut left = theirs;
        for (j, column) in ours.iter().enumerate() {
            let same = left.iter().position(|other| is_close(column, other));
            let same =
                same.unwrap_or_else(|| panic!("{formula}: {program} has no column like {j}: {column:?}"));
            left.remove(same);
        }
    }
}
