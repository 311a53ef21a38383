//! What must not happen: intruders, hostile programs, deaths and floods.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod crash;
mod door;
mod faults;
mod hostile;
#[path = "../world/mod.rs"]
mod world;
