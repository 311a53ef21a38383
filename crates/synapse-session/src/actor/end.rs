//! The end of an agent: its program has gone, or somebody stops it. What was asked of it is settled, and its last words are
//! shown.

use std::time::Duration;

use synapse_pty::{Exit, State as PtyState, Tenure};
use synapse_term::reading::State;
use tokio::sync::watch;

use super::Session;
use super::feeding::PendingOutput;

/// How long a program may take to end once it was asked with a signal.
const GRACE: Duration = Duration::from_secs(3);

impl Session {
    /// The program closed its terminal: it is gone, or about to be.
    pub(super) async fn exited(mut self) -> Exit {
        let exit = exit_of(&mut self.states).await;
        self.end(exit);
        self.show_last_words().await;
        exit
    }

    pub(super) async fn stop(mut self) -> Exit {
        self.close_inbox();
        self.ledger.board.set_stopping();
        self.cancel_all();
        // What is not ours goes on without us.
        if self.pty.tenure() != Tenure::Guest {
            self.say_goodbye().await;
        }
        let exit = {
            let (pty, output) = (&self.pty, &mut self.output);
            let ended = pty.terminate(GRACE);
            tokio::pin!(ended);
            loop {
                tokio::select! {
                    result = &mut ended => break result,
                    // Who says goodbye must be heard, or is stuck until it is killed.
                    bytes = output.recv() => if bytes.is_none() { break ended.await },
                }
            }
        };
        let exit = exit.unwrap_or_else(|survivors| {
            tracing::warn!(%survivors, "something is left");
            Exit::Signal(9)
        });
        self.end(exit);
        self.show_last_words().await;
        exit
    }

    fn end(&mut self, exit: Exit) {
        self.close_inbox();
        self.exit = Some(exit);
        let now = self.now();
        self.unfed = PendingOutput::default();
        let modes = self.watcher.screen().modes();
        self.ledger.board.set_alternate(modes.alternate_screen);
        self.clear_notices();
        self.watcher.exit(&exit.code().to_string(), now);
        self.advance(now);
        self.settle_interrupts(State::Exited);
        self.fail_all_exited();
    }
}

/// Waits for the end of the program. Safe to cancel.
async fn exit_of(states: &mut watch::Receiver<PtyState>) -> Exit {
    let ended = states.wait_for(|state| state.exit().is_some()).await;
    let exit = ended.ok().and_then(|state| state.exit());
    exit.unwrap_or(Exit::Unknown)
}
