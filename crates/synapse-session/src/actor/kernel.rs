//! The kernel as a witness: what the program's foreground process sleeps in. It is asked on a thread of
//! its own, because files of /proc can take a moment, and only when the watcher wants to know.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use synapse_term::watch::{Interest, TerminalUse};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Session;
use synapse_pty::{Foreground, State as PtyState, Wait};

/// Asks the kernel, one question at a time.
pub(super) struct Kernel {
    foreground: Option<Arc<Foreground>>,
    question: Option<JoinHandle<io::Result<Wait>>>,
    /// What it said last, or why it says nothing.
    last: Option<Result<Wait, String>>,
}

impl Kernel {
    pub(super) fn new(foreground: io::Result<Foreground>) -> Self {
        let refusal = foreground.as_ref().err().map(ToString::to_string);
        Self {
            foreground: foreground.ok().map(Arc::new),
            question: None,
            last: refusal.map(Err),
        }
    }

    /// The answer to the open question; never, where none is open. Safe to cancel.
    pub(super) async fn answer(&mut self) -> io::Result<Wait> {
        let Some(question) = &mut self.question else {
            return std::future::pending().await;
        };
        let answer = question.await;
        self.question = None;
        answer.map_err(io::Error::other)?
    }

    /// Whether the program was last seen waiting for a line.
    pub(super) fn reads_lines(&self) -> bool {
        self.last == Some(Ok(Wait::Line))
    }

    /// What it said last, behind a comma.
    pub(super) fn in_words(&self) -> String {
        match &self.last {
            None => String::new(),
            Some(Err(refusal)) => {
                format!(
                    ", and /proc does not tell what it waits for ({refusal}): the screen alone does"
                )
            }
            Some(Ok(Wait::Line)) => ", last seen asleep in a read of its terminal".to_owned(),
            Some(Ok(Wait::Work)) => ", last seen not reading its terminal".to_owned(),
            Some(Ok(Wait::Unclear)) => {
                ", last seen waiting for keys or for several things, which tells nothing".to_owned()
            }
        }
    }
}

impl Session {
    /// When the kernel is to be asked, if at all.
    pub(super) fn inquiry_deadline(&self) -> Option<Duration> {
        if self.kernel.question.is_some() || self.kernel.foreground.is_none() {
            return None;
        }
        let interest = match self.running {
            Some(_) => Interest::Task,
            None => Interest::Nobody,
        };
        self.watcher.inquiry_deadline(interest)
    }

    pub(super) fn ask_kernel(&mut self, now: Duration) {
        let is_due = self.inquiry_deadline().is_some_and(|at| at <= now);
        if let (true, Some(foreground)) = (is_due, &self.kernel.foreground) {
            let foreground = Arc::clone(foreground);
            self.watcher.note_inquiry(now);
            self.kernel.question = Some(tokio::task::spawn_blocking(move || foreground.look()));
        }
    }

    /// The kernel has answered, or may not: a process of another user, a machine that hides /proc.
    pub(super) fn take_wait(&mut self, wait: io::Result<Wait>) {
        let now = self.now();
        let said = match wait {
            Ok(Wait::Line) => TerminalUse::Reads,
            Ok(Wait::Work) => TerminalUse::Works,
            Ok(Wait::Unclear) | Err(_) => TerminalUse::Unclear,
        };
        let wait = Some(wait.map_err(|error| error.to_string()));
        if self.kernel.last != wait {
            self.kernel.last = wait;
            self.ledger.board.set_look(None);
        }
        self.watcher.note_terminal_use(said, now);
        self.advance(now);
    }
}

/// Waits until the program does something else than `known`, as the kernel sees it. Safe to cancel.
pub(super) async fn state_after(
    states: &mut watch::Receiver<PtyState>,
    known: PtyState,
) -> PtyState {
    let state = states.wait_for(|state| *state != known).await;
    let state = state.ok().map(|state| *state);
    match state {
        Some(state) => state,
        // The last state is that of the end: there is nothing more to come.
        None => std::future::pending().await,
    }
}
