//! Hooks of the wrapped program. Claude Code and Codex run a command at each step of a turn and tell it
//! what they do: they took a message, want to use a tool, ask for a permission, or are done, with the reply
//! word for word. We pass that command as an argument of this one start, so none of the user's files is
//! touched and their own hooks stay in force.
//!
//! The command is `synapse hook-event SOCKET`: it passes its input to the agent's host and ends. Only
//! Claude's permission requests wait for an answer, which may come from here or from the dialog that the
//! program shows meanwhile.

mod event;
mod inject;
mod listener;
mod tracker;

pub use event::{HookEvent, Permission, What};
pub use inject::{Injection, UserArguments, inject};
pub use listener::{Decision, HookListener, HookMessage};
pub use tracker::{Statement, Tracker};

/// The command behind the hooks, below `synapse`.
pub const VERB: &str = "hook-event";
