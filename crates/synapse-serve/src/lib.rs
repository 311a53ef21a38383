//! The accept loop: takes connections, bounds how many and how long, and hands every request to the
//! router together with the peer it came from. Knows nothing of what is served.
#![forbid(unsafe_code)]

mod body;
mod crowd;
#[cfg(feature = "http2")]
mod http2;
mod peer;
mod refuse;
mod stream;
mod tls;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

pub use peer::{Peer, Source};
pub use tls::{TlsError, acceptor};

use body::TimedBody;
use crowd::Crowd;
use stream::Stream;

use synapse_machine::config::Limits;

/// How many connections above the limit are told so at one time; those above that are just closed.
const REFUSALS: usize = 64;
/// Files of ours that are not connections: the PTY, the store, logs, records, what the program's
/// tasks open.
const OTHER_FILES: u64 = 128;
/// How long to let others close theirs when the system has no more files for us.
const BREATHER: Duration = Duration::from_millis(100);
/// How long the first request of a connection may take: who has shown nothing gets no more.
const FIRST_REQUEST: Duration = Duration::from_secs(5);
/// Request line and headers together.
const LONGEST_HEAD: usize = 64 << 10;

/// What connections speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Http1,
    #[cfg(feature = "http2")]
    Http2,
}

/// What listens, and what it speaks.
pub struct Server {
    /// Where connections come in.
    pub listener: TcpListener,
    pub router: Router,
    /// TLS, where there is a certificate; clients on this machine may do without.
    pub tls: Option<TlsAcceptor>,
    /// Limits on connections, headers and bodies.
    pub limits: Limits,
}

impl Server {
    /// Serves until `stop` is done, then until the requests at hand are answered. Whoever cannot
    /// wait for that drops it, which closes what is open.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        self.accept(Protocol::Http1, stop).await;
    }

    /// Does the same for clients that speak HTTP/2 from their first byte, as those of gRPC do.
    #[cfg(feature = "http2")]
    pub async fn run_http2(mut self, stop: impl Future<Output = ()>) {
        self.tls = self.tls.as_ref().map(tls::over_http2);
        self.accept(Protocol::Http2, stop).await;
    }

    async fn accept(self, protocol: Protocol, stop: impl Future<Output = ()>) {
        let most = self.limits.connections.min(files_to_spare());
        let (room, polite) = (
            Arc::new(Semaphore::new(most)),
            Arc::new(Semaphore::new(REFUSALS)),
        );
        let (last_call, is_closing) = watch::channel(());
        let acceptor = Arc::new(Acceptor {
            protocol,
            router: TowerToHyperService::new(self.router),
            tls: self.tls,
            limits: self.limits,
        });
        let crowd = Arc::new(Crowd::new(most));
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.listener.accept() => accepted,
            };
            let (stream, from) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    if is_shortage(&error) {
                        tracing::warn!(%error, "no connection can be taken for now");
                        sleep(BREATHER).await;
                    }
                    continue;
                }
            };
            let Ok(to) = stream.local_addr() else {
                continue;
            };
            let peer = Peer::new(from, to);
            if room.available_permits() == 0 || crowd.is_full() {
                // Who has come just now and sent a request has shown who they are after this.
                yield_now().await;
            }
            let permit = match Arc::clone(&room).try_acquire_owned() {
                // Whoever was told to go does so at its next turn, so this takes no time of any client's choice.
                Err(_) if crowd.make_room() => Arc::clone(&room).acquire_owned().await.ok(),
                permit => permit.ok(),
            };
            if let Some(permit) = permit {
                let (place, mut visit) = crowd.enter(&peer);
                peer.wait_in(place);
                let connection =
                    Arc::clone(&acceptor).serve(stream, peer, permit, is_closing.clone());
                connections.spawn(async move {
                    tokio::select! {
                        () = visit.has_to_go() => {}
                        () = connection => {}
                    }
                });
            } else if let Ok(permit) = Arc::clone(&polite).try_acquire_owned() {
                connections.spawn(async move {
                    refuse::say(stream, &refuse::full(protocol, most)).await;
                    drop(permit);
                });
            }
        }
        drop(self.listener);
        drop(last_call);
        while connections.join_next().await.is_some() {}
    }
}

/// What every connection needs.
struct Acceptor {
    protocol: Protocol,
    router: TowerToHyperService<Router>,
    tls: Option<TlsAcceptor>,
    limits: Limits,
}

impl Acceptor {
    /// Serves one connection to its end. The permit goes with the stream, so that a WebSocket counts for
    /// as long as it is open.
    async fn serve(
        self: Arc<Self>,
        stream: TcpStream,
        peer: Peer,
        permit: OwnedSemaphorePermit,
        mut is_closing: watch::Receiver<()>,
    ) {
        let _ = stream.set_nodelay(true);
        let Some(stream) = self.greet(stream, &peer, permit).await else {
            return;
        };
        #[cfg(feature = "http2")]
        if self.protocol == Protocol::Http2 {
            http2::serve(&self, stream, peer, is_closing).await;
            return;
        }
        let (asked, mut is_asked) = watch::channel(false);
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            asked.send_replace(true);
            request.extensions_mut().insert(peer.clone());
            let request = request.map(|body| Body::new(TimedBody::new(body)));
            hyper::service::Service::call(&self.router, request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_header_size(LONGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut connection = pin!(connection);
        let silence = async {
            let asked = is_asked.wait_for(|asked| *asked);
            let is_asked = timeout(FIRST_REQUEST, asked).await.is_ok();
            if is_asked {
                std::future::pending::<()>().await;
            }
        };
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = silence => return,
            _ = is_closing.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        note(&peer, ended);
    }

    /// What the client wants to speak, and whether it may.
    async fn greet(
        &self,
        stream: TcpStream,
        peer: &Peer,
        permit: OwnedSemaphorePermit,
    ) -> Option<Stream> {
        let Some(tls) = &self.tls else {
            return Some(Stream::plain(stream, permit));
        };
        let handshake = async {
            if tls::is_hello(&stream).await? {
                let stream = tls.accept(stream).await?;
                return Ok(Some(Stream::encrypted(stream, permit)));
            }
            if peer.is_here() {
                return Ok(Some(Stream::plain(stream, permit)));
            }
            refuse::say(stream, &refuse::unencrypted(self.protocol)).await;
            io::Result::Ok(None)
        };
        let patience = self.limits.header_timeout.min(FIRST_REQUEST);
        match timeout(patience, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                tracing::debug!(from = %peer.remote(), %error, "no TLS could be agreed on");
                None
            }
            Err(_) => None,
        }
    }
}

/// Tells the log of a connection that did not end as it should.
fn note(peer: &Peer, ended: hyper::Result<()>) {
    if let Err(error) = ended {
        let from = peer.remote();
        tracing::debug!(%from, %error, "a connection ended early");
    }
}

/// How many connections the system lets us have.
fn files_to_spare() -> usize {
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(most.saturating_sub(OTHER_FILES).max(16)).unwrap_or(usize::MAX)
}

/// Whether trying again at once would fail again.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| shortages.contains(&errno))
}
