//! Where, and in which direction, model and data disagree.

use serde_json::{Value as Json, json};
use steinbound::fit::{Problem, WitnessValues};
use steinbound::text::visible;
use steinbound::{Fit, Method, Points, Warning, check_memory};

use crate::error::RequestError;
use crate::region::{ProjectionUsed, RegionUsed};
use crate::request::Case;
use crate::values::Values;

/// Points along each axis of a grid, unless another number is asked for.
const GRID: usize = 25;

/// Points of a grid at most.
const MOST_POINTS: usize = 4_000_000;

/// Where the witness is evaluated.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Targets {
    /// On a grid with this many points along each axis.
    Grid(usize),
    /// At these points, in degrees where there is a projection.
    Points(Points<'static>),
    /// On a grid of 25 points along each axis in one and two dimensions, at the data in more.
    Default,
}

/// The witness function, of the schema `steinbound.witness/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WitnessAnswer {
    /// The method.
    pub method: Method,
    /// The values.
    pub found: WitnessValues,
    /// Where they are, in degrees where there is a projection.
    pub points: Points<'static>,
    /// Which of these lie inside the domain, where it is known.
    pub inside: Option<Vec<bool>>,
    /// The boundary points.
    pub boundary: Option<Points<'static>>,
    /// The parameters, given or fitted.
    pub at: Vec<f64>,
    /// The same on the plane.
    pub flat_at: Vec<f64>,
    /// Whether the parameters were fitted.
    pub is_fitted: bool,
    /// The projection, where there is one.
    pub projection: Option<ProjectionUsed>,
    /// The region, where it is known.
    pub region: Option<RegionUsed>,
    /// What the user should know before trusting the parameters.
    pub warnings: Vec<Warning>,
    /// Whether fitted parameters can be trusted.
    pub is_sound: bool,
}

impl WitnessAnswer {
    /// The answer as JSON.
    pub fn json(&self) -> Json {
        json!({
            "schema": "steinbound.witness/1",
            "method": self.method,
            "at": self.at,
            "projection": self.projection,
            "region": self.region,
            "discrepancy": self.found.discrepancy,
            "points": self.points.rows().collect::<Vec<_>>(),
            "g": self.found.values.transpose(),
            "inside": self.inside,
            "boundary": self.boundary.as_ref().map(|b| b.rows().map(<[f64]>::to_vec).collect::<Vec<_>>()),
            "warnings": self.warnings.iter().map(Warning::text).collect::<Vec<_>>(),
            "multipliers": self.found.multipliers.as_ref().map(|m| m.transpose()),
        })
    }

    /// One row for each point: its coordinates and the witness there, under names that a terminal can show.
    pub fn rows(&self) -> Result<Points<'static>, RequestError> {
        let names: Vec<_> = self.points.names().iter().map(|name| visible(name)).collect();
        let header =
            names.iter().map(ToString::to_string).chain(names.iter().map(|name| format!("g[{name}]")));
        let row = |i: usize| {
            let g = (0..names.len()).map(|l| self.found.values[(i, l)]).collect::<Vec<_>>();
            [self.points.row(i), &g].concat()
        };
        let rows: Vec<Vec<f64>> = (0..self.points.len()).map(row).collect();
        Ok(Points::from_rows(&rows)?.with_names(header)?)
    }
}

impl Case<'_> {
    /// Evaluates the witness function at given parameters, or at fitted ones.
    pub fn witness(
        &self,
        problem: &Problem,
        at: Option<&Values>,
        targets: Targets,
    ) -> Result<WitnessAnswer, RequestError> {
        let (fit, flat_at) = match at {
            Some(at) => (None, self.parameters(at)?),
            None => {
                let fit = self.converged(problem)?;
                let estimates = fit.estimates();
                (Some(fit), estimates)
            }
        };
        let targets = self.places(targets, problem.boundary())?;
        let unproject = |points: &Points| self.region.unproject_points(points);
        let points = unproject(&targets)?.with_names(self.data.names().to_vec())?;
        let boundary = problem.boundary().map(unproject).transpose()?;
        let found = problem.witness(&flat_at, &targets).map_err(|error| self.explain(error))?;
        let domain = self.region.domain.as_ref();
        Ok(WitnessAnswer {
            method: self.method,
            found,
            points,
            inside: domain.map(|domain| targets.rows().map(|x| domain.contains(x)).collect()),
            boundary,
            at: self.region.unproject_parameters(self.model(), flat_at.clone()),
            flat_at,
            is_fitted: fit.is_some(),
            projection: self.region.projection_used(),
            region: self.region.region_used(),
            is_sound: fit.as_ref().is_none_or(Fit::is_trustworthy),
            warnings: fit.map_or_else(|| problem.warnings().to_vec(), |fit| fit.warnings),
        })
    }

    /// A fit that has parameters, with what its diagnostics say.
    fn converged(&self, problem: &Problem) -> Result<Fit, RequestError> {
        let fit = problem.fit().map_err(|error| self.explain(error))?;
        if fit.is_trustworthy() {
            return self.diagnosed(problem, fit);
        }
        Err(RequestError::refused(format!(
            "the fit has no parameters at which to evaluate the witness: {}; give them with {}",
            fit.warnings.iter().map(Warning::text).collect::<Vec<_>>().join("; "),
            self.wording.option("at")
        )))
    }

    fn places(&self, targets: Targets, boundary: Option<&Points>) -> Result<Points<'static>, RequestError> {
        match targets {
            Targets::Points(points) => self.region.project_points(points),
            Targets::Grid(side) => self.grid(side, boundary),
            Targets::Default if self.data.dimension() <= 2 => self.grid(GRID, boundary),
            Targets::Default => Ok(self.data.clone().into_owned().into_owned()),
        }
    }

    /// A grid that spans data, boundary and domain.
    fn grid(&self, side: usize, boundary: Option<&Points>) -> Result<Points<'static>, RequestError> {
        let dimension = self.data.dimension();
        let count = (0..dimension).try_fold(1usize, |count, _| count.checked_mul(side));
        let Some(count) = count.filter(|count| side >= 2 && *count <= MOST_POINTS) else {
            return Err(RequestError::refused(format!(
                "{} in {dimension} dimensions is not a usable grid; give 2 or more, with at most 4,000,000 points in all, or \
                 list the points with {}",
                self.wording.with_placeholder("grid", &side.to_string()),
                self.wording.option("points")
            )));
        };
        // The points, their values, and both as they are written, also in degrees.
        let bytes = 6 * (count * dimension * size_of::<f64>()) as u128;
        check_memory(|| format!("{count} points of a grid"), bytes, "ask for a coarser grid")?;
        let mut bounds = self.data.bounds();
        let boundary = boundary.filter(|points| !points.is_empty()).map(Points::bounds);
        let domain = self.region.domain.as_ref().map(|domain| domain.bounds());
        for other in boundary.into_iter().chain(domain) {
            for (bound, (low, high)) in bounds.iter_mut().zip(other) {
                if low.is_finite() {
                    bound.0 = bound.0.min(low);
                }
                if high.is_finite() {
                    bound.1 = bound.1.max(high);
                }
            }
        }
        let mut values = Vec::with_capacity(count * dimension);
        for index in 0..count {
            let mut rest = index;
            for (low, high) in &bounds {
                let step = (rest % side) as f64 / (side - 1) as f64;
                values.push(low + (high - low) * step);
                rest /= side;
            }
        }
        Ok(Points::new(values, dimension)?)
    }
}
