//! The commands, one file each.

pub(crate) mod demo;
pub(crate) mod profile;
mod replay;
