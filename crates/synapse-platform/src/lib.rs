//! What differs between operating systems, behind one interface: the process table, hold of a process, changes of
//! files, pairs of terminals, what happens between fork and exec, and who is at the other end of a connection.
//!
//! Linux is what Synapse runs on. The macOS side type-checks (`make check-mac`) and has never been run; where that
//! system does not tell what Linux tells, it answers with an error and never with a guess.

pub mod background;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod lsof;
#[cfg(target_os = "macos")]
mod macos;
pub mod memory;
pub mod process;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

pub use system::changes::Changes;
pub use system::foreground::Foreground;
pub use system::{files, fork, pty, socket};

/// What a program that has the keyboard waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For a line, and for nothing else.
    Line,
    /// Not for its terminal, though it reads lines from it.
    Work,
    /// For a key, or for one of several things.
    Unclear,
}
