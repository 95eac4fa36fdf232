//! From what is said of a model to the model, and to where a search for its parameters starts.

use steinbound::model::{
    Autodiff, Choice, FAMILIES, Family, KnownCovariance, Model, ModelChoices, check_size,
};
use steinbound::{Error, ModelError, Points};
use steinbound_io::names::shown;

use crate::choices;
use crate::components::Components;
use crate::error::RequestError;
use crate::option::Options;
use crate::options;
use crate::values::{Values, number};
use crate::wording::Wording;

/// What is said of a model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ModelRequest<'a> {
    /// A model that has a name.
    Family(FamilyRequest),
    /// A log-density up to a constant, as a formula in the columns and in parameters that the start names.
    Formula {
        /// The formula.
        log_density: String,
        /// The parameters, each with a value to start from.
        start: Option<Values>,
    },
    /// A model that is there already.
    Given(&'a dyn Model),
}

impl From<FamilyRequest> for ModelRequest<'_> {
    fn from(request: FamilyRequest) -> Self {
        ModelRequest::Family(request)
    }
}

/// A model that has a name, with what is chosen beside the name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FamilyRequest {
    /// The model.
    pub family: &'static dyn Family,
    /// What is chosen.
    pub choices: ModelChoices,
    /// Where a search starts.
    pub start: Option<Values>,
}

impl FamilyRequest {
    /// A model with its default choices.
    pub fn new(family: &'static dyn Family) -> FamilyRequest {
        FamilyRequest { family, choices: ModelChoices::default(), start: None }
    }

    /// The model in some number of coordinates.
    ///
    /// ```
    /// use steinbound_request::{FamilyRequest, Wording, choices};
    /// let mixture = FamilyRequest::new(choices::model().find("mixture")?);
    /// let refusal = mixture.build(2, Wording::CommandLine).map(|_| ()).unwrap_err().to_string();
    /// assert_eq!(refusal, "--model gaussian-mixture needs --components K, such as --components 2");
    /// # Ok::<(), steinbound_request::RequestError>(())
    /// ```
    pub fn build(&self, dimension: usize, wording: Wording) -> Result<Box<dyn Model>, RequestError> {
        self.family.build(dimension, &self.choices).map_err(|error| explained(error, wording))
    }

    /// The reported parameters at which a search on these data starts, where a start is given.
    pub fn start_for(
        &self,
        model: &dyn Model,
        data: &Points,
        wording: Wording,
    ) -> Result<Option<Vec<f64>>, RequestError> {
        let Some(values) = &self.start else { return Ok(None) };
        let explain = |error| explained(error, wording);
        self.family.expect(Choice::Start).map_err(explain)?;
        let given = values.resolve(&wording.option("start"), &model.reported_names(data.names()))?;
        self.family.start(&self.choices, &given, data).map(Some).map_err(explain)
    }
}

/// A model that is ready, owned or borrowed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadyModel<'a> {
    /// Made for the request.
    Built(Box<dyn Model>),
    /// Made by others.
    Given(&'a dyn Model),
}

impl ReadyModel<'_> {
    /// The model.
    pub fn as_model(&self) -> &dyn Model {
        match self {
            ReadyModel::Built(model) => model.as_ref(),
            ReadyModel::Given(model) => *model,
        }
    }
}

/// A model, and where a search for its parameters starts, in reported parameters, where that was said.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChosenModel<'a> {
    /// The model.
    pub model: ReadyModel<'a>,
    /// The start.
    pub start: Option<Vec<f64>>,
}

impl<'a> ModelRequest<'a> {
    /// The model for these data. Values at which it is to be evaluated name the parameters of a formula
    /// without a start.
    pub fn build(
        &self,
        data: &Points,
        at: Option<&Values>,
        wording: Wording,
    ) -> Result<ChosenModel<'a>, RequestError> {
        let built = |model| ReadyModel::Built(model);
        match self {
            ModelRequest::Given(model) => {
                check_size(*model)?;
                Ok(ChosenModel { model: ReadyModel::Given(*model), start: None })
            }
            ModelRequest::Formula { log_density, start } => {
                let model = formula(log_density, start.as_ref().or(at), data.names(), wording)?;
                Ok(ChosenModel { model: built(Box::new(model)), start: None })
            }
            ModelRequest::Family(request) => {
                let model = request.build(data.dimension(), wording)?;
                check_size(model.as_ref())?;
                let start = request.start_for(model.as_ref(), data, wording)?;
                Ok(ChosenModel { model: built(model), start })
            }
        }
    }
}

impl Options {
    /// The formula that was given, with its start.
    pub fn formula(&self) -> Option<ModelRequest<'static>> {
        let log_density = self.text(&options::LOG_DENSITY)?;
        Some(ModelRequest::Formula { log_density, start: self.values(&options::START) })
    }

    /// What is said of a model that has a name, with a covariance that the face has read.
    ///
    /// ```
    /// use steinbound_request::{Options, Wording, options};
    /// let mut given = Options::new();
    /// given.set_text(&options::MODEL, "student-t").unwrap();
    /// given.set_text(&options::KNOWN, "degrees=4").unwrap();
    /// let model = given.family(None, Wording::CommandLine).unwrap().build(1, Wording::CommandLine).unwrap();
    /// assert_eq!(model.reported_names(&["x".into()]), ["location[x]", "scale[x]"]);
    /// ```
    pub fn family(
        &self,
        known_covariance: Option<KnownCovariance>,
        wording: Wording,
    ) -> Result<FamilyRequest, RequestError> {
        let family = self.choice(&options::MODEL, choices::model()).unwrap_or(FAMILIES[0]);
        let known = match self.values(&options::KNOWN) {
            None => Vec::new(),
            Some(Values::Named(list)) => list,
            Some(Values::Plain(_)) => {
                let reason = "write every known parameter with its name, such as degrees=4";
                return Err(RequestError::value(wording.option("known"), reason));
            }
        };
        let choices = ModelChoices {
            known_covariance,
            covariance: self.choice(&options::COVARIANCE, choices::covariance()),
            components: self.components().filter(|components| components.is_one()).map(Components::first),
            estimate_weights: self.flag(&options::ESTIMATE_WEIGHTS),
            known,
        };
        Ok(FamilyRequest { family, choices, start: self.values(&options::START) })
    }

    /// What is said of the model, whatever it is, with a covariance that the face has read.
    pub fn model(
        &self,
        known_covariance: Option<KnownCovariance>,
        wording: Wording,
    ) -> Result<ModelRequest<'static>, RequestError> {
        if let Some(formula) = self.formula() {
            return Ok(formula);
        }
        if let Some(range) = self.components().filter(|components| !components.is_one()) {
            return Err(RequestError::refused(format!(
                "{} {range} is a range, among which only fit chooses and of which compare shows all; give one number",
                wording.option("components")
            )));
        }
        Ok(ModelRequest::Family(self.family(known_covariance, wording)?))
    }
}

/// A known covariance from numbers: one variance, or one for each coordinate.
///
/// ```
/// use steinbound::model::KnownCovariance;
/// use steinbound_request::{Wording, known_covariance};
/// assert_eq!(known_covariance("2", Wording::CommandLine).unwrap(), KnownCovariance::Variance(2.0));
/// let two = known_covariance("1,3", Wording::CommandLine).unwrap();
/// assert_eq!(two, KnownCovariance::Variances(vec![1.0, 3.0]));
/// assert!(known_covariance("-1", Wording::CommandLine).is_err());
/// ```
pub fn known_covariance(text: &str, wording: Wording) -> Result<KnownCovariance, RequestError> {
    let option = wording.option(Choice::KnownCovariance.name());
    let variance = |part: &str| {
        let value = number(part).map_err(|message| {
            RequestError::value(&option, format!("{message}; give numbers or a .csv file"))
        })?;
        if value > 0.0 && value.is_finite() {
            return Ok(value);
        }
        let reason = format!("{value} is not a variance; variances are positive numbers");
        Err(RequestError::value(&option, reason))
    };
    let variances = text.split(',').map(variance).collect::<Result<Vec<f64>, _>>()?;
    Ok(match variances.as_slice() {
        [single] => KnownCovariance::Variance(*single),
        _ => KnownCovariance::Variances(variances),
    })
}

pub(crate) fn formula(
    text: &str,
    start: Option<&Values>,
    columns: &[String],
    wording: Wording,
) -> Result<Autodiff, RequestError> {
    let named = |list: &str| wording.with_placeholder("start", list);
    let example = if wording.is_command_line() { "mu=0,s=1" } else { "{\"mu\": 0.0, \"s\": 1.0}" };
    let parameters = match start {
        Some(Values::Named(list)) => list.clone(),
        Some(Values::Plain(_)) => {
            return Err(RequestError::refused(format!(
                "{} names the parameters of {}: write {} with every parameter",
                wording.option("start"),
                wording.option("log-density"),
                named(example)
            )));
        }
        None => Vec::new(),
    };
    Autodiff::from_formula(text, columns, &parameters).map_err(|error| {
        let help = match (&error, start) {
            (Error::Expression(_), None) => {
                format!("\nname the parameters, each with a value to start from: {}", named(example))
            }
            _ => String::new(),
        };
        RequestError::value(wording.option("log-density"), format!("{error}{help}"))
    })
}

/// A refusal of a model with options named as the face does.
pub(crate) fn explained(error: ModelError, wording: Wording) -> RequestError {
    let option = |name: &str| wording.option(name);
    let covariance = match wording.is_command_line() {
        true => option(Choice::KnownCovariance.name()),
        false => "the covariance".to_string(),
    };
    RequestError::refused(match &error {
        ModelError::UnusedChoice { choice, users, .. } if *choice == Choice::Start.name() => format!(
            "{} is for models that are searched for: {users}, and formulas; choose one by {} or {}, or leave it out",
            option(choice),
            option("model"),
            option("log-density")
        ),
        ModelError::UnusedChoice { choice, users, .. } => {
            let choice = option(choice);
            match users.contains(' ') {
                true => {
                    format!("{choice} is for {users}; choose one by {}, or leave it out", option("model"))
                }
                false => format!(
                    "{choice} is for {users}; add {}, or leave it out",
                    wording.with_value("model", users)
                ),
            }
        }
        ModelError::UnknownParameter { model, name, names } => {
            let reason =
                format!("the model {model} has no parameter \"{}\"; its parameters are {names}", shown(name));
            return RequestError::value(option("known"), reason);
        }
        ModelError::UnknownShape { shape, model, known, users } => format!(
            "{} is for {}; the covariance of {model} is {known}",
            wording.with_value("covariance", shape),
            wording.with_value("model", users)
        ),
        ModelError::MissingComponents { model } => format!(
            "{} needs {}, such as {}",
            wording.with_value("model", model),
            wording.with_placeholder("components", "K"),
            wording.with_placeholder("components", "2")
        ),
        ModelError::ComponentsOutOfRange { components, limit } => {
            format!("{} is {components}; give a number from 1 to {limit}", option("components"))
        }
        ModelError::WrongCovarianceSize { found, dimension } => format!(
            "{covariance} is {found} and the data have {dimension} columns; give one number, {dimension} variances, or a \
             {dimension} by {dimension} matrix"
        ),
        ModelError::BadCovariance | ModelError::BadVariance { .. } if wording.is_command_line() => {
            return RequestError::value(covariance, error);
        }
        ModelError::WrongStart { .. } | ModelError::BadStart { .. } => {
            error.to_string().replacen("start", &option("start"), 1)
        }
        ModelError::NoCovarianceAtStart => {
            let reason = "no covariances can be found around these means; give all parameters";
            return RequestError::value(option("start"), reason);
        }
        _ => return error.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices;

    fn refusal(name: &str, wording: Wording, change: impl Fn(&mut FamilyRequest)) -> String {
        let mut request = FamilyRequest::new(choices::model().find(name).unwrap());
        change(&mut request);
        let data = Points::from_rows(&[[0.0, 1.0], [1.0, 0.5], [2.0, 3.0]]).unwrap();
        ModelRequest::Family(request).build(&data, None, wording).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_the_options_of_the_face() {
        let line = |name, change: fn(&mut FamilyRequest)| refusal(name, Wording::CommandLine, change);
        assert_eq!(
            line("gaussian", |request| request.choices.components = Some(2)),
            "--components is for gaussian-mixture; add --model gaussian-mixture, or leave it out"
        );
        assert_eq!(
            line("mixture", |request| request.choices.components = Some(0)),
            "--components is 0; give a number from 1 to 1000"
        );
        assert!(line("gaussian", |request| request.start = Some(Values::Plain(vec![1.0]))).starts_with(
            "--start is for models that are searched for: gaussian-mixture, weibull, lognormal, von-mises or student-t, and formulas; \
             choose one by --model or --log-density"
        ));
        let sizes: fn(&mut FamilyRequest) = |request| {
            request.choices.known_covariance = Some(KnownCovariance::Variances(vec![1.0; 3]));
        };
        assert!(
            line("gaussian", sizes)
                .starts_with("--known-covariance is a list of 3 variances and the data have 2")
        );
        assert!(
            refusal("gaussian", Wording::Python, sizes)
                .starts_with("the covariance is a list of 3 variances")
        );
    }

    #[test]
    fn a_start_may_be_the_means_alone() {
        let mut request = FamilyRequest::new(choices::model().find("mixture").unwrap());
        request.choices.components = Some(1);
        request.choices.known_covariance = Some(KnownCovariance::Variance(1.0));
        request.start = Some(Values::Plain(vec![0.5, 0.5]));
        let data = Points::from_rows(&[[0.0, 1.0], [1.0, 0.5], [2.0, 3.0]]).unwrap();
        let chosen = ModelRequest::Family(request).build(&data, None, Wording::CommandLine).unwrap();
        assert_eq!(chosen.start, Some(vec![0.5, 0.5]));
    }
}
