//! macOS: libproc, kqueue and `lsof`.

pub(crate) mod changes;
pub mod files;
pub(crate) mod foreground;
pub mod fork;
pub(crate) mod process;
pub mod pty;
mod queue;
pub mod socket;
