//! The current A2A dialects as clients meet them: the built binary, the dummy agent, bare HTTP. What the
//! official kit checks is checked here too, and what it leaves open.

mod agent;
mod cancel;
mod card;
mod channel;
mod errors;
#[cfg(feature = "grpc")]
mod grpc;
mod list;
mod older;
mod push;
mod questions;
mod rest;
mod send;
mod stream;
