//! Streams the events of a task (SSE), numbered, so that a client can resume where it was cut off. Each
//! event is serialised once and shared by all clients.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, Stream, StreamExt as _};
use synapse_a2a::id::TaskId;
use synapse_client::native::TaskEvent;
use tokio::time::{Instant, Sleep, sleep_until};

use super::problem::Problem;
use super::{ServerState, archive};
use synapse_session::{Follow, NumberedEvent};

/// How often a silent stream says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a client that lost its stream should come back, in milliseconds.
const RETRY: &str = "retry: 1000\n\n";

/// What it says then, to whoever reads events.
pub(super) const STILL_HERE: Bytes = Bytes::from_static(b": still here\n\n");

/// What a client is told of an event.
pub(super) enum Told {
    Nothing,
    More(Bytes),
    /// This, and nothing behind it.
    Last(Bytes),
}

/// The events of a task after the one numbered `after`, to its end.
pub(super) async fn stream(
    served: &ServerState,
    task: &TaskId,
    after: u64,
) -> Result<Response, Problem> {
    if let Some(follow) = served.session.board.follow(task, Some(after)) {
        let retry = stream::iter([Bytes::from_static(RETRY.as_bytes())]);
        let live = live(follow, Some(STILL_HERE), |posted| Told::More(frame(posted)));
        return Ok(sse(retry.chain(live)));
    }
    let record = archive::find(served, task).await?;
    let skip = usize::try_from(after).unwrap_or(usize::MAX);
    let past = record.events.iter().skip(skip);
    Ok(sse(stream::iter(
        past.map(|posted| frame(posted)).collect::<Vec<_>>(),
    )))
}

/// Frames as they come, in the headers of an event stream.
pub(super) fn sse(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // Nginx would keep events until it has enough of them.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let body = Body::from_stream(frames.map(Ok::<_, Infallible>));
    (headers, body).into_response()
}

/// What is told of what happens, until there is nothing more to tell. The connection of the client asks for it: one
/// that is slow to read asks less often, and an event wakes no more than that for each client. Says `still_here` now and
/// then, if there is a way to say so.
pub(super) fn live(
    follow: Follow,
    still_here: Option<Bytes>,
    tell: impl FnMut(&NumberedEvent) -> Told + Send + 'static,
) -> impl Stream<Item = Bytes> + Send {
    let now = Instant::now();
    let live = Live {
        follow,
        still_here,
        tell,
        told_at: now,
        silence: Box::pin(sleep_until(now + KEEP_ALIVE)),
        is_over: false,
    };
    stream::unfold(live, |mut live| async move {
        let frame = live.next().await?;
        Some((frame, live))
    })
}

/// A stream of one client.
struct Live<T> {
    follow: Follow,
    still_here: Option<Bytes>,
    tell: T,
    told_at: Instant,
    /// Looks now and then whether there was nothing to tell. To move it with each event would cost more than the event.
    silence: Pin<Box<Sleep>>,
    is_over: bool,
}

impl<T: FnMut(&NumberedEvent) -> Told> Live<T> {
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            tokio::select! {
                biased;
                posted = self.follow.next() => {
                    let frame = match (self.tell)(&*posted?) {
                        Told::Nothing => continue,
                        Told::More(frame) => frame,
                        Told::Last(frame) => {
                            self.is_over = true;
                            frame
                        }
                    };
                    self.told_at = Instant::now();
                    return Some(frame);
                }
                () = self.silence.as_mut(), if self.still_here.is_some() => {
                    let now = Instant::now();
                    let was_silent = now >= self.told_at + KEEP_ALIVE;
                    if was_silent {
                        self.told_at = now;
                    }
                    self.silence.as_mut().reset(self.told_at + KEEP_ALIVE);
                    if was_silent {
                        return self.still_here.clone();
                    }
                }
            }
        }
        None
    }
}

/// An event as streams tell it, written once for all who watch.
#[derive(Default)]
pub(super) struct Frames {
    native: OnceLock<Arc<str>>,
    /// In A2A 1.0, which does not tell of all.
    pub(super) current: OnceLock<Option<Arc<str>>>,
    /// The same for gRPC.
    #[cfg(feature = "grpc")]
    pub(super) grpc: OnceLock<Option<Bytes>>,
}

/// An event as it goes over the wire.
fn frame(posted: &NumberedEvent) -> Bytes {
    let write = || {
        let event = TaskEvent::of(&posted.task, &posted.event);
        let (number, name, data) = (posted.number, event.name(), event.data());
        format!("id: {number}\nevent: {name}\ndata: {data}\n\n").into()
    };
    let frames = posted.memo::<Frames>();
    let text = frames.map_or_else(write, |frames| Arc::clone(frames.native.get_or_init(write)));
    Bytes::from_owner(SharedFrame(text))
}

/// A frame that all streams share.
struct SharedFrame(Arc<str>);

impl AsRef<[u8]> for SharedFrame {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
