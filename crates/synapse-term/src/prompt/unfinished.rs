//! A line that a shell or an interpreter wants finished: `...`, `>`, `quote>`. And a program that reads a line
//! without a question.

use std::sync::LazyLock;

use regex::Regex;

use super::line::finish;
use super::{Kind, Prompt};
use crate::pattern::constant;

/// What interpreters and shells show for the lines after the first.
static MORE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"^\s*(?:>{1,3}|\.{2,}\s?[.:>*]?|[-'\x22`/(*]>|[|+])\s*$|^(?:\w+ )*(?:[db]?quote|heredocd?|cmdsubst|cmdand|cmdor|pipe|subsh|cursh|for|foreach|while|until|repeat|if|then|else|elif|case|select|function|array)>\s*$",
    )
});

/// Where a prompt tells that its line is not finished by another character before its last, as `me-#` for `me=#`.
const OPEN: [char; 8] = ['-', '\'', '"', '(', '*', '$', '!', '^'];

/// Reads a line at which the program waits, but not at its usual prompt.
pub(super) fn read(line: &str, usual: &str) -> Option<Prompt> {
    let asks = line.ends_with([':', '：']) && line.chars().count() > 1;
    (asks || MORE.is_match(line) || is_opened(line, usual.trim()))
        .then(|| finish(Kind::Text, line, Vec::new(), None))
}

/// Whether a line is the usual prompt but for the character before its last.
fn is_opened(line: &str, usual: &str) -> bool {
    let parts = |text: &str| {
        let mut chars = text.chars();
        let (last, mark) = (chars.next_back()?, chars.next_back()?);
        Some((chars.as_str().to_owned(), mark, last))
    };
    match (parts(line), parts(usual)) {
        (Some((name, mark, last)), Some((usual, before, end))) => {
            name == usual && last == end && mark != before && OPEN.contains(&mark)
        }
        _ => false,
    }
}

/// What stands for the question of a program that reads a line and asks nothing.
pub(crate) fn unasked() -> Prompt {
    finish(
        Kind::Text,
        "(it reads a line, and asks nothing)",
        Vec::new(),
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(MORE.is_match("   ...> "));
        assert!(!MORE.is_match("sqlite> "));
    }
}
