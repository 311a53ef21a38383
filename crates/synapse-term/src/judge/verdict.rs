//! What the rules say at one moment, and until when.

use std::time::Duration;

use crate::reading::{Evidence, Reading};

/// What the rules say at one moment.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) reading: Reading,
    pub(super) evidence: Evidence,
    /// How long it must stay true before it is believed.
    pub(super) hold: Duration,
    /// When it may be believed at the earliest.
    pub(super) not_before: Duration,
}

impl Verdict {
    /// When a verdict that has been true since then is believed.
    pub(super) fn due(&self, since: Duration) -> Duration {
        self.not_before.max(since + self.hold)
    }
}

/// A verdict and when it may change by time alone.
#[derive(Clone)]
pub(super) struct Opinion {
    pub(super) verdict: Option<Verdict>,
    pub(super) ask_again: Option<Duration>,
}

impl Opinion {
    /// A verdict that time alone does not change.
    pub(super) fn certain(reading: Reading, evidence: Evidence, hold: Duration) -> Self {
        let not_before = Duration::ZERO;
        let verdict = Some(Verdict {
            reading,
            evidence,
            hold,
            not_before,
        });
        Self {
            verdict,
            ask_again: None,
        }
    }

    /// No verdict: the reading in force stays.
    pub(super) fn none() -> Self {
        Self {
            verdict: None,
            ask_again: None,
        }
    }

    /// No verdict before that time.
    pub(super) fn later(at: Duration) -> Self {
        Self {
            verdict: None,
            ask_again: Some(at),
        }
    }
}
