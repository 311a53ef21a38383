//! `@handle [flags] message` as it is typed at the prompt of a shell.
//!
//! Pure. Unlike in a wrapped terminal, blanks may stand in front and the message may have several lines:
//! a shell would run the further ones.

use std::sync::LazyLock;

use synapse_term::router::{Command, CommandError, Pattern};

/// The handle, blanks on its own line, and all that follows.
const MESSAGE: &str = r"(?s)^[\s--\n]*@([\w.-]+)[\s--\n]+(.+)$";

/// What a line asks of an agent. A line that is not addressed to anybody is nothing.
pub fn message(line: &str) -> Option<Result<Command, CommandError>> {
    static PATTERN: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::new(MESSAGE).ok());
    PATTERN.as_ref()?.read(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> (String, String) {
        let command = message(line).unwrap().unwrap();
        (command.handle, command.message)
    }

    fn pair(handle: &str, message: &str) -> (String, String) {
        (handle.to_owned(), message.to_owned())
    }

    #[test]
    fn a_message_keeps_every_byte() {
        let odd = "what's \"wrong\" with $HOME/*.rs?! `x` \\";
        assert_eq!(text(&format!("@codex {odd}")), pair("codex", odd));
        assert_eq!(text("@記録　こんにちは　"), pair("記録", "こんにちは　"));
    }

    #[test]
    fn blanks_may_stand_in_front_and_lines_may_follow() {
        assert_eq!(text(" \t@a b"), pair("a", "b"));
        assert_eq!(
            text("@a look:\n  rm -rf /\n"),
            pair("a", "look:\n  rm -rf /\n")
        );
    }

    #[test]
    fn what_is_not_addressed_to_anybody_is_nothing() {
        for line in [
            "", "ls", "@", "@a", "@a \n ", "@a\nb", "x @a b", "a@b c", "@a/b c",
        ] {
            assert!(message(line).is_none(), "{line:?}");
        }
    }
}
