//! Calls as factors: categories, bases of functions, arithmetic.

use steinbound::expression;

use super::arithmetic::function;
use super::parser::Parser;
use super::{Coding, Contrast, Form, Numeric, Spot, Wrap};
use crate::error::IoError;
use crate::names::unknown;

/// The largest degree of polynomials and splines.
const HIGHEST_DEGREE: usize = 25;

/// The largest number of columns or knots of a spline.
const MOST_KNOTS: usize = 200;

/// Several columns made of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Basis {
    Polynomial { degree: usize, is_raw: bool },
    Spline(Spline),
}

/// Piecewise polynomials.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spline {
    /// Linear beyond the boundary.
    pub is_natural: bool,
    pub degree: usize,
    pub columns: Option<usize>,
    pub knots: Vec<f64>,
    /// The lower and the upper end, else those of the data.
    pub ends: [Option<f64>; 2],
    /// Whether the columns span the constants, too.
    pub has_intercept: bool,
}

impl Basis {
    /// The name of the term; its columns are numbered after it.
    pub fn label(&self, of: &str) -> String {
        let mut settings = Vec::new();
        let name = match self {
            Basis::Polynomial { degree, is_raw } => {
                settings.push(degree.to_string());
                settings.extend(is_raw.then(|| "raw=TRUE".to_string()));
                "poly"
            }
            Basis::Spline(spline) => {
                settings.extend(spline.columns.map(|count| format!("df={count}")));
                if !spline.knots.is_empty() {
                    let knots: Vec<String> = spline.knots.iter().map(f64::to_string).collect();
                    settings.push(format!("knots=[{}]", knots.join(", ")));
                }
                let has_degree = !spline.is_natural && spline.degree != 3;
                settings.extend(has_degree.then(|| format!("degree={}", spline.degree)));
                settings.extend(spline.has_intercept.then(|| "intercept=TRUE".to_string()));
                for (end, name) in spline.ends.iter().zip(["lower_bound", "upper_bound"]) {
                    settings.extend(end.map(|end| format!("{name}={end}")));
                }
                if spline.is_natural { "ns" } else { "bs" }
            }
        };
        let settings: String = settings.iter().map(|setting| format!(", {setting}")).collect();
        format!("{name}({of}{settings})")
    }
}

/// A setting's value.
enum Value {
    Number(f64),
    Truth(bool),
    List(Vec<f64>),
}

/// What is said about a function that there is not.
pub(super) fn unknown_function(name: &str, is_inside: bool) -> String {
    const OWN: [&str; 9] = ["C", "factor", "I", "poly", "bs", "ns", "center", "scale", "standardize"];
    match name {
        "offset" => "offset( ) is not known; put the response less the offset into a column".into(),
        "ln" => "unknown function \"ln\"; the natural logarithm is log".into(),
        "cr" | "cs" | "cc" | "te" | "s" | "ti" => {
            format!("{name}( ) is not known; natural cubic splines are ns(column, df=5), B-splines are bs")
        }
        "cut" | "ifelse" | "round" | "floor" | "ceiling" | "lag" | "diff" | "rank" | "as.numeric" => {
            format!("{name}( ) is not known; put its values into a column")
        }
        "poly" | "bs" | "ns" | "C" | "factor" if is_inside => {
            format!("{name}( ) makes several columns; make it a term by itself")
        }
        _ => {
            let known: Vec<&str> = OWN.into_iter().chain(expression::functions()).collect();
            unknown("function", name, &known)
        }
    }
}

/// How a function is called, if there is one of this name.
pub(super) fn hint(name: &str) -> Option<String> {
    match name {
        "C" | "factor" | "I" | "center" | "scale" | "standardize" => Some(format!("{name}(column)")),
        "poly" => Some("poly(column, 2)".into()),
        "bs" | "ns" => Some(format!("{name}(column, df=5)")),
        _ => function(name).map(|name| format!("{name}(column)")),
    }
}

impl Parser<'_> {
    /// Parses what follows the name of a function.
    pub(super) fn call(&mut self, name: Spot) -> Result<Form, IoError> {
        let numeric = |of, wrap| Form::Numeric(Numeric { of, wrap });
        match name.name.as_str() {
            "C" | "factor" | "as.factor" => {
                self.eat('(');
                self.category()
            }
            "I" => {
                self.eat('(');
                let of = self.arithmetic(false, "I(column^2)")?;
                self.expect(')', "I(column^2)")?;
                Ok(numeric(of, Wrap::Identity))
            }
            basis @ ("poly" | "bs" | "ns") => {
                let form = if basis == "poly" { "poly(column, 2)" } else { "bs(column, df=5)" };
                self.eat('(');
                let of = self.arithmetic(false, form)?;
                let basis =
                    if basis == "poly" { self.polynomial(form)? } else { self.spline(basis == "ns", form)? };
                self.expect(')', form)?;
                Ok(numeric(of, Wrap::Basis(basis)))
            }
            "center" | "scale" | "standardize" => self.arithmetic_call(&name),
            known if function(known).is_some() => self.arithmetic_call(&name),
            other => self.fail(name.at, unknown_function(other, false)),
        }
    }

    fn arithmetic_call(&mut self, name: &Spot) -> Result<Form, IoError> {
        self.at = name.at;
        let of = self.arithmetic(true, &format!("{}(column)", name.name))?;
        Ok(Form::Numeric(Numeric { of, wrap: Wrap::Nothing }))
    }

    /// The settings after the first argument; those without a name are called by their place.
    fn settings(&mut self, form: &str, known: &[&str]) -> Result<Vec<(Spot, Value)>, IoError> {
        let mut settings: Vec<(Spot, Value)> = Vec::new();
        while self.eat(',') {
            let at = self.place();
            let word = self.word();
            let name = match word {
                Some(word) if self.peek() == Some('=') => {
                    self.eat('=');
                    word
                }
                _ => {
                    self.at = at;
                    Spot { name: known[0].to_string(), at }
                }
            };
            if !known.contains(&name.name.as_str()) {
                return self.fail(name.at, unknown("setting", &name.name, known));
            }
            if settings.iter().any(|(other, _)| other.name == name.name) {
                let (setting, other) = (name.name, known.get(1).copied().unwrap_or(known[0]));
                return self.fail(at, format!("{setting} is given twice; name settings, such as {other}=.."));
            }
            let value = self.setting(form)?;
            settings.push((name, value));
        }
        Ok(settings)
    }

    fn setting(&mut self, form: &str) -> Result<Value, IoError> {
        let at = self.place();
        if let Some(word) = self.word() {
            match word.name.as_str() {
                "TRUE" | "True" | "T" => return Ok(Value::Truth(true)),
                "FALSE" | "False" | "F" => return Ok(Value::Truth(false)),
                "c" if self.peek() == Some('(') => {}
                _ => return self.fail(at, format!("a value is expected here; write it as {form}")),
            }
        }
        let close = match self.peek() {
            Some('(') => ')',
            Some('[') => ']',
            _ => return Ok(Value::Number(self.finite(form)?)),
        };
        self.at += 1;
        let mut list = Vec::new();
        while !self.eat(close) {
            if !list.is_empty() {
                self.expect(',', "[1, 2]")?;
                if self.eat(close) {
                    break;
                }
            }
            list.push(self.finite("[1, 2]")?);
            if list.len() > MOST_KNOTS {
                return self.fail(at, format!("the list has more than {MOST_KNOTS} numbers; use fewer"));
            }
        }
        Ok(Value::List(list))
    }

    fn finite(&mut self, form: &str) -> Result<f64, IoError> {
        let at = self.place();
        let sign = self.run(|c| c == '-' || c == '+').to_string();
        let mut digits = self.run(|c| c.is_alphanumeric() || c == '.').to_string();
        if digits.ends_with(['e', 'E']) && self.rest().starts_with(['-', '+']) {
            digits.push_str(&self.rest()[..1]);
            self.at += 1;
            digits.push_str(self.run(|c| c.is_ascii_digit()));
        }
        match format!("{sign}{digits}").parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => self.fail(at, format!("a number is expected here; write it as {form}")),
        }
    }

    /// A whole number between two others.
    fn whole(&self, (name, value): &(Spot, Value), range: (usize, usize)) -> Result<usize, IoError> {
        match value {
            Value::Number(value)
                if value.fract() == 0.0 && (range.0 as f64..=range.1 as f64).contains(value) =>
            {
                Ok(*value as usize)
            }
            _ => {
                let reason = format!("{} is a whole number from {} to {}", name.name, range.0, range.1);
                self.fail(name.at, reason)
            }
        }
    }

    fn truth(&self, (name, value): &(Spot, Value)) -> Result<bool, IoError> {
        match value {
            Value::Truth(truth) => Ok(*truth),
            _ => self.fail(name.at, format!("{} is TRUE or FALSE", name.name)),
        }
    }

    fn polynomial(&mut self, form: &str) -> Result<Basis, IoError> {
        let (mut degree, mut is_raw) = (1, false);
        for setting in self.settings(form, &["degree", "raw"])? {
            match setting.0.name.as_str() {
                "degree" => degree = self.whole(&setting, (1, HIGHEST_DEGREE))?,
                _ => is_raw = self.truth(&setting)?,
            }
        }
        Ok(Basis::Polynomial { degree, is_raw })
    }

    fn spline(&mut self, is_natural: bool, form: &str) -> Result<Basis, IoError> {
        const OF_BOTH: [&str; 7] =
            ["df", "knots", "intercept", "include_intercept", "Boundary.knots", "lower_bound", "upper_bound"];
        let mut known = OF_BOTH.to_vec();
        known.extend((!is_natural).then_some("degree"));
        let mut spline = Spline {
            is_natural,
            degree: 3,
            columns: None,
            knots: Vec::new(),
            ends: [None, None],
            has_intercept: false,
        };
        let settings = self.settings(form, &known)?;
        for setting in &settings {
            let (name, value) = setting;
            match (name.name.as_str(), value) {
                ("df", _) => spline.columns = Some(self.whole(setting, (1, MOST_KNOTS))?),
                ("degree", _) => spline.degree = self.whole(setting, (1, HIGHEST_DEGREE))?,
                ("knots", Value::List(list)) => spline.knots.clone_from(list),
                ("knots", Value::Number(knot)) => spline.knots = vec![*knot],
                ("lower_bound", Value::Number(end)) => spline.ends[0] = Some(*end),
                ("upper_bound", Value::Number(end)) => spline.ends[1] = Some(*end),
                ("Boundary.knots", Value::List(list)) if list.len() == 2 => {
                    spline.ends = [Some(list[0]), Some(list[1])];
                }
                ("intercept" | "include_intercept", _) => spline.has_intercept = self.truth(setting)?,
                ("Boundary.knots", _) => return self.fail(name.at, "Boundary.knots are two numbers"),
                (other, _) => {
                    let kind = if other == "knots" { "a list of numbers" } else { "a number" };
                    return self.fail(name.at, format!("{other} is {kind}"));
                }
            }
        }
        let at =
            |wanted: &str| settings.iter().find(|(name, _)| name.name == wanted).map(|(name, _)| name.at);
        if let (Some(_), Some(at)) = (at("df"), at("knots")) {
            return self.fail(at, "df and knots say the same; give one of them");
        }
        if let [Some(low), Some(high)] = spline.ends
            && low >= high
        {
            let at = at("Boundary.knots").or(at("upper_bound")).unwrap_or(self.at);
            return self.fail(at, "the upper end of the spline is not above the lower one; exchange them");
        }
        spline.knots.sort_by(f64::total_cmp);
        Ok(Basis::Spline(spline))
    }

    /// The arguments of `C( )`.
    fn category(&mut self) -> Result<Form, IoError> {
        const FORM: &str = "C(column, base=level)";
        let Some(column) = self.name()? else {
            return self.fail(self.at, format!("the name of a column is expected here; write it as {FORM}"));
        };
        let mut coding = Coding::default();
        if self.eat(',') {
            let at = self.place();
            let word = self.run(super::parser::is_name_part);
            coding = match word {
                "base" => {
                    self.expect('=', FORM)?;
                    Coding { contrast: None, base: Some(self.level(FORM)?) }
                }
                "Treatment" | "contr.treatment" => {
                    Coding { contrast: Some(Contrast::Treatment), base: self.reference()? }
                }
                "Sum" | "contr.sum" => {
                    if self.eat('(') {
                        self.expect(')', "C(column, Sum)")?;
                    }
                    Coding { contrast: Some(Contrast::Sum), base: None }
                }
                _ => {
                    let reason = "only base=, Treatment(..) or Sum may follow the column";
                    return self.fail(at, format!("{reason}; write it as {FORM}"));
                }
            };
        }
        self.expect(')', FORM)?;
        Ok(Form::Category(column, coding))
    }

    /// The level in `("level")` or `(reference="level")`, if any.
    fn reference(&mut self) -> Result<Option<Spot>, IoError> {
        const FORM: &str = "C(column, Treatment(reference=\"level\"))";
        if !self.eat('(') {
            return Ok(None);
        }
        if self.eat(')') {
            return Ok(None);
        }
        let at = self.place();
        let word = self.run(super::parser::is_name_part);
        if !(matches!(word, "reference" | "base") && self.eat('=')) {
            self.at = at;
        }
        let level = self.level(FORM)?;
        self.expect(')', FORM)?;
        Ok(Some(level))
    }

    /// A level, plain or in quotes.
    fn level(&mut self, form: &str) -> Result<Spot, IoError> {
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
