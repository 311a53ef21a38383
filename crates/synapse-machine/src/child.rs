//! The only way to start a process. It removes the hub's token from the environment, because an agent, a
//! git filter or a browser could read it there. `tests/attacks/hostile/children.rs` checks that no other way is
//! used.

use std::ffi::OsStr;
use std::process::Command;

/// The variables that may hold a token for the hub: the one to use, and its older name.
pub const HUB_TOKENS: [&str; 2] = ["SYNAPSE_WEB_TOKEN", "MCBD_AUTH_TOKEN"];

/// A program that is about to be started.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in HUB_TOKENS {
        command.env_remove(name);
    }
    command
}
