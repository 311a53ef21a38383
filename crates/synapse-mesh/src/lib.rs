//! One mesh over many machines: who is there, and tunnels to their agents, over NATS.
#![forbid(unsafe_code)]

pub mod bridge;
pub mod certificate;
pub mod engine;
pub mod folder;
pub mod frame;
pub mod gateway;
pub mod invitation;
pub mod key;
pub mod name;
pub mod nats;
pub mod presence;
pub mod rights;
pub mod role;
pub mod roster;
pub mod signed;
pub mod tunnel;
