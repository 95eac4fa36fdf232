use super::linear::Linear;
use super::operation::{Binary, Number, Unary};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Constant(f64),
    Variable(usize),
    Unary(Unary),
    Binary(Binary),
}

/// A formula in postfix order, with its constant parts computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Program {
    steps: Vec<Step>,
    /// The number of values held at this step, and the largest so far.
    held: usize,
    depth: usize,
}

/// The size of the small stack, which suffices for nearly all formulas.
const SHALLOW: usize = 12;

/// The size of the large stack; each level of nesting holds at most one more value.
const DEEP: usize = super::NESTING_LIMIT + 2;

impl Program {
    pub(super) fn constant(&mut self, value: f64) {
        self.push(Step::Constant(value));
    }

    pub(super) fn variable(&mut self, variable: usize) {
        self.push(Step::Variable(variable));
    }

    fn push(&mut self, step: Step) {
        self.steps.push(step);
        self.held += 1;
        self.depth = self.depth.max(self.held);
    }

    pub(super) fn unary(&mut self, operation: Unary) {
        match self.steps.last_mut() {
            Some(Step::Constant(value)) => *value = operation.apply(*value),
            _ => self.steps.push(Step::Unary(operation)),
        }
    }

    pub(super) fn binary(&mut self, operation: Binary) {
        self.held -= 1;
        // Constants are folded, so a constant operand is a single step.
        match *self.steps.as_slice() {
            [.., Step::Constant(a), Step::Constant(b)] => {
                self.steps.truncate(self.steps.len() - 2);
                self.steps.push(Step::Constant(operation.apply(a, b)));
            }
            [.., Step::Constant(exponent)] if operation == Binary::Power => {
                self.steps.pop();
                self.steps.push(Step::Unary(Unary::power(exponent)));
            }
            _ => self.steps.push(Step::Binary(operation)),
        }
    }

    pub(super) fn uses(&self, variable: usize) -> bool {
        self.steps.contains(&Step::Variable(variable))
    }

    /// The variables that are used, in order, and the same program in them alone.
    pub(super) fn compact(&self) -> (Vec<usize>, Program) {
        let mut used: Vec<usize> = self
            .steps
            .iter()
            .filter_map(|step| if let Step::Variable(variable) = step { Some(*variable) } else { None })
            .collect();
        used.sort_unstable();
        used.dedup();
        let program = self.renumbered(|variable| used.partition_point(|known| *known < variable));
        (used, program)
    }

    /// The same program with its variables numbered anew.
    pub(super) fn renumbered(&self, number: impl Fn(usize) -> usize) -> Program {
        let mut program = self.clone();
        for step in &mut program.steps {
            if let Step::Variable(variable) = step {
                *variable = number(*variable);
            }
        }
        program
    }

    /// The program as a linear form in this number of variables, if it is one.
    pub(super) fn linear(&self, variables: usize) -> Option<Linear> {
        let mut stack: Vec<Linear> = Vec::new();
        for step in &self.steps {
            let value = match *step {
                Step::Constant(value) => Linear::constant(value, variables),
                Step::Variable(variable) => Linear::variable(variable, variables),
                Step::Unary(operation) => stack.pop()?.unary(operation)?,
                Step::Binary(operation) => {
                    let right = stack.pop()?;
                    stack.pop()?.binary(operation, &right)?
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    pub(super) fn run<D: Number>(&self, values: &[D]) -> D {
        if self.depth <= SHALLOW {
            self.run_on(values, &mut [D::from(0.0); SHALLOW])
        } else {
            self.run_on(values, &mut [D::from(0.0); DEEP])
        }
    }

    fn run_on<D: Number>(&self, values: &[D], stack: &mut [D]) -> D {
        let mut held = 0;
        for step in &self.steps {
            match *step {
                Step::Constant(value) => {
                    stack[held] = D::from(value);
                    held += 1;
                }
                Step::Variable(variable) => {
                    stack[held] = values.get(variable).copied().unwrap_or_else(|| D::from(f64::NAN));
                    held += 1;
                }
                Step::Unary(operation) => stack[held - 1] = operation.apply(stack[held - 1]),
                Step::Binary(operation) => {
                    held -= 1;
                    stack[held - 1] = operation.apply(stack[held - 1], stack[held]);
                }
            }
        }
        stack[0]
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::Expression;

    #[test]
    fn constant_parts_are_computed_once() {
        let steps = |text: &str| Expression::parse(text, &["x"]).unwrap().program.steps;
        let same = |a: &str, b: &str| assert_eq!(steps(a), steps(b), "{a}");
        same("x^(4/2)", "x^2");
        same("x^(1 - 2^-1)", "pow(x, sqrt(.25))");
        same("x*(2*pi)", "x*6.283185307179586");
        same("min(3, 4)*x", "3*x");
    }
}
