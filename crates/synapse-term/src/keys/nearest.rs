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

/// Insertions, deletions, replacements and exchanges of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut row_before: Vec<usize> = Vec::new();
    let mut letter_before = None;
    for (i, from) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut next = vec![i + 1];
        let mut left = i + 1;
        for (j, (to, above)) in b.iter().zip(row.windows(2)).enumerate() {
            let [diagonal, above] = *above else { continue };
            let replaced = diagonal + usize::from(from != *to);
            left = replaced.min(left + 1).min(above + 1);
            let neighbour = j.checked_sub(1);
            let is_exchanged =
                letter_before == Some(*to) && neighbour.and_then(|j| b.get(j)) == Some(&from);
            if is_exchanged && let Some(before) = neighbour.and_then(|j| row_before.get(j)) {
                left = left.min(before + 1);
            }
            next.push(left);
        }
        row_before = std::mem::replace(&mut row, next);
        letter_before = Some(from);
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
        assert_eq!(distance("stauts", "status"), 1, "neighbours change places");
        assert_eq!(distance("ab", "ba"), 1);
    }

    #[test]
    fn a_slip_is_near_what_was_meant() {
        let commands = ["attach", "list", "start", "status"];
        for (word, is_meant) in [
            ("lsit", Some("list")),
            ("star", Some("start")),
            ("stauts", Some("status")),
            ("nosuch", None),
            ("x", None),
        ] {
            assert_eq!(meant(word, commands), is_meant, "{word}");
        }
    }
}
