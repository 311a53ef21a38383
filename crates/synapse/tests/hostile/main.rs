//! What hostile output, messages, repositories and neighbours try, and do not get. SECURITY.md names each test.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this is a test"
)]

mod children;
mod itself;
mod messages;
mod neighbours;
mod output;
mod printing;
mod projects;
#[path = "../world/mod.rs"]
mod world;
