use std::time::Instant;

use serde::Serialize;

use super::{
    AUTO_DENSE_LIMIT, Compute, ComputeUsed, DistanceKind, Estimator, Fit, KernelUsed, Method, Settings,
    closed_form,
};
use crate::domain::{BoundaryDistance, default_boundary_count};
use crate::error::{DomainError, Error, FitError, ModelError};
use crate::matrix::Matrix;
use crate::model::{Model, checked_parameters, scores};
use crate::points::Points;
use crate::simulate::stream;
use crate::stein::{Conditioned, Radial, Statistic, SteinForm, Weighted, Witness, discrepancy_squared};
use crate::{likelihood, score_matching};

/// Data, boundary, kernel and model, checked against each other: ready to be fitted or evaluated.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
/// let model = Gaussian::with_variance(1, 1.0)?;
/// let problem = Estimator::ksd().check(&data, &model)?;
/// let at_zero = problem.discrepancy(&[0.0])?;
/// assert!(at_zero.squared >= problem.fit()?.discrepancy_squared.unwrap());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Problem<'a> {
    data: &'a Points<'a>,
    model: &'a dyn Model,
    task: Task,
    settings: Settings,
    /// The boundary points in use, given or sampled.
    boundary: Option<Points<'static>>,
}

/// What the method works on.
enum Task {
    Plain(Radial),
    Conditioned(Conditioned),
    Weighted(Weighted),
    ScoreMatching(BoundaryDistance),
    Likelihood,
}

/// The value of a discrepancy at given parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discrepancy {
    /// The square, which a U-statistic can make negative.
    pub squared: f64,
    /// The discrepancy itself; `None` where the square is negative.
    pub value: Option<f64>,
}

/// The witness function at some points.
#[derive(Debug, Clone, PartialEq)]
pub struct WitnessValues {
    /// One row for each point, one column for each coordinate.
    pub values: Matrix,
    /// TKSD only: the Lagrange multipliers `nu_l = -(K + e I)^-1 mean_i v_l(x_i)`, one row for each boundary point.
    pub multipliers: Option<Matrix>,
    /// The discrepancy (V-statistic) by which the witness is normalised.
    pub discrepancy: f64,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        estimator: &Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Problem<'a>, Error> {
        let started = Instant::now();
        check_rows(data)?;
        if model.dimension() != data.dimension() {
            return Err(
                ModelError::WrongDimension { model: model.dimension(), data: data.dimension() }.into()
            );
        }
        let method = estimator.method;
        let mut warnings = Vec::new();
        check_domain(estimator, data, &mut warnings)?;
        let distance = distance_kind(estimator);
        let needs_boundary =
            method == Method::Tksd || (method.has_distance() && distance == DistanceKind::Nearest);
        let boundary = boundary(estimator, data, needs_boundary)?;
        let mut settings = Settings {
            method,
            statistic: method.has_kernel().then_some(estimator.statistic),
            boundary_points: if needs_boundary { boundary.as_ref().map_or(0, Points::len) } else { 0 },
            kernel: None,
            ridge: (method == Method::Tksd).then_some(estimator.ridge),
            distance: method.has_distance().then(|| {
                match distance {
                    DistanceKind::Exact => "exact",
                    DistanceKind::Nearest => "nearest",
                }
                .to_string()
            }),
            compute: None,
            confidence: estimator.confidence,
            warnings,
            started,
        };
        let weight = || match (distance, &estimator.domain, &boundary) {
            (DistanceKind::Exact, Some(domain), _) => Ok(BoundaryDistance::Exact(domain.clone())),
            (DistanceKind::Exact, None, _) => Err(FitError::NoDomain),
            (DistanceKind::Nearest, _, Some(boundary)) => Ok(BoundaryDistance::Nearest(boundary.clone())),
            (DistanceKind::Nearest, _, None) => Err(FitError::NoBoundaryPoints),
        };
        let radial = |settings: &mut Settings| -> Result<Radial, Error> {
            let bandwidth = estimator.bandwidth.resolve(data, estimator.seed)?;
            let dense = match estimator.compute {
                Compute::Auto => data.len() <= AUTO_DENSE_LIMIT,
                Compute::Dense => true,
                Compute::Tiled => false,
            };
            let kernel = estimator.kernel.clone();
            settings.kernel = Some(KernelUsed { name: kernel.name().to_string(), bandwidth });
            let form = if dense {
                Radial::dense(data, kernel, bandwidth)?
            } else {
                Radial::tiled(data, kernel, bandwidth)?
            };
            settings.compute =
                Some(ComputeUsed { holder: form.holder(), threads: rayon::current_num_threads() });
            Ok(form)
        };
        let task = match (method, &boundary) {
            (Method::Mle, _) => Task::Likelihood,
            (Method::Truncsm, _) => Task::ScoreMatching(weight()?),
            (Method::Ksd, _) => Task::Plain(radial(&mut settings)?),
            (Method::Bdksd, _) => {
                let weight = weight()?;
                Task::Weighted(Weighted::new(radial(&mut settings)?, data, weight))
            }
            (Method::Tksd, Some(boundary)) => {
                let inner = radial(&mut settings)?;
                Task::Conditioned(Conditioned::new(inner, boundary, estimator.ridge)?)
            }
            (Method::Tksd, None) => return Err(FitError::NoBoundary { method: "tksd" }.into()),
        };
        Ok(Problem { data, model, task, settings, boundary })
    }

    /// The boundary points in use, given or sampled.
    pub fn boundary(&self) -> Option<&Points<'static>> {
        self.boundary.as_ref()
    }

    /// The settings of the kernel, for methods that have one.
    pub fn kernel(&self) -> Option<&KernelUsed> {
        self.settings.kernel.as_ref()
    }

    /// How the pairs are computed, for methods that have pairs.
    pub fn compute(&self) -> Option<&ComputeUsed> {
        self.settings.compute.as_ref()
    }

    /// The statistic, for methods that have one.
    pub fn statistic(&self) -> Option<Statistic> {
        self.settings.statistic
    }

    /// The ridge, for methods that have one.
    pub fn ridge(&self) -> Option<f64> {
        self.settings.ridge
    }

    /// The number of boundary points that the method uses.
    pub fn boundary_points(&self) -> usize {
        self.settings.boundary_points
    }

    /// What the user should know about the data.
    pub fn warnings(&self) -> &[String] {
        &self.settings.warnings
    }

    /// The form, for Stein discrepancies.
    fn form(&self) -> Result<&dyn SteinForm, FitError> {
        match &self.task {
            Task::Plain(form) => Ok(form),
            Task::Conditioned(form) => Ok(form),
            Task::Weighted(form) => Ok(form),
            Task::ScoreMatching(_) | Task::Likelihood => {
                Err(FitError::NoDiscrepancy { method: self.settings.method.name() })
            }
        }
    }

    /// Estimates the parameters.
    pub fn fit(&self) -> Result<Fit, Error> {
        let (rows, parameters) = (self.data.len(), self.model.parameters());
        if parameters > rows {
            return Err(FitError::MoreParametersThanData { parameters, rows }.into());
        }
        check_columns(self.data)?;
        let estimate = match &self.task {
            Task::Likelihood => likelihood::naive(self.model, self.data)?,
            Task::ScoreMatching(distance) => score_matching::minimise(self.model, self.data, distance)?,
            _ => {
                let statistic = self.settings.statistic.unwrap_or_default();
                closed_form::minimise(self.form()?, self.model, self.data, statistic)?
            }
        };
        let values = estimate.theta.iter().flatten();
        if values.chain(estimate.influence.values()).any(|v| !v.is_finite()) {
            return Err(FitError::NotFinite { what: "estimate" }.into());
        }
        Ok(Fit::new(estimate, self.model, self.data, self.settings.clone()))
    }

    /// The discrepancy at given parameters, in reported order.
    pub fn discrepancy(&self, reported: &[f64]) -> Result<Discrepancy, Error> {
        let statistic = self.settings.statistic.unwrap_or_default();
        self.discrepancy_of(reported, statistic)
    }

    fn discrepancy_of(&self, reported: &[f64], statistic: Statistic) -> Result<Discrepancy, Error> {
        let theta = checked_parameters(self.model, reported, self.data.names())?;
        let psi = scores(self.model, self.data, &theta);
        let squared = discrepancy_squared(self.form()?, psi, &self.data.weights(), statistic);
        if !squared.is_finite() {
            return Err(FitError::NotFinite { what: "discrepancy" }.into());
        }
        Ok(Discrepancy { squared, value: (squared >= 0.0).then(|| squared.sqrt()) })
    }

    /// The witness function for given parameters (in reported order) at some points.
    pub fn witness(&self, reported: &[f64], targets: &Points) -> Result<WitnessValues, Error> {
        if targets.dimension() != self.data.dimension() {
            return Err(ModelError::WrongDimension {
                model: self.data.dimension(),
                data: targets.dimension(),
            }
            .into());
        }
        let theta = checked_parameters(self.model, reported, self.data.names())?;
        let psi = scores(self.model, self.data, &theta);
        let discrepancy = self.discrepancy_of(reported, Statistic::V)?.value.unwrap_or(0.0);
        let witness = Witness::new(self.form()?, &psi, &self.data.weights(), discrepancy);
        let multipliers = match &self.task {
            Task::Conditioned(form) => Some(witness.multipliers(form)),
            _ => None,
        };
        Ok(WitnessValues { values: witness.at(targets)?, multipliers, discrepancy })
    }
}

fn check_rows(data: &Points) -> Result<(), FitError> {
    let rows = (0..data.len()).filter(|i| data.weight(*i) > 0.0).count();
    if rows < 2 {
        return Err(FitError::TooFewRows { rows });
    }
    Ok(())
}

fn check_columns(data: &Points) -> Result<(), FitError> {
    let bounds = data.bounds();
    match bounds.iter().position(|(low, high)| low == high) {
        Some(at) => Err(FitError::ConstantColumn { name: data.names()[at].clone(), value: bounds[at].0 }),
        None => Ok(()),
    }
}

fn check_domain(estimator: &Estimator, data: &Points, warnings: &mut Vec<String>) -> Result<(), FitError> {
    let Some(domain) = &estimator.domain else {
        return Ok(());
    };
    if domain.dimension() != data.dimension() {
        return Err(FitError::DomainDimension {
            domain: domain.describe(),
            dimension: domain.dimension(),
            data: data.dimension(),
        });
    }
    let outside: Vec<usize> = (0..data.len()).filter(|i| !domain.contains(data.row(*i))).collect();
    let Some(first) = outside.first().copied() else {
        return Ok(());
    };
    if !estimator.allow_outside {
        return Err(FitError::OutsideDomain {
            domain: domain.describe(),
            outside: outside.len(),
            rows: data.len(),
            first: first + 1,
            point: format!("{:?}", data.row(first)),
        });
    }
    warnings.push(format!(
        "{} of {} data points lie outside the {}; they were kept",
        outside.len(),
        data.len(),
        domain.describe()
    ));
    Ok(())
}

fn distance_kind(estimator: &Estimator) -> DistanceKind {
    estimator.distance.unwrap_or(if estimator.domain.is_some() {
        DistanceKind::Exact
    } else {
        DistanceKind::Nearest
    })
}

/// The boundary points given, or sampled from the domain where the method needs some.
fn boundary(estimator: &Estimator, data: &Points, needed: bool) -> Result<Option<Points<'static>>, Error> {
    if let Some(boundary) = &estimator.boundary {
        if boundary.dimension() != data.dimension() {
            return Err(FitError::BoundaryDimension {
                boundary: boundary.dimension(),
                data: data.dimension(),
            }
            .into());
        }
        if boundary.is_empty() && estimator.method != Method::Tksd && needed {
            return Err(FitError::NoBoundaryPoints.into());
        }
        return Ok(Some(boundary.clone()));
    }
    let domain = match &estimator.domain {
        Some(domain) if needed => domain,
        None if needed => {
            return Err(FitError::NoBoundary { method: estimator.method.name() }.into());
        }
        _ => return Ok(None),
    };
    let count = match estimator.boundary_points {
        Some(0) => return Err(DomainError::NoPoints.into()),
        Some(count) => count,
        None => default_boundary_count(data.dimension()),
    };
    let rng = &mut stream(estimator.seed, 1);
    let points = domain.sample_boundary(count, estimator.boundary_scheme, Some(data), rng)?;
    Ok(Some(points))
}
