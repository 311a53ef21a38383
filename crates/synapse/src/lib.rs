//! Everything of Synapse that touches the world, as rooms the `synapse` command is built from.

pub mod config;
pub mod handle;
pub mod paths;
pub mod pty;
pub mod registry;
pub mod tty;
