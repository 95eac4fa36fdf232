//! The terms of a formula in a table: which columns there are, and how their levels are coded.

use super::{Coding, Factor, Form, Formula, MOST_COLUMNS, Numeric, Part, Spot};
use crate::error::IoError;
use crate::frame::Frame;
use crate::names::shown;

/// A formula applied to the columns of a table.
pub(crate) struct Terms {
    pub response: usize,
    pub intercept: bool,
    pub variables: Vec<Variable>,
    /// Each term by the numbers of its variables, ascending.
    pub terms: Vec<Vec<usize>>,
}

/// One use of a column, or of several in arithmetic.
pub(crate) struct Variable {
    /// The columns in the table, by index.
    pub places: Vec<usize>,
    /// Their first positions and their names in the formula.
    pub columns: Vec<Spot>,
    /// Its first position in the formula.
    pub at: usize,
    /// Its name in results.
    pub label: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Number,
    Category(Coding),
    Numeric(Numeric),
}

impl Terms {
    /// Finds the columns, adds and removes terms in the given order, and sorts them by their number of
    /// factors.
    pub fn of(formula: &Formula, frame: &Frame) -> Result<Terms, IoError> {
        let response = find(formula, frame, &formula.response.column)?;
        let mut all = Terms { response, intercept: true, variables: Vec::new(), terms: Vec::new() };
        for step in &formula.steps {
            match &step.part {
                Part::Intercept => all.intercept = step.adds,
                Part::Everything { at } => {
                    for j in (0..frame.names().len()).filter(|j| *j != response) {
                        let column = Spot { name: unambiguous(frame, j), at: *at };
                        all.step(
                            formula,
                            frame,
                            step.adds,
                            &[Factor { at: *at, form: Form::Plain(column) }],
                        )?;
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
            let variable = Variable::of(formula, frame, factor)?;
            if !variable.places.contains(&self.response) {
                term.push(self.number_of(formula, frame, variable)?);
            } else if adds {
                let name = shown(&frame.names()[self.response]);
                let reason = format!("the response {name} is also a term; leave it out there");
                let used = variable.places.iter().position(|place| *place == self.response);
                let at = used.map_or(factor.at, |at| variable.columns[at].at);
                return Err(formula.fail(at, reason));
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
    fn number_of(&mut self, formula: &Formula, frame: &Frame, new: Variable) -> Result<usize, IoError> {
        let Some(at) = self.variables.iter().position(|known| known.is_same(&new)) else {
            self.variables.push(new);
            return Ok(self.variables.len() - 1);
        };
        let (Kind::Category(known), Kind::Category(coding)) = (&mut self.variables[at].kind, new.kind) else {
            return Ok(at);
        };
        let conflict = |what: &str, old: &str, new_one: &str| {
            let column = shown(&frame.names()[new.places[0]]);
            let (old, new_one) = (shown(old), shown(new_one));
            let reason = format!("{column} has the {what} {old} before and {new_one} here; choose one");
            Err(formula.fail(new.columns[0].at, reason))
        };
        match (known.base.as_ref(), coding.base) {
            (Some(old), Some(base)) if old.name != base.name => {
                return conflict("base", &old.name, &base.name);
            }
            (None, base @ Some(_)) => known.base = base,
            _ => {}
        }
        match (known.contrast, coding.contrast) {
            (Some(old), Some(contrast)) if old != contrast => {
                return conflict("coding", &format!("{old:?}"), &format!("{contrast:?}"));
            }
            (None, contrast @ Some(_)) => known.contrast = contrast,
            _ => {}
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
        let is_category = |v: usize| matches!(self.variables[v].kind, Kind::Category(_));
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

impl Variable {
    fn of(formula: &Formula, frame: &Frame, factor: &Factor) -> Result<Variable, IoError> {
        let at = factor.at;
        let one = |column: &Spot, kind: Option<Kind>| {
            let place = find(formula, frame, column)?;
            let plain =
                || if frame.is_numeric_at(place) { Kind::Number } else { Kind::Category(Coding::default()) };
            let kind = kind.unwrap_or_else(plain);
            let label = frame.names()[place].clone();
            Ok(Variable { places: vec![place], columns: vec![column.clone()], at, label, kind })
        };
        match &factor.form {
            Form::Plain(column) => one(column, None),
            Form::Category(column, coding) => one(column, Some(Kind::Category(coding.clone()))),
            Form::Numeric(numeric) => {
                let (mut places, mut columns) = (Vec::new(), Vec::new());
                for column in numeric.of.columns() {
                    if !is_constant(frame, column) {
                        places.push(find(formula, frame, column)?);
                        columns.push(column.clone());
                    }
                }
                let label = numeric.label(&|column| name_of(frame, column));
                Ok(Variable { places, columns, at, label, kind: Kind::Numeric(numeric.clone()) })
            }
        }
    }

    /// Whether both are the same columns used in the same way.
    fn is_same(&self, other: &Variable) -> bool {
        self.places == other.places
            && self.label == other.label
            && std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
    }
}

/// Whether a name is that of the constant, for want of a column.
pub(crate) fn is_constant(frame: &Frame, column: &Spot) -> bool {
    column.name == "pi" && frame.find("pi").is_err()
}

/// The name of a column in results.
pub(crate) fn name_of(frame: &Frame, column: &Spot) -> String {
    frame.find(&column.name).map_or_else(|_| column.name.clone(), |place| frame.names()[place].clone())
}

fn find(formula: &Formula, frame: &Frame, column: &Spot) -> Result<usize, IoError> {
    frame.find(&column.name).map_err(|error| {
        let known = super::call_hint(&column.name);
        let hint = match known {
            Some(call) if matches!(error, IoError::NoSuchColumn { .. }) => {
                format!("{} is a function here and there is no such column; write {call}", column.name)
            }
            _ => error.to_string(),
        };
        formula.fail(column.at, hint)
    })
}

/// A name that identifies the column: its header, or its number if several share that header.
fn unambiguous(frame: &Frame, j: usize) -> String {
    let (name, number) = (frame.names()[j].clone(), (j + 1).to_string());
    if frame.find(&name).is_err() && frame.find(&number) == Ok(j) { number } else { name }
}
