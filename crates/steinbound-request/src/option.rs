//! Options that all faces share: a description each, and the values that were given for them.

use std::time::{Duration, Instant};

use steinbound::fit::{Interrupt, Problem};
use steinbound::model::Model;
use steinbound::regression::Censored;
use steinbound::{Error, Estimator, Method, Points};
use steinbound_io::names::shown;

use crate::choice::{Choice, UnknownName};
use crate::choices::{self, Tune};
use crate::components::Components;
use crate::effect::Needs;
use crate::error::RequestError;
use crate::options;
use crate::values::{Values, number};
use crate::wording::Wording;

/// What is known of an option. The command line makes its arguments and their help of this, Python and R
/// their checks.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name, with a dash between words.
    pub name: &'static str,
    /// The heading in help texts.
    pub heading: &'static str,
    /// What stands for the value in help texts.
    pub placeholder: &'static str,
    /// One line, without a full stop.
    pub help: &'static str,
    /// More, where there is more to say.
    pub details: Option<&'static str>,
    /// The default, where there is one.
    pub default: Preset,
    /// The kind of value.
    pub kind: Kind,
    /// What must be there for the option to have an effect.
    pub needs: Needs,
    /// The names of options that cannot be given together with it.
    pub excludes: &'static [&'static str],
    apply: Apply,
}

/// The default of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// None.
    Nothing,
    /// A value.
    Value(&'static str),
    /// Chosen by the library, in words.
    Words(&'static str),
}

/// What kind of value an option has.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// A number.
    Number,
    /// A number, or a word that stands for a rule; and the remedy for anything else.
    NumberOr(&'static str, &'static str),
    /// A whole number that is not negative.
    Count,
    /// A number of draws.
    Draws,
    /// The seed of random numbers.
    Seed,
    /// On or off.
    Flag,
    /// A name from a list.
    Choice(fn() -> Choice<()>),
    /// A name from a list, or the option alone, which stands for the name that is given here.
    ChoiceOr(fn() -> Choice<()>, &'static str),
    /// Columns of a file, by header or number from 1. Faces without files have arrays in their place.
    Columns,
    /// Text, such as a formula.
    Text,
    /// Numbers, or the name of a file with a matrix. Faces without files have arrays in its place.
    Matrix,
    /// Values of parameters, in order or by name.
    Values,
    /// A number of components, or a range of them.
    Components,
}

impl Kind {
    /// The kind in one word.
    ///
    /// ```
    /// assert_eq!(steinbound_request::options::RIDGE.kind.name(), "number");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::NumberOr(..) => "number-or-word",
            Kind::Count | Kind::Draws => "count",
            Kind::Seed => "seed",
            Kind::Flag => "flag",
            Kind::Choice(_) | Kind::ChoiceOr(..) => "choice",
            Kind::Columns => "columns",
            Kind::Text => "text",
            Kind::Matrix => "matrix",
            Kind::Values => "values",
            Kind::Components => "components",
        }
    }

    /// The list of names, for a choice.
    pub fn choice(self) -> Option<Choice<()>> {
        match self {
            Kind::Choice(list) | Kind::ChoiceOr(list, _) => Some(list()),
            _ => None,
        }
    }
}

/// How a value becomes a setting of an estimator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Apply {
    /// It is not a setting of an estimator.
    Nothing,
    Number(fn(Estimator, f64) -> Estimator),
    Count(fn(Estimator, usize) -> Estimator),
    Seed(fn(Estimator, u64) -> Estimator),
    Flag(fn(Estimator, bool) -> Estimator),
    /// By the name in a list, or the word in place of a number.
    Name(fn(Estimator, &str) -> Estimator),
}

/// The value that was given for an option.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Number(f64),
    /// A count.
    Count(usize),
    /// A seed.
    Seed(u64),
    /// On or off.
    Flag(bool),
    /// A name of a list, or a word in place of a number.
    Name(&'static str),
    /// Columns.
    Columns(Vec<String>),
    /// Text.
    Text(String),
    /// Values of parameters.
    Values(Values),
    /// Numbers of components.
    Components(Components),
}

impl OptionSpec {
    pub(crate) const fn new(
        name: &'static str,
        heading: &'static str,
        placeholder: &'static str,
        kind: Kind,
        help: &'static str,
    ) -> OptionSpec {
        let (default, needs, apply) = (Preset::Nothing, Needs::Nothing, Apply::Nothing);
        let (details, excludes): (_, &[&str]) = (None, &[]);
        OptionSpec { name, heading, placeholder, help, details, default, kind, needs, excludes, apply }
    }

    pub(crate) const fn details(mut self, details: &'static str) -> OptionSpec {
        self.details = Some(details);
        self
    }

    pub(crate) const fn default(mut self, default: Preset) -> OptionSpec {
        self.default = default;
        self
    }

    pub(crate) const fn needs(mut self, needs: Needs) -> OptionSpec {
        self.needs = needs;
        self
    }

    pub(crate) const fn excludes(mut self, excludes: &'static [&'static str]) -> OptionSpec {
        self.excludes = excludes;
        self
    }

    pub(crate) const fn apply(mut self, apply: Apply) -> OptionSpec {
        self.apply = apply;
        self
    }

    /// Help in one line. A default that is a value is left to the face to show.
    ///
    /// ```
    /// use steinbound_request::options;
    /// assert_eq!(options::STATISTIC.short_help(), "How pairs are summed [default: v]");
    /// ```
    pub fn short_help(&self) -> String {
        match self.default {
            Preset::Words(words) => format!("{} [default: {words}]", self.help),
            _ => self.help.to_string(),
        }
    }

    /// Help in full, where there is more than one line.
    pub fn long_help(&self) -> Option<String> {
        self.details.map(|details| format!("{}.\n\n{details}", self.short_help()))
    }

    /// The value of a text.
    ///
    /// ```
    /// use steinbound_request::{Value, options};
    /// assert_eq!(options::RIDGE.parse("0.1"), Ok(Value::Number(0.1)));
    /// assert_eq!(options::STATISTIC.parse("U"), Ok(Value::Name("u")));
    /// assert!(options::BANDWIDTH.parse("wide").unwrap_err().contains("positive number or \"median\""));
    /// ```
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let is_not = |what: &str| format!("\"{}\" is not {what}", shown(text));
        match self.kind {
            Kind::Number => number(text).map(Value::Number),
            Kind::NumberOr(word, _) if text == word => Ok(Value::Name(word)),
            Kind::NumberOr(_, remedy) => {
                number(text).map(Value::Number).map_err(|message| format!("{message}; {remedy}"))
            }
            Kind::Count => text.parse().map(Value::Count).map_err(|error| format!("{error}")),
            Kind::Draws => {
                let draws = text.trim().parse().map(Value::Count);
                draws.map_err(|_| is_not("a number of draws; give a whole number such as 500"))
            }
            Kind::Seed => text.parse().map(Value::Seed).map_err(|error| format!("{error}")),
            Kind::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err(is_not("true or false")),
            },
            Kind::Choice(_) | Kind::ChoiceOr(..) => self.name_of(text).map_err(|error| error.to_string()),
            Kind::Text | Kind::Matrix => Ok(Value::Text(text.to_string())),
            Kind::Values => text.parse().map(Value::Values),
            Kind::Components => text.parse().map(Value::Components),
            Kind::Columns => {
                let names: Vec<String> = text.split(',').map(|name| name.trim().to_string()).collect();
                match names.iter().any(String::is_empty) {
                    true => Err(is_not("a list of columns; write it as A,B")),
                    false => Ok(Value::Columns(names)),
                }
            }
        }
    }

    /// The name that was meant, for a choice.
    pub fn name_of(&self, text: &str) -> Result<Value, UnknownName> {
        let list = self.kind.choice().unwrap_or_else(|| Choice::new(self.name));
        list.entry_of(text).map(|entry| Value::Name(entry.name))
    }

    fn applied(&self, estimator: Estimator, value: &Value) -> Estimator {
        match (self.apply, value) {
            (Apply::Number(set), Value::Number(value)) => set(estimator, *value),
            (Apply::Count(set), Value::Count(value)) => set(estimator, *value),
            (Apply::Seed(set), Value::Seed(value)) => set(estimator, *value),
            (Apply::Flag(set), Value::Flag(value)) => set(estimator, *value),
            (Apply::Name(set), Value::Name(name)) => set(estimator, name),
            _ => estimator,
        }
    }
}

/// The values that were given for options. Options that were not given keep their defaults.
///
/// ```
/// use steinbound::Method;
/// use steinbound_request::{Options, Value, options};
/// let mut given = Options::new();
/// given.set(&options::RIDGE, Value::Number(0.01));
/// given.set(&options::KERNEL, options::KERNEL.name_of("imq").unwrap());
/// assert!(given.is_given(&options::RIDGE) && !given.is_given(&options::BANDWIDTH));
/// let estimator = given.estimator(Method::TKSD);
/// # let _ = estimator;
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    given: Vec<(&'static str, Value, Applied)>,
}

/// An option by its description; two of one name are the same.
#[derive(Debug, Clone, Copy)]
struct Applied(&'static OptionSpec);

impl PartialEq for Applied {
    fn eq(&self, other: &Applied) -> bool {
        self.0.name == other.0.name
    }
}

impl Options {
    /// Nothing given.
    pub fn new() -> Options {
        Options::default()
    }

    /// Gives an option a value, in place of an earlier one.
    pub fn set(&mut self, option: &'static OptionSpec, value: Value) {
        self.unset(option);
        self.given.push((option.name, value, Applied(option)));
    }

    /// Gives an option a value by text.
    pub fn set_text(&mut self, option: &'static OptionSpec, text: &str) -> Result<(), RequestError> {
        let value = match option.kind {
            Kind::Choice(_) | Kind::ChoiceOr(..) => option.name_of(text)?,
            _ => option.parse(text).map_err(|reason| RequestError::value(option.name, reason))?,
        };
        self.set(option, value);
        Ok(())
    }

    /// Takes back the value of an option.
    pub fn unset(&mut self, option: &OptionSpec) {
        self.given.retain(|(name, ..)| *name != option.name);
    }

    /// Adds what others give.
    pub fn extend(&mut self, others: &Options) {
        others.given.iter().for_each(|(_, value, option)| self.set(option.0, value.clone()));
    }

    /// Which limits of a response censor it.
    pub fn censored(&self) -> Censored {
        self.choice(&options::CENSORED, choices::censored()).unwrap_or_default()
    }

    /// Whether a value was given.
    pub fn is_given(&self, option: &OptionSpec) -> bool {
        self.get(option).is_some()
    }

    /// The value that was given.
    pub fn get(&self, option: &OptionSpec) -> Option<Value> {
        self.given.iter().find(|(name, ..)| *name == option.name).map(|(_, value, _)| value.clone())
    }

    /// The number that was given, or that is the default.
    pub fn number(&self, option: &OptionSpec) -> Option<f64> {
        match (self.get(option), option.default) {
            (Some(Value::Number(value)), _) => Some(value),
            (None, Preset::Value(text)) => number(text).ok(),
            _ => None,
        }
    }

    /// The count that was given.
    pub fn count(&self, option: &OptionSpec) -> Option<usize> {
        match self.get(option) {
            Some(Value::Count(value)) => Some(value),
            _ => None,
        }
    }

    /// Whether a flag was switched on.
    pub fn flag(&self, option: &OptionSpec) -> bool {
        self.get(option) == Some(Value::Flag(true))
    }

    /// The columns that were given, none by default.
    ///
    /// ```
    /// use steinbound_request::{Options, options};
    /// let mut given = Options::new();
    /// given.set_text(&options::BOUNDARY_NORMALS, "nx, ny").unwrap();
    /// assert_eq!(given.columns(&options::BOUNDARY_NORMALS), ["nx", "ny"]);
    /// ```
    pub fn columns(&self, option: &OptionSpec) -> Vec<String> {
        match self.get(option) {
            Some(Value::Columns(names)) => names,
            _ => Vec::new(),
        }
    }

    /// The text that was given.
    pub fn text(&self, option: &OptionSpec) -> Option<String> {
        match self.get(option) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The values of parameters that were given.
    pub fn values(&self, option: &OptionSpec) -> Option<Values> {
        match self.get(option) {
            Some(Value::Values(values)) => Some(values),
            _ => None,
        }
    }

    /// The numbers of components that were given.
    pub fn components(&self) -> Option<Components> {
        match self.get(&options::COMPONENTS) {
            Some(Value::Components(components)) => Some(components),
            _ => None,
        }
    }

    /// What was chosen from a list.
    pub fn choice<T: Clone>(&self, option: &OptionSpec, list: Choice<T>) -> Option<T> {
        match self.get(option) {
            Some(Value::Name(name)) => list.find(name).ok(),
            _ => None,
        }
    }

    /// The seed, 0 by default.
    pub fn seed(&self) -> u64 {
        match self.get(&options::SEED) {
            Some(Value::Seed(seed)) => seed,
            _ => 0,
        }
    }

    /// Whether bandwidth and ridge are to be chosen.
    pub fn is_tuned(&self) -> bool {
        self.choice(&options::TUNE, choices::tune()) == Some(Tune::Agreement)
    }

    /// The time that a computation may take.
    pub fn time_limit(&self, wording: Wording) -> Result<Option<Duration>, RequestError> {
        let option = &options::TIME_LIMIT;
        let Some(seconds) = self.number(option) else { return Ok(None) };
        let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
        let reason = || format!("{seconds} is not a time; give a positive number of seconds");
        limit.map(Some).ok_or_else(|| RequestError::value(wording.option(option.name), reason()))
    }

    /// The handle with the time limit that was given, counted from now, unless it has one.
    pub(crate) fn timed(&self, interrupt: Interrupt, wording: Wording) -> Result<Interrupt, RequestError> {
        Ok(match self.time_limit(wording)?.filter(|_| interrupt.time_limit().is_none()) {
            Some(limit) => interrupt.after(limit, Instant::now()),
            None => interrupt,
        })
    }

    /// An estimator with these settings.
    pub fn estimator(&self, method: Method) -> Estimator {
        let estimator = Estimator::new(method);
        self.given.iter().fold(estimator, |estimator, (_, value, option)| option.0.applied(estimator, value))
    }

    /// What an estimator is to solve, with bandwidth and ridge chosen where that was asked for.
    pub fn problem<'a>(
        &self,
        estimator: &Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Problem<'a>, Error> {
        if self.is_tuned() { estimator.check_tuned(data, model) } else { estimator.check(data, model) }
    }
}
