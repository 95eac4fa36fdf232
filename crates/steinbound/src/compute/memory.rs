//! The amount of available memory.

/// The number of bytes assumed if the system does not report its memory.
const UNKNOWN: u128 = 4 << 30;

/// The number of bytes that a program can allocate without exhausting the machine's memory.
pub(crate) fn available() -> u128 {
    let text = std::fs::read_to_string("/proc/meminfo").ok();
    text.and_then(|text| parse_available(&text)).unwrap_or(UNKNOWN)
}

/// The line `MemAvailable: 1234 kB`: free memory and memory that the system can release.
fn parse_available(text: &str) -> Option<u128> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u128 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_anything_else_is_unknown() {
        let text =
            "MemTotal:       24689764 kB\nMemFree:  1 kB\nMemAvailable:   24110000 kB\nBuffers: 2 kB\n";
        assert_eq!(parse_available(text), Some(24_110_000 * 1024));
        for text in ["", "MemTotal: 5 kB\n", "MemAvailable: 5 pages\n", "MemAvailable: -5 kB\n"] {
            assert_eq!(parse_available(text), None, "{text}");
        }
    }

    #[test]
    fn there_is_some_memory() {
        assert!(available() > 1 << 20);
    }
}
