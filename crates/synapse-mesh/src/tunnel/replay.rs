//! Remembers which tunnels were opened lately: one that is opened a second time was recorded and played again. Together
//! with the time in every opening this covers all that ever was sent.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use crate::frame::TunnelId;

/// How far the clocks of two machines may be apart.
pub(super) const SKEW: Duration = Duration::from_mins(2);

/// The tunnels of the last minutes.
#[derive(Debug, Default)]
pub(super) struct Replays {
    known: HashSet<TunnelId>,
    order: VecDeque<(Instant, TunnelId)>,
}

impl Replays {
    /// Whether this one was never opened.
    pub(super) fn is_new(&mut self, tunnel: TunnelId) -> bool {
        let now = Instant::now();
        // Older ones are refused by their time.
        while let Some((at, old)) = self.order.front().copied()
            && now.duration_since(at) > SKEW * 3
        {
            self.order.pop_front();
            self.known.remove(&old);
        }
        let is_new = self.known.insert(tunnel);
        if is_new {
            self.order.push_back((now, tunnel));
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_is_opened_once() {
        let mut replays = Replays::default();
        assert!(replays.is_new(TunnelId([1; 16])));
        assert!(replays.is_new(TunnelId([2; 16])));
        assert!(!replays.is_new(TunnelId([1; 16])));
    }
}
