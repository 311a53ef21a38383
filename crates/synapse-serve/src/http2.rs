//! Connections that speak HTTP/2, where one client has many requests at once. Bounds what a connection may have
//! open, and ends it when nothing has been open on it for a while.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http2;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::time::timeout;

use super::body::TimedBody;
use super::stream::Stream;
use super::{Acceptor, FIRST_REQUEST, LONGEST_HEAD, Peer};

/// Requests that one connection may have open.
const MOST_OPEN: u32 = 128;
/// What a client may send of one request before we have read it, and of all together.
const WINDOW: u32 = 256 << 10;
const ALL_WINDOWS: u32 = 1 << 20;
/// What is kept of an answer for a client that does not read it.
const UNREAD: usize = 64 << 10;
/// How often a client is asked whether it is still there, and how long it may take to answer. A stream that has
/// nothing to tell is silent otherwise.
const ASK: Duration = Duration::from_secs(30);
const REPLY: Duration = Duration::from_secs(20);

/// What is open on a connection.
#[derive(Clone, Copy, Default)]
struct Requests {
    begun: u64,
    open: usize,
}

/// Serves one connection to its end.
pub(super) async fn serve(
    acceptor: &Arc<Acceptor>,
    stream: Stream,
    peer: Peer,
    mut is_closing: watch::Receiver<()>,
) {
    let (requests, seen) = watch::channel(Requests::default());
    let requests = Arc::new(requests);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        let open = OpenRequest::new(&requests);
        request.extensions_mut().insert(peer.clone());
        let request = request.map(|body| Body::new(TimedBody::new(body)));
        let answer = acceptor.router.call(request);
        async move {
            let answer: Response = answer.await?;
            Ok::<_, std::convert::Infallible>(
                answer.map(|body| Body::new(CountedBody { body, _open: open })),
            )
        }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_OPEN)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(ALL_WINDOWS)
        .max_send_buf_size(UNREAD)
        .max_header_list_size(LONGEST_HEAD as u32)
        .keep_alive_interval(ASK)
        .keep_alive_timeout(REPLY)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let patience = acceptor.limits.header_timeout;
    let ended = tokio::select! {
        ended = &mut connection => ended,
        has_asked = idle(seen.clone(), patience) => {
            if !has_asked {
                return;
            }
            // A request that is on its way is still served, or the client is told that it may send it again.
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                _ = idle(seen, FIRST_REQUEST) => return,
            }
        }
        _ = is_closing.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    super::note(&peer, ended);
}

/// Ends when nothing has been open for so long. Whether anything ever was.
async fn idle(mut seen: watch::Receiver<Requests>, patience: Duration) -> bool {
    loop {
        let Requests { begun, open } = *seen.borrow_and_update();
        let has_asked = begun > 0;
        let patience = if has_asked { patience } else { FIRST_REQUEST };
        let changed = async {
            // Nobody counts any more only when the connection is over.
            if seen.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        if open > 0 {
            changed.await;
        } else if timeout(patience, changed).await.is_err() {
            return has_asked;
        }
    }
}

/// A request that is not answered to its end.
struct OpenRequest(Arc<watch::Sender<Requests>>);

impl OpenRequest {
    fn new(requests: &Arc<watch::Sender<Requests>>) -> Self {
        requests.send_modify(|requests| {
            requests.begun += 1;
            requests.open += 1;
        });
        Self(Arc::clone(requests))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.send_modify(|requests| requests.open -= 1);
    }
}

/// The answer to a request, which is open until all of it is sent.
struct CountedBody {
    body: Body,
    _open: OpenRequest,
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Why a connection is refused.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    EnhanceYourCalm = 0xb,
    InadequateSecurity = 0xc,
}

/// What a server says that wants no request: empty settings, then that the client is to go away, and why.
pub(super) fn go_away(reason: Reason, why: &str) -> Vec<u8> {
    let size = 8 + why.len() as u32;
    let [_, high, middle, low] = size.to_be_bytes();
    let mut frames = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
    frames.extend([high, middle, low, 7, 0, 0, 0, 0, 0]);
    // The last request that was taken is none.
    frames.extend([0; 4]);
    frames.extend((reason as u32).to_be_bytes());
    frames.extend_from_slice(why.as_bytes());
    frames
}
