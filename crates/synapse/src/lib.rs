//! Everything of Synapse that touches the world, as rooms the `synapse` command is built from.

pub mod client;
pub mod config;
pub mod courier;
pub mod external;
pub mod handle;
pub mod hook;
pub mod host;
pub mod http;
pub mod hub;
mod lock;
pub mod log_file;
pub mod mcp;
pub mod mirror;
pub mod paths;
mod private_file;
pub mod pty;
pub mod record;
pub mod registry;
pub mod serve;
pub mod session;
pub mod shell;
pub mod store;
pub mod sweep;
pub mod token;
pub mod trust;
pub mod tty;
