//! The bridge: the one process of a machine that is in a mesh. It says who is here, keeps a file of who is elsewhere,
//! carries requests of programs of this machine to agents elsewhere, and requests from elsewhere to the agents of this
//! machine. Agents know nothing of it.

mod admin;
mod api;
mod outbox;
mod supervisor;
mod view;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use synapse_client::mesh::MeshView;
use synapse_machine::config::Limits;
use synapse_machine::lock::LockGuard;
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::read_string;
use synapse_machine::token::Token;
use synapse_serve::Server as HttpServer;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::folder::{Folder, Membership};
use crate::key::{MachineKey, random};
use crate::nats::{Auth, Bucket, Kv, Link, Nats, NatsError, Options, Server, Storage, Trust};
use crate::presence::{self, Sightings, Speaker, Watcher};
use crate::rights::Rights;
use crate::roster::{PURPOSE, Roster};
use crate::signed::Signed;
use crate::tunnel::{Answering, Tunnels};

pub use admin::ROSTER_KEY;

/// How long the first connection may take before somebody is told that there is none.
const FIRST: Duration = Duration::from_secs(15);

/// What a bridge runs with.
pub struct Settings {
    pub paths: Paths,
    pub rights: Rights,
    /// On how many servers of a cluster the buckets are kept.
    pub replicas: u8,
    /// How many messages are kept for machines that are away.
    pub outbox_limit: usize,
    /// Authorities that are believed besides those of the system, PEM.
    pub authorities: Option<Arc<str>>,
    pub limits: Limits,
}

/// What the parts of a bridge share.
struct Shared {
    paths: Paths,
    folder: Folder,
    membership: Membership,
    key: Arc<MachineKey>,
    nats: Nats,
    tunnels: Arc<Tunnels>,
    roster: watch::Sender<Arc<Roster>>,
    sightings: watch::Receiver<Sightings>,
    stop: Notify,
    outbox_limit: usize,
    /// Something was kept for another machine.
    kept: Notify,
    /// For whom messages wait.
    lined_up: Mutex<outbox::LinedUp>,
    /// Kept messages that are being handed over or canceled.
    in_hand: outbox::InHand,
}

/// How to connect to the servers of a mesh.
///
/// # Errors
/// When an address or a file is wrong.
pub fn options(
    folder: &Folder,
    membership: &Membership,
    key: &Arc<MachineKey>,
    authorities: Option<Arc<str>>,
) -> Result<Options> {
    let servers = membership.servers.iter().map(|server| server.parse());
    let mut servers: Vec<Server> = servers.collect::<Result<_, NatsError>>()?;
    if let Some(engine) = &membership.engine {
        // Whatever address the others use, this machine has its server here.
        let here = if engine.listen.is_unspecified() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            engine.listen
        };
        servers = vec![Server::new(&here.to_string(), engine.port)];
    }
    let authority = folder.authority();
    let trust = match read_string(&authority) {
        Ok(pem) => Trust::Authority(pem.into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Trust::System(authorities),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", authority.display()));
        }
    };
    let auth = match (&membership.creds, &trust) {
        (Some(file), _) => Auth::from_creds(file).map_err(anyhow::Error::msg)?,
        (None, Trust::System(_)) => Auth::FromAddress,
        (None, _) => Auth::Nkey(Arc::clone(key)),
    };
    Ok(Options {
        servers,
        auth,
        trust,
        inbox: membership.name.to_string(),
        name: format!("{} (synapse)", membership.name),
    })
}

/// The bucket of the roster.
pub fn roster_bucket(mesh: &str, replicas: u8) -> Bucket {
    Bucket {
        name: format!("{mesh}_roster"),
        max_age: Duration::ZERO,
        storage: Storage::File,
        replicas,
        max_bytes: 8 << 20,
    }
}

/// Runs the bridge until `stop`, or until it is told to end. `ready` is called with the trouble there is, if any, once
/// it can be used.
///
/// # Errors
/// When another one runs, or this machine is in no mesh.
pub async fn run(
    settings: Settings,
    ready: impl FnOnce(Option<String>) -> Result<()>,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let folder = Folder::new(&settings.paths);
    let membership = folder.membership()?;
    create_folder(folder.path())?;
    let token = Token::kept_at(&settings.paths.mesh_token())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let _lock = announce(&folder, address)?;
    let key = Arc::new(folder.key()?);
    let roster = folder
        .roster(membership.admin)?
        .context("there is no roster; join again")?;
    let mut engine = supervisor::start(&folder, &membership, &roster)?;
    let nats = Nats::begin(options(
        &folder,
        &membership,
        &key,
        settings.authorities.clone(),
    )?);
    let (roster, seen_roster) = watch::channel(Arc::new(roster));
    let (_rights, seen_rights) = watch::channel(Arc::new(settings.rights.clone()));
    let (sightings, seen) = watch::channel(Sightings::default());
    let tunnels = Tunnels::new(
        &nats,
        &membership.mesh,
        &key,
        &membership.name,
        seen_roster.clone(),
    );
    let shared = Arc::new(Shared {
        paths: settings.paths.clone(),
        folder: folder.clone(),
        membership: membership.clone(),
        key: Arc::clone(&key),
        nats: nats.clone(),
        tunnels: Arc::clone(&tunnels),
        roster,
        sightings: seen,
        stop: Notify::new(),
        outbox_limit: settings.outbox_limit,
        kept: Notify::new(),
        lined_up: Mutex::default(),
        in_hand: outbox::InHand::default(),
    });
    let first = tokio::select! {
        first = first_connection(&shared, settings.replicas) => first.map_err(|error| error.to_string()),
        why = supervisor::watch_start(&mut engine) => Err(why),
    };
    let (last_call, is_over) = watch::channel(());
    let closing = || {
        let mut is_over = is_over.clone();
        async move { drop(is_over.changed().await) }
    };
    let mut tasks = JoinSet::new();
    tasks.spawn(watcher(&shared).run(sightings));
    tasks.spawn(Arc::clone(&tunnels).run(answering(&shared, seen_rights)));
    tasks.spawn(view::keep(Arc::clone(&shared), format!("http://{address}")));
    tasks.spawn(admin::keep_roster(Arc::clone(&shared), settings.replicas));
    tasks.spawn(admin::let_in(Arc::clone(&shared)));
    tasks.spawn(outbox::deliver(Arc::clone(&shared)));
    let speaking = tokio::spawn(speaker(&shared).run(closing()));
    let server = HttpServer {
        listener,
        router: api::router(Arc::clone(&shared), token),
        tls: None,
        limits: settings.limits,
    };
    let serving = tokio::spawn(server.run(closing()));
    let supervising = tokio::spawn({
        let (shared, closing) = (Arc::clone(&shared), closing());
        async move {
            if let Some(engine) = &mut engine {
                supervisor::keep(engine, &shared.nats, closing).await;
            }
            engine
        }
    });
    ready(first.err())?;
    tokio::select! {
        () = stop => {}
        () = shared.stop.notified() => {}
    }
    drop(last_call);
    // What was said last must be on its way before the connection ends.
    let _ = speaking.await;
    let _ = presence(&shared).keys().await;
    tasks.shutdown().await;
    serving.abort();
    let engine = supervising.await.ok().flatten();
    if let Some(mut engine) = engine {
        let _ = tokio::task::spawn_blocking(move || engine.stop()).await;
    }
    let _ = synapse_machine::private_file::remove(&folder.bridge());
    Ok(())
}

/// What says that this machine is here.
fn speaker(shared: &Shared) -> Speaker {
    let boot = random::<8>().map_or(0, u64::from_be_bytes);
    Speaker {
        kv: presence(shared),
        nats: shared.nats.clone(),
        key: Arc::clone(&shared.key),
        name: shared.membership.name.clone(),
        boot: format!("{boot:016x}"),
        registry: shared.paths.registry(),
    }
}

/// What reads who else is.
fn watcher(shared: &Shared) -> Watcher {
    Watcher {
        nats: shared.nats.clone(),
        kv: presence(shared),
        roster: shared.roster.subscribe(),
    }
}

/// What answers the other machines.
fn answering(shared: &Shared, rights: watch::Receiver<Arc<Rights>>) -> Arc<Answering> {
    Arc::new(Answering {
        own: shared.membership.name.clone(),
        registry: shared.paths.registry(),
        roster: shared.roster.subscribe(),
        rights,
    })
}

fn presence(shared: &Shared) -> Kv {
    let bucket = presence::bucket(&shared.membership.mesh, 1);
    Kv::of(&shared.nats, &bucket.name)
}

/// Waits for a connection, and makes what is missing on the server.
async fn first_connection(shared: &Shared, replicas: u8) -> Result<(), NatsError> {
    let deadline = Instant::now() + FIRST;
    loop {
        match shared.nats.ready(FIRST).await {
            Ok(()) => break,
            // The server may not have read yet that this machine was just let in.
            Err(NatsError::Refused { .. }) if Instant::now() < deadline => {
                sleep(Duration::from_millis(50)).await;
            }
            Err(error) => return Err(error),
        }
    }
    if admin::is_admin(shared) {
        admin::prepare(shared, replicas).await?;
    }
    Ok(())
}

/// Makes it known that this process is the bridge, unless another one is.
fn announce(folder: &Folder, address: SocketAddr) -> Result<LockGuard> {
    let path = folder.bridge();
    let _turn = LockGuard::wait_for(&path.with_extension("turn"))?;
    if folder.is_bridge_running()? {
        bail!("the bridge of this machine runs already; see: synapse mesh status");
    }
    let text = json!({ "pid": std::process::id(), "url": format!("http://{address}") });
    Ok(LockGuard::create(&path, text.to_string().as_bytes())?)
}

/// Takes a roster that the machine that invites has signed, if it is later than ours.
fn take_roster(shared: &Shared, signed: &Signed) {
    let Ok(roster) = signed.open::<Roster>(shared.membership.admin, PURPOSE) else {
        tracing::warn!("a roster that the wrong machine has signed is ignored");
        return;
    };
    let is_news = roster.version > shared.roster.borrow().version;
    if !is_news || roster.mesh != shared.membership.mesh {
        return;
    }
    if let Err(error) = shared.folder.write_roster(signed) {
        tracing::warn!(%error, "the roster cannot be kept");
    }
    let gone: Vec<_> = {
        let old = shared.roster.borrow();
        let names = old.machines.iter().map(|member| member.name.clone());
        names
            .filter(|name| roster.member(name.as_str()).is_none())
            .collect()
    };
    shared.roster.send_replace(Arc::new(roster));
    for name in gone {
        shared
            .tunnels
            .cut(&name, "this machine is no more in the mesh");
    }
    // What waits for one that is gone waits no more.
    shared.kept.notify_one();
}

/// Why this machine is in the mesh no more, if it is not.
fn revoked(shared: &Shared) -> Option<String> {
    let roster = shared.roster.borrow();
    let is_in = roster.member(shared.membership.name.as_str()).is_some();
    (!is_in).then(|| "this machine was revoked; `synapse mesh leave` forgets the mesh".to_owned())
}

/// Why there is no connection, if there is none.
fn trouble(shared: &Shared) -> Option<String> {
    if let Some(why) = revoked(shared) {
        return Some(why);
    }
    match &*shared.nats.link().borrow() {
        Link::Up(_) => None,
        Link::Connecting => Some("no connection yet".to_owned()),
        Link::Down(error) => Some(error.to_string()),
    }
}

/// The view that a bridge left, of machines that it saw and we have not yet. Those that were there then were seen when it
/// was written.
fn previous(folder: &Folder) -> Option<MeshView> {
    let mut view: MeshView = folder.read("machines.json").ok().flatten()?;
    let written = std::fs::metadata(folder.file("machines.json")).and_then(|file| file.modified());
    let written = written
        .ok()
        .and_then(|at| jiff::Timestamp::try_from(at).ok());
    for machine in view.machines.iter_mut().filter(|machine| machine.is_here) {
        machine.seen = written;
    }
    Some(view)
}
