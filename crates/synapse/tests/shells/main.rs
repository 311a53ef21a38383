//! Real bash, zsh and fish in real terminals, with the hook in them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is a test"
)]

mod abroad;
mod awkward;
mod own;
mod scripts;
mod settings;
mod shell;
mod untouched;
#[path = "../world/mod.rs"]
mod world;
