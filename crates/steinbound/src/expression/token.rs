use super::error::Fault;
use super::verbatim::Verbatim;

/// A word or sign of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// A name between backticks, which can only be a variable.
    Quoted(String),
    Plus,
    Minus,
    Times,
    Over,
    Power,
    Open,
    Close,
    Comma,
    End,
}

/// Cuts a formula into tokens, one at a time.
pub(super) struct Tokens {
    characters: Vec<char>,
    next: usize,
    verbatim: Verbatim,
}

/// A position and a fault.
pub(super) type Refusal = (usize, Fault);

impl Tokens {
    pub(super) fn new(text: &str, verbatim: Verbatim) -> Tokens {
        Tokens { characters: text.chars().collect(), next: 0, verbatim }
    }

    /// The text between two positions.
    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.characters[start.min(end)..end.min(self.characters.len())].iter().collect()
    }

    fn peek(&self, ahead: usize) -> char {
        self.characters.get(self.next + ahead).copied().unwrap_or('\0')
    }

    /// The next token, its first character, and the one after its last.
    pub(super) fn advance(&mut self) -> Result<(Token, usize, usize), Refusal> {
        while self.peek(0).is_whitespace() {
            self.next += 1;
        }
        let start = self.next;
        if start >= self.characters.len() {
            return Ok((Token::End, start, start));
        }
        let first = self.peek(0);
        let token = if let Some(length) = self.verbatim.length_at(&self.characters, start) {
            self.next += length;
            Token::Quoted(self.between(start, self.next))
        } else if first.is_ascii_digit() || (first == '.' && self.peek(1).is_ascii_digit()) {
            self.number(start)?
        } else if first.is_alphabetic() || first == '_' {
            while is_name_part(self.peek(0)) {
                self.next += 1;
            }
            self.next = self.verbatim.end_of_brackets(&self.characters, self.next);
            Token::Name(self.between(start, self.next))
        } else if first == '`' {
            self.quoted(start)?
        } else {
            self.next += 1;
            match first {
                '+' => Token::Plus,
                '-' => Token::Minus,
                '*' if self.peek(0) == '*' => {
                    self.next += 1;
                    Token::Power
                }
                '*' => Token::Times,
                '/' => Token::Over,
                '^' => Token::Power,
                '(' => Token::Open,
                ')' => Token::Close,
                ',' => Token::Comma,
                other => return Err((start, unexpected(other))),
            }
        };
        Ok((token, start, self.next))
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.next += 1;
        }
    }

    fn number(&mut self, start: usize) -> Result<Token, Refusal> {
        self.digits();
        if self.peek(0) == '.' {
            self.next += 1;
            self.digits();
        }
        if matches!(self.peek(0), 'e' | 'E') {
            let sign = usize::from(matches!(self.peek(1), '+' | '-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.next += 1 + sign;
                self.digits();
            } else if sign == 1 {
                return Err((start, Fault::BadNumber { number: self.between(start, self.next + 2) }));
            }
        }
        if self.peek(0) == '.' {
            while is_name_part(self.peek(0)) {
                self.next += 1;
            }
        }
        let number = self.between(start, self.next);
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Number(value)),
            _ => Err((start, Fault::BadNumber { number })),
        }
    }

    fn quoted(&mut self, start: usize) -> Result<Token, Refusal> {
        let rest = self.characters.iter().skip(start + 1);
        let length = rest.clone().position(|c| *c == '`').ok_or((start, Fault::MissingBacktick))?;
        self.next = start + length + 2;
        Ok(Token::Quoted(rest.take(length).collect()))
    }
}

pub(super) fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.')
}

fn unexpected(found: char) -> Fault {
    let hint = match found {
        '<' | '>' | '=' | '≤' | '≥' => {
            "a formula is not a comparison: bring everything to one side and leave the sign out"
        }
        '−' | '–' => "write - to subtract",
        '×' | '·' => "write * to multiply",
        '÷' => "write / to divide",
        '[' | ']' | '{' | '}' => "use round parentheses",
        '"' | '\'' => "write unusual names between backticks",
        _ => "formulas are made of numbers, names, + - * / ^ and parentheses",
    };
    Fault::Unexpected { found: found.to_string(), hint }
}
