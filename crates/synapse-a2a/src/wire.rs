//! How the domain is spelled to others: the dialects of A2A, as pure functions between JSON and the
//! domain. What a client is shown is decided once, in [`shown`] and [`narrator`]; what it asks for comes
//! out of every dialect as the same [`request`]. What an agent elsewhere answers is read back by [`answer`].
//! A dialect only spells.

pub mod answer;
pub mod ask;
pub mod card;
mod dialect;
mod fields;
pub mod grpc;
pub mod jsonrpc;
pub mod media;
pub mod narrator;
mod object;
pub mod operation;
pub mod page;
pub mod protocol_error;
pub mod remote_task;
pub mod request;
pub mod rest;
pub mod shown;
mod spelling;
pub mod sse;
mod time;
pub mod v01;
pub mod v03;
pub mod v03_rest;
pub mod v1;

#[cfg(test)]
mod tests;

pub use dialect::Dialect;
