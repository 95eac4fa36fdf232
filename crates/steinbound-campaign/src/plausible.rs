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

/// Values that contradict each other or their meaning, wherever they are in a result.
pub fn contradictions(result: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![result];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(list) => left.extend(list),
            Value::Object(fields) => {
                let number = |name: &str| fields.get(name).and_then(Value::as_f64);
                if number("p_value").is_some_and(|p| !(0.0..=1.0).contains(&p)) {
                    found.push(("p-value beyond 1".into(), value.to_string()));
                }
                if number("std_error").is_some_and(|error| error < 0.0) {
                    found.push(("negative standard error".into(), value.to_string()));
                }
                if number("lower").zip(number("upper")).is_some_and(|(lower, upper)| lower > upper) {
                    found.push(("interval upside down".into(), value.to_string()));
                }
                left.extend(fields.values());
            }
            _ => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nonsense_is_found() {
        let mut case = Case::new("fit");
        case.ranges = vec![("x1".into(), [0.0, 1.0])];
        let fit = |estimate: f64, error: f64| json!({"converged": true, "parameters": [{"name": "mean[x1]", "estimate": estimate, "std_error": error}]});
        let kinds =
            |value: &Value| doubts(&case, value).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert!(kinds(&fit(-3.0, 1.0)).is_empty());
        assert_eq!(kinds(&fit(-30.0, 1.0)), ["mean far outside of the data"]);
        assert_eq!(kinds(&fit(0.5, 0.0)), ["standard error 0 of mean"]);
        assert_eq!(kinds(&fit(0.5, 1e9)), ["standard error of mean without bound"]);
        assert_eq!(kinds(&json!({"converged": false})), ["not converged"]);
        let upside_down = json!({"a": [{"lower": 2, "upper": 1}, {"p_value": 0.5}]});
        assert_eq!(contradictions(&upside_down).len(), 1);
    }
}
