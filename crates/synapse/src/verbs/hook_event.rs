//! `synapse hook-event SOCKET`: what a wrapped program runs as its hook. It passes its input to the agent's
//! host, prints the host's answer, if there is one, and ends. Where the host cannot be reached it is silent
//! and harmless: what a hook prints may reach the model.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use clap::Args;
use synapse_machine::private_file::is_ours;

/// The most that is passed on: the result of a tool may be in it.
const LONGEST: u64 = 16 << 20;

/// `synapse hook-event …`
#[derive(Args)]
pub(crate) struct HookEvent {
    /// The socket of the agent's host
    socket: PathBuf,
}

pub(crate) fn run(args: &HookEvent) {
    let _ = pass(args);
}

fn pass(args: &HookEvent) -> io::Result<()> {
    let mut payload = Vec::new();
    io::stdin().take(LONGEST).read_to_end(&mut payload)?;
    // Whoever else listens there must not answer for the person.
    if !is_ours(&std::fs::symlink_metadata(&args.socket)?) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut host = UnixStream::connect(&args.socket)?;
    host.write_all(&payload)?;
    host.shutdown(Shutdown::Write)?;
    // The host closes its end when it has heard us, or when there will be no answer.
    let mut answer = Vec::new();
    host.read_to_end(&mut answer)?;
    // The program that runs us reads this, not a person.
    let mut out = super::print::exact();
    out.write_all(&answer)?;
    out.flush()
}
