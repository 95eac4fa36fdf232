//! Domains that can be written as text: the list of them, and what each one takes.

use std::sync::Arc;

use super::{Domain, annulus, ball, cuboid, cylinder, ellipse, half_space};
use crate::error::DomainError;

/// Every shape with a name, in the order in which help texts list them.
///
/// A domain whose [`Shape`] is listed here can be used by name on the command line and in Python, and appears
/// in the help texts and the reference.
#[rustfmt::skip]
pub static SHAPES: &[&Shape] = &[
    &ball::BALL,
    &ellipse::ELLIPSE,
    &annulus::ANNULUS,
    &cylinder::CYLINDER,
    &cuboid::BOX,
    &cuboid::INTERVAL,
    &half_space::HALF_SPACE,
];

/// A kind of domain that can be written as text, such as `ball(radius=2)`.
///
/// ```
/// use steinbound::domain::{SHAPES, ShapeArguments};
/// let ball = SHAPES.iter().find(|shape| shape.name == "ball").unwrap();
/// let given = ShapeArguments::default().with_numbers("radius", [2.0]).with_choice("norm", "1");
/// // Without a centre the ball exists in any number of coordinates.
/// assert_eq!((ball.dimension)(&given), None);
/// assert_eq!((ball.build)(&given, 3)?.describe(), "l1 ball of radius 2");
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug)]
pub struct Shape {
    /// The name before the parentheses.
    pub name: &'static str,
    /// A complete example, for messages about texts that cannot be read.
    pub example: &'static str,
    /// How it can be written, each with a meaning of a few words (or none), for help texts.
    pub usage: &'static [(&'static str, &'static str)],
    /// The arguments, in the order in which they may be given without a name.
    pub parameters: &'static [Parameter],
    /// The least number of coordinates in which it exists.
    pub least_dimension: usize,
    /// The number of coordinates, if the arguments determine it.
    pub dimension: fn(&ShapeArguments) -> Option<usize>,
    /// The domain in that many coordinates.
    pub build: fn(&ShapeArguments, usize) -> Built,
}

type Built = Result<Arc<dyn Domain>, DomainError>;

/// Shapes are equal if their names are: no two in [`SHAPES`] have the same.
impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.name == other.name
    }
}

/// An argument that a [`Shape`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name before the equals sign.
    pub name: &'static str,
    /// The values it takes.
    pub kind: ParameterKind,
    /// Whether it has to be given.
    pub is_required: bool,
}

impl Parameter {
    /// An argument that has to be given.
    pub const fn required(name: &'static str, kind: ParameterKind) -> Parameter {
        Parameter { name, kind, is_required: true }
    }

    /// An argument that may be left out.
    pub const fn optional(name: &'static str, kind: ParameterKind) -> Parameter {
        Parameter { name, kind, is_required: false }
    }
}

/// The values that an argument of a [`Shape`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// One number.
    Number,
    /// One number or several, such as a point.
    Numbers,
    /// One of some words. Each is given with its synonyms; the first is the one that is listed and handed to
    /// the shape.
    Choice(&'static [&'static [&'static str]]),
}

/// The arguments given to a [`Shape`], by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShapeArguments {
    given: Vec<(&'static str, Argument)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Argument {
    Numbers(Vec<f64>),
    Choice(&'static str),
}

impl ShapeArguments {
    /// With a number, or the coordinates of a point.
    pub fn with_numbers(mut self, name: &'static str, values: impl Into<Vec<f64>>) -> ShapeArguments {
        self.given.push((name, Argument::Numbers(values.into())));
        self
    }

    /// With one of the words of a [`ParameterKind::Choice`].
    pub fn with_choice(mut self, name: &'static str, word: &'static str) -> ShapeArguments {
        self.given.push((name, Argument::Choice(word)));
        self
    }

    /// The numbers given under a name.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        self.given.iter().find_map(|(given, value)| match value {
            Argument::Numbers(values) if *given == name => Some(values.as_slice()),
            Argument::Numbers(_) | Argument::Choice(_) => None,
        })
    }

    /// The word given under a name.
    pub fn choice(&self, name: &str) -> Option<&'static str> {
        self.given.iter().find_map(|(given, value)| match value {
            Argument::Choice(word) if *given == name => Some(*word),
            Argument::Numbers(_) | Argument::Choice(_) => None,
        })
    }

    /// The numbers of an argument that has to be given.
    pub fn required_numbers(&self, name: &'static str) -> Result<&[f64], DomainError> {
        self.numbers(name).ok_or_else(|| DomainError::BadArgument { name, reason: "it is missing".into() })
    }

    /// The single number of an argument that has to be given.
    pub fn required_number(&self, name: &'static str) -> Result<f64, DomainError> {
        match self.required_numbers(name)? {
            [value] => Ok(*value),
            values => {
                let reason = format!("{} values were given; give one number", values.len());
                Err(DomainError::BadArgument { name, reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (k, shape) in SHAPES.iter().enumerate() {
            assert!(SHAPES[..k].iter().all(|other| other.name != shape.name), "{}", shape.name);
            let starts_alike = |text: &str| text.starts_with(&format!("{}(", shape.name));
            assert!(starts_alike(shape.example) && shape.usage.iter().all(|(text, _)| starts_alike(text)));
            assert!(!shape.usage.is_empty());
        }
    }

    #[test]
    fn missing_and_wrong_arguments_are_refused() {
        let nothing = ShapeArguments::default();
        for shape in SHAPES.iter().filter(|shape| shape.parameters.iter().any(|p| p.is_required)) {
            let error = (shape.build)(&nothing, 2).unwrap_err().to_string();
            assert!(error.contains("it is missing"), "{error}");
        }
        let ball = |given: ShapeArguments| (ball::BALL.build)(&given, 2).unwrap_err().to_string();
        assert!(ball(nothing.clone().with_numbers("radius", [1.0, 2.0])).contains("give one number"));
        let unknown = nothing.with_numbers("radius", [1.0]).with_choice("norm", "3");
        assert!(ball(unknown).contains("\"3\" is not one of its choices"));
    }
}
