//! Posts callbacks and push notifications. A receiver that does not answer is retried for a while, never
//! for ever.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, Request, StatusCode, Uri};

use super::{Web, WebError};

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(15);

/// The pauses between attempts.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(16),
    Duration::from_mins(1),
];

/// Why something was not delivered.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// The receiver cannot be reached, or may not be.
    #[error(transparent)]
    Web(#[from] WebError),
    /// The receiver does not want it.
    #[error("the receiver answered {0}")]
    Refused(StatusCode),
    /// There is nothing to be sent.
    #[error("{0}")]
    Unmakable(String),
    /// What is to be sent makes no request.
    #[error("the request cannot be made: {0}")]
    Odd(hyper::http::Error),
}

impl From<hyper::http::Error> for DeliveryError {
    fn from(why: hyper::http::Error) -> Self {
        Self::Odd(why)
    }
}

impl DeliveryError {
    /// Whether a later attempt may fare better.
    fn is_passing(&self) -> bool {
        match self {
            Self::Web(error) => !matches!(
                error,
                WebError::NotAnAddress(_)
                    | WebError::Forbidden { .. }
                    | WebError::Redirected { .. }
            ),
            Self::Refused(status) => {
                status.is_server_error()
                    || *status == StatusCode::TOO_MANY_REQUESTS
                    || *status == StatusCode::REQUEST_TIMEOUT
            }
            Self::Odd(_) | Self::Unmakable(_) => false,
        }
    }
}

/// Reads the address somebody wants to be told at.
///
/// # Errors
/// If it is none.
pub fn address(text: &str) -> Result<Uri, WebError> {
    let odd = || WebError::NotAnAddress(text.to_owned());
    let uri: Uri = text.parse().map_err(|_| odd())?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    if is_web && uri.host().is_some_and(|host| !host.is_empty()) {
        Ok(uri)
    } else {
        Err(odd())
    }
}

/// Posts a body until it is taken, or for about a minute and a half.
///
/// # Errors
/// Why the last attempt failed.
pub async fn deliver(
    web: &Web,
    to: &Uri,
    kind: &'static str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<(), DeliveryError> {
    let mut pauses = PAUSES.iter();
    loop {
        let error = match attempt(web, to, kind, headers, body.clone()).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        match pauses.next() {
            Some(pause) if error.is_passing() => tokio::time::sleep(*pause).await,
            _ => return Err(error),
        }
    }
}

async fn attempt(
    web: &Web,
    to: &Uri,
    kind: &'static str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<(), DeliveryError> {
    let mut request = Request::post(to.clone())
        .header(CONTENT_TYPE, kind)
        .body(Full::new(body))?;
    request.headers_mut().extend(headers.clone());
    let page = web.fetch(request, ATTEMPT).await?;
    if page.status.is_success() {
        Ok(())
    } else {
        Err(DeliveryError::Refused(page.status))
    }
}
