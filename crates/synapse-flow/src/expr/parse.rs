//! From text to expressions. An error says where in the text, in bytes.

use serde_json::Value;

use super::{Expr, FUNCTIONS, Function, Operator, Path, Segment};

/// Deeper nesting is nobody's condition.
const DEEPEST: usize = 32;

/// Why a text is no expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// Reads one expression.
pub(crate) fn parse(text: &str) -> Result<Expr, SyntaxError> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
    };
    let expr = parser.or()?;
    parser.blank();
    if parser.at < text.len() {
        return Err(parser.error(format!("'{}' was not expected here", parser.word())));
    }
    Ok(expr)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn or(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.and()?;
        while self.take("||") || self.take_word("or") {
            left = Expr::Binary(Operator::Or, Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.comparison()?;
        while self.take("&&") || self.take_word("and") {
            left = Expr::Binary(Operator::And, Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expr, SyntaxError> {
        let left = self.unary()?;
        let signs = [
            ("==", Operator::Equal),
            ("!=", Operator::Unequal),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let found = signs.into_iter().find(|(sign, _)| self.take(sign));
        let operator = found.map(|(_, operator)| operator);
        let operator = operator.or_else(|| self.take_word("in").then_some(Operator::In));
        match operator {
            None => Ok(left),
            Some(operator) => {
                let right = self.unary()?;
                Ok(Expr::Binary(operator, Box::new(left), Box::new(right)))
            }
        }
    }

    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("this is nested too deeply"));
        }
        let is_not = (self.peek_is('!') && !self.rest().starts_with("!=") && self.take("!"))
            || self.take_word("not");
        let expr = if is_not {
            Expr::Not(Box::new(self.unary()?))
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr, SyntaxError> {
        self.blank();
        match self.rest().chars().next() {
            None => Err(self.error("something is missing here")),
            Some('(') => {
                self.take("(");
                let inner = self.or()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(quote @ ('"' | '\'')) => Ok(Expr::Literal(self.string(quote)?.into())),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            Some(c) if is_begin(c) => self.name(),
            Some(c) => Err(self.error(format!("'{c}' was not expected here"))),
        }
    }

    /// A literal word, a function, or a path.
    fn name(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at;
        let word = self.identifier();
        match word.as_str() {
            "true" => return Ok(Expr::Literal(true.into())),
            "false" => return Ok(Expr::Literal(false.into())),
            "null" => return Ok(Expr::Literal(Value::Null)),
            _ => {}
        }
        if self.rest().starts_with('(') {
            return self.call(&word, at);
        }
        let mut segments = Vec::new();
        loop {
            if self.rest().starts_with('.') {
                self.at += 1;
                segments.push(self.field()?);
            } else if self.rest().starts_with('[') {
                self.at += 1;
                segments.push(self.bracket()?);
            } else {
                break;
            }
        }
        Ok(Expr::Path(Path {
            root: word,
            segments,
            at,
        }))
    }

    fn field(&mut self) -> Result<Segment, SyntaxError> {
        match self.rest().chars().next() {
            Some('*') => {
                self.at += 1;
                Ok(Segment::Splat)
            }
            Some(c) if c.is_ascii_digit() => self.index(),
            Some(c) if is_begin(c) => Ok(Segment::Field(self.identifier())),
            _ => Err(self.error("a name, a number or * must follow the dot")),
        }
    }

    fn bracket(&mut self) -> Result<Segment, SyntaxError> {
        self.blank();
        let segment = match self.rest().chars().next() {
            Some('*') => {
                self.at += 1;
                Segment::Splat
            }
            Some('?') => {
                self.at += 1;
                let mut names = vec![self.plain_name()?];
                while self.rest().starts_with('.') {
                    self.at += 1;
                    names.push(self.plain_name()?);
                }
                Segment::Where(names)
            }
            Some(quote @ ('"' | '\'')) => Segment::Field(self.string(quote)?),
            Some(c) if c.is_ascii_digit() => self.index()?,
            _ => {
                return Err(
                    self.error("a number, a quoted name, * or ?name must stand in the brackets")
                );
            }
        };
        self.expect("]")?;
        Ok(segment)
    }

    fn plain_name(&mut self) -> Result<String, SyntaxError> {
        match self.rest().chars().next() {
            Some(c) if is_begin(c) => Ok(self.identifier()),
            _ => Err(self.error("a name must stand here")),
        }
    }

    fn index(&mut self) -> Result<Segment, SyntaxError> {
        let digits = self.while_true(|c| c.is_ascii_digit());
        let index = digits.parse();
        index
            .map(Segment::Index)
            .map_err(|_| self.error(format!("{digits} is too large")))
    }

    fn call(&mut self, word: &str, at: usize) -> Result<Expr, SyntaxError> {
        let function = match word {
            "len" => Function::Len,
            "any" => Function::Any,
            "all" => Function::All,
            "first" => Function::First,
            "join" => Function::Join,
            _ => {
                let known = FUNCTIONS.join(", ");
                let message = format!("there is no function '{word}'; there are {known}");
                return Err(SyntaxError { at, message });
            }
        };
        self.expect("(")?;
        let mut arguments = vec![self.or()?];
        while self.take(",") {
            arguments.push(self.or()?);
        }
        self.expect(")")?;
        let wanted = if function == Function::Join { 2 } else { 1 };
        if arguments.len() != wanted {
            let message = format!("{word} takes {wanted}, not {}", arguments.len());
            return Err(SyntaxError { at, message });
        }
        Ok(Expr::Call(function, arguments))
    }

    fn string(&mut self, quote: char) -> Result<String, SyntaxError> {
        self.at += 1;
        let text = self.while_true(|c| c != quote);
        if !self.rest().starts_with(quote) {
            return Err(self.error(format!("the closing {quote} is missing")));
        }
        self.at += 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Expr, SyntaxError> {
        let text = self.while_true(|c| c.is_ascii_digit() || c == '.' || c == '-');
        let number: Result<Value, _> = serde_json::from_str(&text);
        match number {
            Ok(number @ Value::Number(_)) => Ok(Expr::Literal(number)),
            _ => Err(self.error(format!("'{text}' is no number"))),
        }
    }

    fn identifier(&mut self) -> String {
        self.while_true(|c| is_begin(c) || c.is_ascii_digit() || c == '-')
    }

    fn while_true(&mut self, is_wanted: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !is_wanted(c)).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().to_owned();
        self.at += end;
        text
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek_is(&mut self, c: char) -> bool {
        self.blank();
        self.rest().starts_with(c)
    }

    fn take(&mut self, sign: &str) -> bool {
        self.blank();
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.blank();
        let Some(after) = self.rest().strip_prefix(word) else {
            return false;
        };
        let is_whole = !after.starts_with(|c: char| is_begin(c) || c.is_ascii_digit() || c == '-');
        if is_whole {
            self.at += word.len();
        }
        is_whole
    }

    fn expect(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.take(sign) {
            return Ok(());
        }
        Err(self.error(format!("'{sign}' is missing here")))
    }

    fn word(&self) -> &str {
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            at: self.at,
            message: message.into(),
        }
    }
}

fn is_begin(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_told_with_its_place() {
        for (text, at, part) in [
            ("a &&", 4, "missing"),
            ("a b", 2, "'b' was not expected"),
            ("a.", 2, "must follow the dot"),
            ("system('ls')", 0, "there is no function 'system'"),
            ("'abc", 4, "closing '"),
            ("(a", 2, "')' is missing"),
            ("join(a)", 0, "takes 2"),
            ("a[", 2, "brackets"),
            ("1-2", 3, "no number"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(part), "{text}: {error:?}");
            assert_eq!(error.at, at, "{text}: {error:?}");
        }
        assert!(parse(&"(".repeat(10_000)).is_err());
        assert!(parse(&"!".repeat(10_000)).is_err());
    }
}
