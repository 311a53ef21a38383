//! Slows down clients that present wrong login codes. A code cannot be guessed anyway; this keeps guessing
//! cheap for us.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use synapse_serve::Source;

/// Wrong codes that cost nothing: people paste the wrong line.
const FREE: u32 = 5;
/// The first wait; each is twice the one before.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(32);
/// Sources that are remembered.
const MOST: usize = 1_024;

/// Who has shown wrong codes of late.
#[derive(Debug, Default)]
pub(super) struct WrongCodes(Mutex<HashMap<Option<Source>, Misses>>);

#[derive(Clone, Copy, Debug)]
struct Misses {
    count: u32,
    /// Until when none is looked at.
    until: Instant,
}

impl WrongCodes {
    /// Whether a code from there is looked at; if not, for how long.
    pub(super) fn check(&self, from: Option<Source>, now: Instant) -> Result<(), Duration> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = known
            .get(&from)
            .map(|misses| misses.until.duration_since(now));
        match wait.filter(|wait| !wait.is_zero()) {
            Some(wait) => Err(wait),
            None => Ok(()),
        }
    }

    /// Notes a wrong one.
    pub(super) fn note(&self, from: Option<Source>, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, misses| misses.until + LONGEST > now);
        let earliest = known.iter().min_by_key(|(_, misses)| misses.until);
        if known.len() >= MOST
            && !known.contains_key(&from)
            && let Some(source) = earliest.map(|(source, _)| *source)
        {
            known.remove(&source);
        }
        let misses = known.entry(from).or_insert(Misses {
            count: 0,
            until: now,
        });
        misses.count = misses.count.saturating_add(1);
        let doublings = misses.count.saturating_sub(FREE);
        misses.until = match doublings {
            0 => now,
            some => now + LONGEST.min(FIRST * 2_u32.saturating_pow(some.min(16) - 1)),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn who_shows_many_wrong_codes_waits_and_others_do_not() {
        let codes = WrongCodes::default();
        let (thief, owner) = (Some(Source::User(Some(1))), Some(Source::User(Some(2))));
        let start = Instant::now();
        for _ in 0..FREE {
            assert!(codes.check(thief, start).is_ok());
            codes.note(thief, start);
        }
        let mut now = start;
        let mut waits = Vec::new();
        for _ in 0..8 {
            assert!(codes.check(thief, now).is_ok());
            codes.note(thief, now);
            let wait = codes.check(thief, now).unwrap_err();
            waits.push(wait.as_secs());
            now += wait;
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 32, 32]);
        assert!(codes.check(owner, now).is_ok());
        // In the end it is forgotten.
        now += LONGEST * 2;
        codes.note(owner, now);
        assert_eq!(codes.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn those_who_are_remembered_do_not_pile_up() {
        let codes = WrongCodes::default();
        let now = Instant::now();
        for number in 0..3_000_u32 {
            let source = Source::Network(Ipv4Addr::from_bits(number).into());
            codes.note(Some(source), now);
        }
        assert_eq!(codes.0.lock().unwrap().len(), MOST);
    }
}
