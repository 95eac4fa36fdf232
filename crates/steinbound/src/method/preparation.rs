//! The preparation of a method: its inputs and what it records.

use std::sync::{Arc, OnceLock};

use super::leak::BoundaryCheck;
use super::pairs::Held;
use super::{ComputeUsed, DistanceKind, Estimator, KernelUsed, Setup};
use crate::compute::simd_level;
use crate::domain::{BoundaryDistance, BoundarySampling, Domain, default_boundary_count};
use crate::error::{Error, FitError};
use crate::model::{Model, checked_parameters};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::SteinForm;
use crate::warning::Warning;

/// Settings, data and model for preparing a [`Solver`](super::Solver), with a record of the choices made.
pub struct Preparation<'a> {
    /// The settings.
    pub estimator: &'a Estimator,
    /// The data.
    pub data: &'a Points<'a>,
    /// The model.
    pub model: &'a dyn Model,
    /// The setup, in which methods record their choices.
    pub setup: Setup,
    /// Warnings about the data and the settings.
    pub warnings: Vec<Warning>,
    /// Boundary points, given or sampled.
    pub(crate) boundary: Option<Points<'static>>,
    /// How well the boundary points represent the boundary, if that was measured.
    pub(crate) boundary_check: Option<BoundaryCheck>,
    /// The distances of some data to the boundary of the region, once they are asked for.
    region_distances: OnceLock<Vec<f64>>,
}

/// Distances to the boundary are measured for about so many data.
const MOST_MEASURED: usize = 500;

/// The number of boundary points sampled for distances to the nearest of them: the bias falls with their spacing,
/// and they cost next to nothing.
const NEAREST_OF: usize = 4_000;

impl<'a> Preparation<'a> {
    pub(crate) fn new(
        estimator: &'a Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Preparation<'a>, Error> {
        let uses = estimator.method.uses();
        let setup = Setup {
            method: estimator.method,
            model: model.name().to_string(),
            statistic: uses.statistic.then_some(estimator.statistic),
            n: data.len(),
            d: data.dimension(),
            m: 0,
            kernel: None,
            ridge: uses.ridge.then(|| estimator.fixed_ridge()),
            distance: None,
            leak: None,
            boundary: None,
            compute: None,
        };
        let boundary = match &estimator.boundary {
            Some(points) if points.dimension() != data.dimension() => {
                let (boundary, data) = (points.dimension(), data.dimension());
                return Err(FitError::BoundaryDimension { boundary, data }.into());
            }
            given => given.clone(),
        };
        check_normals(estimator, data.dimension())?;
        let warnings = Vec::new();
        let (boundary_check, region_distances) = (None, OnceLock::new());
        Ok(Preparation {
            estimator,
            data,
            model,
            setup,
            warnings,
            boundary,
            boundary_check,
            region_distances,
        })
    }

    /// Some of the data, at even steps.
    pub(crate) fn some_rows(&self) -> impl Iterator<Item = &'a [f64]> {
        self.data.rows().step_by(self.data.len().div_ceil(MOST_MEASURED))
    }

    /// The distances of [`some_rows`](Preparation::some_rows) to the boundary, where the region has a formula for
    /// them.
    pub(crate) fn region_distances(&self) -> Option<&[f64]> {
        let domain = self.estimator.domain.as_ref().filter(|domain| domain.has_distance())?;
        let measured = || {
            let mut gradient = vec![0.0; self.data.dimension()];
            self.some_rows().map(|x| domain.distance_to_boundary(x, &mut gradient)).collect()
        };
        Some(self.region_distances.get_or_init(measured))
    }

    /// The boundary points that the method uses: those given, or sampled from the domain.
    pub fn boundary_points(&mut self) -> Result<Points<'static>, Error> {
        let points = self.given_or_sampled()?;
        self.setup.m = points.len();
        self.boundary = Some(points.clone());
        Ok(points)
    }

    /// The same for distances to the nearest of them, for which many points are sampled if no number is given.
    fn dense_boundary_points(&mut self) -> Result<Points<'static>, Error> {
        if self.boundary.is_none() && self.estimator.boundary_points.is_none() && self.data.dimension() > 1 {
            self.boundary = Some(self.sampled_boundary(NEAREST_OF)?);
        }
        self.boundary_points()
    }

    /// The boundary points, not yet recorded.
    pub(super) fn given_or_sampled(&self) -> Result<Points<'static>, Error> {
        match &self.boundary {
            Some(points) => Ok(points.clone()),
            None => self.sampled_boundary(
                self.estimator.boundary_points.unwrap_or(default_boundary_count(self.data.dimension())),
            ),
        }
    }

    fn sampled_boundary(&self, count: usize) -> Result<Points<'static>, Error> {
        let Estimator { method, domain, boundary_scheme, seed, .. } = self.estimator;
        let domain = domain.as_ref().ok_or(FitError::NoBoundary { method: method.name() })?;
        let sampling = BoundarySampling::new(count).scheme(*boundary_scheme).near(self.data);
        Ok(domain.sample_boundary(&sampling, &mut stream(*seed, tasks::BOUNDARY))?)
    }

    /// Where a search starts, in fitted parameters, if that was given.
    pub(crate) fn start(&self) -> Result<Option<Vec<f64>>, Error> {
        let Preparation { estimator, data, model, .. } = self;
        let given = estimator.start.as_ref();
        Ok(given.map(|reported| checked_parameters(*model, reported, data.names())).transpose()?)
    }

    /// The domain to integrate over.
    pub fn domain(&self) -> Result<Arc<dyn Domain>, FitError> {
        let method = self.estimator.method.name();
        self.estimator.domain.clone().ok_or(FitError::NeedsDomain { method })
    }

    /// The distance to the boundary, of the requested kind or the best available.
    pub fn distance(&mut self) -> Result<BoundaryDistance, Error> {
        let Estimator { method, domain, distance, distance_norm, distance_power, interrupt, .. } =
            self.estimator;
        let kind = method.uses().distance(*distance, domain.as_deref());
        if !method.uses().distances.contains(&kind) {
            return Err(FitError::NoAxes { method: method.name() }.into());
        }
        self.setup.distance = Some(kind);
        let distance = match kind {
            DistanceKind::Axes => "distance to the boundary along the axes",
            _ => "exact distance to the boundary",
        };
        let known = || domain.clone().ok_or(FitError::NoDomain { distance });
        let distance = match kind {
            DistanceKind::Exact => {
                let domain = known()?;
                if !domain.has_distance() {
                    return Err(FitError::NoDistance { domain: domain.describe() }.into());
                }
                BoundaryDistance::exact(domain)
            }
            DistanceKind::Axes => BoundaryDistance::along_axes(known()?),
            DistanceKind::Nearest => {
                let points = self.dense_boundary_points()?;
                if points.is_empty() {
                    return Err(FitError::NoBoundaryPoints.into());
                }
                BoundaryDistance::nearest(points).with_norm(*distance_norm)
            }
        };
        Ok(distance.with_power(*distance_power)?.interrupt(interrupt.clone()))
    }

    /// The form of the plain kernel, without a boundary.
    pub fn plain_form(&mut self) -> Result<Arc<dyn SteinForm>, Error> {
        self.pairs(&Points::none(self.data.dimension()))?.form()
    }

    /// The kernel at the data, conditioned on boundary points, in the form that the settings select.
    pub(crate) fn pairs(&mut self, boundary: &Points) -> Result<Held, Error> {
        let Estimator { bandwidth, seed, interrupt, .. } = self.estimator;
        let bandwidth = bandwidth.find(self.data, *seed, interrupt)?;
        let held = Held::new(self.estimator, self.data, self.model, bandwidth, boundary)?;
        self.record(&held, bandwidth)?;
        Ok(held)
    }

    /// Records a kernel and how its pairs are held.
    pub(super) fn record(&mut self, held: &Held, bandwidth: f64) -> Result<(), Error> {
        let kernel = self.estimator.kernel.name().to_string();
        self.setup.kernel = Some(KernelUsed { name: kernel, bandwidth });
        self.setup.compute = Some(ComputeUsed {
            holder: held.form()?.holder(),
            threads: rayon::current_num_threads(),
            simd: simd_level().into(),
            reason: held.reason.clone(),
        });
        self.warnings.extend(held.warning.clone());
        Ok(())
    }
}

/// Refuses normals that do not belong to the given boundary points, or have no direction.
fn check_normals(estimator: &Estimator, dimension: usize) -> Result<(), FitError> {
    let Some(normals) = &estimator.boundary_normals else { return Ok(()) };
    let boundary = estimator.boundary.as_ref().map_or(0, Points::len);
    if normals.len() != boundary {
        return Err(FitError::NormalCount { normals: normals.len(), boundary });
    }
    if normals.dimension() != dimension {
        return Err(FitError::NormalDimension { normals: normals.dimension(), data: dimension });
    }
    match normals.rows().position(|normal| normal.iter().all(|v| *v == 0.0)) {
        Some(at) => Err(FitError::ZeroNormal { row: at + 1 }),
        None => Ok(()),
    }
}
