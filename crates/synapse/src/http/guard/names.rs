//! The name a request calls this machine by, and the web page it comes from. A page of another origin may not drive an
//! agent, whatever name it makes this machine answer to.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, header};

use super::access_policy::AccessPolicy;
use super::{Refusal, text};

/// What a browser says about where a request comes from; pages cannot set it.
const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";

/// The name a request calls us by, with the port.
pub(super) fn host(request: &Request) -> Result<String, Refusal> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let (first, second) = (named.next(), named.next());
    let named = first.and_then(|host| host.to_str().ok());
    // A request to a proxy names the host twice; both must be the same.
    let target = request.uri().authority().map(Authority::as_str);
    match (named, target, second) {
        (Some(host), None, None) => Ok(host.to_owned()),
        (Some(host), Some(target), None) if host == target => Ok(host.to_owned()),
        (None, Some(target), None) if first.is_none() => Ok(target.to_owned()),
        _ => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "a request must have exactly one Host",
        )),
    }
}

/// Refuses what a page of another origin sends. Programs that are no browser send no Origin.
pub(super) fn check_origin(
    headers: &HeaderMap,
    host: &str,
    access_policy: &AccessPolicy,
    method: &Method,
) -> Result<(), Refusal> {
    let foreign = |who: &str| {
        let error = format!(
            "{who} may not drive an agent; only the agent's own pages and programs that are no web page may"
        );
        Err(Refusal::new(StatusCode::FORBIDDEN, error))
    };
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("");
        return if is_ours(origin, host, access_policy) {
            Ok(())
        } else {
            foreign(&format!("pages of '{origin}'"))
        };
    }
    // Pictures, frames and scripts of a page come without an Origin. A person who follows a link is welcome.
    let site = text(headers, header::HeaderName::from_static(FETCH_SITE));
    let mode = text(headers, header::HeaderName::from_static(FETCH_MODE));
    let is_link = method == Method::GET && mode == Some("navigate");
    match site {
        Some("cross-site" | "same-site") if !is_link => foreign("pages of another origin"),
        _ => Ok(()),
    }
}

/// Whether an origin is the address that was called, or the one others know us by.
fn is_ours(origin: &str, host: &str, access_policy: &AccessPolicy) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
        return false;
    };
    let is_called = matches!(scheme, "http" | "https") && authority.eq_ignore_ascii_case(host);
    let mut public = access_policy.url.splitn(4, '/');
    let (public_scheme, public_authority) = (public.next(), public.nth(1));
    is_called
        || public_scheme.and_then(|known| known.strip_suffix(':')) == Some(scheme)
            && public_authority.is_some_and(|known| known.eq_ignore_ascii_case(authority))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::super::access_policy::example;
    use super::*;
    use synapse_machine::config::Auth;

    fn may(method: &Method, headers: &[(&'static str, &'static str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        check_origin(&map, "localhost:8100", &example(Auth::None), method).is_ok()
    }

    #[test]
    fn only_our_own_pages_may_call() {
        for (origin, is_ours) in [
            ("http://localhost:8100", true),
            ("https://agents.example", true),
            ("http://localhost:3000", false),
            ("http://localhost", false),
            ("http://agents.example", false),
            ("https://evil.example", false),
            ("http://localhost:8100.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(
                may(&Method::POST, &[("origin", origin)]),
                is_ours,
                "{origin}"
            );
        }
        assert!(may(&Method::POST, &[]), "programs send no Origin");
    }

    #[test]
    fn what_a_foreign_page_embeds_is_refused_and_a_link_is_not() {
        let cross = ("sec-fetch-site", "cross-site");
        assert!(!may(&Method::GET, &[cross, ("sec-fetch-mode", "no-cors")]));
        assert!(!may(&Method::GET, &[("sec-fetch-site", "same-site")]));
        assert!(!may(
            &Method::POST,
            &[cross, ("sec-fetch-mode", "navigate")]
        ));
        assert!(may(&Method::GET, &[cross, ("sec-fetch-mode", "navigate")]));
        assert!(may(&Method::GET, &[("sec-fetch-site", "same-origin")]));
        assert!(may(&Method::GET, &[("sec-fetch-site", "none")]));
    }

    #[test]
    fn a_request_has_one_host() {
        let request = |uri: &str, hosts: &[&str]| {
            let mut request = Request::builder().uri(uri);
            for name in hosts {
                request = request.header("host", *name);
            }
            host(&request.body(Body::empty()).unwrap()).ok()
        };
        assert_eq!(request("/", &["a"]).as_deref(), Some("a"));
        assert_eq!(request("http://a/", &["a"]).as_deref(), Some("a"));
        assert_eq!(request("http://a/", &[]).as_deref(), Some("a"));
        assert_eq!(request("http://a/", &["b"]), None);
        assert_eq!(request("/", &["a", "a"]), None);
        assert_eq!(request("/", &[]), None);
    }
}
