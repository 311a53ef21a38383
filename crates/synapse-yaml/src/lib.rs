//! YAML as a tree of values, each with its place, and typed values out of it. Pure: no files, no clock.
//!
//! The tree is built once, by code that knows no types; only the reading of typed values is generic, and what it does
//! is in functions that are not.
#![forbid(unsafe_code)]

mod error;
mod node;
mod parse;
mod resolve;
mod typed;

pub use error::{Error, What};
pub use node::{Kind, Name, Node, Place, Scalar};
pub use parse::parse;
pub use resolve::Booleans;

/// Reads a whole file as a typed value.
///
/// # Errors
/// When it is no YAML, or not what is asked for.
pub fn from_str<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    parse(text, Booleans::Words)?.read()
}
