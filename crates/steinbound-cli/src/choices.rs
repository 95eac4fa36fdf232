//! Options whose value is one of a few names: what each name means, and a message with the nearest for another name.
//!
//! Help and completions list the names because the command line knows them; messages are our own.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::builder::{PossibleValue, TypedValueParser};
use steinbound::Method;
use steinbound::domain::{BoundaryScheme, Norm};
use steinbound::fit::{Compute, DistanceKind};
use steinbound::inference::{Interval, Null, Resampling};
use steinbound::kernel::{self, Kernel};
use steinbound::regression::KernelOn;
use steinbound::stein::Statistic;

use steinbound_io::names::choose;

/// The kind of model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    Gaussian,
    GaussianMixture,
}

/// The shape of an unknown covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CovarianceShape {
    Full,
    Diagonal,
    Shared,
    Spherical,
}

/// How bandwidth and ridge are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tune {
    None,
    Agreement,
}

/// When to draw in the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TerminalPlot {
    #[default]
    Auto,
    Always,
    Never,
}

/// A choice among named values.
#[derive(Debug, Clone)]
pub struct Choice<T> {
    /// What is chosen, for messages.
    what: &'static str,
    /// Name, value and meaning.
    values: Vec<(&'static str, T, &'static str)>,
    ignores_case: bool,
}

impl<T: Clone> Choice<T> {
    pub fn new(
        what: &'static str,
        values: impl IntoIterator<Item = (&'static str, T, &'static str)>,
    ) -> Choice<T> {
        Choice { what, values: values.into_iter().collect(), ignores_case: false }
    }

    /// Capitals are as good as small letters.
    fn ignoring_case(mut self) -> Choice<T> {
        self.ignores_case = true;
        self
    }

    /// The value of a name; the message for another name gives the nearest.
    fn find(&self, typed: &str) -> Result<T, String> {
        let named: Vec<(&str, T)> =
            self.values.iter().map(|(name, value, _)| (*name, value.clone())).collect();
        let typed = if self.ignores_case { typed.to_lowercase() } else { typed.to_string() };
        choose(self.what, &typed, &named)
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let choice = self.clone();
        let find = move |typed: &str| choice.find(typed);
        find.parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().map(|(name, _, meaning)| PossibleValue::new(name).help(*meaning))))
    }
}

/// A name that is listed among known ones, and checked by whoever uses it.
#[derive(Debug, Clone)]
pub struct Suggestion {
    names: Vec<(&'static str, &'static str)>,
}

impl Suggestion {
    pub fn new(names: impl IntoIterator<Item = (&'static str, &'static str)>) -> Suggestion {
        Suggestion { names: names.into_iter().collect() }
    }
}

impl TypedValueParser for Suggestion {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let listed = |(name, meaning): &(&'static str, &'static str)| PossibleValue::new(name).help(*meaning);
        Some(Box::new(self.names.iter().map(listed)))
    }
}

pub fn scheme() -> Choice<BoundaryScheme> {
    Choice::new(
        "boundary sampling",
        [
            ("uniform", BoundaryScheme::Uniform, "at random, uniformly on the surface"),
            ("even", BoundaryScheme::Even, "at even distances along a curve in the plane"),
            ("radial", BoundaryScheme::Radial, "normal draws projected along rays, as in the paper"),
        ],
    )
}

pub fn model() -> Choice<ModelKind> {
    Choice::new(
        "model",
        [
            ("gaussian", ModelKind::Gaussian, "one normal density"),
            ("gaussian-mixture", ModelKind::GaussianMixture, "several; needs --components"),
        ],
    )
}

pub fn covariance() -> Choice<CovarianceShape> {
    Choice::new(
        "covariance",
        [
            ("full", CovarianceShape::Full, "all variances and covariances"),
            ("diagonal", CovarianceShape::Diagonal, "variances alone (gaussian)"),
            ("shared", CovarianceShape::Shared, "one full matrix for all components (mixtures)"),
            ("spherical", CovarianceShape::Spherical, "one variance for each component (mixtures)"),
        ],
    )
}

pub fn method() -> Choice<Method> {
    Choice::new("method", Method::ALL.map(|method| (method.name(), method, method.meaning())))
}

pub fn distance() -> Choice<DistanceKind> {
    let meanings = [
        (DistanceKind::Exact, "by the domain's formula"),
        (DistanceKind::Nearest, "to the nearest boundary point"),
        (DistanceKind::Axes, "along each axis, one weight for each coordinate (truncsm)"),
    ];
    Choice::new("distance", meanings.map(|(kind, meaning)| (kind.name(), kind, meaning)))
}

pub fn norm() -> Choice<Norm> {
    Choice::new(
        "norm",
        [
            ("1", Norm::One, "the sum of the differences"),
            ("2", Norm::Two, "the straight line"),
            ("inf", Norm::Infinity, "the largest difference"),
        ],
    )
}

pub fn tune() -> Choice<Tune> {
    Choice::new(
        "rule",
        [
            ("none", Tune::None, "as --bandwidth and --ridge say"),
            ("agreement", Tune::Agreement, "the most precise that agrees with all that are less precise"),
        ],
    )
}

pub fn statistic() -> Choice<Statistic> {
    Choice::new(
        "statistic",
        [
            ("v", Statistic::V, "all pairs; never negative"),
            ("u", Statistic::U, "pairs of different points; unbiased, can be negative"),
        ],
    )
    .ignoring_case()
}

pub fn kernel() -> Choice<Arc<dyn Kernel>> {
    let all = kernel::all().into_iter();
    Choice::new("kernel", all.map(|kernel| (kernel.name(), kernel.clone(), kernel.meaning())))
}

pub fn compute() -> Choice<Compute> {
    let meaning = |form: Compute| match form.name() {
        "auto" => "exact up to 20,000 points, then low-rank where that is good enough",
        "dense" => "all stored: fast for searches, memory grows with the square",
        "tiled" => "computed when needed: exact, memory grows with the points",
        "low-rank" => "a few landmarks stand for all points, to --tolerance",
        _ => "",
    };
    Choice::new("form", Compute::ALL.map(|form| (form.name(), form, meaning(form))))
}

pub fn resampling() -> Choice<Resampling> {
    Choice::new(
        "resampling",
        [
            ("nonparametric", Resampling::Nonparametric, "the observations again"),
            ("parametric", Resampling::Parametric, "new data from the fitted density, inside the domain"),
        ],
    )
}

pub fn interval() -> Choice<Interval> {
    Choice::new(
        "interval",
        [
            ("percentile", Interval::Percentile, "quantiles of the replicates"),
            ("normal", Interval::Normal, "the estimate and multiples of its standard error"),
        ],
    )
}

pub fn null() -> Choice<Null> {
    Choice::new(
        "resampling",
        [
            ("wild", Null::Wild, "random signs of the observations"),
            ("parametric", Null::Parametric, "new data from the density, fitted again"),
        ],
    )
}

pub fn kernel_on() -> Choice<KernelOn> {
    Choice::new(
        "choice",
        [
            ("product", KernelOn::Product, "response and covariates"),
            ("y", KernelOn::Response, "the response alone, as in the paper"),
        ],
    )
}

pub fn terminal_plot() -> Choice<TerminalPlot> {
    Choice::new(
        "choice",
        [
            ("auto", TerminalPlot::Auto, "where standard output is a terminal, below a table"),
            ("always", TerminalPlot::Always, "below every table"),
            ("never", TerminalPlot::Never, "not at all"),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_meaning_and_its_value() {
        fn check<T: Clone + Send + Sync + 'static>(choice: Choice<T>) {
            assert!(choice.values.len() > 1, "{}", choice.what);
            for (name, _, meaning) in &choice.values {
                assert!(!meaning.is_empty(), "{} {name}", choice.what);
                assert!(choice.find(name).is_ok());
            }
            let refusal = choice.find("nonsense").err().unwrap();
            assert!(refusal.starts_with(&format!("unknown {} \"nonsense\"", choice.what)), "{refusal}");
        }
        check(scheme());
        check(model());
        check(covariance());
        check(method());
        check(distance());
        check(norm());
        check(tune());
        check(statistic());
        check(kernel());
        check(compute());
        check(resampling());
        check(interval());
        check(null());
        check(kernel_on());
        check(terminal_plot());
    }
}
