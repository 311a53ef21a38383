//! A client of gRPC that shows everything it gets and sends whatever it is told to.

use std::convert::Infallible;
use std::net::TcpStream;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::World;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// One connection.
pub struct Channel {
    runtime: Runtime,
    sender: SendRequest<Body>,
}

pub type Body = BoxBody<Bytes, Infallible>;

/// How a call was answered.
#[derive(Debug)]
pub struct Answer {
    pub http: u16,
    pub headers: HeaderMap,
    /// The messages, out of their frames.
    pub messages: Vec<Vec<u8>>,
    pub trailers: HeaderMap,
}

impl Answer {
    /// The code it ended with.
    pub fn code(&self) -> i32 {
        self.said("grpc-status").parse().unwrap()
    }

    /// A trailer; those of a call that was refused stand in its headers.
    pub fn said(&self, name: &str) -> &str {
        let value = self.trailers.get(name).or(self.headers.get(name));
        value.map_or("", |value| value.to_str().unwrap())
    }

    #[track_caller]
    pub fn refused(&self, code: i32, why: &str) {
        assert_eq!((self.http, self.code()), (200, code), "{self:?}");
        assert!(self.said("grpc-message").contains(why), "{self:?}");
        assert!(self.messages.is_empty(), "{self:?}");
    }

    /// Whether a message holds this text.
    pub fn tells(&self, text: &str) -> bool {
        self.messages.iter().any(|message| holds(message, text))
    }
}

pub fn holds(message: &[u8], text: &str) -> bool {
    let mut windows = message.windows(text.len());
    windows.any(|window| window == text.as_bytes())
}

/// Where the agent speaks gRPC, as its card says.
pub fn port(world: &World) -> u16 {
    let card = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost";
    let (_, answer) = world.http(card, "");
    let (_, card) = answer.split_once("\r\n\r\n").unwrap();
    let card: serde_json::Value = serde_json::from_str(card).unwrap();
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    let mut interfaces = interfaces.iter();
    let grpc = interfaces.find(|one| one["protocolBinding"] == "GRPC");
    let (_, port) = grpc.unwrap()["url"]
        .as_str()
        .unwrap()
        .rsplit_once(':')
        .unwrap();
    port.parse().unwrap()
}

/// A bare connection to where the agent speaks gRPC.
pub fn connect(world: &World) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port(world))).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

impl Channel {
    pub fn new(world: &World) -> Self {
        Self::over(connect(world), None)
    }

    /// Over this connection; the server may send so many bytes of a stream before they are read.
    pub fn over(stream: TcpStream, window: Option<u32>) -> Self {
        let runtime = runtime();
        stream.set_nonblocking(true).unwrap();
        let stream = {
            let _inside = runtime.enter();
            tokio::net::TcpStream::from_std(stream).unwrap()
        };
        Self::speaking(runtime, stream, window)
    }

    pub fn speaking(
        runtime: Runtime,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        window: Option<u32>,
    ) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(window);
        let handshake = builder.handshake(TokioIo::new(stream));
        let (sender, connection) = runtime.block_on(handshake).unwrap();
        runtime.spawn(connection);
        Self { runtime, sender }
    }

    /// Whether the server has closed it.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// A call with this message, to its end.
    pub fn call(&self, method: &str, metadata: &[(&str, &str)], message: &[u8]) -> Answer {
        let mut metadata = metadata.to_vec();
        metadata.push(("a2a-version", "1.0"));
        self.post(method, &metadata, framed(message))
    }

    /// A call with this body.
    pub fn post(&self, method: &str, metadata: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let path = format!("/lf.a2a.v1.A2AService/{method}");
        let request = request("localhost", &path, metadata);
        self.send(request.body(whole(body)).unwrap())
    }

    pub fn send(&self, request: Request<Body>) -> Answer {
        let response = self.open(request);
        self.read(response)
    }

    /// Sends a request; the begin of its answer.
    pub fn open(&self, request: Request<Body>) -> Response<Incoming> {
        let mut sender = self.sender.clone();
        let answer = self.runtime.block_on(async move {
            timeout(PATIENCE, async {
                sender.ready().await?;
                sender.send_request(request).await
            })
            .await
        });
        answer.unwrap().unwrap()
    }

    /// Sends a request that may not be answered at all.
    pub fn try_send(&self, request: Request<Body>) -> hyper::Result<Response<Incoming>> {
        let mut sender = self.sender.clone();
        let answer = async { timeout(PATIENCE, sender.send_request(request)).await };
        self.runtime.block_on(answer).unwrap()
    }

    /// Reads an answer to its end.
    pub fn read(&self, response: Response<Incoming>) -> Answer {
        let (head, body) = response.into_parts();
        let collected = async { timeout(PATIENCE, body.collect()).await };
        let body = self.runtime.block_on(collected).unwrap().unwrap();
        let trailers = body.trailers().cloned().unwrap_or_default();
        Answer {
            http: head.status.as_u16(),
            headers: head.headers,
            messages: unframed(&body.to_bytes()),
            trailers,
        }
    }
}

pub fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
}

pub fn request(
    authority: &str,
    path: &str,
    metadata: &[(&str, &str)],
) -> hyper::http::request::Builder {
    let mut request = Request::builder()
        .method("POST")
        .uri(format!("http://{authority}{path}"))
        .header("te", "trailers");
    if !metadata.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/grpc");
    }
    for (name, value) in metadata {
        request = request.header(*name, *value);
    }
    request
}

pub fn whole(body: Vec<u8>) -> Body {
    Full::new(Bytes::from(body)).boxed()
}

/// A body that begins like this and never ends.
pub fn endless(begin: Vec<u8>) -> Body {
    let first = futures_util::stream::iter([Ok(Frame::data(Bytes::from(begin)))]);
    let rest = futures_util::stream::pending();
    StreamBody::new(futures_util::StreamExt::chain(first, rest)).boxed()
}

/// A message in its frame.
pub fn framed(message: &[u8]) -> Vec<u8> {
    let size = u32::try_from(message.len()).unwrap();
    [&[0], &size.to_be_bytes()[..], message].concat()
}

fn unframed(mut body: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while let Some((head, rest)) = body.split_first_chunk::<5>() {
        assert_eq!(head[0], 0, "not compressed");
        let size = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
        let (message, rest) = rest.split_at(size);
        messages.push(message.to_vec());
        body = rest;
    }
    assert!(body.is_empty(), "half a frame: {body:?}");
    messages
}

/// A field of a message that holds text, bytes or another message.
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut size = bytes.len();
    let mut field = vec![number << 3 | 2];
    while size >= 0x80 {
        field.push(size as u8 | 0x80);
        size >>= 7;
    }
    field.push(size as u8);
    field.extend(bytes);
    field
}

/// A `SendMessageRequest` with this text.
pub fn saying(text: &str) -> Vec<u8> {
    sending(&field(1, text.as_bytes()))
}

/// A `SendMessageRequest` with this part.
pub fn sending(part: &[u8]) -> Vec<u8> {
    let id = uuid::Uuid::new_v4().to_string();
    let message = [field(1, id.as_bytes()), vec![0x20, 1], field(5, part)].concat();
    field(2, &message)
}
