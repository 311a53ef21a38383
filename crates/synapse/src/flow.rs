//! The process that runs a flow: it does what the scheduler says and writes down what came of it. Which step comes next
//! is decided in `synapse_flow`; nothing is decided here.
//!
//! An event is on disk before anybody acts on it. What is under way when this process dies is found again: messages by
//! their names, commands by what their own process has left behind.

mod agents;
pub mod command;
mod git;
mod prompt;
mod runner;
mod work;

pub use runner::{Ended, Observer, Runner, begin, now};
