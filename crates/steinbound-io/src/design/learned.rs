//! Arithmetic in the columns of a table, with what it has learned from the first data.

use steinbound::expression::Expression;

use crate::error::IoError;
use crate::formula::terms::{is_constant, name_of};
use crate::formula::{Arithmetic, Formula, Input, Standard};
use crate::frame::Frame;
use crate::names::shown;

/// Arithmetic that gives other data the same meaning as the first: means and deviations are those of the
/// first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learned {
    /// Its name in results and messages.
    pub label: String,
    expression: Expression,
    sources: Vec<Source>,
}

/// Where the variables of an expression come from.
#[derive(Debug, Clone, PartialEq)]
enum Source {
    Column(String),
    Constant(f64),
    /// The distance from the centre, in units of the scale.
    Standard {
        of: Box<Learned>,
        centre: f64,
        scale: f64,
    },
}

impl Learned {
    /// Learns from the rows of a frame.
    pub fn new(formula: &Formula, frame: &Frame, written: &Arithmetic) -> Result<Learned, IoError> {
        let source = |input: &Input| match input {
            Input::Column(column) if is_constant(frame, column) => Ok(Source::Constant(std::f64::consts::PI)),
            Input::Column(column) => Ok(Source::Column(column.name.clone())),
            Input::Standard(standard, of, at) => {
                let of = Learned::new(formula, frame, of)?;
                let values = of.finite_values(frame)?;
                let (centre, scale) = match centre_and_scale(&values, *standard) {
                    Some(found) => found,
                    None => {
                        let reason = format!("{} is the same in all rows; leave it out", shown(&of.label));
                        return Err(formula.fail(*at, reason));
                    }
                };
                Ok(Source::Standard { of: Box::new(of), centre, scale })
            }
        };
        Ok(Learned {
            label: written.label(&|column| name_of(frame, column)),
            sources: written.inputs.iter().map(source).collect::<Result<_, IoError>>()?,
            expression: written.expression.clone(),
        })
    }

    /// The values in the rows of a frame, finite or not.
    pub fn values(&self, frame: &Frame) -> Result<Vec<f64>, IoError> {
        let sources = self.sources.iter().map(|source| source.values(frame));
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let mut inputs = vec![0.0; sources.len()];
        let value = |row: usize| {
            inputs.iter_mut().zip(&sources).for_each(|(input, source)| *input = source[row]);
            self.expression.evaluate(&inputs)
        };
        Ok((0..frame.len()).map(value).collect())
    }

    /// The values, all of which must be finite.
    pub fn finite_values(&self, frame: &Frame) -> Result<Vec<f64>, IoError> {
        let values = self.values(frame)?;
        check_finite(frame, &self.label, &values)?;
        Ok(values)
    }

    /// Values and derivatives with respect to a column, by its index in the table.
    pub fn slopes(&self, frame: &Frame, place: usize) -> Result<Vec<(f64, f64)>, IoError> {
        let sources = self.sources.iter().map(|source| source.slopes(frame, place));
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let slope = |row: usize| {
            let (values, direction): (Vec<f64>, Vec<f64>) = sources.iter().map(|source| source[row]).unzip();
            self.expression.derivative(&values, &direction)
        };
        Ok((0..frame.len()).map(slope).collect())
    }

    /// The value where all columns have this value.
    pub fn at(&self, value: f64) -> f64 {
        let inputs: Vec<f64> = self.sources.iter().map(|source| source.at(value)).collect();
        self.expression.evaluate(&inputs)
    }

    /// The columns as they are written in the formula.
    pub fn columns(&self) -> Vec<&str> {
        self.sources.iter().flat_map(Source::columns).collect()
    }
}

impl Source {
    fn columns(&self) -> Vec<&str> {
        match self {
            Source::Column(name) => vec![name],
            Source::Constant(_) => Vec::new(),
            Source::Standard { of, .. } => of.columns(),
        }
    }

    fn values(&self, frame: &Frame) -> Result<Vec<f64>, IoError> {
        match self {
            Source::Column(name) => frame.numbers(name),
            Source::Constant(value) => Ok(vec![*value; frame.len()]),
            Source::Standard { of, centre, scale } => {
                Ok(of.values(frame)?.iter().map(|value| (value - centre) / scale).collect())
            }
        }
    }

    fn slopes(&self, frame: &Frame, place: usize) -> Result<Vec<(f64, f64)>, IoError> {
        match self {
            Source::Column(name) => {
                let slope = f64::from(u8::from(frame.find(name)? == place));
                Ok(frame.numbers(name)?.into_iter().map(|value| (value, slope)).collect())
            }
            Source::Constant(value) => Ok(vec![(*value, 0.0); frame.len()]),
            Source::Standard { of, centre, scale } => {
                let found = of.slopes(frame, place)?.into_iter();
                Ok(found.map(|(value, slope)| ((value - centre) / scale, slope / scale)).collect())
            }
        }
    }

    fn at(&self, value: f64) -> f64 {
        match self {
            Source::Column(_) => value,
            Source::Constant(constant) => *constant,
            Source::Standard { of, centre, scale } => (of.at(value) - centre) / scale,
        }
    }
}

/// The mean, and the standard deviation or one; `None` if the values do not differ where they have to.
fn centre_and_scale(values: &[f64], standard: Standard) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let centre = values.iter().sum::<f64>() / count;
    let divisor = match standard {
        Standard::Center => return Some((centre, 1.0)),
        Standard::Scale => count - 1.0,
        Standard::Standardize => count,
    };
    let is_constant = values.windows(2).all(|pair| pair[0] == pair[1]);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let scale = (squares / divisor).sqrt();
    (!is_constant && scale.is_finite() && scale > 0.0).then_some((centre, scale))
}

/// Refuses values that are NaN or infinite.
pub(crate) fn check_finite(frame: &Frame, term: &str, values: &[f64]) -> Result<(), IoError> {
    let Some(row) = values.iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    Err(IoError::NotFiniteTerm {
        path: frame.path().to_string(),
        place: frame.place(row),
        term: shown(term),
        value: values[row],
        others: values[row + 1..].iter().filter(|value| !value.is_finite()).count(),
    })
}
