//! The events of a stream, one at a time as they come.

use std::collections::VecDeque;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use synapse_a2a::wire::sse::{Decoder, Event};
use tokio::time::timeout;

use super::web::{LARGEST, WebError};

/// How long a stream may be silent. Ours say every 15 seconds that they are alive; others may not, so it is long.
const SILENCE: Duration = Duration::from_mins(10);

/// A stream of events.
pub struct Events {
    host: String,
    body: Incoming,
    decoder: Decoder,
    ready: VecDeque<Event>,
}

impl Events {
    pub(super) fn new(host: &str, body: Incoming) -> Self {
        Self {
            host: host.to_owned(),
            body,
            decoder: Decoder::new(LARGEST),
            ready: VecDeque::new(),
        }
    }

    /// The next event; nothing when the stream is over.
    ///
    /// # Errors
    /// When the connection breaks, or is silent for longer than anything alive would be.
    pub async fn next(&mut self) -> Result<Option<Event>, WebError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Ok(frame) = timeout(SILENCE, self.body.frame()).await else {
                return Err(WebError::Late {
                    host: self.host.clone(),
                    patience: SILENCE,
                });
            };
            let frame = frame.transpose().map_err(|why| WebError::Broken {
                host: self.host.clone(),
                why,
            })?;
            let Some(frame) = frame else { return Ok(None) };
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            let events = self.decoder.feed(&bytes);
            self.ready
                .extend(events.map_err(|error| WebError::Unreadable {
                    host: self.host.clone(),
                    reason: error.to_string(),
                })?);
        }
    }

    /// The number to go on from after a break.
    pub fn last_id(&self) -> Option<&str> {
        self.decoder.last_id()
    }
}
