//! The end that answers: checks who asks and what it may, and calls the agent as a program of this machine would.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue, UPGRADE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use synapse_client::client::Client;
use synapse_machine::registry::{Entry, Registry};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::wrappers::ReceiverStream;

use super::ask::{join, picked, pump_body};
use super::replay::SKEW;
use super::{Beginning, Opening, TunnelReceiver, TunnelSender, now_millis};
use crate::frame::{Kind, Pair};
use crate::name::MachineName;
use crate::rights::Rights;
use crate::role::{Role, needed};
use crate::roster::Roster;

/// By this header an agent knows from which machine it is asked. It is believed of the bridge of this machine alone.
const MACHINE: &str = synapse_client::mesh::MACHINE_HEADER;
const VIA: &str = synapse_client::mesh::VIA_HEADER;

/// What of an answer concerns the asker.
const ANSWERED: [&str; 9] = [
    "content-type",
    "cache-control",
    "retry-after",
    "x-accel-buffering",
    "connection",
    "upgrade",
    "sec-websocket-accept",
    "sec-websocket-protocol",
    "a2a-version",
];

/// What answers the other machines.
pub struct Answering {
    pub own: MachineName,
    pub registry: PathBuf,
    pub roster: watch::Receiver<Arc<Roster>>,
    /// What this machine lets others do.
    pub rights: watch::Receiver<Arc<Rights>>,
}

/// A refusal, in the native dialect.
struct Refusal(StatusCode, String);

impl Answering {
    /// Serves one exchange.
    pub(super) async fn serve(
        self: Arc<Self>,
        pair: Arc<Pair>,
        opening: Vec<u8>,
        tunnel: TunnelReceiver,
    ) {
        if let Err((refusal, tunnel)) = self.try_serve(&pair, &opening, tunnel).await {
            tracing::info!(from = %pair.peer(), status = %refusal.0, error = refusal.1, "refused");
            say(&tunnel.sender, &refusal).await;
            tunnel.leave();
        }
    }

    async fn try_serve(
        &self,
        pair: &Pair,
        opening: &[u8],
        tunnel: TunnelReceiver,
    ) -> Result<(), (Refusal, TunnelReceiver)> {
        let (opening, client) = match self.check(pair.peer(), opening) {
            Ok(checked) => checked,
            Err(refusal) => return Err((refusal, tunnel)),
        };
        let sender = tunnel.sender.clone();
        let is_upgrade = opening.headers.iter().any(|(name, _)| name == "upgrade");
        if !is_upgrade {
            // The frames of this exchange are taken until it is over, whether the agent reads the body or not.
            let (body, taken) = mpsc::channel(4);
            let (done, is_done) = oneshot::channel();
            tokio::spawn(feed(tunnel, body, is_done));
            let body = if opening.is_bare {
                Body::empty()
            } else {
                Body::from_stream(ReceiverStream::new(taken))
            };
            match call(&client, pair.peer(), &opening, body).await {
                Ok(response) => {
                    begin(&sender, &response).await;
                    pump_body(response.into_body(), sender).await;
                }
                Err(error) => say(&sender, &unreached(&error)).await,
            }
            drop(done);
            return Ok(());
        }
        match call(&client, pair.peer(), &opening, Body::empty()).await {
            Ok(mut response) => {
                begin(&sender, &response).await;
                if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                    if let Ok(upgraded) = hyper::upgrade::on(&mut response).await {
                        join(TokioIo::new(upgraded), tunnel).await;
                    }
                } else {
                    pump_body(response.into_body(), sender).await;
                    tunnel.leave();
                }
                Ok(())
            }
            Err(error) => Err((unreached(&error), tunnel)),
        }
    }

    /// Whether this may be asked, and of whom.
    fn check(&self, from: &MachineName, opening: &[u8]) -> Result<(Opening, Client), Refusal> {
        let bad = |why: String| Refusal(StatusCode::BAD_REQUEST, why);
        let opening: Opening = serde_json::from_slice(opening).map_err(|error| {
            bad(format!(
                "the request has another shape than this version knows: {error}"
            ))
        })?;
        if let Some(why) = skew(from, opening.at, now_millis()) {
            // A message that waits is tried again: clocks are set right.
            return Err(Refusal(StatusCode::TOO_EARLY, why));
        }
        let method: Method = opening
            .method
            .parse()
            .map_err(|_| bad("no method".to_owned()))?;
        let needed = needed(&method, &opening.target).ok_or_else(|| {
            let error = format!(
                "{method} {} is not reached from other machines",
                opening.target
            );
            Refusal(StatusCode::NOT_FOUND, error)
        })?;
        let role = self.rights.borrow().of(from, &self.roster.borrow());
        if role.is_none_or(|role| role < needed) {
            let has = role.map_or("no role", Role::name);
            return Err(Refusal(
                StatusCode::FORBIDDEN,
                format!(
                    "{from} has the role '{has}' on {own}, and this needs '{needed}'; raise it where the mesh was begun: synapse mesh role {from} {needed} (and mesh.allow on {own})",
                    own = self.own
                ),
            ));
        }
        let entry = self.find(&opening.agent)?;
        let itself = format!("{}@{}", entry.handle, self.own);
        let is_for_itself = |name: &String| name.eq_ignore_ascii_case(&itself);
        if needed >= Role::Answer
            && !entry.may_answer_itself
            && opening.via.iter().any(is_for_itself)
        {
            let error = format!(
                "an agent does not answer its own questions by way of others, and this was begun by {itself}; a person does"
            );
            return Err(Refusal(StatusCode::FORBIDDEN, error));
        }
        let client = Client::of(&entry)
            .map_err(|error| Refusal(StatusCode::BAD_GATEWAY, format!("{error:#}")))?;
        Ok((opening, client))
    }

    fn find(&self, agent: &str) -> Result<Entry, Refusal> {
        let entries = Registry::new(self.registry.clone()).list();
        let entries = entries
            .map_err(|error| Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        let mut meant = entries.into_iter().filter(|entry| entry.handle.is(agent));
        meant.next().ok_or_else(|| {
            Refusal(
                StatusCode::NOT_FOUND,
                format!("no agent is called '{agent}' here"),
            )
        })
    }
}

/// Why a request is not taken whose machine has another time than this one: it might be one of long ago.
fn skew(from: &MachineName, at: i64, now: i64) -> Option<String> {
    let (seconds, word) = (
        now.abs_diff(at) / 1_000,
        if now > at { "behind" } else { "ahead of" },
    );
    (seconds > SKEW.as_secs()).then(|| {
        format!(
            "the clock of {from} is {seconds} s {word} this one; set the clocks (NTP), at most {} s are allowed",
            SKEW.as_secs()
        )
    })
}

fn request(
    from: &MachineName,
    opening: &Opening,
    body: Body,
) -> hyper::http::Result<Request<Body>> {
    let mut request = Request::builder()
        .method(opening.method.as_str())
        .uri(&opening.target);
    if let Some(headers) = request.headers_mut() {
        for (name, value) in &opening.headers {
            let (Ok(name), Ok(value)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) else {
                continue;
            };
            headers.append(name, value);
        }
        headers.insert(MACHINE, HeaderValue::try_from(from.as_str())?);
        headers.insert(
            VIA,
            HeaderValue::from_bytes(opening.via.join(",").as_bytes())?,
        );
        if !headers.contains_key(UPGRADE) {
            headers.remove(hyper::header::CONNECTION);
        }
    }
    request.body(body)
}

async fn call(
    client: &Client,
    from: &MachineName,
    opening: &Opening,
    body: Body,
) -> anyhow::Result<Response<Incoming>> {
    client.relay(request(from, opening, body)?).await
}

fn unreached(error: &anyhow::Error) -> Refusal {
    Refusal(
        StatusCode::BAD_GATEWAY,
        format!("the agent does not answer: {error:#}"),
    )
}

/// Sends how an answer begins.
async fn begin<B>(sender: &TunnelSender, response: &Response<B>) {
    let head = Beginning {
        status: response.status().as_u16(),
        headers: picked(response.headers(), &ANSWERED),
    };
    let head = serde_json::to_vec(&head).unwrap_or_default();
    sender.send(Kind::Head, head).await;
}

/// Sends a refusal as an agent would.
async fn say(sender: &TunnelSender, Refusal(status, error): &Refusal) {
    let head = Beginning {
        status: status.as_u16(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
    };
    let head = serde_json::to_vec(&head).unwrap_or_default();
    sender.send(Kind::Head, head).await;
    let body = json!({ "error": error }).to_string();
    if sender.data(body.as_bytes()).await.is_ok() {
        sender.send(Kind::End, Vec::new()).await;
    }
}

/// Hands the body of a request over, and takes what comes behind it until the exchange is done.
async fn feed(
    mut tunnel: TunnelReceiver,
    body: mpsc::Sender<std::io::Result<Vec<u8>>>,
    mut is_done: oneshot::Receiver<()>,
) {
    let mut body = Some(body);
    loop {
        let frame = tokio::select! {
            _ = &mut is_done => break,
            frame = tunnel.next() => frame,
        };
        let item = match frame {
            Some(frame) if frame.kind == Kind::Data => Ok(frame.payload),
            Some(frame) if frame.kind == Kind::Reset => {
                let why = String::from_utf8_lossy(&frame.payload).into_owned();
                Err(std::io::Error::other(why))
            }
            Some(_) => {
                body = None;
                continue;
            }
            None => break,
        };
        let is_last = item.is_err();
        if let Some(body) = &body {
            tokio::select! {
                _ = &mut is_done => break,
                // An agent that reads no more has said why.
                _ = body.send(item) => {}
            }
        }
        if is_last {
            break;
        }
    }
    tunnel.leave();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_are_told_by_how_much_and_which_way() {
        let laptop = MachineName::parse("laptop").unwrap();
        let said = |at| skew(&laptop, at, 1_000_000);
        assert_eq!(said(1_000_000), None);
        assert_eq!(said(1_090_000), None);
        let behind = said(700_000).unwrap();
        assert!(
            behind.contains("laptop is 300 s behind this one"),
            "{behind}"
        );
        let ahead = said(1_300_000).unwrap();
        assert!(
            ahead.contains("laptop is 300 s ahead of this one"),
            "{ahead}"
        );
    }
}
