//! The processes we start. None of them finds in its environment what opens this hub: an agent, a git filter or a
//! browser could read it there. `tests/attacks/hostile/children.rs` sees that there is no other way to start one.

use std::ffi::OsStr;
use std::process::Command;

/// Holds what opens the hub, for who starts it.
pub const HUB_TOKEN: &str = "MCBD_AUTH_TOKEN";

/// A program that is about to be started.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove(HUB_TOKEN);
    command
}
