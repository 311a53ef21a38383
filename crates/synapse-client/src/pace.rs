//! Limits how often a program may send by itself: two agents that answer each other would never stop. Pure: time is an
//! argument.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// How long a message counts.
const SPAN: Duration = Duration::from_mins(1);

/// When messages went to whom.
#[derive(Debug)]
pub struct Pace {
    most: usize,
    sent: HashMap<String, VecDeque<Instant>>,
}

impl Pace {
    /// At most so many messages a minute to each.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            sent: HashMap::new(),
        }
    }

    /// Counts messages that are to be sent now.
    ///
    /// # Errors
    /// How long to wait before they may be.
    pub fn take(&mut self, to: &str, count: usize, now: Instant) -> Result<(), Duration> {
        self.sent.retain(|_, times| {
            times.retain(|at| now.duration_since(*at) < SPAN);
            !times.is_empty()
        });
        let times = self.sent.entry(to.to_owned()).or_default();
        if times.len() + count > self.most {
            let first = times.front().copied().unwrap_or(now);
            return Err((first + SPAN).duration_since(now));
        }
        times.extend(std::iter::repeat_n(now, count));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_speaks_too_often_is_told_how_long_to_wait() {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut pace = Pace::new(30);
        for second in 0..30 {
            assert_eq!(pace.take("codex", 1, at(second)), Ok(()));
        }
        let wait = Duration::from_secs(30);
        assert_eq!(pace.take("codex", 1, at(30)), Err(wait));
        assert_eq!(pace.take("claude", 1, at(30)), Ok(()), "each has its own");
        assert_eq!(
            pace.take("codex", 1, at(60)),
            Ok(()),
            "the first one is a minute ago"
        );
        assert!(pace.take("codex", 2, at(60)).is_err());
    }
}
