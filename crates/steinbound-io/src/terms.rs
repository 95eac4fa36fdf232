//! The terms of a formula in a table: which columns there are, and how their levels are coded.

use crate::error::IoError;
use crate::formula::{Factor, Form, Formula, MOST_COLUMNS, Part, Spot};
use crate::frame::Frame;
use crate::names::shown;
use crate::transform::Transform;

/// A formula applied to the columns of a table.
pub(crate) struct Terms {
    pub response: usize,
    pub intercept: bool,
    pub variables: Vec<Variable>,
    /// Each term by the numbers of its variables, ascending.
    pub terms: Vec<Vec<usize>>,
}

/// A column and one use of it.
pub(crate) struct Variable {
    /// Its index in the table.
    pub place: usize,
    /// Its first position and its name in the formula.
    pub column: Spot,
    pub kind: Kind,
    pub base: Option<Spot>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Number,
    Category,
    Transformed(Transform),
}

impl Terms {
    /// Finds the columns, adds and removes terms in the given order, and sorts them by their number of
    /// factors.
    pub fn of(formula: &Formula, frame: &Frame) -> Result<Terms, IoError> {
        let response = find(formula, frame, &formula.response)?;
        let mut all = Terms { response, intercept: true, variables: Vec::new(), terms: Vec::new() };
        for step in &formula.steps {
            match &step.part {
                Part::Intercept => all.intercept = step.adds,
                Part::Everything { at } => {
                    for j in (0..frame.names().len()).filter(|j| *j != response) {
                        let column = Spot { name: unambiguous(frame, j), at: *at };
                        all.step(formula, frame, step.adds, &[Factor { column, form: Form::Plain }])?;
                    }
                }
                Part::Terms(terms) => {
                    for term in terms {
                        all.step(formula, frame, step.adds, term)?;
                    }
                }
            }
        }
        if all.terms.is_empty() && !all.intercept {
            let reason = "neither a term nor the intercept is left; add a term, or 1 for the intercept";
            return Err(formula.fail(formula.right, reason));
        }
        all.terms.sort_by_key(Vec::len);
        all.forget_unused();
        Ok(all)
    }

    fn step(
        &mut self,
        formula: &Formula,
        frame: &Frame,
        adds: bool,
        factors: &[Factor],
    ) -> Result<(), IoError> {
        let mut term = Vec::with_capacity(factors.len());
        for factor in factors {
            let place = find(formula, frame, &factor.column)?;
            if place != self.response {
                term.push(self.variable(formula, frame, factor, place)?);
            } else if adds {
                let name = shown(&frame.names()[place]);
                let reason = format!("the response {name} is also a term; leave it out there");
                return Err(formula.fail(factor.column.at, reason));
            } else {
                return Ok(());
            }
        }
        term.sort_unstable();
        term.dedup();
        if !adds {
            self.terms.retain(|other| *other != term);
        } else if !self.terms.contains(&term) {
            self.terms.push(term);
        }
        if self.terms.len() > MOST_COLUMNS {
            return Err(too_many(formula));
        }
        Ok(())
    }

    /// The number of a variable, a new one if it was not used before in the same way.
    fn variable(
        &mut self,
        formula: &Formula,
        frame: &Frame,
        factor: &Factor,
        place: usize,
    ) -> Result<usize, IoError> {
        let (kind, base) = match &factor.form {
            Form::Plain if frame.is_numeric_at(place) => (Kind::Number, None),
            Form::Plain => (Kind::Category, None),
            Form::Category { base } => (Kind::Category, base.clone()),
            Form::Transformed(transform) => (Kind::Transformed(*transform), None),
        };
        let same = |variable: &Variable| variable.place == place && variable.kind == kind;
        let Some(at) = self.variables.iter().position(same) else {
            self.variables.push(Variable { place, column: factor.column.clone(), kind, base });
            return Ok(self.variables.len() - 1);
        };
        let known = &mut self.variables[at].base;
        match (known.as_ref(), base) {
            (_, None) => {}
            (None, base) => *known = base,
            (Some(old), Some(new)) if old.name == new.name => {}
            (Some(old), Some(new)) => {
                let names = (shown(&frame.names()[place]), shown(&old.name), shown(&new.name));
                let (column, old, new) = names;
                let reason = format!("{column} has the base {old} before and {new} here; choose one");
                return Err(formula.fail(factor.column.at, reason));
            }
        }
        Ok(at)
    }

    /// Removes variables that no remaining term uses.
    fn forget_unused(&mut self) {
        let mut kept = vec![None; self.variables.len()];
        self.terms.iter().flatten().for_each(|v| kept[*v] = Some(0));
        for (number, place) in kept.iter_mut().flatten().enumerate() {
            *place = number;
        }
        let mut place = kept.iter();
        self.variables.retain(|_| place.next().is_some_and(Option::is_some));
        let renumber = |term: &mut Vec<usize>| *term = term.iter().filter_map(|v| kept[*v]).collect();
        self.terms.iter_mut().for_each(renumber);
    }

    /// For each variable of each term whether all levels get a column, or all but the first.
    ///
    /// # Definition
    ///
    /// A categorical variable of a term needs no column for its first level if the rest of the term is
    /// already spanned: if there is no rest, or an earlier term contains it. Without an intercept, the first
    /// categorical variable keeps all levels.
    ///
    /// # Reference
    ///
    /// Chambers and Hastie, "Statistical Models in S" (1992), page 38, and `model.matrix` of R.
    pub fn keeps_all_levels(&self) -> Vec<Vec<bool>> {
        let is_category = |v: usize| self.variables[v].kind == Kind::Category;
        let keeps = |t: usize, v: usize| {
            let mut rest = self.terms[t].iter().filter(|other| **other != v).peekable();
            let rest_is_spanned = rest.peek().is_none()
                || self.terms[..t].iter().any(|term| rest.clone().all(|other| term.contains(other)));
            is_category(v) && !rest_is_spanned
        };
        let of_term = |(t, term): (usize, &Vec<usize>)| term.iter().map(|v| keeps(t, *v)).collect();
        let mut all: Vec<Vec<bool>> = self.terms.iter().enumerate().map(of_term).collect();
        if !self.intercept {
            let mut places = self.terms.iter().flatten().zip(all.iter_mut().flatten());
            if let Some((_, first)) = places.find(|(v, _)| is_category(**v)) {
                *first = true;
            }
        }
        all
    }
}

/// The error for a design that is too wide.
pub(crate) fn too_many(formula: &Formula) -> IoError {
    let reason = format!(
        "the terms make more than {MOST_COLUMNS} columns; leave out terms, or columns with many levels"
    );
    formula.fail(formula.right, reason)
}

fn find(formula: &Formula, frame: &Frame, column: &Spot) -> Result<usize, IoError> {
    frame.find(&column.name).map_err(|error| formula.fail(column.at, error.to_string()))
}

/// A name that identifies the column: its header, or its number if several share that header.
fn unambiguous(frame: &Frame, j: usize) -> String {
    let (name, number) = (frame.names()[j].clone(), (j + 1).to_string());
    if frame.find(&name).is_err() && frame.find(&number) == Ok(j) { number } else { name }
}
