//! Every refusal of a gRPC call has a code of gRPC: its clients look at nothing else.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;
use synapse_a2a::wire::grpc::{Code, Status};

use super::super::a2a::grpc::refuse;
use super::body::is_grpc_kind;
use super::text;

/// The longest reason that is passed on.
const LONGEST: usize = 16 << 10;

/// What came in where gRPC is spoken.
#[derive(Clone, Copy)]
pub(super) struct GrpcCall;

/// Answers, and turns a refusal by HTTP status into one that a client of gRPC understands.
pub(in super::super) async fn in_grpc(mut request: Request, next: Next) -> Response {
    let is_call = text(request.headers(), header::CONTENT_TYPE).is_some_and(is_grpc_kind);
    request.extensions_mut().insert(GrpcCall);
    let response = next.run(request).await;
    let Some(code) = code(response.status()).filter(|_| is_call) else {
        return response;
    };
    let said = to_bytes(response.into_body(), LONGEST).await;
    let said: Value = serde_json::from_slice(&said.unwrap_or_default()).unwrap_or_default();
    let error = said.get("error").and_then(Value::as_str);
    refuse(&Status::new(code, error.unwrap_or("refused")))
}

/// The code for an HTTP status; nothing where all is well.
fn code(status: StatusCode) -> Option<Code> {
    Some(match status {
        status if status.is_success() => return None,
        StatusCode::BAD_REQUEST | StatusCode::MISDIRECTED_REQUEST => Code::InvalidArgument,
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::PAYLOAD_TOO_LARGE => Code::ResourceExhausted,
        _ => Code::Unknown,
    })
}
