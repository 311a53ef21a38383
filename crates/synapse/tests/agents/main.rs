//! Agents from the outside: their HTTP, their tasks, what they are asked and what they say.
#![cfg(test)]

mod a2a;
mod acp;
mod acp_backend;
mod external;
mod host;
mod mcp;
mod programs;
mod tasks;
mod tmux;
mod witnesses;
#[path = "../world/mod.rs"]
mod world;
