//! `synapse mesh gateway`: one address for outsiders.

use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use synapse_client::mesh::MeshView;
use synapse_machine::paths::Paths;
use synapse_machine::token::Token;
use synapse_mesh::gateway::Gateway as Door;
use synapse_serve::{Server, acceptor};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::{Gateway, config};
use crate::verbs::print;

pub(super) fn run(paths: &Paths, args: &Gateway) -> Result<u8> {
    if MeshView::read(paths)?.is_none() {
        bail!("the mesh is not up here: synapse mesh up");
    }
    let config = config(paths)?;
    let tls = config.tls.as_ref();
    let tls = tls.map(|tls| acceptor(&tls.cert, &tls.key)).transpose()?;
    let file = paths.mesh().join("gateway-token");
    let token = Token::kept_at(&file)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    runtime.context("no runtime")?.block_on(async {
        let listener = TcpListener::bind(args.listen).await;
        let listener = listener.with_context(|| format!("cannot listen on {}", args.listen))?;
        let address = listener.local_addr()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = match &args.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("{scheme}://{address}"),
        };
        if !address.ip().is_loopback() && tls.is_none() && args.public_url.is_none() {
            note!("synapse: warning: the gateway is open to the network without TLS: whoever can listen in has its token");
        }
        let door = Door {
            paths: paths.clone(),
            url: url.clone(),
            token,
        };
        let server = Server {
            listener,
            router: door.router(),
            tls,
            limits: config.limits,
        };
        let mut end = signal(SignalKind::terminate())?;
        writeln!(print::out(), "{url}/agents")?;
        note!("synapse: its token is in {}; Ctrl-C ends it", file.display());
        let stop = async move {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = end.recv() => {}
            }
        };
        server.run(stop).await;
        Ok(0)
    })
}
