//! The only way to start a process. It removes the hub's token from the environment, because an agent, a
//! git filter or a browser could read it there. `tests/attacks/hostile/children.rs` checks that no other way is
//! used.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
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

/// The path of this program. After an upgrade it is the path of the program that took its place: Linux calls the one
/// that runs deleted.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().map(in_its_place)
}

/// Goes on as `synapse COMMAND …`, with the arguments of this program, which is beside it. Returns only if it cannot.
pub fn become_command(name: &str) -> io::Error {
    let own = own_program().unwrap_or_default();
    let mut command = Command::new(own.with_file_name("synapse"));
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The version is that of all of it.
    if !matches!(args.as_slice(), [flag] if flag == "--version" || flag == "-V") {
        command.arg(name);
    }
    command.args(args).exec()
}

fn in_its_place(path: PathBuf) -> PathBuf {
    let kept = path.as_os_str().as_bytes().strip_suffix(b" (deleted)");
    match kept.map(|kept| Path::new(OsStr::from_bytes(kept))) {
        Some(kept) if !path.exists() && kept.exists() => kept.to_owned(),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::in_its_place;

    #[test]
    fn a_program_that_was_replaced_is_the_one_in_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let (program, deleted) = (dir.path().join("it"), dir.path().join("it (deleted)"));
        assert_eq!(
            in_its_place(deleted.clone()),
            deleted,
            "nothing took its place"
        );
        fs::write(&program, "").unwrap();
        assert_eq!(in_its_place(deleted.clone()), program);
        fs::write(&deleted, "").unwrap();
        assert_eq!(
            in_its_place(deleted.clone()),
            deleted,
            "a name like any other"
        );
    }
}
