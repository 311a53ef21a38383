//! The gRPC binding: one message in, one message or a stream of them out, and how it ended in the trailers. The
//! messages are the JSON of 1.0 in other bytes, so everything behind this file is that of the other bindings.

mod body;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use serde_json::Value;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::grpc::{self, Code, Inbox, SERVICE, Status};
use synapse_a2a::wire::operation::{Operation, Version, operation};
use synapse_a2a::wire::protocol_error::ProtocolError;
use tokio::time::{Instant, timeout_at};

use super::super::ServerState;
use super::super::guard::message_limit;
use super::super::incoming::Caller;
use super::operations::{self, Outcome};
use super::stream::Envelope;
use super::{VERSION, extensions};
use body::MessageStream;

const KIND: HeaderValue = HeaderValue::from_static("application/grpc");

pub(in crate::http) async fn call(State(served): State<ServerState>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let answered = match deadline(&head.headers) {
        Ok(until @ Some(at)) => {
            let answered = timeout_at(at, serve(&served, &head, body, until)).await;
            answered.unwrap_or_else(|_| Err(late()))
        }
        Ok(None) => serve(&served, &head, body, None).await,
        Err(error) => Err(Status::from(&error)),
    };
    answered.unwrap_or_else(|status| refuse(&status))
}

/// Refuses a call: its trailers are all there is.
pub(in crate::http) fn refuse(status: &Status) -> Response {
    let mut response = Body::empty().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, KIND);
    response.headers_mut().extend(trailers(status));
    response
}

/// A message of a stream in its frame.
pub(super) fn frame(said: &Value) -> Bytes {
    match grpc::write(Operation::Stream, said) {
        Ok(message) => grpc::frame(&message).into(),
        // No task of ours has such a member, as a property of the dialect says.
        Err(error) => {
            tracing::error!(%error, "a message of a stream cannot be written");
            Bytes::new()
        }
    }
}

async fn serve(
    served: &ServerState,
    head: &Parts,
    body: Body,
    until: Option<Instant>,
) -> Result<Response, Status> {
    let refused = |error: ProtocolError| Status::from(&error);
    let operation = method(head.uri.path()).map_err(refused)?;
    check_version(&head.headers).map_err(refused)?;
    let active = extensions(&served.a2a.facts, &head.headers).map_err(refused)?;
    let message = collect(body, message_limit(head.uri.path())).await?;
    let asked = grpc::read(operation, &message).map_err(|error| Status::from(&error))?;
    let ask = Ask::from_rpc(operation, Dialect::V1, &asked).map_err(refused)?;
    let caller = Caller::of_protocol(head);
    let outcome = operations::serve(served, Dialect::V1, ask, None, &caller).await;
    let body = match outcome.map_err(refused)? {
        Outcome::Said(said) => {
            let message = grpc::write(operation, &said).map_err(|error| Status::from(&error))?;
            MessageStream::of_one(grpc::frame(&message).into())
        }
        Outcome::Stream(telling) => {
            MessageStream::new(telling.start(served, Envelope::Grpc), until)
        }
    };
    let mut response = Body::new(body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, KIND);
    response.headers_mut().extend(active);
    Ok(response)
}

/// What is called.
fn method(path: &str) -> Result<Operation, ProtocolError> {
    let name = path.strip_prefix(SERVICE).ok_or_else(|| {
        ProtocolError::NoMethod(format!(
            "there is nothing at {path}; the service is {SERVICE}"
        ))
    })?;
    operation(name, Version::V1).map(|(_, operation)| operation)
}

/// Refuses a version that this service does not speak. Its name says which one it does, so nobody has to.
fn check_version(headers: &HeaderMap) -> Result<(), ProtocolError> {
    let said = headers.get(VERSION);
    let said = said.map_or("", |value| value.to_str().unwrap_or("?"));
    if said.trim().is_empty() || Version::read(Some(said)) == Ok(Version::V1) {
        return Ok(());
    }
    let said: String = said.chars().take(16).collect();
    Err(ProtocolError::VersionNotSupported(format!(
        "A2A-Version '{said}' is not spoken over gRPC; use 1.0, or JSON-RPC or HTTP+JSON for 0.3"
    )))
}

/// The one message of a call.
async fn collect(mut body: Body, most: usize) -> Result<Vec<u8>, Status> {
    let mut inbox = Inbox::new(most);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let error = format!("the message cannot be read: {error}");
            Status::from(&ProtocolError::InvalidRequest(error))
        })?;
        if let Some(chunk) = frame.data_ref() {
            inbox.take(chunk).map_err(|error| Status::from(&error))?;
        }
    }
    inbox.done().map_err(|error| Status::from(&error))
}

/// Until when a client waits.
fn deadline(headers: &HeaderMap) -> Result<Option<Instant>, ProtocolError> {
    let Some(said) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let wait = grpc::timeout(said.to_str().unwrap_or("?"))?;
    // A deadline that no clock reaches is none.
    Ok(Instant::now().checked_add(wait))
}

/// The client has waited as long as it wanted.
fn late() -> Status {
    Status::new(
        Code::DeadlineExceeded,
        "the deadline of the call is over; a task that was taken goes on",
    )
}

fn trailers(status: &Status) -> HeaderMap {
    let trailers = status.trailers().into_iter();
    let trailers = trailers.filter_map(|(name, value)| {
        let value = HeaderValue::try_from(value).ok()?;
        Some((HeaderName::from_static(name), value))
    });
    trailers.collect()
}
