//! Efficient Stein estimation: test functions without flux through the boundary, with optimal weights.

use std::sync::Arc;

use super::checks::check_estimable;
use super::counting::Tally;
use super::pairs::Held;
use super::settling::{Moves, TIGHTER, first_bandwidth, halved, in_standard_errors, is_small, size};
use super::surface::Surface;
use super::tksd::Tksd;
use super::{
    BoundaryCheck, Compute, ComputeUsed, CountedRegion, Estimator, KernelUsed, Method, NormalSource,
    Preparation, Procedure, Solver, Task, Uses,
};
use crate::compute::simd_level;
use crate::engine::{Evaluator, PairKernel};
use crate::error::{Error, FitError};
use crate::kernel::Bandwidth;
use crate::likelihood::Counts;
use crate::minimise::{
    EFFICIENT_RIDGE as RIDGE, EfficientSolution, EfficientTask, Estimate, effective_observations,
    minimise_efficiently,
};
use crate::stein::{Penalised, Penalty, SteinForm, TestFields, widths};
use crate::warning::WarningKind;

/// The most Stein features, landmarks times coordinates: their covariance takes 3 MB.
pub const MOST_FEATURES: usize = 600;

/// Landmarks leave out this share of what a low-rank form may leave out: optimal weights use finer details. Errors are
/// smaller by 0.5 to 1 % than with all of it (United States, n = 4,000: 1.056 for 1.065 times those of truncated
/// likelihood), and a tenth of this share gains nothing more.
const SHARE_LEFT_OUT: f64 = 0.1;

/// Beyond this many coordinates a penalty on every component needs more landmarks than there can be.
const MOST_WITHOUT_NORMALS: usize = 3;

/// The share of the median distance at which models without a closed form begin. Most have several modes, between
/// which the median distance reaches: two modes in a box, 900 observations, 200 samples: an error of 1.05 times that
/// of truncated likelihood, at the median itself 1.09.
const SHARE_OF_SEARCHED: f64 = 0.5;

/// Up to this many observations the median distance is not too wide.
const FEW: f64 = 300.0;

/// The smallest share of the median distance at which models with a closed form begin.
const LEAST_SHARE: f64 = 0.6;

/// In more coordinates than this a smaller bandwidth needs more landmarks than there can be.
const MOST_NARROWED: usize = 2;

/// Given boundary points farther apart than this, in bandwidths, leave too much flux between them for a penalty at
/// the points themselves; a kernel that is conditioned at the points reaches across the gaps. 32 random points,
/// which are 0.26 to 0.38 bandwidths apart, 100 samples: intervals by this method hold in 76 % (disc of radius 1.44,
/// n = 3,000), 88 % (box of half-width 1.2, n = 300) and 84 % (box of half-width 2, n = 3,000), by tksd in 96, 95 and
/// 94 %. With 100 points, 0.08 to 0.12 bandwidths apart, they hold in 93 to 95 % by this method, too.
const WIDEST_GAP: f64 = 0.2;

/// A bandwidth is not halved where given boundary points would then be farther apart than this, in bandwidths.
const WIDEST_HALVED_GAP: f64 = 0.3;

/// A bandwidth at which landmarks leave out more of the kernel than this is too small for the region: the most
/// landmarks are too few, and the check of the penalty sees little of the boundary.
const MOST_UNRESOLVED: f64 = 0.2;

/// The [density](Surface::density) at the boundary up to which the tolerated flux is small; beyond, a share of it is
/// tolerated.
///
/// A test field `f` that the penalty lets pass has `n integral f_n^2 dS <= tau`, and biases a moment by
/// `integral p f_n dS`, so that `n bias^2 <= tau integral p^2 dS`. For discs, boxes and countries the integral is
/// below 0.2, for rings half as wide as their radius 2, and for one of radius 1 and width 0.04 it is 700.
const USUAL_DENSITY: f64 = 0.5;

/// How often the tolerated flux is divided by ten at most, where no bandwidth settles.
const MOST_TIGHTENINGS: usize = 2;

/// How often the number of boundary points is doubled at most. A doubling needs no pass over the data.
const MOST_DOUBLINGS: usize = 5;

/// See [`Estimator::efficient`].
#[derive(Debug)]
pub(super) struct Efficient;

impl Procedure for Efficient {
    fn name(&self) -> &'static str {
        "efficient"
    }

    fn meaning(&self) -> &'static str {
        "Stein estimation with optimal weights; needs the region or boundary points"
    }

    fn uses(&self) -> Uses {
        Uses { kernel: true, boundary_points: true, boundary_normals: true, adaptive: true, ..Uses::NOTHING }
    }

    fn least_exponent(&self, _power: f64, _is_estimated: bool) -> f64 {
        1.0
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let (estimator, data) = (preparation.estimator, preparation.data);
        check_estimable(data, preparation.model)?;
        let weights = data.relative_weights();
        let start = preparation.start()?;
        let share = first_share(preparation);
        if let Some(reason) = unsuitable(preparation, share)? {
            return by_tksd(preparation, reason);
        }
        let tally = preparation.model.counted().map(|_| Arc::new(Tally::new(CountedRegion::of(estimator))));
        if let Some(tally) = &tally
            && !tally.is_possible(data, estimator.seed, &estimator.interrupt)?
        {
            return by_tksd(preparation, COUNTS);
        }
        let tally = tally.as_ref();
        let mut flux = estimator.tolerated_flux;
        let attempt = |bandwidth: f64, flux: f64| {
            attempt(preparation, &weights, start.as_deref(), bandwidth, flux, tally)
        };
        // Given points too far apart for half the bandwidth would only let more flux through.
        let move_of = |attempt: &Attempt| match 2.0 * attempt.gap > WIDEST_HALVED_GAP {
            true => 0.0,
            false => size(attempt.moves.tighter.as_ref()),
        };
        let is_resolved = |attempt: &Attempt| attempt.form.fields().residual() <= MOST_UNRESOLVED;
        let at_flux = |bandwidth| attempt(bandwidth, flux);
        let (mut found, halvings) = halved(estimator, data, share, at_flux, move_of, is_resolved, || true)?;
        let is_given = matches!(estimator.bandwidth, Bandwidth::Fixed(_));
        let mut lower = flux;
        for _ in 0..MOST_TIGHTENINGS {
            if is_given || is_small(found.moves.tighter.as_ref()) {
                break;
            }
            if estimator.interrupt.overtime().is_some() {
                break;
            }
            // No bandwidth settles, so that the penalty has to tolerate less.
            lower *= TIGHTER;
            match attempt(found.bandwidth, lower) {
                Ok(_) if estimator.interrupt.overtime().is_some() => break,
                Ok(next) if move_of(&next) < move_of(&found) => (found, flux) = (next, lower),
                Err(error) if error.is_interrupted() => return Err(error),
                _ => {}
            }
        }
        let thickness = found.surface.thickness(preparation, found.form.fields().evaluator().kernel.widths());
        if found.surface.spacing.is_some_and(|spacing| spacing > COARSEST * thickness) {
            return by_tksd(preparation, THIN);
        }
        let Attempt { bandwidth, surface, form, mut estimate, moves, .. } = found;
        let remedy = moves.remedy(preparation);
        estimate.iter_mut().for_each(|estimate| moves.judge(estimate, remedy));
        if !estimator.is_replicate {
            preparation.warnings.extend(surface.warning());
        }
        let setup = &mut preparation.setup;
        setup.m = surface.points.len();
        setup.kernel = Some(KernelUsed { name: estimator.kernel.name().to_string(), bandwidth });
        setup.compute = Some(ComputeUsed {
            holder: form.holder(),
            threads: rayon::current_num_threads(),
            simd: simd_level().into(),
            reason: match form.fields().is_complete() {
                true => format!(
                    "landmarks leave out at most {:.0e} of the kernel",
                    SHARE_LEFT_OUT * estimator.tolerance
                ),
                false => format!("the most landmarks for {MOST_FEATURES} test functions"),
            },
        });
        setup.boundary = Some(moves.used(&surface, halvings, flux));
        if surface.spacing.is_none() && !estimator.is_replicate {
            // Points that were not placed for this bandwidth may be too sparse for it.
            let tiled = estimator.clone().compute(Compute::Tiled);
            let held = Held::new(&tiled, data, preparation.model, bandwidth, &surface.points)?;
            BoundaryCheck::measure(preparation, &surface.points, &held.exact)?;
        }
        preparation.boundary = Some(surface.points);
        let as_form = Arc::clone(&form) as Arc<dyn SteinForm>;
        let known = estimate.map(|estimate| Known { weights, start, estimate });
        let tally = tally.cloned();
        Ok(Arc::new(EfficientSolver { form, as_form, known, tally }))
    }
}

/// The share of the median distance at which the search for a bandwidth begins.
///
/// More observations show finer details of the best test functions: on the line and in the plane a share of 0.6 has
/// errors of 1.056 times those of truncated likelihood where the median has 1.088 (United States, n = 4,000, 300
/// samples), 1.02 for 1.035 (box of half-width 1.2, n = 4,000, 200 samples), 1.06 for 1.09 (box of half-width 2, mean
/// and covariance, n = 2,000). Few observations lose by it: ball of radius 1.44, n = 300, 1.02 for 0.99.
fn first_share(preparation: &Preparation) -> f64 {
    match preparation.model.affine() {
        None => SHARE_OF_SEARCHED,
        Some(_) if preparation.data.dimension() > MOST_NARROWED => 1.0,
        Some(_) => {
            let observations = effective_observations(&preparation.data.relative_weights());
            (FEW / observations).powf(0.2).clamp(LEAST_SHARE, 1.0)
        }
    }
}

/// Why the boundary points do not suit this method, if so.
fn unsuitable(preparation: &Preparation, share: f64) -> Result<Option<&'static str>, Error> {
    let Preparation { estimator, data, model, .. } = preparation;
    let differentiated = model.differentiated();
    let coordinates = differentiated.len();
    let is_low = coordinates <= MOST_WITHOUT_NORMALS;
    // Placed points are as close as they should be, and those with a known region mostly were placed, for a fit that
    // this one is compared with. Those of a regression lie where its covariates are.
    let is_suitable = if is_low {
        let is_placed = estimator.domain.is_some() && estimator.boundary_points.is_none();
        is_placed || coordinates < data.dimension()
    } else {
        estimator.boundary_normals.is_some()
    };
    // Whose replicates these are was asked for the fit itself.
    if is_suitable || estimator.is_replicate {
        return Ok(None);
    }
    let widths = widths(data, first_bandwidth(estimator, data, share)?);
    let surface = Surface::new(preparation, &widths)?;
    if !is_low {
        return Ok((surface.source == NormalSource::None).then_some(NORMALS));
    }
    let thickness = surface.thickness(preparation, &widths);
    let kernel = PairKernel::new(Arc::clone(&estimator.kernel), widths, differentiated, data.mean())?;
    Ok((surface.gap(&kernel)? > WIDEST_GAP.min(thickness)).then_some(GAPS))
}

/// Points that are far apart say little of the flux between them.
const GAPS: &str = "the boundary points are more than a fifth of a bandwidth apart, or farther apart than the region \
                    is thick, too far for the efficient method: this is the estimate by tksd; give more points or the \
                    region for a more precise one";

/// Placed points farther apart than this many [thicknesses](Surface::thickness) leave flux free on one side.
const COARSEST: f64 = 1.5;

/// Only so many points are placed.
const THIN: &str = "the region is thinner than boundary points can be placed, too thin for the efficient method: this is \
                    the estimate by tksd; use truncated-mle for a more precise one";

/// Without normals and in many coordinates the kernel conditioned in every component needs no landmarks.
const NORMALS: &str = "no normals of the boundary are known, which the efficient method needs beyond three \
                       coordinates: this is the estimate by tksd; give the region or normals for a more \
                       precise one";

/// Weights of a mixture follow from counts, which need a region that can be integrated over.
const COUNTS: &str = "weights of components are counted inside a region, which is not known or cannot be \
                      integrated over: this is the estimate by tksd, whose score shows the weights of overlapping \
                      components; give the region for a more precise one";

/// The solver of tksd in place of this method's, for a reason that the result gives.
fn by_tksd(preparation: &mut Preparation, reason: &str) -> Result<Arc<dyn Solver>, Error> {
    preparation.setup.ridge = Some(preparation.estimator.fixed_ridge());
    preparation.setup.statistic = Some(preparation.estimator.statistic);
    let solver = Tksd.prepare(preparation)?;
    preparation.warnings.push(WarningKind::Boundary.warning(reason));
    Ok(solver)
}

/// One bandwidth with its boundary points, test fields and estimate.
struct Attempt {
    bandwidth: f64,
    surface: Surface,
    /// The usual distance between given boundary points, in bandwidths; zero for placed ones.
    gap: f64,
    form: Arc<Penalised>,
    /// `None` for one of many fits whose model is searched: that is asked for its estimate later, from its own
    /// starts.
    estimate: Option<Estimate>,
    moves: Moves,
}

fn attempt(
    preparation: &Preparation,
    weights: &[f64],
    start: Option<&[f64]>,
    bandwidth: f64,
    flux: f64,
    tally: Option<&Arc<Tally>>,
) -> Result<Attempt, Error> {
    let Preparation { estimator, data, model, .. } = *preparation;
    let widths = widths(data, bandwidth);
    let mut surface = Surface::new(preparation, &widths)?;
    let kernel = Arc::clone(&estimator.kernel);
    let kernel = PairKernel::new(kernel, widths.clone(), model.differentiated(), data.mean())?;
    let evaluator = Evaluator {
        engine: Arc::clone(&estimator.engine),
        kernel: Arc::new(kernel),
        interrupt: estimator.interrupt.clone(),
    };
    let most = (MOST_FEATURES / model.differentiated().len().max(1)).max(1);
    let seed = estimator.seed;
    let tolerance = SHARE_LEFT_OUT * estimator.tolerance;
    let fields = TestFields::chosen_on(evaluator, data, &surface.points, tolerance, most, seed)?;
    let fields = Arc::new(fields);
    let density = surface.density(preparation, &fields.evaluator().kernel)?;
    let strength = effective_observations(weights) / (flux * (USUAL_DENSITY / density).min(1.0));
    let penalty = |surface: &Surface| Penalty::new(&fields, &surface.points, &surface.directions, strength);
    let scaled = fields.scaled(data)?;
    let form_of = |penalty: Penalty| {
        Ok::<_, Error>(Arc::new(Penalised::of(Arc::clone(&fields), Arc::clone(&scaled), penalty)?))
    };
    if estimator.is_replicate && model.affine().is_none() {
        let (form, gap) = (form_of(penalty(&surface)?)?, 0.0);
        return Ok(Attempt { bandwidth, surface, gap, form, estimate: None, moves: Moves::default() });
    }
    let solve = |penalty: Penalty, start: Option<&[f64]>| {
        let form = form_of(penalty)?;
        let interrupt = &estimator.interrupt;
        let task = Task { model, data, weights, start, seed, interrupt };
        let solution = solved(&form, &task, tally.map(Arc::as_ref))?;
        Ok::<_, Error>((form, solution))
    };
    let (mut form, mut solution) = solve(penalty(&surface)?, start)?;
    let mut moves = Moves::default();
    if !estimator.is_replicate && solution.estimate.converged {
        let in_standard_errors = |solution: &EfficientSolution, change: &[f64]| {
            in_standard_errors(preparation, weights, &solution.estimate, change)
        };
        // Moves follow from the sums at the first boundary; only the last one is fitted.
        let mut reached = vec![0.0; solution.estimate.theta.as_ref().map_or(0, Vec::len)];
        let (mut finest, mut checked) = (None, form.penalty().clone());
        for doubling in 0..=MOST_DOUBLINGS {
            let Some(next) = surface.finer(preparation, &widths)? else { break };
            let finer = penalty(&next)?;
            let change = solution.move_under(model, &finer)?;
            let step: Vec<f64> = change.iter().zip(&reached).map(|(a, b)| a - b).collect();
            moves.finer = in_standard_errors(&solution, &step);
            checked = finer.clone();
            let is_last = doubling == MOST_DOUBLINGS || surface.spacing.is_none();
            if is_small(moves.finer.as_ref()) || is_last {
                break;
            }
            (surface, reached, finest) = (next, change, Some(finer));
        }
        if let Some(penalty) = finest {
            let near = solution.estimate.theta.clone();
            (form, solution) = solve(penalty, start.or(near.as_deref()))?;
        }
        // On the finest boundary: in a thin region test fields that a tighter penalty forbids at boundary points
        // slip through between them, so that neither more points nor a tighter penalty alone moves the estimate.
        let before = solution.move_under(model, &checked)?;
        let after = solution.move_under(model, &checked.with_strength(strength / TIGHTER))?;
        let change: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
        moves.tighter = in_standard_errors(&solution, &change);
    }
    let gap = surface.gap(&fields.evaluator().kernel)?;
    Ok(Attempt { bandwidth, surface, gap, form, estimate: Some(solution.estimate), moves })
}

/// The solution of the moment equations on a form, with those of counts where there are any.
fn solved(form: &Penalised, task: &Task, tally: Option<&Tally>) -> Result<EfficientSolution, Error> {
    let Task { model, data, weights, start, seed, interrupt } = *task;
    let (counts, ridge) = (None, RIDGE);
    let plain = EfficientTask { form, model, data, weights, start, ridge, counts, seed, interrupt };
    let Some(tally) = tally else { return minimise_efficiently(&plain) };
    let search = |counts: &Counts, start: Option<&[f64]>| {
        minimise_efficiently(&EfficientTask { counts: Some(counts), start, ..plain })
    };
    let found = tally.settled(task, search, |solution| &mut solution.estimate)?;
    found.ok_or_else(|| FitError::NotFinite { what: "mass of the components inside the region" }.into())
}

/// Moment equations on a form, and the estimate from the data themselves.
struct EfficientSolver {
    form: Arc<Penalised>,
    as_form: Arc<dyn SteinForm>,
    known: Option<Known>,
    /// Where observations are counted, for a model with parameters that only counts determine.
    tally: Option<Arc<Tally>>,
}

/// An estimate and what it was asked for.
struct Known {
    weights: Vec<f64>,
    start: Option<Vec<f64>>,
    estimate: Estimate,
}

impl Solver for EfficientSolver {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let is_known = |known: &&Known| known.weights == task.weights && known.start.as_deref() == task.start;
        if let Some(known) = self.known.as_ref().filter(is_known) {
            return Ok(known.estimate.clone());
        }
        Ok(solved(&self.form, task, self.tally.as_deref())?.estimate)
    }

    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        Some(&self.as_form)
    }
}

impl Estimator {
    /// Efficient Stein estimation.
    ///
    /// # Definition
    ///
    /// Moment equations `c' mean_i g(x_i; theta) = 0` over the Stein features `g` of
    /// [`TestFields`](crate::stein::TestFields), whose flux through the boundary is
    /// [penalised](crate::stein::Penalty). The first estimate minimises the discrepancy of these fields; the
    /// weights `c = (S + lambda tr(S) P)^-1 Q` come from the covariance `S` of the features there and the
    /// derivative `Q` of their mean, with the penalty `P` and `lambda = 0.25 / sqrt(n)`. The test function of a
    /// parameter is then the one whose Stein transform is closest to the derivative of the log-likelihood.
    ///
    /// Unless they are given, boundary points follow from bandwidth and data, and the bandwidth, which begins
    /// at the median distance or a share of it, is halved until the estimate no longer moves with a tenth of what
    /// the penalty tolerates; if no bandwidth settles, the penalty tolerates less
    /// ([`BoundaryUsed`](super::BoundaryUsed)).
    ///
    /// # Requirements
    ///
    /// A domain, or points on the boundary: with normals, or so dense that these can be estimated from
    /// neighbouring points. Without normals every component of a test function is penalised, and beyond three
    /// coordinates the estimate is that of [`tksd`](Estimator::tksd).
    ///
    /// # Complexity
    ///
    /// `n (d J)^2` operations for `J` landmarks, `d J` at most [`MOST_FEATURES`](super::MOST_FEATURES); memory
    /// `(d J)^2`.
    ///
    /// # Reference
    ///
    /// Hansen, *Large Sample Properties of Generalized Method of Moments Estimators*, 1982; the book's page
    /// on the method derives it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
    /// let fit = Estimator::efficient().domain(Arc::new(disc)).fit(&data, &model)?;
    /// for mean in &fit.parameters {
    ///     assert!((mean.estimate.unwrap() - 0.5).abs() < 4.0 * mean.std_error.unwrap());
    /// }
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn efficient() -> Estimator {
        Estimator::new(Method::EFFICIENT)
    }
}
