//! Tells the log who came in from another machine and who was refused: each of them once a minute at most, so that
//! nobody can fill the disk by knocking.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use synapse_serve::{Peer, Source};

/// How long a visitor that was told of is not told of again.
const REST: Duration = Duration::from_mins(1);

/// How many are remembered.
const MOST: usize = 256;

/// What became of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Visit {
    CameIn,
    Refused,
}

/// Tells of one.
pub(super) fn note(peer: &Peer, visit: Visit) {
    static TOLD: OnceLock<Mutex<Told>> = OnceLock::new();
    let told = TOLD.get_or_init(Mutex::default);
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.is_news(peer.source(), visit, Instant::now()) {
        return;
    }
    drop(told);
    let (from, user) = (peer.remote(), peer.user());
    match visit {
        Visit::CameIn => tracing::info!(%from, user, "somebody came in"),
        Visit::Refused => tracing::warn!(%from, user, "somebody was refused"),
    }
}

#[derive(Default)]
struct Told(HashMap<(Source, Visit), Instant>);

impl Told {
    fn is_news(&mut self, source: Source, visit: Visit, now: Instant) -> bool {
        let is_known = |at: &Instant| now.saturating_duration_since(*at) < REST;
        if self.0.get(&(source, visit)).is_some_and(is_known) {
            return false;
        }
        self.0.retain(|_, at| is_known(at));
        if self.0.len() >= MOST {
            return false;
        }
        self.0.insert((source, visit), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn whoever_knocks_again_is_told_once_a_minute() {
        let mut told = Told::default();
        let now = Instant::now();
        let one = Source::User(Some(7));
        assert!(told.is_news(one, Visit::Refused, now));
        assert!(!told.is_news(one, Visit::Refused, now + REST / 2));
        assert!(told.is_news(one, Visit::CameIn, now));
        assert!(told.is_news(one, Visit::Refused, now + REST));
    }

    #[test]
    fn a_crowd_cannot_fill_the_log() {
        let mut told = Told::default();
        let now = Instant::now();
        let crowd = (0..10_000).map(|n| Source::Network(IpAddr::V4(Ipv4Addr::from_bits(n))));
        let count = crowd
            .filter(|one| told.is_news(*one, Visit::Refused, now))
            .count();
        assert_eq!(count, MOST);
    }
}
