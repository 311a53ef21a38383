//! Commands that a rule may answer: words, and nothing else a shell would make something of. Pure.
//!
//! It splits as a POSIX shell does and gives up at whatever a shell would expand, redirect, chain or comment out.
//! What gives up is left to a person.

/// Why a command is none that a rule could answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotPlain {
    #[error("it is empty")]
    Empty,
    #[error("it has more than one line")]
    Lines,
    #[error("it has '{0}', which a shell would interpret")]
    Special(char),
    #[error("a quote is not closed")]
    Quote,
    #[error("it sets a variable")]
    Assignment,
    #[error("it has characters that cannot be seen")]
    Unseen,
}

/// The words of a command that is nothing but words.
pub(super) fn words(command: &str) -> Result<Vec<String>, NotPlain> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.trim_matches([' ', '\t']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => quoted(c, &mut chars, word.get_or_insert_default())?,
            '\n' | '\r' => return Err(NotPlain::Lines),
            c if is_unseen(c) => return Err(NotPlain::Unseen),
            c if is_special(c) => return Err(NotPlain::Special(c)),
            // A comment, or the home folder of somebody.
            '#' | '~' if word.is_none() => return Err(NotPlain::Special(c)),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let first = words.first().ok_or(NotPlain::Empty)?;
    if is_assignment(first) {
        return Err(NotPlain::Assignment);
    }
    Ok(words)
}

/// Reads up to the quote that ends it.
fn quoted(quote: char, chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), NotPlain> {
    for c in chars {
        match c {
            c if c == quote => return Ok(()),
            '\n' | '\r' => return Err(NotPlain::Lines),
            '\t' => word.push(c),
            c if is_unseen(c) => return Err(NotPlain::Unseen),
            '$' | '`' | '\\' | '!' if quote == '"' => return Err(NotPlain::Special(c)),
            c => word.push(c),
        }
    }
    Err(NotPlain::Quote)
}

/// What a shell expands, chains, redirects or escapes, outside of quotes.
fn is_special(c: char) -> bool {
    "|&;()<>$`\\*?[]{}!^".contains(c)
}

/// Controls, and what changes how the rest is shown or takes no room.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{3164}' | '\u{ffa0}'
        )
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' | '\u{115f}' | '\u{1160}')
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Which commands a rule names: these words, or these words and more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    words: Vec<String>,
    /// `*` at its end: any plain words may follow.
    has_more: bool,
}

impl Pattern {
    /// Reads `cargo test`, or `cargo test *`.
    pub(super) fn parse(text: &str) -> Result<Self, NotPlain> {
        let text = text.trim();
        let (text, has_more) = match text.strip_suffix(" *") {
            Some(head) => (head, true),
            None => (text, false),
        };
        let words = words(text)?;
        Ok(Self { words, has_more })
    }

    /// Whether a command is one of those.
    pub(super) fn names(&self, words: &[String]) -> bool {
        match words.strip_prefix(self.words.as_slice()) {
            Some(rest) => rest.is_empty() || self.has_more,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answers(rule: &str, command: &str) -> bool {
        let words = words(command);
        words.is_ok_and(|words| Pattern::parse(rule).unwrap().names(&words))
    }

    #[test]
    fn a_rule_names_a_whole_command() {
        assert!(answers("cargo test", "cargo test"));
        assert!(answers("cargo test", "  cargo \t test "));
        assert!(answers("cargo test", "'cargo' \"test\""));
        assert!(answers("cargo test *", "cargo test"));
        assert!(answers(
            "cargo test *",
            "cargo test -p synapse --test 'a b'"
        ));
        assert!(answers("grep 'a b' *", "grep \"a b\" src/main.rs"));
    }

    #[test]
    fn nothing_else_is_named() {
        for command in [
            "cargo test\nrm -rf ~/work",
            "rm -rf ~ cargo test",
            "./evil-cargo test",
            "cargo tests",
            "cargo test x",
            "cargotest",
            "CARGO test",
            "cargo test; rm -rf ~",
            "",
        ] {
            assert!(!answers("cargo test", command), "{command:?}");
        }
        for rest in [
            "; rm",
            "&& rm",
            "| sh",
            "> out",
            "<in",
            "<<EOF\nx\nEOF",
            "`id`",
            "$(id)",
            "$HOME",
            "\nrm",
            "\rrm",
            "& rm",
            "(rm)",
            "{a,b}",
            "*",
            "~/x",
            "# rm",
            "\\\nrm",
            "\"$(id)\"",
            "\"`id`\"",
            "'open",
            "a\u{202e}b",
            "a\u{200b}b",
            "\u{a0}x",
            "!!",
            "x\u{7}",
            "\"\\$(id)\"",
            "[a]",
            "?",
        ] {
            assert!(
                !answers("cargo test *", &format!("cargo test {rest}")),
                "{rest:?}"
            );
        }
        for before in [
            "LD_PRELOAD=./evil.so ",
            "A= ",
            "A+=x ",
            "( ",
            "! ",
            "> x ",
            "exec ",
            "\\",
        ] {
            assert!(
                !answers("cargo test *", &format!("{before}cargo test")),
                "{before:?}"
            );
        }
    }

    #[test]
    fn a_rule_that_is_more_than_words_is_none() {
        for rule in [
            "", "*", " *", "a; b", "A=b c", "a | b", "a $X", "a\nb", "a *x", "a * b *", "a '",
        ] {
            assert!(Pattern::parse(rule).is_err(), "{rule:?}");
        }
    }

    /// Pieces of commands that mean something to a shell, and some that do not.
    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z./=-]{1,6}",
            prop::sample::select(vec![
                " ",
                "  ",
                "\t",
                "\n",
                "\r",
                ";",
                "&",
                "|",
                "<",
                ">",
                "$(",
                ")",
                "`",
                "$X",
                "'",
                "\"",
                "\\",
                "#",
                "~",
                "*",
                "{",
                "}",
                "A=b ",
                "cargo",
                "test",
                "cargo test",
                "\u{202e}",
                "\u{200b}",
                "\u{0}",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    /// A word that every shell takes as it is.
    const PLAIN: &str = "[a-zA-Z0-9_./:=,@%+-]{1,8}";

    proptest! {
        #[test]
        fn no_rule_answers_anything_but_its_own_words(command in hostile()) {
            if answers("cargo test", &command) {
                let seen: Vec<String> = command.split([' ', '\t']).filter(|w| !w.is_empty())
                    .map(|w| w.replace(['\'', '"'], "")).filter(|w| !w.is_empty()).collect();
                prop_assert_eq!(seen, ["cargo", "test"]);
            }
            if answers("cargo test *", &command) {
                prop_assert!(!command.contains(['\n', '\r', '\\', '`', '$']), "{:?}", command);
                // Whatever a shell could make something of stands in quotes.
                let mut quote = None;
                for c in command.chars() {
                    match quote {
                        Some(q) if c == q => quote = None,
                        Some(_) => {}
                        None if c == '\'' || c == '"' => quote = Some(c),
                        None => prop_assert!(!";&|<>(){}*".contains(c), "{:?}", command),
                    }
                }
                prop_assert_eq!(quote, None);
            }
        }

        #[test]
        fn plain_arguments_are_answered(arguments in prop::collection::vec(PLAIN, 0..5)) {
            let command = format!("cargo test {}", arguments.join(" "));
            prop_assert!(answers("cargo test *", &command));
            prop_assert_eq!(answers("cargo test", &command), arguments.is_empty());
        }
    }
}
