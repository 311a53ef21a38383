//! Agents from the outside: their HTTP, their tasks, what they are asked and what they say.
#![cfg(test)]

mod a2a;
mod acp;
mod external;
mod host;
mod mcp;
mod programs;
mod tasks;
mod witnesses;
#[path = "../world/mod.rs"]
mod world;
