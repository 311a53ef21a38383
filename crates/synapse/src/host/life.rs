//! The run of an agent in the store: that it began, and how it ended. One without an end was killed.

use std::path::PathBuf;

use anyhow::Result;
use synapse_pty::Exit;
use synapse_session::{Ledger, end_of};
use synapse_store::Owner;
use synapse_store::lives::{self, End};
use tokio::task::JoinHandle;

/// A run that is written down.
pub(super) struct Life {
    store: PathBuf,
    owner: Owner,
    begun: JoinHandle<Result<(), synapse_store::StoreError>>,
}

impl Life {
    /// Says that the agent can be used, and writes down that it runs.
    pub(super) fn begin(
        ready: impl FnOnce() -> Result<()>,
        store: PathBuf,
        owner: Owner,
    ) -> Result<Self> {
        ready()?;
        let (path, whose) = (store.clone(), owner.clone());
        let begun = tokio::task::spawn_blocking(move || lives::begin(&path, &whose));
        Ok(Self {
            store,
            owner,
            begun,
        })
    }

    /// Writes down how a run ended that had begun; a failure is told in the log.
    pub(super) async fn end(life: Option<Self>, end: End) {
        let Some(Self {
            store,
            owner,
            begun,
        }) = life
        else {
            return;
        };
        let ended = async {
            begun.await??;
            let written = tokio::task::spawn_blocking(move || lives::end(&store, &owner, end));
            anyhow::Ok(written.await??)
        };
        if let Err(error) = ended.await {
            tracing::warn!(%error, "how the agent ended is not written down");
        }
    }
}

/// How a run ended: as somebody wished, or as the program did.
pub(super) fn how(ledger: &Ledger, exit: Exit) -> End {
    if ledger.board.is_stopping() {
        End::Stopped
    } else {
        end_of(exit)
    }
}
