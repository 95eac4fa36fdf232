//! Ctrl-C: work that reports its progress is asked to stop, anything else is ended; either way with one line,
//! and by the signal itself.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::threads;

static ASKED: AtomicBool = AtomicBool::new(false);
static SHOWN: AtomicBool = AtomicBool::new(false);
static WATCHING: AtomicUsize = AtomicUsize::new(0);
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Whether Ctrl-C was pressed.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// What an interruption leaves behind.
pub fn keeps(what: String) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
}

/// What an interruption leaves behind, where something is.
pub fn kept() -> Option<String> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Work that checks [`is_asked`] regularly, and stops by itself.
pub struct Watch;

impl Watch {
    pub fn new() -> Watch {
        WATCHING.fetch_add(1, Ordering::Relaxed);
        Watch
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Prints once what was kept.
fn show() {
    if SHOWN.swap(true, Ordering::Relaxed) {
        return;
    }
    let kept = kept().unwrap_or_else(|| "there is no result, and nothing is half-written".into());
    // The line may hold a bar.
    let clean = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(std::io::stderr(), "{clean}interrupted: {kept}");
}

/// Waits for Ctrl-C on a thread of its own. A program that was started with Ctrl-C ignored, as in the
/// background of a script, keeps ignoring it.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::SIGINT;
    use signal_hook::iterator::Signals;

    /// The longest time that such work may take until its next check.
    const GRACE: std::time::Duration = std::time::Duration::from_secs(2);

    if is_ignored() {
        return;
    }
    // Where no thread can be started nobody would hear of the signal, so that it is taken over on that thread:
    // without it the system ends the program.
    threads::aside("interrupts", || {
        let Ok(mut signals) = Signals::new([SIGINT]) else { return };
        for _ in signals.forever() {
            let is_first = !ASKED.swap(true, Ordering::Relaxed);
            if is_first && WATCHING.load(Ordering::Relaxed) > 0 {
                // Such work ends the program before this does; a second Ctrl-C does not wait.
                let last = || {
                    std::thread::sleep(GRACE);
                    end();
                };
                if threads::aside("last moment", last) {
                    continue;
                }
            }
            end();
        }
    });
}

#[cfg(not(unix))]
pub fn listen() {}

/// Ends the program as Ctrl-C would have: a shell stops a loop around a program only if that dies by the
/// signal.
pub fn end() -> ! {
    /// What shells call a program that was ended by Ctrl-C.
    const EXIT_CODE: i32 = 130;

    show();
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
    std::process::exit(EXIT_CODE)
}

/// Whether Ctrl-C was ignored when the program started, on systems that show it.
#[cfg(unix)]
fn is_ignored() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    ignores_interrupts(&status)
}

#[cfg(unix)]
fn ignores_interrupts(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal_hook::consts::SIGINT - 1)) != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        assert!(ignores_interrupts("Name:\tx\nSigIgn:\t0000000000001002\n"));
        assert!(!ignores_interrupts("Name:\tx\nSigIgn:\t0000000000001000\n"));
        assert!(!ignores_interrupts("nonsense"));
    }
}
