//! The HTTP+JSON binding: errors are told by the HTTP status. Paths below `/v1` are those of 0.3, all
//! others those of 1.0.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::operation::Version;
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::rest::{query, route};

use super::super::ServerState;
use super::super::incoming::Caller;
use super::operations::{self, Outcome};
use super::rpc::last_event;
use super::stream::Envelope;
use super::{extensions, version};

/// Where the interface is.
const BASE: &str = "/a2a/rest";

/// The media type of 1.0.1; before, it was plain JSON.
const A2A_JSON: &str = "application/a2a+json";
const JSON: &str = "application/json";

pub(super) async fn call(State(served): State<ServerState>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let version = version(&head.headers, head.uri.query());
    let is_old = version == Ok(Version::V03);
    match serve(&served, &head, body, version).await {
        Ok(response) => response,
        Err(error) => refuse(&error, is_old),
    }
}

async fn serve(
    served: &ServerState,
    head: &Parts,
    body: Body,
    version: Result<Version, ProtocolError>,
) -> Result<Response, ProtocolError> {
    let version = version?;
    let path = head.uri.path().strip_prefix(BASE).unwrap_or_default();
    let target = route(head.method.as_str(), path, version).map_err(|error| {
        let is_current = route(head.method.as_str(), path, Version::V1).is_ok();
        if version == Version::V03 && is_current {
            return ProtocolError::VersionNotSupported(format!(
                "{path} is one of A2A 1.0; send the header 'A2A-Version: 1.0', or use the paths of 0.3 below /v1"
            ));
        }
        error
    })?;
    let dialect = match version {
        Version::V1 => Dialect::V1,
        Version::V03 => Dialect::V03Rest,
    };
    let active = extensions(&served.a2a.facts, &head.headers)?;
    let body: Bytes = to_bytes(body, usize::MAX).await.map_err(|error| {
        ProtocolError::InvalidRequest(format!("the body cannot be read: {error}"))
    })?;
    let query = query(head.uri.query());
    let ask = Ask::from_rest(target, dialect, &query, &body)?;
    let last = last_event(&head.headers);
    let caller = Caller::of_protocol(head);
    let mut response = match operations::serve(served, dialect, ask, last, &caller).await? {
        // A client always reads JSON, also where there is nothing to say.
        Outcome::Said(Value::Null) => answer(&head.headers, version, &json!({})),
        Outcome::Said(said) => answer(&head.headers, version, &said),
        Outcome::Stream(telling) => telling.respond(served, Envelope::Bare),
    };
    response.headers_mut().extend(active);
    Ok(response)
}

/// An answer in the media type the client used, in that of the protocol if it used none.
fn answer(headers: &HeaderMap, version: Version, said: &Value) -> Response {
    let names = |name: header::HeaderName, kind: &str| {
        let said = headers.get(name).map(HeaderValue::as_bytes);
        let said = said.map(String::from_utf8_lossy);
        said.is_some_and(|said| said.to_ascii_lowercase().contains(kind))
    };
    let wants_plain = names(header::CONTENT_TYPE, JSON) && !names(header::ACCEPT, A2A_JSON);
    let kind = if version == Version::V03 || wants_plain {
        JSON
    } else {
        A2A_JSON
    };
    ([(header::CONTENT_TYPE, kind)], said.to_string()).into_response()
}

fn refuse(error: &ProtocolError, is_old: bool) -> Response {
    let status = StatusCode::from_u16(error.http_status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = if is_old {
        error.to_v03_rest()
    } else {
        error.to_rest()
    };
    let mut response = (status, axum::Json(body)).into_response();
    if let ProtocolError::NotAllowed { allowed, .. } = error
        && let Ok(allowed) = HeaderValue::from_str(allowed)
    {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}
