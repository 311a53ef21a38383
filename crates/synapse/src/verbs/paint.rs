//! Whether what is printed has colours, shapes and motion. Colours follow `NO_COLOR`, `CLICOLOR` and
//! `CLICOLOR_FORCE`; a screen reader (`TERM=dumb`, or `ACCESSIBLE` set) gets words alone.

use std::ffi::{OsStr, OsString};

/// Whether colours are wanted where they are going.
pub(super) fn is_coloured(is_terminal: bool) -> bool {
    let of = |name: &str| std::env::var_os(name);
    is_coloured_by(is_terminal, of)
}

fn is_coloured_by(is_terminal: bool, of: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_set = |name: &str| of(name).is_some_and(|value| !value.is_empty());
    let is_zero = |name: &str| of(name).as_deref() == Some(OsStr::new("0"));
    if is_set("NO_COLOR") {
        return false;
    }
    if is_set("CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE") {
        return true;
    }
    is_terminal && !is_dumb_by(of("TERM")) && !is_zero("CLICOLOR")
}

/// Whether the terminal says that it can neither paint nor move, or does not say what it is.
pub(super) fn is_dumb() -> bool {
    is_dumb_by(std::env::var_os("TERM"))
}

fn is_dumb_by(term: Option<OsString>) -> bool {
    term.is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Whether words alone are wanted: shapes are read aloud by a screen reader, and what moves is read again and again.
pub(super) fn is_plain() -> bool {
    is_dumb() || std::env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_what_everybody_sets() {
        let painted = |is_terminal: bool, set: &[(&str, &str)]| {
            let of = |name: &str| {
                let found = set.iter().find(|(set, _)| *set == name);
                found.map(|(_, value)| OsString::from(value))
            };
            is_coloured_by(is_terminal, of)
        };
        assert!(painted(true, &[("TERM", "xterm")]));
        assert!(!painted(false, &[("TERM", "xterm")]));
        assert!(!painted(true, &[("NO_COLOR", "1")]));
        assert!(painted(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!painted(true, &[("TERM", "xterm"), ("CLICOLOR", "0")]));
        assert!(painted(true, &[("TERM", "xterm"), ("CLICOLOR", "1")]));
        assert!(!painted(true, &[("TERM", "dumb")]));
        assert!(!painted(true, &[("TERM", "")]) && !painted(true, &[]));
        assert!(painted(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!painted(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!painted(
            true,
            &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
        ));
    }
}
