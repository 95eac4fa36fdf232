//! The memory that Linux's control groups leave to the processes in them, as in a container or a batch job.

/// The room below the limits of the groups of a process and of all groups around those, in bytes; `None` if none of
/// them has a limit.
///
/// The memberships are the text of `/proc/self/cgroup`; `read` gives the text of a file.
pub(super) fn room(memberships: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u128> {
    let rooms = memberships.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        match controllers {
            "" => version_two(path, read),
            _ if controllers.split(',').any(|controller| controller == "memory") => version_one(path, read),
            _ => None,
        }
    });
    rooms.min()
}

/// The unified hierarchy: `memory.high` throttles a program to a standstill, `memory.max` ends it.
fn version_two(path: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u128> {
    let of = |folder: &str| {
        let file = |name: &str| read(&format!("{folder}/{name}"));
        let limit = |name: &str| number(&file(name)?);
        let limit = [limit("memory.max"), limit("memory.high")].into_iter().flatten().min()?;
        let used = number(&file("memory.current")?)?;
        let idle = file("memory.stat").and_then(|text| entry(&text, "inactive_file"));
        Some(limit.saturating_sub(used.saturating_sub(idle.unwrap_or(0))))
    };
    // A hybrid of both versions has the unified hierarchy in a folder of its own.
    let rooms = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(|root| smallest(root, path, &of));
    rooms.into_iter().flatten().min()
}

/// The hierarchy of memory alone.
fn version_one(path: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u128> {
    smallest("/sys/fs/cgroup/memory", path, &|folder| {
        let file = |name: &str| read(&format!("{folder}/{name}"));
        let limit = number(&file("memory.limit_in_bytes")?)?;
        let used = number(&file("memory.usage_in_bytes")?)?;
        let idle = file("memory.stat").and_then(|text| entry(&text, "total_inactive_file"));
        Some(limit.saturating_sub(used.saturating_sub(idle.unwrap_or(0))))
    })
}

/// The smallest room of a group and those around it. A container may see its own group as the root, although its
/// path is that of the machine: folders that are not there have no say.
fn smallest(root: &str, path: &str, of: &dyn Fn(&str) -> Option<u128>) -> Option<u128> {
    let mut path = path.trim_end_matches('/');
    let mut smallest = None;
    loop {
        let room = of(&format!("{root}{path}"));
        smallest = smallest.into_iter().chain(room).min();
        match path.rfind('/') {
            Some(end) => path = &path[..end],
            None => return smallest,
        }
    }
}

/// A number of bytes; none for `max`.
fn number(text: &str) -> Option<u128> {
    text.trim().parse().ok()
}

/// A line such as `inactive_file 4096`.
fn entry(text: &str, name: &str) -> Option<u128> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    number(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        |path| entries.iter().find(|(name, _)| *name == path).map(|(_, text)| text.to_string())
    }

    #[test]
    fn the_tightest_group_around_counts_without_its_idle_cache() {
        let read = files(&[
            ("/sys/fs/cgroup/jobs/one/memory.max", "max\n"),
            ("/sys/fs/cgroup/jobs/one/memory.high", "max\n"),
            ("/sys/fs/cgroup/jobs/one/memory.current", "900\n"),
            ("/sys/fs/cgroup/jobs/memory.max", "5000\n"),
            ("/sys/fs/cgroup/jobs/memory.high", "4000\n"),
            ("/sys/fs/cgroup/jobs/memory.current", "3500\n"),
            ("/sys/fs/cgroup/jobs/memory.stat", "anon 2000\ninactive_file 1000\ninactive_file_x 7\n"),
        ]);
        assert_eq!(room("0::/jobs/one\n", &read), Some(1500));
        assert_eq!(room("0::/other\n", &read), None);
        assert_eq!(room("nonsense", &read), None);
    }

    #[test]
    fn a_container_is_the_root_of_what_it_sees() {
        let read = files(&[
            ("/sys/fs/cgroup/memory.max", "1000\n"),
            ("/sys/fs/cgroup/memory.current", "2000\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "10000\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n"),
            ("/sys/fs/cgroup/memory/memory.stat", "cache 3000\ntotal_inactive_file 500\n"),
        ]);
        assert_eq!(room("0::/\n", &read), Some(0));
        assert_eq!(room("9:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n", &read), Some(6500));
        assert_eq!(room("9:cpu,cpuacct:/docker/a\n", &read), None);
    }
}
