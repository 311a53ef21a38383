//! What people type: commands, messages to agents, shells.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod cli;
mod dummy;
mod errors;
mod replay;
mod routing;
mod shells;
#[path = "../world/mod.rs"]
mod world;
