//! Who calls: somebody with the token, or the user whose agent this is.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method, header};

use super::access_policy::{AccessPolicy, Name};
use super::{Refusal, text};
use synapse_machine::config::Auth;
use synapse_serve::Peer;

/// What anybody may read: that an agent is here, and what it is.
const OPEN: [&str; 3] = [
    "/healthz",
    "/.well-known/agent.json",
    "/.well-known/agent-card.json",
];
/// The user that stands for those a namespace has no name for.
const NOBODY: u32 = 65_534;
/// What a proxy adds. Who connected is then the proxy, not the caller.
pub(in crate::http) const FORWARDED: [HeaderName; 4] = [
    header::FORWARDED,
    header::VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
];

/// Refuses whoever is neither.
pub(super) fn check(
    access_policy: &AccessPolicy,
    request: &Request,
    peer: Option<&Peer>,
    name: Name,
) -> Result<(), Refusal> {
    if is_open(request) {
        return Ok(());
    }
    let headers = request.headers();
    let is_here = peer.is_some_and(Peer::is_here);
    match shown(headers) {
        Some(token) if access_policy.token.is(token) => return Ok(()),
        Some(token) if is_here && access_policy.launch_token.is(token) => return Ok(()),
        Some(_) if access_policy.auth != Auth::None => {
            return Err(Refusal::unauthorized(
                "this is not the agent's token; the file that holds it is named in the agent's registry entry",
            ));
        }
        _ => {}
    }
    let is_direct = name == Name::Own && !FORWARDED.iter().any(|name| headers.contains_key(name));
    let is_welcome = match access_policy.auth {
        Auth::Token => false,
        Auth::SameUser => {
            is_here
                && is_direct
                && peer
                    .and_then(Peer::user)
                    .is_some_and(|user| is_trusted(user, access_policy.user))
        }
        Auth::None => is_here,
    };
    if is_welcome {
        return Ok(());
    }
    Err(Refusal::unauthorized(
        "who are you? Send the agent's token as 'Authorization: Bearer …'; the file that holds it is named in the agent's registry entry, and its owner can read it",
    ))
}

/// Whether anybody may ask this.
pub(super) fn is_open(request: &Request) -> bool {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    is_read && OPEN.contains(&request.uri().path())
}

/// The token in a request. An address never holds one: addresses end up in logs.
fn shown(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether a user of this machine is the agent's, or root, who can do anything to it anyway.
fn is_trusted(user: u32, own: u32) -> bool {
    user == 0 || user == own && own != NOBODY
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::StatusCode;

    use super::super::access_policy::example;
    use super::*;

    const AWAY: (&str, &str) = ("192.168.1.9:40000", "192.168.1.5:8100");
    /// On this machine, but no socket the kernel knows.
    const HERE: (&str, &str) = ("127.0.0.1:1", "127.0.0.1:2");

    fn status(auth: Auth, (from, to): (&str, &str), path: &str, token: Option<&str>) -> u16 {
        let access_policy = example(auth);
        let peer = Peer::new(from.parse().unwrap(), to.parse().unwrap());
        let mut request = Request::builder().uri(path);
        match token {
            Some("right") => {
                request = request.header("authorization", access_policy.token.bearer());
            }
            Some("launch") => {
                request = request.header("authorization", access_policy.launch_token.bearer());
            }
            Some(other) => request = request.header("authorization", format!("Bearer {other}")),
            None => {}
        }
        let request = request.body(Body::empty()).unwrap();
        let refusal = check(&access_policy, &request, Some(&peer), Name::Own).err();
        refusal
            .map_or(StatusCode::OK, |refusal| refusal.0.status())
            .as_u16()
    }

    #[test]
    fn whoever_calls_from_elsewhere_shows_the_token() {
        for auth in [Auth::Token, Auth::SameUser, Auth::None] {
            assert_eq!(status(auth, AWAY, "/status", None), 401, "{auth:?}");
            assert_eq!(
                status(auth, AWAY, "/status", Some("right")),
                200,
                "{auth:?}"
            );
            assert_eq!(
                status(auth, AWAY, "/status", Some("wrong")),
                401,
                "{auth:?}"
            );
        }
    }

    #[test]
    fn whom_the_kernel_does_not_know_shows_the_token() {
        assert_eq!(status(Auth::SameUser, HERE, "/status", None), 401);
        assert_eq!(status(Auth::SameUser, HERE, "/status", Some("right")), 200);
        assert_eq!(status(Auth::None, HERE, "/status", None), 200);
        assert_eq!(status(Auth::Token, HERE, "/status", None), 401);
    }

    #[test]
    fn the_token_of_a_run_counts_on_this_machine_only() {
        for auth in [Auth::Token, Auth::SameUser] {
            assert_eq!(
                status(auth, HERE, "/status", Some("launch")),
                200,
                "{auth:?}"
            );
            assert_eq!(
                status(auth, AWAY, "/status", Some("launch")),
                401,
                "{auth:?}"
            );
        }
    }

    #[test]
    fn a_token_in_the_address_is_no_token() {
        let place = "/status?token=right&access_token=right";
        assert_eq!(status(Auth::Token, HERE, place, None), 401);
    }

    #[test]
    fn anybody_may_read_the_card() {
        for path in OPEN {
            assert_eq!(status(Auth::Token, AWAY, path, None), 200, "{path}");
            assert_eq!(
                status(Auth::Token, AWAY, path, Some("wrong")),
                200,
                "{path}"
            );
        }
        assert_eq!(status(Auth::Token, AWAY, "/healthz/", None), 401);
    }

    #[test]
    fn the_owner_and_root_are_trusted() {
        assert!(is_trusted(0, 1_000) && is_trusted(1_000, 1_000));
        assert!(!is_trusted(1_001, 1_000) && !is_trusted(1_000, 0));
        assert!(!is_trusted(NOBODY, NOBODY), "many users look like this one");
    }

    #[test]
    fn a_token_is_shown_in_a_header() {
        let shown_as = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            shown(&headers).map(str::to_owned)
        };
        assert_eq!(shown_as("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(shown_as("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(shown_as("Basic abc"), None);
        assert_eq!(shown_as("Bearer"), None);
    }
}
