//! The lines around a place in a file, with a mark below it.

use std::fmt::Write as _;

use synapse_yaml::Place;
use unicode_width::UnicodeWidthStr as _;

/// How many lines are shown before and after the one in question.
const AROUND: u64 = 2;

/// How many characters are shown before and after the one in question.
const BESIDE: u64 = 64;

/// Each line with its number.
pub(super) fn excerpt(text: &str, place: Place) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let shown = place.line.saturating_sub(AROUND)..=place.line + AROUND;
    let lines = (1..).zip(text.lines());
    let lines: Vec<(u64, &str)> = lines.filter(|(number, _)| shown.contains(number)).collect();
    let width = lines.last().map_or(1, |(last, _)| last.to_string().len());
    let first = place.column.saturating_sub(BESIDE);
    let end = place.column + BESIDE;
    let mut out = format!("{:width$} |", "");
    for (number, line) in lines {
        let line = part(line, first, end);
        let _ = write!(out, "\n{number:width$} | {line}");
        if number == place.line {
            let columns = (first.max(1)..place.column).zip(line.chars());
            let before = columns.map(|(_, c)| c).collect::<String>().width();
            let _ = write!(out, "\n{:width$} | {:before$}^", "", "");
        }
    }
    out
}

/// Some columns of a line, without what would move the cursor.
fn part(line: &str, first: u64, end: u64) -> String {
    let mut shown = String::new();
    for (column, c) in (1..).zip(line.chars()) {
        if column == first || column == end {
            shown.push('…');
        } else if (first..end).contains(&column) {
            shown.push(if c.is_control() { ' ' } else { c });
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, line: u64, column: u64) -> String {
        excerpt(text, Place { line, column })
    }

    #[test]
    fn the_mark_is_below_what_is_wrong() {
        let text = "\u{feff}a: 1\r\nb: 2\r\nc: 3\n語: 語x\ne: 5\nf: 6\ng: 7\n";
        assert_eq!(
            shown(text, 4, 5),
            "  |\n2 | b: 2\n3 | c: 3\n4 | 語: 語x\n  |       ^\n5 | e: 5\n6 | f: 6"
        );
        assert_eq!(shown("a: [\n", 2, 1), "  |\n1 | a: [");
        assert_eq!(shown("", 1, 1), "  |");
        let ten = "x: y\n".repeat(10);
        assert!(shown(&ten, 9, 1).contains("\n 9 | x: y\n   | ^\n10 | x: y"));
    }

    #[test]
    fn a_long_line_is_cut_and_nothing_moves_the_cursor() {
        let text = format!("{}\u{1b}[31m{}", "a".repeat(200), "b".repeat(200));
        let text = shown(&text, 1, 201);
        let [_, line, mark] = text.lines().collect::<Vec<_>>()[..] else {
            panic!("{text}")
        };
        assert_eq!(
            line,
            format!("1 | …{} [31m{}…", "a".repeat(63), "b".repeat(59))
        );
        assert_eq!(mark, format!("  | {}^", " ".repeat(64)));
    }
}
