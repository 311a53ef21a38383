//! Files a reply names: `[File: p]`, `Created: p` and `Wrote: p`, in any case of letters.

const BRACKET: &str = "[file:";
const VERBS: [&str; 2] = ["created:", "wrote:"];

/// The path, if the line is a reference and nothing else.
pub(super) fn whole(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(behind) = strip_label(line, BRACKET) {
        return behind.strip_suffix(']').and_then(bracketed);
    }
    VERBS
        .iter()
        .find_map(|verb| strip_label(line, verb))
        .and_then(after_verb)
}

/// The paths of the `[File: p]` inside a line.
pub(super) fn mentions(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('[').filter_map(|(at, _)| {
        let behind = strip_label(line.get(at..)?, BRACKET)?;
        bracketed(behind.split_once(']')?.0)
    })
}

fn bracketed(inner: &str) -> Option<&str> {
    let path = unquote(inner.trim());
    (!path.is_empty() && !path.contains(['[', ']'])).then_some(path)
}

/// Behind a verb there may be a sentence or a date instead of a path, so it must look like one.
fn after_verb(behind: &str) -> Option<&str> {
    let written = behind.trim();
    let path = unquote(written);
    let is_delimited = path.len() < written.len() || path.starts_with(['/', '~', '.']);
    let is_path =
        (is_delimited || !path.contains(char::is_whitespace)) && path.contains(char::is_alphabetic);
    is_path.then_some(path)
}

fn strip_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (head, behind) = line.split_at_checked(label.len())?;
    head.eq_ignore_ascii_case(label).then_some(behind)
}

fn unquote(path: &str) -> &str {
    ['`', '"', '\'']
        .into_iter()
        .find_map(|quote| path.strip_prefix(quote)?.strip_suffix(quote))
        .map_or(path, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_a_reference_gives_its_path() {
        for (line, path) in [
            ("[File: src/main.rs]", "src/main.rs"),
            ("[file:a b.txt]", "a b.txt"),
            ("Created: /tmp/test.py", "/tmp/test.py"),
            ("  created:   Makefile  ", "Makefile"),
            ("Wrote: `my notes.md`", "my notes.md"),
            ("WROTE: /tmp/my notes.md", "/tmp/my notes.md"),
            ("Created: 日本語.md", "日本語.md"),
        ] {
            assert_eq!(whole(line), Some(path), "{line:?}");
        }
    }

    #[test]
    fn a_sentence_is_not_a_reference() {
        for line in [
            "Created: three files and a test",
            "Created: 2026-01-31",
            "Created:",
            "Wrote: ``",
            "Wrote it: a.rs",
            "[File: ]",
            "[File: a.rs",
            "[File: a.rs] and [File: b.rs]",
            "The file was created: a.rs",
        ] {
            assert_eq!(whole(line), None, "{line:?}");
        }
    }

    #[test]
    fn brackets_are_found_inside_a_line() {
        let found: Vec<_> =
            mentions("see [File: a.rs], [x] and [FILE:b.rs]; not [File: or [File:]").collect();
        assert_eq!(found, ["a.rs", "b.rs"]);
    }
}
