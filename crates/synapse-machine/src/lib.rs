//! The files, names, settings, processes and sockets of this machine that every part of Synapse shares.
#![forbid(unsafe_code)]

pub mod bidi;
pub mod child;
pub mod config;
pub mod handle;
pub mod hex;
pub mod launch_record;
pub mod lock;
pub mod log_file;
pub mod paths;
pub mod prices;
pub mod private_file;
pub mod prompts;
pub mod registry;
pub mod token;
pub mod trust;
