//! Diagnostics of a fit: measured values, their limits, and warnings.

use serde::{Deserialize, Serialize};

use super::check::{Check, Unit};
use super::distance_bias::LARGEST_BIAS;
use super::drawn::Drawn;
use super::margin::{MARGIN, Margin};
use super::ranks::Unevenness;
use crate::compute::{dot, in_pool};
use crate::error::Error;
use crate::fit::{AUTO_EXACT_LIMIT, Fit, Parameter, Problem, Tie};
pub use crate::method::Disagreement;
use crate::method::{LARGEST_SETTLED_MOVE, moved, smaller};
use crate::minimise::sandwich::contributions;
use crate::stein::{Conditioned, Statistic};
use crate::warning::{Warning, WarningKind};

/// Diagnostics of a fit: values that should be small, and a warning for each that is not.
///
/// A value is `None` if it does not apply to the method or would take too long.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostics {
    /// The share of the kernel that remains on the boundary between the boundary points ([`Setup::leak`](crate::method::Setup::leak)).
    pub leak: Option<f64>,
    /// The size of the kernel between data and boundary. The fit itself warns of it.
    #[serde(default)]
    pub tie: Option<Tie>,
    /// The condition number of `K + e I`, the kernel matrix of the boundary points with its ridge.
    pub boundary_condition: Option<f64>,
    /// The condition number of the normal equations or the Hessian ([`Fit::normal_condition`]).
    pub normal_condition: Option<f64>,
    /// The observation, or cluster, with the largest share in the variance of a parameter.
    pub leverage: Option<Leverage>,
    /// The share of its mass that the fitted density puts outside the domain.
    pub mass_outside: Option<f64>,
    /// How far the estimate moves with a finer boundary: further points on it near the data, if the domain is
    /// known, and a hundredth of the ridge.
    #[serde(default)]
    pub boundary_moves: Option<Disagreement>,
    /// How far the estimate moves with a penalty that tolerates a tenth of the flux, for methods with
    /// one.
    #[serde(default)]
    pub penalty_moves: Option<Disagreement>,
    /// The bias that is due to distances to the nearest of too few boundary points, for methods that measure
    /// them: from the move of the estimate with every other point.
    #[serde(default)]
    pub distance_bias: Option<Disagreement>,
    /// The largest difference between the estimates by the V- and the U-statistic.
    pub statistics_disagree: Option<Disagreement>,
    /// All values that were measured, each with its limit and a verdict.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// One sentence for each value beyond its limit, with a remedy.
    #[serde(flatten, with = "crate::warning::side_by_side")]
    pub warnings: Vec<Warning>,
}

/// The share of one observation in a parameter's variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Leverage {
    /// The row of the observation, or the first row of the cluster, counted from 1.
    pub row: usize,
    /// The name of the cluster, where there are clusters and they have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The parameter.
    pub parameter: String,
    /// The share of the sandwich variance.
    pub share: f64,
    /// The limit above which there is a warning: with few observations large shares are normal.
    pub limit: f64,
}

impl Disagreement {
    /// The largest difference of two estimates, in standard errors of the first.
    fn largest(of: &[Parameter], other: &[Parameter]) -> Option<Disagreement> {
        let apart = of.iter().zip(other).filter_map(|(one, other)| {
            let standard_errors = (one.estimate? - other.estimate?).abs() / one.std_error?;
            standard_errors.is_finite().then(|| Disagreement { parameter: one.name.clone(), standard_errors })
        });
        apart.max_by(|a, b| a.standard_errors.total_cmp(&b.standard_errors))
    }
}

/// Beyond this condition of the boundary's kernel matrix fewer than four digits of a solution are correct.
const LARGEST_BOUNDARY_CONDITION: f64 = 1e12;

/// Beyond this condition of the normal equations half of all digits are lost.
const LARGEST_NORMAL_CONDITION: f64 = 1e8;

/// Beyond this condition the estimate has fewer than four digits.
const MOST_LOST: f64 = 1e12;

/// The share of a variance beyond which one of very many observations dominates. In 200 samples of the
/// paper's regression the largest share of truncated maximum likelihood never reached it; one in eight
/// exceeded a quarter.
const LARGEST_SHARE: f64 = 0.5;

/// Draws of the fitted density if most of the first fall outside.
const MORE_DRAWS: usize = 10_000;

/// The share of the first draws beyond which more are made.
const MOST_OUTSIDE_AT_FIRST: f64 = 0.9;

/// The largest share of mass outside the domain without a warning.
const MOST_OUTSIDE: f64 = 0.99;

/// The largest acceptable move with a finer boundary, in standard errors. If the model does not fit, any
/// other kernel moves the estimate by about one.
const LARGEST_MOVE: f64 = 2.0;

/// If a finer boundary moves the estimate by fewer standard errors than this, the warning about the boundary
/// points is withdrawn.
const HARMLESS_MOVE: f64 = 0.3;

/// The largest acceptable difference between the V- and the U-statistic, in standard errors.
const LARGEST_DISAGREEMENT: f64 = 1.0;

/// The most operations for the U-statistic's diagonal: about a second.
const MOST_OPERATIONS: f64 = 5e8;

/// The most observations for which a search is repeated.
const MOST_SEARCHED: usize = 1_000;

impl Problem<'_> {
    /// Diagnoses a fit of this problem.
    ///
    /// # Definition
    ///
    /// - The condition numbers of the boundary's kernel matrix `K + e I` (warning above `1e12`) and of the
    ///   normal equations or the Hessian (above `1e8`).
    /// - For each reported parameter, the largest share of its sandwich variance that is due to one
    ///   observation, or one cluster: `s_g^2 / sum s^2` with the contributions `s_g` of the
    ///   [sandwich](super::sandwich) (above `1/2 + 4/n`).
    /// - The share of draws of the fitted density that fall outside the domain (above 0.99): 1,000 draws, or
    ///   10,000 if that is above 0.9.
    /// - The move of the estimate with a finer boundary (above two standard errors): further boundary points
    ///   near the data, if the domain is known, and a hundredth of the ridge. If it is below 0.3 standard
    ///   errors, [`fit_diagnosed`](Problem::fit_diagnosed) withdraws the warning about the boundary points.
    /// - The bias that is due to distances to the nearest of some boundary points (above 0.3 standard errors): the
    ///   move of the estimate with every other point, divided by the growth of their spacing less one.
    /// - The number of points that the fitted density expects nearer to the boundary than any observation is (above
    ///   14, so that their absence contradicts the fit).
    /// - For a regression, how uneven the ranks of the responses are among those that could have been seen
    ///   (warning if the model would give such ranks with a probability below 0.01).
    /// - The estimate by the other of the V- and the U-statistic: the bias by which they differ falls with
    ///   `1/n` and their standard errors with its root, so that they agree if there are enough observations
    ///   (warning above one standard error).
    ///
    /// # Requirements
    ///
    /// A fit of this problem. Draws need a model with a sampler and a domain. The statistics are compared for
    /// Stein methods, if that takes about as long as the fit.
    ///
    /// # Complexity
    ///
    /// `n p^2` for the shares, `m^2` for the condition, one more fit with a finer boundary, and one for the
    /// statistics with `n m^2 (1 + d)` operations for the U-statistic's diagonal.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let sample = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?;
    /// let estimator = Estimator::tksd().domain(Arc::new(disc));
    /// let problem = estimator.check(&sample.points, &model)?;
    /// let found = problem.diagnose(&problem.fit()?)?;
    /// assert!(found.warnings.is_empty());
    /// assert!((found.mass_outside.unwrap() - 0.43).abs() < 0.1);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn diagnose(&self, fit: &Fit) -> Result<Diagnostics, Error> {
        Ok(self.watch(|| in_pool(|| self.diagnosed(fit)))?.0)
    }

    /// Fits and diagnoses; the fit has the warnings of both.
    ///
    /// If the fit warns of its boundary points, that warning is withdrawn or begins with the measured move of
    /// the estimate, depending on how far a finer boundary moves it. A fit with a measured bias is not
    /// [trustworthy](Fit::is_trustworthy).
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [500.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let (fit, diagnostics) = Estimator::mle().check(&data, &model)?.fit_diagnosed()?;
    /// assert!(diagnostics.warnings.iter().all(|warning| fit.warnings.contains(warning)));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn fit_diagnosed(&self) -> Result<(Fit, Diagnostics), Error> {
        let mut fit = self.fit()?;
        let diagnostics = self.add_diagnostics(&mut fit)?;
        Ok((fit, diagnostics))
    }

    /// Looks at the assumptions of a fit of this problem; its warnings are added to those of the fit, which has not
    /// converged where its boundary is too coarse.
    pub fn add_diagnostics(&self, fit: &mut Fit) -> Result<Diagnostics, Error> {
        let (diagnostics, moves) = self.watch(|| in_pool(|| self.diagnosed(fit)))?;
        let has_digits = diagnostics.normal_condition.is_none_or(|condition| condition <= MOST_LOST);
        fit.converged &= has_digits
            && !diagnostics.checks.iter().any(|check| check.name == MARGIN && check.is_beyond())
            && moves.is_none()
            && self.of_distance_bias(diagnostics.distance_bias.as_ref()).is_none();
        if let Some(warning) = self.boundary_warning() {
            if diagnostics.is_boundary_fine(self) {
                fit.warnings.retain(|known| known != warning);
            } else if let Some(moves) = moves {
                let of_boundary = fit.warnings.iter_mut().filter(|known| *known == warning);
                of_boundary.for_each(|known| *known = warning.kind().warning(format!("{moves}: {warning}")));
            }
        }
        fit.warnings.extend(diagnostics.warnings.iter().cloned());
        Ok(diagnostics)
    }

    /// The diagnostics, and the move of the estimate with a finer boundary as a sentence if it is beyond its
    /// limit.
    fn diagnosed(&self, fit: &Fit) -> Result<(Diagnostics, Option<String>), Error> {
        self.check_own(fit)?;
        let mut drawn = Drawn::of(self, fit);
        let mut found = Diagnostics {
            leak: fit.setup.leak,
            tie: self.tie(),
            boundary_condition: self
                .form()
                .ok()
                .and_then(|form| form.parts().conditioned)
                .map(Conditioned::boundary_condition),
            normal_condition: fit.normal_condition,
            leverage: self.leverage(fit)?,
            mass_outside: self.mass_outside(drawn.as_mut()),
            ..Diagnostics::default()
        };
        found.warnings.extend(found.of_boundary());
        found.warnings.extend(found.of_equations());
        found.warnings.extend(self.of_leverage(found.leverage.as_ref()));
        found.warnings.extend(found.of_mass());
        let moves = match &fit.setup.boundary {
            // Found on the way to the estimate, which warns of them itself.
            Some(used) => {
                (found.boundary_moves, found.penalty_moves) = (used.finer.clone(), used.tighter.clone());
                None
            }
            None => found.refine_boundary(self, fit),
        };
        if let Some(moves) = moves.as_ref().filter(|_| self.boundary_warning().is_none()) {
            let ridge = smaller(self.setup().ridge.unwrap_or_default());
            found.warnings.push(WarningKind::Boundary.warning(format!(
                "{moves}: use a smaller ridge, such as {ridge:.0e}, or more boundary points, and if that \
                 does not help, test whether the model fits"
            )));
        }
        found.distance_bias = self.distance_bias(fit)?;
        found.warnings.extend(self.of_distance_bias(found.distance_bias.as_ref()));
        found.compare_statistics(self, fit);
        found.checks = found.judged(self.data.clusters().is_some());
        if let Some(margin) = drawn.and_then(|drawn| Margin::of(self, &drawn)) {
            found.warnings.extend(margin.warning());
            found.checks.push(margin.check());
        }
        if let Some(ranks) = Unevenness::of(self, fit) {
            found.warnings.extend(ranks.warning());
            found.checks.push(ranks.check());
        }
        Ok((found, moves))
    }

    /// The largest share of one observation, or cluster, in the variance of one reported parameter.
    fn leverage(&self, fit: &Fit) -> Result<Option<Leverage>, Error> {
        let Some(reported) = fit.fitted_parameters().and_then(|theta| self.model.report(&theta)) else {
            return Ok(None);
        };
        if (fit.influence.rows(), fit.influence.columns()) != (fit.setup.n, reported.jacobian.columns()) {
            return Ok(None);
        }
        let influence = fit.influence.times(&reported.jacobian.transpose());
        let (sums, first_rows) = contributions(&influence, &self.weights, self.data.clusters())?;
        let limit = LARGEST_SHARE + 4.0 / self.data.independent() as f64;
        let mut largest: Option<Leverage> = None;
        for (k, parameter) in fit.parameters.iter().enumerate() {
            let column = sums.column(k);
            let total = dot(column, column);
            let Some((g, part)) = column.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
            else {
                continue;
            };
            let share = part * part / total;
            if share.is_finite() && largest.as_ref().is_none_or(|known| share > known.share) {
                let (row, parameter) = (first_rows[g] + 1, parameter.name.clone());
                let cluster = self.data.cluster_name(first_rows[g]).map(str::to_string);
                largest = Some(Leverage { row, cluster, parameter, share, limit });
            }
        }
        Ok(largest)
    }

    fn of_leverage(&self, leverage: Option<&Leverage>) -> Option<Warning> {
        let found = leverage.filter(|found| found.share > found.limit)?;
        Some(WarningKind::Data.warning(found.sentence(self.data.clusters().is_some(), 1)))
    }

    /// The share of the draws outside the domain, where it is known.
    fn mass_outside(&self, drawn: Option<&mut Drawn>) -> Option<f64> {
        let drawn = drawn.filter(|_| self.estimator.domain.is_some())?;
        if drawn.share_outside() >= MOST_OUTSIDE_AT_FIRST {
            drawn.extend(MORE_DRAWS);
        }
        Some(drawn.share_outside())
    }

    /// Whether another fit like this one is affordable.
    fn can_repeat(&self) -> bool {
        let most = if self.model.affine().is_some() { AUTO_EXACT_LIMIT } else { MOST_SEARCHED };
        self.form().is_ok_and(|form| form.points() <= most)
    }

    /// Whether a fit with the other statistic takes about as long as the fit.
    fn can_compare(&self) -> bool {
        let Ok(form) = self.form() else { return false };
        let (n, m) = (form.points() as f64, self.setup().m as f64);
        let rank = form.holder().rank.unwrap_or(0) as f64;
        let operations = n * (m * m + rank * (rank + m)) * (1 + form.coordinates()) as f64;
        self.can_repeat() && operations <= MOST_OPERATIONS
    }
}

impl Leverage {
    /// What it means and what helps, for rows, or clusters, that are counted from this number.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [500.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let (_, found) = Estimator::mle().check(&data, &model)?.fit_diagnosed()?;
    /// assert!(found.leverage.unwrap().sentence(false, 0).starts_with("row 3 alone makes up"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn sentence(&self, is_cluster: bool, first: usize) -> String {
        let what = self.what(is_cluster, first);
        let rows = if is_cluster { "its rows" } else { "that row" };
        format!(
            "{what} alone makes up {:.0} % of the variance of {}; check {rows}, and compare the estimate with a fit \
             without it",
            100.0 * self.share,
            self.parameter
        )
    }

    /// The row or cluster, counted from this number where it has no name.
    fn what(&self, is_cluster: bool, first: usize) -> String {
        let row = self.row - 1 + first;
        match (&self.cluster, is_cluster) {
            (Some(name), true) => format!("the cluster {name}"),
            (None, true) => format!("the cluster of row {row}"),
            (_, false) => format!("row {row}"),
        }
    }
}

impl Diagnostics {
    /// The values that were measured, with their limits.
    fn judged(&self, has_clusters: bool) -> Vec<Check> {
        let ratio = |name, what, value: Option<f64>, limit| {
            value.map(|value| Check::new(name, what, value, Unit::Ratio, limit))
        };
        let moved = |name, what, found: &Option<Disagreement>, limit| {
            found.as_ref().map(|found| {
                let check = Check::new(name, what, found.standard_errors, Unit::StandardErrors, limit);
                check.detail(found.parameter.clone())
            })
        };
        let tie = self.tie.map(|tie| {
            let what = "kernel between data and boundary";
            Check::new("tie", what, tie.strength, Unit::Share, tie.limit)
        });
        let leverage = self.leverage.as_ref().map(|found| {
            let of = if has_clusters { "cluster" } else { "row" };
            let what = format!("largest share of a {of} in a variance");
            let check = Check::new("leverage", &what, found.share, Unit::Share, found.limit);
            let name = found.what(has_clusters, 1);
            check.detail(format!("{}, {}", name.trim_start_matches("the "), found.parameter))
        });
        let mass = self.mass_outside.map(|share| {
            let what = "fitted density outside the region";
            Check::new("mass_outside", what, share, Unit::Share, MOST_OUTSIDE)
        });
        let all = [
            tie,
            ratio(
                "boundary_condition",
                "condition of the boundary's kernel matrix",
                self.boundary_condition,
                LARGEST_BOUNDARY_CONDITION,
            ),
            ratio(
                "normal_condition",
                "condition of the equations for the parameters",
                self.normal_condition,
                LARGEST_NORMAL_CONDITION,
            ),
            leverage,
            mass,
            moved(
                "boundary_moves",
                "move of the estimate with a finer boundary",
                &self.boundary_moves,
                if self.penalty_moves.is_some() { LARGEST_SETTLED_MOVE } else { LARGEST_MOVE },
            ),
            moved(
                "penalty_moves",
                "move of the estimate with a tenth of the flux",
                &self.penalty_moves,
                LARGEST_SETTLED_MOVE,
            ),
            moved(
                "distance_bias",
                "bias by distances to the nearest boundary point",
                &self.distance_bias,
                LARGEST_BIAS,
            ),
            moved(
                "statistics_disagree",
                "difference between V- and U-statistic",
                &self.statistics_disagree,
                LARGEST_DISAGREEMENT,
            ),
        ];
        all.into_iter().flatten().collect()
    }

    fn of_boundary(&self) -> Option<Warning> {
        let condition = self.boundary_condition.filter(|c| *c > LARGEST_BOUNDARY_CONDITION)?;
        Some(WarningKind::Boundary.warning(format!(
            "the kernel matrix of the boundary points is nearly singular (condition {condition:.0e}), so \
             that rounding affects the estimate; raise the ridge (default 0.001) or thin the boundary points"
        )))
    }

    fn of_equations(&self) -> Option<Warning> {
        let condition = self.normal_condition.filter(|c| *c > LARGEST_NORMAL_CONDITION)?;
        let lost = match condition > MOST_LOST {
            true => ", so that rounding has taken most digits of the estimate; do not use it",
            false => "",
        };
        Some(WarningKind::Data.warning(format!(
            "the data hardly distinguish some parameters (the equations for them have condition {condition:.0e}){lost}; use more \
             data, or a model with fewer parameters"
        )))
    }

    fn of_mass(&self) -> Option<Warning> {
        let outside = self.mass_outside.filter(|share| *share > MOST_OUTSIDE)?;
        Some(WarningKind::Model.warning(format!(
            "the fitted density puts {} % of its mass outside the domain, so that the fit extrapolates from \
             its tail; do not rely on it far from the data, and check the units of the domain or hold more \
             parameters fixed",
            (1e4 * outside).floor() / 1e2
        )))
    }

    /// Whether the estimate hardly moves with a finer boundary near the data.
    fn is_boundary_fine(&self, problem: &Problem) -> bool {
        let moves = self.boundary_moves.as_ref().map(|found| found.standard_errors);
        problem.near_places().is_some() && moves.is_some_and(|moves| moves < HARMLESS_MOVE)
    }

    /// Fits again with a finer boundary, if that is affordable, and describes the move if it is beyond its
    /// limit.
    fn refine_boundary(&mut self, problem: &Problem, fit: &Fit) -> Option<String> {
        let theta = fit.fitted_parameters()?;
        if !fit.is_trustworthy() || !problem.can_repeat() || problem.is_boundary_out_of_reach() {
            return None;
        }
        let refitted = problem.with_finer_boundary(theta)?.and_then(|problem| problem.fit()).ok()?;
        // Fitted parameters exist even if moments do not.
        let most = Disagreement::largest(fit.fitted(), refitted.fitted())?;
        let standard_errors = &most.standard_errors;
        // Points that look sparse and a move that is not harmless confirm each other where more of the boundary is
        // known; a smaller ridge also moves estimates of too few observations.
        let (what, limit) = match problem.near_places() {
            Some(_) if problem.boundary_warning().is_some() => ("a finer boundary", HARMLESS_MOVE),
            Some(_) => ("a finer boundary", LARGEST_MOVE),
            None => ("a hundredth of the ridge", LARGEST_MOVE),
        };
        let moves = (refitted.converged && *standard_errors > limit).then(|| moved(&most, what));
        self.boundary_moves = Some(most);
        moves
    }

    /// Fits again with the other statistic, if that is affordable.
    fn compare_statistics(&mut self, problem: &Problem, fit: &Fit) {
        let (Some(statistic), Some(theta)) = (problem.setup().statistic, fit.fitted_parameters()) else {
            return;
        };
        if !fit.is_trustworthy() || !problem.can_compare() {
            return;
        }
        let other = match statistic {
            Statistic::V => Statistic::U,
            Statistic::U => Statistic::V,
        };
        let Some(Ok(refitted)) = problem.with_statistic(other, theta).map(|problem| problem.fit()) else {
            return;
        };
        let remedy = "a sign of too few observations for this number of parameters; collect more data or use fewer \
                      parameters";
        if !refitted.converged || refitted.estimates().iter().any(|v| !v.is_finite()) {
            self.warnings.push(WarningKind::Data.warning(format!(
                "the {other:?}-statistic has no usable minimum on these data, although the \
                 {statistic:?}-statistic has one, {remedy}"
            )));
            return;
        }
        let Some(most) = Disagreement::largest(&fit.parameters, &refitted.parameters) else { return };
        if most.standard_errors > LARGEST_DISAGREEMENT {
            self.warnings.push(WarningKind::Data.warning(format!(
                "the V- and the U-statistic differ by {:.1} standard errors in {}, {remedy}",
                most.standard_errors, most.parameter
            )));
        }
        self.statistics_disagree = Some(most);
    }
}
