//! `synapse-shell` is `synapse shell`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let error = synapse_machine::child::become_command("shell");
    eprintln!("synapse-shell: cannot run synapse beside it: {error}");
    ExitCode::FAILURE
}
