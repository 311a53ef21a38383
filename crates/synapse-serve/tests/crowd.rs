//! Who is let in when many come at once.
#![cfg(test)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use axum::Router;
use axum::extract::Extension;
use axum::routing::get;
use synapse_machine::config::Limits;
use synapse_serve::{Peer, Server};
use tokio::sync::oneshot;

const ROOM: usize = 8;

/// Shows who it is, as a request with a token does.
async fn known(Extension(peer): Extension<Peer>) -> &'static str {
    peer.prove();
    "welcome"
}

/// A connection that has said something.
fn call(address: std::net::SocketAddr, said: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(said.as_bytes()).unwrap();
    stream
}

/// Some stay open after their request; then slow ones and a last honest one come before the server has looked at any.
fn last_of_a_crowd(honest: usize, slow: usize) -> String {
    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits {
        connections: ROOM,
        ..Limits::default()
    };
    let server = Server {
        listener,
        router: Router::new().route("/", get(known)),
        tls: None,
        limits,
    };
    let stays: Vec<_> = (0..honest).map(|_| call(address, REQUEST)).collect();
    let crowd: Vec<_> = (0..slow)
        .map(|_| call(address, "GET / HTTP/1.1\r\nHost: loc"))
        .collect();
    let mut last = call(
        address,
        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    let (stop, is_stopped) = oneshot::channel::<()>();
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        let read = last.read_to_string(&mut said);
        drop((stays, crowd, stop));
        read.map(|_| said)
    });
    runtime.block_on(server.run(async { drop(is_stopped.await) }));
    reader.join().unwrap().unwrap()
}

#[test]
fn a_burst_of_slow_connections_keeps_nobody_out() {
    for slow in [ROOM, 3 * ROOM, 12 * ROOM] {
        let said = last_of_a_crowd(0, slow);
        assert!(said.ends_with("welcome"), "after {slow}: {said}");
    }
}

#[test]
fn slow_connections_beside_honest_ones_keep_nobody_out() {
    let said = last_of_a_crowd(ROOM / 2, 3 * ROOM);
    assert!(said.ends_with("welcome"), "{said}");
}

#[test]
fn where_all_have_shown_who_they_are_the_next_is_told_why_not() {
    let said = last_of_a_crowd(ROOM, 0);
    assert!(said.starts_with("HTTP/1.1 503"), "{said}");
}
