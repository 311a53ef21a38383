//! Calls somebody when an agent needs them: over webhooks and Web Push. Off until a device that may act asks for it.
//! Owns the settings and the links that answer; never delays an agent or a page.

mod answer_links;
mod book;
mod notice;
mod sender;
mod watch;
mod web_push;

use std::sync::{PoisonError, RwLock};

use serde::Serialize;

use answer_links::AnswerLinks;
use book::NotifyFile;

pub(super) use answer_links::LinkedAnswer;
pub(super) use book::{
    MOST_SUBSCRIPTIONS, MOST_WEBHOOKS, NotifyError, NotifyRecords, Shape, Subscription, Webhook,
    Wishes,
};
pub(super) use notice::{Kind, Notice};
pub(super) use sender::{Sender, check_address};
pub(super) use watch::watch;
pub(super) use web_push::{PushError, Vapid, check as check_keys};

/// Who is told, and the links that are out.
#[derive(Debug)]
pub(super) struct Notify {
    file: NotifyFile,
    records: RwLock<NotifyRecords>,
    pub(super) links: AnswerLinks,
}

impl Notify {
    /// Reads the settings. A hub that can push has a key for it from then on.
    pub(super) fn load(path: std::path::PathBuf, can_push: bool) -> anyhow::Result<Self> {
        let file = NotifyFile::new(path);
        let notify = Self {
            records: RwLock::new(file.read()?),
            file,
            links: AnswerLinks::default(),
        };
        if can_push && notify.records().vapid_key.is_none() {
            let key = Vapid::generate()?;
            notify.change(|records| records.vapid_key = Some(key))?;
        }
        Ok(notify)
    }

    pub(super) fn records(&self) -> NotifyRecords {
        let records = self.records.read().unwrap_or_else(PoisonError::into_inner);
        records.clone()
    }

    /// Changes the settings and writes them down; what came of it. Waits for the disk.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut NotifyRecords) -> T,
    ) -> Result<T, NotifyError> {
        let mut records = self.records.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = records.clone();
        let done = change(&mut next);
        if next != *records {
            self.file.write(&next)?;
            *records = next;
        }
        Ok(done)
    }

    /// Tells no browser that is not let in any more.
    pub(super) fn forget_devices(&self, is_known: impl Fn(&str) -> bool) {
        let is_stale = |one: &Subscription| !is_known(&one.device);
        if !self.records().subscriptions.iter().any(is_stale) {
            return;
        }
        let done = self.change(|records| records.subscriptions.retain(|one| !is_stale(one)));
        if let Err(error) = done {
            tracing::warn!(%error, "a device that was removed is still told");
        }
    }
}

/// What became of telling one place.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Told {
    /// The host of a webhook, or the device.
    pub(super) to: String,
    /// Why it did not arrive, if it did not.
    pub(super) error: Option<String>,
}
