use super::NESTING_LIMIT;
use super::error::{Fault, suggestion};
use super::operation::{Binary, Call, FUNCTIONS, Unary};
use super::program::Program;
use super::token::{Refusal, Token, Tokens};
use super::verbatim::Verbatim;

/// A Pratt parser that writes the program while it reads: each operand is complete before its operator is
/// written.
pub(super) struct Parser<'a, S> {
    tokens: Tokens,
    names: &'a [S],
    program: Program,
    /// The next token, its first character, and the one after its last.
    token: Token,
    start: usize,
    end: usize,
    /// The first character of the previous token, and the one after its last.
    before: (usize, usize),
    depth: usize,
}

/// The precedence of a sign: lower than that of a power, higher than that of a product.
const SIGN_BINDING: u8 = 5;

/// An operator between two values, and its binding powers to the left and right.
fn infix(token: &Token) -> Option<(Binary, u8, u8)> {
    Some(match token {
        Token::Plus => (Binary::Add, 1, 2),
        Token::Minus => (Binary::Subtract, 1, 2),
        Token::Times => (Binary::Multiply, 3, 4),
        Token::Over => (Binary::Divide, 3, 4),
        Token::Power => (Binary::Power, 8, 7),
        _ => return None,
    })
}

impl<'a, S: AsRef<str>> Parser<'a, S> {
    /// The program of a whole formula.
    pub(super) fn read(text: &str, names: &'a [S], verbatim: Verbatim) -> Result<Program, Refusal> {
        let mut parser = Parser {
            tokens: Tokens::new(text, verbatim),
            names,
            program: Program::default(),
            token: Token::End,
            start: 0,
            end: 0,
            before: (0, 0),
            depth: 0,
        };
        parser.advance()?;
        if parser.token == Token::End {
            return Err((0, Fault::Empty));
        }
        parser.expression(0)?;
        match parser.token {
            Token::End => Ok(parser.program),
            Token::Close => Err(parser.unexpected("no parenthesis is open here")),
            _ => Err(parser.unexpected("commas stand between the arguments of a function")),
        }
    }

    fn advance(&mut self) -> Result<Token, Refusal> {
        let (token, start, end) = self.tokens.advance()?;
        self.before = (self.start, self.end);
        (self.start, self.end) = (start, end);
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn unexpected(&self, hint: &'static str) -> Refusal {
        if self.token == Token::End {
            return (self.start, Fault::UnexpectedEnd);
        }
        (self.start, Fault::Unexpected { found: self.tokens.between(self.start, self.end), hint })
    }

    /// Parses a value and all operators after it that bind at least as tightly as `binding`.
    fn expression(&mut self, binding: u8) -> Result<(), Refusal> {
        self.depth += 1;
        if self.depth > NESTING_LIMIT {
            return Err((self.start, Fault::TooDeep));
        }
        self.operand()?;
        loop {
            if matches!(self.token, Token::Number(_) | Token::Name(_) | Token::Quoted(_) | Token::Open) {
                let left = super::error::shown(&self.tokens.between(self.before.0, self.before.1));
                let right = super::error::shown(&self.tokens.between(self.start, self.end));
                return Err((self.start, Fault::MissingOperator { left, right }));
            }
            match infix(&self.token) {
                Some((operation, left, right)) if left >= binding => {
                    self.advance()?;
                    self.expression(right)?;
                    self.program.binary(operation);
                }
                _ => break,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Refusal> {
        let start = self.start;
        let hint = "a number, a name or a parenthesis is expected here";
        if !matches!(
            self.token,
            Token::Number(_) | Token::Name(_) | Token::Quoted(_) | Token::Plus | Token::Minus | Token::Open
        ) {
            return Err(self.unexpected(hint));
        }
        match self.advance()? {
            Token::Number(value) => self.program.constant(value),
            Token::Name(name) => return self.name(name, start),
            Token::Quoted(name) => match self.variable(&name) {
                Some(variable) => self.program.variable(variable),
                None => return Err(self.unknown(name, start)),
            },
            Token::Plus => self.expression(SIGN_BINDING)?,
            Token::Minus => {
                self.expression(SIGN_BINDING)?;
                self.program.unary(Unary::Negate);
            }
            _ => {
                self.expression(0)?;
                self.close(start, "a parenthesis should be closed here")?;
            }
        }
        Ok(())
    }

    /// Consumes the parenthesis that closes the one opened at `open`.
    fn close(&mut self, open: usize, hint: &'static str) -> Result<(), Refusal> {
        match self.token {
            Token::Close => self.advance().map(|_| ()),
            Token::End => Err((open, Fault::MissingParenthesis)),
            _ => Err(self.unexpected(hint)),
        }
    }

    fn variable(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known.as_ref() == name)
    }

    fn unknown(&self, name: String, start: usize) -> Refusal {
        let hint = suggestion(&name, self.names.iter().map(AsRef::as_ref));
        (start, Fault::UnknownName { name, hint })
    }

    /// A variable, a constant, or a function with its arguments.
    fn name(&mut self, name: String, start: usize) -> Result<(), Refusal> {
        let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
        let variable = self.variable(&name);
        if self.token == Token::Open && (function.is_some() || variable.is_none()) {
            let Some((name, call)) = function else {
                let hint = match name.as_str() {
                    "ln" => "the natural logarithm is log".to_string(),
                    _ => suggestion(&name, FUNCTIONS.iter().map(|(known, _)| *known)),
                };
                return Err((start, Fault::UnknownFunction { name, hint }));
            };
            return self.call(name, *call, start);
        }
        match (variable, name.as_str()) {
            (Some(variable), _) => self.program.variable(variable),
            (None, "pi") => self.program.constant(std::f64::consts::PI),
            (None, "e") => self.program.constant(std::f64::consts::E),
            (None, _) => {
                return Err(match function {
                    Some((name, _)) => (start, Fault::BareFunction { name }),
                    None => self.unknown(name, start),
                });
            }
        }
        Ok(())
    }

    fn call(&mut self, name: &'static str, call: Call, start: usize) -> Result<(), Refusal> {
        let open = self.start;
        self.advance()?;
        let mut found = 0;
        while self.token != Token::Close {
            if found > 0 {
                self.advance()?;
            }
            self.expression(0)?;
            found += 1;
            if let (Call::Two(operation) | Call::Many(operation), 2..) = (call, found) {
                self.program.binary(operation);
            }
            if self.token != Token::Comma {
                break;
            }
        }
        self.close(open, "the arguments should end here")?;
        let expected = match call {
            Call::One(operation) if found == 1 => {
                self.program.unary(operation);
                return Ok(());
            }
            Call::Two(_) if found == 2 => return Ok(()),
            Call::Many(_) if found >= 2 => return Ok(()),
            Call::One(_) => "one argument",
            Call::Two(_) => "two arguments",
            Call::Many(_) => "two or more arguments",
        };
        Err((start, Fault::WrongArguments { name, expected, found }))
    }
}
