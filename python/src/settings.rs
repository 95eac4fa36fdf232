//! The settings of an estimator, as Python gives them: a dictionary of options by name.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use serde_json::{Value as Json, json};
use steinbound::Method;
use steinbound_request::{Kind, OptionSpec, Options, Value, choices, options};

use crate::error::Failure;

/// Settings of an estimator; `None`, or a name that is not there, leaves the default.
#[derive(Clone)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// Its options.
    pub options: Options,
    /// Whether longitude and latitude are laid on a plane.
    pub is_projected: bool,
    /// How many threads to use.
    pub threads: Option<usize>,
}

impl Settings {
    /// Reads a dictionary.
    pub fn read(given: &Bound<'_, PyDict>) -> Result<Settings, Failure> {
        let method = match given.get_item("method")? {
            Some(name) => choices::method().find(&name.extract::<String>()?)?,
            None => Method::default(),
        };
        let mut settings = Settings { method, options: Options::new(), is_projected: false, threads: None };
        for option in options::estimator().chain([&options::COV]) {
            if let Some(value) = item(given, &argument(option))? {
                settings.options.set(option, value_of(option, &value)?);
            }
        }
        if let Some(value) = item(given, "project")? {
            settings.is_projected = value.extract()?;
        }
        if let Some(value) = item(given, "threads")? {
            settings.threads = Some(value.extract()?);
        }
        Ok(settings)
    }
}

/// The name of an option as an argument.
fn argument(option: &OptionSpec) -> String {
    option.name.replace('-', "_")
}

fn item<'py>(given: &Bound<'py, PyDict>, name: &str) -> Result<Option<Bound<'py, PyAny>>, Failure> {
    Ok(given.get_item(name)?.filter(|value| !value.is_none()))
}

/// The value of an option.
fn value_of(option: &OptionSpec, value: &Bound<'_, PyAny>) -> Result<Value, Failure> {
    Ok(match option.kind {
        Kind::Number => Value::Number(value.extract()?),
        Kind::NumberOr(..) => match value.extract::<f64>() {
            Ok(number) => Value::Number(number),
            Err(_) => option.parse(&value.extract::<String>()?)?,
        },
        Kind::Count | Kind::Draws => Value::Count(value.extract()?),
        Kind::Seed => Value::Seed(value.extract()?),
        Kind::Flag => Value::Flag(value.extract()?),
        // Python's tune may be True or False, for its rules by name.
        _ if value.is_instance_of::<PyBool>() => {
            option.name_of(if value.extract()? { "agreement" } else { "none" })?
        }
        _ => option.name_of(&value.extract::<String>()?)?,
    })
}

/// Every option that is shared with the command line, as JSON: name, group, kind, default, help, and the names
/// to choose from. What only Python has follows.
#[pyfunction]
#[pyo3(name = "options")]
pub fn shared_options() -> String {
    let threads = json!({
        "name": "threads",
        "group": "estimator",
        "kind": Kind::Count.name(),
        "default": "all cores",
        "is_required": false,
        "help": "The number of threads; results do not depend on it",
        "details": null,
        "choices": null,
    });
    let all = options::json().as_array().cloned().unwrap_or_default();
    Json::from_iter(all.into_iter().chain([threads])).to_string()
}
