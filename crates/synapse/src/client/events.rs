//! The events of a stream, one at a time as they come.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Result, bail};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use synapse_a2a::wire::sse::{Decoder, Event};
use tokio::time::timeout;

use super::web::LARGEST;

/// How long a stream may be silent. Ours say every 15 seconds that they are alive; others may not, so it is long.
const SILENCE: Duration = Duration::from_mins(10);

/// A stream of events.
pub struct Events {
    body: Incoming,
    decoder: Decoder,
    ready: VecDeque<Event>,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self {
            body,
            decoder: Decoder::new(LARGEST),
            ready: VecDeque::new(),
        }
    }

    /// The next event; nothing when the stream is over.
    ///
    /// # Errors
    /// When the connection breaks, or is silent for longer than anything alive would be.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Ok(frame) = timeout(SILENCE, self.body.frame()).await else {
                bail!("the stream has been silent for {} s", SILENCE.as_secs());
            };
            let Some(frame) = frame.transpose()? else {
                return Ok(None);
            };
            if let Ok(bytes) = frame.into_data() {
                self.ready.extend(self.decoder.feed(&bytes)?);
            }
        }
    }

    /// The number to go on from after a break.
    pub fn last_id(&self) -> Option<&str> {
        self.decoder.last_id()
    }
}
