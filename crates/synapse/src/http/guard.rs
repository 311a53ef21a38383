//! Who gets in. No web page of another origin, no other name for this machine, nobody without the
//! token, which only this user can read.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Served;
use super::shapes::Problem;

/// The names under which a browser may know this machine as itself.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Lets a request pass, or says why not and what to do.
pub(super) async fn check(State(served): State<Served>, request: Request, next: Next) -> Response {
    match refusal(&request, &served.token) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn refusal(request: &Request, token: &str) -> Option<Problem> {
    let headers = request.headers();
    let host = text(headers, header::HOST).unwrap_or_default();
    if !HOSTS.contains(&name_of(host)) {
        let error = format!("the Host '{host}' is not served here; use 127.0.0.1 or localhost");
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, error));
    }
    if let Some(origin) = text(headers, header::ORIGIN)
        && origin != format!("http://{host}")
    {
        let error = format!("pages of {origin} may not drive an agent");
        return Some(Problem::new(StatusCode::FORBIDDEN, error));
    }
    let is_open = matches!(request.uri().path(), "/healthz" | "/.well-known/agent.json");
    if !is_open && !bears(headers, token) {
        let error = "who are you? Send the agent's token as 'Authorization: Bearer …'; the registry entry names its file";
        return Some(Problem::new(StatusCode::UNAUTHORIZED, error));
    }
    let is_json = |kind: &str| {
        let kind = kind.split(';').next().unwrap_or("").trim();
        kind == "application/json" || kind == "application/a2a+json"
    };
    if request.method() == Method::POST && !text(headers, header::CONTENT_TYPE).is_some_and(is_json)
    {
        let error = "a POST must have the Content-Type application/json";
        return Some(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
    }
    None
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

fn bears(headers: &HeaderMap, token: &str) -> bool {
    let shown =
        text(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    shown.is_some_and(|shown| is_equal(shown.as_bytes(), token.as_bytes()))
}

/// Takes as long for a near miss as for a wild one.
fn is_equal(one: &[u8], two: &[u8]) -> bool {
    let differing = one.iter().zip(two).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == two.len() && differing == 0
}
