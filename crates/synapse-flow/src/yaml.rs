//! YAML as a tree of values, each with its place, so that every complaint can name a line and a column.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{Location, Spanned};

use crate::problem::{Place, Problem};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Text, a number, true, false or null.
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<(Name, Node)>),
}

/// A key of a map.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// Reads a whole file.
pub(crate) fn parse(text: &str) -> Result<Node, Problem> {
    // `y`, `on` and the like are words here: agents and options may be called so.
    let options = serde_saphyr::options! { strict_booleans: true };
    let read: Result<Spanned<Raw>, _> = serde_saphyr::from_str_with_options(text, options);
    read.map(node).map_err(|error| {
        let place = error.location().map_or(Place::default(), place_of);
        let place = Place {
            line: place.line.max(1),
            column: place.column.max(1),
        };
        Problem::new(place, message(error.without_snippet()))
    })
}

fn message(error: &serde_saphyr::Error) -> String {
    if let serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } = error {
        return format!("'{key}' appears a second time");
    }
    // It ends with the place, which is told beside it.
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text.get(..end).unwrap_or_default().to_owned()
}

impl Node {
    /// What it is, for people.
    pub(crate) fn sort(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(Value::String(_)) => "text",
            Kind::Scalar(Value::Bool(_)) => "true or false",
            Kind::Scalar(Value::Number(_)) => "a number",
            Kind::Scalar(_) => "nothing",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }

    /// The value without its places.
    pub(crate) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(list) => list.iter().map(Self::value).collect(),
            Kind::Map(map) => map
                .iter()
                .map(|(name, node)| (name.text.clone(), node.value()))
                .collect(),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Scalar(Value::Null))
    }
}

fn place_of(location: Location) -> Place {
    Place {
        line: location.line(),
        column: location.column(),
    }
}

fn node(spanned: Spanned<Raw>) -> Node {
    let kind = match spanned.value {
        Raw::Scalar(value) => Kind::Scalar(value),
        Raw::List(list) => Kind::List(list.into_iter().map(node).collect()),
        Raw::Map(map) => Kind::Map(
            map.into_iter()
                .map(|(key, value)| {
                    let name = Name {
                        place: place_of(key.referenced),
                        text: key.value,
                    };
                    (name, node(value))
                })
                .collect(),
        ),
    };
    Node {
        place: place_of(spanned.referenced),
        kind,
    }
}

enum Raw {
    Scalar(Value),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Raw::List(entries))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.into()))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_place() {
        let Kind::Map(map) = parse("a: 1\nb: {c: [x, 'y']}\n").unwrap().kind else {
            panic!()
        };
        let (name, b) = &map[1];
        assert_eq!((name.place.line, name.place.column), (2, 1));
        let Kind::Map(below) = &b.kind else { panic!() };
        let Kind::List(list) = &below[0].1.kind else {
            panic!()
        };
        assert_eq!((list[1].place.line, list[1].place.column), (2, 12));
    }

    #[test]
    fn a_broken_file_is_told_with_its_place() {
        let problem = parse("a: [1\nb: 2\n").unwrap_err();
        assert!(problem.place.line >= 1, "{problem}");
        let problem = parse("a: 1\na: 2\n").unwrap_err();
        assert!(
            problem.message.contains("'a' appears a second time"),
            "{problem}"
        );
    }
}
