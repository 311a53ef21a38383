//! Those who have connected and shown nothing yet. Each user of this machine, and each address elsewhere, may have
//! a few such connections, so that nobody can take all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Peer;

/// How many may wait in all before anybody is asked who they are.
const CALM: usize = 32;
/// How many one of them may have.
const EACH: usize = 256;

/// Whom connections are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Who {
    User(Option<u32>),
    Address(IpAddr),
}

/// How many each has.
#[derive(Debug, Default)]
pub(super) struct Crowd(Mutex<HashMap<Who, usize>>);

/// A connection that has shown nothing yet.
#[derive(Debug)]
pub(super) struct Unproven {
    crowd: Arc<Crowd>,
    who: Who,
}

impl Crowd {
    /// Takes one more in, unless who sends it has enough.
    pub(super) fn enter(self: &Arc<Self>, peer: &Peer) -> Option<Unproven> {
        let is_calm = self.lock().values().sum::<usize>() < CALM;
        let who = match peer.is_here() {
            // Asking the kernel for each would be work for nothing.
            true if is_calm => Who::User(None),
            true => Who::User(peer.user()),
            false => Who::Address(peer.remote().ip()),
        };
        let mut crowd = self.lock();
        let count = crowd.entry(who).or_default();
        if *count >= EACH {
            return None;
        }
        *count += 1;
        drop(crowd);
        Some(Unproven {
            crowd: Arc::clone(self),
            who,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Who, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Unproven {
    fn drop(&mut self) {
        let mut crowd = self.crowd.lock();
        if let Some(count) = crowd.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                crowd.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_the_place_of_another() {
        let crowd = Arc::new(Crowd::default());
        let peer = |from: &str| Peer::new(from.parse().unwrap(), "10.0.0.1:80".parse().unwrap());
        let taken: Vec<_> = (0..EACH)
            .filter_map(|_| crowd.enter(&peer("10.0.0.2:5")))
            .collect();
        assert_eq!(taken.len(), EACH);
        assert!(crowd.enter(&peer("10.0.0.2:6")).is_none());
        assert!(crowd.enter(&peer("10.0.0.3:6")).is_some());
        drop(taken);
        assert!(crowd.enter(&peer("10.0.0.2:6")).is_some());
    }
}
