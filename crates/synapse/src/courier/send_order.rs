//! Keeps messages to one name in order: two typed in quick succession arrive in the order in which they
//! were typed, and no other recipient waits for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

/// Who is on the way to whom.
#[derive(Debug, Default)]
pub(super) struct SendOrder(HashMap<String, oneshot::Receiver<()>>);

/// A place in a send order. Whoever is behind goes on when it is left or gone.
#[derive(Clone, Debug)]
pub(super) struct OrderSlot {
    ahead: Arc<Mutex<Option<oneshot::Receiver<()>>>>,
    behind: Arc<Mutex<Option<oneshot::Sender<()>>>>,
}

impl SendOrder {
    /// The place behind all who go to this name.
    pub(super) fn enter(&mut self, name: &str) -> OrderSlot {
        // Those that nobody is in any more are forgotten.
        self.0
            .retain(|_, last| last.try_recv() == Err(oneshot::error::TryRecvError::Empty));
        let (behind, last) = oneshot::channel();
        let ahead = self.0.insert(name.to_lowercase(), last);
        OrderSlot {
            ahead: Arc::new(Mutex::new(ahead)),
            behind: Arc::new(Mutex::new(Some(behind))),
        }
    }
}

impl OrderSlot {
    /// Waits until nobody is ahead.
    pub(super) async fn come_first(&self) {
        let ahead = self.ahead.lock().ok().and_then(|mut ahead| ahead.take());
        if let Some(ahead) = ahead {
            let _ = ahead.await;
        }
    }

    /// Lets the next one go.
    pub(super) fn leave(&self) {
        if let Ok(mut behind) = self.behind.lock() {
            behind.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn those_who_go_to_one_name_go_one_after_the_other() {
        let mut order = SendOrder::default();
        let [first, second, other] = ["codex", "Codex", "claude"].map(|name| order.enter(name));
        assert!(first.come_first().now_or_never().is_some());
        assert!(other.come_first().now_or_never().is_some());
        let mut waits = Box::pin(second.come_first());
        assert!((&mut waits).now_or_never().is_none());
        first.leave();
        assert!(waits.now_or_never().is_some());
        drop(second);
        assert!(order.enter("codex").come_first().now_or_never().is_some());
    }
}
