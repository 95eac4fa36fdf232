use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
pub use crate::error::Interrupted;

/// A handle that ends computations from another thread, as a key pressed in a terminal does.
///
/// It is given to an [`Estimator`](crate::Estimator::interrupt). Once raised it stays so, whoever holds a
/// clone: what is running comes to an end within a fraction of a second, and it and everything asked for
/// later answers [`Error::is_interrupted`].
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

    /// Ends whatever watches this handle, for good.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The error, once raised: what a long computation asks now and then.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_raised() { Err(Interrupted::default()) } else { Ok(()) }
    }

    /// Does something of which parts are left out once raised: then what comes out, result or error, means
    /// nothing and is replaced by the error. Because nothing lowers the handle, one look at the end is
    /// enough.
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
