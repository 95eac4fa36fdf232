//! Everything that is chosen by name, each list in one place.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use steinbound::Method;
use steinbound::domain::{BoundaryScheme, Norm};
use steinbound::fit::{Compute, DistanceKind, StandardErrors};
use steinbound::inference::{Interval, Null, Resampling};
use steinbound::kernel::{self, Kernel};
use steinbound::model::{CovarianceShape, FAMILIES, Family, Range};
use steinbound::regression::{Censored, KernelOn, Quantity};
use steinbound::stein::Statistic;

use crate::choice::Choice;

/// How bandwidth and ridge are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Tune {
    /// As given.
    #[default]
    None,
    /// By the agreement of fits.
    Agreement,
}

/// The mean of which response is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Predicted {
    /// Of all, as if nothing were cut off.
    #[default]
    Mean,
    /// Of those between the limits.
    Seen,
    /// Of what is recorded of censored responses.
    Recorded,
    /// The probability of not being censored.
    Uncensored,
}

impl Predicted {
    /// What is expected of the response.
    pub fn quantity(self) -> Quantity {
        match self {
            Predicted::Mean => Quantity::Latent,
            Predicted::Seen => Quantity::Seen,
            Predicted::Recorded => Quantity::Recorded,
            Predicted::Uncensored => Quantity::Uncensored,
        }
    }
}

/// The means that can be predicted.
pub fn predicted() -> Choice<Predicted> {
    Choice::new("prediction")
        .entry("mean", Predicted::Mean, "the mean of the untruncated response")
        .entry("seen", Predicted::Seen, "the mean of the responses between the limits")
        .entry("recorded", Predicted::Recorded, "the mean of what is recorded of censored responses")
        .entry("uncensored", Predicted::Uncensored, "the probability of not being censored")
}

/// The methods.
///
/// ```
/// use steinbound::Method;
/// use steinbound_request::choices;
/// assert_eq!(choices::method().find("tksd"), Ok(Method::TKSD));
/// assert!(choices::method().find("tkds").unwrap_err().to_string().contains("did you mean \"tksd\""));
/// ```
pub fn method() -> Choice<Method> {
    Method::ALL
        .into_iter()
        .fold(Choice::new("method"), |list, method| list.entry(method.name(), method, method.meaning()))
}

/// The models that have a name.
pub fn model() -> Choice<&'static dyn Family> {
    FAMILIES.iter().fold(Choice::new("model"), |list, family| {
        list.entry(family.name(), *family, family.meaning()).alias(family.aliases())
    })
}

/// The models that have a name, with their choices and the parameters that can be known, for faces that are not
/// written in Rust.
///
/// ```
/// let list = steinbound_request::choices::families();
/// let gamma = list.as_array().unwrap().iter().find(|family| family["name"] == "gamma").unwrap();
/// assert_eq!(gamma["parameters"][0]["name"], "shape");
/// ```
pub fn families() -> Json {
    let described = |family: &&dyn Family| {
        let parameters = family.parameters().iter().map(|parameter| {
            let is_estimated = parameter.range != Range::Given;
            json!({ "name": parameter.name, "meaning": parameter.meaning, "is_estimated": is_estimated })
        });
        json!({
            "name": family.name(),
            "aliases": family.aliases(),
            "meaning": family.meaning(),
            "choices": family.choices().iter().map(|choice| choice.name()).collect::<Vec<_>>(),
            "shapes": family.shapes().iter().map(|shape| shape.name()).collect::<Vec<_>>(),
            "parameters": parameters.collect::<Vec<_>>(),
        })
    };
    FAMILIES.iter().map(described).collect()
}

/// The shapes of an unknown covariance.
pub fn covariance() -> Choice<CovarianceShape> {
    shapes("covariance", &CovarianceShape::ALL)
}

/// Some shapes of an unknown covariance, such as those that a model has.
pub fn shapes(what: &'static str, shapes: &[CovarianceShape]) -> Choice<CovarianceShape> {
    shapes.iter().fold(Choice::new(what), |list, shape| list.entry(shape.name(), *shape, shape.meaning()))
}

/// The kernels.
///
/// ```
/// use steinbound_request::choices;
/// assert_eq!(choices::kernel().find("rbf").unwrap().name(), "gaussian");
/// ```
pub fn kernel() -> Choice<Arc<dyn Kernel>> {
    kernel::all().into_iter().fold(Choice::new("kernel"), |list, kernel| {
        let (name, meaning) = (kernel.name(), kernel.meaning());
        list.entry(name, kernel, meaning).alias(other_names(name))
    })
}

/// Other names of a kernel: what other programs call it.
fn other_names(kernel: &str) -> &'static [&'static str] {
    match kernel {
        "gaussian" => &["rbf"],
        _ => &[],
    }
}

/// How pairs are summed.
pub fn statistic() -> Choice<Statistic> {
    Choice::new("statistic")
        .entry("v", Statistic::V, "all pairs; never negative")
        .entry("u", Statistic::U, "pairs of different points; unbiased, can be negative")
        .ignoring_case()
}

/// How the distance to the boundary is measured.
pub fn distance() -> Choice<DistanceKind> {
    let meanings = [
        (DistanceKind::Exact, "by the domain's formula"),
        (DistanceKind::Nearest, "to the nearest boundary point"),
        (DistanceKind::Axes, "along each axis, one weight for each coordinate (truncsm)"),
    ];
    meanings
        .into_iter()
        .fold(Choice::new("distance"), |list, (kind, meaning)| list.entry(kind.name(), kind, meaning))
}

/// Norms.
pub fn norm() -> Choice<Norm> {
    Choice::new("norm")
        .entry("1", Norm::One, "the sum of the differences")
        .entry("2", Norm::Two, "the straight line")
        .entry("inf", Norm::Infinity, "the largest difference")
}

/// How bandwidth and ridge are chosen.
pub fn tune() -> Choice<Tune> {
    Choice::new("rule").entry("none", Tune::None, "as --bandwidth and --ridge say").entry(
        "agreement",
        Tune::Agreement,
        "the most precise that agrees with all that are less precise",
    )
}

/// How pairs of points are held.
pub fn compute() -> Choice<Compute> {
    let meaning = |form| match form {
        Compute::Auto => "exact up to 20,000 points, then low-rank where that is good enough",
        Compute::Dense => "all stored: fast for searches, memory grows with the square",
        Compute::Tiled => "computed when needed: exact, memory grows with the points",
        Compute::LowRank => "a few landmarks stand for all points, to --tolerance",
        _ => "",
    };
    Compute::ALL
        .into_iter()
        .fold(Choice::new("form"), |list, form| list.entry(form.name(), form, meaning(form)))
}

/// How boundary points are placed.
pub fn boundary_sampling() -> Choice<BoundaryScheme> {
    Choice::new("boundary sampling")
        .entry("uniform", BoundaryScheme::Uniform, "at random, uniformly on the surface")
        .entry("even", BoundaryScheme::Even, "at even distances along a curve in the plane")
        .entry("radial", BoundaryScheme::Radial, "normal draws projected along rays, as in the paper")
}

/// What a bootstrap draws.
pub fn resampling() -> Choice<Resampling> {
    Choice::new("resampling")
        .entry("nonparametric", Resampling::Nonparametric, "the observations again")
        .entry("parametric", Resampling::Parametric, "new data from the fitted density, inside the domain")
}

/// How intervals are made of replicates.
pub fn interval() -> Choice<Interval> {
    Choice::new("interval").entry("percentile", Interval::Percentile, "quantiles of the replicates").entry(
        "normal",
        Interval::Normal,
        "the estimate and multiples of its standard error",
    )
}

/// Where draws under the hypothesis of a test come from.
pub fn null() -> Choice<Null> {
    Choice::new("resampling").entry("wild", Null::Wild, "random signs of the observations").entry(
        "parametric",
        Null::Parametric,
        "new data from the density, fitted again",
    )
}

/// How the covariance of an estimate is computed.
pub fn cov() -> Choice<StandardErrors> {
    let meaning = |kind| match kind {
        StandardErrors::Information => "the inverse information of a likelihood, if the model is true",
        StandardErrors::Robust => "the sandwich over observations, whatever the truth",
        StandardErrors::Cluster => "over clusters, times G / (G - 1), with intervals by t with G - 1 degrees",
        _ => "",
    };
    StandardErrors::ALL
        .into_iter()
        .fold(Choice::new("covariance"), |list, kind| list.entry(kind.name(), kind, meaning(kind)))
}

/// Which limits of a response censor it.
pub fn censored() -> Choice<Censored> {
    Choice::new("side")
        .entry("both", Censored::Both, "all limits that are given")
        .entry("lower", Censored::Lower, "the lower limit; beyond the upper one responses are not seen")
        .entry("upper", Censored::Upper, "the upper limit; beyond the lower one responses are not seen")
}

/// What the kernel of a regression looks at.
pub fn kernel_on() -> Choice<KernelOn> {
    Choice::new("choice").entry("product", KernelOn::Product, "response and covariates").entry(
        "y",
        KernelOn::Response,
        "the response alone, as in the paper",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_meaning_and_its_value() {
        fn check<T: Clone>(choice: Choice<T>) {
            assert!(choice.entries().len() > 1, "{}", choice.what());
            for entry in choice.entries() {
                assert!(!entry.meaning.is_empty(), "{} {}", choice.what(), entry.name);
                assert!(entry.names().all(|name| choice.find(name).is_ok()));
            }
            let refusal = choice.find("nonsense").map(|_| ()).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("unknown {} \"nonsense\"", choice.what())), "{refusal}");
        }
        check(method());
        check(model());
        check(covariance());
        check(kernel());
        check(statistic());
        check(distance());
        check(norm());
        check(tune());
        check(compute());
        check(boundary_sampling());
        check(resampling());
        check(interval());
        check(null());
        check(kernel_on());
        check(cov());
        check(censored());
    }

    #[test]
    fn aliases_count_for_nearness() {
        assert_eq!(model().find("mixture").unwrap().name(), "gaussian-mixture");
        assert_eq!(model().find("mixtur").unwrap_err().nearest, "gaussian-mixture");
        assert_eq!(model().find("gausian").unwrap_err().nearest, "gaussian");
    }
}
