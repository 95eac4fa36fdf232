//! [`Design`]: the response and the columns that a formula derives from a table.

use std::collections::{BTreeSet, HashMap};

use steinbound::Matrix;
use steinbound::regression::TruncatedRegression;

use crate::error::IoError;
use crate::formula::{Formula, MOST_COLUMNS};
use crate::frame::Frame;
use crate::names::{few, nearest, shown};
use crate::records::printable;
use crate::terms::{Kind, Terms, Variable, too_many};
use crate::transform::Transform;

/// The response and the columns that explain it.
///
/// # Definition
///
/// The intercept comes first, then the terms ordered by their number of factors and otherwise as written. A
/// categorical column has one indicator for each level, in the order of the levels; the first level is the
/// base, with which the others are compared, and has no indicator unless the preceding terms do not span it.
/// In an interaction the first factor varies fastest. Levels are sorted as numbers if all are numbers, else
/// by their bytes; a chosen base comes first.
///
/// ```
/// use steinbound_io::{Formula, Frame, FrameOptions};
/// let frame = Frame::parse("f.csv", b"y,g\n1,low\n2,high\n4,high\n", &FrameOptions::default())?;
/// let design = Formula::parse("y ~ C(g, base=low)")?.design(&frame)?;
/// assert_eq!(design.names, ["(Intercept)", "g[high]"]);
/// let new = Frame::parse("new.csv", b"g\nhigh\nlow\n", &FrameOptions::default())?;
/// assert_eq!(design.apply(&new)?.to_rows(), [[1.0, 1.0], [1.0, 0.0]]);
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The values of the response.
    pub response: Vec<f64>,
    /// The name of the response.
    pub response_name: String,
    /// One row for each value of the response, one column for each name.
    pub matrix: Matrix,
    /// The names of the columns: `(Intercept)`, `x`, `log(x)`, `group[level]`, `group[level]:x`.
    pub names: Vec<String>,
    /// The rows of the frame that were kept, counted from zero.
    pub rows: Vec<usize>,
    plan: Plan,
}

/// The information needed to derive the same columns from other data.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    intercept: bool,
    variables: Vec<Coded>,
    /// Each term by its variables, and whether all levels get a column.
    terms: Vec<Vec<(usize, bool)>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Coded {
    /// The column as written in the formula.
    column: String,
    /// The name of the column in results.
    name: String,
    coding: Coding,
}

#[derive(Debug, Clone, PartialEq)]
enum Coding {
    Number,
    Transformed(Transform),
    Levels { are_numbers: bool, levels: Vec<String> },
}

/// A variable in the rows of a table.
enum Values {
    Numbers(Vec<f64>),
    Levels(Vec<usize>),
}

impl Formula {
    /// The columns of a table that the formula uses, the response first, each once.
    ///
    /// ```
    /// # use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"id,y,x\na,1,2\n", &FrameOptions::default())?;
    /// assert_eq!(Formula::parse("y ~ . - id")?.columns(&frame)?, ["y", "x"]);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn columns(&self, frame: &Frame) -> Result<Vec<String>, IoError> {
        let terms = Terms::of(self, frame)?;
        let mut seen = BTreeSet::from([terms.response]);
        let others = terms.variables.iter().filter(|variable| seen.insert(variable.place));
        Ok(std::iter::once(&self.response)
            .chain(others.map(|variable| &variable.column))
            .map(|column| column.name.clone())
            .collect())
    }

    /// The response and the columns of a table, without the rows that have a missing value if those may be
    /// dropped.
    pub fn design(&self, frame: &Frame) -> Result<Design, IoError> {
        let terms = Terms::of(self, frame)?;
        let used: Vec<usize> =
            std::iter::once(terms.response).chain(terms.variables.iter().map(|v| v.place)).collect();
        let rows = frame.complete_rows_at(&used)?;
        let kept = frame.select(&rows);
        let response_name = frame.names()[terms.response].clone();
        if !frame.is_numeric_at(terms.response) {
            let name = shown(&response_name);
            let reason = format!("the response {name} is text; it must be a column of numbers");
            return Err(self.fail(self.response.at, reason));
        }
        let coded = terms.variables.iter().map(|variable| self.coded(variable, &kept));
        let variables = coded.collect::<Result<Vec<_>, _>>()?;
        let pair = |(term, all): (&Vec<usize>, Vec<bool>)| term.iter().copied().zip(all).collect();
        let plan = Plan {
            intercept: terms.intercept,
            variables,
            terms: terms.terms.iter().zip(terms.keeps_all_levels()).map(pair).collect(),
        };
        if plan.width() > MOST_COLUMNS {
            return Err(too_many(self));
        }
        let names = plan.names();
        let response = kept.numbers_at(terms.response)?;
        let matrix = plan.matrix(&kept, &names)?;
        Ok(Design { response, response_name, matrix, names, rows, plan })
    }

    /// How a variable is turned into columns, with its levels if it is categorical.
    fn coded(&self, variable: &Variable, frame: &Frame) -> Result<Coded, IoError> {
        let name = frame.names()[variable.place].clone();
        let coding = match variable.kind {
            Kind::Number => Coding::Number,
            Kind::Transformed(transform) => Coding::Transformed(transform),
            Kind::Category => {
                let are_numbers = frame.is_numeric_at(variable.place);
                let levels = self.levels(variable, &name, labels(frame, variable.place, are_numbers)?)?;
                Coding::Levels { are_numbers, levels }
            }
        };
        Ok(Coded { column: variable.column.name.clone(), name, coding })
    }

    fn levels(&self, variable: &Variable, name: &str, labels: Vec<String>) -> Result<Vec<String>, IoError> {
        let (name, rows, at) = (shown(name), labels.len(), variable.column.at);
        let mut levels: Vec<String> = labels.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        if let [only] = levels.as_slice() {
            let only = shown(only);
            let reason =
                format!("{name} has only the level \"{only}\", which explains nothing; leave it out");
            return Err(self.fail(at, reason));
        }
        if levels.len() == rows {
            let reason = format!(
                "{name} has another level in each of the {rows} rows, like an identifier; leave it out"
            );
            return Err(self.fail(at, reason));
        }
        let numbers: Option<Vec<f64>> = levels.iter().map(|level| level.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let mut order: Vec<usize> = (0..levels.len()).collect();
            order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
            levels = order.into_iter().map(|at| levels[at].clone()).collect();
        }
        let Some(base) = &variable.base else {
            return Ok(levels);
        };
        let wanted = base.name.trim();
        let same_number = |level: &&String| match (level.parse::<f64>(), wanted.parse::<f64>()) {
            (Ok(level), Ok(wanted)) => level == wanted,
            _ => false,
        };
        let known = levels.iter().find(|level| *level == wanted);
        let Some(first) = known.or_else(|| levels.iter().find(same_number)).cloned() else {
            let near = nearest(wanted, levels.iter().map(String::as_str)).map(shown).unwrap_or_default();
            let (base_name, known) = (shown(wanted), few(levels.iter().map(String::as_str)));
            let reason = format!(
                "{name} has no level \"{base_name}\"; its levels are {known}; did you mean \"{near}\"?"
            );
            return Err(self.fail(base.at, reason));
        };
        levels.retain(|level| *level != first);
        levels.insert(0, first);
        Ok(levels)
    }
}

/// The levels of a column, row by row. Equal numbers are one level, however they are written.
fn labels(frame: &Frame, place: usize, are_numbers: bool) -> Result<Vec<String>, IoError> {
    if are_numbers {
        // Adding zero makes negative zero positive.
        return Ok(frame.numbers_at(place)?.iter().map(|value| (value + 0.0).to_string()).collect());
    }
    frame.texts_at(place)
}

impl Design {
    /// The categorical columns with their levels, of which the first is the base.
    pub fn levels(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.plan.variables.iter().filter_map(|variable| match &variable.coding {
            Coding::Levels { levels, .. } => Some((variable.name.as_str(), levels.as_slice())),
            _ => None,
        })
    }

    /// The columns of a table that [`Design::apply`] uses.
    pub fn columns(&self) -> Vec<&str> {
        self.plan.variables.iter().map(|variable| variable.column.as_str()).collect()
    }

    /// A regression of the response on the columns, without limits.
    ///
    /// ```
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,x\n1,2\n2,3\n4,3\n", &FrameOptions::default())?;
    /// let prepared = Formula::parse("y ~ x")?.design(&frame)?.regression()?.build(0)?;
    /// assert_eq!(prepared.points.names(), ["y", "x"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn regression(&self) -> Result<TruncatedRegression, IoError> {
        let skip = usize::from(self.plan.intercept);
        let covariates = &self.names[skip..];
        if let Some(name) = covariates.iter().find(|name| ["(Intercept)", "sigma"].contains(&name.as_str())) {
            return Err(IoError::ParameterName { name: name.clone() });
        }
        let regression = TruncatedRegression::new(&self.response_name, self.response.clone())
            .covariates(covariates.to_vec(), without_first(&self.matrix, skip));
        Ok(if self.plan.intercept { regression } else { regression.without_intercept() })
    }

    /// The covariates of other data, without the intercept.
    pub fn covariates_of(&self, frame: &Frame) -> Result<Matrix, IoError> {
        Ok(without_first(&self.apply(frame)?, usize::from(self.plan.intercept)))
    }

    /// The same columns for other data, which need not have the response.
    ///
    /// There is one row for each row of the frame. A missing value is an error; [`Frame::complete_rows`] of
    /// [`Design::columns`] and [`Frame::select`] remove these rows. A level that the first data did not have
    /// is an error, too.
    pub fn apply(&self, frame: &Frame) -> Result<Matrix, IoError> {
        self.plan.matrix(frame, &self.names)
    }
}

impl Plan {
    /// The number of columns of a variable within a term.
    fn size(&self, (variable, keeps_all): (usize, bool)) -> usize {
        match &self.variables[variable].coding {
            Coding::Levels { levels, .. } => levels.len() - usize::from(!keeps_all),
            _ => 1,
        }
    }

    /// The number of columns of a term.
    fn term_width(&self, term: &[(usize, bool)]) -> usize {
        term.iter().fold(1, |width: usize, factor| width.saturating_mul(self.size(*factor)))
    }

    fn width(&self) -> usize {
        let widths = self.terms.iter().map(|term| self.term_width(term));
        widths.fold(usize::from(self.intercept), usize::saturating_add)
    }

    /// For each column its variables, with the level if they are categorical.
    fn columns(&self) -> Vec<Vec<(usize, usize)>> {
        let mut columns = Vec::with_capacity(self.width());
        columns.extend(self.intercept.then(Vec::new));
        for term in &self.terms {
            for mut at in 0..self.term_width(term) {
                let mut pick = |factor: &(usize, bool)| {
                    let (size, first) = (self.size(*factor), usize::from(!factor.1));
                    let level = at % size + first;
                    at /= size;
                    (factor.0, level)
                };
                columns.push(term.iter().map(&mut pick).collect());
            }
        }
        columns
    }

    fn names(&self) -> Vec<String> {
        let factor = |(variable, level): &(usize, usize)| {
            let Coded { name, coding, .. } = &self.variables[*variable];
            match coding {
                Coding::Number => name.clone(),
                Coding::Transformed(transform) => transform.label(name),
                Coding::Levels { levels, .. } => format!("{name}[{}]", printable(&levels[*level])),
            }
        };
        let column = |factors: Vec<(usize, usize)>| match factors.as_slice() {
            [] => "(Intercept)".to_string(),
            factors => factors.iter().map(factor).collect::<Vec<_>>().join(":"),
        };
        self.columns().into_iter().map(column).collect()
    }

    fn matrix(&self, frame: &Frame, names: &[String]) -> Result<Matrix, IoError> {
        let values = self.variables.iter().map(|variable| variable.values(frame));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let mut matrix = Matrix::zeros(frame.len(), self.width());
        for (j, factors) in self.columns().into_iter().enumerate() {
            for (i, cell) in matrix.column_mut(j).iter_mut().enumerate() {
                let factor = |(variable, level): &(usize, usize)| match &values[*variable] {
                    Values::Numbers(numbers) => numbers[i],
                    Values::Levels(codes) => f64::from(u8::from(codes[i] == *level)),
                };
                *cell = factors.iter().map(factor).product();
                if !cell.is_finite() {
                    return Err(IoError::NotFiniteTerm {
                        path: frame.path().to_string(),
                        place: frame.place(i),
                        term: shown(&names[j]),
                        value: *cell,
                    });
                }
            }
        }
        Ok(matrix)
    }
}

impl Coded {
    fn values(&self, frame: &Frame) -> Result<Values, IoError> {
        let place = frame.find(&self.column)?;
        let (are_numbers, levels) = match &self.coding {
            Coding::Number => return Ok(Values::Numbers(frame.numbers_at(place)?)),
            Coding::Transformed(function) => {
                return Ok(Values::Numbers(function.apply(&frame.numbers_at(place)?)));
            }
            Coding::Levels { are_numbers, levels } => (*are_numbers, levels),
        };
        let codes: HashMap<&str, usize> =
            levels.iter().enumerate().map(|(at, level)| (level.as_str(), at)).collect();
        let code = |(row, label): (usize, String)| {
            codes.get(label.as_str()).copied().ok_or_else(|| IoError::UnknownLevel {
                path: frame.path().to_string(),
                place: frame.place(row),
                column: shown(&self.name),
                level: shown(&label),
                known: few(levels.iter().map(String::as_str)),
            })
        };
        let labels = labels(frame, place, are_numbers)?;
        Ok(Values::Levels(labels.into_iter().enumerate().map(code).collect::<Result<_, _>>()?))
    }
}

/// A matrix without its first columns.
fn without_first(matrix: &Matrix, skip: usize) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns() - skip, |i, j| matrix[(i, j + skip)])
}
