//! Values of parameters, as people write them.

use std::fmt;
use std::str::FromStr;

use steinbound_io::names::{nearest, shown};

use crate::error::RequestError;

/// Values of parameters: a comma list of numbers in reported order, or of names and numbers.
///
/// ```
/// use steinbound_request::Values;
/// let names = ["mean[x1]".to_string(), "cov[x1,x1]".to_string()];
/// let values: Values = "cov[x1,x1]=2, mean[x1]=1".parse()?;
/// assert_eq!(values.resolve("at", &names).unwrap(), [1.0, 2.0]);
/// assert_eq!("1,-2".parse(), Ok(Values::Plain(vec![1.0, -2.0])));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// In reported order.
    Plain(Vec<f64>),
    /// By name.
    Named(Vec<(String, f64)>),
}

impl Values {
    /// The values in the order of these names. `option` is what messages call the list.
    pub fn resolve(&self, option: &str, names: &[String]) -> Result<Vec<f64>, RequestError> {
        let list = match self {
            Values::Plain(list) => return Ok(list.clone()),
            Values::Named(list) => list,
        };
        if let Some((name, _)) = list.iter().find(|(name, _)| !names.contains(name)) {
            let hint = nearest(name, names.iter().map(String::as_str))
                .map_or_else(String::new, |near| format!("; did you mean \"{}\"", shown(near)));
            let reason = format!("there is no parameter \"{}\"{hint}", shown(name));
            return Err(RequestError::value(option, reason));
        }
        let value = |name: &String| {
            let found = list.iter().find(|(given, _)| given == name);
            found.map(|(_, value)| *value).ok_or_else(|| {
                let name = shown(name);
                RequestError::refused(format!("{option} does not give {name}; give every parameter"))
            })
        };
        names.iter().map(value).collect()
    }
}

impl fmt::Display for Values {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = match self {
            Values::Plain(list) => list.iter().map(f64::to_string).collect(),
            Values::Named(list) => list.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        };
        out.write_str(&list.join(","))
    }
}

impl FromStr for Values {
    type Err = String;

    /// Reads `1,2` or `a=1,b=2`; commas within brackets belong to a name, as in `cov[x1,x2]=0`.
    fn from_str(text: &str) -> Result<Values, String> {
        let mut depth = 0i32;
        let parts = text.split(|c: char| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ',' && depth <= 0
        });
        if !text.contains('=') {
            return parts.map(number).collect::<Result<_, _>>().map(Values::Plain);
        }
        let mut list: Vec<(String, f64)> = Vec::new();
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or(("", part));
            let name = name.trim().to_string();
            if name.is_empty() {
                return Err(format!("\"{}\" has no name; write every value as name=number", shown(part)));
            }
            if list.iter().any(|(other, _)| *other == name) {
                return Err(format!("{} is given twice", shown(&name)));
            }
            list.push((name, number(value)?));
        }
        Ok(Values::Named(list))
    }
}

/// Reads a number.
///
/// ```
/// assert_eq!(steinbound_request::number(" 1.5"), Ok(1.5));
/// assert_eq!(steinbound_request::number("one"), Err("\"one\" is not a number".to_string()));
/// ```
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("\"{}\" is not a number", shown(text)))
}
