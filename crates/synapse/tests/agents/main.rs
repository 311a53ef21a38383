//! Agents from the outside: their HTTP, their tasks, what they are asked and what they say.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod a2a;
mod external;
mod host;
mod mcp;
mod programs;
mod tasks;
mod witnesses;
#[path = "../world/mod.rs"]
mod world;
