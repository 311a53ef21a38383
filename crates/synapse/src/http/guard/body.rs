//! What may be sent: JSON, or the frames of gRPC where it is spoken, and not too much of it. A form or plain text is what a web page can send without asking,
//! so neither is taken.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::IntoResponse as _;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Body as _;
use serde_json::Value;
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::{grpc, jsonrpc};
use tokio::time::timeout;

use super::{Refusal, is_grpc, text};

/// The largest body.
const USUAL: usize = 1 << 20;
/// The largest body of a message, which may come with files.
const WITH_FILES: usize = 23 << 20;
/// The same over gRPC, where files are not base64.
const WITH_BARE_FILES: usize = 17 << 20;
/// Where JSON-RPC is spoken.
const JSON_RPC: [&str; 3] = ["/", "/a2a", "/a2a/"];
/// Where HTTP+JSON is spoken.
const REST: &str = "/a2a/rest/";
/// How much of a refused body is read, so that a client that is still sending sees why it was refused.
const DISCARDED: usize = 4 << 20;
/// And for how long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Refuses a body that is not JSON; where gRPC is spoken, all that is not gRPC.
pub(super) fn check_kind(request: &Request) -> Result<(), Refusal> {
    if is_grpc(request) {
        let kind = text(request.headers(), header::CONTENT_TYPE).unwrap_or("");
        if request.method() == Method::POST && is_grpc_kind(kind) {
            return Ok(());
        }
        let error = "this port speaks gRPC: POST with the Content-Type application/grpc";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(());
    }
    let kind = request.headers().get(header::CONTENT_TYPE);
    let has_body = !request.body().is_end_stream();
    let is_fine = match kind {
        Some(kind) => kind.to_str().is_ok_and(is_json),
        None => !has_body,
    };
    if is_fine {
        return Ok(());
    }
    let error = ProtocolError::BodyType;
    let path = request.uri().path();
    // A client of the protocol looks for the reason where its binding puts it.
    let answer = if JSON_RPC.contains(&path) {
        jsonrpc::error(&Value::Null, &error)
    } else if path.starts_with(REST) {
        error.to_rest()
    } else {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            error.to_string(),
        ));
    };
    let answer = (StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(answer));
    Err(Refusal(Box::new(answer.into_response())))
}

/// Refuses a body that says it is too large, and cuts one that is without saying so.
pub(super) fn bound(request: &mut Request) -> Result<(), Refusal> {
    let most = if is_grpc(request) {
        grpc::HEAD + message_limit(request.uri().path())
    } else {
        limit(request.method(), request.uri().path())
    };
    let says = text(request.headers(), header::CONTENT_LENGTH).and_then(|size| size.parse().ok());
    if says.is_some_and(|size: u64| size > most as u64) {
        let error = format!("the body is too large: at most {} MiB", most >> 20);
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error));
    }
    let body = std::mem::take(request.body_mut());
    *request.body_mut() = Body::new(Limited::new(body, most));
    Ok(())
}

/// Reads what a refused client is sending; closing the connection before would lose the refusal.
pub(super) async fn discard(request: Request) {
    if waits_for_leave(request.headers()) {
        return;
    }
    let mut body = Limited::new(request.into_body(), DISCARDED);
    let _ = timeout(PATIENCE, async {
        while let Some(Ok(_)) = body.frame().await {}
    })
    .await;
}

/// How much a call of gRPC may send.
pub(in crate::http) fn message_limit(path: &str) -> usize {
    match path.rsplit('/').next() {
        Some("SendMessage" | "SendStreamingMessage") => WITH_BARE_FILES,
        _ => USUAL,
    }
}

/// Whether a media type is that of gRPC with protocol buffers.
pub(super) fn is_grpc_kind(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or("").trim();
    ["application/grpc", "application/grpc+proto"]
        .iter()
        .any(|known| kind.eq_ignore_ascii_case(known))
}

fn limit(method: &Method, path: &str) -> usize {
    let is_send = path.starts_with("/tasks/send")
        || JSON_RPC.contains(&path)
        || path == "/message"
        || path.starts_with(REST) && path.contains("/message:")
        || path.starts_with("/external/agents/") && path.ends_with("/send");
    if method == Method::POST && is_send {
        WITH_FILES
    } else {
        USUAL
    }
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or("").trim();
    ["application/json", "application/a2a+json"]
        .iter()
        .any(|known| kind.eq_ignore_ascii_case(known))
}

fn waits_for_leave(headers: &HeaderMap) -> bool {
    text(headers, header::EXPECT).is_some_and(|expect| expect.eq_ignore_ascii_case("100-continue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(method: Method, kind: Option<&str>, body: &'static str) -> bool {
        let mut request = Request::builder().method(method);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        check_kind(&request.body(Body::from(body)).unwrap()).is_ok()
    }

    #[test]
    fn a_body_is_json_or_not_taken() {
        assert!(kind(Method::POST, Some("application/json"), "{}"));
        assert!(kind(
            Method::POST,
            Some("Application/A2A+JSON; charset=utf-8"),
            "{}"
        ));
        assert!(!kind(Method::POST, Some("text/plain"), "{}"));
        assert!(!kind(Method::POST, Some("text/plain"), ""));
        assert!(!kind(
            Method::POST,
            Some("application/x-www-form-urlencoded"),
            "a=b"
        ));
        assert!(!kind(Method::POST, None, "{}"));
        assert!(!kind(Method::DELETE, None, "{}"));
        assert!(kind(Method::POST, None, ""), "a cancel needs no body");
        assert!(kind(Method::GET, Some("text/plain"), ""));
    }

    #[test]
    fn files_may_come_with_messages_only() {
        for path in [
            "/",
            "/a2a",
            "/a2a/",
            "/message",
            "/tasks/send",
            "/tasks/send-priority",
            "/tasks/sendSubscribe",
            "/a2a/rest/message:send",
            "/a2a/rest/v1/message:stream",
            "/external/agents/x/send",
        ] {
            assert_eq!(limit(&Method::POST, path), WITH_FILES, "{path}");
        }
        for path in ["/keys", "/tasks/t-1/input", "/external/discover"] {
            assert_eq!(limit(&Method::POST, path), USUAL, "{path}");
        }
    }
}
