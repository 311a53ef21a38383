//! The process behind the web page. It knows all agents of this machine and owns none: it reads the
//! registry and speaks to each agent's own HTTP, so agents live on when it stops. It keeps only who
//! was let in, and the rules by which questions are answered.
#![forbid(unsafe_code)]

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::{Router, middleware};
use jiff::Timestamp;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use synapse_machine::config::Limits;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Registry;
use synapse_machine::token::Token;
use synapse_serve::Server;

mod agents;
mod answering;
mod api;
mod auto_answer;
mod deaths;
mod elsewhere;
mod files;
mod git;
mod guard;
mod history;
mod link;
mod live;
pub mod login;
mod logins;
mod page;
mod past_agents;
mod presence;
mod problem;
mod program;
mod reply_forwarding;
mod shapes;
#[cfg(test)]
mod typescript;
mod usage;
mod watch_registry;
mod worktrees;
mod wrong_codes;

pub use presence::{Presence, Running, answers_by_rule, detour, running};

use auto_answer::AutoAnswer;
use guard::AccessPolicy;
use live::Live;
use login::LoginFile;
use logins::Logins;
use usage::PriceBook;
use worktrees::{Scope, WorktreeIndex};
use wrong_codes::WrongCodes;

/// How long open connections are waited for at the end.
const CONNECTIONS: Duration = Duration::from_secs(2);

/// What a hub is started with.
pub struct Settings {
    /// Where the files are.
    pub paths: Paths,
    /// Folders whose repositories are shown.
    pub roots: Vec<PathBuf>,
    /// Where it was started.
    pub dir: PathBuf,
    /// Names it may be called by, beside those of loopback.
    pub names: Vec<String>,
    /// A token that programs may show instead of a cookie.
    pub token: Option<Token>,
    /// TLS, where there is a certificate; browsers on this machine may do without.
    pub tls: Option<TlsAcceptor>,
    /// Limits on connections, headers and bodies.
    pub limits: Limits,
}

/// What all resources share.
#[derive(Clone, Debug)]
struct Hub(Arc<HubContext>);

#[derive(Debug)]
struct HubContext {
    paths: Paths,
    registry: Registry,
    scope: Scope,
    known: WorktreeIndex,
    live: Live,
    logins: Arc<Logins>,
    wrong_codes: WrongCodes,
    auto: AutoAnswer,
    prices: PriceBook,
    access_policy: AccessPolicy,
    /// The address of the page.
    url: String,
    started_at: Timestamp,
    /// Set when the hub is on its way out.
    stopping: watch::Sender<bool>,
    /// How many sockets of pages are open.
    sockets: watch::Sender<usize>,
    /// Bounds the replies that are waited for.
    carried: Arc<Semaphore>,
    /// Woken when the registry is to be looked at again.
    rescan: Notify,
}

impl std::ops::Deref for Hub {
    type Target = HubContext;

    fn deref(&self) -> &HubContext {
        &self.0
    }
}

/// Serves the page until `stop` is over. `ready` is called once, when a browser can be let in.
///
/// # Errors
/// If the file of logins cannot be read, or `ready` fails.
pub async fn serve(
    settings: Settings,
    listener: std::net::TcpListener,
    ready: impl FnOnce() -> Result<()>,
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (tls, limits) = (settings.tls.clone(), settings.limits);
    let hub = Hub::new(settings, address)?;
    ready()?;
    let watch = tokio::spawn(watch_registry::watch(hub.clone()));
    let server = Server {
        listener,
        router: router(hub.clone()),
        tls,
        limits,
    };
    let mut server = pin!(server.run(hub.stopped()));
    tokio::select! {
        () = &mut server => {}
        () = stop => {}
    }
    hub.stopping.send_replace(true);
    watch.abort();
    // Whoever keeps a connection open for longer is cut off.
    let _ = timeout(CONNECTIONS, async {
        server.await;
        hub.sockets_closed().await;
    })
    .await;
    Ok(())
}

impl Hub {
    fn new(settings: Settings, address: SocketAddr) -> Result<Self> {
        let url = url_of(address, settings.tls.is_some());
        let Settings {
            paths,
            roots,
            dir,
            names,
            token,
            ..
        } = settings;
        let boot = uuid::Uuid::new_v4().simple().to_string();
        let boot = boot.get(..8).unwrap_or(&boot).to_owned();
        Ok(Self(Arc::new(HubContext {
            registry: Registry::new(paths.registry()),
            scope: Scope { roots, home: dir },
            known: WorktreeIndex::default(),
            live: Live::new(boot),
            logins: Arc::new(Logins::load(LoginFile::new(paths.web()))?),
            wrong_codes: WrongCodes::default(),
            auto: AutoAnswer::load(paths.auto_answer())?,
            prices: PriceBook::new(paths.prices()),
            access_policy: AccessPolicy {
                names,
                listen: address.ip(),
                cookie: format!("synapse_{}", address.port()),
                token,
            },
            url,
            started_at: Timestamp::now(),
            stopping: watch::channel(false).0,
            sockets: watch::channel(0).0,
            carried: Arc::new(Semaphore::new(reply_forwarding::CARRIED)),
            rescan: Notify::new(),
            paths,
        })))
    }

    /// Counts a WebSocket until what is given is dropped.
    fn count_socket(&self) -> OpenSocket {
        self.sockets.send_modify(|open| *open += 1);
        OpenSocket(self.clone())
    }

    async fn sockets_closed(&self) {
        let mut sockets = self.sockets.subscribe();
        let _ = sockets.wait_for(|open| *open == 0).await;
    }

    /// Waits until the hub is on its way out.
    fn stopped(&self) -> impl Future<Output = ()> + use<> {
        let mut stopping = self.stopping.subscribe();
        async move {
            let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
        }
    }
}

/// A WebSocket that is open.
struct OpenSocket(Hub);

impl Drop for OpenSocket {
    fn drop(&mut self) {
        let open = &self.0.sockets;
        open.send_modify(|open| *open = open.saturating_sub(1));
    }
}

/// The page and its API, behind the guard.
fn router(hub: Hub) -> Router {
    let guard = middleware::from_fn_with_state(hub.clone(), guard::check);
    api::router()
        .fallback(page::serve)
        .layer(guard)
        .with_state(hub)
}

/// The address of the page, as a person opens it. On this machine there is nobody to encrypt for.
pub fn url_of(address: SocketAddr, has_tls: bool) -> String {
    let ip = match address.ip() {
        ip if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        ip => ip,
    };
    let scheme = if has_tls && !ip.is_loopback() {
        "https"
    } else {
        "http"
    };
    format!("{scheme}://{}", SocketAddr::new(ip, address.port()))
}
