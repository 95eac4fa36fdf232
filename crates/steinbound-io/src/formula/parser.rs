//! The grammar of responses and terms.

use super::expansion::{nested, powers, products, starred};
use super::{Factor, Form, MOST_COLUMNS, MOST_FACTORS, Part, Response, Spot, Step, Term, refuse};
use crate::error::IoError;
use crate::names::shown;

/// The largest nesting depth of brackets, so that reading never exhausts the stack.
const DEEPEST: usize = 50;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub at: usize,
    /// The number of brackets that are open.
    pub depth: usize,
    /// The number of terms parsed so far.
    terms: usize,
}

const A_POWER: &str = "a power is written in I( ), such as I(x^2)";
const GROUPS: &str = "groups by | are not known; add the group as a term, or name it as cluster";
const WITHIN: &str = "%in% is not known; write an interaction, such as a:b";
const AWAY: &str = "terms are taken away outside of brackets; write (a + b)^2 - a:b";
const OUTSIDE: &str = "0, 1 and . stand outside of brackets; write 0 + (a + b)^2";

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Parser<'a> {
        Parser { text, at: 0, depth: 0, terms: 0 }
    }

    pub fn fail<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, IoError> {
        Err(refuse(self.text, at, reason.into()))
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character that is not blank, without consuming it.
    pub fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    /// The position of the next character that is not blank.
    pub fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    pub fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub fn expect(&mut self, wanted: char, form: &str) -> Result<(), IoError> {
        if self.eat(wanted) {
            return Ok(());
        }
        self.fail(self.at, format!("{wanted} is expected here; write it as {form}"))
    }

    /// Consumes characters while the condition holds.
    pub fn run(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The text between two marks of the kind that comes next.
    pub fn enclosed(&mut self, mark: char, what: &str) -> Result<Spot, IoError> {
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

    /// A word, if one comes next: the name of a column or a function.
    pub fn word(&mut self) -> Option<Spot> {
        let is_start = self.peek().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '.');
        is_start.then(|| {
            let at = self.at;
            Spot { name: self.run(is_name_part).to_string(), at }
        })
    }

    /// The name in `` `name` `` or `Q("name")`, if one comes next.
    pub fn quoted(&mut self) -> Result<Option<Spot>, IoError> {
        const FORM: &str = "Q(\"name of a column\")";
        if self.peek() == Some('`') {
            return self.enclosed('`', "name").map(Some);
        }
        let at = self.at;
        let opens = self.word().is_some_and(|word| word.name == "Q") && self.eat('(');
        if !opens {
            self.at = at;
            return Ok(None);
        }
        let name = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.enclosed(quote, "name")?.name,
            _ => return self.fail(self.at, format!("a name in quotes is expected here; write it as {FORM}")),
        };
        self.expect(')', FORM)?;
        Ok(Some(Spot { name, at }))
    }

    /// The name of a column, if one comes next.
    pub fn name(&mut self) -> Result<Option<Spot>, IoError> {
        Ok(self.quoted()?.or_else(|| self.word()))
    }

    /// One bracket deeper; [`Parser::depth`] is reduced where it closes.
    pub fn deeper(&mut self, at: usize) -> Result<(), IoError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(at, format!("brackets are nested more than {DEEPEST} deep; use fewer"));
        }
        Ok(())
    }

    pub fn response(&mut self) -> Result<Response, IoError> {
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
        let at = self.at;
        if let Some(column) = self.name()?.filter(|spot| spot.name != ".")
            && self.eat('~')
        {
            return Ok(Response { column, transform: None });
        }
        self.at = at;
        let transform = self.arithmetic(false, "y ~ x1 + x2")?;
        let columns = transform.columns();
        let Some(column) = columns.first().map(|spot| (*spot).clone()) else {
            return self.fail(at, format!("the response is made of a column; {FORM}"));
        };
        if let Some(other) = columns.iter().find(|other| other.name != column.name) {
            let reason = "the response is made of one column; put what is made of several into a column";
            return self.fail(other.at, reason);
        }
        if !self.eat('~') {
            return self.fail(self.at, "~ is expected here, after the response");
        }
        Ok(Response { column, transform: Some(transform) })
    }

    pub fn steps(&mut self) -> Result<Vec<Step>, IoError> {
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
            None => {
                let terms = self.product()?;
                self.terms += terms.len();
                self.limited(at, self.terms)?;
                return Ok(Step { adds, part: Part::Terms(terms) });
            }
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
        start.next() == Some('.') && !start.next().is_some_and(is_name_part)
    }

    fn stands_alone(&mut self, at: usize, what: &str) -> Result<(), IoError> {
        if matches!(self.peek(), Some(':' | '*' | '/' | '^')) {
            return self.fail(at, format!("{what} stands by itself; name the columns of an interaction"));
        }
        Ok(())
    }

    fn limited(&self, at: usize, terms: usize) -> Result<(), IoError> {
        if terms > MOST_COLUMNS {
            return self.fail(at, format!("the formula has more than {MOST_COLUMNS} terms; use fewer"));
        }
        Ok(())
    }

    /// Refuses more terms than there may be before they are joined.
    fn joinable(&self, at: usize, left: &[Term], right: &[Term]) -> Result<(), IoError> {
        self.limited(at, left.len() * right.len() + left.len() + right.len() - 1)?;
        Ok(())
    }

    fn not_too_long(&self, at: usize, terms: &[Term]) -> Result<(), IoError> {
        if terms.iter().any(|term| term.len() > MOST_FACTORS) {
            let reason = format!("the interaction has more than {MOST_FACTORS} columns; use fewer");
            return self.fail(at, reason);
        }
        Ok(())
    }

    /// Interactions joined by `*` and `/`, expanded into terms.
    fn product(&mut self) -> Result<Vec<Term>, IoError> {
        let mut terms = self.interaction()?;
        loop {
            let at = self.place();
            let is_nested = match self.peek() {
                Some('*') => false,
                Some('/') => true,
                _ => return Ok(terms),
            };
            self.at += 1;
            let right = self.interaction()?;
            self.joinable(at, &terms, &right)?;
            terms = if is_nested { nested(terms, right) } else { starred(terms, right) };
            self.not_too_long(at, &terms)?;
        }
    }

    fn interaction(&mut self) -> Result<Vec<Term>, IoError> {
        let mut terms = self.power()?;
        while self.eat(':') {
            let at = self.at;
            let right = self.power()?;
            self.joinable(at, &terms, &right)?;
            terms = products(&terms, &right);
            self.not_too_long(at, &terms)?;
        }
        Ok(terms)
    }

    /// A factor, or terms in brackets, perhaps with all their interactions up to an order.
    fn power(&mut self) -> Result<Vec<Term>, IoError> {
        let is_group = self.peek() == Some('(');
        let terms = if is_group { self.group()? } else { vec![vec![self.factor()?]] };
        let at = self.place();
        if !(self.rest().starts_with("**") || self.rest().starts_with('^')) {
            return Ok(terms);
        }
        if !is_group || terms.len() == 1 {
            return self.fail(at, A_POWER);
        }
        self.run(|c| c == '*' || c == '^');
        let place = self.place();
        let Some(order) = self.number().and_then(|number| number.parse().ok()).filter(|order| *order > 0)
        else {
            let reason = "the order of interactions is a whole number, such as in (a + b)^2";
            return self.fail(place, reason);
        };
        let terms = powers(&terms, order, MOST_COLUMNS);
        self.limited(at, terms.len())?;
        self.not_too_long(place, &terms)?;
        Ok(terms)
    }

    /// Terms in brackets.
    fn group(&mut self) -> Result<Vec<Term>, IoError> {
        let at = self.at;
        self.deeper(at)?;
        self.eat('(');
        let mut terms: Vec<Term> = Vec::new();
        loop {
            self.peek();
            if self.is_everything() || matches!(self.peek(), Some(c) if c.is_ascii_digit()) {
                return self.fail(self.at, OUTSIDE);
            }
            if self.peek() == Some('-') {
                return self.fail(self.at, AWAY);
            }
            terms.extend(self.product()?);
            self.limited(at, terms.len())?;
            match self.peek() {
                Some('+') => self.eat('+'),
                Some(')') => break,
                Some('-') => {
                    return self.fail(self.at, AWAY);
                }
                None => return self.fail(at, "this bracket is never closed; add a )"),
                _ => return self.not_understood(),
            };
        }
        self.eat(')');
        self.depth -= 1;
        Ok(terms)
    }

    fn factor(&mut self) -> Result<Factor, IoError> {
        let first = self.peek();
        if matches!(first, None | Some('+' | '-' | '*' | ':' | '~' | ')' | '/' | '^')) {
            return self.fail(self.at, "a term is expected here, such as x1, log(x1) or C(group)");
        }
        if first == Some('.') && self.is_everything() || first.is_some_and(|c| c.is_ascii_digit()) {
            return self.fail(self.at, "an interaction is between columns; name them");
        }
        let at = self.at;
        if let Some(column) = self.quoted()? {
            return Ok(Factor { at, form: Form::Plain(column) });
        }
        let Some(word) = self.word() else {
            return self.not_understood();
        };
        let form = if self.peek() == Some('(') { self.call(word)? } else { Form::Plain(word) };
        Ok(Factor { at, form })
    }

    fn not_understood<T>(&mut self) -> Result<T, IoError> {
        let reason = match self.peek() {
            Some('|') => GROUPS.to_string(),
            Some('%') if self.rest().starts_with("%in%") => WITHIN.to_string(),
            Some('^') => A_POWER.to_string(),
            found => {
                let found = found.map(|c| shown(&c.to_string())).unwrap_or_default();
                let advice = "join terms by + and put names that are not plain words in backticks";
                format!("{found} is not understood here; {advice}")
            }
        };
        self.fail(self.at, reason)
    }
}

/// Whether a character may stand in a name that is not in backticks.
pub(super) fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '.'
}
