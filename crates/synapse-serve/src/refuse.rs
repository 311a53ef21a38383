//! Refusals of a whole connection, in the words of the protocol it came for, before anything was read from it.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Protocol;

/// How long a client may take to read why.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is read of a request that nobody will answer.
const DISCARDED: u64 = 64 << 10;

/// Too many are here already.
pub(super) fn full(protocol: Protocol, most: usize) -> Vec<u8> {
    let error = format!(
        "too many connections: {most} are open, which is all there is room for; close some, or raise limits.connections"
    );
    match protocol {
        Protocol::Http1 => answer("503 Service Unavailable", "Retry-After: 1\r\n", &error),
        #[cfg(feature = "http2")]
        Protocol::Http2 => super::http2::go_away(super::http2::Reason::EnhanceYourCalm, &error),
    }
}

/// The client does not speak TLS and is not of this machine.
pub(super) fn unencrypted(protocol: Protocol) -> Vec<u8> {
    match protocol {
        Protocol::Http1 => {
            let error = "this address speaks TLS; use https://";
            answer("400 Bad Request", "", error)
        }
        #[cfg(feature = "http2")]
        Protocol::Http2 => {
            let error = "this address speaks TLS";
            super::http2::go_away(super::http2::Reason::InadequateSecurity, error)
        }
    }
}

fn answer(status: &str, headers: &str, error: &str) -> Vec<u8> {
    let body = json!({ "error": error }).to_string();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}Connection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Says why, and closes. A client that is answered before it has asked takes that for an error, so it may ask first;
/// and closing with unread bytes resets the connection, and the client would never see the reason.
pub(super) async fn say(mut stream: TcpStream, answer: &[u8]) {
    let _ = timeout(PATIENCE, stream.peek(&mut [0])).await;
    let _ = timeout(PATIENCE, async {
        stream.write_all(answer).await?;
        stream.shutdown().await?;
        let mut rest = stream.take(DISCARDED);
        copy(&mut rest, &mut sink()).await
    })
    .await;
}
