//! Expressions: paths into what earlier steps gave, splats, filters, comparisons, and, or, not, and five functions.
//! Evaluating one reads values and makes a value; it can loop over nothing but what is there, call nothing and name
//! nothing outside the flow. What is missing is null.

mod eval;
mod parse;

use serde_json::Value;

pub(crate) use eval::{Scope, is_equal, is_true, to_text};
pub(crate) use parse::parse;

/// The words that stand for a function.
pub(crate) const FUNCTIONS: [&str; 5] = ["len", "any", "all", "first", "join"];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Literal(Value),
    Path(Path),
    Not(Box<Expr>),
    /// `&&`, `||` and the comparisons.
    Binary(Operator, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Len,
    Any,
    All,
    First,
    Join,
}

/// What leads to a value: `review.*.json.ok`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    /// `inputs`, `item`, or the name of a step.
    pub(crate) root: String,
    pub(crate) segments: Vec<Segment>,
    /// Where it stands in the text of the expression, in bytes.
    pub(crate) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Segment {
    Field(String),
    Index(usize),
    /// All of a list, or all values of an object.
    Splat,
    /// Those of a list for which something of their own is true: `[?ok]`.
    Where(Vec<String>),
}

impl Expr {
    /// All paths in it.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Path(path) => vec![path],
            Self::Not(inner) => inner.paths(),
            Self::Binary(_, left, right) => {
                let mut paths = left.paths();
                paths.extend(right.paths());
                paths
            }
            Self::Call(_, arguments) => arguments.iter().flat_map(Self::paths).collect(),
        }
    }
}
