//! Everything of Synapse that touches the world, as rooms the `synapse` command is built from.
#![forbid(unsafe_code)]

pub mod courier;
pub mod host;
pub mod http;
pub mod launch;
pub mod mcp;
pub mod mirror;
