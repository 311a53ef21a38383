//! Who was let in: one-time codes and the devices that used one, in `~/.synapse/web.json`.
//!
//! The file holds hashes only, so whoever reads a copy of it gets in nowhere. Two programs write it:
//! the hub, and `synapse web login`, which adds a code; each change is made under a lock.

use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use synapse_machine::lock::LockGuard;
use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{read, replace};

/// How long a code can be used.
pub const CODE_LIFE: SignedDuration = SignedDuration::from_mins(5);
/// How long a device that is not seen is remembered.
pub(super) const DEVICE_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Codes that may wait to be used; a person needs one or two.
const CODES: usize = 32;

/// What a device or a code may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Right {
    Act,
    /// Look at everything.
    ReadOnly,
}

/// Why somebody is not let in, or nobody can be.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: io::Error },
    /// The file is not what we wrote.
    #[error("{} cannot be understood ({why}); move it away to begin with no devices", path.display())]
    Broken {
        path: PathBuf,
        /// What is wrong with it.
        why: serde_json::Error,
    },
    /// Nobody gets in with this code.
    #[error(
        "this code is wrong, was used already or is older than 5 minutes; `synapse web login` prints a new link"
    )]
    BadCode,
}

/// A fresh secret of 256 bits, fit for a URL.
pub fn new_secret() -> String {
    let [one, two] = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
    // 122 random bits each; hashed together so that the fixed bits do not show.
    let hash = Sha256::new().chain_update(one).chain_update(two).finalize();
    URL_SAFE_NO_PAD.encode(hash)
}

fn hash_of(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret))
}

/// A browser that was let in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) name: String,
    hash: String,
    /// Of the key that goes beside the cookie. Devices of before it was invented have none.
    #[serde(default)]
    key_hash: String,
    pub(super) right: Right,
    pub(super) created_at: Timestamp,
    pub(super) last_seen_at: Timestamp,
    /// Where it was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
}

impl Device {
    /// Whether this key belongs to the device.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.key_hash == hash_of(key)
    }
}

/// A device that has just been let in, and what it shows from now on. Browsers send the secret, a cookie, to every
/// port of a machine; the key goes where the page itself sends it and nowhere else.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) device: Device,
    pub(super) secret: String,
    pub(super) key: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Code {
    hash: String,
    right: Right,
    expires_at: Timestamp,
}

/// The contents of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LoginRecords {
    #[serde(default)]
    codes: Vec<Code>,
    #[serde(default)]
    pub(super) devices: Vec<Device>,
}

impl LoginRecords {
    /// Lets go of what is too old.
    fn prune(&mut self, now: Timestamp) {
        self.codes.retain(|code| code.expires_at > now);
        let is_fresh = |device: &Device| device.last_seen_at + DEVICE_LIFE > now;
        self.devices.retain(is_fresh);
    }

    pub(super) fn forget_codes(&mut self) {
        self.codes.clear();
    }

    /// A code that lets one device in.
    fn mint(&mut self, right: Right, now: Timestamp) -> String {
        let code = new_secret();
        if self.codes.len() == CODES {
            self.codes.remove(0);
        }
        self.codes.push(Code {
            hash: hash_of(&code),
            right,
            expires_at: now + CODE_LIFE,
        });
        code
    }

    /// Whether such a code lets somebody in.
    fn has_code(&self, code: &str, now: Timestamp) -> bool {
        let hash = hash_of(code);
        let mut codes = self.codes.iter();
        codes.any(|code| code.hash == hash && code.expires_at > now)
    }

    /// Uses up a code.
    fn exchange(&mut self, code: &str, name: &str, now: Timestamp) -> Option<Admission> {
        let hash = hash_of(code);
        let at = self.codes.iter().position(|code| code.hash == hash)?;
        let code = self.codes.remove(at);
        let [secret, key] = [new_secret(), new_secret()];
        let device = Device {
            id: uuid::Uuid::now_v7().to_string(),
            name: name.to_owned(),
            hash: hash_of(&secret),
            key_hash: hash_of(&key),
            right: code.right,
            created_at: now,
            last_seen_at: now,
            address: None,
        };
        self.devices.push(device.clone());
        Some(Admission {
            device,
            secret,
            key,
        })
    }

    /// The device that shows this secret. Comparing hashes tells nothing of the secret, however long
    /// it takes.
    pub(super) fn device(&self, secret: &str, now: Timestamp) -> Option<&Device> {
        let hash = hash_of(secret);
        let mut devices = self.devices.iter();
        devices.find(|device| device.hash == hash && device.last_seen_at + DEVICE_LIFE > now)
    }
}

#[derive(Clone, Debug)]
pub struct LoginFile {
    path: PathBuf,
}

impl LoginFile {
    /// The file at this place.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// A code that lets one device in.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn mint(&self, right: Right) -> Result<String, LoginError> {
        self.change(|book, now| book.mint(right, now))
            .map(|(code, _)| code)
    }

    /// Uses up a code.
    pub(super) fn exchange(
        &self,
        code: &str,
        name: &str,
    ) -> Result<(Admission, LoginRecords), LoginError> {
        // Looked at first: whoever guesses must not make us write.
        if !self.read()?.has_code(code, Timestamp::now()) {
            return Err(LoginError::BadCode);
        }
        let (done, book) = self.change(|book, now| book.exchange(code, name, now))?;
        Ok((done.ok_or(LoginError::BadCode)?, book))
    }

    /// Reads the book.
    pub(super) fn read(&self) -> Result<LoginRecords, LoginError> {
        match read(&self.path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|why| LoginError::Broken {
                path: self.path.clone(),
                why,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LoginRecords::default()),
            Err(error) => Err(self.at(error)),
        }
    }

    /// Changes the book; what came of it, and the book as it is then.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut LoginRecords, Timestamp) -> T,
    ) -> Result<(T, LoginRecords), LoginError> {
        if let Some(folder) = self.path.parent() {
            create_folder(folder).map_err(|error| self.at(error))?;
        }
        let _turn = LockGuard::wait_for(&lock_of(&self.path)).map_err(|error| self.at(error))?;
        let mut book = self.read()?;
        let now = Timestamp::now();
        book.prune(now);
        let done = change(&mut book, now);
        let text = serde_json::to_vec_pretty(&book).map_err(io::Error::from);
        let written = text.and_then(|text| replace(&self.path, &text));
        written.map_err(|error| self.at(error))?;
        Ok((done, book))
    }

    fn at(&self, why: io::Error) -> LoginError {
        LoginError::File {
            path: self.path.clone(),
            why,
        }
    }
}

fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("json.lock")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn later(seconds: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
    }

    #[test]
    fn a_code_lets_one_device_in() {
        let mut book = LoginRecords::default();
        let code = book.mint(Right::ReadOnly, later(0));
        let Admission {
            device,
            secret,
            key,
        } = book.exchange(&code, "phone", later(1)).unwrap();
        assert_eq!(device.right, Right::ReadOnly);
        assert!(device.has_key(&key) && !device.has_key(&secret) && !device.has_key(""));
        assert_eq!(book.device(&secret, later(2)).unwrap().id, device.id);
        assert!(
            book.device(&code, later(2)).is_none(),
            "a code is no secret"
        );
        assert!(book.exchange(&code, "thief", later(2)).is_none(), "used up");
    }

    #[test]
    fn a_code_is_good_for_five_minutes() {
        let mut book = LoginRecords::default();
        let code = book.mint(Right::Act, later(0));
        book.prune(later(299));
        assert_eq!(book.codes.len(), 1);
        book.prune(later(300));
        assert!(book.exchange(&code, "late", later(300)).is_none());
    }

    #[test]
    fn a_device_that_is_not_seen_is_forgotten() {
        let mut book = LoginRecords::default();
        let code = book.mint(Right::Act, later(0));
        let Admission { secret, .. } = book.exchange(&code, "old", later(0)).unwrap();
        let month = DEVICE_LIFE.as_secs();
        assert!(book.device(&secret, later(month - 1)).is_some());
        assert!(book.device(&secret, later(month)).is_none());
        book.prune(later(month));
        assert!(book.devices.is_empty());
    }

    #[test]
    fn codes_do_not_pile_up() {
        let mut book = LoginRecords::default();
        for _ in 0..100 {
            book.mint(Right::Act, later(0));
        }
        assert_eq!(book.codes.len(), CODES);
    }

    #[test]
    fn the_file_holds_no_secret_and_belongs_to_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let file = LoginFile::new(home.path().join("web.json"));
        let code = file.mint(Right::Act).unwrap();
        let (Admission { secret, key, .. }, _) = file.exchange(&code, "laptop").unwrap();
        let text = fs::read_to_string(&file.path).unwrap();
        assert!(text.contains("laptop"));
        assert!(
            ![code.as_str(), &secret, &key]
                .iter()
                .any(|word| text.contains(word))
        );
        let mode = fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(
            file.exchange(&code, "again"),
            Err(LoginError::BadCode)
        ));
    }

    #[test]
    fn a_broken_file_is_kept_and_named() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("web.json");
        fs::write(&path, "{").unwrap();
        let error = LoginFile::new(&path).mint(Right::Act).unwrap_err();
        assert!(error.to_string().contains("web.json cannot be understood"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{");
    }
}
