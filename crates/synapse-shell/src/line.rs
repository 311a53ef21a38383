//! What a line typed at a prompt asks for. Pure.
//!
//! `@handle [flags] message` is for an agent. Unlike in a wrapped terminal, blanks may stand in front and
//! the message may have several lines: a shell would run the further ones.

use std::sync::LazyLock;

use synapse_term::router::{Command, CommandError, Pattern, Problem};

use super::quoting::{Dialect, Open, Quoting, unfinished};

/// The handle, blanks on its own line, and all that follows.
const MESSAGE: &str = r"(?s)^[\s--\n]*@([\w.-]+(?:@[\w-]+)?)[\s--\n]+(.+)$";

/// The message that stands for what is piped or typed in.
pub const INPUT: &str = "-";

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Nothing,
    /// A message to an agent.
    Message(Command),
    /// A pipeline whose output goes along with a message.
    Piped {
        /// The commands before it, up to the operator that leads to it.
        before: String,
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
            let mut command = command.trim().to_owned();
            let mut rest = rest;
            if unfinished(&command, dialect) == Some(Open::HereDocument)
                && let Some((first, body)) = rest.split_once('\n')
            {
                // The document stands behind the line that announces it.
                command = format!("{command}\n{body}");
                rest = first;
            }
            // In the middle of a loop it is the shell's own to complain about.
            if unfinished(&command, dialect).is_some() {
                continue;
            }
            let start = last_pipeline(&command, dialect);
            let (before, command) = command.split_at(start);
            let (before, command) = (before.to_owned(), command.trim_start().to_owned());
            match piped(rest) {
                _ if command.is_empty() => {}
                Some(Ok(message)) => {
                    return Self::Piped {
                        before,
                        command,
                        message,
                    };
                }
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

/// Where the last pipeline of a list of commands begins: only its output goes into a pipe behind it.
fn last_pipeline(list: &str, dialect: Dialect) -> usize {
    let ends = Quoting::of(list, dialect).list_operators();
    let is_whole = |end: &usize| {
        // The end of a here-document is no operator.
        let Some(before) = list.get(..*end) else {
            return false;
        };
        // An operator wants something behind it, which is the pipeline.
        matches!(unfinished(before, dialect), None | Some(Open::Operator))
    };
    ends.into_iter().rev().find(is_whole).unwrap_or_default()
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
            let Request::Piped {
                before,
                command,
                message,
            } = read(line)
            else {
                panic!("{line}: {:?}", read(line));
            };
            assert_eq!((command.as_str(), message.message.as_str()), (ran, said));
            assert_eq!((before.as_str(), message.handle.as_str()), ("", "codex"));
        }
        assert!(matches!(
            read("cat log | @codex --retrun x"),
            Request::Bad(_)
        ));
        assert!(matches!(read("@codex --priority 9 x"), Request::Bad(_)));
    }

    #[test]
    fn only_the_last_pipeline_of_a_list_is_piped() {
        for (line, first, ran) in [
            (
                "true && echo one; echo two | @a",
                "true && echo one;",
                "echo two",
            ),
            (
                "test -e x && cat x | sort | @a",
                "test -e x &&",
                "cat x | sort",
            ),
            ("a || b | @a", "a ||", "b"),
            ("sleep 1 & echo 2>&1 two | @a", "sleep 1 &", "echo 2>&1 two"),
            (
                "echo one\necho 'x; y' two | @a",
                "echo one\n",
                "echo 'x; y' two",
            ),
            ("(a; b) | @a", "", "(a; b)"),
            ("{ a; b; } | @a", "", "{ a; b; }"),
            (
                "cd x; for i in 1 2; do a; b; done | @a",
                "cd x;",
                "for i in 1 2; do a; b; done",
            ),
            ("a >&2 b &> c | @a", "", "a >&2 b &> c"),
        ] {
            let Request::Piped {
                before, command, ..
            } = read(line)
            else {
                panic!("{line}: {:?}", read(line));
            };
            assert_eq!((before.as_str(), command.as_str()), (first, ran), "{line}");
        }
        let nothing = "echo one; | @a";
        assert_eq!(read(nothing), Request::Run(nothing.to_owned()));
    }

    #[test]
    fn a_here_document_goes_into_the_pipe_with_its_words() {
        let line = "cat <<EOF | @a look at\nit's | @b\nEOF";
        let Request::Piped {
            command, message, ..
        } = read(line)
        else {
            panic!("{:?}", read(line));
        };
        assert_eq!(command, "cat <<EOF\nit's | @b\nEOF");
        assert_eq!(message.message, "look at");
        assert!(Request::is_unfinished(
            "cat <<EOF | @a\nit's",
            Dialect::Posix
        ));
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
