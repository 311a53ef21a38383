//! Stops a program that waits for input gracefully: its own exit keys are pressed first, so that it can
//! save its state and say how to resume.

use std::time::Duration;

use synapse_term::keys::{Key, encode};
use synapse_term::reading::State;
use tokio::time::{Instant, sleep_until};

use super::{Session, state_after};

/// How long a program may take to leave by itself.
const FAREWELL: Duration = Duration::from_secs(1);

/// Keys pressed in one breath are one key to some programs.
const PACE: Duration = Duration::from_millis(100);

impl Session {
    /// Presses the profile's keys that end the program, if nothing else can come of them, and lets it go.
    pub(super) async fn say_goodbye(&mut self) {
        let is_at_rest = self.watcher.reading().state() == State::Idle;
        let is_empty = self.watcher.typed_text().is_none_or(|text| text.is_empty());
        if !is_at_rest || !is_empty || self.routing.has_draft() {
            return;
        }
        self.clear_notices();
        let mode = self.watcher.screen().modes().keyboard();
        let names = self.profile.exit_keys.iter();
        let keys = names.filter_map(|name| Some(encode(&Key::parse(name).ok()?, &mode)));
        let keys: Vec<Vec<u8>> = keys.collect();
        if keys.is_empty() {
            return;
        }
        let last = Instant::now() + FAREWELL;
        for key in keys {
            // A program that reads nothing is asked in another way.
            let _ = self.writer.push(&key);
            if self.is_gone_by(last.min(Instant::now() + PACE)).await {
                return;
            }
        }
        self.is_gone_by(last).await;
    }

    /// Lets the program read and paint for so long; whether it has ended.
    async fn is_gone_by(&mut self, last: Instant) -> bool {
        loop {
            tokio::select! {
                flushed = self.writer.flush(), if !self.writer.is_empty() => {
                    if flushed.is_err() {
                        self.writer.discard();
                    }
                }
                painted = self.output.next() => match painted {
                    Some(piece) => {
                        self.pass_to_viewers(&piece);
                        self.watcher.feed(&piece.bytes, self.start.elapsed());
                    }
                    None => return true,
                },
                state = state_after(&mut self.states, self.pty_state) => {
                    self.pty_state = state;
                    if state.exit().is_some() {
                        return true;
                    }
                }
                () = sleep_until(last) => return false,
            }
        }
    }
}
