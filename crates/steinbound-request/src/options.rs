//! The options that all faces share, described once.
//!
//! To add one, write its description here and list it in a group. The command line then has it in its help
//! and notes, and Python and R find it by its name.

use serde_json::{Value as Json, json};
use steinbound::Estimator;
use steinbound::kernel::Bandwidth;

use crate::choice::Choice;
use crate::choices;
use crate::effect::Needs;
use crate::option::{Apply, Kind, OptionSpec, Preset};

/// How the distance to the boundary is measured.
pub static DISTANCE: OptionSpec = OptionSpec::new(
    "distance",
    "Method",
    "KIND",
    Kind::Choice(|| choices::distance().names()),
    "The distance to the boundary for bdksd and truncsm",
)
.details(
    "Where a domain has no formula for it, truncsm measures along the axes and bdksd to the nearest of many boundary points; \
     a bias by too few of them is measured and warned of.",
)
.default(Preset::Words("exact where the domain is known"))
.needs(Needs::Distance)
.apply(Apply::Name(|e, name| chosen(e, choices::distance(), name, Estimator::distance)));

/// The norm of the distance.
pub static DISTANCE_NORM: OptionSpec = OptionSpec::new(
    "distance-norm",
    "Method",
    "NORM",
    Kind::Choice(|| choices::norm().names()),
    "The norm in which the nearest boundary point is sought",
)
.default(Preset::Words("2"))
.needs(Needs::NearestDistance)
.apply(Apply::Name(|e, name| chosen(e, choices::norm(), name, Estimator::distance_norm)));

/// The power of the distance.
pub static DISTANCE_POWER: OptionSpec = OptionSpec::new(
    "distance-power",
    "Method",
    "POWER",
    Kind::Number,
    "The power to which bdksd and truncsm raise the distance",
)
.default(Preset::Words("1"))
.needs(Needs::Distance)
.apply(Apply::Number(Estimator::distance_power));

/// V- or U-statistic.
pub static STATISTIC: OptionSpec = OptionSpec::new(
    "statistic",
    "Method",
    "STATISTIC",
    Kind::Choice(|| choices::statistic().names()),
    "How pairs are summed",
)
.default(Preset::Words("v"))
.needs(Needs::Statistic)
.apply(Apply::Name(|e, name| chosen(e, choices::statistic(), name, Estimator::statistic)));

/// The kernel.
pub static KERNEL: OptionSpec = OptionSpec::new(
    "kernel",
    "Method",
    "KERNEL",
    Kind::Choice(|| choices::kernel().names()),
    "The kernel of efficient, tksd, bdksd and ksd",
)
.default(Preset::Words("gaussian"))
.needs(Needs::Kernel)
.apply(Apply::Name(|e, name| chosen(e, choices::kernel(), name, Estimator::kernel)));

/// The bandwidth.
pub static BANDWIDTH: OptionSpec = OptionSpec::new(
    "bandwidth",
    "Method",
    "SIGMA",
    Kind::NumberOr("median", "give a positive number or \"median\""),
    "The width of the kernel in the data's units, or \"median\"",
)
.details(
    "It is the sigma of exp(-|x-y|^2 / (2 sigma^2)); \"median\" is the median distance between data points, at which \
     efficient (and tksd, if only the region is given) begins: it is halved until the estimate settles.",
)
.default(Preset::Words("median"))
.needs(Needs::Kernel)
.apply(Apply::Number(|e, value| e.bandwidth(Bandwidth::Fixed(value))));

/// The ridge.
pub static RIDGE: OptionSpec = OptionSpec::new(
    "ridge",
    "Method",
    "RIDGE",
    Kind::Number,
    "The ridge on the boundary's kernel matrix, for tksd",
)
.details("By default 0.001 for boundary points that are given, and otherwise by bandwidth, surface and rows.")
.default(Preset::Words("auto"))
.needs(Needs::Ridge)
.apply(Apply::Number(Estimator::ridge));

/// How bandwidth and ridge are chosen.
pub static TUNE: OptionSpec = OptionSpec::new(
    "tune",
    "Method",
    "RULE",
    Kind::Choice(|| choices::tune().names()),
    "How bandwidth and ridge are chosen",
)
.details("With a rule, --bandwidth and --ridge are where the search starts.")
.default(Preset::Words("none"))
.needs(Needs::Tuning);

/// How pairs of points are held.
pub static COMPUTE: OptionSpec = OptionSpec::new(
    "compute",
    "Computation",
    "FORM",
    Kind::Choice(|| choices::compute().names()),
    "How pairs of points are held",
)
.default(Preset::Words("auto"))
.needs(Needs::Statistic)
.apply(Apply::Name(|e, name| chosen(e, choices::compute(), name, Estimator::compute)));

/// The precision of the low-rank form.
pub static TOLERANCE: OptionSpec = OptionSpec::new(
    "tolerance",
    "Computation",
    "T",
    Kind::Number,
    "The share of the kernel that landmarks may leave out",
)
.default(Preset::Words("0.001"))
.needs(Needs::LowRank)
.apply(Apply::Number(Estimator::tolerance));

/// The number of steps of a search.
pub static MAX_ITERATIONS: OptionSpec = OptionSpec::new(
    "max-iterations",
    "Computation",
    "N",
    Kind::Count,
    "The most steps of a search for the estimate",
)
.details("A search that would need more has not converged. Estimates in closed form need none.")
.default(Preset::Words("200"))
.needs(Needs::Search)
.apply(Apply::Count(Estimator::max_iterations));

/// The length of the last step of a search.
pub static SEARCH_TOLERANCE: OptionSpec = OptionSpec::new(
    "search-tolerance",
    "Computation",
    "T",
    Kind::Number,
    "The length of a search's last step, relative to the parameters",
)
.default(Preset::Words("rounding"))
.needs(Needs::Search)
.apply(Apply::Number(Estimator::search_tolerance));

/// The time that a computation may take.
pub static TIME_LIMIT: OptionSpec =
    OptionSpec::new("time-limit", "Computation", "SECONDS", Kind::Number, "The most seconds to compute for")
        .details(
            "A search ends then, and its result so far is given as one that has not converged; what would have followed, such \
             as a bootstrap, is left out. Where there is nothing to give yet, one message says so.",
        )
        .default(Preset::Words("none"));

/// Normals of boundary points.
pub static BOUNDARY_NORMALS: OptionSpec = OptionSpec::new(
    "boundary-normals",
    "Region",
    "A,B",
    Kind::Columns,
    "Columns with the normals of the boundary points",
)
.details(
    "They are columns of the boundary's table, by header or number from 1, one for each coordinate in the order of the data's \
     columns; the others have the coordinates. A normal is perpendicular to the boundary; its length and sign do not matter. \
     Where neither normals nor the region are given they are found from neighbouring points.",
)
.default(Preset::Words("from the region"))
.needs(Needs::BoundaryNormals);

/// The number of boundary points.
pub static BOUNDARY_POINTS: OptionSpec = OptionSpec::new(
    "boundary-points",
    "Region",
    "M",
    Kind::Count,
    "How many boundary points to sample from a map or a domain",
)
.details(
    "By default efficient and tksd place as many as bandwidth and data need, until the estimate settles; others sample \
     8 d^2, at least 200, at most 4,000, or 4,000 for distances to the nearest of them.",
)
.default(Preset::Words("auto"))
.needs(Needs::SampledBoundary)
.apply(Apply::Count(Estimator::boundary_points));

/// The number of boundary points of a regression.
pub static REGRESSION_BOUNDARY_POINTS: OptionSpec =
    OptionSpec::new("boundary-points", "Method", "M", Kind::Count, "How many boundary points to use")
        .default(Preset::Words("auto"))
        .needs(Needs::SampledBoundary)
        .apply(Apply::Count(Estimator::boundary_points));

/// How boundary points are placed.
pub static BOUNDARY_SAMPLING: OptionSpec = OptionSpec::new(
    "boundary-sampling",
    "Region",
    "SCHEME",
    Kind::Choice(|| choices::boundary_sampling().names()),
    "How to place sampled boundary points",
)
.default(Preset::Words("uniform"))
.needs(Needs::SampledBoundary)
.apply(Apply::Name(|e, name| chosen(e, choices::boundary_sampling(), name, Estimator::boundary_scheme)));

/// Whether data outside the domain are kept.
pub static ALLOW_OUTSIDE: OptionSpec = OptionSpec::new(
    "allow-outside",
    "Region",
    "",
    Kind::Flag,
    "Keep data outside the domain or the limits, which otherwise are refused",
)
.needs(Needs::Domain)
.apply(Apply::Flag(Estimator::allow_outside));

/// Whether data outside the domain are left out.
pub static DROP_OUTSIDE: OptionSpec = OptionSpec::new(
    "drop-outside",
    "Region",
    "",
    Kind::Flag,
    "Leave out data outside the domain or the limits, which otherwise are refused",
)
.needs(Needs::Domain);

/// The confidence level.
pub static CONFIDENCE: OptionSpec =
    OptionSpec::new("confidence", "Inference", "LEVEL", Kind::Number, "The confidence level of intervals")
        .default(Preset::Value("0.95"))
        .apply(Apply::Number(Estimator::confidence));

/// The seed.
pub static SEED: OptionSpec =
    OptionSpec::new("seed", "Computation", "N", Kind::Seed, "The seed of everything random")
        .details("The same input, seed and vector unit give the same bits, whatever the number of threads.")
        .default(Preset::Value("0"))
        .apply(Apply::Seed(Estimator::seed));

/// The number of replicates of a bootstrap.
pub static BOOTSTRAP: OptionSpec = OptionSpec::new(
    "bootstrap",
    "Inference",
    "B",
    Kind::Draws,
    "Standard errors and intervals by bootstrap, with this number of replicates",
)
.default(Preset::Words("sandwich"));

/// What a bootstrap draws.
pub static RESAMPLING: OptionSpec = OptionSpec::new(
    "resampling",
    "Inference",
    "KIND",
    Kind::Choice(|| choices::resampling().names()),
    "What the bootstrap draws",
)
.default(Preset::Words("nonparametric"))
.needs(Needs::Bootstrap);

/// How intervals are made of replicates.
pub static INTERVAL: OptionSpec = OptionSpec::new(
    "interval",
    "Inference",
    "KIND",
    Kind::Choice(|| choices::interval().names()),
    "How intervals are made of replicates",
)
.default(Preset::Words("percentile"))
.needs(Needs::Bootstrap);

/// The number of draws of a test.
pub static TEST_DRAWS: OptionSpec =
    OptionSpec::new("bootstrap", "Inference", "B", Kind::Draws, "The number of draws under the hypothesis")
        .default(Preset::Words("500"))
        .needs(Needs::Test);

/// The level of a test.
pub static LEVEL: OptionSpec = OptionSpec::new(
    "level",
    "Inference",
    "LEVEL",
    Kind::Number,
    "The level of the test: how often a true model may be rejected",
)
.default(Preset::Value("0.05"));

/// Where draws under the hypothesis of a test come from.
pub static NULL: OptionSpec = OptionSpec::new(
    "resampling",
    "Inference",
    "KIND",
    Kind::Choice(|| choices::null().names()),
    "Where draws under the hypothesis come from",
)
.details(
    "By itself: wild for given parameters, unless boundary points are sparse; parametric for fitted ones, where data can be \
     drawn.",
)
.default(Preset::Words("as suits the test"))
.needs(Needs::Test);

/// What the kernel of a regression looks at.
pub static KERNEL_ON: OptionSpec = OptionSpec::new(
    "kernel-on",
    "Method",
    "WHAT",
    Kind::Choice(|| choices::kernel_on().names()),
    "What the kernel looks at",
)
.default(Preset::Words("product"))
.needs(Needs::Kernel);

/// The standard deviation of the noise of a regression.
pub static KNOWN_SIGMA: OptionSpec = OptionSpec::new(
    "known-sigma",
    "Model",
    "V",
    Kind::Number,
    "The standard deviation of the noise, where it is known",
)
.default(Preset::Words("estimated"));

/// The model.
pub static MODEL: OptionSpec =
    OptionSpec::new("model", "Model", "MODEL", Kind::Choice(|| choices::model().names()), "The model")
        .default(Preset::Words("gaussian"));

/// The number of components of a mixture.
pub static COMPONENTS: OptionSpec = OptionSpec::new(
    "components",
    "Model",
    "K|A..B",
    Kind::Components,
    "The number of components of a mixture, from 1 to 1000; fit chooses from a range such as 1..5",
)
.details(
    "Of a range, every number is fitted. Where the region is known the one with the smallest BIC of the truncated likelihood is \
     taken; where only boundary points are, the first that a test does not reject and whose discrepancy on held-out data is \
     near the smallest. The values of all are shown.",
);

/// A covariance that is known.
pub static KNOWN_COVARIANCE: OptionSpec = OptionSpec::new(
    "known-covariance",
    "Model",
    "V",
    Kind::Matrix,
    "The known covariance: a number, a comma list (diagonal), or a .csv matrix",
)
.details(
    "A number stands for itself times the identity. Units are the data's, squared (square kilometres with --project). Only means \
     are estimated then.",
);

/// The covariance of a simulation.
pub static SIMULATED_COVARIANCE: OptionSpec =
    OptionSpec::new("known-covariance", "Model", "V", Kind::Matrix, "The covariance, as in fit")
        .default(Preset::Words("identity"));

/// The shape of an unknown covariance.
pub static COVARIANCE: OptionSpec = OptionSpec::new(
    "covariance",
    "Model",
    "SHAPE",
    Kind::Choice(|| choices::covariance().names()),
    "The shape of an unknown covariance",
)
.default(Preset::Words("full"))
.needs(Needs::UnknownCovariance);

/// Whether the weights of a mixture are estimated.
pub static ESTIMATE_WEIGHTS: OptionSpec = OptionSpec::new(
    "estimate-weights",
    "Model",
    "",
    Kind::Flag,
    "Estimate the weights of a mixture, which otherwise are equal",
);

/// Parameters that are known.
pub static KNOWN: OptionSpec = OptionSpec::new(
    "known",
    "Model",
    "NAME=VALUE,..",
    Kind::Values,
    "Parameters that are known, such as degrees=4 of student-t",
)
.details(
    "The others are estimated. For models whose parameters have names: exponential, gamma and so on. A value holds in every \
     coordinate. The names are those of the table without the coordinate.",
);

/// A log-density as a formula.
pub static LOG_DENSITY: OptionSpec = OptionSpec::new(
    "log-density",
    "Model",
    "EXPR",
    Kind::Text,
    "Any log-density up to a constant, as a formula such as \"-(x1-mu)^2/2\"",
)
.details(
    "The formula is in x1, x2, .. or the names of columns, and in parameters of your own, which --start names. There are \
     + - * / ^, brackets, and functions such as log, exp, sqrt, sin and abs; derivatives are exact.",
)
.excludes(&["model", "known-covariance", "covariance", "components", "estimate-weights", "known"]);

/// Where a search starts.
pub static START: OptionSpec = OptionSpec::new(
    "start",
    "Model",
    "START",
    Kind::Values,
    "Where a search starts: mu=0,s=1 for a formula, all means in order for a mixture",
)
.details(
    "For a formula this also names its parameters. Other models take all parameters, in order or by name; a mixture also its means \
     alone. Without it a mixture is fitted from several starts, and its components are sorted by their first coordinate.",
);

/// Which model.
pub static MODELS: [&OptionSpec; 2] = [&MODEL, &COMPONENTS];

/// What is known of the density, whatever the model.
pub static DENSITY: [&OptionSpec; 6] =
    [&KNOWN_COVARIANCE, &COVARIANCE, &ESTIMATE_WEIGHTS, &KNOWN, &LOG_DENSITY, &START];

/// The model of a simulation.
pub static SIMULATED: [&OptionSpec; 8] = [
    &MODEL,
    &COMPONENTS,
    &SIMULATED_COVARIANCE,
    &COVARIANCE,
    &ESTIMATE_WEIGHTS,
    &KNOWN,
    &LOG_DENSITY,
    &START,
];
/// Which limits of a response censor it.
pub static CENSORED: OptionSpec = OptionSpec::new(
    "censored",
    "Model",
    "SIDE",
    Kind::ChoiceOr(|| choices::censored().names(), "both"),
    "Responses beyond a limit are recorded as the limit, instead of not being seen",
)
.details(
    "Without a value all limits censor; a value names the one that does, and rows beyond the other are not seen. Estimates are \
     then by likelihood (a Tobit model): mle, or truncated-mle where a limit truncates.",
);

/// How the covariance of an estimate is computed.
pub static COV: OptionSpec = OptionSpec::new(
    "cov",
    "Inference",
    "KIND",
    Kind::Choice(|| choices::cov().names()),
    "How standard errors are computed",
)
.default(Preset::Words("as suits method and data"))
.apply(Apply::Name(|e, name| chosen(e, choices::cov(), name, Estimator::standard_errors)));

/// Settings of an estimator, whatever the method.
pub static METHOD_SETTINGS: [&OptionSpec; 12] = [
    &DISTANCE,
    &DISTANCE_NORM,
    &DISTANCE_POWER,
    &STATISTIC,
    &KERNEL,
    &BANDWIDTH,
    &RIDGE,
    &TUNE,
    &COMPUTE,
    &TOLERANCE,
    &MAX_ITERATIONS,
    &SEARCH_TOLERANCE,
];

/// What comes with boundary points that are given.
pub static GIVEN_BOUNDARY: [&OptionSpec; 1] = [&BOUNDARY_NORMALS];

/// What is done with data outside the domain or the limits.
pub static OUTSIDE: [&OptionSpec; 2] = [&ALLOW_OUTSIDE, &DROP_OUTSIDE];

/// How boundary points are sampled.
pub static SAMPLING: [&OptionSpec; 2] = [&BOUNDARY_POINTS, &BOUNDARY_SAMPLING];

/// A bootstrap.
pub static BOOTSTRAPPING: [&OptionSpec; 3] = [&BOOTSTRAP, &RESAMPLING, &INTERVAL];

/// A test of goodness of fit.
pub static TESTING: [&OptionSpec; 3] = [&TEST_DRAWS, &LEVEL, &NULL];

/// What only a regression has.
pub static REGRESSION: [&OptionSpec; 5] =
    [&CENSORED, &KNOWN_SIGMA, &KERNEL_ON, &REGRESSION_BOUNDARY_POINTS, &COV];

/// All settings of an estimator that faces without files have as arguments of one function.
///
/// ```
/// use steinbound_request::options;
/// assert!(options::estimator().any(|option| option.name == "ridge"));
/// ```
pub fn estimator() -> impl Iterator<Item = &'static OptionSpec> {
    let others = [&ALLOW_OUTSIDE, &CONFIDENCE, &SEED, &TIME_LIMIT];
    METHOD_SETTINGS.into_iter().chain(SAMPLING).chain(others)
}

/// All options.
pub fn all() -> impl Iterator<Item = &'static OptionSpec> {
    groups().into_iter().flat_map(|(_, list)| list)
}

/// All options with the name of their group.
fn groups() -> [(&'static str, Vec<&'static OptionSpec>); 7] {
    [
        ("estimator", estimator().collect()),
        ("boundary", GIVEN_BOUNDARY.to_vec()),
        ("rows", vec![&DROP_OUTSIDE]),
        ("bootstrap", BOOTSTRAPPING.to_vec()),
        ("test", TESTING.to_vec()),
        ("regression", REGRESSION.to_vec()),
        ("model", MODELS.into_iter().chain(DENSITY).collect()),
    ]
}

/// The descriptions of all options, for faces that are not written in Rust.
///
/// ```
/// let list = steinbound_request::options::json();
/// let ridge = list.as_array().unwrap().iter().find(|option| option["name"] == "ridge").unwrap();
/// assert_eq!((ridge["kind"].as_str(), ridge["default"].as_str()), (Some("number"), Some("auto")));
/// ```
pub fn json() -> Json {
    let described = |group: &str, option: &OptionSpec| {
        json!({
            "name": option.name,
            "group": group,
            "kind": option.kind.name(),
            "default": match option.default {
                Preset::Nothing => None,
                Preset::Value(text) | Preset::Words(text) => Some(text),
            },
            "is_required": matches!(option.default, Preset::Value(_)),
            "help": option.help,
            "details": option.details,
            "choices": option.kind.choice().map(|list| json!(list.entries())),
        })
    };
    let list =
        groups().into_iter().flat_map(|(group, list)| list.into_iter().map(move |option| (group, option)));
    list.map(|(group, option)| described(group, option)).collect()
}

/// Sets what a name stands for; names were checked when they were given.
fn chosen<T: Clone>(
    estimator: Estimator,
    list: Choice<T>,
    name: &str,
    set: impl FnOnce(Estimator, T) -> Estimator,
) -> Estimator {
    match list.find(name) {
        Ok(value) => set(estimator, value),
        Err(_) => estimator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_that_are_values_can_be_read_and_choices_have_theirs() {
        for option in all() {
            match (option.default, option.kind) {
                (Preset::Value(text), _) => assert!(option.parse(text).is_ok(), "{}", option.name),
                (Preset::Words(words), Kind::Choice(_)) if !words.contains(' ') => {
                    assert!(option.name_of(words).is_ok(), "{}", option.name);
                }
                _ => {}
            }
            assert!(!option.help.is_empty() && !option.help.ends_with('.'), "{}", option.name);
        }
    }
}
