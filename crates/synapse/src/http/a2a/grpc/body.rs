//! The body of an answer: messages as they come, then the trailers that say how it ended.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use futures_util::stream::{self, Stream};
use hyper::body::Frame;
use synapse_a2a::wire::grpc::Status;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{late, trailers};

/// Messages, and how they ended. Who reads slowly is asked for nothing more until it has read, so that only its own
/// stream waits.
pub(super) struct MessageStream {
    messages: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
    deadline: Option<Pin<Box<Sleep>>>,
    is_over: bool,
}

impl MessageStream {
    /// Messages until there are no more or the client does not want to wait any longer.
    pub(super) fn new(
        messages: impl Stream<Item = Bytes> + Send + 'static,
        until: Option<Instant>,
    ) -> Self {
        Self {
            messages: Box::pin(messages),
            deadline: until.map(|until| Box::pin(sleep_until(until))),
            is_over: false,
        }
    }

    /// One message and nothing else.
    pub(super) fn of_one(message: Bytes) -> Self {
        Self::new(stream::iter([message]), None)
    }

    fn end(&mut self, status: &Status) -> Frame<Bytes> {
        self.is_over = true;
        self.messages = Box::pin(stream::empty());
        Frame::trailers(trailers(status))
    }
}

impl HttpBody for MessageStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let deadline = this.deadline.as_mut();
        if deadline.is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready()) {
            return Poll::Ready(Some(Ok(this.end(&late()))));
        }
        this.messages.as_mut().poll_next(cx).map(|message| {
            let frame = message.map_or_else(|| this.end(&Status::OK), Frame::data);
            Some(Ok(frame))
        })
    }
}
