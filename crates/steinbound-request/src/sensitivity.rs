//! Whether a fit is repeated under other settings, and what came of it.

use steinbound::inference::Sensitivity;
use steinbound::kernel::Bandwidth;
use steinbound::model::Model;
use steinbound::text::duration;
use steinbound::{Estimator, Fit, Matrix, Points, WarningKind};

/// Who wants a sensitivity analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensitivityWanted {
    /// Not wanted.
    No,
    /// A report, unless it takes long.
    ForReport,
    /// The user.
    Yes,
}

impl SensitivityWanted {
    /// What a request for the analysis, or else for a report, asks for.
    pub fn new(is_asked: bool, has_report: bool) -> SensitivityWanted {
        match (is_asked, has_report) {
            (true, _) => SensitivityWanted::Yes,
            (false, true) => SensitivityWanted::ForReport,
            (false, false) => SensitivityWanted::No,
        }
    }
}

/// The longest time, in seconds, that an analysis for a report may take.
const PATIENCE: f64 = 10.0;

/// The number of fits of an analysis.
const FITS: f64 = 18.0;

/// The result of a sensitivity analysis, or why there is none.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SensitivityOutcome {
    /// Not wanted.
    NotWanted,
    /// The method has no kernel, and no settings to vary.
    NoKernel,
    /// It would take about this many seconds, and only a report wants it.
    TooSlow {
        /// The expected time.
        seconds: f64,
    },
    /// It was tried and failed for this reason.
    Failed(String),
    /// The analysis.
    Found(Sensitivity),
}

impl SensitivityOutcome {
    /// Repeats a fit of `estimator` under other settings, if that is wanted. Without a bootstrap the fit took
    /// `seconds`.
    ///
    /// A warning of the analysis is added to those of the fit.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// use steinbound_request::sensitivity::{SensitivityOutcome, SensitivityWanted};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [2.5], [3.0]])?;
    /// let (estimator, model) = (Estimator::ksd(), Gaussian::with_variance(1, 1.0)?);
    /// let mut fit = estimator.fit(&data, &model)?;
    /// let wanted = SensitivityWanted::ForReport;
    /// let outcome = SensitivityOutcome::new(wanted, &estimator, &mut fit, 60.0, &data, &model);
    /// assert_eq!(outcome, SensitivityOutcome::TooSlow { seconds: 1080.0 });
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn new(
        wanted: SensitivityWanted,
        estimator: &Estimator,
        fit: &mut Fit,
        seconds: f64,
        data: &Points,
        model: &dyn Model,
    ) -> SensitivityOutcome {
        if wanted == SensitivityWanted::No {
            return SensitivityOutcome::NotWanted;
        }
        if !fit.setup.method.has_kernel() {
            return SensitivityOutcome::NoKernel;
        }
        if wanted == SensitivityWanted::ForReport && FITS * seconds > PATIENCE {
            return SensitivityOutcome::TooSlow { seconds: FITS * seconds };
        }
        match as_fitted(estimator, fit).sensitivity(data, model) {
            Ok(found) => {
                fit.warnings.extend(found.warning.iter().map(|text| WarningKind::Model.warning(text)));
                SensitivityOutcome::Found(found)
            }
            Err(error) => SensitivityOutcome::Failed(error.to_string()),
        }
    }

    /// The same with its estimates in other reported parameters, as [`Fit::mapped`] does it.
    pub fn mapped(self, map: impl Fn(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> SensitivityOutcome {
        match self {
            SensitivityOutcome::Found(found) => SensitivityOutcome::Found(found.mapped(map)),
            other => other,
        }
    }

    /// The analysis, if there is one.
    pub fn found(&self) -> Option<&Sensitivity> {
        match self {
            SensitivityOutcome::Found(found) => Some(found),
            _ => None,
        }
    }

    /// Why a report has no analysis although it wants one.
    pub fn reason(&self) -> Option<String> {
        match self {
            SensitivityOutcome::TooSlow { seconds } => Some(format!(
                "other kernels, bandwidths and numbers of boundary points were not tried, because that would take about {}; \
                 request the sensitivity analysis to run them",
                duration(*seconds)
            )),
            SensitivityOutcome::Failed(reason) => {
                Some(format!("other settings could not be tried: {reason}"))
            }
            _ => None,
        }
    }
}

/// The estimator with the bandwidth and ridge of a fit.
pub fn as_fitted(estimator: &Estimator, fit: &Fit) -> Estimator {
    let mut estimator = estimator.clone();
    if let Some(kernel) = &fit.setup.kernel {
        estimator = estimator.bandwidth(Bandwidth::Fixed(kernel.bandwidth));
    }
    match fit.setup.ridge {
        Some(ridge) => estimator.ridge(ridge),
        None => estimator,
    }
}
