//! Why messages wait although the program is idle, and for how long they may. Pure.

use std::time::Duration;

/// A wait is told after this long: most are over before anybody asks.
const TOLD_AFTER: Duration = Duration::from_secs(3);

/// A message that could not be typed for this long fails.
const LIMIT: Duration = Duration::from_mins(10);

/// What keeps a message from being typed into an idle program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A person has begun a line.
    Typing,
    /// The input box shows this, and nothing says that it is the program's own.
    Box(String),
    /// The program is suspended.
    Suspended,
    /// What is typed would reach a shell or another program.
    Keyboard,
}

impl Obstacle {
    /// As people are told.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Typing => "held: somebody is typing in its terminal".to_owned(),
            Self::Box(text) => format!("held: the box shows «{text}»"),
            Self::Suspended => "held: the program is suspended".to_owned(),
            Self::Keyboard => "held: another program has the keyboard of its terminal".to_owned(),
        }
    }
}

/// The wait that is going on.
#[derive(Debug, Default)]
pub(super) struct Hold {
    since: Option<(Obstacle, Duration)>,
    /// The message that was typed last. Programs put it back into their box when they are stopped before they
    /// answer.
    own: Option<String>,
}

impl Hold {
    /// What is in the way now, if anything is. A box that shows other words is the same wait.
    pub(super) fn note(&mut self, obstacle: Option<Obstacle>, now: Duration) {
        let began = self.since.as_ref().map_or(now, |(_, began)| *began);
        self.since = obstacle.map(|obstacle| (obstacle, began));
    }

    /// This message is typed.
    pub(super) fn note_typed(&mut self, text: &str) {
        self.own = Some(bare(text));
    }

    /// Whether a box with this text shows our own last message again. Says so once for each message.
    pub(super) fn is_put_back(&mut self, shown: &str) -> bool {
        let shown = bare(shown);
        let is_own = !shown.is_empty() && self.own.as_ref() == Some(&shown);
        if is_own {
            self.own = None;
        }
        is_own
    }

    /// Why messages wait, once it has lasted.
    pub(super) fn told(&self, now: Duration) -> Option<String> {
        let (obstacle, began) = self.since.as_ref()?;
        (now >= *began + TOLD_AFTER).then(|| obstacle.in_words())
    }

    /// When a message that came at this time has waited for too long.
    pub(super) fn expires(&self, came: Duration) -> Option<Duration> {
        let (_, began) = self.since.as_ref()?;
        Some(came.max(*began) + LIMIT)
    }

    /// When there is something to tell, if that is still to come.
    pub(super) fn deadline(&self, now: Duration) -> Option<Duration> {
        let (_, began) = self.since.as_ref()?;
        Some(*began + TOLD_AFTER).filter(|at| *at > now)
    }
}

/// A text without white space: boxes wrap where they like, and programs change it in what is pasted. Some paint their
/// cursor with a character that has no width.
pub(super) fn bare(text: &str) -> String {
    let is_seen = |c: &char| {
        !c.is_whitespace() && !matches!(*c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
    };
    text.chars().filter(is_seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn a_wait_is_told_once_it_lasts_and_forgotten_when_it_is_over() {
        let mut hold = Hold::default();
        hold.note(Some(Obstacle::Box("Ask me".to_owned())), AT(1));
        assert_eq!(hold.told(AT(3)), None);
        assert_eq!(hold.deadline(AT(3)), Some(AT(4)));
        hold.note(Some(Obstacle::Typing), AT(3));
        assert_eq!(
            hold.told(AT(4)).as_deref(),
            Some("held: somebody is typing in its terminal")
        );
        assert_eq!(hold.deadline(AT(4)), None);
        hold.note(None, AT(5));
        assert_eq!((hold.told(AT(9)), hold.expires(AT(1))), (None, None));
    }

    #[test]
    fn ones_own_message_is_known_again_and_once() {
        let mut hold = Hold::default();
        assert!(!hold.is_put_back("slow:30"));
        hold.note_typed("slow: 30\nlines");
        assert!(!hold.is_put_back("") && !hold.is_put_back("slow: 30"));
        assert!(hold.is_put_back("slow: 30  lines"));
        assert!(!hold.is_put_back("slow: 30  lines"));
        hold.note_typed("slow:20");
        assert!(
            hold.is_put_back("slow:20 \u{200B}"),
            "a cursor without width"
        );
    }

    #[test]
    fn a_message_has_its_full_time_from_when_it_came() {
        let mut hold = Hold::default();
        hold.note(Some(Obstacle::Typing), AT(10));
        assert_eq!(hold.expires(AT(2)), Some(AT(10) + LIMIT));
        assert_eq!(hold.expires(AT(60)), Some(AT(60) + LIMIT));
    }
}
