//! `synapse mesh`: several machines as one.

mod bridge;
mod gateway;
mod members;
mod messages;
mod setup;
mod status;

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use synapse_machine::config::{Config, MeshRole};
use synapse_machine::paths::Paths;
use synapse_mesh::name::MachineName;

pub(super) use bridge::bring_back;
pub(super) use messages::cancel_kept;

/// The port of NATS.
const PORT: u16 = 4222;

/// `synapse mesh …`
#[derive(Args)]
#[command(
    after_help = "Example, on a workstation and then on a laptop:\n  synapse mesh up\n  synapse mesh join nats://192.168.1.5:4222 --invite …\n  synapse send codex@workstation \"review this\" --return"
)]
pub(crate) struct Mesh {
    #[command(subcommand)]
    command: MeshCommand,
}

/// The commands below `mesh`.
#[derive(Subcommand)]
enum MeshCommand {
    /// Begin a mesh here with a server of its own, or bring the mesh of this machine up again
    #[command(
        after_help = "Examples:\n  synapse mesh up\n  synapse mesh up --name workstation --role answer"
    )]
    Up(Up),
    /// Join a mesh by an invitation, or begin one on a NATS server that is there
    #[command(
        after_help = "Examples:\n  synapse mesh join nats://192.168.1.5:4222 --invite …\n  synapse mesh join nats://nats.example:4222 --creds me.creds"
    )]
    Join(Join),
    /// Show the machines of the mesh, and whether it is reached
    #[command(after_help = "Example:\n  synapse mesh status --json")]
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Leave the mesh
    #[command(after_help = "Example:\n  synapse mesh leave")]
    Leave {
        /// On the machine that began it: end the mesh for all
        #[arg(long)]
        end: bool,
    },
    /// Print the line that lets one more machine in; it works once, within an hour
    #[command(after_help = "Example:\n  synapse mesh invite laptop --role control")]
    Invite {
        /// What that machine will be called
        name: MachineName,
        /// What it may do to the agents of others: view, send, answer or control
        #[arg(long, default_value_t = MeshRole::Send)]
        role: MeshRole,
    },
    /// List messages that wait for machines that are away, and what became of others
    #[command(after_help = "Example:\n  synapse mesh messages --json")]
    Messages {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Shut a machine out, at once
    #[command(after_help = "Example:\n  synapse mesh revoke laptop")]
    Revoke { name: MachineName },
    /// Give a machine another role
    #[command(after_help = "Example:\n  synapse mesh role laptop answer")]
    Role {
        name: MachineName,
        /// view, send, answer or control
        role: MeshRole,
    },
    /// Serve the cards and A2A of every agent of the mesh behind one address, until Ctrl-C
    #[command(after_help = "Example:\n  synapse mesh gateway --listen 0.0.0.0:8190")]
    Gateway(Gateway),
    /// The process that carries everything
    #[command(hide = true)]
    Run,
}

/// `synapse mesh up …`
#[derive(Args)]
struct Up {
    /// What this machine is called; by default its host name
    #[arg(long)]
    name: Option<MachineName>,
    /// The address the server listens on
    #[arg(long, default_value = "0.0.0.0")]
    listen: IpAddr,
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// The address by which the others reach this machine; by default that of its network
    #[arg(long, value_name = "HOST")]
    address: Option<String>,
    /// What the first invitation lets its machine do
    #[arg(long, default_value_t = MeshRole::Send)]
    role: MeshRole,
}

/// `synapse mesh join …`
#[derive(Args)]
struct Join {
    /// The server, such as `nats://192.168.1.5:4222`; several of a cluster with commas between them
    #[arg(value_delimiter = ',', required = true)]
    servers: Vec<String>,
    /// The secret of an invitation, as `synapse mesh invite` prints it
    #[arg(long, value_name = "SECRET")]
    invite: Option<String>,
    /// A credentials file for a server that somebody else runs
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// What this machine is called; by default its host name
    #[arg(long)]
    name: Option<MachineName>,
}

/// `synapse mesh gateway …`
#[derive(Args)]
struct Gateway {
    /// The address and port to listen on
    #[arg(long, default_value = "127.0.0.1:8190")]
    listen: std::net::SocketAddr,
    /// The address that outsiders know it by, behind a proxy
    #[arg(long, value_name = "URL")]
    public_url: Option<synapse_machine::config::PublicUrl>,
}

pub(crate) fn run(args: &Mesh) -> Result<u8> {
    let paths = Paths::from_env()?;
    match &args.command {
        MeshCommand::Up(args) => setup::up(&paths, args),
        MeshCommand::Join(args) => setup::join(&paths, args),
        MeshCommand::Status { json } => status::show(&paths, *json),
        MeshCommand::Leave { end } => setup::leave(&paths, *end),
        MeshCommand::Invite { name, role } => members::invite(&paths, Some(name), *role),
        MeshCommand::Messages { json } => messages::list(&paths, *json),
        MeshCommand::Revoke { name } => members::revoke(&paths, name),
        MeshCommand::Role { name, role } => members::role(&paths, name, *role),
        MeshCommand::Gateway(args) => gateway::run(&paths, args),
        MeshCommand::Run => bridge::run(&paths),
    }
}

fn config(paths: &Paths) -> Result<Config> {
    Ok(Config::load(&paths.config())?.config)
}
