//! The JSON-RPC binding: every answer is 200, and its body has the result or the error.

use axum::Json;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::jsonrpc::{self, Call};
use synapse_a2a::wire::operation::{Operation, operation};
use synapse_a2a::wire::protocol_error::ProtocolError;

use super::super::ServerState;
use super::super::incoming::Caller;
use super::operations::{self, Outcome};
use super::stream::Envelope;
use super::{extensions, version};

pub(super) async fn call(State(served): State<ServerState>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body: Bytes = match to_bytes(body, usize::MAX).await {
        Ok(body) => body,
        Err(error) => {
            let error = ProtocolError::InvalidRequest(format!("the body cannot be read: {error}"));
            return refuse(&Value::Null, &error);
        }
    };
    let call = match jsonrpc::read(&body) {
        Ok(call) => call,
        Err(refused) => return refuse(&refused.id, &refused.error),
    };
    let id = call.id.clone();
    let asked = version(&head.headers, head.uri.query())
        .and_then(|version| operation(&call.method, version));
    let (dialect, operation) = match asked {
        Ok(asked) => asked,
        Err(error) => return refuse(&id, &error),
    };
    match serve(&served, &head, dialect, operation, call).await {
        Ok(response) => response,
        Err(error) if wants_stream(&head.headers, dialect, operation) => {
            refuse_in_stream(&id, &error)
        }
        Err(error) => refuse(&id, &error),
    }
}

async fn serve(
    served: &ServerState,
    head: &Parts,
    dialect: Dialect,
    operation: Operation,
    call: Call,
) -> Result<Response, ProtocolError> {
    let headers = &head.headers;
    let active = extensions(&served.a2a.facts, headers)?;
    let ask = Ask::from_rpc(operation, dialect, &call.params)?;
    let last = last_event(headers);
    let caller = Caller::of_protocol(head);
    let mut response = match operations::serve(served, dialect, ask, last, &caller).await? {
        Outcome::Said(said) => Json(jsonrpc::result(&call.id, &said)).into_response(),
        Outcome::Stream(telling) => telling.respond(served, Envelope::JsonRpc(call.id)),
    };
    response.headers_mut().extend(active);
    Ok(response)
}

/// Whether a refusal must come as a stream to be seen: clients of 0.3 that ask for one read nothing else.
fn wants_stream(headers: &HeaderMap, dialect: Dialect, operation: Operation) -> bool {
    let accepted = headers.get(header::ACCEPT).map(HeaderValue::as_bytes);
    let accepted = accepted.map(String::from_utf8_lossy);
    dialect != Dialect::V1
        && matches!(operation, Operation::Stream | Operation::Subscribe)
        && accepted.is_some_and(|kinds| kinds.contains("text/event-stream"))
}

fn refuse_in_stream(id: &Value, error: &ProtocolError) -> Response {
    let frame = format!("data: {}\n\n", jsonrpc::error(id, error));
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, frame).into_response()
}

/// The number of the last event a client has seen.
pub(super) fn last_event(headers: &HeaderMap) -> Option<u64> {
    let said = headers.get("last-event-id")?;
    said.to_str().ok()?.trim().parse().ok()
}

fn refuse(id: &Value, error: &ProtocolError) -> Response {
    Json(jsonrpc::error(id, error)).into_response()
}
