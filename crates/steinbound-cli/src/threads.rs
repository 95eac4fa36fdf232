//! The threads that compute.

use std::sync::{Arc, Mutex};

use rayon::ThreadPoolBuilder;
use steinbound::available_memory;

use crate::failure::Failure;
use crate::output::Output;

/// The most threads that make sense to anyone.
const MOST: usize = 1024;

/// The environment variable by which other programs ask for a number of threads, too.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// The memory for each thread: its stack and buffers.
const EACH: u128 = 16 << 20;

/// A thread that starts where less than this is free can fail in its first steps, which ends the program.
const LEAST: u128 = 4 << 20;

/// Starts a thread for something besides the computations; whether that was possible.
pub fn aside(name: &str, task: impl FnOnce() + Send + 'static) -> bool {
    let thread = std::thread::Builder::new().name(name.to_string()).stack_size(ASIDE);
    available_memory() >= LEAST && thread.spawn(task).is_ok()
}

/// The stack of such a thread, which does little.
const ASIDE: usize = 256 << 10;

/// Starts the threads: as many as asked for, else one for each core, and fewer where the system allows no more.
/// Results do not depend on their number.
pub fn start(asked: Option<usize>, output: &Output) -> Result<(), Failure> {
    let wanted = match asked {
        Some(threads @ (0 | 1025..)) => {
            return Err(Failure::input(format!("--threads is {threads}; give a number from 1 to {MOST}")));
        }
        Some(threads) => threads,
        None => std::env::var(VARIABLE)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .filter(|threads| (1..=MOST).contains(threads))
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let threads = startable(wanted);
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    // The thread that is here already needs no start.
    let pool = if threads == 1 { pool.use_current_thread() } else { pool };
    pool.build_global().map_err(|error| {
        Failure::Other(format!("cannot start {threads} threads: {error}; try --threads 1"))
    })?;
    note_fewer(threads, wanted, output);
    Ok(())
}

/// How many of these threads the system starts, at least the one that is here. The pool cannot be asked: one that
/// failed to start cannot be tried again.
fn startable(wanted: usize) -> usize {
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let mut started = Vec::new();
    let fitting = usize::try_from(available_memory() / EACH).unwrap_or(usize::MAX);
    while started.len() < wanted.min(fitting) {
        let held = Arc::clone(&held);
        // It waits until the sender is gone.
        let wait = move || drop(held.lock().map(|held| held.recv()));
        match std::thread::Builder::new().spawn(wait) {
            Ok(thread) => started.push(thread),
            Err(_) => break,
        }
    }
    drop(hold);
    let count = started.len();
    started.into_iter().for_each(|thread| drop(thread.join()));
    count.max(1)
}

fn note_fewer(threads: usize, wanted: usize, output: &Output) {
    if threads < wanted {
        output.note(&format!(
            "the system allows no more threads: {threads} of {wanted} compute, which takes longer and changes nothing else"
        ));
    }
}
