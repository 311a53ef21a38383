//! Brings a notice to everybody who is to be told.

use std::time::{Duration, Instant};

use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, HeaderName, HeaderValue};
use hyper::{HeaderMap, Uri};
use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::book::{NotifyRecords, Shape, Subscription, Webhook, Wishes};
use super::notice::{Kind, Notice, NoticeLinks};
use super::web_push::{Vapid, sealed};
use super::{LinkedAnswer, Told};
use crate::Hub;
use synapse_client::client::{DeliveryError, Web, address, deliver};

/// How long a push service may keep a message for a browser that sleeps, in seconds.
const TTL: &str = "3600";
/// How long whoever tries it out waits.
const TRIAL: Duration = Duration::from_secs(20);

/// The path of a link that answers.
pub(crate) fn answer_path(secret: &str) -> String {
    format!("/answer/{secret}")
}

/// Reads the address of a place that somebody wants to be told. Whether it may be called is seen when it is.
pub(crate) fn check_address(url: &str, shape: Shape) -> Result<(), String> {
    let uri = address(url).map_err(|error| error.to_string())?;
    if uri
        .authority()
        .is_some_and(|named| named.as_str().contains('@'))
    {
        return Err("leave the password out of the address; it has a field of its own".to_owned());
    }
    if shape == Shape::Ntfy && topic(&uri).is_none() {
        return Err(format!(
            "'{url}' names no topic; it must look like https://ntfy.sh/my-topic"
        ));
    }
    Ok(())
}

/// The server of an ntfy address, and the topic behind it.
fn topic(uri: &Uri) -> Option<(Uri, String)> {
    let topic = uri.path().trim_matches('/');
    if topic.is_empty() || topic.contains('/') || uri.query().is_some() {
        return None;
    }
    let server = format!("{}://{}/", uri.scheme_str()?, uri.authority()?);
    Some((server.parse().ok()?, topic.to_owned()))
}

/// Tells of one notice.
pub(crate) struct Sender {
    hub: Hub,
    notice: Notice,
    records: NotifyRecords,
}

impl Sender {
    pub(crate) fn new(hub: &Hub, notice: Notice) -> Self {
        Self {
            hub: hub.clone(),
            records: hub.notify.records(),
            notice,
        }
    }

    /// Tells everybody; what became of each.
    pub(crate) async fn send(self) -> Vec<Told> {
        let mut posts = JoinSet::new();
        let NotifyRecords {
            wishes,
            webhooks,
            vapid_key,
            subscriptions,
        } = self.records;
        let (hub, notice) = (self.hub, self.notice);
        for webhook in webhooks {
            let links = links(&hub, &notice, &wishes, Audience::Relay);
            let (hub, notice, wishes) = (hub.clone(), notice.clone(), wishes.clone());
            posts.spawn(async move {
                let to = host_of(&webhook.url);
                let posted = post(&hub, &webhook, &notice, &links, &wishes);
                Told {
                    to,
                    error: outcome(posted, notice.kind).await,
                }
            });
        }
        let vapid = vapid_key.and_then(|key| Vapid::read(&key).ok());
        let vapid = vapid.map(std::sync::Arc::new);
        for browser in subscriptions {
            // A device that was removed while no hub ran is told nothing.
            let (Some(vapid), Some(to)) = (vapid.clone(), hub.logins.name_of(&browser.device))
            else {
                continue;
            };
            let links = links(&hub, &notice, &wishes, Audience::Browser);
            let (hub, notice, wishes) = (hub.clone(), notice.clone(), wishes.clone());
            posts.spawn(async move {
                let pushed = push(&hub, &vapid, &browser, &notice, &links, &wishes);
                Told {
                    to,
                    error: outcome(pushed, notice.kind).await,
                }
            });
        }
        let told = posts.join_all().await;
        for told in &told {
            if let Some(error) = &told.error {
                tracing::warn!(to = told.to, error, "a notification could not be delivered");
            }
        }
        told
    }
}

/// Who can read a message on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Whoever runs the server that carries it.
    Relay,
    /// Nobody but the browser it is for.
    Browser,
}

/// The links of a message. A permission is allowed by a link only where that was switched on, and never on the notice of
/// a browser; what wants text or a password is answered on the page.
fn links(hub: &Hub, notice: &Notice, wishes: &Wishes, audience: Audience) -> NoticeLinks {
    let base = hub.reachable_url();
    let page = base.as_ref().map(|base| match notice.agent.as_str() {
        "" => format!("{base}/"),
        agent => format!("{base}/a/{agent}"),
    });
    let mut links = NoticeLinks {
        page,
        ..NoticeLinks::default()
    };
    let Some(prompt) = notice.prompt.clone() else {
        return links;
    };
    let kind = prompt.asked.kind.clone();
    let mint = |value: &'static str| {
        let answer = LinkedAnswer {
            agent: notice.agent.clone(),
            prompt: prompt.clone(),
            value,
        };
        answer_path(&hub.notify.links.mint(answer, Instant::now()))
    };
    match audience {
        Audience::Browser if kind == "confirmation" => {
            links.allow = Some(mint("yes"));
            links.refuse = Some(mint("no"));
        }
        Audience::Browser => {}
        Audience::Relay => {
            let Some(base) = base.filter(|_| wishes.answer_links) else {
                return links;
            };
            if kind == "permission" || kind == "confirmation" {
                links.refuse = Some(format!("{base}{}", mint("no")));
                links.allow = wishes.allow_links.then(|| format!("{base}{}", mint("yes")));
            }
        }
    }
    links
}

async fn post(
    hub: &Hub,
    webhook: &Webhook,
    notice: &Notice,
    links: &NoticeLinks,
    wishes: &Wishes,
) -> Result<(), DeliveryError> {
    let mut to = address(&webhook.url)?;
    let mut named = String::new();
    if webhook.shape == Shape::Ntfy
        && let Some((server, topic)) = topic(&to)
    {
        (to, named) = (server, topic);
    }
    let mut headers = HeaderMap::new();
    if let Some(token) = &webhook.token
        && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {token}"))
    {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let body = notice.body(webhook.shape, &named, links, wishes);
    let web = web(hub);
    deliver(
        &web,
        &to,
        "application/json",
        &headers,
        body.to_string().into(),
    )
    .await
}

async fn push(
    hub: &Hub,
    vapid: &Vapid,
    browser: &Subscription,
    notice: &Notice,
    links: &NoticeLinks,
    wishes: &Wishes,
) -> Result<(), DeliveryError> {
    let to = address(&browser.endpoint)?;
    let path = match notice.agent.as_str() {
        "" => "/".to_owned(),
        agent => format!("/a/{agent}"),
    };
    let body = notice.push(&path, links, wishes).to_string();
    let odd = |error: super::PushError| DeliveryError::Unmakable(error.to_string());
    let body = sealed(&browser.p256dh, &browser.auth, body.as_bytes()).map_err(odd)?;
    let subject = hub.public_url.as_deref().unwrap_or("https://localhost");
    let now = Timestamp::now().as_second();
    let word = vapid.authorization(&to, subject, now).map_err(odd)?;
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(AUTHORIZATION, &word);
    set(CONTENT_ENCODING, "aes128gcm");
    set(HeaderName::from_static("ttl"), TTL);
    let urgency = match notice.kind {
        Kind::Waiting | Kind::Died => "high",
        Kind::Failed | Kind::Finished | Kind::Test => "normal",
    };
    set(HeaderName::from_static("urgency"), urgency);
    let kind = "application/octet-stream";
    let pushed = deliver(&web(hub), &to, kind, &headers, body.into()).await;
    // The browser has taken its subscription back.
    if let Err(DeliveryError::Refused(status)) = &pushed
        && matches!(status.as_u16(), 404 | 410)
    {
        let gone = browser.endpoint.clone();
        let notify = hub.clone();
        let forget = move || {
            notify
                .notify
                .change(|records| records.subscriptions.retain(|one| one.endpoint != gone))
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(forget).await {
            tracing::warn!(%error, "a browser that wants no messages is still told");
        }
    }
    pushed
}

/// What calls the places that somebody at the page has named: by the rules for callbacks.
fn web(hub: &Hub) -> Web {
    Web::new(hub.callable, hub.ca_file.clone()).for_others()
}

async fn outcome(
    told: impl Future<Output = Result<(), DeliveryError>>,
    kind: Kind,
) -> Option<String> {
    if kind != Kind::Test {
        return told.await.err().map(|error| error.to_string());
    }
    match timeout(TRIAL, told).await {
        Ok(done) => done.err().map(|error| error.to_string()),
        Err(_) => Some(format!("it did not arrive within {} s", TRIAL.as_secs())),
    }
}

/// The host of an address; the rest may be a secret.
fn host_of(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(|uri| uri.host());
    host.unwrap_or("?").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_when_it_is_set() {
        let check = |url: &str, shape| check_address(url, shape);
        assert!(check("https://ntfy.sh/topic", Shape::Ntfy).is_ok());
        assert!(check("https://example.com/", Shape::Json).is_ok());
        for (url, shape, why) in [
            ("https://ntfy.sh/", Shape::Ntfy, "names no topic"),
            ("https://ntfy.sh/a/b", Shape::Ntfy, "names no topic"),
            (
                "https://me:pass@ntfy.sh/a",
                Shape::Ntfy,
                "leave the password out",
            ),
            ("file:///etc/passwd", Shape::Json, "is not an address"),
            ("ntfy.sh/topic", Shape::Ntfy, "is not an address"),
        ] {
            let error = check(url, shape).unwrap_err();
            assert!(error.contains(why), "{url}: {error}");
        }
    }
}
