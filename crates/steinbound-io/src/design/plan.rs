//! How the columns of a design are derived from those of a table.

use steinbound::Matrix;

use super::learned::{Learned, check_finite};
use super::levels;
use super::polynomial::Polynomial;
use super::spline::SplineBasis;
use crate::error::IoError;
use crate::formula::terms::{Kind, Terms, Variable};
use crate::formula::{self, Contrast, Formula, Wrap};
use crate::frame::Frame;
use crate::names::{few, shown};
use crate::records::printable;

/// The information needed to derive the same columns from other data.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub intercept: bool,
    pub variables: Vec<Coded>,
    /// Each term by its variables, and whether all levels get a column.
    terms: Vec<Vec<(usize, bool)>>,
}

/// A variable, and how it is turned into columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coded {
    /// Its name in results.
    pub name: String,
    pub coding: Coding,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Coding {
    /// The column as written in the formula.
    Number(String),
    Arithmetic(Learned),
    Basis(Learned, Basis),
    Levels {
        /// The column as written in the formula.
        column: String,
        are_numbers: bool,
        contrast: Contrast,
        levels: Vec<String>,
    },
}

/// Several columns made of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Basis {
    Polynomial(Polynomial),
    Spline(SplineBasis),
}

/// What a variable contributes to a column.
#[derive(Debug, Clone, Copy)]
enum Part {
    Itself,
    Column(usize),
    /// One where the category has this level.
    Level(usize),
    /// The same, and minus one where it has the last.
    Deviation(usize),
}

/// A variable in the rows of a table.
enum Values {
    Numbers(Vec<f64>),
    Columns(Vec<Vec<f64>>),
    Levels(Vec<usize>, usize),
}

impl Values {
    fn at(&self, row: usize, part: Part) -> f64 {
        match (self, part) {
            (Values::Numbers(values), _) => values[row],
            (Values::Columns(columns), Part::Column(k)) => columns[k][row],
            (Values::Levels(codes, _), Part::Level(level)) => f64::from(u8::from(codes[row] == level)),
            (Values::Levels(codes, last), Part::Deviation(_)) if codes[row] == *last => -1.0,
            (Values::Levels(codes, _), Part::Deviation(level)) => f64::from(u8::from(codes[row] == level)),
            _ => 0.0,
        }
    }
}

impl Plan {
    /// Learns from the rows of a frame.
    pub fn new(formula: &Formula, terms: &Terms, frame: &Frame) -> Result<Plan, IoError> {
        let coded = terms.variables.iter().map(|variable| Coded::new(formula, frame, variable));
        let pair = |(term, all): (&Vec<usize>, Vec<bool>)| term.iter().copied().zip(all).collect();
        Ok(Plan {
            intercept: terms.intercept,
            variables: coded.collect::<Result<Vec<_>, _>>()?,
            terms: terms.terms.iter().zip(terms.keeps_all_levels()).map(pair).collect(),
        })
    }

    /// The number of columns of a variable within a term.
    fn size(&self, (variable, keeps_all): (usize, bool)) -> usize {
        match &self.variables[variable].coding {
            Coding::Levels { levels, .. } => levels.len() - usize::from(!keeps_all),
            Coding::Basis(_, basis) => basis.columns(),
            _ => 1,
        }
    }

    /// A column of a variable within a term.
    fn part(&self, (variable, keeps_all): (usize, bool), at: usize) -> Part {
        match &self.variables[variable].coding {
            Coding::Levels { contrast: Contrast::Sum, .. } if !keeps_all => Part::Deviation(at),
            Coding::Levels { .. } => Part::Level(at + usize::from(!keeps_all)),
            Coding::Basis(..) => Part::Column(at),
            _ => Part::Itself,
        }
    }

    /// The number of columns of a term.
    fn term_width(&self, term: &[(usize, bool)]) -> usize {
        term.iter().fold(1, |width: usize, factor| width.saturating_mul(self.size(*factor)))
    }

    pub fn width(&self) -> usize {
        let widths = self.terms.iter().map(|term| self.term_width(term));
        widths.fold(usize::from(self.intercept), usize::saturating_add)
    }

    /// For each column its variables, with what each contributes.
    fn columns(&self) -> Vec<Vec<(usize, Part)>> {
        let mut columns = Vec::with_capacity(self.width());
        columns.extend(self.intercept.then(Vec::new));
        for term in &self.terms {
            for mut at in 0..self.term_width(term) {
                let mut pick = |factor: &(usize, bool)| {
                    let size = self.size(*factor);
                    let part = self.part(*factor, at % size);
                    at /= size;
                    (factor.0, part)
                };
                columns.push(term.iter().map(&mut pick).collect());
            }
        }
        columns
    }

    pub fn names(&self) -> Vec<String> {
        let factor = |(variable, part): &(usize, Part)| {
            let Coded { name, coding } = &self.variables[*variable];
            match (coding, part) {
                (_, Part::Column(k)) => format!("{name}[{}]", k + 1),
                (Coding::Levels { levels, .. }, Part::Level(level)) => {
                    format!("{name}[{}]", printable(&levels[*level]))
                }
                (Coding::Levels { levels, .. }, Part::Deviation(level)) => {
                    format!("{name}[S.{}]", printable(&levels[*level]))
                }
                _ => name.clone(),
            }
        };
        let column = |factors: Vec<(usize, Part)>| match factors.as_slice() {
            [] => "(Intercept)".to_string(),
            factors => factors.iter().map(factor).collect::<Vec<_>>().join(":"),
        };
        self.columns().into_iter().map(column).collect()
    }

    /// What is remarkable about the levels.
    pub fn notes(&self, frame: &Frame) -> Vec<String> {
        let note = |variable: &Coded| {
            let Coding::Levels { column, levels, .. } = &variable.coding else { return None };
            let declared = frame.levels_at(frame.find(column).ok()?)?;
            let unseen = || declared.iter().filter(|level| !levels.contains(level)).map(String::as_str);
            unseen().next()?;
            let (name, unseen) = (shown(&variable.name), few(unseen()));
            Some(format!("no row has these levels of {name}, which are left out: {unseen}"))
        };
        self.variables.iter().filter_map(note).collect()
    }

    pub fn matrix(&self, frame: &Frame, names: &[String]) -> Result<Matrix, IoError> {
        let values = self.variables.iter().map(|variable| variable.values(frame));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let mut matrix = Matrix::zeros(frame.len(), self.width());
        for (j, factors) in self.columns().into_iter().enumerate() {
            let column = matrix.column_mut(j);
            for (i, cell) in column.iter_mut().enumerate() {
                *cell = factors.iter().map(|(variable, part)| values[*variable].at(i, *part)).product();
            }
            check_finite(frame, &names[j], column)?;
        }
        Ok(matrix)
    }

    /// The derivatives of the columns with respect to a column of the table, by its index.
    pub fn derivative(&self, frame: &Frame, place: usize) -> Result<Matrix, IoError> {
        let values = self.variables.iter().map(|variable| variable.values(frame));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let slopes = self.variables.iter().map(|variable| variable.slopes(frame, place));
        let slopes = slopes.collect::<Result<Vec<_>, _>>()?;
        let mut matrix = Matrix::zeros(frame.len(), self.width());
        for (j, factors) in self.columns().into_iter().enumerate() {
            for (i, cell) in matrix.column_mut(j).iter_mut().enumerate() {
                // The product rule: each factor in turn is replaced by its derivative.
                let others = |at: usize| {
                    let rest = factors.iter().enumerate().filter(move |(other, _)| *other != at);
                    rest.map(|(_, (variable, part))| values[*variable].at(i, *part)).product::<f64>()
                };
                let with = |(at, (variable, part)): (usize, &(usize, Part))| {
                    slopes[*variable].as_ref().map_or(0.0, |slope| slope.at(i, *part) * others(at))
                };
                *cell = factors.iter().enumerate().map(with).sum();
            }
        }
        Ok(matrix)
    }
}

impl Coded {
    /// How a variable is turned into columns, with what is learned from the rows of a frame.
    fn new(formula: &Formula, frame: &Frame, variable: &Variable) -> Result<Coded, IoError> {
        let coding = match &variable.kind {
            Kind::Number => Coding::Number(variable.columns[0].name.clone()),
            Kind::Category(coding) => Coding::Levels {
                column: variable.columns[0].name.clone(),
                are_numbers: levels::are_numbers(frame, variable.places[0]),
                contrast: coding.contrast.unwrap_or(Contrast::Treatment),
                levels: levels::levels(formula, frame, variable, coding)?,
            },
            Kind::Numeric(numeric) => {
                let learned = Learned::new(formula, frame, &numeric.of)?;
                match &numeric.wrap {
                    Wrap::Basis(wanted) => {
                        let values = learned.finite_values(frame)?;
                        let basis = Basis::new(wanted, &values, &shown(&learned.label))
                            .map_err(|reason| formula.fail(variable.at, reason))?;
                        Coding::Basis(learned, basis)
                    }
                    _ => Coding::Arithmetic(learned),
                }
            }
        };
        Ok(Coded { name: variable.label.clone(), coding })
    }

    /// The columns as they are written in the formula.
    pub fn columns(&self) -> Vec<&str> {
        match &self.coding {
            Coding::Number(column) | Coding::Levels { column, .. } => vec![column],
            Coding::Arithmetic(learned) | Coding::Basis(learned, _) => learned.columns(),
        }
    }

    fn values(&self, frame: &Frame) -> Result<Values, IoError> {
        Ok(match &self.coding {
            Coding::Number(column) => Values::Numbers(frame.numbers(column)?),
            Coding::Arithmetic(learned) => Values::Numbers(learned.values(frame)?),
            Coding::Basis(learned, basis) => {
                let values = learned.finite_values(frame)?;
                self.check_range(frame, basis, &values)?;
                Values::Columns(basis.values(values.into_iter()))
            }
            Coding::Levels { column, are_numbers, levels, .. } => {
                let codes = levels::codes(frame, frame.find(column)?, (&self.name, *are_numbers, levels))?;
                Values::Levels(codes, levels.len() - 1)
            }
        })
    }

    /// The derivatives of the variable, if it depends on a column of the table.
    fn slopes(&self, frame: &Frame, place: usize) -> Result<Option<Values>, IoError> {
        let uses = |column: &&str| frame.find(column).is_ok_and(|found| found == place);
        if !self.columns().iter().any(uses) {
            return Ok(None);
        }
        Ok(Some(match &self.coding {
            Coding::Number(_) => Values::Numbers(vec![1.0; frame.len()]),
            Coding::Arithmetic(learned) => {
                let slopes = learned.slopes(frame, place)?;
                Values::Numbers(slopes.into_iter().map(|(_, slope)| slope).collect())
            }
            Coding::Basis(learned, basis) => {
                Values::Columns(basis.slopes(learned.slopes(frame, place)?.into_iter()))
            }
            Coding::Levels { .. } => {
                return Err(IoError::NoDerivative { column: shown(&self.name) });
            }
        }))
    }

    fn check_range(&self, frame: &Frame, basis: &Basis, values: &[f64]) -> Result<(), IoError> {
        let Basis::Spline(spline) = basis else { return Ok(()) };
        let Some((low, high)) = spline.range() else { return Ok(()) };
        match values.iter().position(|value| !(low..=high).contains(value)) {
            None => Ok(()),
            Some(row) => Err(IoError::BeyondSpline {
                path: frame.path().to_string(),
                place: frame.place(row),
                term: shown(&self.name),
                value: values[row],
                low,
                high,
            }),
        }
    }
}

impl Basis {
    fn new(wanted: &formula::Basis, values: &[f64], name: &str) -> Result<Basis, String> {
        Ok(match wanted {
            formula::Basis::Polynomial { degree, is_raw: true } => {
                Basis::Polynomial(Polynomial::raw(*degree))
            }
            formula::Basis::Polynomial { degree, .. } => {
                let found = Polynomial::orthogonal(values, *degree).map_err(|distinct| {
                    format!(
                        "a polynomial of degree {degree} needs more than {degree} different values of {name}, \
                         which has {distinct}; lower the degree"
                    )
                })?;
                Basis::Polynomial(found)
            }
            formula::Basis::Spline(spline) => Basis::Spline(SplineBasis::new(spline, values, name)?),
        })
    }

    fn columns(&self) -> usize {
        match self {
            Basis::Polynomial(polynomial) => polynomial.columns(),
            Basis::Spline(spline) => spline.columns(),
        }
    }

    /// The columns at a value, and their derivatives.
    fn at(&self, value: f64) -> (Vec<f64>, Vec<f64>) {
        match self {
            Basis::Polynomial(polynomial) => polynomial.at(value),
            Basis::Spline(spline) => spline.at(value),
        }
    }

    fn values(&self, values: impl ExactSizeIterator<Item = f64>) -> Vec<Vec<f64>> {
        self.transposed(values.map(|value| self.at(value).0))
    }

    /// From values and derivatives of what the basis is made of.
    fn slopes(&self, values: impl ExactSizeIterator<Item = (f64, f64)>) -> Vec<Vec<f64>> {
        let row = |(value, slope): (f64, f64)| self.at(value).1.into_iter().map(|own| own * slope).collect();
        self.transposed(values.map(row))
    }

    fn transposed(&self, rows: impl ExactSizeIterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
        let mut columns = vec![Vec::with_capacity(rows.len()); self.columns()];
        for row in rows {
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        columns
    }
}
