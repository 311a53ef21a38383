//! What a line typed at a prompt asks for. Pure.
//!
//! `@handle [flags] message` is for an agent. Unlike in a wrapped terminal, blanks may stand in front and
//! the message may have several lines: a shell would run the further ones.

use std::sync::LazyLock;

use synapse_term::router::{Command, CommandError, Pattern, Problem};

use super::quoting::{Dialect, Open, Quoting, unfinished};

/// The handle, blanks on its own line, and all that follows.
const MESSAGE: &str = r"(?s)^[\s--\n]*@([\w.-]+)[\s--\n]+(.+)$";

/// The message that stands for what is piped or typed in.
pub const INPUT: &str = "-";

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Nothing.
    Nothing,
    /// A message to an agent.
    Message(Command),
    /// A command whose output goes along with a message.
    Piped {
        /// What to run.
        command: String,
        /// What to send with its output.
        message: Command,
    },
    /// A command of the shell.
    Run(String),
    /// A message that cannot be sent as it is.
    Bad(CommandError),
}

impl Request {
    /// Reads a line.
    pub fn read(line: &str, dialect: Dialect) -> Self {
        if line.trim().is_empty() {
            return Self::Nothing;
        }
        match message(line) {
            Some(Ok(command)) => return Self::Message(command),
            Some(Err(error)) => return Self::Bad(error),
            None => {}
        }
        for at in Quoting::of(line, dialect).pipes() {
            let (Some(command), Some(rest)) = (line.get(..at), line.get(at + 1..)) else {
                continue;
            };
            let command = command.trim().to_owned();
            // In the middle of a loop it is the shell's own to complain about.
            if unfinished(&command, dialect).is_some() {
                continue;
            }
            match piped(rest) {
                Some(Ok(message)) => return Self::Piped { command, message },
                Some(Err(error)) => return Self::Bad(error),
                None => {}
            }
        }
        Self::Run(line.to_owned())
    }

    /// Whether Enter is to begin another line: a shell would want one, or a quote around the whole
    /// message is open. Any other quote in a message is just a quote.
    pub fn is_unfinished(line: &str, dialect: Dialect) -> bool {
        match Self::read(line, dialect) {
            Self::Nothing | Self::Bad(_) => false,
            Self::Run(line) => unfinished(&line, dialect).is_some(),
            Self::Message(command)
            | Self::Piped {
                message: command, ..
            } => ['"', '\''].iter().any(|quote| {
                let inner = command.message.strip_prefix(*quote);
                inner.is_some_and(|inner| !inner.contains(*quote))
            }),
        }
    }
}

/// Whether a person who ends such a line twice more with nothing on it wants it run as it is: our idea
/// of where a block ends need not be that of their shell.
pub(super) fn insists(line: &str, dialect: Dialect) -> bool {
    line.ends_with("\n\n") && unfinished(line, dialect) == Some(Open::Block)
}

/// What a line asks of an agent. A line that is not addressed to anybody is nothing.
pub fn message(line: &str) -> Option<Result<Command, CommandError>> {
    static PATTERN: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::new(MESSAGE).ok());
    PATTERN.as_ref()?.read(line)
}

/// What stands behind a pipe, where a handle alone says enough.
fn piped(rest: &str) -> Option<Result<Command, CommandError>> {
    let no_message = |read: &Option<Result<Command, CommandError>>| match read {
        None => true,
        Some(Err(error)) => error.problem == Problem::NoMessage,
        Some(Ok(_)) => false,
    };
    let read = message(rest);
    if no_message(&read) {
        return message(&format!("{} {INPUT}", rest.trim_end())).or(read);
    }
    read
}

/// The message with what was piped into it.
pub fn with_input(message: &str, input: &str) -> String {
    let input = input.trim_end_matches('\n');
    match message {
        "" | INPUT => input.to_owned(),
        text => format!("{text}\n\n{input}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Request {
        Request::read(line, Dialect::Posix)
    }

    fn text(line: &str) -> (String, String) {
        match read(line) {
            Request::Message(command) => (command.handle, command.message),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn pair(handle: &str, message: &str) -> (String, String) {
        (handle.to_owned(), message.to_owned())
    }

    #[test]
    fn a_message_keeps_every_byte() {
        let odd = "what's \"wrong\" with $HOME/*.rs?! `x` | y \\";
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
    fn what_is_not_addressed_to_anybody_is_a_command() {
        for line in [
            "ls",
            "@",
            "@a",
            "@a\nb",
            "x @a b",
            "a@b c",
            "@a/b c",
            "echo '| @a b'",
            "a || @b c",
        ] {
            assert_eq!(read(line), Request::Run(line.to_owned()), "{line:?}");
        }
        assert_eq!(read(" \n"), Request::Nothing);
        assert_eq!(read("@a \n "), Request::Run("@a \n ".to_owned()));
    }

    #[test]
    fn a_pipe_into_a_handle_is_found() {
        for (line, ran, said) in [
            (
                "cat log | @codex what | failed?",
                "cat log",
                "what | failed?",
            ),
            (
                "cat 'a | @b c' | sort | @codex x",
                "cat 'a | @b c' | sort",
                "x",
            ),
            ("git diff | @codex -", "git diff", "-"),
            ("git diff|@codex", "git diff", "-"),
            ("git diff | @codex --return", "git diff", "-"),
        ] {
            let Request::Piped { command, message } = read(line) else {
                panic!("{line}: {:?}", read(line));
            };
            assert_eq!((command.as_str(), message.message.as_str()), (ran, said));
            assert_eq!(message.handle, "codex");
        }
        assert!(matches!(
            read("cat log | @codex --retrun x"),
            Request::Bad(_)
        ));
        assert!(matches!(read("@codex --priority 9 x"), Request::Bad(_)));
    }

    #[test]
    fn input_stands_behind_the_words_or_alone() {
        assert_eq!(with_input("-", "a\nb\n\n"), "a\nb");
        assert_eq!(with_input("why?", "a\n"), "why?\n\na");
    }

    #[test]
    fn only_a_quote_around_the_whole_message_begins_another_line() {
        let is_open = |line| Request::is_unfinished(line, Dialect::Posix);
        assert!(is_open("@a \"one") && is_open("@a --return 'one\ntwo") && is_open("echo 'a"));
        assert!(is_open("cat x | @a \"one"));
        for line in [
            "@a it's",
            "@a \"one\" two",
            "@a \"one\"",
            "@a one \\",
            "ls",
            "@a --no x'",
        ] {
            assert!(!is_open(line), "{line}");
        }
    }

    #[test]
    fn a_block_is_one_command() {
        let is_open = |line| Request::is_unfinished(line, Dialect::Posix);
        assert!(is_open("for i in 1 2\ndo") && is_open("cat <<EOF\nit's"));
        assert!(!is_open("for i in 1 2\ndo\n\necho $i\ndone"));
        let all = "for i in 1 2; do echo $i; done | @a sum?";
        assert!(matches!(read(all), Request::Piped { .. }));
        let middle = "for i in 1 2; do echo $i | @a what?; done";
        assert_eq!(read(middle), Request::Run(middle.to_owned()));
        let insisted = |line| insists(line, Dialect::Posix);
        assert!(insisted("for x (1 2) echo $x\n\n"));
        assert!(!insisted("for i in 1\n") && !insisted("echo 'a\n\n") && !insisted("ls\n\n"));
    }
}
