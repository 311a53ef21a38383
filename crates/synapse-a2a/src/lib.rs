//! Tasks, messages and artifacts: the domain of the network side. Pure.
//!
//! A [`task::Task`] is a fold over its [`event::Event`]s, and a reply becomes artifacts in
//! [`parse::Parser`]. Nothing here reads a clock, a file or a socket; time and ids come in as
//! arguments.
#![forbid(unsafe_code)]

pub mod act;
pub mod artifact;
pub mod channel;
pub mod error;
pub mod event;
pub mod id;
pub mod message;
pub mod parse;
pub mod step;
pub mod task;
pub mod usage;
pub mod wire;
