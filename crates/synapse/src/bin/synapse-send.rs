//! `synapse-send …` is `synapse send …`, for scripts and fingers that like it shorter.

use std::process::ExitCode;

fn main() -> ExitCode {
    let error = synapse_machine::child::become_command("send");
    eprintln!("synapse-send: cannot run synapse beside it: {error}");
    ExitCode::FAILURE
}
