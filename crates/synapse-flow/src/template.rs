//! Text with values in it: `Do this plan:\n${plan.reply}`. `$${` is a `${` that is meant.
//!
//! A value is put in as it is and never read again, so nothing that an agent says can become a part of the template.

use serde_json::Value;

use crate::expr::{Expr, Scope, parse, to_text};

/// A text with values in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    /// An expression, and how it was written.
    Value(Expr, String),
}

/// Why a text is no template, and where in it, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadTemplate {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Self, BadTemplate> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(after) = rest.strip_prefix("$${") {
                plain.push_str("${");
                at = text.len() - after.len();
            } else if let Some(after) = rest.strip_prefix("${") {
                let begin = at + 2;
                let end = end_of(after).ok_or_else(|| BadTemplate {
                    at,
                    message: "the closing } is missing".to_owned(),
                })?;
                let inner = after.get(..end).unwrap_or_default();
                let expr = parse(inner).map_err(|error| BadTemplate {
                    at: begin + error.at,
                    message: format!("${{{inner}}}: {}", error.message),
                })?;
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Value(expr, inner.to_owned()));
                at = begin + end + 1;
            } else {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                plain.push_str(rest.get(..length).unwrap_or_default());
                at += length;
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self { pieces })
    }

    pub(crate) fn plain(text: &str) -> Self {
        Self {
            pieces: vec![Piece::Text(text.to_owned())],
        }
    }

    /// The text, with the values of now.
    pub(crate) fn text(&self, scope: &impl Scope) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(expr, _) => to_text(&expr.eval(scope)),
        });
        pieces.collect()
    }

    /// The value itself where nothing stands around it, else the text.
    pub(crate) fn value(&self, scope: &impl Scope) -> Value {
        match self.pieces.as_slice() {
            [Piece::Value(expr, _)] => expr.eval(scope),
            _ => self.text(scope).into(),
        }
    }

    /// The text, with the values of those roots that are known; the others stay as they were written.
    pub(crate) fn partial(&self, scope: &impl Scope, known: &[&str]) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(expr, written) => {
                let paths = expr.paths();
                let mut roots = paths.iter().map(|path| path.root.as_str());
                if roots.all(|root| known.contains(&root)) {
                    to_text(&expr.eval(scope))
                } else {
                    format!("${{{written}}}")
                }
            }
        });
        pieces.collect()
    }

    /// What it says before the first value.
    pub(crate) fn beginning(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// The text, if there are no values in it.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    pub(crate) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Value(expr, _) => Some(expr),
        })
    }

    /// The one expression that it is, if nothing stands around it.
    pub(crate) fn single(&self) -> Option<&Expr> {
        match self.pieces.as_slice() {
            [Piece::Value(expr, _)] => Some(expr),
            _ => None,
        }
    }
}

/// Where an expression ends: at the } that stands in no quotes.
fn end_of(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '}') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Says(Value);

    impl Scope for Says {
        fn look_up(&self, _: &str) -> Value {
            self.0.clone()
        }
    }

    #[test]
    fn values_stand_in_text_and_are_never_read_again() {
        let template = Template::parse("a ${x} b $${x} ${x == '}'}").unwrap();
        let scope = Says(json!("${x}"));
        assert_eq!(template.text(&scope), "a ${x} b ${x} false");
    }

    #[test]
    fn a_value_alone_keeps_its_type() {
        let scope = Says(json!([1, 2]));
        assert_eq!(
            Template::parse("${x}").unwrap().value(&scope),
            json!([1, 2])
        );
        assert_eq!(
            Template::parse("${x}!").unwrap().value(&scope),
            json!("1\n2!")
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(Template::parse("ab ${x").unwrap_err().at, 3);
        let error = Template::parse("ab ${x +}").unwrap_err();
        assert_eq!(error.at, 7, "{error:?}");
    }
}
