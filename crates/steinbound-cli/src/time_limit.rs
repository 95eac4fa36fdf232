//! The time that a command may take, from its start.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use steinbound::fit::Interrupt;

use crate::failure::Verdict;
use crate::interrupt;
use crate::output::say;
use crate::threads;

static LIMIT: OnceLock<Interrupt> = OnceLock::new();

/// The longest time that a computation takes to notice that its time is over.
const GRACE: Duration = Duration::from_secs(1);

/// Starts the clock, and ends the program where nothing else does: while it reads, samples or draws.
pub fn start(limit: Option<Duration>) {
    let Some(limit) = limit else { return };
    let interrupt = LIMIT.get_or_init(|| Interrupt::new().after(limit, Instant::now()));
    // Computations look at the clock themselves, so that little is lost where no thread can be started.
    threads::aside("time limit", move || {
        std::thread::sleep(limit.saturating_add(GRACE));
        // A fit that has something to give ends by itself.
        if !interrupt.has_result() {
            say("error", &message(limit));
            std::process::exit(i32::from(Verdict::Doubtful.code()));
        }
    });
}

/// What ends computations when the time is over.
pub fn interrupt() -> Interrupt {
    LIMIT.get().cloned().unwrap_or_default()
}

/// The message for a command without a result.
pub fn message(limit: Duration) -> String {
    let kept = interrupt::kept();
    let kept =
        kept.unwrap_or_else(|| "there is no result, and nothing is half-written; allow more time".into());
    format!("the time limit of {} s is over: {kept}", limit.as_secs_f64())
}
