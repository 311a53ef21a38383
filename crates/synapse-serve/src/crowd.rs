//! Limits on connections that have not shown who they are. Each user of this machine and each remote
//! network may have a few of them, and all together at most half of the connection limit. When there are
//! too many, or no room is left for another connection, the oldest is closed: an honest client sends its request
//! at once.

use std::collections::{BTreeMap, BTreeSet};
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
    /// Who was told to go and still has a connection.
    leaving: BTreeSet<u64>,
}

#[derive(Debug)]
struct Place {
    source: Source,
    dismiss: oneshot::Sender<()>,
}

/// A connection that has not shown who it is.
#[derive(Debug)]
pub(super) struct UnprovenPlace {
    crowd: Arc<Crowd>,
    number: u64,
}

/// A connection, for as long as it is open.
#[derive(Debug)]
pub(super) struct Visit {
    crowd: Arc<Crowd>,
    number: u64,
    dismissed: oneshot::Receiver<()>,
}

impl Crowd {
    /// A crowd where there is room for so many connections of all kinds.
    pub(super) fn new(room: usize) -> Self {
        Self {
            most: (room / 2).max(1),
            places: Mutex::default(),
        }
    }

    /// Takes one more in.
    pub(super) fn enter(self: &Arc<Self>, peer: &Peer) -> (UnprovenPlace, Visit) {
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
        oldest.inspect(|number| places.dismiss(*number));
        let (dismiss, dismissed) = oneshot::channel();
        let number = places.next;
        places.next += 1;
        places.by_age.insert(number, Place { source, dismiss });
        drop(places);
        let crowd = Arc::clone(self);
        let unproven = UnprovenPlace { crowd, number };
        let visit = Visit {
            crowd: Arc::clone(self),
            number,
            dismissed,
        };
        (unproven, visit)
    }

    /// Whether the next one that enters sends the oldest away.
    pub(super) fn is_full(&self) -> bool {
        self.lock().by_age.len() >= self.most.min(EACH)
    }

    /// Makes room for one more where there is none. Whether somebody is on the way out.
    pub(super) fn make_room(&self) -> bool {
        let mut places = self.lock();
        if places.leaving.is_empty()
            && let Some((&oldest, _)) = places.by_age.first_key_value()
        {
            places.dismiss(oldest);
        }
        !places.leaving.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn dismiss(&mut self, number: u64) {
        if let Some(place) = self.by_age.remove(&number)
            && place.dismiss.send(()).is_ok()
        {
            self.leaving.insert(number);
        }
    }
}

impl Visit {
    /// Ends when this connection has to go for another one.
    pub(super) async fn has_to_go(&mut self) {
        // Who has shown who they are is in no place any more.
        if (&mut self.dismissed).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        // What was said after this reaches nobody.
        let mut places = self.crowd.lock();
        self.dismissed.close();
        places.leaving.remove(&self.number);
    }
}

impl Drop for UnprovenPlace {
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
        let (_, mut first) = taken.remove(0);
        first.has_to_go().await;
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
        for (_, mut visit) in taken.drain(..40) {
            visit.has_to_go().await;
        }
        assert_eq!(count(&crowd), 10);
    }

    #[test]
    fn room_is_made_by_the_oldest_and_by_nobody_while_one_is_on_the_way_out() {
        let crowd = Arc::new(Crowd::new(20));
        assert!(!crowd.make_room(), "nobody is here who could go");
        let (first, first_visit) = crowd.enter(&peer("10.0.0.2:5"));
        let (second, second_visit) = crowd.enter(&peer("10.0.0.3:5"));
        assert!(crowd.make_room() && crowd.make_room());
        assert_eq!(count(&crowd), 1, "the second stays");
        drop((first, first_visit));
        // Who has shown who they are stays for good.
        drop(second);
        assert!(!crowd.make_room());
        drop(second_visit);
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
