//! Raw little-endian numbers in a file.

use std::error::Error;
use std::path::Path;

/// All numbers of a file.
pub fn read(path: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("{}: {} bytes are not a whole number of f64", path.display(), bytes.len()).into());
    }
    Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}
