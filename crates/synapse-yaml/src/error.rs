//! What is wrong with a file, and where.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::node::Place;

/// Something that is wrong with a file.
// Boxed, because every function that reads a typed value hands one on.
#[derive(Debug)]
pub struct Error(Box<Complaint>);

#[derive(Debug)]
struct Complaint {
    place: Option<Place>,
    what: What,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is no YAML, or too much of it.
    Syntax(String),
    /// A key stands twice in one map.
    SecondKey(String),
    /// A key that is not among those that may stand there.
    UnknownKey {
        key: String,
        known: &'static [&'static str],
    },
    /// The value is of another type.
    Type(String),
    /// What the type itself says of a value.
    Refused(String),
}

impl Error {
    pub(crate) fn new(place: Place, what: What) -> Self {
        Self::without_place(what).at(place)
    }

    /// The first character of what is wrong.
    pub fn place(&self) -> Place {
        self.0.place.unwrap_or(Place { line: 1, column: 1 })
    }

    pub fn what(&self) -> &What {
        &self.0.what
    }

    /// The innermost value that is wrong is the one that is told.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.0.place.get_or_insert(place);
        self
    }

    fn without_place(mut what: What) -> Self {
        let (What::Syntax(text)
        | What::SecondKey(text)
        | What::UnknownKey { key: text, .. }
        | What::Type(text)
        | What::Refused(text)) = &mut what;
        *text = harmless(text);
        Self(Box::new(Complaint { place: None, what }))
    }

    fn of_type(message: String) -> Self {
        Self::without_place(What::Type(message))
    }
}

/// What a file says is shown in a terminal, where it must not move the cursor.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.what(), f)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) | Self::Type(message) | Self::Refused(message) => {
                f.write_str(message)
            }
            Self::SecondKey(key) => write!(f, "the key '{key}' appears a second time"),
            Self::UnknownKey { key, known } => {
                write!(
                    f,
                    "unknown field `{key}`, expected one of {}",
                    known.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::without_place(What::Refused(message.to_string()))
    }

    #[cold]
    fn invalid_type(found: Unexpected, wanted: &dyn Expected) -> Self {
        Self::of_type(format!("invalid type: {found}, expected {wanted}"))
    }

    #[cold]
    fn invalid_value(found: Unexpected, wanted: &dyn Expected) -> Self {
        Self::of_type(format!("invalid value: {found}, expected {wanted}"))
    }

    #[cold]
    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        Self::of_type(format!("invalid length {length}, expected {wanted}"))
    }

    #[cold]
    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        let known = known.join(", ");
        Self::of_type(format!("unknown variant `{word}`, expected one of {known}"))
    }

    #[cold]
    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        let key = key.to_owned();
        Self::without_place(What::UnknownKey { key, known })
    }

    #[cold]
    fn missing_field(key: &'static str) -> Self {
        Self::of_type(format!("missing field `{key}`"))
    }
}
