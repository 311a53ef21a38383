//! Stopping a turn: which key is wanted, when it is pressed, and whether it is pressed again.

use std::time::Duration;

use synapse_term::keys::Key;
use synapse_term::reading::State;

use super::{Effect, Turn};

/// How long an interrupt may take to show before the key is pressed once more for a canceled task.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// The key that somebody wants a turn to be stopped with.
#[derive(Clone, Copy, Debug)]
pub(super) enum StopKey {
    Usual,
    Given(Key),
}

#[derive(Debug, Default)]
pub(super) struct Stop {
    /// Why the task is canceled, if it is.
    pub(super) canceled: Option<String>,
    /// Somebody wants it stopped as soon as it begins, perhaps with a key of their own.
    pub(super) wanted: Option<StopKey>,
    /// A key to stop it was pressed.
    pub(super) is_pressed: bool,
    /// When to press once more.
    pub(super) again_at: Option<Duration>,
    pub(super) was_repeated: bool,
}

impl Turn {
    /// Stops the program, at once where it works or asks, else as soon as it does.
    pub(super) fn press_stop(
        &mut self,
        key: Option<Key>,
        state: State,
        now: Duration,
    ) -> Vec<Effect> {
        self.stop.wanted = Some(key.map_or(StopKey::Usual, StopKey::Given));
        self.stop_at_start(state, now)
    }

    pub(super) fn stop_at_start(&mut self, state: State, now: Duration) -> Vec<Effect> {
        if !matches!(state, State::Busy | State::Asking) {
            return Vec::new();
        }
        let Some(key) = self.stop.wanted.take() else {
            return Vec::new();
        };
        self.stop.is_pressed = true;
        let may_repeat = self.stop.canceled.is_some() && !self.stop.was_repeated;
        self.stop.again_at = may_repeat.then_some(now + STOP_PATIENCE);
        vec![Effect::Press(match key {
            StopKey::Usual => None,
            StopKey::Given(key) => Some(key),
        })]
    }
}
