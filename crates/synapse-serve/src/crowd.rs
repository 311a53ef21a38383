//! Limits on connections that have not shown who they are. Each user of this machine and each remote
//! network may have a few of them, and all together at most half of the connection limit. When there are
//! too many, the oldest is closed: an honest client sends its request at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::Peer;
use super::peer::Source;

/// How many may wait in all before anybody is asked who they are.
const CALM: usize = 32;
/// How many one of them may have.
const EACH: usize = 64;

/// The connections, by age.
#[derive(Debug)]
pub(super) struct Crowd {
    most: usize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    by_age: BTreeMap<u64, Place>,
}

#[derive(Debug)]
struct Place {
    source: Source,
    dismiss: oneshot::Sender<()>,
}

/// A connection that has not shown who it is.
#[derive(Debug)]
pub(super) struct Unproven {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Crowd {
    /// A crowd where there is room for so many connections of all kinds.
    pub(super) fn new(room: usize) -> Self {
        Self {
            most: (room / 2).max(1),
            places: Mutex::default(),
        }
    }

    /// Takes one more in. What is given second ends when this connection has to go for another one.
    pub(super) fn enter(
        self: &Arc<Self>,
        peer: &Peer,
    ) -> (Unproven, impl Future<Output = ()> + use<>) {
        let is_calm = self.lock().by_age.len() < CALM;
        // Asking the kernel for each would be work for nothing.
        let source = if peer.is_here() && is_calm {
            Source::User(None)
        } else {
            peer.source()
        };
        let mut places = self.lock();
        let is_same = |place: &&Place| place.source == source;
        let oldest = if places.by_age.values().filter(is_same).count() >= EACH {
            let mut ages = places.by_age.iter();
            ages.find(|(_, place)| place.source == source)
        } else if places.by_age.len() >= self.most {
            places.by_age.first_key_value()
        } else {
            None
        };
        let oldest = oldest.map(|(number, _)| *number);
        if let Some(place) = oldest.and_then(|number| places.by_age.remove(&number)) {
            let _ = place.dismiss.send(());
        }
        let (dismiss, dismissed) = oneshot::channel();
        let number = places.next;
        places.next += 1;
        places.by_age.insert(number, Place { source, dismiss });
        drop(places);
        let unproven = Unproven {
            crowd: Arc::clone(self),
            number,
        };
        let has_to_go = async {
            // Who has shown who they are is in no place any more.
            if dismissed.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        (unproven, has_to_go)
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Unproven {
    fn drop(&mut self) {
        self.crowd.lock().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(from: &str) -> Peer {
        Peer::new(from.parse().unwrap(), "10.0.0.1:80".parse().unwrap())
    }

    fn count(crowd: &Crowd) -> usize {
        crowd.lock().by_age.len()
    }

    #[tokio::test]
    async fn who_has_enough_makes_room_for_themselves_and_for_nobody_else() {
        let crowd = Arc::new(Crowd::new(1_000));
        let mut taken: Vec<_> = (0..EACH)
            .map(|_| crowd.enter(&peer("10.0.0.2:5")))
            .collect();
        let other = crowd.enter(&peer("10.0.0.3:6"));
        assert_eq!(count(&crowd), EACH + 1, "nobody has to go yet");
        taken.push(crowd.enter(&peer("10.0.0.2:6")));
        assert_eq!(count(&crowd), EACH + 1);
        // The oldest of the same address, so that this ends.
        let (_, has_to_go) = taken.remove(0);
        has_to_go.await;
        drop(taken);
        assert_eq!(count(&crowd), 1);
        drop(other);
        assert_eq!(count(&crowd), 0);
    }

    #[tokio::test]
    async fn half_of_the_room_is_for_those_who_have_shown_who_they_are() {
        let crowd = Arc::new(Crowd::new(20));
        let mut taken = Vec::new();
        for number in 0..50 {
            taken.push(crowd.enter(&peer(&format!("10.0.1.{number}:5"))));
            assert!(count(&crowd) <= 10);
        }
        for (_, has_to_go) in taken.drain(..40) {
            has_to_go.await;
        }
        assert_eq!(count(&crowd), 10);
    }

    #[test]
    fn a_network_of_ipv6_is_one_source() {
        assert_eq!(
            peer("[2001:db8:1:2::1]:5").source(),
            peer("[2001:db8:1:2:ffff::9]:6").source()
        );
        assert_ne!(
            peer("[2001:db8:1:2::1]:5").source(),
            peer("[2001:db8:1:3::1]:5").source()
        );
    }
}
