//! Limits how often an agent may send by itself: two agents that answer each other would never stop.

use std::collections::VecDeque;
use std::time::Duration;

/// How many messages may be sent in one span.
const MOST: usize = 30;

const SPAN: Duration = Duration::from_mins(1);

/// When messages were sent.
#[derive(Debug, Default)]
pub(super) struct Pace {
    sent: VecDeque<Duration>,
}

impl Pace {
    /// Takes note of `count` messages to be sent now, or says how long to wait before they may be.
    pub(super) fn take(&mut self, count: usize, now: Duration) -> Result<(), Duration> {
        while self.sent.front().is_some_and(|at| *at + SPAN <= now) {
            self.sent.pop_front();
        }
        if self.sent.len() + count > MOST {
            let first = self.sent.front().copied().unwrap_or(now);
            return Err((first + SPAN).saturating_sub(now));
        }
        self.sent.extend(std::iter::repeat_n(now, count));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_speaks_too_often_is_told_how_long_to_wait() {
        let at = Duration::from_secs;
        let mut pace = Pace::default();
        for second in 0..30 {
            assert_eq!(pace.take(1, at(second)), Ok(()));
        }
        assert_eq!(pace.take(1, at(30)), Err(at(30)));
        assert_eq!(
            pace.take(1, at(60)),
            Ok(()),
            "the first one is a minute ago"
        );
        assert!(pace.take(2, at(60)).is_err());
    }
}
