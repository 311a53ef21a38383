//! `@handle [flags] message`: what a line asks of another agent.
//!
//! Only what stands before the message is taken apart. The message is the person's, byte for byte,
//! but for one pair of quotes around the whole of it.

use std::sync::LazyLock;

use regex::Regex;

use crate::keys::meant;
use crate::pattern::constant;

/// The pattern used unless the person configures another.
pub const DEFAULT_PATTERN: &str = r"^@([\w.-]+(?:@[\w-]+)?)\s+(.+)$";

/// Every flag, as typed.
const FLAGS: [&str; 8] = [
    "--return",
    "--response",
    "--here",
    "--no-return",
    "--non-response",
    "--display",
    "--priority",
    "--file",
];

/// What a line for another agent looks like: the first group is the handle, the second the rest.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

/// Why a configured pattern cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// It is not a regular expression.
    #[error("the routing pattern does not compile: {0}")]
    Syntax(regex::Error),
    /// It does not say what is the handle and what the message.
    #[error(
        "the routing pattern must capture the handle and the message, as in \
         {DEFAULT_PATTERN}; it has {found} of 2 groups"
    )]
    Groups {
        /// How many groups it has.
        found: usize,
    },
}

/// A message for another agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Who is addressed, as typed, without the `@`.
    pub handle: String,
    /// Where the answer goes, if the person said so.
    pub response: Option<ResponseMode>,
    /// From 1 to 5, if the person said so.
    pub priority: Option<u8>,
    /// Files to send along, as typed.
    pub files: Vec<String>,
    pub message: String,
}

/// Where the answer to a message is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseMode {
    /// Here, where the message was typed.
    Return,
    /// On the screen of the agent that was asked.
    Display,
}

/// A line that is addressed to somebody and cannot be sent as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("@{handle}: {problem}")]
pub struct CommandError {
    /// Who is addressed, as typed, without the `@`.
    pub handle: String,
    pub problem: Problem,
}

/// What is wrong with the flags of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A flag nobody knows.
    #[error("there is no flag {flag}; {}, and -- ends the flags", hint(*.nearest))]
    UnknownFlag {
        /// The flag as typed.
        flag: String,
        /// The flag that it is a slip of.
        nearest: Option<&'static str>,
    },
    /// A flag at the end that needs a word after it.
    #[error("{flag} needs a value")]
    MissingValue { flag: &'static str },
    /// A quote that is never closed.
    #[error("the quote after {flag} is not closed")]
    OpenQuote { flag: &'static str },
    /// A priority out of range.
    #[error("--priority is a number from 1 to 5, not \"{given}\"")]
    Priority {
        /// The value as typed.
        given: String,
    },
    /// Flags and nothing after them.
    #[error("there is no message after the flags")]
    NoMessage,
}

impl Default for Pattern {
    fn default() -> Self {
        Self(constant(DEFAULT_PATTERN))
    }
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When it is no regular expression or does not capture a handle and a message.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let regex = Regex::new(pattern).map_err(PatternError::Syntax)?;
        match regex.captures_len() - 1 {
            found @ 0..2 => Err(PatternError::Groups { found }),
            _ => Ok(Self(regex)),
        }
    }

    /// The regular expression as it was written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// What `line` asks for, if it is addressed to somebody and says something.
    pub fn read(&self, line: &str) -> Option<Result<Command, CommandError>> {
        let groups = self.0.captures(line)?;
        let handle = groups.get(1)?.as_str();
        let rest = groups.get(2)?.as_str();
        if handle.is_empty() || rest.trim().is_empty() {
            return None;
        }
        let command = Command {
            handle: handle.to_owned(),
            response: None,
            priority: None,
            files: Vec::new(),
            message: String::new(),
        };
        let command = command.filled(rest);
        Some(command.map_err(|problem| CommandError {
            handle: handle.to_owned(),
            problem,
        }))
    }
}

/// Reads a line with the default pattern. A line that is not addressed to anybody is nothing.
pub fn parse_line(line: &str) -> Option<Result<Command, CommandError>> {
    static PATTERN: LazyLock<Pattern> = LazyLock::new(Pattern::default);
    PATTERN.read(line)
}

impl Command {
    /// Takes the flags off `rest` and keeps what follows as the message.
    fn filled(mut self, rest: &str) -> Result<Self, Problem> {
        let mut rest = rest.trim_start();
        while let Some((flag, after)) = split_flag(rest) {
            rest = match flag {
                "--" => {
                    rest = after.trim_start();
                    break;
                }
                "--return" | "--response" | "--here" => {
                    self.response = Some(ResponseMode::Return);
                    after
                }
                "--no-return" | "--non-response" | "--display" => {
                    self.response = Some(ResponseMode::Display);
                    after
                }
                "--priority" => {
                    let (given, after) = value("--priority", after)?;
                    self.priority = Some(priority(given)?);
                    after
                }
                "--file" => {
                    let (file, after) = value("--file", after)?;
                    self.files.push(file.to_owned());
                    after
                }
                _ => return Err(unknown(flag)),
            };
            // A value belongs to a flag that takes one: `--return=yes` is a slip.
            if rest.starts_with('=') {
                return Err(unknown(flag));
            }
            rest = rest.trim_start();
        }
        unquoted(rest).clone_into(&mut self.message);
        if self.message.is_empty() && self.files.is_empty() {
            return Err(Problem::NoMessage);
        }
        Ok(self)
    }
}

/// The flag at the start of `rest`, and what follows it from the blank or `=` on. Dashes that no
/// letter follows are a message's own.
fn split_flag(rest: &str) -> Option<(&str, &str)> {
    let name = rest.strip_prefix("--")?;
    let end = rest
        .find(|c: char| c.is_whitespace() || c == '=')
        .unwrap_or(rest.len());
    let (flag, after) = rest.split_at_checked(end)?;
    let is_flag = flag == "--" && !after.starts_with('=');
    (is_flag || name.starts_with(|c: char| c.is_ascii_alphabetic())).then_some((flag, after))
}

/// The word after a flag, or what stands in quotes there, and what follows it.
fn value<'a>(flag: &'static str, after: &'a str) -> Result<(&'a str, &'a str), Problem> {
    let after = after.strip_prefix('=').unwrap_or(after.trim_start());
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| Some((quote, after.strip_prefix(*quote)?)));
    if let Some((quote, inner)) = quoted {
        let value = inner
            .split_once(*quote)
            .ok_or(Problem::OpenQuote { flag })?;
        return if value.0.is_empty() {
            Err(Problem::MissingValue { flag })
        } else {
            Ok(value)
        };
    }
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    match after.split_at_checked(end) {
        Some((word, rest)) if !word.is_empty() && !word.starts_with("--") => Ok((word, rest)),
        _ => Err(Problem::MissingValue { flag }),
    }
}

fn priority(given: &str) -> Result<u8, Problem> {
    let number = given.parse().ok().filter(|number| (1..=5).contains(number));
    number.ok_or_else(|| Problem::Priority {
        given: given.to_owned(),
    })
}

fn unknown(flag: &str) -> Problem {
    let name = |flag: &'static str| flag.trim_start_matches('-');
    let near = meant(flag.trim_start_matches('-'), FLAGS.map(name));
    Problem::UnknownFlag {
        flag: flag.to_owned(),
        nearest: FLAGS.into_iter().find(|flag| near == Some(name(flag))),
    }
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(flag) => format!("the nearest is {flag}"),
        None => format!("there are {}", FLAGS.join(", ")),
    }
}

/// The message without one pair of quotes around the whole of it.
fn unquoted(message: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| {
            let inner = message
                .trim_end()
                .strip_prefix(*quote)?
                .strip_suffix(*quote)?;
            (!inner.contains(*quote)).then_some(inner)
        })
        .unwrap_or(message)
}
