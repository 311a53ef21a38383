//! Who gets in. A browser belongs to the same user as every page in it, so the page and its API want
//! the cookie on loopback too; and no page of another origin may use that cookie.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Hub;
use super::logins::Beside;
use super::problem::Problem;
use super::shapes::Session;
use synapse_machine::token::Token;
use synapse_serve::Peer;

/// The names under which a browser may know this machine as itself.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'";

/// What the page sends beside its cookie.
const KEY: HeaderName = HeaderName::from_static("x-synapse-key");
const KEY_PROTOCOL: &str = "synapse-key.";
/// What our sockets speak; a page names it beside its key.
pub(super) const PROTOCOL: &str = "synapse";
/// What a proxy adds.
const FORWARDED: [HeaderName; 4] = [
    header::FORWARDED,
    header::VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
];

/// What comes with every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// What the guard knows.
#[derive(Debug)]
pub(super) struct AccessPolicy {
    /// The names this hub may be called by, beside those of loopback.
    pub(super) names: Vec<String>,
    pub(super) listen: IpAddr,
    /// Cookies do not know ports, so each hub has one of its own.
    pub(super) cookie: String,
    /// A token that programs may show instead.
    pub(super) token: Option<Token>,
}

/// Lets a request pass with whoever sent it, or says why not and what to do.
pub(super) async fn check(State(hub): State<Hub>, mut request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = match admit(&hub, &request) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Who sent it, where that matters.
fn admit(hub: &Hub, request: &Request) -> Result<Option<Session>, Problem> {
    let headers = request.headers();
    let access_policy = &hub.access_policy;
    let host = text(headers, header::HOST).unwrap_or_default();
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Err(Problem::bad("a request must have exactly one Host"));
    }
    if !is_served(access_policy, name_of(host)) {
        let error = format!(
            "the Host '{host}' is not served here; use 127.0.0.1 or localhost, or add the name to host_names in config.yaml"
        );
        let status = StatusCode::MISDIRECTED_REQUEST;
        return Err(Problem::new(status, "foreign_host", error));
    }
    let origin = text(headers, header::ORIGIN);
    let is_foreign = match (
        origin,
        text(headers, HeaderName::from_static("sec-fetch-site")),
    ) {
        (Some(origin), _) => !is_ours(origin, host),
        (None, Some(site)) => is_act(request) && !matches!(site, "same-origin" | "none"),
        (None, None) => false,
    };
    if is_foreign {
        let error = format!(
            "pages of {} may not use this hub",
            origin.unwrap_or("another origin")
        );
        return Err(Problem::new(StatusCode::FORBIDDEN, "foreign_origin", error));
    }
    let path = request.uri().path();
    let is_open = !path.starts_with("/api/") || path == "/api/auth/exchange";
    let caller = if is_open {
        None
    } else {
        let peer = request.extensions().get::<Peer>();
        let is_own = peer.is_some_and(|peer| is_own_user(access_policy, peer, headers, host));
        let beside = if is_own {
            Beside::User
        } else {
            Beside::Key(key(headers))
        };
        let address = peer.map(|peer| address_of(access_policy, peer, headers, host));
        let caller = caller(hub, headers, beside, address)?;
        peer.inspect(|peer| peer.prove());
        Some(caller)
    };
    if let Some(caller) = &caller {
        if caller.read_only && is_act(request) && path != "/api/auth/logout" {
            let error = "this device may only look; `synapse web login` gives another link";
            return Err(Problem::new(StatusCode::FORBIDDEN, "read_only", error));
        }
        // A browser always says which page opens a WebSocket.
        if caller.device.is_some() && is_upgrade(headers) && origin.is_none() {
            let error = "a WebSocket with a cookie must have an Origin";
            return Err(Problem::new(StatusCode::FORBIDDEN, "foreign_origin", error));
        }
    }
    if is_answer(request) && is_below_agent(hub, request) {
        let error = "an agent does not answer questions, and neither does what it has started; a person does";
        return Err(Problem::new(StatusCode::FORBIDDEN, "answers_itself", error));
    }
    if request.method() == Method::POST && has_body(headers) && !is_json(headers) {
        let error = "a POST with a body must have the Content-Type application/json";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Problem::new(status, "not_json", error));
    }
    Ok(caller)
}

/// Whether the kernel says that the user of this hub calls, or root. It says so of a proxy as well, and who is behind
/// that is anybody: a proxy is known by the name it serves, or by what it adds.
fn is_own_user(access_policy: &AccessPolicy, peer: &Peer, headers: &HeaderMap, host: &str) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let is_proxied = is_proxied(access_policy, headers, host);
    peer.is_here() && !is_proxied && peer.user().is_some_and(|user| user == own || user == 0)
}

fn is_proxied(access_policy: &AccessPolicy, headers: &HeaderMap, host: &str) -> bool {
    let name = name_of(host);
    let is_public = |known: &String| known.eq_ignore_ascii_case(name);
    access_policy.names.iter().any(is_public)
        || FORWARDED.iter().any(|header| headers.contains_key(header))
}

/// Where the caller is, for the list of devices. What a proxy says of that is not believed.
fn address_of(access: &AccessPolicy, peer: &Peer, headers: &HeaderMap, host: &str) -> String {
    if peer.is_here() && is_proxied(access, headers, host) {
        return "proxy".to_owned();
    }
    peer.remote().ip().to_canonical().to_string()
}

/// The key beside the cookie: in a header, or among the protocols of a WebSocket, to which a page can add no header.
fn key(headers: &HeaderMap) -> Option<&str> {
    let offered = text(headers, header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let mut offered = offered.split(',').map(str::trim);
    text(headers, KEY).or_else(|| offered.find_map(|protocol| protocol.strip_prefix(KEY_PROTOCOL)))
}

fn caller(
    hub: &Hub,
    headers: &HeaderMap,
    beside: Beside<'_>,
    address: Option<String>,
) -> Result<Session, Problem> {
    let bearer = text(headers, header::AUTHORIZATION)
        .and_then(|value| value.strip_prefix("Bearer "))
        .map(str::trim);
    if let (Some(shown), Some(token)) = (bearer, &hub.access_policy.token)
        && token.is(shown)
    {
        return Ok(Session {
            device: None,
            name: "token".to_owned(),
            read_only: false,
        });
    }
    let secret = secret(headers, &hub.access_policy.cookie);
    let known = secret.and_then(|secret| hub.logins.who(secret, beside, address));
    known.ok_or_else(|| {
        let error = "who are you? Open the link that `synapse web` or `synapse web login` prints";
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", error)
    })
}

/// Whether this answers a question, presses keys or types, or gives the right to.
fn is_answer(request: &Request) -> bool {
    let path = request.uri().path();
    let ends = ["/answer", "/input", "/keys", "/interrupt"];
    let gives = ["/api/auto-answer", "/api/devices", "/api/auth/exchange"];
    let is_one =
        ends.iter().any(|end| path.ends_with(end)) || gives.iter().any(|it| path.starts_with(it));
    is_act(request) && is_one || path.starts_with("/api/agents/") && path.ends_with("/terminal")
}

/// Whether the caller was started by an agent of this machine, or may have been.
fn is_below_agent(hub: &Hub, request: &Request) -> bool {
    let peer = request.extensions().get::<Peer>();
    let agents = hub.registry.list().unwrap_or_default();
    let mut agents = agents.iter().filter(|agent| !agent.may_answer_itself);
    agents.any(|agent| peer.is_some_and(|peer| peer.may_be_below(agent.pid)))
}

/// The value of our cookie.
fn secret<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).into_iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Whether this is more than looking.
fn is_act(request: &Request) -> bool {
    !matches!(*request.method(), Method::GET | Method::HEAD)
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(header::UPGRADE)
}

fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING)
        || headers.contains_key(header::CONTENT_TYPE)
        || text(headers, header::CONTENT_LENGTH).is_some_and(|length| length != "0")
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, header::CONTENT_TYPE).unwrap_or_default();
    kind.split(';').next().unwrap_or("").trim() == "application/json"
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Whether an origin is the address that was called.
fn is_ours(origin: &str, host: &str) -> bool {
    let own = origin
        .strip_prefix("http://")
        .or(origin.strip_prefix("https://"));
    own.is_some_and(|own| own.eq_ignore_ascii_case(host))
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// A page can give any name an address of ours, but no page can be called by a bare address that is
/// not its own.
fn is_served(access_policy: &AccessPolicy, name: &str) -> bool {
    let is_address = || {
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        bare.unwrap_or(name).parse::<IpAddr>().is_ok()
    };
    HOSTS.contains(&name)
        || access_policy
            .names
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        || !access_policy.listen.is_loopback() && is_address()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access_policy(listen: &str) -> AccessPolicy {
        AccessPolicy {
            names: vec!["studio.lan".to_owned()],
            listen: listen.parse().unwrap(),
            cookie: "synapse_8180".to_owned(),
            token: None,
        }
    }

    #[test]
    fn only_names_of_this_machine_are_served() {
        let local = access_policy("127.0.0.1");
        for name in ["127.0.0.1", "localhost", "[::1]", "Studio.LAN"] {
            assert!(is_served(&local, name), "{name}");
        }
        for name in ["", "evil.example", "192.168.0.7", "localhost.evil.example"] {
            assert!(!is_served(&local, name), "{name}");
        }
        let open = access_policy("0.0.0.0");
        assert!(is_served(&open, "192.168.0.7") && is_served(&open, "[fe80::1]"));
        assert!(!is_served(&open, "evil.example"));
    }

    #[test]
    fn our_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        let cookies = "a=b; synapse_81800=no; synapse_8180=yes; synapse=no";
        headers.append(header::COOKIE, HeaderValue::from_static(cookies));
        assert_eq!(secret(&headers, "synapse_8180"), Some("yes"));
        assert_eq!(secret(&headers, "synapse_8181"), None);
    }

    #[test]
    fn a_host_is_known_without_its_port() {
        for (host, name) in [
            ("localhost:8180", "localhost"),
            ("[::1]:8180", "[::1]"),
            ("[::1]", "[::1]"),
            ("a:b", "a:b"),
        ] {
            assert_eq!(name_of(host), name);
        }
    }
}
