//! Linux: `/proc`, pidfds, inotify and netlink.

pub(crate) mod changes;
pub mod files;
pub(crate) mod foreground;
pub mod fork;
pub(crate) mod process;
pub mod pty;
mod sock_diag;
pub mod socket;
mod socket_table;
