//! How the domain is spelled to others: the dialects of A2A, as pure functions between JSON and the
//! domain. What a client is shown is decided once, in [`shown`] and [`narrator`]; what it asks for comes
//! out of every dialect as the same [`request`]. A dialect only spells.

pub mod card;
mod fields;
pub mod jsonrpc;
pub mod media;
pub mod narrator;
mod object;
pub mod operation;
pub mod page;
pub mod protocol_error;
pub mod request;
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

/// A spelling of the domain. Who asked in one is answered in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// A2A 1.0, the same over JSON-RPC and HTTP+JSON.
    V1,
    /// A2A 0.3 over JSON-RPC; 0.2 is alike.
    V03,
    /// A2A 0.3 over HTTP+JSON, which is spelled as its proto is.
    V03Rest,
    /// The first published A2A, where the client names the task.
    V01,
}
