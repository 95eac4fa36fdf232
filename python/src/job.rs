//! A computation outside the interpreter: other Python threads go on, and Ctrl-C ends it.

use std::collections::HashMap;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use steinbound::fit::Interrupt;
use steinbound_request::{Listener, Task};

use crate::error::Failure;

/// How often it is asked whether the user has pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// The most threads that make sense to anyone.
const MOST_THREADS: usize = 1024;

/// One computation: where it runs, how it is stopped, and what went wrong in Python meanwhile.
pub struct Job {
    /// There until the job is dropped.
    pool: Option<ThreadPool>,
    /// How many threads were asked for; none for all cores.
    threads: usize,
    process: u32,
    interrupt: Interrupt,
    error: Mutex<Option<PyErr>>,
}

impl Job {
    /// A job for so many threads, all by default. Results do not depend on their number.
    pub fn new(py: Python<'_>, threads: Option<usize>) -> PyResult<Arc<Job>> {
        let pool = Some(pool(py, threads)?);
        let (threads, process) = (threads.unwrap_or(0), std::process::id());
        Ok(Arc::new(Job { pool, threads, process, interrupt: Interrupt::new(), error: Mutex::new(None) }))
    }

    /// What stops the computation.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Stops the computation because of an exception, which is raised at its end. Of several the first is.
    pub fn fail(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.interrupt.raise();
    }

    /// Calls a Python function with the number of steps that are done; whether to continue.
    fn step(&self, function: Option<&Py<PyAny>>, done: usize, total: usize) -> bool {
        let Some(function) = function else { return !self.interrupt.is_raised() };
        let called = Python::attach(|py| function.call1(py, (done, total)));
        called.map_err(|error| self.fail(error)).is_ok()
    }

    /// Runs the computation and waits for it.
    pub fn run<T: Send, E: Into<Failure> + Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, Failure> {
        let found = py.detach(|| {
            let pool = self.pool.as_ref()?;
            let (send, receive) = sync_channel(1);
            pool.in_place_scope(|scope| {
                // Where nobody waits any more there is nobody to tell.
                scope.spawn(move |_| drop(send.send(work())));
                loop {
                    match receive.recv_timeout(PATIENCE) {
                        Ok(found) => return Some(found),
                        Err(RecvTimeoutError::Disconnected) => return None,
                        Err(RecvTimeoutError::Timeout) => {
                            if let Err(error) = Python::attach(|py| py.check_signals()) {
                                self.fail(error);
                            }
                        }
                    }
                }
            })
        });
        if let Some(error) = self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error.into());
        }
        let found = found.ok_or_else(|| PyRuntimeError::new_err("the computation ended without a result"))?;
        found.map_err(Into::into)
    }
}

/// A Python function that hears of the steps of a computation.
pub struct Progress<'a> {
    pub job: &'a Job,
    pub function: Option<&'a Py<PyAny>>,
}

impl Listener for Progress<'_> {
    fn task(&self, _name: &'static str) -> Box<dyn Task + '_> {
        Box::new(Steps(self))
    }
}

struct Steps<'a>(&'a Progress<'a>);

impl Task for Steps<'_> {
    fn step(&self, done: usize, total: usize) -> bool {
        self.0.job.step(self.0.function, done, total)
    }
}

/// The pools of this process that nobody uses now, by their number of threads. No two jobs share one: a function of the user's that is part of a computation may
/// wait for another.
struct Pools {
    process: u32,
    idle: HashMap<usize, Vec<ThreadPool>>,
}

/// Pools of one size that are kept for the next job.
const MOST_IDLE: usize = 4;

/// A process made by a fork has none of its parent's threads, so that it needs pools of its own. The lock is taken while attached to the interpreter, as is
/// who forks: nobody holds it then.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

fn pool(_py: Python<'_>, threads: Option<usize>) -> PyResult<ThreadPool> {
    let count = threads.unwrap_or(0);
    if threads == Some(0) || count > MOST_THREADS {
        return Err(PyValueError::new_err(format!(
            "threads is {count}; give a number from 1 to {MOST_THREADS}, or None for all cores"
        )));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(old) = pools.take_if(|pools| pools.process != process) {
        // To let go of them would be to wait for threads that are not here.
        std::mem::forget(old);
    }
    let idle = &mut pools.get_or_insert_with(|| Pools { process, idle: HashMap::new() }).idle;
    if let Some(pool) = idle.get_mut(&count).and_then(Vec::pop) {
        return Ok(pool);
    }
    let built = ThreadPoolBuilder::new().num_threads(count).build();
    built.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

impl Drop for Job {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        if self.process != std::process::id() {
            std::mem::forget(pool);
            return;
        }
        // Where another job is at the list just now, the pool ends with this one.
        let Ok(mut pools) = POOLS.try_lock() else { return };
        if let Some(pools) = pools.as_mut().filter(|pools| pools.process == self.process) {
            let idle = pools.idle.entry(self.threads).or_default();
            if idle.len() < MOST_IDLE {
                idle.push(pool);
            }
        }
    }
}
