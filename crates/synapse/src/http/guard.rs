//! Who gets in. In this order: the name this machine was called by, the web page that calls, who calls, and what is
//! sent. Every refusal says what would be right; none of them says what the token is.

mod access_policy;
mod body;
mod caller;
#[cfg(feature = "grpc")]
mod grpc;
mod itself;
mod names;
mod refusals;
mod visitors;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

pub use access_policy::AccessPolicy;
#[cfg(feature = "grpc")]
pub(super) use body::message_limit;
pub(super) use caller::FORWARDED;
#[cfg(feature = "grpc")]
pub(super) use grpc::in_grpc;
pub(super) use refusals::in_json;

use super::ServerState;
use super::problem::Problem;
use synapse_serve::Peer;
use visitors::Visit;

/// Lets a request pass, or says why not and what to do.
pub(super) async fn check(
    State(served): State<ServerState>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<Peer>();
    let looked = look(&served.access_policy, &request);
    if !caller::is_open(&request)
        && let Some(peer) = peer
    {
        match &looked {
            Ok(()) => {
                peer.prove();
                if !peer.is_here() {
                    visitors::note(peer, Visit::CameIn);
                }
            }
            Err(refusal) if refusal.0.status() == StatusCode::UNAUTHORIZED => {
                visitors::note(peer, Visit::Refused);
            }
            Err(_) => {}
        }
    }
    let is_answer = itself::is_answer(&request);
    let looked = match (looked, peer.cloned()) {
        (Ok(()), Some(peer)) if is_answer => itself::check(&served, &peer).await,
        (looked, _) => looked,
    };
    let refusal = match looked {
        Ok(()) => body::bound(&mut request).err(),
        Err(refusal) => Some(refusal),
    };
    let Some(refusal) = refusal else {
        return next.run(request).await;
    };
    body::discard(request).await;
    *refusal.0
}

fn look(access_policy: &AccessPolicy, request: &Request) -> Result<(), Refusal> {
    let peer = request.extensions().get::<Peer>();
    let host = names::host(request)?;
    let local = peer.map(|peer| peer.local().ip());
    let name = access_policy.name(&host, local).ok_or_else(|| {
        let error = format!(
            "the Host '{host}' is not served here; use 127.0.0.1 or localhost, or add the name to host_names"
        );
        Refusal::new(StatusCode::MISDIRECTED_REQUEST, error)
    })?;
    names::check_origin(request.headers(), &host, access_policy, request.method())?;
    caller::check(access_policy, request, peer, name)?;
    body::check_kind(request)
}

/// Whether a request came in where gRPC is spoken.
fn is_grpc(request: &Request) -> bool {
    #[cfg(feature = "grpc")]
    return request.extensions().get::<grpc::GrpcCall>().is_some();
    #[cfg(not(feature = "grpc"))]
    return {
        let _ = request;
        false
    };
}

/// A refusal, ready to be sent.
struct Refusal(Box<Response>);

impl Refusal {
    fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self(Box::new(Problem::new(status, error).into_response()))
    }

    fn unauthorized(error: impl Into<String>) -> Self {
        let mut refusal = Self::new(StatusCode::UNAUTHORIZED, error);
        let challenge = HeaderValue::from_static("Bearer");
        let headers = refusal.0.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, challenge);
        refusal
    }
}

/// The only value of a header, as text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
