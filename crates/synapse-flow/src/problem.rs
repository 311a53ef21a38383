//! What is wrong with a flow, and where.

use std::fmt;

pub use synapse_yaml::Place;

/// Something that must be changed before the flow can run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub struct Problem {
    pub place: Place,
    pub message: String,
}

impl Problem {
    pub(crate) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}",
            self.place.line, self.place.column, self.message
        )
    }
}

/// The name closest to a mistyped one, as `; did you mean 'x'?`.
pub(crate) fn hint<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = known
        .into_iter()
        .map(|name| (distance(wanted, name), name))
        .min();
    match near {
        Some((distance, name)) if distance <= 2.max(wanted.len() / 3) => {
            format!("; did you mean '{name}'?")
        }
        _ => String::new(),
    }
}

/// How many letters must be changed, added or removed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = i;
        let mut left = i + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(&other) {
            let above = *cell;
            left = (before + usize::from(a != *b)).min(above + 1).min(left + 1);
            before = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_far_one_is_not() {
        assert_eq!(hint("promt", ["prompt", "run"]), "; did you mean 'prompt'?");
        assert_eq!(hint("xyz", ["prompt", "run"]), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
