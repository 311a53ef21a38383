//! Refusals as JSON: what is wrong, and what would be right.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use synapse_session::Refusal;

/// A refusal as it goes over the wire.
#[derive(Serialize, ToSchema)]
pub(super) struct ProblemBody {
    /// What is wrong, and what would be right.
    error: String,
}

/// A refusal: what is wrong, and what would be right.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    error: String,
}

impl Problem {
    pub(super) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self {
            status,
            error: error.into(),
        }
    }

    /// What is wrong, in words.
    pub(super) fn said(&self) -> &str {
        &self.error
    }

    pub(super) fn bad(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(ProblemBody { error: self.error })).into_response()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match &refusal {
            Refusal::QueueFull(_) => StatusCode::TOO_MANY_REQUESTS,
            Refusal::NoSuchTask(_) => StatusCode::NOT_FOUND,
            Refusal::NotAsking(_)
            | Refusal::NotWaiting(_)
            | Refusal::BadAnswer(_)
            | Refusal::Empty
            | Refusal::TooManyHops(_) => StatusCode::BAD_REQUEST,
            Refusal::Changed { .. }
            | Refusal::Over(_)
            | Refusal::NoReaction(_)
            | Refusal::NoKey
            | Refusal::NoTaskAtHand
            | Refusal::Replied => StatusCode::CONFLICT,
            Refusal::NotDurable(_) => StatusCode::INSUFFICIENT_STORAGE,
            Refusal::Unconfirmed { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            Refusal::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, refusal.to_string())
    }
}
