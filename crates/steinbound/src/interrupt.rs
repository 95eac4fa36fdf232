use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::error::Error;
pub use crate::error::Interrupted;
use crate::search_limits::SearchLimits;

/// A handle that ends computations from another thread, such as one that handles a key press, or after some time.
///
/// It is given to an [`Estimator`](crate::Estimator::interrupt). Once raised, it and all its clones stay
/// raised: running computations end within a fraction of a second, and they and all later ones return an
/// error for which [`Error::is_interrupted`] holds.
///
/// After a [time limit](Interrupt::after) they end likewise, except where a search for a minimum is on its way: that
/// ends at its next step, and gives what it has.
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
    clock: Option<Arc<Clock>>,
    /// Where the computation that shares it is: see the constants below.
    state: Arc<AtomicU8>,
    search: SearchLimits,
}

/// A time that is allowed, its end, and whether any computation has something to give.
#[derive(Debug)]
struct Clock {
    allowed: Duration,
    end: Instant,
    has_result: AtomicBool,
}

/// Nothing is found yet.
const OPEN: u8 = 0;

/// A search has something to give, and is left to end by itself.
const HOLDING: u8 = 1;

/// The time was over before there was anything to give.
const EXPIRED: u8 = 2;

impl Interrupt {
    /// A handle that is not raised.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// A handle with a time limit, which is counted from an instant.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use steinbound::{Estimator, Points, fit::Interrupt, model::Gaussian};
    /// let over = Interrupt::new().after(Duration::ZERO, Instant::now());
    /// let (data, model) = (Points::from_rows(&[[-0.5], [0.1], [0.4]])?, Gaussian::with_variance(1, 1.0)?);
    /// let error = Estimator::ksd().interrupt(over).fit(&data, &model).unwrap_err();
    /// assert!(error.is_interrupted() && error.to_string().contains("the time limit of 0 s"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn after(mut self, allowed: Duration, since: Instant) -> Interrupt {
        let clock = |end| Arc::new(Clock { allowed, end, has_result: AtomicBool::new(false) });
        self.clock = since.checked_add(allowed).map(clock);
        self
    }

    /// Ends all computations that use this handle, permanently.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Whether it was raised, or the time is over with nothing to give.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) || self.has_expired()
    }

    /// The time limit, if there is one.
    pub fn time_limit(&self) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.allowed)
    }

    /// Whether a computation under this time limit has something to give, and will do so soon after it.
    pub fn has_result(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.has_result.load(Ordering::Relaxed))
    }

    /// The time limit, if it is over.
    pub fn overtime(&self) -> Option<Duration> {
        self.clock.as_ref().filter(|clock| Instant::now() >= clock.end).map(|clock| clock.allowed)
    }

    /// The error if raised; long computations call it now and then.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_raised() { Err(self.interrupted(None)) } else { Ok(()) }
    }

    /// The error for a computation that ends early, after some of all draws.
    pub(crate) fn interrupted(&self, draws: Option<(usize, usize)>) -> Interrupted {
        let limit = self.overtime().filter(|_| !self.raised.load(Ordering::Relaxed));
        Interrupted { draws, limit }
    }

    /// The handle of one computation: what it holds is not what another one holds.
    pub(crate) fn of_one(&self, search: &SearchLimits) -> Interrupt {
        Interrupt { state: Arc::default(), search: search.clone(), ..self.clone() }
    }

    /// What ends searches.
    pub(crate) fn search(&self) -> &SearchLimits {
        &self.search
    }

    /// From here on there is something to give: when the time is over the search ends, and what follows it goes on.
    pub(crate) fn hold(&self) {
        if let Some(clock) = &self.clock {
            clock.has_result.store(true, Ordering::Relaxed);
        }
        let _ = self.state.compare_exchange(OPEN, HOLDING, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Once the time was over with nothing to give it stays so: work that was left out is not missed later.
    fn has_expired(&self) -> bool {
        let Some(clock) = &self.clock else { return false };
        match self.state.load(Ordering::Relaxed) {
            OPEN if Instant::now() >= clock.end => {
                let (relaxed, state) = (Ordering::Relaxed, &self.state);
                state.compare_exchange(OPEN, EXPIRED, relaxed, relaxed) != Err(HOLDING)
            }
            state => state == EXPIRED,
        }
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
