//! One run of the program in a process and a folder of its own, under limits.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::case::Case;

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most seconds before it is ended.
    pub seconds: f64,
    /// The most address space in bytes.
    pub memory: u64,
    /// The longest file that it may write, in bytes.
    pub file: u64,
    /// The most open files.
    pub open_files: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { seconds: 20.0, memory: 2 << 30, file: 256 << 20, open_files: 64 }
    }
}

/// What a run left behind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it took longer than it may.
    pub is_late: bool,
    /// How long it took.
    pub seconds: f64,
    /// How long processors worked for it, where the system tells it.
    pub processor: Option<f64>,
    /// The most memory that it held, in bytes, where the system tells it.
    pub peak: u64,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Its messages.
    pub stderr: Vec<u8>,
    /// All files afterwards by their paths in the folder.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Outcome {
    /// How long it took, or would have on a machine that does nothing else.
    pub fn busy(&self) -> f64 {
        self.processor.map_or(self.seconds, |processor| processor.min(self.seconds))
    }
}

/// A machine that does much else is given so many times the limit before a run that waits is ended.
const PATIENCE: f64 = 15.0;

/// A shell sets the limits and becomes the program: what is measured is the program alone. A limit that the system
/// does not have is left out.
const SHELL: &str = "ulimit -c 0; ulimit -v $0 2>/dev/null; ulimit -f $1; ulimit -n $2; shift 2; exec \"$@\"";

/// Runs the program. `folder` is emptied before.
pub fn run(program: &Path, case: &Case, folder: &Path, limits: &Limits) -> std::io::Result<Outcome> {
    let (place, said) = (folder.join("place"), folder.join("said"));
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(&place)?;
    fs::create_dir_all(&said)?;
    for file in &case.files {
        fs::write(place.join(&file.name), &file.bytes)?;
    }
    let input = match &case.stdin {
        Some(name) => File::open(place.join(name)).map_or_else(|_| Stdio::null(), Stdio::from),
        None => Stdio::null(),
    };
    let mut command = Command::new("sh");
    let limit = |bytes: u64, unit: u64| (bytes / unit).to_string();
    command.args([
        "-c",
        SHELL,
        &limit(limits.memory, 1024),
        &limit(limits.file, 512),
        &limit(limits.open_files, 1),
    ]);
    command.arg(program).args(case.words()).current_dir(&place);
    for name in ["RUST_BACKTRACE", "RAYON_NUM_THREADS", "STEINBOUND_SIMD", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.stdin(input);
    command.stdout(File::create(said.join("stdout"))?).stderr(File::create(said.join("stderr"))?);
    let started = Instant::now();
    let mut outcome = watch(command.spawn()?, started, limits)?;
    outcome.stdout = fs::read(said.join("stdout"))?;
    outcome.stderr = fs::read(said.join("stderr"))?;
    collect(&place, &place, &mut outcome.files)?;
    Ok(outcome)
}

/// Waits for the end, and looks at the memory until then: its highest mark is kept by the system, so that only what
/// is taken in the last moment is missed.
fn watch(mut child: Child, started: Instant, limits: &Limits) -> std::io::Result<Outcome> {
    let [status_file, times_file] = ["status", "stat"].map(|name| format!("/proc/{}/{name}", child.id()));
    let mut outcome = Outcome::default();
    let mut pause = Duration::from_micros(700);
    loop {
        if let Some(status) = child.try_wait()? {
            outcome.seconds = started.elapsed().as_secs_f64();
            outcome.code = status.code();
            #[cfg(unix)]
            {
                outcome.signal = std::os::unix::process::ExitStatusExt::signal(&status);
            }
            return Ok(outcome);
        }
        outcome.peak = outcome.peak.max(high_mark(&status_file));
        outcome.seconds = started.elapsed().as_secs_f64();
        outcome.processor = processor(&times_file).or(outcome.processor);
        if outcome.busy() > limits.seconds || outcome.seconds > PATIENCE * limits.seconds {
            outcome.is_late = true;
            child.kill()?;
        }
        std::thread::sleep(pause);
        if started.elapsed() > Duration::from_millis(50) {
            pause = Duration::from_millis(3);
        }
    }
}

fn high_mark(status_file: &str) -> u64 {
    let text = fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// The seconds that processors worked: the fields 14 and 15, counted in hundredths, after a name that may have
/// blanks in it.
fn processor(times_file: &str) -> Option<f64> {
    let text = fs::read_to_string(times_file).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

fn collect(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, root, files)?;
        } else {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}
