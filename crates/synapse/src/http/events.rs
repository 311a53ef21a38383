//! Streams the events of a task (SSE), numbered, so that a client can resume where it was cut off. Each
//! event is serialised once and shared by all clients.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use synapse_a2a::id::TaskId;
use synapse_client::native::TaskEvent;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at};
use tokio_stream::wrappers::ReceiverStream;

use super::problem::Problem;
use super::{ServerState, archive};
use synapse_session::{Follow, NumberedEvent};

/// Events a stream may hold for a client that is slow to read; then it waits, and nobody else does.
pub(super) const STREAM: usize = 64;

/// How often a silent stream says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a client that lost its stream should come back, in milliseconds.
const RETRY: &str = "retry: 1000\n\n";

/// What it says then, to whoever reads events.
pub(super) const STILL_HERE: Bytes = Bytes::from_static(b": still here\n\n");

/// Where the frames of one client go.
pub(super) type Sender = mpsc::Sender<Result<Bytes, Infallible>>;
/// Where they come from.
pub(super) type Receiver = mpsc::Receiver<Result<Bytes, Infallible>>;

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
    let (sender, receiver) = mpsc::channel(STREAM);
    if let Some(follow) = served.session.board.follow(task, Some(after)) {
        tokio::spawn(async move {
            let retry = Told::More(Bytes::from_static(RETRY.as_bytes()));
            if pass(&sender, retry).await {
                pass_on(follow, sender, Some(STILL_HERE), |posted| {
                    Told::More(frame(posted))
                })
                .await;
            }
        });
    } else {
        let record = archive::find(served, task).await?;
        tokio::spawn(async move {
            let skip = usize::try_from(after).unwrap_or(usize::MAX);
            for posted in record.events.iter().skip(skip) {
                if sender.send(Ok(frame(posted))).await.is_err() {
                    return;
                }
            }
        });
    }
    Ok(sse(receiver))
}

/// Frames as they come, in the headers of an event stream.
pub(super) fn sse(frames: Receiver) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // Nginx would keep events until it has enough of them.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(ReceiverStream::new(frames))).into_response()
}

/// Sends what happens until there is nothing more to tell or the client is gone. Says `still_here` now and then, if there
/// is a way to say so.
pub(super) async fn pass_on(
    mut follow: Follow,
    sender: Sender,
    still_here: Option<Bytes>,
    mut tell: impl FnMut(&NumberedEvent) -> Told,
) {
    let mut silence = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    loop {
        let told = tokio::select! {
            posted = follow.next() => match posted {
                Some(posted) => tell(&posted),
                None => return,
            },
            _ = silence.tick(), if still_here.is_some() => {
                still_here.clone().map_or(Told::Nothing, Told::More)
            }
            () = sender.closed() => return,
        };
        silence.reset();
        if !pass(&sender, told).await {
            return;
        }
    }
}

/// Sends one frame. Whether more may come.
pub(super) async fn pass(sender: &Sender, told: Told) -> bool {
    match told {
        Told::Nothing => true,
        Told::More(frame) => sender.send(Ok(frame)).await.is_ok(),
        Told::Last(frame) => {
            // Whether it arrives or not, it was the last.
            let _ = sender.send(Ok(frame)).await;
            false
        }
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
