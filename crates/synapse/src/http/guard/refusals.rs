//! Every refusal is JSON: what a framework says in plain words, or in none, is put into the same shape.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::super::problem::Problem;
use super::text;

/// The longest reason that is passed on.
const LONGEST: usize = 16 << 10;

/// Answers, and turns a refusal that is no JSON into one that is.
pub(in super::super) async fn in_json(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_refusal = status.is_client_error() || status.is_server_error();
    if !is_refusal || is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = to_bytes(body, LONGEST).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let error = match status.canonical_reason() {
        _ if !said.is_empty() => said,
        // The router adds the header after us.
        Some(reason) if status == StatusCode::METHOD_NOT_ALLOWED => {
            format!(
                "{}; the header Allow names those that are",
                reason.to_lowercase()
            )
        }
        reason => reason.unwrap_or("refused").to_lowercase(),
    };
    let answer = Problem::new(status, error).into_response();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(answer.headers().clone());
    Response::from_parts(parts, answer.into_body())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, header::CONTENT_TYPE).unwrap_or("");
    let kind = kind.split(';').next().unwrap_or("").trim();
    kind == "application/json" || kind.ends_with("+json")
}
