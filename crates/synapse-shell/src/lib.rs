//! Messages typed in a shell, and `synapse-shell` itself: what a line asks for, and who runs it if it is
//! not for an agent.
#![forbid(unsafe_code)]

mod aside;
mod blocks;
mod complete;
mod coshell;
mod editor;
mod folder;
pub mod hook;
mod line;
mod look;
mod marks;
mod program;
mod quoting;
mod script;

pub use coshell::{CoShell, CoShellError, Outcome, Rest};
pub use editor::{Editor, Known, Typed};
pub use line::{INPUT, Request, message, with_input};
pub use program::Program;
pub use quoting::Dialect;
pub use script::{Input, ScriptShell};

/// Ends the raw mode of the line editor, which keeps it by itself.
pub fn leave_raw_mode() {
    let _ = crossterm::terminal::disable_raw_mode();
}
