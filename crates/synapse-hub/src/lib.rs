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
use tokio::sync::{self, Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use synapse_client::client::Callable;
use synapse_machine::config::{Limits, PublicUrl};
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
mod notify;
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
mod watch_flows;
mod watch_registry;
mod worktrees;
mod wrong_codes;

pub use presence::{Presence, Running, answers_by_rule, detour, running};

use auto_answer::AutoAnswer;
use guard::AccessPolicy;
use live::Live;
use login::LoginFile;
use logins::Logins;
use notify::Notify;
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
    /// The address under which others reach it, behind a proxy or a tunnel; Web Push needs it.
    pub public_url: Option<PublicUrl>,
    /// Where a phone on the same network reaches it, if it does.
    pub network_url: Option<String>,
    /// An authority of the person's own, for places that are told over HTTPS.
    pub ca_file: Option<PathBuf>,
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
    notify: Notify,
    public_url: Option<String>,
    network_url: Option<String>,
    /// Which addresses may be called for somebody at the page.
    callable: Callable,
    ca_file: Option<PathBuf>,
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
    rescan: sync::Notify,
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
    let calls = tokio::spawn(notify::watch(hub.clone()));
    let watch_flows = tokio::spawn(watch_flows::watch(hub.clone()));
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
    calls.abort();
    watch_flows.abort();
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
            mut names,
            token,
            public_url,
            network_url,
            ca_file,
            ..
        } = settings;
        names.extend(public_url.as_ref().map(|url| url.host().to_owned()));
        let public_url = public_url.map(|url| url.as_str().trim_end_matches('/').to_owned());
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
            notify: Notify::load(paths.notify(), public_url.is_some())?,
            callable: Callable::by_agent(address.ip().is_loopback()),
            public_url,
            network_url,
            ca_file,
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
            rescan: sync::Notify::new(),
            paths,
        })))
    }

    /// The address under which a link from elsewhere opens the page, if there is one.
    fn reachable_url(&self) -> Option<String> {
        self.public_url.clone().or_else(|| self.network_url.clone())
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
