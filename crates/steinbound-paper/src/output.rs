//! The folder of results: tables, summary, pictures, and finally the page.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use steinbound_io::IoError;
use steinbound_io::write::Pending;

use crate::comparison::{Agreement, Compared};
use crate::error::PaperError;
use crate::figures::{Figure, Picture};
use crate::page;
use crate::results::{Mean, Results};
use crate::run::Report;
use crate::study::Study;
use crate::tables;

/// A picture in both file formats.
pub struct Drawn {
    /// The name of its files, without extension.
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// As vectors.
    pub svg: String,
    /// As pixels.
    pub png: Vec<u8>,
}

/// Writes everything.
pub fn write(
    folder: &Path,
    figures: &[&'static dyn Figure],
    results: &Results,
    seed: u64,
    settings: &str,
) -> Result<Report, PaperError> {
    let compared: Vec<Compared> = figures
        .iter()
        .flat_map(|figure| figure.published().into_iter().map(|published| (figure.name(), published)))
        .filter_map(|(figure, published)| Compared::new(figure, &published, results))
        .collect();
    let draw = |picture: Picture| -> Result<Drawn, PaperError> {
        let Picture { name, caption, figure } = picture;
        let svg = figure.id(&format!("{name}-picture")).describe(&caption).to_svg();
        Ok(Drawn { name, caption, png: steinbound_plot::png(&svg, steinbound_plot::RESOLUTION)?, svg })
    };
    let of_figure = |figure: &&'static dyn Figure| -> Result<Vec<Drawn>, PaperError> {
        figure.pictures(results, seed)?.into_par_iter().map(draw).collect()
    };
    let drawn: Vec<Vec<Drawn>> = figures.par_iter().map(of_figure).collect::<Result<_, _>>()?;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (s, study) in results.studies.iter().enumerate() {
        files.push((format!("{}.csv", study.name), tables::values(results, s).into_bytes()));
        if study.is_timed {
            files.push((format!("{}_time.csv", study.name), tables::times(results, s).into_bytes()));
        }
    }
    let summary = summary(results, &compared, settings);
    files.push(("summary.json".into(), format!("{summary:#}\n").into_bytes()));
    let page = page::write(figures, &drawn, results, &compared, settings)?;
    for picture in drawn.into_iter().flatten() {
        files.push((format!("{}.svg", picture.name), picture.svg.into_bytes()));
        files.push((format!("{}.png", picture.name), picture.png));
    }
    files.push(("index.html".into(), page.into_bytes()));
    let fill =
        |(name, bytes): &(String, Vec<u8>)| Pending::fill(&folder.join(name), |out| out.write_all(bytes));
    let kept = |error: IoError| match error {
        IoError::Write { path, reason } => PaperError::Full { path, reason },
        other => other.into(),
    };
    // All files are complete before the first gets its name.
    let pending = files.iter().map(fill).collect::<Result<Vec<_>, _>>().map_err(kept)?;
    for file in pending {
        file.commit()?;
    }
    Ok(Report {
        agreement: Agreement::of(&compared),
        compared,
        failed: failures(results),
        files: files.into_iter().map(|(name, _)| name).collect(),
    })
}

/// The means of every cell and method, study by study.
pub fn means(
    study: &Study,
    measured: &[Vec<Vec<crate::Measured>>],
) -> Vec<(Vec<String>, &'static str, &'static str, Mean)> {
    let mut rows = Vec::new();
    for (cell, trials) in study.cells.iter().zip(measured) {
        for (m, method) in cell.methods.iter().enumerate() {
            for (q, quantity) in study.quantities.iter().enumerate() {
                let values: Vec<f64> = trials.iter().map(|trial| trial[m].values[q]).collect();
                rows.push((cell.labels.clone(), *method, *quantity, Mean::of(&values)));
            }
        }
    }
    rows
}

fn summary(results: &Results, compared: &[Compared], settings: &str) -> Value {
    let of_study = |(study, measured): (&Study, &Vec<_>)| {
        let row = |(labels, method, quantity, mean): (Vec<String>, &str, &str, Mean)| {
            let setting: Map<String, Value> =
                study.labels.iter().zip(labels).map(|(l, v)| (l.to_string(), Value::String(v))).collect();
            json!({"setting": setting, "method": method, "quantity": quantity, "mean": mean.mean,
                   "std_error": mean.std_error, "median": mean.median, "trials": mean.trials, "failed": mean.failed})
        };
        let rows: Vec<Value> = means(study, measured).into_iter().map(row).collect();
        json!({"study": study.name, "means": rows})
    };
    let studies: Vec<Value> = results.studies.iter().zip(&results.measured).map(of_study).collect();
    json!({"schema": "steinbound.reproduction/1", "settings": settings, "studies": studies, "comparison": compared})
}

/// The number of failed measurements, and the number of all.
fn failures(results: &Results) -> (usize, usize) {
    let all = || results.measured.iter().flatten().flatten().flatten();
    (all().filter(|one| one.values.iter().all(|v| v.is_nan())).count(), all().count())
}
