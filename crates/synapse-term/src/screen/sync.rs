//! What a synchronized update (mode 2026) holds back until it ends.

use std::time::Duration;

use super::{Meter, Size};

/// How many bytes a synchronized update may hold back, and how much work they may be, whatever the pieces they come
/// in: all of it is done when the update ends.
const SYNC_BYTES: usize = 1 << 20;
const SYNC_WORK: usize = 16 << 20;

/// An open synchronized update.
pub(super) struct Sync {
    pub(super) since: Duration,
    /// How many more bytes it may hold back.
    bytes: usize,
    /// How much more work it may hold back.
    work: usize,
    meter: Meter,
}

impl Sync {
    pub(super) fn new(since: Duration) -> Self {
        Self {
            since,
            bytes: SYNC_BYTES,
            work: SYNC_WORK,
            meter: Meter::default(),
        }
    }

    /// How many of these bytes it holds back; the rest is too much.
    pub(super) fn hold(&mut self, bytes: &[u8], size: Size) -> usize {
        let mut count = 0;
        for byte in bytes {
            let cost = self.meter.cost(*byte, size);
            if self.bytes == 0 || cost > self.work {
                (self.bytes, self.work) = (0, 0);
                break;
            }
            self.bytes -= 1;
            self.work -= cost;
            count += 1;
        }
        count
    }
}
