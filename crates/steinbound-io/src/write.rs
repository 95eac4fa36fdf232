//! Writing whole files: a file is written completely or not at all.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use steinbound::Points;
use tempfile::NamedTempFile;

use crate::error::IoError;
use crate::nameless;
use crate::table::shown_path;

/// A file that is complete but does not have its final name yet.
///
/// Several files can be filled before any gets its name, so that a failure leaves none of them behind.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    shown: String,
    /// `None` if the path is a device or a pipe, which was written directly.
    file: Option<Unnamed>,
}

/// A file before it gets its name.
#[derive(Debug)]
enum Unnamed {
    /// A file without a name, which the system removes when the program ends.
    Nameless(File),
    /// A file with a temporary name, on systems that have no files without a name.
    Temporary(NamedTempFile),
}

impl Unnamed {
    fn create(folder: &Path, existing: Option<&std::fs::Metadata>) -> std::io::Result<Unnamed> {
        if let Some(file) = nameless::create(folder, mode(existing)) {
            return Ok(Unnamed::Nameless(file));
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode(existing)));
        #[cfg(not(unix))]
        if let Some(data) = existing {
            builder.permissions(data.permissions());
        }
        builder.prefix(PREFIX).tempfile_in(folder).map(Unnamed::Temporary)
    }

    fn file(&mut self) -> &mut File {
        match self {
            Unnamed::Nameless(file) => file,
            Unnamed::Temporary(file) => file.as_file_mut(),
        }
    }

    /// Gives the complete file its name. To replace another it first needs a temporary one.
    fn name(self, path: &Path) -> std::io::Result<()> {
        let temporary = match self {
            Unnamed::Nameless(file) => {
                match nameless::give_name(&file, path) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                let name = |name: &Path| nameless::give_name(&file, name);
                tempfile::Builder::new().prefix(PREFIX).make_in(folder(path), name)?.into_temp_path()
            }
            Unnamed::Temporary(file) => file.into_temp_path(),
        };
        temporary.persist(path).map_err(|error| error.error)
    }
}

/// The prefix of temporary names.
const PREFIX: &str = ".steinbound-";

/// The permissions of the replaced file, or those of an ordinary file under the user's mask.
fn mode(existing: Option<&std::fs::Metadata>) -> u32 {
    #[cfg(unix)]
    if let Some(data) = existing {
        return std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o7777;
    }
    let _ = existing;
    0o666
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Links that lead to another link are followed this often, as by the system.
const MOST_LINKS: usize = 40;

/// What a path stands for once its links are followed, whether that exists or not.
fn target(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::canonicalize(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found.or(Ok(path)),
        }
        match std::fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("its links lead in a circle"))
}

/// Where a file of this name is written: links are followed, and the folder is spelt in full.
///
/// ```
/// use steinbound_io::write::destination;
/// assert_eq!(destination("./new.csv".as_ref()), destination("new.csv".as_ref()));
/// assert_ne!(destination("new.csv".as_ref()), destination("old.csv".as_ref()));
/// ```
pub fn destination(path: &Path) -> PathBuf {
    let path = target(path).unwrap_or_else(|_| path.to_path_buf());
    match (std::fs::canonicalize(folder(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

impl Pending {
    /// Fills a file without a name, or with a temporary name, in the folder of the path.
    pub fn fill(
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Pending, IoError> {
        let shown = shown_path(path);
        let create = |reason: String| IoError::Create { path: shown.clone(), reason };
        let write = |error: std::io::Error| IoError::Write { path: shown.clone(), reason: reason(&error) };
        let existing = std::fs::metadata(path).ok();
        if existing.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            return Err(create("it is a folder".into()));
        }
        if existing.as_ref().is_some_and(|data| !data.is_file()) {
            // A terminal, a pipe or a device cannot be replaced, only written to.
            let open = std::fs::OpenOptions::new().write(true).open(path);
            let mut out = BufWriter::new(open.map_err(|error| create(reason(&error)))?);
            fill(&mut out).and_then(|()| out.flush()).map_err(write)?;
            return Ok(Pending { path: path.to_path_buf(), shown, file: None });
        }
        if existing.as_ref().is_some_and(|data| data.permissions().readonly()) {
            return Err(create("it exists and is read-only".into()));
        }
        // A link stays a link: its target is replaced, or created where there is none yet.
        let path = target(path).map_err(|error| create(reason(&error)))?;
        let made = Unnamed::create(folder(&path), existing.as_ref());
        let mut file = made.map_err(|error| create(reason(&error)))?;
        let mut buffer = BufWriter::new(file.file());
        fill(&mut buffer).and_then(|()| buffer.flush()).map_err(write)?;
        drop(buffer);
        Ok(Pending { path, shown, file: Some(file) })
    }

    /// Waits until the contents are on the disk, so that a machine that fails after the file was named does
    /// not leave an empty one.
    fn sync(file: &File, shown: &str) -> Result<(), IoError> {
        match file.sync_all() {
            Ok(()) => Ok(()),
            // Some file systems cannot do this.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
            Err(error) => Err(IoError::Write { path: shown.to_string(), reason: reason(&error) }),
        }
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<(), IoError> {
        let Some(mut file) = self.file else { return Ok(()) };
        Pending::sync(file.file(), &self.shown)?;
        file.name(&self.path).map_err(|error| IoError::Create { path: self.shown, reason: reason(&error) })
    }
}

/// The system's reason, without the name of a temporary file, which the crate for those adds at the end.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        None if error.kind() != ErrorKind::Other => {
            text.split_once(" at path ").map_or(text.as_str(), |(reason, _)| reason).to_string()
        }
        _ => text,
    }
}

/// Returns an error if no file can be created at the path; changes nothing.
///
/// ```
/// assert!(steinbound_io::write::check("no/such/folder/out.txt".as_ref()).is_err());
/// ```
pub fn check(path: &Path) -> Result<(), IoError> {
    // Devices and pipes can be checked only by writing to them.
    match std::fs::metadata(path) {
        Ok(data) if !data.is_file() && !data.is_dir() => Ok(()),
        _ => Pending::fill(path, |_| Ok(())).map(drop),
    }
}

/// Writes a file through a temporary one next to it, which gets the final name only when it is complete.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out.txt");
/// steinbound_io::write::whole_file(&path, |out| out.write_all(b"all of it"))?;
/// assert_eq!(std::fs::read_to_string(path)?, "all of it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn whole_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), IoError> {
    Pending::fill(path, fill)?.commit()
}

/// Points as comma-separated values under a header; every number reads back to the same bits.
pub fn points(out: &mut dyn Write, points: &Points) -> std::io::Result<()> {
    // The stream's own error, so that a closed pipe can be distinguished from a full disk.
    let plain = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    };
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(points.names()).map_err(plain)?;
    for row in points.rows() {
        writer.write_record(row.iter().map(|value| format!("{value:?}"))).map_err(plain)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{TableOptions, read_table};

    #[test]
    fn points_read_back_to_the_same_bits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.csv");
        let values = vec![0.1, 1.0 / 3.0, 1e-300, -2.5e17, f64::MIN_POSITIVE, 3.0];
        let expected = Points::new(values, 2).unwrap().with_names(["a, b", "c"]).unwrap();
        whole_file(&path, |out| points(out, &expected)).unwrap();
        let read = read_table(&path, &TableOptions::default()).unwrap().into_points().unwrap();
        assert_eq!(read, expected);
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_are_respected() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target.csv"), folder.path().join("link.csv"));
        std::fs::write(&target, "old").unwrap();
        std::fs::set_permissions(&target, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        whole_file(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        let (later, early) = (folder.path().join("later.csv"), folder.path().join("early.csv"));
        symlink("later.csv", &early).unwrap();
        whole_file(&early, |out| out.write_all(b"made")).unwrap();
        assert_eq!(std::fs::read_to_string(&later).unwrap(), "made");
        assert!(std::fs::symlink_metadata(&early).unwrap().is_symlink());
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        whole_file(&null, |out| out.write_all(b"away")).unwrap();
        assert!(std::fs::symlink_metadata(&null).unwrap().is_symlink());
        std::fs::set_permissions(&target, PermissionsExt::from_mode(0o444)).unwrap();
        let error = whole_file(&target, |out| out.write_all(b"no")).unwrap_err();
        assert!(error.to_string().contains("read-only"), "{error}");
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let pending = Pending::fill(&folder.path().join("a"), |out| out.write_all(b"a")).unwrap();
        let failed = Pending::fill(&folder.path().join("no/b"), |out| out.write_all(b"b"));
        assert!(failed.unwrap_err().to_string().ends_with("check the folder and its permissions"));
        drop(pending);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.csv");
        std::fs::write(&path, "old").unwrap();
        let result = whole_file(&path, |out| {
            out.write_all(b"new")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(result.unwrap_err().to_string().contains("disk full"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
