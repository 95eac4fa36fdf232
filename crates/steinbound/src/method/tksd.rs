//! TKSD: boundary points only.

use std::cell::Cell;
use std::sync::Arc;

use super::checks::check_estimable;
use super::pairs::{EXACT_LIMIT, Held};
use super::settling::{Moves, TIGHTER, halved, in_standard_errors, is_small, size};
use super::surface::{MOST_PLACED, Surface};
use super::{
    BoundaryCheck, CountedRegion, Estimator, Method, Preparation, Procedure, Solver, SteinSolver, Task, Uses,
};
use crate::engine::PairKernel;
use crate::error::Error;
use crate::minimise::{Estimate, effective_observations};
use crate::model::Model;
use crate::stein::{Statistic, SteinForm, surface_weights, widths};

/// How often the number of boundary points is doubled at most; each doubling is one more fit.
const MOST_DOUBLINGS: usize = 2;

/// A boundary is not tried where the kernel matrices of all that were tried, with a row for each boundary point, would
/// take more work than this for each observation: the sum of cubes of their sizes. A thousand observations may take
/// a few seconds.
const WORK_PER_OBSERVATION: f64 = 1e8;

/// The same for any number of observations.
const FREE_WORK: f64 = 2e10;

/// A search of more observations than this is not repeated with another boundary.
const MOST_SEARCHED: usize = 1_000;

/// See [`Estimator::tksd`].
#[derive(Debug)]
pub(super) struct Tksd;

impl Procedure for Tksd {
    fn name(&self) -> &'static str {
        "tksd"
    }

    fn meaning(&self) -> &'static str {
        "truncated kernelised Stein discrepancy; needs boundary points"
    }

    fn uses(&self) -> Uses {
        Uses { ridge: true, boundary_points: true, ..Uses::PAIRS }
    }

    fn least_exponent(&self, _power: f64, _is_estimated: bool) -> f64 {
        1.0
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let estimator = preparation.estimator;
        if estimator.places_boundary() && estimator.ridge.is_none() {
            return prepare_by_itself(preparation);
        }
        let boundary = preparation.boundary_points()?;
        let held = preparation.pairs(&boundary)?;
        if !preparation.estimator.is_replicate {
            BoundaryCheck::measure(preparation, &boundary, &held.exact)?;
        }
        Ok(Arc::new(SteinSolver::new(held.form()?, preparation.estimator.statistic)))
    }
}

/// Boundary points, ridge and bandwidth where only the region is known.
///
/// Points are placed by bandwidth and data, and the ridge is `tau / (n omega)` for the piece of surface `omega`
/// that a point stands for ([`Penalty`](crate::stein::Penalty)), so that it falls with the number of observations.
/// The estimate is compared with those of a finer boundary and of a tenth of the ridge, which is one more fit
/// each; while the latter moves it, the bandwidth is halved.
fn prepare_by_itself(preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
    let weights = preparation.data.relative_weights();
    let start = preparation.start()?;
    let (estimator, data) = (preparation.estimator, preparation.data);
    let work = Work { most: FREE_WORK.max(WORK_PER_OBSERVATION * data.len() as f64), done: Cell::new(0.0) };
    let attempt = |bandwidth: f64| attempt(preparation, &weights, start.as_deref(), bandwidth, &work);
    let move_of = |attempt: &Attempt| size(attempt.moves.tighter.as_ref());
    let (Attempt { bandwidth, surface, ridge, held, moves }, halvings) =
        halved(estimator, data, 1.0, attempt, move_of, |_| true, || work.allows(MOST_PLACED))?;
    preparation.record(&held, bandwidth)?;
    preparation.setup.m = surface.points.len();
    preparation.setup.ridge = Some(ridge);
    preparation.setup.boundary = Some(moves.used(&surface, halvings, estimator.tolerated_flux));
    if !preparation.estimator.is_replicate {
        preparation.warnings.extend(surface.warning());
        let known = preparation.warnings.len();
        BoundaryCheck::measure(preparation, &surface.points, &held.exact)?;
        // What was measured counts more than what was feared.
        if moves.finer.is_some() && is_small(moves.finer.as_ref()) {
            preparation.warnings.truncate(known);
            if let Some(check) = &mut preparation.boundary_check {
                check.warning = None;
            }
        }
    }
    preparation.boundary = Some(surface.points);
    let solver = solver(estimator, preparation.model, &held)?;
    let remedy = moves.remedy(preparation);
    Ok(Arc::new(Settled { solver, moves, remedy }))
}

/// The solver for a held kernel, with counts where the model has parameters that only these determine.
fn solver(estimator: &Estimator, model: &dyn Model, held: &Held) -> Result<Arc<dyn Solver>, Error> {
    let plain: Arc<dyn Solver> = Arc::new(SteinSolver::new(held.form()?, estimator.statistic));
    let counting = model.counted().and_then(|_| Arc::clone(&plain).counting(CountedRegion::of(estimator)));
    Ok(counting.unwrap_or(plain))
}

/// What settling a boundary may cost.
struct Work {
    most: f64,
    done: Cell<f64>,
}

impl Work {
    /// Whether another boundary of so many points may be tried.
    fn allows(&self, points: usize) -> bool {
        self.done.get() + cube(points) <= self.most
    }
}

fn cube(points: usize) -> f64 {
    (points as f64).powi(3)
}

/// One bandwidth with its boundary points and ridge.
struct Attempt {
    bandwidth: f64,
    surface: Surface,
    ridge: f64,
    held: Held,
    moves: Moves,
}

fn attempt(
    preparation: &Preparation,
    weights: &[f64],
    start: Option<&[f64]>,
    bandwidth: f64,
    work: &Work,
) -> Result<Attempt, Error> {
    let Preparation { estimator, data, model, .. } = *preparation;
    let widths = widths(data, bandwidth);
    let kernel = Arc::clone(&estimator.kernel);
    let kernel = PairKernel::new(kernel, widths.clone(), model.differentiated(), data.mean())?;
    let ridge = |surface: &Surface| {
        let mut pieces = surface_weights(&kernel, &surface.points)?;
        let middle = pieces.len() / 2;
        if pieces.is_empty() {
            return Ok(estimator.fixed_ridge());
        }
        let (_, piece, _) = pieces.select_nth_unstable_by(middle, f64::total_cmp);
        Ok::<f64, Error>(estimator.tolerated_flux / (effective_observations(weights) * *piece))
    };
    let hold = |surface: &Surface, ridge: f64| {
        work.done.set(work.done.get() + cube(surface.points.len()));
        Held::new(&estimator.clone().ridge(ridge), data, model, bandwidth, &surface.points)
    };
    let estimate = |held: &Held, start: Option<&[f64]>| {
        let (seed, interrupt) = (estimator.seed, &estimator.interrupt);
        let task = Task { model, data, weights, start, seed, interrupt };
        solver(estimator, model, held)?.estimate(&task)
    };
    let mut surface = Surface::new(preparation, &widths)?;
    let mut own_ridge = ridge(&surface)?;
    let mut held = hold(&surface, own_ridge)?;
    let mut moves = Moves::default();
    let repeats = data.len() <= if model.affine().is_some() { EXACT_LIMIT } else { MOST_SEARCHED };
    // A discrepancy at given parameters needs no estimate, so that its failure is no reason to stop.
    let own = if !estimator.is_replicate && repeats && check_estimable(data, model).is_ok() {
        match estimate(&held, start) {
            Err(error) if error.is_interrupted() => return Err(error),
            // What found no minimum does not find it at another boundary.
            found => found.ok().filter(|own| own.converged && own.influence.rows() == data.len()),
        }
    } else {
        None
    };
    if let Some(mut own) = own {
        let moved = |own: &Estimate, other: &Held| {
            let Some(theta) = &own.theta else { return Ok(None) };
            let change = estimate(other, Some(theta))?
                .theta
                .map(|other| -> Vec<f64> { other.iter().zip(theta).map(|(a, b)| a - b).collect() });
            Ok::<_, Error>(change.and_then(|change| in_standard_errors(preparation, weights, own, &change)))
        };
        for doubling in 0..=MOST_DOUBLINGS {
            if !work.allows(2 * surface.points.len()) {
                break;
            }
            let Some(next) = surface.finer(preparation, &widths)? else { break };
            let next_ridge = ridge(&next)?;
            let finer = hold(&next, next_ridge)?;
            moves.finer = moved(&own, &finer)?;
            if is_small(moves.finer.as_ref()) || doubling == MOST_DOUBLINGS {
                break;
            }
            (surface, own_ridge, held) = (next, next_ridge, finer);
            own = estimate(&held, start.or(own.theta.as_deref()))?;
        }
        moves.tighter = moved(&own, &hold(&surface, TIGHTER * own_ridge)?)?;
    }
    Ok(Attempt { bandwidth, surface, ridge: own_ridge, held, moves })
}

/// The solver after the estimate was compared with others.
struct Settled {
    solver: Arc<dyn Solver>,
    moves: Moves,
    /// What to do where the estimate did not settle.
    remedy: &'static str,
}

impl Solver for Settled {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let mut estimate = self.solver.estimate(task)?;
        self.moves.judge(&mut estimate, self.remedy);
        Ok(estimate)
    }

    fn refits(&self, task: &Task, sets: &[Vec<f64>]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        self.solver.refits(task, sets)
    }

    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        self.solver.form()
    }

    fn with_statistic(&self, statistic: Statistic) -> Option<Arc<dyn Solver>> {
        self.solver.with_statistic(statistic)
    }
}

impl Estimator {
    /// Truncated kernelised Stein discrepancy (TKSD): the default.
    ///
    /// # Definition
    ///
    /// Minimises `mean_ij H(x_i, x_j)`, the Stein kernel `H` being that of `k` conditioned to vanish at the
    /// boundary points, `k0(x, y) = k(x, y) - k(x, b) (K + e I)^-1 k(b, y)`
    /// ([`Conditioned`](crate::stein::Conditioned)). For a score that is affine in the parameters the minimum
    /// solves linear equations ([`Moments`](crate::stein::Moments)); standard errors are those of the
    /// [sandwich](crate::inference::sandwich).
    ///
    /// # Requirements
    ///
    /// Points on the boundary, or a domain to sample them from; they should lie closer together than the
    /// bandwidth. At a fixed number of boundary points a small bias remains, which standard errors do not
    /// include.
    ///
    /// # Complexity
    ///
    /// `n^2 / 2 + 2 n m` kernel values and `m^3 / 3` operations; `n m^2` more for the U-statistic. Memory
    /// `O(n + m^2)` when tiled.
    ///
    /// # Reference
    ///
    /// Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
    /// let fit = Estimator::tksd().boundary(ends).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.parameters[0].name, "mean[x1]");
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn tksd() -> Estimator {
        Estimator::new(Method::TKSD)
    }
}
