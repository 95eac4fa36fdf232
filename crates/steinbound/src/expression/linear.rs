//! Formulas that are linear in their variables, and equations between them.

use super::error::{ExpressionError, Fault};
use super::operation::{Binary, Unary};
use super::verbatim::Verbatim;
use super::{Expression, TEXT_LIMIT};

/// `constant + sum_k coefficients_k x_k`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linear {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) constant: f64,
}

impl Linear {
    pub(super) fn constant(value: f64, variables: usize) -> Linear {
        Linear { coefficients: vec![0.0; variables], constant: value }
    }

    pub(super) fn variable(variable: usize, variables: usize) -> Linear {
        let mut linear = Linear::constant(0.0, variables);
        linear.coefficients[variable] = 1.0;
        linear
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.coefficients.iter().all(|c| *c == 0.0)
    }

    fn combined(&self, other: &Linear, combine: impl Fn(f64, f64) -> f64) -> Linear {
        let pairs = self.coefficients.iter().zip(&other.coefficients);
        Linear {
            coefficients: pairs.map(|(a, b)| combine(*a, *b)).collect(),
            constant: combine(self.constant, other.constant),
        }
    }

    fn scaled(&self, scale: impl Fn(f64) -> f64) -> Linear {
        let coefficients = self.coefficients.iter().map(|c| scale(*c)).collect();
        Linear { coefficients, constant: scale(self.constant) }
    }

    pub(crate) fn less(&self, other: &Linear) -> Linear {
        self.combined(other, |a, b| a - b)
    }

    pub(super) fn unary(&self, operation: Unary) -> Option<Linear> {
        match operation {
            Unary::Negate => Some(self.scaled(|c| -c)),
            _ if self.is_constant() => {
                Some(Linear { constant: operation.apply(self.constant), ..self.clone() })
            }
            _ => None,
        }
    }

    pub(super) fn binary(&self, operation: Binary, other: &Linear) -> Option<Linear> {
        match operation {
            Binary::Add => Some(self.combined(other, |a, b| a + b)),
            Binary::Subtract => Some(self.less(other)),
            Binary::Multiply if self.is_constant() => Some(other.scaled(|c| self.constant * c)),
            Binary::Multiply if other.is_constant() => Some(self.scaled(|c| c * other.constant)),
            Binary::Divide if other.is_constant() => Some(self.scaled(|c| c / other.constant)),
            _ if self.is_constant() && other.is_constant() => {
                Some(Linear { constant: operation.apply(self.constant, other.constant), ..self.clone() })
            }
            _ => None,
        }
    }
}

/// Linear equations separated by commas, each as the difference of its sides, which is to be zero: a single
/// side is an equation with zero, and `a = b = c` is two equations. Names are read verbatim.
pub(crate) fn equations(text: &str, names: &[impl AsRef<str>]) -> Result<Vec<Linear>, ExpressionError> {
    let characters: Vec<char> = text.chars().take(TEXT_LIMIT + 1).collect();
    let refused = |position: usize, fault: Fault| {
        let text: String = characters.iter().take(TEXT_LIMIT).collect();
        ExpressionError { text, position, fault }
    };
    if characters.len() > TEXT_LIMIT {
        return Err(refused(TEXT_LIMIT, Fault::TooLong));
    }
    let mut list: Vec<Linear> = Vec::new();
    for equation in cut(&characters, &Verbatim::new(names)) {
        let mut sides: Vec<Linear> = Vec::new();
        for &(start, end) in &equation {
            let side: String = characters[start..end].iter().collect();
            if side.trim().is_empty() {
                let is_nothing = characters.iter().all(|c| c.is_whitespace());
                let fault = if is_nothing { Fault::NoParameter } else { Fault::UnexpectedEnd };
                return Err(refused(end, fault));
            }
            let read = Expression::parse_as_written(&side, names)
                .map_err(|error| refused(start + error.position, error.fault))?;
            let blanks = side.chars().take_while(|c| c.is_whitespace()).count();
            let linear = read.program.linear(names.len());
            sides.push(linear.ok_or_else(|| refused(start + blanks, Fault::NotLinear))?);
        }
        if sides.len() == 1 {
            sides.push(Linear::constant(0.0, names.len()));
        }
        for pair in sides.windows(2) {
            let difference = pair[0].less(&pair[1]);
            if difference.is_constant() {
                return Err(refused(equation[0].0, Fault::NoParameter));
            }
            list.push(difference);
        }
    }
    Ok(list)
}

/// The beginnings and ends of the sides of each equation.
fn cut(characters: &[char], names: &Verbatim) -> Vec<Vec<(usize, usize)>> {
    let mut equations = vec![Vec::new()];
    let (mut start, mut at, mut depth) = (0, 0, 0usize);
    while at < characters.len() {
        // A name cannot begin within a word.
        let is_fresh = at == 0 || !super::token::is_name_part(characters[at - 1]);
        if let Some(length) = names.length_at(characters, at).filter(|_| is_fresh) {
            at += length;
            continue;
        }
        let character = characters[at];
        let mut next = at + 1;
        match character {
            '`' => {
                let rest = &characters[next..];
                next += rest.iter().position(|c| *c == '`').map_or(rest.len(), |length| length + 1);
            }
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '=' | ',' if depth == 0 => {
                if let Some(sides) = equations.last_mut() {
                    sides.push((start, at));
                }
                match character {
                    ',' => equations.push(Vec::new()),
                    _ => next += usize::from(characters.get(next) == Some(&'=')),
                }
                start = next;
            }
            _ => {}
        }
        at = next;
    }
    if let Some(sides) = equations.last_mut() {
        sides.push((start, characters.len()));
    }
    equations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, names: &[&str]) -> Vec<(Vec<f64>, f64)> {
        let list = equations(text, names).unwrap_or_else(|error| panic!("{error}"));
        list.into_iter().map(|linear| (linear.coefficients, -linear.constant)).collect()
    }

    #[track_caller]
    fn refused(text: &str, names: &[&str], part: &str, position: usize) {
        let error = equations(text, names).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.position(), position, "{error}");
    }

    #[test]
    fn equations_are_brought_to_one_side() {
        let names = ["mean[x1]", "mean[x2]", "cov[x1,x2]"];
        assert_eq!(
            read("mean[x1] = 0.5, mean[x2] - 2*mean[x1] = 0", &names),
            [(vec![1.0, 0.0, 0.0], 0.5), (vec![-2.0, 1.0, 0.0], 0.0)]
        );
        assert_eq!(read("cov[x1,x2]", &names), [(vec![0.0, 0.0, 1.0], 0.0)]);
        assert_eq!(read("(mean[x1] + mean[x2])/2 == 1 + 3*2", &names), [(vec![0.5, 0.5, 0.0], 7.0)]);
        assert_eq!(
            read("mean[x1] = mean[x2] = sqrt(4)", &names),
            [(vec![1.0, -1.0, 0.0], 0.0), (vec![0.0, 1.0, 0.0], 2.0)]
        );
        assert_eq!(read("-(2 - 3*mean[x1]) = -mean[x2]*2", &names), [(vec![3.0, 2.0, 0.0], 2.0)]);
    }

    #[test]
    fn odd_names_are_read_as_they_are_written() {
        let one = |name: &str| read(&format!("2*{name} = 1"), &["a", name]);
        for name in
            ["(Intercept)", "prog2", "C(prog)[T.a b]", "I(x^2)", "a:b", "x = y", "höhe, m", "2nd", "e.1"]
        {
            assert_eq!(one(name), [(vec![0.0, 2.0], 1.0)], "{name}");
        }
        // The longest name wins; blanks separate a difference of two.
        let names = ["a", "b", "a-b"];
        assert_eq!(read("a-b", &names), [(vec![0.0, 0.0, 1.0], 0.0)]);
        assert_eq!(read("a - b", &names), [(vec![1.0, -1.0, 0.0], 0.0)]);
        // Text that reads as a number is one, unless it is between backticks.
        assert_eq!(read("2010*a", &["a", "2010"]), [(vec![2010.0, 0.0], 0.0)]);
        assert_eq!(read("`2010` = a", &["a", "2010"]), [(vec![-1.0, 1.0], 0.0)]);
        assert_eq!(read("x1 - x12", &["x1", "x12"]), [(vec![1.0, -1.0], 0.0)]);
    }

    #[test]
    fn faults_are_shown_where_they_are() {
        let names = ["mean[x1]", "mean[x2]", "sigma"];
        refused("mean[x1] = 0, meen[x2] = 0", &names, "did you mean \"mean[x2]\"?", 14);
        refused("cov[x1,x2] = 0", &names, "unknown name \"cov[x1,x2]\"", 0);
        refused("mean[x1]*mean[x2] = 0", &names, "linear", 0);
        refused("sigma = 1,  sigma^2", &names, "linear", 12);
        refused("sigma =", &names, "ends where", 7);
        refused("sigma = 1,", &names, "ends where", 10);
        refused("", &names, "no parameter", 0);
        refused("1 = 1", &names, "no parameter", 0);
        refused("sigma = sigma", &names, "no parameter", 0);
        refused("2 sigma", &names, "2*sigma", 2);
        refused("sigma < 1", &names, "comparison", 6);
        refused("mean[x1", &names, "unknown name", 0);
        refused(&"sigma + ".repeat(2000), &names, "longer", TEXT_LIMIT);
    }
}
