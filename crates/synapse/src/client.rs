//! Talks to an agent of this machine over its HTTP.

use anyhow::{Context as _, Result, bail};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::registry::Entry;
use crate::token::Token;

/// An agent's terminal: binary messages are what it paints, and keys.
pub type Terminal = WebSocketStream<TcpStream>;

/// One agent, and the token that opens its door.
pub struct Client {
    address: String,
    token: Token,
}

/// An answer: its status and what it says.
pub struct Answer {
    /// Whether it went well.
    pub status: StatusCode,
    /// The body.
    pub body: Value,
}

impl Client {
    /// The client of a published agent.
    ///
    /// # Errors
    /// If its token cannot be read.
    pub fn of(entry: &Entry) -> Result<Self> {
        let path = entry
            .token_path
            .as_ref()
            .context("the agent names no token file")?;
        let token = Token::read(path);
        let token = token.with_context(|| format!("cannot read the token {}", path.display()))?;
        let address = entry.endpoint.strip_prefix("http://");
        let address = address.with_context(|| format!("{} is no address", entry.endpoint))?;
        Ok(Self {
            address: address.trim_end_matches('/').to_owned(),
            token,
        })
    }

    /// Asks, and takes the answer as JSON.
    ///
    /// # Errors
    /// If the agent cannot be reached or does not answer in JSON.
    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer> {
        let response = self.request(method, path, body).await?;
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
            let error = answer
                .body
                .get("error")
                .and_then(Value::as_str)
                .unwrap_or("no reason given");
            bail!("{error}");
        }
        Ok(answer.body)
    }

    /// Takes a resource as text.
    ///
    /// # Errors
    /// If the agent cannot be reached.
    pub async fn text(&self, path: &str) -> Result<Bytes> {
        let response = self.request(Method::GET, path, None).await?;
        Ok(response.into_body().collect().await?.to_bytes())
    }

    /// Follows a stream of events: calls `each` with the data of each until it says to stop.
    ///
    /// # Errors
    /// If the agent cannot be reached or the stream breaks.
    pub async fn follow(
        &self,
        path: &str,
        mut each: impl FnMut(&str, &Value) -> bool,
    ) -> Result<()> {
        let mut body = self.request(Method::GET, path, None).await?.into_body();
        let mut held = String::new();
        while let Some(frame) = body.frame().await {
            if let Ok(bytes) = frame?.into_data() {
                held.push_str(&String::from_utf8_lossy(&bytes));
            }
            while let Some((event, rest)) = held.split_once("\n\n") {
                let (mut name, mut data) = ("message", String::new());
                for line in event.lines() {
                    if let Some(value) = line.strip_prefix("event:") {
                        name = value.trim();
                    } else if let Some(value) = line.strip_prefix("data:") {
                        data.push_str(value.trim_start());
                    }
                }
                if !data.is_empty() && !each(name, &serde_json::from_str(&data)?) {
                    return Ok(());
                }
                held = rest.to_owned();
            }
        }
        Ok(())
    }

    /// The agent's terminal.
    ///
    /// # Errors
    /// If the agent cannot be reached or does not let us in.
    pub async fn terminal(&self) -> Result<Terminal> {
        let mut request = format!("ws://{}/terminal", self.address).into_client_request()?;
        let bearer = self.token.bearer().parse()?;
        request.headers_mut().insert(AUTHORIZATION, bearer);
        let stream = self.connect().await?;
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(socket)
    }

    async fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(&self.address).await;
        stream.with_context(|| format!("the agent at {} does not answer", self.address))
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Incoming>> {
        let stream = self.connect().await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let bytes = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.address)
            .header(AUTHORIZATION, self.token.bearer())
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(bytes))?;
        Ok(sender.send_request(request).await?)
    }
}
