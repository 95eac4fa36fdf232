//! The library that makes calls fail, compiled once and loaded before the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Compiles the library; `None`, with the reason printed, where that is not possible.
pub fn shim() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| match build() {
        Ok(path) => Some(path),
        Err(reason) => {
            println!("skipped, because no call can be made to fail: {reason}");
            None
        }
    });
    built.as_deref()
}

fn build() -> Result<PathBuf, String> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return Err("this is not Linux with the GNU C library".into());
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shim/lib.rs");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Another test run may compile it at the same time.
    let path = folder.join(format!("libsteinbound_shim_{}.so", std::process::id()));
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let options =
        ["--edition", "2024", "--crate-type", "cdylib", "-C", "opt-level=1", "-C", "panic=abort", "-o"];
    let said = Command::new(compiler).args(options).args([&path, Path::new(source)]).output();
    let said = said.map_err(|error| format!("rustc cannot be started: {error}"))?;
    let ready = folder.join("libsteinbound_shim.so");
    match said.status.success() && std::fs::rename(&path, &ready).is_ok() {
        true => Ok(ready),
        false => Err(String::from_utf8_lossy(&said.stderr).into_owned()),
    }
}

/// Calls of one kind that fail.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    pub kind: &'static str,
    /// The number of the first call that fails, counted from 1; 0 for none.
    pub at: u64,
    pub how: How,
}

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It fails.
    Once,
    /// It fails, and so do all that follow.
    Always,
    /// The program is killed.
    Deadly,
}

/// Allocations below this size do not fail: there are thousands, and all end in the same place.
const ABOVE: u64 = 16_384;

/// How a run with a fault ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The calls of the kind of the fault; unknown where the program had to end at once.
    pub calls: Option<u64>,
}

/// Runs a call of the command in a folder with a fault, for a minute at most.
pub fn run(shim: &Path, folder: &Path, call: &[&str], fault: Fault) -> Ended {
    let count = tempfile::NamedTempFile::new().unwrap();
    let last = if fault.how == How::Always { u64::MAX } else { fault.at };
    let child = Command::new(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(call)
        .current_dir(folder)
        .env("LD_PRELOAD", shim)
        .env("STEINBOUND_FAULT_KIND", fault.kind)
        .env("STEINBOUND_FAULT_AT", fault.at.to_string())
        .env("STEINBOUND_FAULT_LAST", last.to_string())
        .env("STEINBOUND_FAULT_DEADLY", if fault.how == How::Deadly { "1" } else { "0" })
        .env("STEINBOUND_FAULT_ABOVE", ABOVE.to_string())
        .env("STEINBOUND_FAULT_COUNT", count.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = within_a_minute(child).unwrap_or_else(|| panic!("{call:?} hangs with {fault:?}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let calls = std::fs::read_to_string(count.path()).ok().and_then(|text| text.parse().ok());
    Ended { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr), calls }
}

/// The output of a program; `None` if it did not end and was killed.
pub fn within_a_minute(child: std::process::Child) -> Option<std::process::Output> {
    let id = child.id().to_string();
    let (send, receive) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || send.send(child.wait_with_output()));
    let output = receive.recv_timeout(std::time::Duration::from_secs(60));
    if output.is_err() {
        let _ = Command::new("kill").args(["-9", &id]).status();
    }
    let _ = waiting.join();
    output.ok().map(Result::unwrap)
}
