//! Who is called when an agent needs somebody. Only devices that may act change it; what was set is not told to others.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use hyper::Uri;
use jiff::Timestamp;
use jiff::civil::Time;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::Body;
use crate::Hub;
use crate::notify::{
    Kind, MOST_SUBSCRIPTIONS, MOST_WEBHOOKS, Notice, NotifyRecords, Sender, Shape, Subscription,
    Vapid, Webhook, Wishes, check_address, check_keys,
};
use crate::problem::Problem;
use crate::shapes::Session;

/// The longest turn that can be waited for, in minutes: a day.
const LONGEST: u32 = 24 * 60;

/// Gets who is called, and for what.
#[utoipa::path(get, path = "/api/notify", responses((status = 200, description = "`{wishes, webhooks, push}`")))]
pub(super) async fn show(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
) -> Json<Value> {
    Json(view(&hub, &session))
}

/// `POST /api/notify`: what is not given stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WishChange {
    waiting: Option<bool>,
    failed: Option<bool>,
    died: Option<bool>,
    /// Minutes; 0 is off.
    finished_after: Option<u32>,
    /// The question and the command are told, too.
    with_question: Option<bool>,
    answer_links: Option<bool>,
    /// A link may allow a permission.
    allow_links: Option<bool>,
    /// `22:00-07:00`; empty is off.
    quiet: Option<String>,
}

/// Changes what is told.
#[utoipa::path(post, path = "/api/notify", request_body = WishChange,
    responses((status = 200, description = "`{wishes, webhooks, push}`")))]
pub(super) async fn change(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    Body(wanted): Body<WishChange>,
) -> Result<Json<Value>, Problem> {
    if wanted
        .finished_after
        .is_some_and(|minutes| minutes > LONGEST)
    {
        return Err(Problem::bad(format!(
            "'finished_after' must be 0 to {LONGEST} minutes"
        )));
    }
    let quiet = wanted.quiet.as_deref().map(quiet_hours).transpose()?;
    set(&hub, move |records| {
        let wishes = &mut records.wishes;
        let switch = |place: &mut bool, wanted: Option<bool>| *place = wanted.unwrap_or(*place);
        switch(&mut wishes.waiting, wanted.waiting);
        switch(&mut wishes.failed, wanted.failed);
        switch(&mut wishes.died, wanted.died);
        switch(&mut wishes.with_question, wanted.with_question);
        switch(&mut wishes.answer_links, wanted.answer_links);
        switch(&mut wishes.allow_links, wanted.allow_links);
        if let Some(minutes) = wanted.finished_after {
            wishes.finished_after = Some(minutes).filter(|minutes| *minutes > 0);
        }
        if let Some(quiet) = quiet {
            wishes.quiet = quiet;
        }
        // Without links at all there is none that allows anything.
        wishes.allow_links &= wishes.answer_links;
    })
    .await?;
    Ok(Json(view(&hub, &session)))
}

/// `POST /api/notify/webhooks`
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewWebhook {
    url: String,
    /// `ntfy` or `json`.
    shape: Shape,
    /// Shown to the receiver as `Authorization: Bearer`.
    token: Option<String>,
}

/// Adds a place that is told.
#[utoipa::path(post, path = "/api/notify/webhooks", request_body = NewWebhook,
    responses((status = 201, description = "`{wishes, webhooks, push}`"), (status = 409, description = "too_many_webhooks")))]
pub(super) async fn add(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    Body(new): Body<NewWebhook>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let NewWebhook { url, shape, token } = new;
    let url = url.trim().to_owned();
    check_address(&url, shape).map_err(|error| Problem::bad(format!("'url': {error}")))?;
    let token = token.filter(|token| !token.trim().is_empty());
    let is_word = |token: &String| token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.as_ref().is_some_and(|token| !is_word(token)) {
        return Err(Problem::bad("'token' must be one word of ASCII characters"));
    }
    let added = set(&hub, move |records| {
        if records.webhooks.len() >= MOST_WEBHOOKS {
            return false;
        }
        records.webhooks.push(Webhook {
            id: uuid::Uuid::now_v7().to_string(),
            url,
            shape,
            token,
        });
        true
    });
    if !added.await? {
        let error = format!("there are {MOST_WEBHOOKS} webhooks already; remove one first");
        return Err(Problem::conflict("too_many_webhooks", error));
    }
    Ok((StatusCode::CREATED, Json(view(&hub, &session))))
}

/// Tells a place no more.
#[utoipa::path(delete, path = "/api/notify/webhooks/{id}", params(("id" = String, Path)),
    responses((status = 200, description = "`{wishes, webhooks, push}`")))]
pub(super) async fn remove(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, Problem> {
    set(&hub, move |records| {
        records.webhooks.retain(|webhook| webhook.id != id);
    })
    .await?;
    Ok(Json(view(&hub, &session)))
}

/// Tries whether a message arrives everywhere.
#[utoipa::path(post, path = "/api/notify/test", responses((status = 200, description = "`{told: [{to, error}]}`")))]
pub(super) async fn test(State(hub): State<Hub>) -> Json<Value> {
    let notice = Notice {
        agent: String::new(),
        handle: "synapse".to_owned(),
        kind: Kind::Test,
        at: Timestamp::now().to_string(),
        prompt: None,
        detail: None,
    };
    let told = Sender::new(&hub, notice).send().await;
    Json(json!({ "told": told }))
}

/// `POST /api/notify/push`: what a browser's `PushSubscription` says.
#[derive(Deserialize, ToSchema)]
pub(super) struct NewSubscription {
    endpoint: String,
    keys: SubscriptionKeys,
}

#[derive(Deserialize, ToSchema)]
pub(super) struct SubscriptionKeys {
    p256dh: String,
    auth: String,
}

/// Calls this browser by its push service from now on.
#[utoipa::path(post, path = "/api/notify/push", request_body = NewSubscription,
    responses((status = 201, description = "`{wishes, webhooks, push}`"), (status = 409, description = "no_public_url")))]
pub(super) async fn subscribe(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
    Body(new): Body<NewSubscription>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let Some(device) = session.device.clone() else {
        return Err(Problem::bad("only a browser can be pushed to, not a token"));
    };
    if hub.public_url.is_none() {
        let error = "start the hub with --public-url https://… to use Web Push";
        return Err(Problem::conflict("no_public_url", error));
    }
    check_address(&new.endpoint, Shape::Json)
        .map_err(|error| Problem::bad(format!("'endpoint': {error}")))?;
    if !is_secure(&new.endpoint) {
        return Err(Problem::bad("'endpoint' must begin with https://"));
    }
    let NewSubscription { endpoint, keys } = new;
    check_keys(&keys.p256dh, &keys.auth)
        .map_err(|error| Problem::bad(format!("'keys': {error}")))?;
    let subscription = Subscription {
        device: device.clone(),
        endpoint,
        p256dh: keys.p256dh,
        auth: keys.auth,
        since: Timestamp::now(),
    };
    set(&hub, move |records| {
        records.subscriptions.retain(|one| one.device != device);
        records.subscriptions.push(subscription);
        while records.subscriptions.len() > MOST_SUBSCRIPTIONS {
            records.subscriptions.remove(0);
        }
    })
    .await?;
    Ok((StatusCode::CREATED, Json(view(&hub, &session))))
}

/// Calls this browser no more.
#[utoipa::path(delete, path = "/api/notify/push", responses((status = 200, description = "`{wishes, webhooks, push}`")))]
pub(super) async fn unsubscribe(
    State(hub): State<Hub>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, Problem> {
    let device = session.device.clone();
    set(&hub, move |records| {
        let is_own = |one: &Subscription| Some(&one.device) == device.as_ref();
        records.subscriptions.retain(|one| !is_own(one));
    })
    .await?;
    Ok(Json(view(&hub, &session)))
}

/// Changes the settings beside the server's own threads.
async fn set<T: Send + 'static>(
    hub: &Hub,
    change: impl FnOnce(&mut NotifyRecords) -> T + Send + 'static,
) -> Result<T, Problem> {
    let hub = hub.clone();
    let done = tokio::task::spawn_blocking(move || hub.notify.change(change)).await;
    done.map_err(Problem::internal)?.map_err(Problem::internal)
}

fn view(hub: &Hub, session: &Session) -> Value {
    let NotifyRecords {
        wishes,
        webhooks,
        vapid_key,
        subscriptions,
    } = hub.notify.records();
    let webhooks: Vec<Value> = webhooks
        .iter()
        .map(|webhook| {
            // Whoever knows the topic of an ntfy server can read it.
            let url = if session.read_only {
                masked(&webhook.url)
            } else {
                webhook.url.clone()
            };
            json!({
                "id": webhook.id, "url": url, "shape": webhook.shape,
                "has_token": webhook.token.is_some(),
            })
        })
        .collect();
    let key = vapid_key.and_then(|key| Vapid::read(&key).ok());
    let key = key.filter(|_| hub.public_url.is_some());
    let devices = subscriptions
        .iter()
        .filter_map(|one| hub.logins.name_of(&one.device));
    let is_own = |one: &Subscription| Some(&one.device) == session.device.as_ref();
    json!({
        "wishes": wishes_view(&wishes),
        "webhooks": webhooks,
        "links_lead_to": hub.reachable_url(),
        "push": {
            "key": key.map(|key| key.public()),
            "devices": devices.collect::<Vec<String>>(),
            "is_on_here": subscriptions.iter().any(is_own),
        },
    })
}

fn wishes_view(wishes: &Wishes) -> Value {
    let quiet = wishes.quiet.map(|(from, to)| {
        let short = |time: Time| format!("{:02}:{:02}", time.hour(), time.minute());
        format!("{}-{}", short(from), short(to))
    });
    json!({
        "waiting": wishes.waiting, "failed": wishes.failed, "died": wishes.died,
        "finished_after": wishes.finished_after.unwrap_or(0),
        "with_question": wishes.with_question, "answer_links": wishes.answer_links,
        "allow_links": wishes.allow_links, "quiet": quiet.unwrap_or_default(),
    })
}

fn quiet_hours(text: &str) -> Result<Option<(Time, Time)>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let hours = text.split_once('-').and_then(|(from, to)| {
        let time = |word: &str| word.trim().parse::<Time>().ok();
        Some((time(from)?, time(to)?))
    });
    let odd = || Problem::bad(format!("'quiet' must look like 22:00-07:00, not '{text}'"));
    hours.map(Some).ok_or_else(odd)
}

/// Push services are reached over TLS; one on this machine is somebody's own.
fn is_secure(endpoint: &str) -> bool {
    let uri: Option<Uri> = endpoint.parse().ok();
    let is_here = |host: &str| host == "127.0.0.1" || host == "[::1]" || host == "localhost";
    uri.is_some_and(|uri| uri.scheme_str() == Some("https") || uri.host().is_some_and(is_here))
}

fn masked(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or("?");
    format!("{host}/…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_are_read_or_named() {
        assert!(quiet_hours("").unwrap().is_none());
        assert!(quiet_hours("22:00 - 07:30").unwrap().is_some());
        for odd in ["22:00", "25:00-07:00", "late-early"] {
            assert!(quiet_hours(odd).is_err(), "{odd}");
        }
        assert!(is_secure("https://push.example/x") && !is_secure("http://push.example/x"));
        assert_eq!(masked("https://ntfy.sh/secret"), "ntfy.sh/…");
    }
}
