//! Passes a request of somebody else on to an agent of this machine, byte for byte, its upgrade included.

use std::time::Duration;

use anyhow::{Context as _, Result};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HOST, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Client, web};

/// How long an agent may take for the begin of its answer.
const PATIENCE: Duration = Duration::from_mins(1);

impl Client {
    /// Sends a request whose URI is a path of the agent, with the agent's token, and gives the begin of the answer.
    ///
    /// # Errors
    /// When the agent cannot be reached, or is not a process of this user.
    pub async fn relay<B>(&self, mut request: Request<B>) -> Result<Response<Incoming>>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let stream = TcpStream::connect(&self.address).await;
        let stream =
            stream.with_context(|| format!("the agent at {} does not answer", self.address))?;
        web::check_owner(&stream).await?;
        let _ = stream.set_nodelay(true);
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        *request.uri_mut() = format!("{}{target}", self.prefix).parse()?;
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::from_str(&self.address)?);
        let mut bearer = HeaderValue::from_str(&self.token.bearer())?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the answer, or with what the answer was upgraded to.
        tokio::spawn(connection.with_upgrades());
        let answer = timeout(PATIENCE, sender.send_request(request)).await;
        let answer =
            answer.with_context(|| format!("no answer within {} s", PATIENCE.as_secs()))?;
        Ok(answer?)
    }
}
