//! What people type: commands, messages to agents, shells.
#![cfg(test)]

mod cli;
mod dummy;
mod errors;
mod replay;
mod routing;
mod shells;
#[path = "../world/mod.rs"]
mod world;
