//! `@handle message` typed into a wrapped program, as a person types: real terminals, real agents.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this is a test"
)]

mod abroad;
mod answers;
mod desk;
mod output;
mod passing;
mod recorder;
mod typing;
#[path = "../world/mod.rs"]
mod world;
