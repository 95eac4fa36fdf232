//! Files that have no name while they are written, so that an interrupted program leaves no incomplete file.
//!
//! Destructors, which would otherwise remove a temporary file, do not run when a signal ends a program.

use std::fs::File;
use std::path::Path;

/// A file in a folder that the system removes unless it gets a [name](give_name); `None` if the system has no
/// such files.
#[cfg(target_os = "linux")]
pub(crate) fn create(folder: &Path, mode: u32) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Through this folder a file without a name can be named later.
    if !Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let flags = rustix::fs::OFlags::TMPFILE.bits();
    let flags = i32::try_from(flags).ok()?;
    std::fs::OpenOptions::new().write(true).mode(mode).custom_flags(flags).open(folder).ok()
}

/// Gives such a file a name that is not in use.
#[cfg(target_os = "linux")]
pub(crate) fn give_name(file: &File, name: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn create(_: &Path, _: u32) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_name(_: &File, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn there_is_nothing_to_see_before_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let Some(mut file) = create(folder.path(), 0o600) else { return };
        file.write_all(b"all of it").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let path = folder.path().join("named");
        give_name(&file, &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "all of it");
        let error = give_name(&file, &path).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    }
}
