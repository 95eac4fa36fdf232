//! From options to a model, and from what was typed to its parameters.

use std::path::Path;

use steinbound::model::{Autodiff, Gaussian, GaussianMixture, Model};
use steinbound::{Matrix, Points};
use steinbound_io::names::{nearest, shown};
use steinbound_io::read_matrix;

use crate::failure::Failure;
use crate::options::{CovarianceShape, ModelKind, ModelOptions, Values, number};

/// How the name of a file with a matrix ends.
const TABLES: [&str; 5] = [".csv", ".tsv", ".txt", ".gz", ".parquet"];

/// A model, and where a search for its parameters starts if the user said so.
pub struct Chosen {
    pub model: Box<dyn Model>,
    /// In reported parameters.
    pub start: Option<Vec<f64>>,
}

impl ModelOptions {
    /// The model that the options describe, for these data.
    /// Values at which it is to be evaluated name the parameters of a formula that has no start.
    pub fn build(&self, data: &Points, at: Option<&Values>) -> Result<Chosen, Failure> {
        if let Some(text) = &self.log_density {
            return formula(text, self.start.as_ref().or(at), data);
        }
        let dimension = data.dimension();
        match self.kind() {
            ModelKind::Gaussian => {
                let misplaced = [
                    ("--components", self.components.is_some()),
                    ("--estimate-weights", self.estimate_weights),
                    ("--start", self.start.is_some()),
                ];
                if let Some((option, _)) = misplaced.into_iter().find(|(_, given)| *given) {
                    return Err(Failure::input(format!(
                        "{option} is for {}, or leave it out",
                        if option == "--start" {
                            "mixtures and formulas; add --model gaussian-mixture or --log-density"
                        } else {
                            "mixtures; add --model gaussian-mixture"
                        }
                    )));
                }
                Ok(Chosen { model: Box::new(self.gaussian(dimension)?), start: None })
            }
            ModelKind::GaussianMixture => {
                let model = self.mixture(dimension)?;
                let start = match &self.start {
                    None => None,
                    Some(values) => Some(mixture_start(&model, values, data)?),
                };
                Ok(Chosen { model: Box::new(model), start })
            }
        }
    }

    /// The Gaussian that the options describe.
    pub fn gaussian(&self, dimension: usize) -> Result<Gaussian, Failure> {
        let Some(text) = &self.known_covariance else {
            return match self.covariance {
                None | Some(CovarianceShape::Full) => Ok(Gaussian::full(dimension)),
                Some(CovarianceShape::Diagonal) => Ok(Gaussian::diagonal(dimension)),
                Some(CovarianceShape::Shared | CovarianceShape::Spherical) => Err(Failure::input(
                    "--covariance shared and spherical are for mixtures; use full or diagonal, or add --model gaussian-mixture",
                )),
            };
        };
        let model = match known_covariance(text, dimension)? {
            Known::Variances(variances) => Gaussian::with_variances(&variances),
            Known::Matrix(matrix) => Gaussian::with_covariance(matrix),
        };
        model.map_err(covariance_refused)
    }

    /// The mixture that the options describe.
    pub fn mixture(&self, dimension: usize) -> Result<GaussianMixture, Failure> {
        let Some(components) = self.components else {
            return Err(Failure::input(
                "--model gaussian-mixture needs --components K, such as --components 2",
            ));
        };
        if !(1..=1000).contains(&components) {
            return Err(Failure::input(format!(
                "--components is {components}; give a number from 1 to 1000"
            )));
        }
        let mut model = GaussianMixture::new(dimension, components).map_err(steinbound::Error::from)?;
        if self.estimate_weights {
            model = model.estimate_weights();
        }
        if let Some(text) = &self.known_covariance {
            let known = match known_covariance(text, dimension)? {
                Known::Variances(variances) => model.with_variances(&variances),
                Known::Matrix(matrix) => model.with_covariance(matrix),
            };
            return known.map_err(covariance_refused);
        }
        Ok(match self.covariance {
            None | Some(CovarianceShape::Full) => model.full(),
            Some(CovarianceShape::Shared) => model.shared(),
            Some(CovarianceShape::Spherical) => model.spherical(),
            Some(CovarianceShape::Diagonal) => {
                return Err(Failure::input(
                    "--covariance diagonal is for --model gaussian; mixtures have full, shared or spherical covariances",
                ));
            }
        })
    }
}

fn covariance_refused(error: steinbound::ModelError) -> Failure {
    Failure::input(format!("--known-covariance: {error}"))
}

fn formula(text: &str, start: Option<&Values>, data: &Points) -> Result<Chosen, Failure> {
    let parameters = match start {
        Some(Values::Named(list)) => list.clone(),
        Some(Values::Plain(_)) => {
            return Err(Failure::input(
                "--start names the parameters of --log-density: write --start mu=0,s=1 with every parameter",
            ));
        }
        None => Vec::new(),
    };
    let model = Autodiff::from_formula(text, data.names(), &parameters).map_err(|error| {
        let help = match (&error, start) {
            (steinbound::Error::Expression(_), None) => {
                "\nname the parameters, each with a value to start from: --start mu=0,s=1"
            }
            _ => "",
        };
        Failure::input(format!("--log-density: {error}{help}"))
    })?;
    Ok(Chosen { model: Box::new(model), start: None })
}

/// Means alone, or all reported parameters.
fn mixture_start(model: &GaussianMixture, values: &Values, data: &Points) -> Result<Vec<f64>, Failure> {
    let names = model.reported_names(data.names());
    let means = model.components() * model.dimension();
    match values {
        Values::Plain(list) if list.len() == means && list.len() != names.len() => {
            if let Some(value) = list.iter().find(|value| !value.is_finite()) {
                return Err(Failure::input(format!("--start holds {value}; give finite numbers")));
            }
            model.start_at(list, data).ok_or_else(|| {
                Failure::input("--start: no covariances can be found around these means; give all parameters")
            })
        }
        Values::Plain(list) if list.len() != names.len() => Err(Failure::input(format!(
            "--start has {} values; give the {means} means, component by component{}",
            list.len(),
            if means == names.len() { String::new() } else { format!(", or all {} parameters", names.len()) }
        ))),
        values => resolve("--start", values, &names),
    }
}

/// The values of parameters in reported order, given in that order or by name.
pub fn resolve(option: &str, values: &Values, names: &[String]) -> Result<Vec<f64>, Failure> {
    let list = match values {
        Values::Plain(list) => return Ok(list.clone()),
        Values::Named(list) => list,
    };
    for (name, _) in list {
        if !names.contains(name) {
            let hint = nearest(name, names.iter().map(String::as_str))
                .map_or_else(String::new, |near| format!("; did you mean \"{}\"", shown(near)));
            return Err(Failure::input(format!("{option}: there is no parameter \"{}\"{hint}", shown(name))));
        }
    }
    let value = |name: &String| {
        let found = list.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| *value).ok_or_else(|| {
            Failure::input(format!("{option} does not give {}; give every parameter", shown(name)))
        })
    };
    names.iter().map(value).collect()
}

/// A covariance given by the user, of the data's dimension.
enum Known {
    Variances(Vec<f64>),
    Matrix(Matrix),
}

fn known_covariance(text: &str, dimension: usize) -> Result<Known, Failure> {
    let mismatch = |what: String| {
        Failure::input(format!(
            "--known-covariance is {what} and the data have {dimension} columns; give one number, {dimension} variances, \
             or a {dimension} by {dimension} matrix"
        ))
    };
    if TABLES.iter().any(|end| text.to_lowercase().ends_with(end)) {
        let matrix = read_matrix(Path::new(text))?;
        if (matrix.rows(), matrix.columns()) != (dimension, dimension) {
            return Err(mismatch(format!("a {} by {} matrix", matrix.rows(), matrix.columns())));
        }
        return Ok(Known::Matrix(matrix));
    }
    let variance = |part: &str| {
        let value = number(part).map_err(|message| {
            Failure::input(format!("--known-covariance: {message}; give numbers or a .csv file"))
        })?;
        if value > 0.0 && value.is_finite() {
            return Ok(value);
        }
        Err(Failure::input(format!(
            "--known-covariance: {value} is not a variance; variances are positive numbers"
        )))
    };
    let variances = text.split(',').map(variance).collect::<Result<Vec<f64>, _>>()?;
    match variances.as_slice() {
        [single] => Ok(Known::Variances(vec![*single; dimension])),
        list if list.len() == dimension => Ok(Known::Variances(variances)),
        list => Err(mismatch(format!("a list of {} variances", list.len()))),
    }
}
