//! What the ports of an agent have in common: where they are reached, who serves them, and when they close.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use synapse_machine::config::ListenConfig;
use synapse_serve::{TlsError, acceptor};

/// Ends when the other end is dropped.
pub(super) async fn is_stopped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// Connections are heard of by those who serve them.
pub(super) fn in_service(
    listener: std::net::TcpListener,
    service: &Handle,
) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    let _service = service.enter();
    TcpListener::from_std(listener)
}

/// Where programs of this machine reach an agent that listens here.
pub(super) fn endpoint(address: SocketAddr) -> String {
    format!("http://{}", reachable(address))
}

/// The address that programs of this machine call to reach what listens here.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// What makes both ports speak TLS, where there is a certificate.
pub(super) fn tls(reach: &ListenConfig) -> Result<Option<TlsAcceptor>, TlsError> {
    let tls = reach.tls.as_ref();
    tls.map(|tls| acceptor(&tls.cert, &tls.key)).transpose()
}
