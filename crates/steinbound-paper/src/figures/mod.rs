//! The figures, one per file. To add one, copy a sibling and add it to [`all`].

mod fig1;
mod fig10;
mod fig2;
mod fig3;
mod fig4;
mod fig5;
mod fig6;
mod fig7;
mod fig8;
mod fig9;
mod statistics;
mod weights;

use steinbound_io::names::shown;

use crate::comparison::Published;
use crate::error::PaperError;
use crate::results::Results;
use crate::study::Study;

/// A figure of the paper, or a related comparison: the experiments behind it and the drawing.
pub trait Figure: Sync {
    /// Its name on the command line and the prefix of its files' names.
    fn name(&self) -> &'static str;

    /// Its subject, in a line.
    fn title(&self) -> &'static str;

    /// The experiment, in a few sentences.
    fn setting(&self) -> &'static str;

    /// Departures from the paper or its public code, and the reasons; empty if there are none.
    fn departures(&self) -> &'static str {
        ""
    }

    /// The studies to run.
    fn studies(&self) -> Result<Vec<Study>, PaperError>;

    /// The results of the public code for it.
    fn published(&self) -> Vec<Published> {
        Vec::new()
    }

    /// Its pictures. Examples in them are those of the first trial under the seed.
    fn pictures(&self, results: &Results, seed: u64) -> Result<Vec<Picture>, PaperError>;
}

/// A picture and its caption.
pub struct Picture {
    /// The name of its files, without extension.
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// The picture.
    pub figure: steinbound_plot::Figure,
}

/// All figures, in the paper's order, then those that belong to none.
pub fn all() -> [&'static dyn Figure; 12] {
    [
        &fig1::UnitedStates,
        &fig2::Dimensions,
        &fig3::Witnesses,
        &fig4::DensityBound,
        &fig5::Consistency,
        &fig6::Mixtures,
        &fig7::Regressions,
        &fig8::Scenarios,
        &fig9::BoundaryDistribution,
        &fig10::BallSizes,
        &statistics::Statistics,
        &weights::Weights,
    ]
}

/// The figures of these names in the order of the list, each once; `all` selects all of them.
pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static dyn Figure>, PaperError> {
    let all = all();
    let known = || all.iter().map(|figure| figure.name()).collect::<Vec<_>>();
    for name in names.iter().map(AsRef::as_ref) {
        if name != "all" && !known().contains(&name) {
            return Err(PaperError::UnknownFigure { name: shown(name), known: known().join(", ") });
        }
    }
    let is_asked =
        |figure: &&dyn Figure| names.iter().any(|name| ["all", figure.name()].contains(&name.as_ref()));
    Ok(all.into_iter().filter(is_asked).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::methods::{EFFICIENT, EFFICIENT_POINTS, TKSD};

    #[test]
    fn names_are_found_in_order_or_refused() {
        let names: Vec<&str> = named(&["fig10", "fig2", "fig2"]).unwrap().iter().map(|f| f.name()).collect();
        assert_eq!(names, ["fig2", "fig10"]);
        assert_eq!(named(&["all", "fig1"]).unwrap().len(), 12);
        let error = named(&["fig11"]).err().unwrap().to_string();
        assert!(error.contains("\"fig11\"") && error.contains("fig10, statistics, weights"), "{error}");
    }

    #[test]
    fn tables_have_different_names_and_cells_have_their_labels() {
        let studies: Vec<Study> = all().iter().flat_map(|figure| figure.studies().unwrap()).collect();
        let names: HashSet<&str> = studies.iter().map(|study| study.name).collect();
        assert_eq!(names.len(), studies.len());
        for study in &studies {
            assert!(study.trials > 0 && !study.cells.is_empty() && !study.name.ends_with("_time"));
            let cells: HashSet<(&Vec<String>, &Vec<&str>)> =
                study.cells.iter().map(|c| (&c.labels, &c.methods)).collect();
            assert_eq!(cells.len(), study.cells.len(), "{}", study.name);
            assert!(study.cells.iter().all(|cell| cell.labels.len() == study.labels.len()), "{}", study.name);
        }
    }

    /// Left out are TKSD's own witness (fig3), the grid over numbers of boundary points, which efficient
    /// estimation chooses itself, and the comparisons of TKSD's two statistics and of witnesses.
    #[test]
    fn efficient_is_run_beside_tksd_and_has_no_published_values() {
        let others = ["fig3", "fig5_grid", "statistics_n", "statistics_d", "weights"];
        let studies: Vec<Study> = all().iter().flat_map(|figure| figure.studies().unwrap()).collect();
        let is_efficient = |method: &&str| [EFFICIENT, EFFICIENT_POINTS].contains(method);
        let run = |study: &Study| study.cells.iter().flat_map(|c| c.methods.clone()).collect::<Vec<_>>();
        for study in studies.iter().filter(|study| run(study).contains(&TKSD)) {
            let beside = studies.iter().filter(|other| other.name.starts_with(study.name));
            let is_there = beside.flat_map(run).any(|method| is_efficient(&method));
            assert_eq!(is_there, !others.contains(&study.name), "{}", study.name);
        }
        let published = all().into_iter().flat_map(|figure| figure.published());
        assert_eq!(published.filter(|published| is_efficient(&published.method)).count(), 0);
    }

    #[test]
    fn published_values_are_of_trials_that_are_run() {
        for figure in all() {
            let studies = figure.studies().unwrap();
            for published in figure.published() {
                let study = studies.iter().find(|study| study.name == published.study).unwrap();
                assert!(study.quantity(published.quantity).is_some());
                let is_it = |cell: &&crate::study::Cell| {
                    let has = |(label, value): &(&str, &str)| study.label(cell, label) == Some(value);
                    cell.methods.contains(&published.method) && published.setting.iter().all(has)
                };
                assert_eq!(study.cells.iter().filter(is_it).count(), 1, "{published:?}");
            }
        }
    }
}
