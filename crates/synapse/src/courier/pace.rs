//! Limits how often a program may send to each other agent. Pure: time is an argument.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// How many messages to one agent are let through in a span.
const MOST: usize = 10;

const SPAN: Duration = Duration::from_mins(1);

/// When messages went to whom.
#[derive(Debug, Default)]
pub(super) struct Pace(HashMap<String, VecDeque<Instant>>);

impl Pace {
    /// Whether one more may go to this agent now; if so it counts.
    pub(super) fn allows(&mut self, to: &str, now: Instant) -> bool {
        self.0.retain(|_, times| {
            times.retain(|at| now.duration_since(*at) < SPAN);
            !times.is_empty()
        });
        let times = self.0.entry(to.to_owned()).or_default();
        if times.len() >= MOST {
            return false;
        }
        times.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_so_many_in_a_minute_are_stopped_and_then_go_again() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let allowed = (0..MOST + 5).filter(|_| pace.allows("codex", start));
        assert_eq!(allowed.count(), MOST);
        assert!(pace.allows("claude", start), "each pair has its own");
        assert!(pace.allows("codex", start + SPAN));
    }
}
