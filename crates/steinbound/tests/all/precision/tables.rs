//! The long simulations, and the tables of the book's page that they fill.

use std::fmt::Write;
use std::fs;

use super::*;

/// The page that has places for the tables.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/efficient.md");

/// Puts a table between its marks on the page, if the page is to be written.
fn show(name: &str, table: &str) {
    println!("{table}");
    if std::env::var_os("STEINBOUND_WRITE_PAGES").is_none() {
        return;
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let (first, last) = (format!("<!-- table: {name} -->\n"), "<!-- end -->");
    let (before, rest) = page.split_once(&first).unwrap();
    let (_, after) = rest.split_once(last).unwrap();
    fs::write(PAGE, format!("{before}{first}\n{table}\n{last}{after}")).unwrap();
}

fn with_error((value, error): (f64, f64)) -> String {
    format!("{value:.3} ± {error:.3}")
}

const HEAD: &str = "| setting | n | samples | tksd | efficient | coverage of 95 % | unsound |\n|---|---|---|---|---|---|---|\n";

/// A name as the cell of a table.
fn cell(name: &str) -> String {
    name.replace('|', "\\|")
}

fn row(table: &mut String, run: &Run) {
    let tksd = with_error(run.ratio(TKSD, LIKELIHOOD));
    let efficient = with_error(run.ratio(EFFICIENT, LIKELIHOOD));
    let coverage = with_error(run.coverage(EFFICIENT));
    let (name, count, samples, unsound) =
        (cell(&run.name), run.count, run.outcomes.len(), run.unsound(EFFICIENT));
    writeln!(table, "| {name} | {count} | {samples} | {tksd} | {efficient} | {coverage} | {unsound:.2} |")
        .unwrap();
}

#[test]
#[ignore = "long: make simulations"]
fn precision_in_many_samples() {
    let mut table = String::from(HEAD);
    let mut finished = |run: &Run, most: f64| {
        row(&mut table, run);
        is_precise(run, most, 1.0);
        holds(run, EFFICIENT, 1.0);
    };
    for (setting, count, most, seeds) in comparisons() {
        finished(&by_region(&setting, count, seeds, &all_methods()), most);
    }
    for count in [100, 400] {
        finished(&of_lines(count, 800), 1.10);
    }
    show("precision", &table);
}

/// At most 0.03 more than with the region.
#[test]
#[ignore = "long: make simulations"]
fn precision_with_boundary_points_alone() {
    let mut table = String::from(HEAD);
    for (setting, count, most, seeds) in [
        (settings::ball(2, "ball, d = 2, mean"), 300, 1.09, 400),
        (settings::box_mean(), 300, 1.11, 400),
        (settings::united_states(), 400, 1.15, 200),
    ] {
        let run = by_points(&setting, count, 200, seeds);
        row(&mut table, &run);
        is_precise(&run, most, 1.0);
        holds(&run, EFFICIENT, 1.0);
    }
    show("points", &table);
}

#[test]
#[ignore = "long: make simulations"]
fn coverage_in_many_samples() {
    let mut table =
        String::from("| region | n | samples | coverage of 95 % | unsound |\n|---|---|---|---|---|\n");
    let only = std::env::var("PRECISION_ONLY").unwrap_or_default();
    for (setting, count, seeds) in regions().into_iter().filter(|(setting, ..)| setting.name.contains(&only))
    {
        let run = by_region(&setting, count, seeds, &[Estimator::efficient()]);
        let coverage = with_error(run.coverage(0));
        let unsound = run.unsound(0);
        writeln!(table, "| {} | {count} | {seeds} | {coverage} | {unsound:.2} |", cell(&run.name)).unwrap();
        holds(&run, 0, 1.0);
    }
    show("coverage", &table);
}

#[test]
#[ignore = "long: make simulations"]
fn levels_in_many_samples() {
    let mut table = String::from("| region | n | samples | rejected at 5 % |\n|---|---|---|---|\n");
    for (setting, count) in [
        (settings::disc(), 300),
        (settings::box_mean(), 300),
        (settings::ring(), 500),
        (settings::u_shape(), 500),
        (settings::two_modes(), 300),
    ] {
        let share = holds_its_level(&setting, count, 400, 199);
        writeln!(table, "| {} | {count} | 400 | {} |", cell(setting.name), with_error(share)).unwrap();
    }
    show("levels", &table);
}
