//! How much memory there is, and the refusal of work that needs more.

use super::control_groups;
use crate::error::MemoryError;

/// The bytes that may be used where the system does not say how many it has.
const UNKNOWN: u128 = 4 << 30;

/// Less than this is not worth asking the system: nothing that small fails, or everything does.
const SMALL: u128 = 16 << 20;

/// What of the address space stays free for stacks, the reserves of the allocator and everything that is not
/// counted.
const SPARE: u128 = 8 << 20;

/// The bytes that this program can take: without the machine running out of them, within the limits of its control
/// group, which ends a program that exceeds them, and within those of its process (`ulimit -v`), at which the
/// system gives nothing more.
///
/// ```
/// assert!(steinbound::available_memory() > 0);
/// ```
pub fn available_memory() -> u128 {
    let machine = read("/proc/meminfo").and_then(|text| parse_kilobytes(&text, "MemAvailable:"));
    machine.unwrap_or(UNKNOWN).min(limited())
}

/// As [`available_memory`], with the space to which the machine can move memory out.
pub(super) fn obtainable() -> u128 {
    let Some(text) = read("/proc/meminfo") else { return limited() };
    let part = |label: &str| parse_kilobytes(&text, label);
    let machine = part("MemAvailable:").map(|free| free + part("SwapFree:").unwrap_or(0));
    machine.unwrap_or(u128::MAX).min(limited())
}

/// What the limits of the process and its control group leave.
fn limited() -> u128 {
    let process = within_process();
    let group = read("/proc/self/cgroup").and_then(|text| control_groups::room(&text, &read));
    let no_limit = u128::MAX;
    process.unwrap_or(no_limit).min(group.unwrap_or(no_limit))
}

/// What limits on the process leave, if there are any.
fn within_process() -> Option<u128> {
    within_limits(&read("/proc/self/limits")?, &read("/proc/self/status")?)
}

/// Whether the address space is so limited that what is only reserved counts.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn is_limited() -> bool {
    const PLENTY: u128 = 16 << 30;
    within_process().is_some_and(|left| left < PLENTY)
}

/// Refuses what does not fit into the [available memory](available_memory); to be asked before it is made.
///
/// What needs the bytes is named by a plural, and the remedy is an advice.
///
/// ```
/// let pairs = |points: u128| steinbound::check_memory(|| format!("the pairs of {points} points"), 8 * points * points, "use fewer");
/// assert!(pairs(100).is_ok());
/// assert!(pairs(1 << 40).unwrap_err().to_string().ends_with("available; use fewer"));
/// ```
pub fn check_memory(
    what: impl FnOnce() -> String,
    bytes: u128,
    remedy: &'static str,
) -> Result<(), MemoryError> {
    if bytes < SMALL {
        return Ok(());
    }
    let available = available_memory();
    if bytes <= available {
        return Ok(());
    }
    let shown = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
    Err(MemoryError { what: what(), needed: shown(bytes), available: shown(available), remedy })
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The line `MemAvailable: 1234 kB` of a text, in bytes.
fn parse_kilobytes(text: &str, label: &str) -> Option<u128> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    let kilobytes: u128 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What the limits on the address space and on data leave beyond what the process has; `None` if there are none.
fn within_limits(limits: &str, status: &str) -> Option<u128> {
    let soft = |label: &str| -> Option<u128> {
        let line = limits.lines().find_map(|line| line.strip_prefix(label))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let left = |limit: &str, used: &str| {
        let used = parse_kilobytes(status, used).unwrap_or(0);
        soft(limit).map(|limit| limit.saturating_sub(used).saturating_sub(SPARE))
    };
    let all = [left("Max address space", "VmSize:"), left("Max data size", "VmData:")];
    all.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_anything_else_is_unknown() {
        let parse = |text: &str| parse_kilobytes(text, "MemAvailable:");
        let text =
            "MemTotal:       24689764 kB\nMemFree:  1 kB\nMemAvailable:   24110000 kB\nBuffers: 2 kB\n";
        assert_eq!(parse(text), Some(24_110_000 * 1024));
        for text in ["", "MemTotal: 5 kB\n", "MemAvailable: 5 pages\n", "MemAvailable: -5 kB\n"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn limits_of_the_process_count_what_it_has_already() {
        let limits = |space: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max cpu time              unlimited            unlimited            seconds   \n\
                 Max data size             {data}            unlimited            bytes     \n\
                 Max address space         {space}            unlimited            bytes     \n"
            )
        };
        let status = "Name:\tsteinbound\nVmPeak:\t  300000 kB\nVmSize:\t  100000 kB\nVmData:\t   20000 kB\n";
        let within = |space: &str, data: &str| within_limits(&limits(space, data), status);
        assert_eq!(within("unlimited", "unlimited"), None);
        assert_eq!(within("268435456", "unlimited"), Some((256 << 20) - 102_400_000 - SPARE));
        assert_eq!(within("268435456", "67108864"), Some((64 << 20) - 20_480_000 - SPARE));
        assert_eq!(within("5000", "unlimited"), Some(0));
        assert_eq!(within_limits("nonsense", status), None);
    }

    #[test]
    fn there_is_some_memory_and_not_too_much() {
        assert!(available_memory() > 1 << 20);
        assert!(obtainable() >= available_memory());
        let many = || "the pairs of many points".to_string();
        assert_eq!(check_memory(many, 0, "take fewer"), Ok(()));
        let message = check_memory(many, 1 << 70, "take fewer").unwrap_err().to_string();
        assert!(message.starts_with("the pairs of many points need 1.84e10 GB of memory, and "), "{message}");
        assert!(message.ends_with(" available; take fewer"), "{message}");
    }
}
