//! Words in a text, in whatever case, and a line that shows them where they stand. Pure.

/// Characters shown in front of the word, and behind its beginning.
const BEFORE: usize = 40;
const BEHIND: usize = 80;

/// Whether a word stands in a text.
pub(super) fn contains(text: &str, word: &str) -> bool {
    place(text, word).is_some()
}

/// A line of the text around the first of the words that stands in it; its beginning if none does.
pub(super) fn snippet(text: &str, words: &[&str]) -> String {
    let at = words.iter().find_map(|word| place(text, word)).unwrap_or(0);
    let (before, behind) = text.split_at_checked(at).unwrap_or(("", text));
    let begin = before
        .char_indices()
        .rev()
        .nth(BEFORE - 1)
        .map_or(0, |(index, _)| index);
    let end = behind
        .char_indices()
        .nth(BEHIND)
        .map_or(text.len(), |(index, _)| at + index);
    let shown = text.get(begin..end).unwrap_or(text);
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let lead = if begin > 0 { "…" } else { "" };
    let trail = if end < text.len() { "…" } else { "" };
    format!("{lead}{line}{trail}")
}

/// Where a word stands in a text.
fn place(text: &str, word: &str) -> Option<usize> {
    text.char_indices()
        .map(|(index, _)| index)
        .find(|index| text.get(*index..).is_some_and(|rest| begins(rest, word)))
}

fn begins(text: &str, word: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    word.chars()
        .flat_map(char::to_lowercase)
        .all(|letter| letters.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_any_case() {
        assert!(contains("Straße und ÄPFEL", "äpfel"));
        assert!(contains("構文解析器", "解析"));
        assert!(!contains("apple", "apples"));
        assert!(contains("anything", ""));
    }

    #[test]
    fn a_line_shows_the_word_and_a_little_around_it() {
        assert_eq!(snippet("one\n two\tthree", &["TWO"]), "one two three");
        let long = format!("{}needle{}", "x".repeat(100), "y".repeat(100));
        let line = snippet(&long, &["absent", "needle"]);
        assert_eq!(
            line,
            format!("…{}needle{}…", "x".repeat(40), "y".repeat(74))
        );
        assert_eq!(snippet("", &["needle"]), "");
        assert_eq!(snippet("without", &["needle"]), "without");
    }
}
