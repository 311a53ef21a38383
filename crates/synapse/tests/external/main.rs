//! Agents elsewhere: our own from another home, and scripted ones of every generation, on real sockets.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this is a test"
)]

mod client;
mod foreign;
mod ours;
mod script;
#[path = "../world/mod.rs"]
mod world;
