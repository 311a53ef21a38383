//! The tree: values, each with its place.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u64,
    /// The character in it.
    pub column: u64,
}

/// A value and where it stands. What an alias stands for is where the alias is.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub place: Place,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Scalar(Scalar),
    List(Vec<Node>),
    /// In the order of the file; what is merged into it comes last. No key is there twice.
    Map(Vec<(Name, Node)>),
}

/// Text, a number, true, false or null.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// As it is written, without quotes and escapes.
    pub text: String,
    /// What it is where nobody asks for a type.
    pub value: Value,
}

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub place: Place,
}

impl Node {
    /// The value as a type.
    ///
    /// # Errors
    /// When it is not what the type asks for.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        T::deserialize(self).map_err(|error| error.at(self.place))
    }

    /// What it is, for people.
    pub fn sort(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(scalar) => match scalar.value {
                Value::String(_) => "text",
                Value::Bool(_) => "true or false",
                Value::Number(_) => "a number",
                _ => "nothing",
            },
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }

    /// The value without its places.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.value.clone(),
            Kind::List(list) => list.iter().map(Self::value).collect(),
            Kind::Map(map) => map
                .iter()
                .map(|(name, node)| (name.text.clone(), node.value()))
                .collect(),
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.value.is_null())
    }

    /// What stands below each key; nothing if it is no map.
    pub fn entries(&self) -> &[(Name, Node)] {
        match &self.kind {
            Kind::Map(map) => map,
            _ => &[],
        }
    }
}
