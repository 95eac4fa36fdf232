//! What is asked of the estimates: a hypothesis to test, functions to compute.

use steinbound::expression::Expression;
use steinbound::fit::Parameter;
use steinbound::inference::{LinearHypothesis, WaldTest};
use steinbound::{Error, Fit, HypothesisError, Warning};
use steinbound_io::names::shown;

use crate::error::RequestError;
use crate::wording::Wording;

/// Questions about the estimates, read before anything is fitted.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    hypothesis: Option<LinearHypothesis>,
    derive: Vec<(String, Expression)>,
    wording: Wording,
}

/// The answers to questions.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Answered {
    /// The test of the hypothesis.
    pub wald: Option<WaldTest>,
    /// The derived quantities.
    pub derived: Vec<Parameter>,
    /// Whether every question has its answer.
    pub is_complete: bool,
}

impl Questions {
    /// Reads a hypothesis, such as `a = b`, and functions, such as `ratio = a / b`, of parameters of these
    /// names.
    ///
    /// ```
    /// use steinbound_request::{Questions, Wording};
    /// let names = ["a".to_string(), "b".to_string()];
    /// let read = |text: &str| Questions::parse(None, &[text.to_string()], &names, Wording::CommandLine);
    /// assert!(read("ratio = a / b").is_ok());
    /// assert!(read("a = b").unwrap_err().to_string().contains("the name \"a\" is taken"));
    /// ```
    pub fn parse(
        hypothesis: Option<&str>,
        derive: &[String],
        names: &[String],
        wording: Wording,
    ) -> Result<Questions, RequestError> {
        let option = wording.option("derive");
        let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
        for text in derive {
            let name = text.split_once('=').map_or("", |(name, _)| name.trim());
            if known.contains(&name) {
                let name = shown(name);
                let reason = format!("the name \"{name}\" is taken; give each quantity a name of its own");
                return Err(RequestError::value(option, reason));
            }
            known.push(name);
        }
        let hypothesis = hypothesis.map(|text| LinearHypothesis::parse(text, names)).transpose();
        let formula = |text: &String| match text.split_once('=') {
            Some((name, formula)) if !name.trim().is_empty() => {
                let read = Expression::parse_as_written(formula.trim(), names);
                let read = read.map_err(|error| RequestError::value(&option, error))?;
                Ok((name.trim().to_string(), read))
            }
            _ => {
                let text = shown(text);
                let reason = format!("\"{text}\" has no name; write it as NAME=FORMULA, such as ratio=a/b");
                Err(RequestError::value(&option, reason))
            }
        };
        Ok(Questions {
            hypothesis: hypothesis
                .map_err(|error| RequestError::value(wording.option("hypothesis"), error))?,
            derive: derive.iter().map(formula).collect::<Result<_, _>>()?,
            wording,
        })
    }

    /// Answers them. What these estimates cannot answer becomes a warning of the fit.
    pub fn answer(&self, fit: &mut Fit) -> Result<Answered, RequestError> {
        let mut answered = Answered { is_complete: true, ..Answered::default() };
        let mut warnings = Vec::new();
        let mut refuse = |option: &str, error: Error| match error {
            Error::Hypothesis(
                HypothesisError::NoCovariance
                | HypothesisError::NoVariance
                | HypothesisError::NotDefined { .. },
            ) => {
                warnings.push(format!("{}: {error}", self.wording.option(option)));
                Ok(())
            }
            _ => Err(RequestError::value(self.wording.option(option), error)),
        };
        if let Some(hypothesis) = &self.hypothesis {
            match fit.test_hypothesis(hypothesis) {
                Ok(test) => answered.wald = Some(test),
                Err(error) => refuse("hypothesis", error)?,
            }
        }
        for (name, formula) in &self.derive {
            match fit.derived(name, |values| formula.evaluate(values)) {
                Ok(parameter) => answered.derived.push(parameter),
                Err(error) => refuse("derive", error)?,
            }
        }
        answered.is_complete = warnings.is_empty();
        fit.warnings.extend(warnings.into_iter().map(Warning::from));
        Ok(answered)
    }
}
