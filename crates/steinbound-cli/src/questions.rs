//! What is asked of the estimates: a hypothesis to test, functions to compute.

use clap::Args;
use serde::Serialize;
use steinbound::expression::Expression;
use steinbound::fit::Parameter;
use steinbound::inference::{LinearHypothesis, WaldTest};
use steinbound::text::Document;
use steinbound::{Error, Fit, HypothesisError};
use steinbound_io::names::shown;
use steinbound_request::tables::answers;

use crate::failure::{Failure, Verdict};

/// Questions about the estimates.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Inference")]
pub struct QuestionOptions {
    /// Test linear equations in the parameters, such as "mean[x1] = mean[x2]".
    ///
    /// Parameters go by their names in the table; equations are separated by commas, and a missing right side is 0.
    #[arg(long, value_name = "EQUATIONS", allow_hyphen_values = true)]
    pub hypothesis: Option<String>,
    /// A function of the parameters, with its standard error: "ratio = mean[x1] / mean[x2]".
    ///
    /// May be given several times.
    #[arg(long, value_name = "NAME=FORMULA", allow_hyphen_values = true)]
    pub derive: Vec<String>,
}

/// Questions that were understood, before there is anything to answer them with.
pub struct Questions {
    hypothesis: Option<LinearHypothesis>,
    derive: Vec<(String, Expression)>,
}

/// The answers, as they are printed.
#[derive(Debug, Default, Serialize)]
pub struct Answers {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wald: Option<WaldTest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Parameter>,
}

impl QuestionOptions {
    /// Reads the questions about parameters of these names.
    pub fn read(&self, names: &[String]) -> Result<Questions, Failure> {
        let explained =
            |option: &str, error: &dyn std::fmt::Display| Failure::input(format!("{option}: {error}"));
        let hypothesis = self.hypothesis.as_ref().map(|text| LinearHypothesis::parse(text, names));
        let formula = |text: &String| match text.split_once('=') {
            Some((name, formula)) if !name.trim().is_empty() => {
                let read = Expression::parse_as_written(formula.trim(), names);
                Ok((name.trim().to_string(), read.map_err(|error| explained("--derive", &error))?))
            }
            _ => Err(Failure::input(format!(
                "--derive: \"{}\" has no name; write it as NAME=FORMULA, such as ratio=a/b",
                shown(text)
            ))),
        };
        let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
        for text in &self.derive {
            let name = text.split_once('=').map_or("", |(name, _)| name.trim());
            if known.contains(&name) {
                return Err(Failure::input(format!(
                    "--derive: the name \"{}\" is taken; give each quantity a name of its own",
                    shown(name)
                )));
            }
            known.push(name);
        }
        Ok(Questions {
            hypothesis: hypothesis.transpose().map_err(|error| explained("--hypothesis", &error))?,
            derive: self.derive.iter().map(formula).collect::<Result<_, _>>()?,
        })
    }
}

impl Questions {
    /// Answers them. What these estimates cannot answer joins the warnings of the fit, and the verdict is doubtful.
    pub fn answer(&self, fit: &mut Fit) -> Result<(Answers, Verdict), Failure> {
        let mut answers = Answers::default();
        let mut verdict = Verdict::Fine;
        let mut warnings = Vec::new();
        let mut told = |option: &str, error: Error| match error {
            Error::Hypothesis(
                HypothesisError::NoCovariance
                | HypothesisError::NoVariance
                | HypothesisError::NotDefined { .. },
            ) => {
                warnings.push(format!("{option}: {error}"));
                verdict = Verdict::Doubtful;
                Ok(())
            }
            _ => Err(Failure::input(format!("{option}: {error}"))),
        };
        if let Some(hypothesis) = &self.hypothesis {
            match fit.test_hypothesis(hypothesis) {
                Ok(test) => answers.wald = Some(test),
                Err(error) => told("--hypothesis", error)?,
            }
        }
        for (name, formula) in &self.derive {
            match fit.derived(name, |values| formula.evaluate(values)) {
                Ok(parameter) => answers.derived.push(parameter),
                Err(error) => told("--derive", error)?,
            }
        }
        fit.warnings.extend(warnings);
        Ok((answers, verdict))
    }
}

impl Answers {
    /// Derived quantities and the Wald test, for people.
    pub fn document(&self, confidence: f64) -> Document {
        answers::document(&self.derived, self.wald.as_ref(), confidence)
    }
}
