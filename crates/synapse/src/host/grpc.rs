//! The second port of an agent, where it speaks gRPC: bound when it is asked for, served beside the first.

use std::net::{IpAddr, TcpListener};

use anyhow::Result;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::listen::reachable;
use crate::http::ServerState;
use synapse_machine::config::{Limits, ListenConfig};
use synapse_machine::registry::{PortWish, Registry};

/// Takes the port, if one is wished for.
///
/// # Errors
/// If it is taken, or this binary cannot speak gRPC.
pub(super) fn bind(
    registry: &Registry,
    listen: IpAddr,
    wish: Option<PortWish>,
) -> Result<Option<TcpListener>> {
    let Some(wish) = wish else {
        return Ok(None);
    };
    if cfg!(not(feature = "grpc")) {
        anyhow::bail!(
            "this synapse was built without gRPC; leave out --grpc and the settings grpc and grpc_port, or build it with the feature grpc"
        );
    }
    Ok(Some(registry.bind_grpc(listen, wish)?))
}

/// Where others find it: `host:port`, as clients of gRPC want it.
///
/// # Errors
/// If the system does not say which port it is.
pub(super) fn place(
    listener: Option<&TcpListener>,
    reach: &ListenConfig,
) -> Result<Option<String>> {
    let Some(listener) = listener else {
        return Ok(None);
    };
    let address = listener.local_addr()?;
    Ok(Some(match &reach.public_url {
        Some(url) => format!("{}:{}", url.host(), address.port()),
        None => reachable(address).to_string(),
    }))
}

/// Serves it, if there is one, until the host stops.
#[cfg(feature = "grpc")]
pub(super) fn serve(
    listener: Option<tokio::net::TcpListener>,
    resources: &ServerState,
    tls: Option<TlsAcceptor>,
    limits: Limits,
    stopped: &watch::Receiver<()>,
) -> impl Future<Output = ()> + use<> {
    /// One connection has many calls at once, and the files of a process are for both ports.
    const SHARE: usize = 4;
    let server = listener.map(|listener| synapse_serve::Server {
        listener,
        router: crate::http::grpc_router(resources.clone()),
        tls,
        limits: Limits {
            connections: (limits.connections / SHARE).max(1),
            ..limits
        },
    });
    let stopped = stopped.clone();
    async move {
        if let Some(server) = server {
            server.run_http2(super::listen::is_stopped(stopped)).await;
        }
    }
}

/// Nothing is bound without the feature.
#[cfg(not(feature = "grpc"))]
pub(super) fn serve(
    _: Option<tokio::net::TcpListener>,
    _: &ServerState,
    _: Option<TlsAcceptor>,
    _: Limits,
    _: &watch::Receiver<()>,
) -> impl Future<Output = ()> + use<> {
    std::future::ready(())
}
