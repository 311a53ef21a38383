//! Regular expressions that are part of the program.

use regex::Regex;

/// The characters of words, in the few ranges that hold the letters and digits of all living scripts. The ranges of
/// Unicode itself are so many that one `\w{1,24}` takes a megabyte, in every host.
const WORD: &str = r"[0-9A-Z_a-z\u{aa}\u{b5}\u{ba}\u{c0}-\u{d6}\u{d8}-\u{f6}\u{f8}-\u{1fff}\u{2c00}-\u{2dff}\u{3005}-\u{3007}\u{3041}-\u{309f}\u{30a1}-\u{30fa}\u{30fc}-\u{318f}\u{31a0}-\u{31ff}\u{3400}-\u{4dbf}\u{4e00}-\u{d7ff}\u{f900}-\u{fdff}\u{fe70}-\u{fefc}\u{ff10}-\u{ff19}\u{ff21}-\u{ff3a}\u{ff41}-\u{ff5a}\u{ff66}-\u{ffdc}\u{20000}-\u{3ffff}]";

/// Compiles a constant, in which `\d` means the digits of ASCII and `\w` is [`WORD`]. Each is touched by a test of its
/// own module, so a mistake in one cannot reach a user.
#[expect(clippy::unwrap_used, reason = "a constant, compiled by a test")]
pub(crate) fn constant(text: &str) -> Regex {
    Regex::new(&compact(text)).unwrap()
}

/// The same pattern with small classes.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + WORD.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('w') => out.push_str(WORD),
            Some('W') => {
                out.push_str("[^");
                out.push_str(WORD.trim_start_matches('['));
            }
            Some(escaped) => out.extend(['\\', escaped]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_scripts_are_words_and_signs_are_not() {
        let word = constant(r"^\w+$");
        for text in [
            "write_2",
            "größe",
            "Привет",
            "日本語",
            "カタカナ",
            "한국어",
            "हिन्दी",
            "ｶﾅ",
        ] {
            assert!(word.is_match(text), "{text}");
        }
        for text in [
            "❯", "●", "─", "✔", "…", "·", "、", "・", "×", "😀", " ", "-",
        ] {
            assert!(constant(r"^\W$").is_match(text), "{text}");
            assert!(!word.is_match(text), "{text}");
        }
    }

    #[test]
    fn classes_inside_of_classes_and_escapes_mean_the_same() {
        assert_eq!(compact(r"\\w\."), r"\\w\.");
        let name = constant(r"^[\w.-]{2,5}$");
        assert!(name.is_match("a.-é") && !name.is_match("a b"));
        let sign = constant(r"^[^\w\s]\d$");
        assert!(sign.is_match("●1") && !sign.is_match("a1") && !sign.is_match(" 1"));
    }
}
