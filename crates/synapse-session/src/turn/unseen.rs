//! Ends of turns that no witness reports: the program is idle although nobody saw the turn end, or it has written
//! nothing for the profile's `response_timeout` and is taken to have answered.

use std::time::Duration;

use synapse_term::reading::State;

use super::{Effect, Ending, Scene, Turn, TurnError};

/// How long an idle agent may leave a turn open before we fail it as unseen.
pub(super) const UNSEEN_PATIENCE: Duration = Duration::from_secs(3);

/// How long the program may be silent, and since when it is.
#[derive(Debug, Default)]
pub(super) struct Silence {
    patience: Option<Duration>,
    since: Duration,
}

impl Silence {
    pub(super) fn begin(&mut self, now: Duration) {
        self.since = now;
    }
}

impl Turn {
    /// Ends the turn when the program has written nothing for this long and no hook or transcript follows it.
    #[must_use]
    pub fn with_response_timeout(mut self, patience: Option<Duration>) -> Self {
        self.silence.patience = patience;
        self
    }

    /// When silence ends the turn. A hook or a transcript that follows the turn will say when it is over, and a turn
    /// that was stopped or asks something is not waiting for words.
    pub(super) fn timeout(&self) -> Option<Duration> {
        let is_followed = self.taken.by_hook || self.taken.by_record;
        let is_open = self.is_running() && !self.stop.is_pressed && !self.channel.is_asking();
        let due = self.silence.since + self.silence.patience?;
        (is_open && !is_followed).then_some(due)
    }

    /// A program that rests has done what it was told. Where nobody saw the turn end, it must not stay
    /// open for ever and keep all others waiting.
    pub(super) fn end_unseen(&mut self, scene: Scene, now: Duration) -> Vec<Effect> {
        let rests = scene.state == State::Idle && !scene.has_screen_turn;
        if !rests || !self.is_running() || self.channel.is_asking() {
            self.rest_since = None;
            return Vec::new();
        }
        let since = *self.rest_since.get_or_insert(now);
        if now < since + UNSEEN_PATIENCE {
            return Vec::new();
        }
        self.end(Ending::Broken(TurnError::Unseen))
    }

    pub(super) fn end_silent(&mut self, now: Duration) -> Vec<Effect> {
        match self.timeout() {
            Some(due) if now >= due => self.end(Ending::TimedOut),
            _ => Vec::new(),
        }
    }
}
