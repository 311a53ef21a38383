//! JSON-RPC: an answer is 200 and says in its body what came of it.

use axum::Json;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::jsonrpc::{self, Call};
use synapse_a2a::wire::operation::operation;
use synapse_a2a::wire::protocol_error::ProtocolError;

use super::super::Served;
use super::desk::{self, Outcome};
use super::stream::Envelope;
use super::{extensions, version};

pub(super) async fn call(State(served): State<Served>, request: Request) -> Response {
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
    match serve(&served, &head.headers, head.uri.query(), call).await {
        Ok(response) => response,
        Err(error) => refuse(&id, &error),
    }
}

async fn serve(
    served: &Served,
    headers: &HeaderMap,
    query: Option<&str>,
    call: Call,
) -> Result<Response, ProtocolError> {
    let version = version(headers, query)?;
    let (dialect, operation) = operation(&call.method, version)?;
    let active = extensions(&served.a2a.facts, headers)?;
    let ask = Ask::from_rpc(operation, dialect, &call.params)?;
    let last = last_event(headers);
    let mut response = match desk::serve(served, dialect, ask, last).await? {
        Outcome::Said(said) => Json(jsonrpc::result(&call.id, &said)).into_response(),
        Outcome::Telling(telling) => telling.respond(served, Envelope::JsonRpc(call.id)),
    };
    response.headers_mut().extend(active);
    Ok(response)
}

/// The number of the last event a client has seen.
pub(super) fn last_event(headers: &HeaderMap) -> Option<u64> {
    let said = headers.get("last-event-id")?;
    said.to_str().ok()?.trim().parse().ok()
}

fn refuse(id: &Value, error: &ProtocolError) -> Response {
    Json(jsonrpc::error(id, error)).into_response()
}
