//! The commands, as a person types them: the built binary, real terminals, the dummy agent.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this is a test"
)]

mod answer;
mod config;
mod doctor;
mod learn;
mod list;
mod logs;
mod screens;
mod send;
mod start;
#[path = "../world/mod.rs"]
mod world;
