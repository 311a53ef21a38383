//! `synapse-send …` is `synapse send …`, for scripts and fingers that like it shorter.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let own = synapse_machine::child::own_program().unwrap_or_default();
    let mut command = Command::new(own.with_file_name("synapse"));
    let error = command.arg("send").args(std::env::args_os().skip(1)).exec();
    eprintln!("synapse-send: cannot run synapse beside it: {error}");
    ExitCode::FAILURE
}
