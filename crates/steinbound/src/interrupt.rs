use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
pub use crate::error::Interrupted;

/// A handle that ends computations from another thread, such as one that handles a key press.
///
/// It is given to an [`Estimator`](crate::Estimator::interrupt). Once raised, it and all its clones stay
/// raised: running computations end within a fraction of a second, and they and all later ones return an
/// error for which [`Error::is_interrupted`] holds.
///
/// ```
/// use steinbound::{Estimator, Points, fit::Interrupt, model::Gaussian};
/// let interrupt = Interrupt::new();
/// let estimator = Estimator::ksd().interrupt(interrupt.clone());
/// let (data, model) = (Points::from_rows(&[[-0.5], [0.1], [0.4]])?, Gaussian::with_variance(1, 1.0)?);
/// assert!(estimator.fit(&data, &model).is_ok());
/// std::thread::spawn(move || interrupt.raise()).join().unwrap();
/// assert!(estimator.fit(&data, &model).unwrap_err().is_interrupted());
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
}

impl Interrupt {
    /// A handle that is not raised.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Ends all computations that use this handle, permanently.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The error if raised; long computations call it now and then.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_raised() { Err(Interrupted::default()) } else { Ok(()) }
    }

    /// Runs a job that skips parts of its work once the handle is raised. Its result or error is then
    /// meaningless and replaced by the interruption error. One check at the end is enough, because the handle
    /// cannot be lowered.
    pub(crate) fn watch<T>(&self, job: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.check()?;
        match job() {
            Err(error) if error.is_interrupted() => Err(error),
            found => {
                self.check()?;
                found
            }
        }
    }
}
