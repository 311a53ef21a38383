//! Login and logout.

use std::time::Instant;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::Hub;
use crate::login::{DEVICE_LIFE, LoginError};
use crate::problem::Problem;
use crate::shapes::Session;
use synapse_serve::Peer;

/// Longer names are cut.
const NAME: usize = 60;

/// `POST /api/auth/exchange`
#[derive(Deserialize, ToSchema)]
pub(super) struct Exchange {
    /// From the link, used once.
    code: String,
    /// What the device is to be called.
    name: Option<String>,
}

/// Exchanges a login code for the session cookie.
#[utoipa::path(post, path = "/api/auth/exchange", request_body = Exchange,
    responses((status = 200, description = "`{session, key}` and the cookie"), (status = 401, description = "bad_code"),
        (status = 429, description = "too_many_codes")))]
pub(super) async fn exchange(
    State(hub): State<Hub>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Body(body): Body<Exchange>,
) -> Result<impl IntoResponse, Problem> {
    let source = peer.map(|Extension(peer)| peer.source());
    if let Err(wait) = hub.wrong_codes.check(source, Instant::now()) {
        let seconds = wait.as_secs() + 1;
        let error = format!("too many wrong codes; try again in {seconds} s");
        let status = StatusCode::TOO_MANY_REQUESTS;
        return Err(Problem::new(status, "too_many_codes", error));
    }
    let name = body.name.unwrap_or_else(|| name_of(&headers));
    let name = short_name(&name);
    let logins = hub.logins.clone();
    let done = tokio::task::spawn_blocking(move || logins.exchange(&body.code, &name)).await;
    let (session, admission) = done
        .map_err(Problem::internal)?
        .map_err(|error| match error {
            LoginError::BadCode => {
                hub.wrong_codes.note(source, Instant::now());
                Problem::new(StatusCode::UNAUTHORIZED, "bad_code", error.to_string())
            }
            error => Problem::internal(error),
        })?;
    let cookie = cookie(&hub, &headers, &admission.secret, DEVICE_LIFE.as_secs());
    let cookie = AppendHeaders([(header::SET_COOKIE, cookie)]);
    let body = json!({ "session": session, "key": admission.key });
    Ok((cookie, Json(body)))
}

/// A name that fits in a list.
pub(super) fn short_name(name: &str) -> String {
    let plain = name.trim().chars().filter(|c| !c.is_control());
    plain.take(NAME).collect()
}

/// Gets the session of the caller.
#[utoipa::path(get, path = "/api/session", responses((status = 200, description = "`{session}`")))]
pub(super) async fn show(Extension(session): Extension<Session>) -> Json<Value> {
    Json(json!({ "session": session }))
}

/// Logs the calling device out.
#[utoipa::path(post, path = "/api/auth/logout", responses((status = 200, description = "gone")))]
pub(super) async fn logout(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    if let Some(id) = session.device {
        super::devices::forget(&hub, id).await?;
    }
    let cookie = AppendHeaders([(header::SET_COOKIE, cookie(&hub, &headers, "", 0))]);
    Ok((cookie, Json(json!({}))))
}

/// Not for scripts, and never sent along from another page.
fn cookie(hub: &Hub, headers: &HeaderMap, secret: &str, seconds: i64) -> String {
    let name = &hub.access_policy.cookie;
    let secure = if scheme_of(headers) == "https" {
        "; Secure"
    } else {
        ""
    };
    format!("{name}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

/// What the page that asks speaks with us.
pub(super) fn scheme_of(headers: &HeaderMap) -> &'static str {
    let origin = headers.get(header::ORIGIN);
    let is_https = origin.is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    if is_https { "https" } else { "http" }
}

/// What a browser says it is, in two words.
fn name_of(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT);
    let agent = agent.and_then(|value| value.to_str().ok()).unwrap_or("");
    // Each of them names those it descends from, so the most special comes first.
    let browsers = ["Edg", "OPR", "Firefox", "Chrome", "Safari", "curl"];
    let systems = ["iPhone", "iPad", "Android", "Windows", "Mac OS", "Linux"];
    let find = |names: &[&'static str]| names.iter().copied().find(|name| agent.contains(name));
    match (find(&browsers), find(&systems)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "a device".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_called_by_what_it_is() {
        let mut headers = HeaderMap::new();
        assert_eq!(name_of(&headers), "a device");
        let phone =
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1";
        headers.insert(header::USER_AGENT, header::HeaderValue::from_static(phone));
        assert_eq!(name_of(&headers), "Safari on iPhone");
    }
}
