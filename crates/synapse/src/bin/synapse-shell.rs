//! `synapse-shell` is `synapse shell`.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let own = synapse_machine::child::own_program().unwrap_or_default();
    let mut command = Command::new(own.with_file_name("synapse"));
    let error = command
        .arg("shell")
        .args(std::env::args_os().skip(1))
        .exec();
    eprintln!("synapse-shell: cannot run synapse beside it: {error}");
    ExitCode::FAILURE
}
