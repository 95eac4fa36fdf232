//! The search for a minimum without a closed form: Newton's method, damped.

use super::objective::{Expansion, Objective};
use super::pace::Pace;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::model::Units;
use crate::search_limits::Stop;

/// The end of a search.
#[derive(Debug, Clone)]
pub(crate) struct Descent {
    pub(crate) theta: Vec<f64>,
    /// The objective there; if the last step was rounding, where it began.
    pub(crate) expansion: Expansion,
    pub(crate) iterations: usize,
    /// The pulls of observations there, if they were computed on the way.
    pub(crate) pulls: Option<Matrix>,
    /// Whether it ended at a minimum: a vanishing gradient and a positive definite Hessian.
    pub(crate) converged: bool,
    /// Why it was ended before.
    pub(crate) stopped: Option<Stop>,
}

impl Descent {
    /// Whether no other start is tried after this search.
    pub(crate) fn ends_all(&self) -> bool {
        self.stopped.is_some_and(Stop::ends_all)
    }
}

/// The most steps of a search.
const MOST_STEPS: usize = 200;

/// A predicted gain below this share of the objective's scale is rounding.
const NEGLIGIBLE: f64 = 1e-13;

/// A gain can be rounding because the objective is flat; at a minimum the step must also be short.
const SHORT: f64 = 1e-4;

/// Once an undamped step is this short, the exact Hessian is computed.
const NEAR: f64 = 1e-2;

/// A step this short whose gain is rounding is the last: it ends at full precision, and a further step would
/// be rounding.
const ROUNDING: f64 = 1e-8;

/// After a step this short the next has about its squared length and is the last, so the results needed at
/// the end are computed with it.
const CLOSING: f64 = 1e-5;

/// A step this short changes neither the Hessian nor the pulls of observations by more than their own
/// rounding.
const NEGLIGIBLE_STEP: f64 = 1e-11;

/// Below this damping a step is nearly that of Newton's method.
const LIGHT_DAMPING: f64 = 1e-3;

/// Damping beyond which no step can help.
const LARGEST_DAMPING: f64 = 1e10;

/// Minimises an objective from a start.
///
/// # Definition
///
/// Levenberg and Marquardt's damping of Newton's method with the Hessian `H`, or the approximation of
/// [`Objective::expand`] until near the end: the step solves `(H + damping D) s = -g`, `D` being the absolute
/// diagonal of `H`. The damping grows tenfold until the matrix is positive definite and the step achieves a
/// fair share of the decrease predicted by the quadratic, and is then reduced. The objective need not be a
/// sum of squares, so that U-statistics, score matching and likelihoods are minimised alike, with quadratic
/// convergence.
///
/// # Requirements
///
/// An objective that is finite at the start. The search has converged if the predicted gain is rounding and
/// steps shrink as they do at a minimum with curvature; a last undamped step then takes the estimate to full
/// precision. Otherwise `converged` is false. With a tolerance, a hardly damped step by the exact Hessian that is as short
/// is the last. The pulls of observations at the end, if needed, are computed
/// on the way if that saves an evaluation.
///
/// # Reference
///
/// Nocedal and Wright, *Numerical Optimization*, chapters 4 and 10.
pub(crate) fn minimise(
    objective: &dyn Objective,
    start: &[f64],
    units: &Units,
    needs_pulls: bool,
) -> Result<Descent, Error> {
    let mut theta = start.to_vec();
    let mut here = objective.expand(&theta)?;
    let mut pulls = None;
    let mut damping = 0.0;
    let mut iterations = 0;
    let mut converged = false;
    let (mut pace, mut stopped) = (Pace::new(objective.interrupt()), None);
    if here.is_finite() {
        pace.hold();
    }
    // Near the end an approximate Hessian is too slow, and cannot show whether the steps vanish.
    let mut is_near = false;
    let mut succeeded = true;
    let expand = |theta: &[f64], is_near: bool| {
        if is_near { objective.expand_fully(theta) } else { objective.expand(theta) }
    };
    while here.is_finite() && iterations < MOST_STEPS && damping <= LARGEST_DAMPING {
        stopped = pace.stop(iterations, here.value)?.or_else(|| objective.spent());
        if stopped.is_some() {
            break;
        }
        let Some(step) = damped_step(&here, damping, units) else {
            damping = raised(damping);
            continue;
        };
        let predicted = predicted_gain(&here, &step);
        let moved: Vec<f64> = theta.iter().zip(&step).map(|(t, s)| t + s).collect();
        let length = units.length(&theta, &step);
        if damping == 0.0 && !here.is_full && length <= NEAR {
            is_near = true;
            here = objective.expand_fully(&theta)?;
            continue;
        }
        if damping < LIGHT_DAMPING && here.is_full && pace.is_short(length) {
            (theta, pulls, converged) = (moved, None, true);
            break;
        }
        if length <= SHORT && predicted <= NEGLIGIBLE * here.scale.max(here.value.abs()) {
            if damping == 0.0 && length < ROUNDING {
                (theta, converged) = (moved, true);
                pulls = pulls.filter(|_| length < NEGLIGIBLE_STEP);
                break;
            }
            if damping == 0.0 {
                let there = expand(&moved, is_near)?;
                converged = steps_vanish(&theta, &step, &there, units);
                if there.is_finite() && remaining_gain(&there, units) <= predicted {
                    (theta, here, pulls) = (moved, there, None);
                }
                break;
            }
            // Only an undamped step can distinguish a minimum from slow progress.
            damping = lowered(damping);
            iterations += 1;
            if damped_step(&here, damping, units).is_none() {
                break;
            }
            continue;
        }
        iterations += 1;
        // After a successful step the next is rarely refused: its expansion includes the value.
        let is_closing = needs_pulls && here.is_full && damping == 0.0 && length < CLOSING;
        let expand = || match is_closing {
            true => objective.conclude(&moved).map(|(next, pulls)| (next, Some(pulls))),
            false => expand(&moved, is_near).map(|next| (next, None)),
        };
        let expanded = if succeeded { Some(expand()?) } else { None };
        let value = expanded.as_ref().map_or_else(|| objective.value(&moved), |next| Ok(next.0.value))?;
        let gain = here.value - value;
        succeeded = value.is_finite() && gain > 1e-4 * predicted;
        if succeeded {
            let (next, own_pulls) = expanded.map_or_else(expand, Ok)?;
            if next.is_finite() {
                (theta, here, pulls) = (moved, next, own_pulls);
                if gain > 0.75 * predicted {
                    damping = lowered(damping);
                } else if gain < 0.25 * predicted {
                    damping = raised(damping);
                }
                continue;
            }
        }
        // Rounding in the value can hide the gain of a short step, which the gradient still shows.
        if damping == 0.0 && here.is_full && length <= SHORT {
            let there = objective.expand_fully(&moved)?;
            if there.is_finite() && steps_vanish(&theta, &step, &there, units) {
                (theta, here, pulls, converged) = (moved, there, None, true);
                break;
            }
        }
        damping = raised(damping);
    }
    Ok(Descent { theta, expansion: here, iterations, pulls, converged, stopped })
}

fn raised(damping: f64) -> f64 {
    (10.0 * damping).max(1e-4)
}

fn lowered(damping: f64) -> f64 {
    if damping <= 1e-6 { 0.0 } else { 0.1 * damping }
}

/// The solution of `(H + damping D) s = -g`; `None` where the matrix is not positive definite.
fn damped_step(at: &Expansion, damping: f64, units: &Units) -> Option<Vec<f64>> {
    let size = at.gradient.len();
    let mut matrix = at.hessian.clone();
    let square = |k: usize| units.unit(k).powi(2);
    let largest = (0..size).map(|k| at.hessian[(k, k)].abs() * square(k)).fold(0.0, f64::max);
    for k in 0..size {
        // A parameter without any curvature is damped by a small share of the largest.
        let own = at.hessian[(k, k)].abs().max(1e-12 * largest / square(k));
        matrix[(k, k)] += damping * own;
    }
    let factor = ScaledCholesky::new(&matrix).ok()?;
    let mut step = Matrix::from_fn(size, 1, |k, _| -at.gradient[k]);
    factor.solve(&mut step);
    step.values().iter().all(|s| s.is_finite()).then(|| step.column(0).to_vec())
}

/// The predicted decrease of the quadratic at the end of the step.
fn predicted_gain(at: &Expansion, step: &[f64]) -> f64 {
    let curved = at.hessian.times_vector(step);
    let both = at.gradient.iter().zip(&curved).zip(step);
    -both.map(|((g, c), s)| (g + 0.5 * c) * s).sum::<f64>()
}

/// The predicted decrease of an undamped step; infinite if there is none.
fn remaining_gain(at: &Expansion, units: &Units) -> f64 {
    damped_step(at, 0.0, units).map_or(f64::INFINITY, |step| predicted_gain(at, &step))
}

/// Whether the steps vanish as they do at a minimum, where each is far shorter than the one before. At a
/// minimum without curvature, as that of a fourth power, every step is a fixed share of the last.
fn steps_vanish(theta: &[f64], step: &[f64], there: &Expansion, units: &Units) -> bool {
    let length = |step: &[f64]| units.length(theta, step);
    damped_step(there, 0.0, units).is_some_and(|next| length(&next) < 0.3 * length(step))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::interrupt::Interrupt;
    use crate::search_limits::{SearchLimits, SearchWatcher};

    /// Rosenbrock's valley: curved, and indefinite in places.
    struct Valley;

    impl Objective for Valley {
        fn value(&self, t: &[f64]) -> Result<f64, Error> {
            Ok((1.0 - t[0]).powi(2) + 100.0 * (t[1] - t[0] * t[0]).powi(2))
        }

        fn expand(&self, t: &[f64]) -> Result<Expansion, Error> {
            let rest = t[1] - t[0] * t[0];
            let mut hessian = Matrix::zeros(2, 2);
            hessian[(0, 0)] = 2.0 - 400.0 * rest + 800.0 * t[0] * t[0];
            hessian[(1, 1)] = 200.0;
            hessian[(0, 1)] = -400.0 * t[0];
            hessian[(1, 0)] = hessian[(0, 1)];
            let gradient = vec![-2.0 * (1.0 - t[0]) - 400.0 * t[0] * rest, 200.0 * rest];
            Ok(Expansion { value: self.value(t)?, scale: 1.0, gradient, hessian, is_full: true })
        }

        fn pulls(&self, _: &[f64]) -> Result<Matrix, Error> {
            Ok(Matrix::zeros(0, 2))
        }
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        for start in [[-1.2, 1.0], [3.0, -5.0], [0.0, 2.0]] {
            let found = minimise(&Valley, &start, &Units::plain(2), false).unwrap();
            assert!(found.converged && found.iterations < 60, "{found:?}");
            assert!(found.theta.iter().all(|t| (t - 1.0).abs() < 1e-10), "{found:?}");
        }
    }

    /// A valley that is searched under limits.
    struct Limited(Interrupt, Option<Stop>);

    impl Objective for Limited {
        fn interrupt(&self) -> Option<&Interrupt> {
            Some(&self.0)
        }

        fn spent(&self) -> Option<Stop> {
            self.1
        }

        fn value(&self, t: &[f64]) -> Result<f64, Error> {
            Valley.value(t)
        }

        fn expand(&self, t: &[f64]) -> Result<Expansion, Error> {
            Valley.expand(t)
        }

        fn pulls(&self, t: &[f64]) -> Result<Matrix, Error> {
            Valley.pulls(t)
        }
    }

    #[test]
    fn limits_end_a_search_where_it_is() {
        let start = [-1.2, 1.0];
        let under = |limits: SearchLimits, handle: Interrupt| {
            minimise(&Limited(handle.of_one(&limits), None), &start, &Units::plain(2), false).unwrap()
        };
        let free = under(SearchLimits::default(), Interrupt::new());
        assert!(free.converged && free.stopped.is_none());
        let limits = SearchLimits { most_steps: Some(3), ..SearchLimits::default() };
        let cut = under(limits, Interrupt::new());
        assert_eq!((cut.iterations, cut.converged, cut.stopped), (3, false, Some(Stop::Steps(3))));
        // What a search has found before the time is over is not lost.
        let late = under(SearchLimits::default(), Interrupt::new().after(Duration::ZERO, Instant::now()));
        assert_eq!((&late.theta[..], late.iterations, late.stopped), (&start[..], 0, Some(Stop::Time(0.0))));
        let rough = SearchLimits { tolerance: Some(1e-2), ..SearchLimits::default() };
        let rough = under(rough, Interrupt::new());
        assert!(rough.converged && rough.iterations < free.iterations);
        assert!(rough.theta.iter().all(|t| (t - 1.0).abs() < 1e-2), "{rough:?}");
    }

    #[test]
    fn a_search_whose_work_is_done_says_where_it_stood() {
        let found =
            minimise(&Limited(Interrupt::new(), Some(Stop::Work)), &[-1.2, 1.0], &Units::plain(2), false)
                .unwrap();
        assert!(!found.converged && found.ends_all() && found.theta == [-1.2, 1.0]);
        let said = found.stopped.unwrap().sentence(found.iterations);
        assert!(said.contains("after 0 steps") && said.contains("limit of work"), "{said}");
    }

    #[test]
    fn a_watcher_hears_of_every_step_and_can_end_the_search() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        let watcher: SearchWatcher = Arc::new(move |iterations, value| {
            ear.lock().unwrap().push((iterations, value));
            iterations == 5
        });
        let limits = SearchLimits { watcher: Some(watcher), ..SearchLimits::default() };
        let found =
            minimise(&Limited(Interrupt::new().of_one(&limits), None), &[-1.2, 1.0], &Units::plain(2), false)
                .unwrap();
        assert_eq!(found.stopped, Some(Stop::Watcher));
        let heard = heard.lock().unwrap();
        assert_eq!(heard.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert!(heard.windows(2).all(|pair| pair[1].1 <= pair[0].1) && heard[4].1 == found.expansion.value);
    }

    /// `exp(t)` has no minimum, `-t^2` not even a lower bound.
    struct Slide(bool);

    impl Objective for Slide {
        fn value(&self, t: &[f64]) -> Result<f64, Error> {
            Ok(if self.0 { t[0].exp() } else { -t[0] * t[0] })
        }

        fn expand(&self, t: &[f64]) -> Result<Expansion, Error> {
            let value = self.value(t)?;
            let (slope, curvature) = if self.0 { (value, value) } else { (-2.0 * t[0], -2.0) };
            let hessian = Matrix::diagonal(&[curvature]);
            Ok(Expansion { value, scale: 1.0, gradient: vec![slope], hessian, is_full: true })
        }

        fn pulls(&self, _: &[f64]) -> Result<Matrix, Error> {
            Ok(Matrix::zeros(0, 1))
        }
    }

    /// `t^4` has a minimum whose curvature is zero: its standard error is undefined.
    struct Fourth;

    impl Objective for Fourth {
        fn value(&self, t: &[f64]) -> Result<f64, Error> {
            Ok(1.0 + t[0].powi(4))
        }

        fn expand(&self, t: &[f64]) -> Result<Expansion, Error> {
            let hessian = Matrix::diagonal(&[12.0 * t[0] * t[0]]);
            Ok(Expansion {
                value: self.value(t)?,
                scale: 1.0,
                gradient: vec![4.0 * t[0].powi(3)],
                hessian,
                is_full: true,
            })
        }

        fn pulls(&self, _: &[f64]) -> Result<Matrix, Error> {
            Ok(Matrix::zeros(0, 1))
        }
    }

    /// At a saddle the gradient is zero, but there is a direction of descent.
    struct Saddle;

    impl Objective for Saddle {
        fn value(&self, t: &[f64]) -> Result<f64, Error> {
            Ok(t[0] * t[0] - t[1] * t[1] + 0.1 * t[1].powi(4))
        }

        fn expand(&self, t: &[f64]) -> Result<Expansion, Error> {
            let hessian = Matrix::diagonal(&[2.0, -2.0 + 1.2 * t[1] * t[1]]);
            let gradient = vec![2.0 * t[0], -2.0 * t[1] + 0.4 * t[1].powi(3)];
            Ok(Expansion { value: self.value(t)?, scale: 1.0, gradient, hessian, is_full: true })
        }

        fn pulls(&self, _: &[f64]) -> Result<Matrix, Error> {
            Ok(Matrix::zeros(0, 2))
        }
    }

    #[test]
    fn a_saddle_is_left_or_not_called_a_minimum() {
        assert!(!minimise(&Saddle, &[1.0, 0.0], &Units::plain(2), false).unwrap().converged);
        let found = minimise(&Saddle, &[1.0, 0.01], &Units::plain(2), false).unwrap();
        assert!(found.converged && (found.theta[1] - 5f64.sqrt()).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_search_without_a_minimum_says_so() {
        assert!(!minimise(&Slide(false), &[1.0], &Units::plain(1), false).unwrap().converged);
        assert!(!minimise(&Slide(true), &[1.0], &Units::plain(1), false).unwrap().converged);
        assert!(!minimise(&Fourth, &[1.0], &Units::plain(1), false).unwrap().converged);
    }
}
