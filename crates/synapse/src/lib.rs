//! Everything in Synapse that touches files, sockets, processes and terminals; the `synapse` command is
//! built from it.
#![forbid(unsafe_code)]

pub mod courier;
pub mod flow;
pub mod host;
pub mod http;
pub mod human_terminal;
pub mod launch;
pub mod mcp;
