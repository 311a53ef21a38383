//! The word a person most likely meant.

/// The candidate with the fewest edits from `word`, letter case aside; the first of equals.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .min_by_key(|candidate| distance(word, candidate))
}

/// The candidate that `word` is a slip of: the nearest, unless more than half of the word would have to change.
pub fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = nearest(word, candidates)?;
    (2 * distance(word, near) <= word.chars().count()).then_some(near)
}

/// Insertions, deletions and replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = *cell;
            left = replaced.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits_without_regard_to_case() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ENTER", "Enter"), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn a_slip_is_near_what_was_meant() {
        let commands = ["attach", "list", "start"];
        for (word, is_meant) in [
            ("lsit", Some("list")),
            ("star", Some("start")),
            ("nosuch", None),
            ("x", None),
        ] {
            assert_eq!(meant(word, commands), is_meant, "{word}");
        }
    }
}
