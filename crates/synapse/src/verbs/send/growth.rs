//! How a reply is shown while it grows; pure, so that it can be tested.

use synapse_term::frame::width;

/// How a reply is shown while it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screenful {
    /// Its end, above the spinner, painted anew with each change and gone when it is whole.
    Preview,
    /// Its lines as they are finished, where nothing can be taken back.
    Growth,
}

/// The last rows of a text in a window, without anything a terminal would obey.
pub(super) fn tail(text: &str, cols: usize, rows: usize) -> Vec<String> {
    let mut shown = Vec::new();
    for line in text.lines() {
        let mut row = String::new();
        for c in line.chars() {
            let c = if c == '\t' { ' ' } else { c };
            if c.is_control() {
                continue;
            }
            row.push(c);
            if width(&row) > cols {
                row.pop();
                shown.push(std::mem::replace(&mut row, c.to_string()));
            }
        }
        shown.push(row);
    }
    let first = shown.len().saturating_sub(rows);
    shown.split_off(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_fits_the_window() {
        assert_eq!(tail("one\ntwo\nthree", 10, 2), ["two", "three"]);
        assert_eq!(tail("abcdef", 3, 5), ["abc", "def"]);
        assert_eq!(tail("日本語", 4, 5), ["日本", "語"]);
        assert_eq!(tail("a\x1b[2Jb\tc", 20, 5), ["a[2Jb c"]);
        assert!(tail("", 0, 0).is_empty());
        assert_eq!(tail("ab", 0, 9).concat(), "ab");
    }
}
