//! A request body with a deadline: without one, a client that sends a byte now and then would keep its
//! connection for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long a whole body may take.
const PATIENCE: Duration = Duration::from_mins(1);

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// A body that comes in time or not at all.
pub(super) struct TimedBody {
    body: Incoming,
    /// Set when we have to wait for the first time; most bodies come with their headers.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    pub(super) fn new(body: Incoming) -> Self {
        Self {
            body,
            deadline: None,
        }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Problem;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Problem>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Problem::from)));
        }
        let deadline = this
            .deadline
            .get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        deadline.as_mut().poll(cx).map(|()| {
            let late = format!("the body did not come within {PATIENCE:?}");
            Some(Err(io::Error::new(io::ErrorKind::TimedOut, late).into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
