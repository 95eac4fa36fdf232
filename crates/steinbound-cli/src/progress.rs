//! A bar on standard error while something takes long, only where that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::interrupt::{self, Watch};

/// What is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time between two pictures of the bar.
const PAUSE: Duration = Duration::from_millis(100);

const WIDTH: usize = 30;

/// A bar that shows how much of a task is done, and how long the rest will take.
pub struct Bar {
    task: &'static str,
    is_shown: bool,
    started: Instant,
    drawn: Mutex<Option<Instant>>,
    /// Whoever tells of progress can be stopped.
    _watch: Watch,
}

impl Bar {
    pub fn new(task: &'static str, quiet: bool) -> Bar {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        Bar { task, is_shown, started: Instant::now(), drawn: Mutex::new(None), _watch: Watch::new() }
    }

    /// So many are done; whether the work may go on.
    pub fn tell(&self, done: usize, total: usize) -> bool {
        self.draw(done, total);
        !interrupt::is_asked()
    }

    fn draw(&self, done: usize, total: usize) {
        let elapsed = self.started.elapsed();
        if !self.is_shown || elapsed < PATIENCE {
            return;
        }
        let Ok(mut drawn) = self.drawn.lock() else { return };
        if drawn.is_none_or(|last| last.elapsed() >= PAUSE) {
            *drawn = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\r{}", picture(self.task, done, total, elapsed));
        }
    }
}

impl Drop for Bar {
    /// The line is left as clean as it was found.
    fn drop(&mut self) {
        if self.drawn.lock().is_ok_and(|drawn| drawn.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn picture(task: &str, done: usize, total: usize, elapsed: Duration) -> String {
    let share = done as f64 / total.max(1) as f64;
    let filled = (share * WIDTH as f64) as usize;
    let left = elapsed.as_secs_f64() * (1.0 / share.max(1e-9) - 1.0);
    let (full, empty) = ("#".repeat(filled), "-".repeat(WIDTH - filled.min(WIDTH)));
    format!("{task} [{full}{empty}] {done}/{total}, {} left \x1b[K", about(left))
}

/// A time that is only a guess, in whole seconds or minutes.
fn about(seconds: f64) -> String {
    match seconds < 100.0 {
        true => format!("{:.0} s", seconds.max(1.0)),
        false => format!("{:.0} min", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_tells_how_long_the_rest_takes() {
        let picture = picture("bootstrap", 100, 400, Duration::from_secs(2));
        assert!(
            picture.contains("bootstrap [#######-----------------------] 100/400, 6 s left"),
            "{picture}"
        );
        assert_eq!([about(0.2), about(99.4), about(130.0)], ["1 s", "99 s", "2 min"]);
    }
}
