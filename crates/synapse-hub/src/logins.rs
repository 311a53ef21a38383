//! The devices as the running hub knows them: looked up with every request, written down when they
//! change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use super::login::{Admission, Device, LoginError, LoginFile, LoginRecords, Right};
use super::shapes::{self, Session};

/// How exactly it is known when a device was last seen: writing each time would wear the disk.
const SEEN: SignedDuration = SignedDuration::from_hours(1);

/// What a cookie needs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside<'a> {
    /// Nothing: the kernel says that the caller is the user of this hub.
    User,
    /// The key of the device, and this is what was shown.
    Key(Option<&'a str>),
}

#[derive(Debug)]
pub(super) struct Logins {
    file: LoginFile,
    book: RwLock<LoginRecords>,
    /// When each device was last seen by this hub; the file knows it by the hour.
    uses: Mutex<HashMap<String, Timestamp>>,
    /// Told when a device is gone, so that what it has open is closed.
    removed: watch::Sender<()>,
}

impl Logins {
    /// Reads those of earlier runs.
    pub(super) fn load(file: LoginFile) -> Result<Self, LoginError> {
        let book = RwLock::new(file.read()?);
        let (removed, _) = watch::channel(());
        Ok(Self {
            file,
            book,
            uses: Mutex::default(),
            removed,
        })
    }

    /// Who shows this secret, with what must be beside it, and where they are.
    pub(super) fn who(
        self: &Arc<Self>,
        secret: &str,
        beside: Beside<'_>,
        address: Option<String>,
    ) -> Option<Session> {
        let now = Timestamp::now();
        let book = self.book.read().unwrap_or_else(PoisonError::into_inner);
        let device = book.device(secret, now)?;
        let is_complete = match beside {
            Beside::User => true,
            Beside::Key(shown) => shown.is_some_and(|key| device.has_key(key)),
        };
        if !is_complete {
            return None;
        }
        let (session, seen) = (session(device), device.last_seen_at);
        let has_moved = address.is_some() && device.address != address;
        drop(book);
        if let Some(id) = session.device.clone() {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            uses.insert(id.clone(), now);
            drop(uses);
            if seen + SEEN < now || has_moved {
                let logins = self.clone();
                tokio::task::spawn_blocking(move || logins.touch(&id, address.as_deref()));
            }
        }
        Some(session)
    }

    /// Whether this device is still let in; a bearer is no device.
    pub(super) fn is_valid(&self, session: &Session) -> bool {
        let Some(id) = &session.device else {
            return true;
        };
        let book = self.book.read().unwrap_or_else(PoisonError::into_inner);
        book.devices.iter().any(|device| device.id == *id)
    }

    /// Wakes whenever a device is gone.
    pub(super) fn removals(&self) -> watch::Receiver<()> {
        self.removed.subscribe()
    }

    /// A code for one more device.
    pub(super) fn mint(&self, right: Right) -> Result<String, LoginError> {
        self.file.mint(right)
    }

    /// Uses up a code: who came in, and what they show from now on.
    pub(super) fn exchange(
        &self,
        code: &str,
        name: &str,
    ) -> Result<(Session, Admission), LoginError> {
        let (admission, book) = self.file.exchange(code, name)?;
        self.set(book);
        Ok((session(&admission.device), admission))
    }

    /// The devices, the last seen first.
    pub(super) fn devices(&self, current: Option<&str>) -> Vec<shapes::Device> {
        let book = self.book.read().unwrap_or_else(PoisonError::into_inner);
        let mut devices: Vec<&Device> = book.devices.iter().collect();
        let uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let last = |device: &Device| uses.get(&device.id).copied().max(Some(device.last_seen_at));
        devices.sort_by_key(|device| std::cmp::Reverse(last(device)));
        let view = |device: &Device| shapes::Device {
            id: device.id.clone(),
            name: device.name.clone(),
            read_only: device.right == Right::ReadOnly,
            created_at: device.created_at.to_string(),
            last_seen_at: last(device).unwrap_or_default().to_string(),
            address: device.address.clone(),
            current: current == Some(device.id.as_str()),
        };
        devices.into_iter().map(view).collect()
    }

    /// Lets a device in no more. Whether there was one.
    pub(super) fn remove(&self, id: &str) -> Result<bool, LoginError> {
        self.keep_only(|device| device.id != id)
            .map(|removed| removed > 0)
    }

    /// Lets no device in but this one; how many there were. Codes that wait to be used let nobody in, either.
    pub(super) fn remove_others(&self, id: Option<&str>) -> Result<usize, LoginError> {
        self.file.change(|book, _| book.forget_codes())?;
        self.keep_only(|device| Some(device.id.as_str()) == id)
    }

    fn keep_only(&self, keeps: impl Fn(&Device) -> bool) -> Result<usize, LoginError> {
        let (removed, book) = self.file.change(|book, _| {
            let before = book.devices.len();
            book.devices.retain(keeps);
            before - book.devices.len()
        })?;
        self.set(book);
        self.removed.send_replace(());
        Ok(removed)
    }

    /// Gives a device a name. Whether there is one.
    pub(super) fn rename(&self, id: &str, name: &str) -> Result<bool, LoginError> {
        let (has_one, book) = self.file.change(|book, _| {
            let device = book.devices.iter_mut().find(|device| device.id == id);
            device
                .map(|device| name.clone_into(&mut device.name))
                .is_some()
        })?;
        self.set(book);
        Ok(has_one)
    }

    fn touch(&self, id: &str, address: Option<&str>) {
        let done = self.file.change(|book, now| {
            for device in &mut book.devices {
                if device.id == id {
                    device.last_seen_at = now;
                    let before = device.address.take();
                    device.address = address.map(str::to_owned).or(before);
                }
            }
        });
        match done {
            Ok(((), book)) => self.set(book),
            Err(error) => tracing::warn!(%error, "when a device was seen is not written down"),
        }
    }

    fn set(&self, book: LoginRecords) {
        *self.book.write().unwrap_or_else(PoisonError::into_inner) = book;
    }
}

fn session(device: &Device) -> Session {
    Session {
        device: Some(device.id.clone()),
        name: device.name.clone(),
        read_only: device.right == Right::ReadOnly,
    }
}
