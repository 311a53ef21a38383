//! The store with real files: what was promised to be there is there.
#![cfg(test)]
#![allow(
    clippy::missing_panics_doc,
    reason = "a test says what went wrong by panicking"
)]

mod bad_file;
mod crash;
mod keep;
mod later;
mod list;
mod orphan;
mod process;
mod retention;
mod search;
mod shelf;
mod side;
mod trouble;
