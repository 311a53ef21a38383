//! From the typed text to the first sign that the program took it: when the submit key is pressed, and what is made of a
//! program that shows no reaction.

use std::time::Duration;

use super::words::{REPEATED_PATIENCE, SUBMIT_PATIENCE};
use super::{Effect, Ending, Phase, Scene, Turn, TurnError};

/// How long a program may take to show a text that was typed, before the submit key is pressed all the same.
const TYPED_PATIENCE: Duration = Duration::from_secs(3);

/// How soon it is looked at again.
const TYPED_PAUSE: Duration = Duration::from_millis(50);

/// How long a program that is seen painting may take to react to the submit key.
const PAINTING_PATIENCE: Duration = Duration::from_secs(10);

/// How soon a program that paints is looked at again.
const PAINTING_PAUSE: Duration = Duration::from_millis(300);

/// A text that was written, and when the submit key follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Typed {
    pub(super) since: Duration,
    /// What the program needs between the text and the key.
    pub(super) delay: Duration,
    pub(super) submit_at: Duration,
    /// When last looked at it had not come to the text.
    pub(super) is_behind: bool,
}

impl Turn {
    /// Presses the submit key. A program that has not come to the text yet would take it for the end of what it has, and
    /// one that has just come to it may still look at its box as it was before.
    pub(super) fn submit(&mut self, typed: Typed, scene: Scene, now: Duration) -> Vec<Effect> {
        let is_behind =
            (scene.is_box_empty || scene.has_unread_keys) && now < typed.since + TYPED_PATIENCE;
        if is_behind || typed.is_behind {
            let pause = if is_behind { TYPED_PAUSE } else { typed.delay };
            self.phase = Phase::Typed(Typed {
                submit_at: now + pause,
                is_behind,
                ..typed
            });
            return Vec::new();
        }
        // Enter would send what a person has only begun to write.
        if scene.has_foreign_words {
            return self.end(Ending::Broken(TurnError::ForeignWords));
        }
        self.phase = Phase::Submitted {
            since: now,
            due: now + SUBMIT_PATIENCE,
            presses: 1,
        };
        vec![Effect::Write(self.submit.clone())]
    }

    /// The submit key has shown no effect. It is pressed once more, unless the text has left the box:
    /// then another Enter would hit whatever came in its place.
    pub(super) fn submit_again(
        &mut self,
        since: Duration,
        presses: u8,
        scene: Scene,
        now: Duration,
    ) -> Vec<Effect> {
        // A program that is still painting is behind, and has not come to the key yet; so is one that has not read
        // it, and one whose box does not show the message.
        let is_behind = scene.is_painting || scene.is_box_empty || scene.has_unread_keys;
        if is_behind && now < since + PAINTING_PATIENCE {
            let due = now + PAINTING_PAUSE;
            self.phase = Phase::Submitted {
                since,
                due,
                presses,
            };
            return Vec::new();
        }
        // What was in the box and is not any longer was taken, though nobody has seen what came of it.
        if self.was_in_box && scene.is_box_empty {
            return self.start();
        }
        if presses > 1 {
            return self.end(Ending::Broken(TurnError::NoReaction));
        }
        self.phase = Phase::Submitted {
            since: now,
            due: now + REPEATED_PATIENCE,
            presses: presses + 1,
        };
        if scene.is_box_empty || scene.has_foreign_words {
            return Vec::new();
        }
        vec![Effect::Write(self.submit.clone())]
    }

    /// Notes whether the text is to be seen where it was typed.
    pub(super) fn note_box(&mut self, scene: Scene) {
        self.was_in_box |= self.awaits_reaction() && scene.is_box_filled;
    }

    /// The submit key was pressed, and nothing has shown yet that it was noticed.
    pub fn awaits_reaction(&self) -> bool {
        matches!(self.phase, Phase::Typed(_) | Phase::Submitted { .. })
    }
}
