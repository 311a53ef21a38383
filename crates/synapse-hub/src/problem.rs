//! Refusals: what is wrong and what to do, for people, and a code by which the page finds its own words.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    body: Map<String, Value>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &str, error: impl Into<String>) -> Self {
        let mut body = Map::new();
        body.insert("error".to_owned(), Value::String(error.into()));
        body.insert("code".to_owned(), code.into());
        Self { status, body }
    }

    /// The error text of the Stop contract (docs/hub-api.md), and nothing else.
    pub(super) fn plain(status: StatusCode, error: impl Into<String>) -> Self {
        let mut problem = Self::new(status, "", error);
        problem.body.remove("code");
        problem
    }

    /// A field is missing or wrong.
    pub(super) fn bad(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", error)
    }

    pub(super) fn missing(code: &str, error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, error)
    }

    pub(super) fn conflict(code: &str, error: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, error)
    }

    /// Something of ours went wrong.
    pub(super) fn internal(error: impl std::fmt::Display) -> Self {
        let error = format!("{error:#}");
        tracing::warn!(error, "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error)
    }

    /// With something more to say.
    pub(super) fn with(mut self, field: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.body.insert(field.to_owned(), value);
        self
    }

    /// Under another code.
    pub(super) fn called(self, code: &str) -> Self {
        self.with("code", code)
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// Whether it was the request that was wrong.
    pub(super) fn is_client_error(&self) -> bool {
        self.status.is_client_error()
    }

    /// What is wrong, in words.
    pub(super) fn error(&self) -> &str {
        let error = self.body.get("error").and_then(Value::as_str);
        error.unwrap_or_default()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}
