//! Files a reply names: `[File: p]`, `Created: p` and `Wrote: p`, in any case of letters.

const BRACKET: &str = "[file:";
const VERBS: [&str; 2] = ["created:", "wrote:"];
const QUOTES: [char; 3] = ['`', '"', '\''];

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

/// The paths of the references inside a line, in their order.
pub(super) fn mentions(line: &str) -> impl Iterator<Item = &str> {
    let mut before = None;
    line.char_indices().filter_map(move |(at, c)| {
        let is_word = before.replace(c).is_some_and(char::is_alphanumeric);
        let rest = line.get(at..)?;
        if let Some(behind) = strip_label(rest, BRACKET) {
            return bracketed(behind.split_once(']')?.0);
        }
        let behind = VERBS.iter().find_map(|verb| strip_label(rest, verb))?;
        (!is_word).then(|| first_path(behind)).flatten()
    })
}

/// The path behind a verb in the middle of a sentence, which may go on behind it.
fn first_path(behind: &str) -> Option<&str> {
    let behind = behind.trim_start();
    let quote = behind.chars().next().filter(|c| QUOTES.contains(c));
    if let Some((path, _)) = quote.and_then(|quote| behind.get(1..)?.split_once(quote)) {
        return path.contains(char::is_alphabetic).then(|| path.trim());
    }
    let word = behind.split(char::is_whitespace).next()?;
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    // A bare word in a sentence is more likely a word than a file.
    let is_named = word.contains(['.', '/']);
    is_named.then(|| after_verb(word)).flatten()
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
    QUOTES
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

    #[test]
    fn verbs_are_found_inside_a_line() {
        for (line, paths) in [
            ("The file was created: a.rs", &["a.rs"][..]),
            (
                "Done (created: src/a.rs, wrote: `my notes.md`).",
                &["src/a.rs", "my notes.md"],
            ),
            ("Created: x.rs [File: y.rs]", &["x.rs", "y.rs"]),
            ("I wrote: three files, and recreated: b.rs", &[]),
            ("It was created: 2026.01.31", &[]),
        ] {
            let found: Vec<_> = mentions(line).collect();
            assert_eq!(found, paths, "{line:?}");
        }
    }
}
