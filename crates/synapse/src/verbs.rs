//! The commands, one file each.

pub(crate) mod acp;
pub(crate) mod adopt;
pub(crate) mod again;
pub(crate) mod answer;
pub(crate) mod attach;
pub(crate) mod config;
pub(crate) mod conversations;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod external;
pub(crate) mod flow;
pub(crate) mod hook_event;
pub(crate) mod host;
mod input;
pub(crate) mod interrupt;
pub(crate) mod keys;
mod learn;
pub(crate) mod list;
mod log_fields;
pub(crate) mod logs;
pub(crate) mod lookup;
pub(crate) mod manual;
pub(crate) mod mcp;
pub(crate) mod mesh;
pub(crate) mod open;
mod paint;
mod picture;
pub(crate) mod print;
pub(crate) mod profile;
mod program;
pub(crate) mod record;
mod replay;
pub(crate) mod replies;
pub(crate) mod reply;
pub(crate) mod screen;
pub(crate) mod send;
pub(crate) mod service;
pub(crate) mod shell;
pub(crate) mod shell_hook;
pub(crate) mod shell_line;
mod spinner;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod table;
pub(crate) mod tasks;
pub(crate) mod texts;
pub(crate) mod usage;
pub(crate) mod vscode;
pub(crate) mod web;
pub(crate) mod wrap;

use std::fmt;

/// A failure with an exit code of its own.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// What was typed cannot be understood.
    pub(crate) const USAGE: u8 = 2;
    /// There is no such agent.
    pub(crate) const NO_SUCH_AGENT: u8 = 3;
    /// Your own task waits for an answer.
    pub(crate) const ASKING: u8 = 4;
    /// It took too long; the task goes on.
    pub(crate) const TIMED_OUT: u8 = 5;
    /// Somebody pressed Ctrl-C.
    pub(crate) const INTERRUPTED: u8 = 130;

    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The exit code of an error.
    pub(crate) fn code_of(error: &anyhow::Error) -> u8 {
        error
            .downcast_ref::<Self>()
            .map_or(1, |failure| failure.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
