//! The memory of this process, as the operating system counts it.

/// The peak of resident memory above its value when this was created.
pub struct Peak {
    start: Option<u64>,
}

impl Peak {
    /// Starts the measurement.
    pub fn watch() -> Peak {
        // Reset the peak, which so far is that of reading the files. If this is not allowed, the peak is
        // overstated.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Peak { start: status("VmRSS:") }
    }

    /// The rise so far, in bytes; `None` if the system does not report it.
    pub fn bytes(&self) -> Option<u64> {
        Some(status("VmHWM:")?.saturating_sub(self.start?))
    }
}

/// A field of this process's status, in bytes.
fn status(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
