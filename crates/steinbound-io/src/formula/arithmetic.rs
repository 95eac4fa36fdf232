//! Arithmetic in the columns of a table, as it stands within calls.

use steinbound::expression::{self, Expression, Fault};

use super::parser::Parser;
use super::{Spot, call};
use crate::error::IoError;
use crate::names::shown;

/// A formula in columns and in what is derived from whole columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arithmetic {
    pieces: Vec<Piece>,
    /// The variables of the expression, in their order.
    pub inputs: Vec<Input>,
    pub expression: Expression,
}

/// A part of the text that names the result.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(&'static str),
    Number(String),
    Input(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Column(Spot),
    /// The values of a formula in relation to their mean, and the position.
    Standard(Standard, Arithmetic, usize),
}

impl Input {
    fn columns(&self) -> Vec<&Spot> {
        match self {
            Input::Column(spot) => vec![spot],
            Input::Standard(_, inner, _) => inner.columns(),
        }
    }
}

/// What is done with the mean and the standard deviation of all values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standard {
    Center,
    /// With the standard deviation that divides by `n - 1`.
    Scale,
    /// With the one that divides by `n`.
    Standardize,
}

impl Standard {
    fn named(name: &str) -> Option<Standard> {
        [Standard::Center, Standard::Scale, Standard::Standardize].into_iter().find(|one| one.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Standard::Center => "center",
            Standard::Scale => "scale",
            Standard::Standardize => "standardize",
        }
    }
}

/// The functions that NumPy gives another name.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("absolute", "abs"),
    ("power", "pow"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("maximum", "max"),
    ("minimum", "min"),
];

/// The function of this name, with or without the prefix of its library.
pub(super) fn function(name: &str) -> Option<&'static str> {
    let bare = without_library(name);
    let bare = OTHER_NAMES.iter().find(|(other, _)| *other == bare).map_or(bare, |(_, known)| known);
    expression::functions().find(|known| *known == bare)
}

fn without_library(name: &str) -> &str {
    ["np.", "numpy.", "math."].into_iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

impl Arithmetic {
    /// The columns in it, in the order in which they are written.
    pub fn columns(&self) -> Vec<&Spot> {
        self.inputs.iter().flat_map(Input::columns).collect()
    }

    /// The text with these names of the columns.
    pub fn label(&self, name: &dyn Fn(&Spot) -> String) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => (*text).to_string(),
            Piece::Number(text) => text.clone(),
            Piece::Input(at) => match &self.inputs[*at] {
                Input::Column(spot) => name(spot),
                Input::Standard(standard, inner, _) => format!("{}({})", standard.name(), inner.label(name)),
            },
        };
        self.pieces.iter().map(piece).collect()
    }
}

/// What has been read of a formula: its text with numbered inputs, and where each character stands.
#[derive(Default)]
struct Reading {
    text: String,
    origins: Vec<usize>,
    pieces: Vec<Piece>,
    inputs: Vec<Input>,
    /// Whether a value is complete, so that a sign is an operator.
    after_value: bool,
    open: usize,
}

impl Reading {
    fn write(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.origins.resize(self.origins.len() + text.chars().count(), at);
    }

    fn input(&mut self, input: Input, at: usize) {
        let same = |known: &Input| match (known, &input) {
            (Input::Column(known), Input::Column(spot)) => known.name == spot.name,
            _ => false,
        };
        let place = self.inputs.iter().position(same).unwrap_or(self.inputs.len());
        if place == self.inputs.len() {
            self.inputs.push(input);
        }
        self.write(&format!(" `{place}`"), at);
        self.pieces.push(Piece::Input(place));
        self.after_value = true;
    }

    fn function(&mut self, name: &'static str, at: usize) {
        self.write(&format!(" {name}"), at);
        self.pieces.push(Piece::Text(name));
        self.after_value = false;
    }

    /// A sign, in the text and in the name of the result.
    fn sign(&mut self, sign: &str, name: &'static str, at: usize) {
        self.write(sign, at);
        self.pieces.push(Piece::Text(name));
        self.after_value = sign == ")";
    }
}

impl Parser<'_> {
    /// Reads arithmetic up to a comma, a closing bracket or `~`; or to the end of the call that it begins
    /// with.
    pub(super) fn arithmetic(&mut self, is_call: bool, form: &str) -> Result<Arithmetic, IoError> {
        let mut reading = Reading::default();
        let start = self.place();
        // Where a column should stand if there is none.
        let mut inside = start;
        loop {
            let at = self.place();
            match self.peek() {
                None if reading.open > 0 => {
                    return self.fail(at, format!(") is expected here; write it as {form}"));
                }
                None => break,
                Some(')' | ',') if reading.open == 0 => break,
                Some('~') if reading.open == 0 => break,
                Some('(') => {
                    self.at += 1;
                    inside = if inside == start { self.at } else { inside };
                    reading.open += 1;
                    reading.sign("(", "(", at);
                }
                Some(')') => {
                    self.at += 1;
                    reading.open -= 1;
                    reading.sign(")", ")", at);
                }
                Some(c) if c.is_ascii_digit() || self.begins_number() => self.digits(&mut reading),
                Some(c) if matches!(c, '`' | '_' | '.') || c.is_alphabetic() => self.value(&mut reading)?,
                Some(_) => self.operator(&mut reading)?,
            }
            if is_call && reading.open == 0 && reading.after_value {
                break;
            }
        }
        if reading.inputs.is_empty() {
            let reason = format!("the name of a column is expected here; write it as {form}");
            return self.fail(if is_call { inside } else { start }, reason);
        }
        let names: Vec<String> = (0..reading.inputs.len()).map(|at| at.to_string()).collect();
        match Expression::parse(&reading.text, &names) {
            Ok(expression) => Ok(Arithmetic { pieces: reading.pieces, inputs: reading.inputs, expression }),
            Err(error) => {
                let at = reading.origins.get(error.position()).copied().unwrap_or(self.at);
                let reason = match error.fault() {
                    Fault::MissingOperator { .. } => {
                        "an operator is missing before this; write a*b for a product".to_string()
                    }
                    Fault::UnexpectedEnd => "a number, a column or a bracket is expected here".to_string(),
                    fault => fault.to_string(),
                };
                self.fail(at, reason)
            }
        }
    }

    fn begins_number(&self) -> bool {
        let mut rest = self.rest().chars();
        rest.next() == Some('.') && rest.next().is_some_and(|c| c.is_ascii_digit())
    }

    fn digits(&mut self, reading: &mut Reading) {
        let at = self.at;
        let mut number = self.run(|c| c.is_alphanumeric() || c == '.').to_string();
        if number.ends_with(['e', 'E']) && self.rest().starts_with(['-', '+']) {
            let sign = self.rest()[..1].to_string();
            self.at += 1;
            number = format!("{number}{sign}{}", self.run(|c| c.is_ascii_digit()));
        }
        reading.write(&format!(" {number}"), at);
        reading.pieces.push(Piece::Number(number));
        reading.after_value = true;
    }

    /// A column, or a function up to its opening bracket.
    fn value(&mut self, reading: &mut Reading) -> Result<(), IoError> {
        let at = self.at;
        if let Some(column) = self.quoted()? {
            reading.input(Input::Column(column), at);
            return Ok(());
        }
        let Some(word) = self.word() else {
            return self.operator(reading);
        };
        let bare = without_library(&word.name);
        if self.peek() != Some('(') {
            if bare == "pi" && word.name != "pi" {
                reading.function("pi", at);
                reading.after_value = true;
            } else {
                reading.input(Input::Column(word), at);
            }
            return Ok(());
        }
        if let Some(standard) = Standard::named(&word.name) {
            self.deeper(at)?;
            let form = format!("{}(column)", standard.name());
            self.expect('(', &form)?;
            let inner = self.arithmetic(false, &form)?;
            self.expect(')', &form)?;
            self.depth -= 1;
            reading.input(Input::Standard(standard, inner, at), at);
            return Ok(());
        }
        match function(&word.name) {
            Some(name) => {
                reading.function(name, at);
                Ok(())
            }
            // Within arithmetic nothing has to be protected.
            None if word.name == "I" => Ok(()),
            None => self.fail(at, call::unknown_function(&word.name, true)),
        }
    }

    fn operator(&mut self, reading: &mut Reading) -> Result<(), IoError> {
        let at = self.at;
        let is_value = reading.after_value;
        let (length, sign, name) = match self.rest().as_bytes() {
            [b'*', b'*', ..] => (2, "^", "^"),
            [b'^', ..] => (1, "^", "^"),
            [b'*', ..] => (1, "*", " * "),
            [b'/', ..] => (1, "/", "/"),
            [b'+', ..] => (1, "+", if is_value { " + " } else { "+" }),
            [b'-', ..] => (1, "-", if is_value { " - " } else { "-" }),
            [b',', ..] => (1, ",", ", "),
            [b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'%', ..] => {
                let sign = &self.rest()[..1];
                let advice = "put the result into a column of 0 and 1";
                return self.fail(at, format!("{sign} has no meaning in arithmetic; {advice}"));
            }
            [b'"' | b'\'', ..] => {
                let advice = "write the name of a column in backticks, or in Q(\"..\")";
                return self.fail(at, format!("text has no meaning in arithmetic; {advice}"));
            }
            _ => {
                let found = self.peek().map(|c| shown(&c.to_string())).unwrap_or_default();
                let advice = "arithmetic is made of numbers, columns, functions and + - * / ^";
                return self.fail(at, format!("{found} is not understood here; {advice}"));
            }
        };
        self.at += length;
        reading.sign(sign, name, at);
        Ok(())
    }
}
