//! [`Formula`]: a regression formula.

mod arithmetic;
mod call;
mod expansion;
mod parser;
pub(crate) mod terms;

pub(crate) use arithmetic::{Arithmetic, Input, Standard};
use call::hint as call_hint;
pub(crate) use call::{Basis, Spline};

use crate::error::IoError;
use crate::names::pointed;
use parser::Parser;

/// The largest number of columns of a design and of terms of a formula.
pub(crate) const MOST_COLUMNS: usize = 1_000;

/// The largest number of columns in an interaction.
const MOST_FACTORS: usize = 20;

/// The largest number of bytes of a formula.
const LONGEST: usize = 65_536;

/// A regression formula: a response, `~`, and the terms that explain it.
///
/// # Definition
///
/// Terms are joined by `+`; `-` removes one. The intercept is included unless `0` or `-1` removes it.
///
/// | written | meaning |
/// |---|---|
/// | `x` | the column `x`; a column of text gets one indicator for each level but the first |
/// | `` `blood pressure` ``, `Q("blood pressure")` | a column whose name is not a plain word |
/// | `1`, `0`, `-1` | with, without, without intercept |
/// | `.` | all columns but the response |
/// | `a:b` | the interaction: products of the columns of `a` and of `b` |
/// | `a*b`, `a/b` | `a + b + a:b`, `a + a:b` |
/// | `(a + b + c)^2` | the terms and their interactions of up to two |
/// | `C(x)`, `factor(x)` | the levels of a column of numbers |
/// | `C(x, base=b)`, `C(x, Treatment("b"))` | the same, compared with level `b` |
/// | `C(x, Sum)` | the same, compared with the mean of all levels |
/// | `log(x + 1)`, `np.sqrt(x)`, `I(x^2 + z)` | arithmetic, as in [`Expression`](steinbound::expression::Expression) |
/// | `center(x)`, `scale(x)`, `standardize(x)` | the distance from the mean, in standard deviations (of `n - 1`, of `n`) |
/// | `poly(x, 2)`, `poly(x, 2, raw=TRUE)` | orthogonal polynomials, powers |
/// | `bs(x, df=5)`, `ns(x, knots=[1, 2])` | B-splines, natural cubic splines |
///
/// The response may be arithmetic in one column, too: `log(y) ~ x`. The name of a column may be replaced by
/// its number in backticks, counted from 1.
///
/// ```
/// use steinbound_io::{Formula, Frame, FrameOptions};
/// let frame = Frame::parse("f.csv", b"y,x,g\n1,2,a\n2,3,b\n4,4,b\n", &FrameOptions::default())?;
/// let design = Formula::parse("y ~ x + g")?.design(&frame)?;
/// assert_eq!(design.names, ["(Intercept)", "x", "g[b]"]);
/// assert_eq!(design.matrix.to_rows()[1], [1.0, 3.0, 1.0]);
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    text: String,
    pub(crate) response: Response,
    /// The position at which the right-hand side begins.
    pub(crate) right: usize,
    pub(crate) steps: Vec<Step>,
}

/// The left-hand side: a column, or arithmetic in one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Response {
    pub column: Spot,
    pub transform: Option<Arithmetic>,
}

/// A name or level and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot {
    pub name: String,
    pub at: usize,
}

/// A term to add or to remove.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub adds: bool,
    pub part: Part,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Intercept,
    /// All columns but the response.
    Everything {
        at: usize,
    },
    Terms(Vec<Term>),
}

/// A product of factors.
pub(crate) type Term = Vec<Factor>;

/// A column or a function of columns, and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factor {
    pub at: usize,
    pub form: Form,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    Plain(Spot),
    Category(Spot, Coding),
    Numeric(Numeric),
}

/// How the levels of a category become columns, as far as the formula says it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Coding {
    pub contrast: Option<Contrast>,
    pub base: Option<Spot>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contrast {
    /// Indicators of all levels but the first.
    Treatment,
    /// Indicators of all levels but the last, which is minus one in each.
    Sum,
}

/// Arithmetic, and what is made of its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numeric {
    pub of: Arithmetic,
    pub wrap: Wrap,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wrap {
    Nothing,
    /// Written in `I( )`.
    Identity,
    Basis(Basis),
}

impl Numeric {
    /// The name of the term, with these names of its columns.
    pub fn label(&self, name: &dyn Fn(&Spot) -> String) -> String {
        let inner = self.of.label(name);
        match &self.wrap {
            Wrap::Nothing => inner,
            Wrap::Identity => format!("I({inner})"),
            Wrap::Basis(basis) => basis.label(&inner),
        }
    }
}

impl Factor {
    /// Equal for factors that are written in the same way, wherever they stand.
    fn key(&self) -> String {
        let quoted = |spot: &Spot| format!("`{}`", spot.name);
        match &self.form {
            Form::Plain(column) => quoted(column),
            Form::Category(column, _) => format!("C({})", quoted(column)),
            Form::Numeric(numeric) => numeric.label(&quoted),
        }
    }
}

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Formula, IoError> {
        let mut parser = Parser::new(text);
        if text.len() > LONGEST {
            let reason = format!(
                "it has {} characters, more than {LONGEST}; use fewer terms, or shorter names",
                text.len()
            );
            return parser.fail(0, reason);
        }
        let response = parser.response()?;
        let right = parser.at;
        let steps = parser.steps()?;
        Ok(Formula { text: text.to_string(), response, right, steps })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error that points at a position in the formula.
    pub(crate) fn fail(&self, at: usize, reason: impl Into<String>) -> IoError {
        refuse(&self.text, at, reason.into())
    }
}

fn refuse(text: &str, at: usize, reason: String) -> IoError {
    let (excerpt, column) = pointed(text, at);
    IoError::Formula { reason, excerpt, column }
}
