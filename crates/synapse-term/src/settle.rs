//! When a screen counts as still. A half-drawn screen is read by nobody.

use std::time::Duration;

/// No output for this long: the program has finished painting.
const STILL: Duration = Duration::from_millis(16);

/// A screen that never stops changing is looked at this often.
const LONGEST: Duration = Duration::from_millis(60);

/// Decides when to look.
#[derive(Clone, Debug, Default)]
pub struct Settle {
    changed: Option<Changed>,
}

#[derive(Clone, Debug)]
struct Changed {
    first: Duration,
    last: Duration,
}

impl Settle {
    /// Something was painted.
    pub fn mark(&mut self, now: Duration) {
        match &mut self.changed {
            Some(changed) => changed.last = now,
            None => {
                self.changed = Some(Changed {
                    first: now,
                    last: now,
                });
            }
        }
    }

    /// When the screen is to be looked at, if it changed since the last look.
    pub fn deadline(&self) -> Option<Duration> {
        self.changed
            .as_ref()
            .map(|c| (c.last + STILL).min(c.first + LONGEST))
    }

    /// It was looked at.
    pub fn clear(&mut self) {
        self.changed = None;
    }
}
