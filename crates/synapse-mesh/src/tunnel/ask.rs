//! The end that asks.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use futures_util::stream;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::Body as _;
use hyper::header::{HeaderMap, HeaderName, UPGRADE};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Beginning, Opening, TunnelReceiver, TunnelSender, Tunnels, new_id, now_millis};
use crate::frame::Kind;
use crate::name::MachineName;

/// How long the begin of an answer may take. An interrupt waits for the program to react.
const PATIENCE: Duration = Duration::from_mins(1);

/// How much is read of why there is no socket.
const LONGEST_REFUSAL: usize = 64 << 10;

/// What of a request concerns the agent.
const ASKED: [&str; 11] = [
    "accept",
    "content-type",
    "last-event-id",
    "a2a-version",
    "a2a-extensions",
    "connection",
    "upgrade",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-protocol",
    "sec-websocket-extensions",
];

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error("there is no machine '{0}' in the mesh")]
    Stranger(String),
    #[error("there is no connection to the mesh")]
    Disconnected,
    #[error("{machine} did not answer within {} s", PATIENCE.as_secs())]
    Late { machine: MachineName },
    #[error("{machine}: {why}")]
    Lost { machine: MachineName, why: String },
    #[error("the request cannot be sent: {0}")]
    Odd(String),
}

impl Tunnels {
    /// Asks an agent of another machine, as if its own HTTP were asked.
    ///
    /// # Errors
    /// When there is no answer; what the agent refuses is an answer.
    pub async fn ask(
        self: &Arc<Self>,
        machine: &str,
        agent: &str,
        target: &str,
        mut request: Request,
        via: Vec<String>,
    ) -> Result<Response, AskError> {
        let pair = self.pair(machine);
        let pair = pair.ok_or_else(|| AskError::Stranger(machine.to_owned()))?;
        let machine = pair.peer().clone();
        let generation = self.nats.generation();
        if generation.is_none() {
            return Err(AskError::Disconnected);
        }
        let tunnel = new_id().ok_or_else(|| AskError::Odd("no random numbers".to_owned()))?;
        let upgrade = request
            .headers()
            .contains_key(UPGRADE)
            .then(|| hyper::upgrade::on(&mut request));
        let is_upgrade = upgrade.is_some();
        let opening = Opening {
            at: now_millis(),
            agent: agent.to_owned(),
            method: request.method().to_string(),
            target: target.to_owned(),
            headers: picked(request.headers(), &ASKED),
            is_bare: request.body().is_end_stream(),
            via,
        };
        let opening =
            serde_json::to_vec(&opening).map_err(|error| AskError::Odd(error.to_string()))?;
        let mut answers = self.open(&pair, tunnel, 0);
        if self.nats.generation() != generation {
            // It may have been opened just after those of the old connection were ended.
            return Err(AskError::Disconnected);
        }
        let sender = answers.sender.clone();
        sender.send(Kind::Open, opening).await;
        let pump = upgrade.is_none().then(|| {
            let (sender, body) = (sender.clone(), request.into_body());
            tokio::spawn(pump_body(body, sender))
        });
        let begun = timeout(PATIENCE, answers.next()).await;
        let begun = begun.map_err(|_| AskError::Late {
            machine: machine.clone(),
        })?;
        let lost = |why: &str| AskError::Lost {
            machine: machine.clone(),
            why: why.to_owned(),
        };
        let beginning = match begun {
            Some(frame) if frame.kind == Kind::Head => frame.payload,
            Some(frame) if frame.kind == Kind::Reset => {
                return Err(lost(&String::from_utf8_lossy(&frame.payload)));
            }
            _ => return Err(lost("it did not say what it answers")),
        };
        let beginning: Beginning =
            serde_json::from_slice(&beginning).map_err(|error| lost(&error.to_string()))?;
        let status = StatusCode::from_u16(beginning.status);
        let status = status.map_err(|error| lost(&error.to_string()))?;
        let mut response = Response::builder().status(status);
        for (name, value) in beginning.headers {
            response = response.header(name, value);
        }
        let odd = |error: hyper::http::Error| AskError::Odd(error.to_string());
        if let (StatusCode::SWITCHING_PROTOCOLS, Some(upgrade)) = (status, upgrade) {
            tokio::spawn(async move {
                if let Ok(upgraded) = upgrade.await {
                    join(TokioIo::new(upgraded), answers).await;
                }
            });
            return response.body(Body::empty()).map_err(odd);
        }
        if is_upgrade {
            // Who wanted a socket reads no stream: why there is none comes in one piece.
            let mut whole = Vec::new();
            while let Some(frame) = answers.next().await
                && frame.kind == Kind::Data
                && whole.len() < LONGEST_REFUSAL
            {
                whole.extend(frame.payload);
            }
            return response.body(Body::from(whole)).map_err(odd);
        }
        let body = Body::from_stream(stream::unfold(
            (answers, pump),
            async |(mut answers, pump)| {
                let item = match answers.next().await? {
                    frame if frame.kind == Kind::Data => Ok(frame.payload),
                    frame if frame.kind == Kind::End => return None,
                    frame => Err(std::io::Error::other(
                        String::from_utf8_lossy(&frame.payload).into_owned(),
                    )),
                };
                Some((item, (answers, pump)))
            },
        ));
        response.body(body).map_err(odd)
    }
}

/// Those headers that concern the other end.
pub(super) fn picked(headers: &HeaderMap, wanted: &[&str]) -> Vec<(String, String)> {
    let is_wanted = |name: &HeaderName| wanted.contains(&name.as_str());
    let found = headers.iter().filter(|(name, _)| is_wanted(name));
    found
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

/// Sends a body, and that it is over.
pub(super) async fn pump_body<B>(mut body: B, sender: TunnelSender)
where
    B: hyper::body::Body<Data = hyper::body::Bytes> + Unpin,
    B::Error: std::fmt::Display,
{
    loop {
        match body.frame().await {
            None => return sender.send(Kind::End, Vec::new()).await,
            Some(Ok(frame)) => {
                let Ok(bytes) = frame.into_data() else {
                    continue;
                };
                if sender.data(&bytes).await.is_err() {
                    return;
                }
            }
            Some(Err(error)) => {
                let why = error.to_string().into_bytes();
                return sender.send(Kind::Reset, why).await;
            }
        }
    }
}

/// Carries bytes in both directions until either side is done.
pub(super) async fn join(stream: impl AsyncRead + AsyncWrite, mut tunnel: TunnelReceiver) {
    let sender = tunnel.sender.clone();
    let (mut reading, mut writing) = tokio::io::split(stream);
    let out = async {
        let mut buffer = vec![0; 16 << 10];
        loop {
            match reading.read(&mut buffer).await {
                Ok(count) if count > 0 => {
                    let bytes = buffer.get(..count).unwrap_or_default();
                    if sender.data(bytes).await.is_err() {
                        return;
                    }
                }
                _ => return sender.send(Kind::End, Vec::new()).await,
            }
        }
    };
    let back = async {
        while let Some(frame) = tunnel.next().await {
            if frame.kind != Kind::Data || writing.write_all(&frame.payload).await.is_err() {
                break;
            }
            if writing.flush().await.is_err() {
                break;
            }
        }
        let _ = writing.shutdown().await;
    };
    tokio::select! {
        () = out => {}
        () = back => {}
    }
}
