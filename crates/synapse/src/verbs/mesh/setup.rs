//! `synapse mesh up`, `join` and `leave`.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use synapse_machine::config::MeshRole;
use synapse_machine::paths::Paths;
use synapse_mesh::bridge::{ROSTER_KEY, options, roster_bucket};
use synapse_mesh::engine::{self, Engine};
use synapse_mesh::folder::{EngineSettings, Folder, Membership};
use synapse_mesh::invitation::{Joining, Secret};
use synapse_mesh::key::MachineKey;
use synapse_mesh::name::MachineName;
use synapse_mesh::nats::{Kv, Nats, NatsError};
use synapse_mesh::roster::{Member, PURPOSE, Roster};
use synapse_mesh::signed::Signed;
use synapse_store::outbox::{self, OutboxState};

use super::{Join, Up, bridge, config, members};
use crate::verbs::{lookup, print};

/// With what the subjects and buckets of a mesh begin.
const MESH: &str = "synapse";
/// How long a server that is to be joined may take.
const PATIENCE: Duration = Duration::from_secs(6);

pub(super) fn up(paths: &Paths, args: &Up) -> Result<u8> {
    let folder = Folder::new(paths);
    if folder.has_membership() {
        let was_up = folder.is_bridge_running()?;
        let trouble = bridge::start(paths)?;
        let mut membership = folder.membership()?;
        let word = if was_up { "is up already" } else { "is up" };
        note!("the mesh {word}; this machine is {}", membership.name);
        if let Some(trouble) = trouble {
            note!("synapse: {trouble}; it is tried again");
        }
        if let Some(address) = &args.address {
            let Some(engine) = &membership.engine else {
                bail!("the server of this mesh is not on this machine, so --address is of no use");
            };
            membership.servers = vec![url(address, engine.port)];
            folder.write_membership(&membership)?;
            note!("other machines are told {}", membership.servers.join(""));
            return members::invite(paths, None, args.role);
        }
        return Ok(0);
    }
    let name = args.name.clone().unwrap_or_else(MachineName::of_this_host);
    let settings = EngineSettings {
        listen: args.listen,
        port: args.port,
    };
    let version = engine::version()?;
    Engine::prepare(&folder, &settings)?;
    let address = match &args.address {
        Some(address) => address.clone(),
        None => own_address(args.listen).to_string(),
    };
    let membership = Membership {
        mesh: MESH.to_owned(),
        name: name.clone(),
        servers: vec![url(&address, args.port)],
        admin: folder.key()?.public(),
        creds: None,
        engine: Some(settings),
    };
    begin(&folder, &membership)?;
    if let Err(error) = started(paths) {
        // Nothing half-made stays behind.
        folder.forget()?;
        return Err(error);
    }
    note!(
        "the mesh is up (nats-server {version} on port {}); this machine is {name}",
        args.port
    );
    if args.address.is_none() && is_unfound(args.listen, &address) {
        note!(
            "synapse: warning: this machine has no address on a network that is known; others cannot use this line: synapse mesh up --address HOST gives another"
        );
    }
    members::invite(paths, None, args.role)
}

/// Whether the server listens on every network and none was found.
fn is_unfound(listen: IpAddr, address: &str) -> bool {
    let address = address.parse::<IpAddr>();
    listen.is_unspecified() && address.is_ok_and(|address| address.is_loopback())
}

/// Writes down a mesh in which this machine is the first.
fn begin(folder: &Folder, membership: &Membership) -> Result<()> {
    let key = folder.key()?;
    let roster = Roster {
        mesh: membership.mesh.clone(),
        version: 1,
        machines: vec![Member {
            name: membership.name.clone(),
            key: key.public(),
            seal: key.sealing_key(),
            role: MeshRole::Control,
            since: jiff::Timestamp::now(),
        }],
    };
    folder.write_roster(&Signed::sign(&key, PURPOSE, &roster)?)?;
    folder.write_membership(membership)
}

/// Starts the bridge, and ends it if it has no connection.
fn started(paths: &Paths) -> Result<()> {
    if let Some(trouble) = bridge::start(paths)? {
        bridge::stop(paths, false)?;
        bail!("{trouble}");
    }
    Ok(())
}

pub(super) fn join(paths: &Paths, args: &Join) -> Result<u8> {
    let folder = Folder::new(paths);
    if folder.has_membership() {
        let membership = folder.membership()?;
        bail!(
            "this machine is in a mesh already, as {}; first: synapse mesh leave",
            membership.name
        );
    }
    let name = args.name.clone().unwrap_or_else(MachineName::of_this_host);
    let authorities = config(paths)?
        .ca_file
        .map(std::fs::read_to_string)
        .transpose();
    let authorities = authorities
        .context("ca_file cannot be read")?
        .map(Arc::from);
    let creds = args.creds.as_ref().map(std::path::absolute).transpose()?;
    let membership = if let Some(secret) = &args.invite {
        let joining = Joining {
            servers: args.servers.clone(),
            creds,
            secret: Secret::parse(secret)?,
            name,
            authorities,
        };
        lookup::block_on(joining.run(&folder))?
    } else {
        let membership = Membership {
            mesh: MESH.to_owned(),
            name,
            servers: args.servers.clone(),
            admin: folder.key()?.public(),
            creds,
            engine: None,
        };
        let key = Arc::new(folder.key()?);
        lookup::block_on(is_free(&folder, &membership, &key, authorities))?;
        begin(&folder, &membership)?;
        membership
    };
    if let Err(error) = started(paths) {
        folder.forget()?;
        return Err(error);
    }
    writeln!(print::out(), "{} is in the mesh", membership.name)?;
    if args.invite.is_none() {
        note!("this machine is the first here and invites the others: synapse mesh invite NAME");
    } else {
        note!(
            "what others may do here is limited by mesh.allow in {}",
            paths.config().display()
        );
    }
    Ok(0)
}

/// Whether nobody has begun a mesh on a server yet.
async fn is_free(
    folder: &Folder,
    membership: &Membership,
    key: &Arc<MachineKey>,
    authorities: Option<Arc<str>>,
) -> Result<()> {
    let options = options(folder, membership, key, authorities)?;
    let nats = Nats::connect(options, PATIENCE).await;
    let nats = nats.map_err(NatsError::with_hint)?;
    let kv = Kv::of(&nats, &roster_bucket(&membership.mesh, 1).name);
    // A bucket that is not there is what is hoped for.
    if let Ok(Some(_)) = kv.get(ROSTER_KEY).await {
        bail!(
            "there is a mesh on this server already: ask for a line on the machine that began it (synapse mesh invite {}) and paste it here",
            membership.name
        );
    }
    Ok(())
}

pub(super) fn leave(paths: &Paths, end: bool) -> Result<u8> {
    let folder = Folder::new(paths);
    let membership = folder.membership()?;
    let is_admin = folder.key()?.public() == membership.admin;
    if is_admin && !end {
        bail!("this machine began the mesh: to end it for all machines, synapse mesh leave --end");
    }
    bridge::stop(paths, is_admin && end)?;
    if let Some(settings) = &membership.engine {
        // A bridge that was killed has left it running.
        Engine::new(&folder, settings).stop();
    }
    let store = paths.store();
    for kept in outbox::waiting(&store)? {
        // Another mesh may have a machine of that name, which is not who was meant.
        let why = "this machine has left the mesh";
        outbox::settle(&store, &kept.message, OutboxState::Refused, None, Some(why))?;
    }
    folder.forget()?;
    writeln!(print::out(), "{} has left the mesh", membership.name)?;
    if !is_admin {
        note!(
            "its key is still known there until somebody runs: synapse mesh revoke {}",
            membership.name
        );
    }
    Ok(0)
}

/// The address of this machine on its network.
fn own_address(listen: IpAddr) -> IpAddr {
    if !listen.is_unspecified() {
        return listen;
    }
    // Nothing is sent: the kernel only says which address it would send from.
    let asked = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    asked.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

fn url(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("nats://[{host}]:{port}")
    } else {
        format!("nats://{host}:{port}")
    }
}
