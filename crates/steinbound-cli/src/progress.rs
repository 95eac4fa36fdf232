//! A bar on standard error while something takes long, only where that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use steinbound_request::{Listener, Task};

use crate::interrupt::{self, Watch};
use crate::output::Output;
use crate::terminal::Terminal;

/// What is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time between two pictures of the bar.
const PAUSE: Duration = Duration::from_millis(100);

const WIDTH: usize = 30;

/// The width of a terminal that does not report its own.
const USUAL_COLUMNS: usize = 80;

/// A bar that shows how much of a task is done, and how long the rest will take.
pub struct Bar {
    task: &'static str,
    is_shown: bool,
    started: Instant,
    drawn: Mutex<Option<Instant>>,
    /// Work that asks whether to continue can be stopped between two steps.
    _watch: Option<Watch>,
}

impl Bar {
    /// A bar of work that asks by [`Bar::step`] whether to continue.
    pub fn new(task: &'static str, quiet: bool) -> Bar {
        Bar::of(task, quiet, Some(Watch::new()))
    }

    /// A bar of work that does not ask, such as reading a file: Ctrl-C ends it without waiting for it.
    pub fn unasked(task: &'static str, quiet: bool) -> Bar {
        Bar::of(task, quiet, None)
    }

    fn of(task: &'static str, quiet: bool, watch: Option<Watch>) -> Bar {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        Bar { task, is_shown, started: Instant::now(), drawn: Mutex::new(None), _watch: watch }
    }

    /// Shows how many steps are done; whether to continue.
    pub fn step(&self, done: usize, total: usize) -> bool {
        let share = done as f64 / total.max(1) as f64;
        self.draw(|elapsed, columns| picture(self.task, share, &format!("{done}/{total}"), elapsed, columns));
        !interrupt::is_asked()
    }

    /// Shows how much of a file is read.
    pub fn show_bytes(&self, done: u64, total: u64) {
        let share = done as f64 / total.max(1) as f64;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        self.draw(|elapsed, columns| {
            let counted = format!("{:.0}/{:.0} MB", megabytes(done), megabytes(total));
            picture(self.task, share, &counted, elapsed, columns)
        });
    }

    /// Shows how many are done where their total is not known.
    pub fn show_count(&self, done: u64, what: &str) {
        self.draw(|_, columns| cut(&format!("{}: {done} {what}", self.task), columns));
    }

    fn draw(&self, picture: impl Fn(Duration, usize) -> String) {
        let elapsed = self.started.elapsed();
        if !self.is_shown || elapsed < PATIENCE {
            return;
        }
        let Ok(mut drawn) = self.drawn.lock() else { return };
        if drawn.is_none_or(|last| last.elapsed() >= PAUSE) {
            *drawn = Some(Instant::now());
            let columns = Terminal::stderr().width.unwrap_or(USUAL_COLUMNS);
            let _ = write!(std::io::stderr(), "\r{}\x1b[K", picture(elapsed, columns));
        }
    }
}

impl Task for Bar {
    fn step(&self, done: usize, total: usize) -> bool {
        Bar::step(self, done, total)
    }
}

impl Listener for Output {
    fn note(&self, message: &str) {
        Output::note(self, message);
    }

    fn warning(&self, message: &str) {
        self.warn(message);
    }

    fn task(&self, name: &'static str) -> Box<dyn Task + '_> {
        Box::new(Bar::new(name, self.is_quiet()))
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

/// The bar as it fits into a terminal: narrower where that is narrow, and without the bar where there is no room for one.
fn picture(task: &str, share: f64, counted: &str, elapsed: Duration, columns: usize) -> String {
    let left = elapsed.as_secs_f64() * (1.0 / share.max(1e-9) - 1.0);
    let words = format!("{counted}, {} left", about(left));
    // The last column stays free: some terminals go to the next line when it is filled.
    let room = columns.saturating_sub(task.len() + words.len() + " [] ".len() + 1);
    match room.min(WIDTH) {
        0..4 => cut(&format!("{task} {words}"), columns),
        width => {
            let filled = ((share * width as f64) as usize).min(width);
            let (full, empty) = ("#".repeat(filled), "-".repeat(width - filled));
            format!("{task} [{full}{empty}] {words}")
        }
    }
}

/// What of a line fits into a terminal.
fn cut(line: &str, columns: usize) -> String {
    line.chars().take(columns.saturating_sub(1)).collect()
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
    fn the_bar_shows_how_long_the_rest_takes() {
        let picture = picture("bootstrap", 0.25, "100/400", Duration::from_secs(2), 80);
        assert_eq!(picture, "bootstrap [#######-----------------------] 100/400, 6 s left");
        assert_eq!([about(0.2), about(99.4), about(130.0)], ["1 s", "99 s", "2 min"]);
    }

    #[test]
    fn the_bar_fits_into_the_terminal() {
        for columns in 0..200 {
            let picture = picture("reading", 0.5, "30/60 MB", Duration::from_secs(3), columns);
            assert!(picture.chars().count() <= columns.saturating_sub(1), "{columns}: {picture}");
            assert_eq!(picture.contains('['), columns >= 34, "{columns}: {picture}");
        }
    }
}
