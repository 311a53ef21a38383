//! The messages that were typed for others, so that the screen's account of their turns is not taken for a person's.
//! The screen may tell of a turn after the next message was typed, twice, or of several turns at once. Pure.

use std::collections::VecDeque;

use super::hold::bare;

/// How many are remembered: more than a screen's account of one turn can span.
const MOST: usize = 8;

/// The last messages of ours, oldest first.
#[derive(Debug, Default)]
pub(super) struct OwnMessages(VecDeque<OwnMessage>);

#[derive(Debug)]
struct OwnMessage {
    bare: String,
    /// The screen has told of its turn.
    is_reported: bool,
}

/// Whose turn the screen tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The message that was typed last.
    Last,
    /// One of ours before it.
    Earlier,
    /// Nobody typed it for others.
    Person,
}

impl OwnMessages {
    /// This message is typed.
    pub(super) fn note_typed(&mut self, text: &str) {
        self.0.push_back(OwnMessage {
            bare: bare(text),
            is_reported: false,
        });
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// A person pressed keys: from here on the same words may be theirs.
    pub(super) fn note_person(&mut self) {
        self.0.retain(|message| !message.is_reported);
    }

    /// Whose the message is that the screen saw submitted.
    pub(super) fn whose(&mut self, typed: &str) -> Whose {
        let typed = bare(typed);
        let last = self.0.len().saturating_sub(1);
        let mut found = self.0.iter_mut().enumerate().rev();
        // What stood in the box may stand before the last one.
        let is_it = |at, own: &str| typed == own || at == last && typed.contains(own);
        let Some((at, message)) = found.find(|(at, message)| is_it(*at, &message.bare)) else {
            return Whose::Person;
        };
        message.is_reported = true;
        if at == last {
            Whose::Last
        } else {
            Whose::Earlier
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(texts: &[&str]) -> OwnMessages {
        let mut own = OwnMessages::default();
        for text in texts {
            own.note_typed(text);
        }
        own
    }

    #[test]
    fn a_turn_that_is_told_twice_stays_ours() {
        let mut own = typed(&["say:to be counted"]);
        assert_eq!(own.whose("say:to be counted"), Whose::Last);
        assert_eq!(own.whose("say:to be counted"), Whose::Last);
    }

    #[test]
    fn a_turn_that_is_told_after_the_next_message_was_typed_is_ours_and_not_that_of_the_next() {
        let mut own = typed(&["one", "two"]);
        assert_eq!(own.whose("one"), Whose::Earlier);
        assert_eq!(own.whose("two"), Whose::Last);
        assert_eq!(own.whose("one\ntwo"), Whose::Last);
    }

    #[test]
    fn what_nobody_typed_for_others_is_a_persons() {
        let mut own = typed(&["one"]);
        assert_eq!(own.whose("three"), Whose::Person);
        assert_eq!(OwnMessages::default().whose("one"), Whose::Person);
    }

    #[test]
    fn a_person_may_say_the_same_once_ours_was_told() {
        let mut own = typed(&["go on"]);
        own.note_person();
        assert_eq!(own.whose("go on"), Whose::Last, "ours is still to come");
        own.note_person();
        assert_eq!(own.whose("go on"), Whose::Person);
    }

    #[test]
    fn white_space_that_a_program_changes_does_not_matter_and_old_ones_are_forgotten() {
        let mut own = typed(&["first  \n line"]);
        assert_eq!(own.whose("first line"), Whose::Last);
        for _ in 0..MOST {
            own.note_typed("next");
        }
        assert_eq!(own.whose("first line"), Whose::Person);
    }
}
