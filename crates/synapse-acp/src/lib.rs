//! The Agent Client Protocol (version 1) over standard input and output: an editor is the client, and any agent that
//! Synapse can reach is its agent. The wire is newline-delimited JSON-RPC 2.0.
//!
//! `rpc`, `wire` and `narrator` are pure. The agent's own terminal stays where it is and can be attached at the same
//! time; nothing here owns it.
#![forbid(unsafe_code)]

pub mod connection;
pub mod rpc;
pub mod wire;

mod agent;
mod backend;
mod commands;
mod history;
mod narrator;
mod question;
mod reach;
mod turn;

pub use agent::serve;
pub use backend::Backend;
pub use reach::Reach;
