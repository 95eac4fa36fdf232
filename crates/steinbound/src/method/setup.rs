//! The record of the settings in use, part of every result.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::settling::TOLERATED_FLUX;
use super::{DistanceKind, Method, NormalSource};
use crate::stein::{Holder, Statistic};

/// The settings with which a result was computed.
///
/// Every result contains it: [`Fit`](crate::Fit) and [`Problem`](crate::fit::Problem) as `setup`, JSON as
/// fields of the result itself.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
/// let model = Gaussian::with_variance(1, 1.0)?;
/// let problem = Estimator::ksd().check(&data, &model)?;
/// let setup = problem.setup();
/// assert_eq!((setup.n, setup.method.name(), setup.ridge), (3, "ksd", None));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Setup {
    /// The method.
    pub method: Method,
    /// The model's name.
    pub model: String,
    /// The statistic, for methods that have one.
    pub statistic: Option<Statistic>,
    /// The number of observations.
    pub n: usize,
    /// The number of coordinates.
    pub d: usize,
    /// The number of boundary points in use.
    pub m: usize,
    /// The kernel, for methods that have one.
    pub kernel: Option<KernelUsed>,
    /// The ridge, for methods that have one.
    pub ridge: Option<f64>,
    /// How distances to the boundary are measured, for methods that measure them.
    pub distance: Option<DistanceKind>,
    /// The mean share of the kernel that remains on the boundary between the boundary points (TKSD; see
    /// [`Conditioned::leaks`](crate::stein::Conditioned::leaks)).
    pub leak: Option<f64>,
    /// How the boundary is represented, for methods that let no flux through it.
    #[serde(default)]
    pub boundary: Option<BoundaryUsed>,
    /// How the pairs are computed, for methods that have pairs.
    pub compute: Option<ComputeUsed>,
}

impl Setup {
    /// The method that makes the estimate: [`Method::TKSD`] where another method has left it to that one, else
    /// the method that was asked for.
    pub fn estimated_by(&self) -> Method {
        // A method without a ridge that records one has left the estimate.
        match self.ridge.is_some() && !self.method.uses().ridge {
            true => Method::TKSD,
            false => self.method,
        }
    }
}

/// How the boundary was represented, and how far the estimate moves with another representation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BoundaryUsed {
    /// Where the normals of the boundary points come from.
    pub normals: NormalSource,
    /// The number of boundary points without a normal, at which every component is penalised.
    pub without_normal: usize,
    /// The distance between boundary points near the data, in bandwidths, if they were placed by it.
    pub spacing: Option<f64>,
    /// How often the bandwidth was halved.
    pub halvings: usize,
    /// The flux that the penalty tolerates, `tau`: its strength is the number of observations over this.
    #[serde(default = "usual_flux")]
    pub tolerated_flux: f64,
    /// The move of the estimate with twice as many boundary points, where the region is known.
    pub finer: Option<Disagreement>,
    /// The move of the estimate with a penalty that tolerates a tenth of the flux.
    pub tighter: Option<Disagreement>,
}

/// That of results which do not say.
fn usual_flux() -> f64 {
    TOLERATED_FLUX
}

/// In one line, for tables.
impl Display for BoundaryUsed {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self.normals {
            NormalSource::Given => "boundary: given normals",
            NormalSource::Region => "boundary: normals from the region",
            NormalSource::Neighbours => "boundary: normals from neighbouring points",
            NormalSource::None => "boundary: no normals, every component is penalised",
        })?;
        if self.without_normal > 0 && self.normals != NormalSource::None {
            write!(f, ", {} points without one", self.without_normal)?;
        }
        match self.halvings {
            0 => {}
            1 => f.write_str("; bandwidth halved once")?,
            times => write!(f, "; bandwidth halved {times} times")?,
        }
        match self.tolerated_flux < TOLERATED_FLUX {
            true => f.write_str("; a tenth of the usual flux is tolerated"),
            false => Ok(()),
        }
    }
}

/// The difference of two estimates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Disagreement {
    /// The parameter in which they differ most.
    pub parameter: String,
    /// The difference, in standard errors of the fit.
    pub standard_errors: f64,
}

/// The kernel that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KernelUsed {
    /// Its name.
    pub name: String,
    /// Its bandwidth, in the data's units (times the scale of a coordinate, if coordinates have scales).
    pub bandwidth: f64,
}

/// How the pairs were computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComputeUsed {
    /// The form, and for a low-rank one its rank and residual.
    #[serde(flatten)]
    pub holder: Holder,
    /// The number of threads; results do not depend on it.
    pub threads: usize,
    /// The vector instructions in use: `avx512`, `avx2` or `portable`.
    #[serde(default)]
    pub simd: String,
    /// The reason for this form.
    #[serde(default)]
    pub reason: String,
}

impl ComputeUsed {
    /// The form by its name, with rank and residual if it is of low rank.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::ksd().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.setup.compute.unwrap().describe(), "dense");
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn describe(&self) -> String {
        let holder = &self.holder;
        match (holder.rank, holder.residual) {
            (Some(rank), Some(residual)) => format!("{} (rank {rank}, residual {residual:.1e})", holder.form),
            _ => holder.form.to_string(),
        }
    }
}
