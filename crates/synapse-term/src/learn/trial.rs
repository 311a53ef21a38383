//! Reads a recording with a profile and counts what is right.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::scene::{Exchange, Scene, bare, shown_lines};
use crate::cast::Cast;
use crate::reading::State;
use crate::watch::{Event, TurnReport, Watcher};

/// What a program may take to show that it works, and what we may take to see it.
const GRACE: Duration = Duration::from_secs(1);

/// How well a recording was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Moments at which the state was right: at rest before the message, during the work, at rest after the reply.
    pub states_right: usize,
    /// Moments at which the state is known.
    pub states: usize,
    /// Replies that were read word for word; white space and the marks of Markdown aside.
    pub replies_right: usize,
    /// Replies that are known.
    pub replies: usize,
}

impl Score {
    /// How much was right.
    pub fn right(self) -> usize {
        self.states_right + self.replies_right
    }

    /// Whether neither less of the states nor fewer replies are right than there.
    pub fn is_no_worse_than(self, other: Self) -> bool {
        self.states_right >= other.states_right && self.replies_right >= other.replies_right
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            states_right,
            states,
            replies_right,
            replies,
        } = self;
        write!(
            f,
            "state {states_right} of {states}, replies {replies_right} of {replies}"
        )
    }
}

/// The score of these rules over `generic`; none if they are no profile.
pub(super) fn of(rules: &str, cast: &Cast, scene: &Scene) -> Option<Score> {
    let mut watcher = Watcher::new(Arc::new(super::profile(rules)?), cast.size);
    for event in &cast.events {
        watcher.replay(event);
    }
    watcher.finish(cast.end());
    let (mut states, mut turns) = (vec![(Duration::ZERO, State::Starting)], Vec::new());
    for event in watcher.take_events() {
        match event {
            Event::Reading(change) => states.push((change.at, change.reading.state())),
            Event::Turn(turn) => turns.push(turn),
            Event::Channel(_) | Event::Contradiction(_) | Event::ScreenLost => {}
        }
    }
    let mut score = Score::default();
    for exchange in &scene.exchanges {
        score.add(exchange, &states, &turns);
    }
    Some(score)
}

impl Score {
    fn add(&mut self, exchange: &Exchange, states: &[(Duration, State)], turns: &[TurnReport]) {
        let at = |time: Duration| {
            let before = states.iter().rev().find(|(at, _)| *at <= time);
            before.map_or(State::Starting, |(_, state)| *state)
        };
        let mut moment = |is_right: bool| {
            self.states += 1;
            self.states_right += usize::from(is_right);
        };
        let (rest, after) = (exchange.rest.0, exchange.after.0);
        moment(at(rest) == State::Idle);
        if exchange
            .replied
            .is_some_and(|replied| after > replied + GRACE)
        {
            moment(at(after) == State::Idle);
        }
        let submit = exchange.submit.0;
        if let Some(replied) = exchange.replied.filter(|_| exchange.span() > GRACE) {
            let is_work = |(at, _): &&(Duration, State)| *at >= submit + GRACE && *at < replied;
            let is_steady = states
                .iter()
                .filter(is_work)
                .all(|(_, state)| *state != State::Idle);
            moment(at(submit + GRACE) == State::Busy && is_steady);
        }
        let Some(reply) = &exchange.lesson.reply else {
            return;
        };
        self.replies += 1;
        let typed = bare(&exchange.lesson.typed);
        let is_right = |turn: &TurnReport| {
            bare(&turn.typed) == typed && plain(&turn.reply.text) == plain(reply)
        };
        self.replies_right += usize::from(turns.iter().any(is_right));
    }
}

/// The words of a Markdown text, without its marks.
fn plain(text: &str) -> String {
    let chars = shown_lines(text).flat_map(str::chars);
    chars
        .filter(|c| !c.is_whitespace() && !"*`#".contains(*c))
        .collect()
}
