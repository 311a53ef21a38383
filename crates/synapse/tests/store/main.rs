//! The store with real files: what was promised to be there is there.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test says what went wrong by panicking"
)]

mod keep;
mod shelf;
