//! The page with all figures, their settings and the published values; it needs no network.

use serde::Serialize;
use steinbound::text::estimate;
use steinbound_report::render;

use crate::comparison::{Agreement, Compared, FEWEST, LIMIT};
use crate::error::PaperError;
use crate::figures::Figure;
use crate::methods;
use crate::output::{Drawn, means};
use crate::results::Results;

const TEMPLATE: &str = include_str!("index.html");

#[derive(Serialize)]
struct Page<'a> {
    sections: Vec<Section>,
    settings: &'a str,
    agreement: Agreement,
    limit: f64,
    fewest: usize,
    version: &'static str,
}

#[derive(Serialize)]
struct Section {
    name: &'static str,
    title: &'static str,
    setting: &'static str,
    departures: &'static str,
    pictures: Vec<Shown>,
    tables: Vec<Table>,
    compared: Vec<Row>,
}

#[derive(Serialize)]
struct Shown {
    name: &'static str,
    caption: String,
    svg: String,
}

#[derive(Serialize)]
struct Table {
    name: &'static str,
    is_timed: bool,
    trials: usize,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct Row {
    setting: String,
    method: String,
    quantity: String,
    ours: String,
    published: String,
    difference: String,
    is_beyond: bool,
    is_judged: bool,
}

/// The page.
pub fn write(
    figures: &[&'static dyn Figure],
    drawn: &[Vec<Drawn>],
    results: &Results,
    compared: &[Compared],
    settings: &str,
) -> Result<String, PaperError> {
    let section = |(figure, drawn): (&&'static dyn Figure, &Vec<Drawn>)| -> Result<Section, PaperError> {
        Ok(Section {
            name: figure.name(),
            title: figure.title(),
            setting: figure.setting(),
            departures: figure.departures(),
            pictures: drawn.iter().map(shown).collect(),
            tables: figure.studies()?.iter().filter_map(|study| table(study.name, results)).collect(),
            compared: compared.iter().filter(|row| row.figure == figure.name()).map(row).collect(),
        })
    };
    let sections: Vec<Section> = figures.iter().zip(drawn).map(section).collect::<Result<_, _>>()?;
    let page = Page {
        sections,
        settings,
        agreement: Agreement::of(compared),
        limit: LIMIT,
        fewest: FEWEST,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(render("index.html", TEMPLATE, &page)?)
}

fn shown(drawn: &Drawn) -> Shown {
    Shown { name: drawn.name, caption: drawn.caption.clone(), svg: drawn.svg.clone() }
}

fn table(name: &str, results: &Results) -> Option<Table> {
    let place = results.studies.iter().position(|study| study.name == name)?;
    let (study, measured) = (&results.studies[place], &results.measured[place]);
    let mut header: Vec<String> = study.labels.iter().map(|l| l.to_string()).collect();
    header.extend(["method", "quantity", "mean", "std. error", "median", "failed"].map(String::from));
    let row = |(labels, method, quantity, mean): (Vec<String>, &str, &str, crate::Mean)| {
        let mut row = labels;
        row.extend([methods::label(method).to_string(), quantity.replace('_', " ")]);
        row.extend(with_error(mean.mean, mean.std_error));
        row.push(number(mean.median, mean.std_error));
        row.push(if mean.failed > 0 { mean.failed.to_string() } else { String::new() });
        row
    };
    let rows = means(study, measured).into_iter().map(row).collect();
    let trials = measured.first().map_or(0, Vec::len);
    Some(Table { name: study.name, is_timed: study.is_timed, trials, header, rows })
}

/// A mean and its standard error, rounded to meaningful digits.
fn with_error(mean: f64, error: f64) -> [String; 2] {
    [number(mean, error), number(error, error)]
}

/// A number rounded to the digits of a standard error; empty if there is none.
fn number(value: f64, error: f64) -> String {
    let finite = |v: f64| Some(v).filter(|v| v.is_finite());
    finite(value).map_or(String::new(), |value| estimate(Some(value), finite(error)).replace('-', "−"))
}

/// A difference in standard errors.
fn signed(difference: f64) -> String {
    match difference.is_finite() {
        true => format!("{difference:+.1}").replace("-0.0", "+0.0").replace('-', "−"),
        false => "no result".into(),
    }
}

fn row(compared: &Compared) -> Row {
    let both = |mean: f64, error: f64| with_error(mean, error).join(" ± ");
    let about = if compared.is_std_error_published { "" } else { " *" };
    Row {
        setting: compared.setting.clone(),
        method: methods::label(&compared.method).to_string(),
        quantity: compared.quantity.clone(),
        ours: both(compared.ours, compared.std_error),
        published: both(compared.published, compared.published_std_error) + about,
        difference: signed(compared.difference),
        is_beyond: compared.is_beyond(),
        is_judged: compared.is_judged,
    }
}
