//! Arguments of the command line, made of the descriptions of options.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::ops::Deref;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use steinbound_request::{Choice, Kind, OptionSpec, Options, Preset, Value, choices, options};

/// A group of options that commands have together.
pub trait Group {
    const OPTIONS: &'static [&'static OptionSpec];
}

macro_rules! groups {
    ($($(#[$docs:meta])* $name:ident = $options:expr;)*) => {
        $($(#[$docs])* #[derive(Debug, Clone)]
        pub struct $name;

        impl Group for $name {
            const OPTIONS: &'static [&'static OptionSpec] = $options;
        })*
    };
}

groups! {
    /// Settings of an estimator.
    MethodGroup = &options::METHOD_SETTINGS;
    /// Which model.
    Models = &options::MODELS;
    /// What is known of the density.
    Density = &options::DENSITY;
    /// The model of a simulation.
    Simulated = &options::SIMULATED;
    /// What comes with boundary points that are given.
    GivenBoundary = &options::GIVEN_BOUNDARY;
    /// How boundary points are sampled.
    Sampling = &options::SAMPLING;
    /// What is done with data outside the domain or the limits.
    Outside = &options::OUTSIDE;
    /// The confidence level.
    Confidence = &[&options::CONFIDENCE];
    /// A bootstrap.
    Bootstrapping = &options::BOOTSTRAPPING;
    /// A test of goodness of fit.
    Testing = &options::TESTING;
    /// The time that a command may take.
    Time = &[&options::TIME_LIMIT];
    /// What only a regression has.
    Regression = &options::REGRESSION;
}

/// The options of a group that were given.
#[derive(Debug, Clone)]
pub struct Given<G> {
    options: Options,
    group: PhantomData<G>,
}

impl<G> Deref for Given<G> {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.options
    }
}

impl<G: Group> Args for Given<G> {
    fn augment_args(command: Command) -> Command {
        command.args(G::OPTIONS.iter().map(|option| argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Given::<G>::augment_args(command)
    }
}

impl<G: Group> FromArgMatches for Given<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given<G>, clap::Error> {
        let mut given = Given { options: Options::new(), group: PhantomData };
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for option in G::OPTIONS {
            let is_given = matches.value_source(option.name) == Some(ValueSource::CommandLine);
            let value = match option.kind {
                Kind::Flag => Some(Value::Flag(matches.get_flag(option.name))),
                _ => matches.get_one::<Value>(option.name).cloned(),
            };
            if let Some(value) = value.filter(|_| is_given) {
                self.options.set(option, value);
            }
        }
        Ok(())
    }
}

/// The argument of an option.
fn argument(option: &'static OptionSpec) -> Arg {
    let mut argument =
        Arg::new(option.name).long(option.name).help(option.short_help()).help_heading(option.heading);
    if let Some(help) = option.long_help() {
        argument = argument.long_help(help);
    }
    if matches!(option.kind, Kind::Matrix) {
        argument = argument.value_hint(ValueHint::AnyPath);
    }
    argument = argument.conflicts_with_all(option.excludes);
    argument = match option.kind {
        Kind::Flag => argument.action(ArgAction::SetTrue),
        Kind::ChoiceOr(_, alone) => argument
            .value_name(option.placeholder)
            .value_parser(OptionParser(option))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(alone),
        kind => argument
            .value_name(option.placeholder)
            .value_parser(OptionParser(option))
            .allow_hyphen_values(kind.choice().is_none()),
    };
    match option.default {
        Preset::Value(text) => argument.default_value(text),
        _ => argument,
    }
}

/// Reads the value of an option.
#[derive(Clone)]
struct OptionParser(&'static OptionSpec);

impl TypedValueParser for OptionParser {
    type Value = Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Value, clap::Error> {
        let option = self.0;
        (move |text: &str| option.parse(text)).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let list = self.0.kind.choice()?;
        Some(Box::new(listed(&list).into_iter()))
    }
}

/// Reads a name of a list. Help and completions show the list; messages are those of the list.
#[derive(Debug, Clone)]
pub struct ChoiceParser<T>(pub Choice<T>);

impl<T: Clone + Send + Sync + 'static> TypedValueParser for ChoiceParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let list = self.0.clone();
        (move |text: &str| list.find(text)).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(listed(&self.0).into_iter()))
    }
}

fn listed<T: Clone>(list: &Choice<T>) -> Vec<PossibleValue> {
    list.entries().iter().map(|entry| PossibleValue::new(entry.name).help(entry.meaning)).collect()
}

/// A name that is shown among known ones and checked later.
#[derive(Debug, Clone)]
pub struct Suggestion(pub Vec<(&'static str, &'static str)>);

impl TypedValueParser for Suggestion {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|(name, meaning)| PossibleValue::new(name).help(*meaning))))
    }
}

/// When to draw in the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TerminalPlot {
    #[default]
    Auto,
    Always,
    Never,
}

pub fn terminal_plot() -> ChoiceParser<TerminalPlot> {
    let list = Choice::new("choice")
        .entry("auto", TerminalPlot::Auto, "where standard output is a terminal, below a table")
        .entry("always", TerminalPlot::Always, "below every table")
        .entry("never", TerminalPlot::Never, "not at all");
    ChoiceParser(list)
}

pub fn method() -> ChoiceParser<steinbound::Method> {
    ChoiceParser(choices::method())
}

pub fn model() -> ChoiceParser<&'static dyn steinbound::model::Family> {
    ChoiceParser(choices::model())
}
