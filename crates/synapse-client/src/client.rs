//! Talks to agents over their HTTP: to those of this machine in the native dialect, to those elsewhere in what they speak.

pub mod a2a;
mod address;
mod delivery;
mod events;
mod native;
mod proxy;
mod push;
mod relay;
mod trust;
mod web;

use std::fmt::Write as _;
use std::io::ErrorKind;

use anyhow::{Context as _, Result, anyhow, bail};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error as Refused;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

pub use address::Callable;
pub use delivery::{DeliveryError, address, deliver};
pub use events::Events;
pub use native::{GivenAnswer, TaskEvents};
pub use push::{PushSender, post_ends};
pub use web::{Page, Web, WebError};

use crate::mesh::is_elsewhere;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_machine::token::Token;

/// An agent's terminal: binary messages are what it paints, and keys.
pub type Terminal = WebSocketStream<TcpStream>;

/// One agent of this machine, or of another machine by way of the bridge, and the token that opens its door.
#[derive(Clone)]
pub struct Client {
    /// Host and port.
    address: String,
    /// What its paths begin with: nothing, unless the bridge is asked for an agent elsewhere.
    prefix: String,
    token: Token,
    web: Web,
}

/// An answer: its status and what it says.
pub struct Answer {
    /// Whether it went well.
    pub status: StatusCode,
    pub body: Value,
}

impl Client {
    /// The client of a published agent. It shows the token of the agent's present run, which nobody else was given.
    pub fn of(entry: &Entry) -> Result<Self> {
        // Not what the entry names: whoever could write an entry would else have us read any file of ours.
        let paths = Paths::from_env()?;
        let path = if is_elsewhere(entry) {
            paths.mesh_token()
        } else {
            paths.launch_token(&entry.agent_id)
        };
        let token = Token::read(&path);
        let token = token.map_err(|error| match error.kind() {
            // The token of a run goes when the run ends, a moment before its entry does.
            ErrorKind::NotFound if !is_elsewhere(entry) => anyhow!(
                "{} has just ended, or its token {} was removed",
                entry.handle,
                path.display()
            ),
            _ => anyhow!("cannot read the token {}: {error}", path.display()),
        })?;
        let address = entry.endpoint.strip_prefix("http://");
        let address = address.with_context(|| format!("{} is no address", entry.endpoint))?;
        let (address, prefix) = match address.split_once('/') {
            Some((address, below)) if !below.is_empty() => (address, format!("/{below}")),
            _ => (address.trim_end_matches('/'), String::new()),
        };
        Ok(Self {
            address: address.to_owned(),
            prefix,
            token,
            web: Web::to_own_user(),
        })
    }

    /// Asks, and takes the answer as JSON.
    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer> {
        let response = self.request(method, path, body, None).await?;
        let status = response.status();
        let bytes = response.into_body().collect().await?.to_bytes();
        let body = serde_json::from_slice(&bytes)
            .with_context(|| format!("{path} gave {status} and no JSON"))?;
        Ok(Answer { status, body })
    }

    /// Asks, and takes the answer if it went well.
    ///
    /// # Errors
    /// What the agent refused, in its words.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let answer = self.ask(method, path, body).await?;
        if !answer.status.is_success() {
            bail!("{}", reason(&answer.body));
        }
        Ok(answer.body)
    }

    /// Takes a resource as text.
    pub async fn text(&self, path: &str) -> Result<Bytes> {
        let response = self.request(Method::GET, path, None, None).await?;
        let status = response.status();
        let bytes = response.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            bail!(
                "{}",
                reason(&serde_json::from_slice(&bytes).unwrap_or_default())
            );
        }
        Ok(bytes)
    }

    /// The events of a stream, from the one after `last` on.
    ///
    /// # Errors
    /// If the agent cannot be reached, or what it refused, in its words.
    pub async fn events(&self, path: &str, last: Option<&str>) -> Result<Events> {
        let response = self.request(Method::GET, path, None, last).await?;
        if !response.status().is_success() {
            let bytes = response.into_body().collect().await?.to_bytes();
            bail!(
                "{}",
                reason(&serde_json::from_slice(&bytes).unwrap_or_default())
            );
        }
        Ok(Events::new(&self.address, response.into_body()))
    }

    /// The agent's terminal.
    pub async fn terminal(&self) -> Result<Terminal> {
        self.socket("/terminal?keep_scrollback=true").await
    }

    /// A WebSocket of the agent.
    pub async fn socket(&self, path: &str) -> Result<Terminal> {
        let mut request =
            format!("ws://{}{}{path}", self.address, self.prefix).into_client_request()?;
        let bearer = self.token.bearer().parse()?;
        request.headers_mut().insert(AUTHORIZATION, bearer);
        let stream = TcpStream::connect(&self.address).await;
        let stream =
            stream.with_context(|| format!("the agent at {} does not answer", self.address))?;
        web::check_owner(&stream).await?;
        let _ = stream.set_nodelay(true);
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(socket),
            Err(Refused::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                let body = serde_json::from_slice(body).unwrap_or_default();
                bail!("{}", reason(&body))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        last: Option<&str>,
    ) -> Result<Response<Incoming>> {
        let bytes = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{}{path}", self.address, self.prefix))
            .header(AUTHORIZATION, self.token.bearer())
            .header(CONTENT_TYPE, "application/json");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        Ok(self.web.stream(request.body(Full::new(bytes))?).await?)
    }
}

/// Why an agent refused, in its words.
fn reason(body: &Value) -> &str {
    let said = body.get("error").and_then(Value::as_str);
    said.unwrap_or("no reason given")
}

/// A name as one piece of a path: whatever could end the piece is escaped.
pub(crate) fn segment(name: &str) -> String {
    let mut piece = String::with_capacity(name.len());
    for byte in name.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~');
        if is_plain || byte == b'.' && name.len() > 2 {
            piece.push(byte.into());
        } else {
            let _ = write!(piece, "%{byte:02X}");
        }
    }
    piece
}
