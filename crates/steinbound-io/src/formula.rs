//! [`Formula`]: a regression formula.

use crate::error::IoError;
use crate::names::{pointed, shown, unknown};
use crate::transform::Transform;

/// The largest number of columns of a design and of terms of a formula.
pub(crate) const MOST_COLUMNS: usize = 1_000;

/// The largest number of columns in an interaction.
const MOST_FACTORS: usize = 20;

/// A regression formula: a response, `~`, and the terms that explain it.
///
/// # Definition
///
/// Terms are joined by `+`; `-` removes one. The intercept is included unless `0` or `-1` removes it.
///
/// | written | meaning |
/// |---|---|
/// | `x` | the column `x`; a column of text gets one indicator for each level but the first |
/// | `` `blood pressure` `` | a column whose name is not a plain word |
/// | `1`, `0`, `-1` | with, without, without intercept |
/// | `.` | all columns but the response |
/// | `a:b` | the interaction: products of the columns of `a` and of `b` |
/// | `a*b` | `a + b + a:b` |
/// | `C(x)`, `factor(x)` | the levels of a column of numbers |
/// | `C(x, base=b)` | the same, compared with level `b`, which may be in quotes |
/// | `log(x)`, `log10(x)`, `exp(x)`, `sqrt(x)`, `I(x^2)` | a function of a column |
///
/// The name of a column may be replaced by its number in backticks, counted from 1.
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
    pub(crate) response: Spot,
    /// The position at which the right-hand side begins.
    pub(crate) right: usize,
    pub(crate) steps: Vec<Step>,
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
    /// Terms, each a product of factors.
    Terms(Vec<Vec<Factor>>),
}

/// A column and the function applied to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factor {
    pub column: Spot,
    pub form: Form,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    Plain,
    Category { base: Option<Spot> },
    Transformed(Transform),
}

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Formula, IoError> {
        let mut parser = Parser { text, at: 0, terms: 0 };
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

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The number of terms parsed so far.
    terms: usize,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, IoError> {
        Err(refuse(self.text, at, reason.into()))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character that is not blank, without consuming it.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    /// The position of the next character that is not blank.
    fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char, form: &str) -> Result<(), IoError> {
        if self.eat(wanted) {
            return Ok(());
        }
        self.fail(self.at, format!("{wanted} is expected here; write it as {form}"))
    }

    /// Consumes characters while the condition holds.
    fn run(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The text between two marks of the kind that comes next.
    fn enclosed(&mut self, mark: char, what: &str) -> Result<Spot, IoError> {
        let at = self.at;
        self.eat(mark);
        let name = self.run(|c| c != mark).to_string();
        if !self.rest().starts_with(mark) {
            return self.fail(at, format!("the {what} that begins here has no end; close it with {mark}"));
        }
        self.at += mark.len_utf8();
        if name.trim().is_empty() {
            return self.fail(at, format!("the {what} is empty; write it between the two {mark}"));
        }
        Ok(Spot { name, at })
    }

    /// The name of a column, if one comes next.
    fn name(&mut self) -> Result<Option<Spot>, IoError> {
        match self.peek() {
            Some('`') => self.enclosed('`', "name").map(Some),
            Some(c) if c.is_alphabetic() || c == '_' || c == '.' => {
                let at = self.at;
                let name = self.run(|c| c.is_alphanumeric() || c == '_' || c == '.').to_string();
                Ok(Some(Spot { name, at }))
            }
            _ => Ok(None),
        }
    }

    fn response(&mut self) -> Result<Spot, IoError> {
        const FORM: &str = "write the formula as y ~ x1 + x2";
        let Some(first) = self.peek() else {
            return self.fail(0, format!("it is empty; {FORM}"));
        };
        if !self.text.contains('~') {
            let at = self.text.trim_end().len();
            return self.fail(at, format!("there is no ~ between response and terms; {FORM}"));
        }
        if first == '~' {
            return self.fail(self.at, "there is nothing before ~; name the response there");
        }
        let Some(response) = self.name()?.filter(|spot| spot.name != ".") else {
            return self.fail(self.at, format!("the response is the name of a column; {FORM}"));
        };
        if self.peek() == Some('(') {
            let advice = "put the transformed values into a column of the data";
            return self.fail(response.at, format!("the response cannot be a function; {advice}"));
        }
        if !self.eat('~') {
            return self.fail(self.at, "~ is expected here, after the one column that is the response");
        }
        Ok(response)
    }

    fn steps(&mut self) -> Result<Vec<Step>, IoError> {
        let mut steps = Vec::new();
        if self.peek().is_none() {
            let advice = "write terms such as x1 + x2, or 1 for the intercept alone";
            return self.fail(self.at, format!("there is nothing after ~; {advice}"));
        }
        let mut adds = !self.eat('-');
        if adds {
            self.eat('+');
        }
        loop {
            steps.push(self.step(adds)?);
            adds = match self.peek() {
                None => return Ok(steps),
                // A plus before a minus is ignored: x + -1.
                Some('+') => {
                    self.eat('+');
                    !self.eat('-')
                }
                Some('-') => {
                    self.eat('-');
                    false
                }
                Some('~') => return self.fail(self.at, "a formula has one ~; take the second away"),
                Some('^') => return self.fail(self.at, "a power is written in I( ), such as I(x^2)"),
                Some(')') => return self.fail(self.at, "this bracket closes nothing; take it away"),
                Some(_) => return self.not_understood(),
            };
        }
    }

    fn step(&mut self, adds: bool) -> Result<Step, IoError> {
        let at = self.place();
        let part = match self.number() {
            Some("1") => Part::Intercept,
            Some("0") => {
                self.stands_alone(at, "0")?;
                return Ok(Step { adds: !adds, part: Part::Intercept });
            }
            Some(number) => {
                let reason = format!(
                    "{} is not a term; only 0 and 1 are, for the intercept, and columns by number go in backticks",
                    shown(number)
                );
                return self.fail(at, reason);
            }
            None if self.is_everything() => {
                self.at += 1;
                Part::Everything { at }
            }
            None => return Ok(Step { adds, part: Part::Terms(self.product()?) }),
        };
        self.stands_alone(at, if part == Part::Intercept { "1" } else { "." })?;
        Ok(Step { adds, part })
    }

    fn number(&mut self) -> Option<&'a str> {
        let mut start = self.rest().chars();
        let is_number = match (start.next(), start.next()) {
            (Some('.'), Some(next)) => next.is_ascii_digit(),
            (Some(first), _) => first.is_ascii_digit(),
            _ => false,
        };
        is_number.then(|| self.run(|c| c.is_alphanumeric() || c == '.'))
    }

    fn is_everything(&self) -> bool {
        let mut start = self.rest().chars();
        start.next() == Some('.')
            && !start.next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    }

    fn stands_alone(&mut self, at: usize, what: &str) -> Result<(), IoError> {
        if matches!(self.peek(), Some(':' | '*')) {
            return self.fail(at, format!("{what} stands by itself; name the columns of an interaction"));
        }
        Ok(())
    }

    /// Factors joined by `:` and `*`, expanded into terms.
    fn product(&mut self) -> Result<Vec<Vec<Factor>>, IoError> {
        let at = self.at;
        let mut terms = vec![self.interaction()?];
        while self.eat('*') {
            let next = self.interaction()?;
            let with_next = |term: &Vec<Factor>| term.iter().chain(&next).cloned().collect();
            let joint: Vec<Vec<Factor>> = terms.iter().map(with_next).collect();
            terms.push(next);
            terms.extend(joint);
            if terms.len() > MOST_COLUMNS {
                break;
            }
        }
        self.terms += terms.len();
        if self.terms > MOST_COLUMNS {
            return self.fail(at, format!("the formula has more than {MOST_COLUMNS} terms; use fewer"));
        }
        Ok(terms)
    }

    fn interaction(&mut self) -> Result<Vec<Factor>, IoError> {
        let mut factors = vec![self.factor()?];
        while self.eat(':') {
            if factors.len() == MOST_FACTORS {
                let reason = format!("the interaction has more than {MOST_FACTORS} columns; use fewer");
                return self.fail(self.at, reason);
            }
            factors.push(self.factor()?);
        }
        Ok(factors)
    }

    fn factor(&mut self) -> Result<Factor, IoError> {
        let first = self.peek();
        if matches!(first, None | Some('+' | '-' | '*' | ':' | '~' | ')')) {
            return self.fail(self.at, "a term is expected here, such as x1, log(x1) or C(group)");
        }
        if first == Some('(') {
            return self.fail(self.at, "terms are not put in brackets; write them out, joined by +");
        }
        if first == Some('.') && self.is_everything() || first.is_some_and(|c| c.is_ascii_digit()) {
            return self.fail(self.at, "an interaction is between columns; name them");
        }
        let Some(column) = self.name()? else {
            return self.not_understood();
        };
        if first != Some('`') && self.peek() == Some('(') {
            self.eat('(');
            return self.call(&column);
        }
        Ok(Factor { column, form: Form::Plain })
    }

    fn not_understood<T>(&mut self) -> Result<T, IoError> {
        let found = self.peek().map(|c| shown(&c.to_string())).unwrap_or_default();
        let advice = "join terms by + and put names that are not plain words in backticks";
        self.fail(self.at, format!("{found} is not understood here; {advice}"))
    }

    /// Parses the arguments after a name and its opening bracket.
    fn call(&mut self, function: &Spot) -> Result<Factor, IoError> {
        let form = match function.name.as_str() {
            "C" | "factor" => "C(column, base=level)".to_string(),
            "I" => "I(column^2)".to_string(),
            name => format!("{}(column)", shown(name)),
        };
        let transform = Transform::named(&function.name);
        if transform.is_none() && !matches!(function.name.as_str(), "C" | "factor" | "I") {
            let known: Vec<&str> = ["C", "factor", "I"].into_iter().chain(Transform::names()).collect();
            return self.fail(function.at, unknown("function", &function.name, &known));
        }
        let Some(column) = self.name()? else {
            return self.fail(self.at, format!("the name of a column is expected here; write it as {form}"));
        };
        let form_of_column = match (transform, function.name.as_str()) {
            (Some(transform), _) => Form::Transformed(transform),
            (None, "I") => {
                self.expect('^', &form)?;
                Form::Transformed(Transform::Power(self.exponent()?))
            }
            _ if self.eat(',') => Form::Category { base: Some(self.base(&form)?) },
            _ => Form::Category { base: None },
        };
        self.expect(')', &form)?;
        Ok(Factor { column, form: form_of_column })
    }

    fn exponent(&mut self) -> Result<i32, IoError> {
        let at = self.place();
        let sign = if self.eat('-') { -1 } else { 1 };
        self.peek();
        match self.run(|c| c.is_alphanumeric() || c == '.').parse::<i32>() {
            Ok(exponent) if (1..=100).contains(&exponent) => Ok(sign * exponent),
            _ => self.fail(at, "the exponent is a whole number from 1 to 100, or such a number with a minus"),
        }
    }

    /// `base=level`, the level plain or in quotes.
    fn base(&mut self, form: &str) -> Result<Spot, IoError> {
        let at = self.place();
        if self.run(char::is_alphanumeric) != "base" {
            return self.fail(at, format!("only base= may follow the column; write it as {form}"));
        }
        self.expect('=', form)?;
        match self.peek() {
            Some(quote @ ('"' | '\'')) => self.enclosed(quote, "level"),
            _ => {
                let at = self.at;
                let name = self.run(|c| !matches!(c, ')' | ',' | '"' | '\'')).trim().to_string();
                if name.is_empty() {
                    return self.fail(at, format!("a level is expected here; write it as {form}"));
                }
                Ok(Spot { name, at })
            }
        }
    }
}
