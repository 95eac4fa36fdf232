//! Writing whole files: a file appears complete or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use steinbound::Points;

use crate::error::IoError;
use crate::table::shown_path;

/// Writes a file through a temporary one beside it, which takes its name only when it is complete.
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
    let create =
        |error: std::io::Error| IoError::Create { path: shown_path(path), reason: error.to_string() };
    let write = |error: std::io::Error| IoError::Write { path: shown_path(path), reason: error.to_string() };
    if path.is_dir() {
        return Err(create(std::io::Error::other("it is a folder")));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // An ordinary file's permissions, less what the user masks, instead of a temporary file's.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".steinbound-").tempfile_in(folder).map_err(create)?;
    let mut buffer = BufWriter::new(file.as_file_mut());
    fill(&mut buffer).and_then(|()| buffer.flush()).map_err(write)?;
    drop(buffer);
    file.persist(path).map_err(|error| create(error.error))?;
    Ok(())
}

/// Points as comma-separated values under a header; every number is written so that it reads back to the same bits.
pub fn points(out: &mut dyn Write, points: &Points) -> std::io::Result<()> {
    // The stream's own error, so that a reader who stopped reading can be told from a full disk.
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
