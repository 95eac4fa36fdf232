//! Estimates that cannot be right, with exit code 0.

use serde_json::Value;

use crate::case::Case;

/// A mean may be so many widths of data and boundary away from them.
const FAR: f64 = 10.0;

/// What is doubtful in a result that the program calls sound: its general form, and what was seen.
pub fn doubts(case: &Case, result: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if result["converged"] == false {
        found.push(("not converged".into(), "converged is false".into()));
    }
    let parameters = result["parameters"].as_array().into_iter().flatten();
    for parameter in parameters {
        let name = parameter["name"].as_str().unwrap_or_default();
        let (estimate, error) = (parameter["estimate"].as_f64(), parameter["std_error"].as_f64());
        if parameter["estimate"].is_null() {
            found.push((format!("no estimate of {}", kind(name)), parameter.to_string()));
        }
        if error == Some(0.0) && estimate.is_some() {
            found.push((format!("standard error 0 of {}", kind(name)), parameter.to_string()));
        }
        let Some((range, estimate)) = range_of(case, name).zip(estimate) else { continue };
        let width = range[1] - range[0];
        if width <= 0.0 || !width.is_finite() {
            continue;
        }
        if estimate < range[0] - FAR * width || estimate > range[1] + FAR * width {
            let detail = format!("{name} = {estimate:e} +- {error:?} of data in {range:?}");
            found.push((format!("{} far outside of the data", kind(name)), detail));
        }
        if error.is_some_and(|error| error > 1e6 * width) {
            let detail = format!("{name} = {estimate:e} +- {error:?} of data in {range:?}");
            found.push((format!("standard error of {} without bound", kind(name)), detail));
        }
    }
    found
}

/// The kind of a parameter, without the names of columns.
fn kind(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// The range of the data in the coordinate whose mean a parameter is.
fn range_of(case: &Case, name: &str) -> Option<[f64; 2]> {
    if !name.starts_with("mean[") {
        return None;
    }
    let mut ranges = case.ranges.iter().rev();
    ranges.find(|(column, _)| name.ends_with(&format!("[{column}]"))).map(|(_, range)| *range)
}
