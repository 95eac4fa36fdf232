//! Methods: ways to estimate the parameters, each in its own file.
//!
//! | method | minimises | needs |
//! |---|---|---|
//! | [`efficient`](Estimator::efficient) | moment equations of test functions without flux through the boundary, with optimal weights | the domain, or points on the boundary |
//! | [`tksd`](Estimator::tksd) | Stein discrepancy of the kernel conditioned on zeros at the boundary points | points on the boundary |
//! | [`bdksd`](Estimator::bdksd) | Stein discrepancy of the kernel weighted by the distance to the boundary | distances |
//! | [`truncsm`](Estimator::truncsm) | score matching weighted by the distance to the boundary | distances |
//! | [`ksd`](Estimator::ksd) | Stein discrepancy that ignores the boundary | nothing |
//! | [`mle`](Estimator::mle) | negative log-likelihood that ignores the boundary | nothing |
//! | [`truncated_mle`](Estimator::truncated_mle) | negative log-likelihood inside the domain | the domain |
//!
//! A method is a [`Procedure`]: it lists the settings that it [uses](Uses), and prepares a [`Solver`] for
//! data and model. To add one, copy a sibling file and add it to the list of [`Method`]s below; the command
//! line, the Python package, the help and the messages take it from there.

mod bdksd;
mod checks;
mod choices;
pub mod conformance;
mod counting;
mod efficient;
mod estimator;
mod ksd;
pub(crate) mod leak;
mod mle;
mod pairs;
mod preparation;
mod settling;
mod setup;
mod stein;
mod support;
mod surface;
mod tksd;
mod truncated_mle;
mod truncsm;
mod uses;

use std::fmt::{self, Debug, Display, Formatter};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use checks::{check_domain, check_estimable, check_rows, check_spreads};
pub use choices::{AUTO_EXACT_LIMIT, Compute, DistanceKind, StandardErrors};
pub use counting::{CountedRegion, WIDEST_GAP};
pub use efficient::MOST_FEATURES;
pub use estimator::{DEFAULT_RIDGE, DEFAULT_TOLERANCE, Estimator};
pub(crate) use leak::{BoundaryCheck, sees_one_coordinate, smaller};
pub use leak::{BoundaryLeaks, Tie};
pub use preparation::Preparation;
pub(crate) use settling::{LARGEST_SETTLED_MOVE, moved};
pub use setup::{BoundaryUsed, ComputeUsed, Disagreement, KernelUsed, Setup};
pub use stein::SteinSolver;
pub(crate) use support::Supported;
pub use surface::NormalSource;
pub use uses::Uses;

use crate::error::{ANOTHER_METHOD, Error, FitError, ModelError};
use crate::interrupt::Interrupt;
use crate::minimise::Estimate;
use crate::model::Model;
use crate::points::Points;
use crate::stein::{Statistic, SteinForm};

/// A way to estimate: the settings it uses, its preparation, and through its [`Solver`] the estimation.
pub trait Procedure: Debug + Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;

    /// A one-line description for lists and help.
    fn meaning(&self) -> &'static str;

    /// The settings and the knowledge of the boundary that it uses.
    fn uses(&self) -> Uses;

    /// How fast a density may rise towards a limit of its support that the region reaches: the least exponent `s` of a
    /// density like `x^(s - 1)` at zero for which the equations have a finite variance (or, where what is left of a test
    /// function on the boundary is small, a mean), if the distance to the boundary is taken to `power`. `is_estimated`
    /// says whether `s` is.
    ///
    /// # Derivation
    ///
    /// The score is `psi = (s - 1) / x` at zero, up to bounded terms, and its derivative in `s` is `phi = 1 / x`. A Stein
    /// equation with a test function `f` has terms `f psi`, `f'` and `f phi`. Terms like `x^a` have a finite variance if
    /// `2 a + s > 0` and a mean if `a + s > 0`, and the boundary term `f p` vanishes under the same condition as the mean
    /// of `f psi`.
    ///
    /// - Likelihoods have no score of points, and equations with `log x`: no limit, which is zero.
    /// - A Stein discrepancy with distance weights (bdksd) has `f` like `x^power`, so that all terms are like
    ///   `x^(power - 1)`: a variance for `s > 2 - 2 power`, which is zero for the distance itself.
    /// - Score matching with distance weights `h = x^power` (truncsm) has `h psi phi`, which is `(s - 1) x^(power - 2)`
    ///   for the equation of `s` and `(s - 1) x^(power - 1)` for others: a variance for `s > 4 - 2 power` if `s` is
    ///   estimated, which is 2 for the distance itself, and for `s > 2 - 2 power` if not.
    /// - Test functions that vanish at boundary points (tksd, efficient) are like `x`, and their terms bounded, but for the
    ///   little that a ridge or a finite penalty leaves of them at zero. That leaves terms like `1 / x`, times a small
    ///   number: a mean for `s > 1`, below which one observation near zero outweighs that number; the variance, infinite
    ///   up to 2, is small until then.
    /// - Test functions that know no boundary (ksd) have terms like `1 / x` in full: a variance for `s > 2`.
    fn least_exponent(&self, _power: f64, _is_estimated: bool) -> f64 {
        0.0
    }

    /// Checks, computes everything that does not depend on parameters or observation weights, and records the
    /// setup in [`Preparation::setup`].
    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error>;
}

/// A method prepared for some data and a model: estimates for any observation weights.
pub trait Solver: Send + Sync {
    /// The estimate, with the influence of each observation on it.
    fn estimate(&self, task: &Task) -> Result<Estimate, Error>;

    /// The parameters for each of several sets of observation weights in place of the task's; `None` if there
    /// is no estimate. A search starts at the task's start.
    fn refits(&self, task: &Task, sets: &[Vec<f64>]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        refit_each(self, task, sets)
    }

    /// The Stein form whose discrepancy is minimised, if there is one.
    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        None
    }

    /// The same for a model with parameters that only counts determine ([`Counted`](crate::model::Counted)),
    /// for a method that does not find them otherwise.
    fn counting(self: Arc<Self>, _region: CountedRegion) -> Option<Arc<dyn Solver>> {
        None
    }

    /// The same with another statistic of the same pairs, if there are pairs.
    fn with_statistic(&self, _statistic: Statistic) -> Option<Arc<dyn Solver>> {
        None
    }
}

/// A separate estimate for each set of weights.
fn refit_each<S: Solver + ?Sized>(
    solver: &S,
    task: &Task,
    sets: &[Vec<f64>],
) -> Result<Vec<Option<Vec<f64>>>, Error> {
    let refit = |weights: &Vec<f64>| {
        let estimate = solver.estimate(&Task { weights, ..*task }).ok()?;
        estimate.theta.filter(|_| estimate.converged)
    };
    let found = sets.par_iter().map(refit).collect();
    task.interrupt.check()?;
    Ok(found)
}

/// An estimation task: a model's parameters from weighted data.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The data.
    pub data: &'a Points<'a>,
    /// Observation weights of mean 1, one for each point.
    pub weights: &'a [f64],
    /// The start of a search, in fitted parameters; if `None`, the model chooses it.
    pub start: Option<&'a [f64]>,
    /// The seed of everything random.
    pub seed: u64,
    /// A handle that ends the work early.
    pub interrupt: &'a Interrupt,
}

/// The method of an [`Estimator`].
///
/// ```
/// use steinbound::Method;
/// let tksd = Method::by_name("tksd").unwrap();
/// assert_eq!(tksd, Method::TKSD);
/// assert!(tksd.uses().boundary_points && !Method::MLE.uses().kernel);
/// ```
#[derive(Clone, Copy)]
pub struct Method {
    procedure: &'static dyn Procedure,
}

/// The methods of this crate: a constant for each, and the list of all.
macro_rules! methods {
    ($($(#[$docs:meta])* $constant:ident = $procedure:expr;)*) => {
        impl Method {
            $($(#[$docs])* pub const $constant: Method = Method::new(&$procedure);)*

            /// All methods, in the order in which lists show them.
            pub const ALL: [Method; [$(stringify!($constant)),*].len()] = [$(Method::$constant),*];
        }
    };
}

methods! {
    /// Efficient Stein estimation: optimal weights, and no flux through the boundary.
    EFFICIENT = efficient::Efficient;
    /// Truncated kernelised Stein discrepancy: boundary points only.
    TKSD = tksd::Tksd;
    /// Kernelised Stein discrepancy with a distance weight.
    BDKSD = bdksd::Bdksd;
    /// Truncated score matching.
    TRUNCSM = truncsm::Truncsm;
    /// Kernelised Stein discrepancy that ignores the boundary.
    KSD = ksd::Ksd;
    /// Maximum likelihood that ignores the boundary.
    MLE = mle::Mle;
    /// Maximum likelihood of the truncated density.
    TRUNCATED_MLE = truncated_mle::TruncatedMle;
}

impl Method {
    /// The method of a procedure, which may be defined outside this crate.
    pub const fn new(procedure: &'static dyn Procedure) -> Method {
        Method { procedure }
    }

    /// The method of this crate with that name.
    pub fn by_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The name by which the method is chosen.
    pub fn name(self) -> &'static str {
        self.procedure.name()
    }

    /// A one-line description.
    pub fn meaning(self) -> &'static str {
        self.procedure.meaning()
    }

    /// The settings and the knowledge of the boundary that it uses.
    pub fn uses(self) -> Uses {
        self.procedure.uses()
    }

    /// Whether the method is a Stein discrepancy, with kernel, bandwidth and statistic.
    pub fn has_kernel(self) -> bool {
        self.uses().kernel
    }

    /// Whether its estimates can be tested for goodness of fit: by its own discrepancy, or a likelihood by another.
    pub fn is_testable(self) -> bool {
        self.has_kernel() || self == Method::MLE || self == Method::TRUNCATED_MLE
    }

    /// Whether the method weights points by their distance to the boundary.
    pub fn has_distance(self) -> bool {
        self.uses().has_distance()
    }

    pub(crate) fn procedure(self) -> &'static dyn Procedure {
        self.procedure
    }
}

/// The names of the methods that satisfy a condition, as a remedy lists them: `tksd, bdksd or truncsm`.
pub(crate) fn names_where(condition: impl Fn(Uses) -> bool) -> String {
    let names: Vec<&str> =
        Method::ALL.iter().filter(|method| condition(method.uses())).map(|method| method.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_string(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The error for a model that lacks a property the method needs; the remedy lists the methods that satisfy a
/// condition.
fn unsuited(error: Error, condition: impl Fn(Uses) -> bool) -> Error {
    match error {
        Error::Model(ModelError::Unsupported { model, action, remedy: ANOTHER_METHOD }) => {
            FitError::Unsuited { model, action, instead: names_where(condition) }.into()
        }
        other => other,
    }
}

/// The method if none is chosen: [`EFFICIENT`](Method::EFFICIENT).
impl Default for Method {
    fn default() -> Method {
        Method::EFFICIENT
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Method {}

impl Debug for Method {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "Method({})", self.name())
    }
}

impl Display for Method {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        let name = String::deserialize(deserializer)?;
        Method::by_name(&name).ok_or_else(|| serde::de::Error::custom(format!("there is no method {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_own_name_and_a_meaning() {
        for (place, method) in Method::ALL.iter().enumerate() {
            assert!(!method.meaning().is_empty(), "{method}");
            assert_eq!(Method::ALL.iter().position(|other| other == method), Some(place));
            let json = serde_json::to_string(method).unwrap();
            assert_eq!(serde_json::from_str::<Method>(&json).unwrap(), *method);
        }
        assert!(serde_json::from_str::<Method>("\"nonsense\"").is_err());
    }

    #[test]
    fn remedies_list_methods_by_what_they_use() {
        assert_eq!(names_where(|uses| uses.has_distance()), "bdksd or truncsm");
        assert_eq!(names_where(|uses| uses.ridge), "tksd");
    }
}
