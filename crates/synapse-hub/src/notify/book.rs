//! Who is told when an agent needs somebody, in `~/.synapse/notify.json`. Only the hub writes it, and only a device that
//! may act can make it. Nobody is told anything until somebody has asked for it.

use std::io;
use std::path::PathBuf;

use jiff::civil::Time;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{read, replace};

/// Places that may be told.
pub(crate) const MOST_WEBHOOKS: usize = 5;
/// Browsers that may be told; more than anybody has.
pub(crate) const MOST_SUBSCRIPTIONS: usize = 20;

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NotifyRecords {
    pub(crate) wishes: Wishes,
    pub(crate) webhooks: Vec<Webhook>,
    /// The key by which push services know us: PKCS#8, base64.
    pub(crate) vapid_key: Option<String>,
    pub(crate) subscriptions: Vec<Subscription>,
}

/// What is told, and how much of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Wishes {
    /// An agent asks something.
    pub(crate) waiting: bool,
    pub(crate) failed: bool,
    /// A turn ended that took at least so many minutes.
    pub(crate) finished_after: Option<u32>,
    pub(crate) died: bool,
    /// The question and the command are told, too. Whoever carries the message can read them.
    pub(crate) with_question: bool,
    /// A message has links that answer the question, each once.
    pub(crate) answer_links: bool,
    /// One of these links allows what the agent asks for.
    pub(crate) allow_links: bool,
    /// Nobody is told anything from the first to the second time of day.
    pub(crate) quiet: Option<(Time, Time)>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            waiting: true,
            failed: true,
            finished_after: None,
            died: true,
            with_question: false,
            answer_links: false,
            allow_links: false,
            quiet: None,
        }
    }
}

impl Wishes {
    /// Whether nobody is to be disturbed at this moment.
    pub(crate) fn is_quiet(&self, now: &Zoned) -> bool {
        let Some((from, to)) = self.quiet else {
            return false;
        };
        let now = now.time();
        if from <= to {
            from <= now && now < to
        } else {
            from <= now || now < to
        }
    }
}

/// A place that is told over HTTP.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Webhook {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) shape: Shape,
    /// Shown as `Authorization: Bearer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
}

/// What a place understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// An ntfy server: the last part of the address is the topic.
    Ntfy,
    Json,
}

/// A browser that is told by its push service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Subscription {
    /// The device that asked for it; with the device the subscription goes.
    pub(crate) device: String,
    pub(crate) endpoint: String,
    pub(crate) p256dh: String,
    pub(crate) auth: String,
    pub(crate) since: Timestamp,
}

/// Why the file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotifyError {
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: io::Error },
    #[error("{} cannot be understood ({why}); move it away to tell nobody", path.display())]
    Broken {
        path: PathBuf,
        why: serde_json::Error,
    },
}

#[derive(Debug)]
pub(crate) struct NotifyFile {
    path: PathBuf,
}

impl NotifyFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn read(&self) -> Result<NotifyRecords, NotifyError> {
        match read(&self.path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|why| NotifyError::Broken {
                path: self.path.clone(),
                why,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(NotifyRecords::default()),
            Err(error) => Err(self.at(error)),
        }
    }

    pub(crate) fn write(&self, book: &NotifyRecords) -> Result<(), NotifyError> {
        if let Some(folder) = self.path.parent() {
            create_folder(folder).map_err(|error| self.at(error))?;
        }
        let text = serde_json::to_vec_pretty(book).map_err(io::Error::from);
        let written = text.and_then(|text| replace(&self.path, &text));
        written.map_err(|error| self.at(error))
    }

    fn at(&self, why: io::Error) -> NotifyError {
        NotifyError::File {
            path: self.path.clone(),
            why,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn quiet_hours_may_go_past_midnight() {
        let at = |hour, minute| {
            let moment = date(2026, 1, 2).at(hour, minute, 0, 0);
            moment.to_zoned(TimeZone::UTC).unwrap()
        };
        let quiet = |from: &str, to: &str| Wishes {
            quiet: Some((from.parse().unwrap(), to.parse().unwrap())),
            ..Wishes::default()
        };
        let night = quiet("22:00", "07:30");
        assert!(night.is_quiet(&at(22, 0)) && night.is_quiet(&at(3, 0)));
        assert!(!night.is_quiet(&at(7, 30)) && !night.is_quiet(&at(21, 59)));
        let noon = quiet("12:00", "13:00");
        assert!(noon.is_quiet(&at(12, 30)) && !noon.is_quiet(&at(13, 0)));
        assert!(!quiet("09:00", "09:00").is_quiet(&at(9, 0)));
        assert!(!Wishes::default().is_quiet(&at(3, 0)));
    }
}
