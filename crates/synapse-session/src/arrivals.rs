//! Messages that are being taken in. Copies of one message that arrive at the same time take turns, so that the
//! second finds the task that the first became.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use synapse_a2a::id::MessageId;
use tokio::sync::OwnedMutexGuard;

type Turn = Arc<tokio::sync::Mutex<()>>;

/// One turn for each message id that is in use.
#[derive(Debug, Default)]
pub(super) struct Arrivals(Mutex<HashMap<MessageId, Turn>>);

/// The right to take in messages of one id, until it is dropped.
#[derive(Debug)]
pub(super) struct Arrival<'a> {
    arrivals: &'a Arrivals,
    message: MessageId,
    turn: Option<OwnedMutexGuard<()>>,
}

impl Arrivals {
    /// Waits until no other message of this id is being taken in.
    pub(super) async fn enter(&self, message: &MessageId) -> Arrival<'_> {
        let turn = Arc::clone(self.turns().entry(message.clone()).or_default());
        Arrival {
            arrivals: self,
            message: message.clone(),
            turn: Some(turn.lock_owned().await),
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<MessageId, Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        let mut turns = self.arrivals.turns();
        self.turn = None;
        // Whoever waits holds it as well as the map.
        let is_last = |turn: &Turn| Arc::strong_count(turn) == 1;
        if turns.get(&self.message).is_some_and(is_last) {
            turns.remove(&self.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn one_message_at_a_time_and_nothing_is_left_behind() {
        let arrivals = Arrivals::default();
        let (one, other) = (MessageId::new("one"), MessageId::new("other"));
        let first = arrivals.enter(&one).await;
        drop(arrivals.enter(&other).await);
        let mut second = Box::pin(arrivals.enter(&one));
        let early = timeout(Duration::ZERO, &mut second).await;
        assert!(early.is_err(), "two of one id are in");
        drop(first);
        drop(second.await);
        assert!(arrivals.turns().is_empty());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_is_forgotten() {
        let arrivals = Arrivals::default();
        let message = MessageId::new("one");
        let first = arrivals.enter(&message).await;
        let second = timeout(Duration::ZERO, arrivals.enter(&message)).await;
        assert!(second.is_err(), "two of one id are in");
        drop(first);
        assert!(arrivals.turns().is_empty());
    }
}
