//! Real programs in real pseudo-terminals.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]

mod end;
mod flow;
mod human;
mod spawn;
mod talk;
