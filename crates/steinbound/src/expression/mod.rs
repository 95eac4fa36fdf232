//! Formulas as text, for example `exp(-(x - mu)^2 / 2)`, with exact derivatives.

pub(crate) mod error;
mod linear;
mod operation;
mod parser;
mod program;
mod token;
mod verbatim;

use num_dual::{Dual64, DualNum};

pub(crate) use error::shown;
pub use error::{ExpressionError, Fault};
pub(crate) use linear::equations;
use parser::Parser;
use program::Program;
use verbatim::Verbatim;

/// The largest number of characters of a formula.
pub const TEXT_LIMIT: usize = 10_000;

/// The largest nesting depth of parentheses, calls, signs and operands, so that parsing never exhausts the
/// stack.
pub const NESTING_LIMIT: usize = 200;

/// A formula in named variables.
///
/// # Definition
///
/// Numbers (`1`, `.5`, `1e-3`), variables, the constants `pi` and `e` (unless a variable has that name),
/// `+ - * / ^` (`**` is `^`), signs, parentheses, and the functions `exp`, `log` (natural), `log1p`, `expm1`,
/// `log2`, `log10`, `sqrt`, `cbrt`, `abs`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `sinh`, `cosh`,
/// `tanh`, `sign`, `pow(a, b)`, `min` and `max` (of two or more). As in mathematics, `-x^2` is `-(x^2)` and
/// `2^3^2` is `2^(3^2)`. A product is never implied: write `2*x`. Names are made of letters, digits, `_` and
/// `.`; any other name is written between backticks.
///
/// Derivatives come from evaluation with dual numbers. Integer powers have exact derivatives everywhere;
/// other constant powers if the base is positive; a power with a variable exponent needs a positive base if
/// derivatives are taken. At a kink (`abs`, `min`, `max`, `sign`), the derivative is that of the branch
/// taken.
///
/// # Complexity
///
/// Evaluation takes one step for each operation and allocates nothing.
///
/// ```
/// use num_dual::first_derivative;
/// use steinbound::expression::Expression;
/// let formula = Expression::parse("-x^2 + `annual income` / 2", &["x", "annual income"])?;
/// assert_eq!(formula.evaluate(&[3.0, 8.0]), -5.0);
/// let (value, slope) = first_derivative(|x| formula.evaluate(&[x, 8.0.into()]), 3.0);
/// assert_eq!((value, slope), (-5.0, -6.0));
/// # Ok::<(), steinbound::expression::ExpressionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    program: Program,
    variables: usize,
}

/// The names of the functions that a formula may call.
///
/// ```
/// assert!(steinbound::expression::functions().any(|name| name == "log1p"));
/// ```
pub fn functions() -> impl Iterator<Item = &'static str> {
    operation::FUNCTIONS.iter().map(|(name, _)| *name)
}

impl Expression {
    /// Parses a formula; `names` are the variables, numbered in that order.
    pub fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<Expression, ExpressionError> {
        Expression::read(text, names, Verbatim::default())
    }

    /// Parses a formula in coordinates, which have these names and also `x1`, `x2`, .., at least up to a number;
    /// where a coordinate has the name of another's number, the name counts.
    ///
    /// ```
    /// use steinbound::expression::Expression;
    /// let formula = Expression::parse_in_coordinates("lon^2 + x2", &["lon", "lat"], 0)?;
    /// assert_eq!((formula.variables(), formula.evaluate(&[3.0, 1.0])), (2, 10.0));
    /// # Ok::<(), steinbound::expression::ExpressionError>(())
    /// ```
    pub fn parse_in_coordinates(
        text: &str,
        names: &[impl AsRef<str>],
        least: usize,
    ) -> Result<Expression, ExpressionError> {
        let (named, dimension) = (names.len(), names.len().max(least));
        let mut all: Vec<String> = names.iter().map(|name| name.as_ref().to_string()).collect();
        all.extend((1..=dimension).map(|l| format!("x{l}")));
        let found = Expression::parse(text, &all)?;
        let coordinate = |variable: usize| if variable < named { variable } else { variable - named };
        let program = found.program.renumbered(coordinate);
        Ok(Expression { program, variables: dimension, ..found })
    }

    /// Parses a formula in which any of the names may appear verbatim, `mean[x1]` or `(Intercept)`, without
    /// backticks.
    ///
    /// The longest matching name is taken: if `a-b` is a name, write `a - b` for a difference. A name that
    /// reads as a number, or that begins with an operator, needs its backticks.
    ///
    /// ```
    /// use steinbound::expression::Expression;
    /// let ratio = Expression::parse_as_written("mean[x1] / mean[x2]", &["mean[x1]", "mean[x2]"])?;
    /// assert_eq!(ratio.evaluate(&[3.0, 2.0]), 1.5);
    /// # Ok::<(), steinbound::expression::ExpressionError>(())
    /// ```
    pub fn parse_as_written(text: &str, names: &[impl AsRef<str>]) -> Result<Expression, ExpressionError> {
        Expression::read(text, names, Verbatim::new(names))
    }

    fn read(
        text: &str,
        names: &[impl AsRef<str>],
        verbatim: Verbatim,
    ) -> Result<Expression, ExpressionError> {
        if let Some((cut, _)) = text.char_indices().nth(TEXT_LIMIT) {
            let text = text[..cut].to_string();
            return Err(ExpressionError { text, position: TEXT_LIMIT, fault: Fault::TooLong });
        }
        match Parser::read(text, names, verbatim) {
            Ok(program) => Ok(Expression { text: text.to_string(), program, variables: names.len() }),
            Err((position, fault)) => Err(ExpressionError { text: text.to_string(), position, fault }),
        }
    }

    /// The value for the given values of the variables, with derivatives if the numbers carry them; NaN if a
    /// value is missing.
    pub fn evaluate<D: DualNum<Primitive = f64> + Copy>(&self, values: &[D]) -> D {
        self.program.run(values)
    }

    /// The value, and the derivative along a direction.
    ///
    /// ```
    /// use steinbound::expression::Expression;
    /// let area = Expression::parse("a*b", &["a", "b"])?;
    /// assert_eq!(area.derivative(&[3.0, 2.0], &[1.0, 0.0]), (6.0, 2.0));
    /// # Ok::<(), steinbound::expression::ExpressionError>(())
    /// ```
    pub fn derivative(&self, values: &[f64], direction: &[f64]) -> (f64, f64) {
        let dual = |(value, slope): (&f64, &f64)| Dual64::new(*value, *slope);
        let duals: Vec<Dual64> = values.iter().zip(direction).map(dual).collect();
        let found = self.evaluate(&duals);
        (found.re, found.eps)
    }

    /// Whether the formula depends on a variable.
    ///
    /// ```
    /// use steinbound::expression::Expression;
    /// let formula = Expression::parse("2*b", &["a", "b"])?;
    /// assert!(!formula.uses(0) && formula.uses(1));
    /// # Ok::<(), steinbound::expression::ExpressionError>(())
    /// ```
    pub fn uses(&self, variable: usize) -> bool {
        self.program.uses(variable)
    }

    /// The variables it depends on, in order, and the same formula in those alone.
    pub(crate) fn compact(&self) -> (Vec<usize>, Expression) {
        let (used, program) = self.program.compact();
        let variables = used.len();
        (used, Expression { text: self.text.clone(), program, variables })
    }

    /// The number of variables with which it was parsed.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests;
