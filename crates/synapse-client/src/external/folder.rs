//! The files of agents elsewhere: `<alias>.json`, and `<alias>.token` beside it. One writer at a time; reading needs no lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use synapse_term::keys::meant;

use super::External;
use synapse_machine::handle::Handle;
use synapse_machine::lock::LockGuard;
use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{self, remove, replace};
use synapse_machine::token::Token;

/// The folder of agents elsewhere.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// Why the folder cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// A file of it cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        why: io::Error,
    },
    /// Nobody is called that.
    #[error("no external agent is called '{wanted}'{}", suggest(.nearest.as_deref()))]
    Nobody {
        /// The name as given.
        wanted: String,
        /// The alias closest to it.
        nearest: Option<String>,
    },
    /// Somebody else is called that.
    #[error("'{alias}' is {url}; choose another --alias, or remove that one first")]
    Taken {
        alias: Handle,
        /// Whose it is.
        url: String,
    },
}

fn suggest(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("; the nearest is '{nearest}'"),
        None => "; synapse external list has them; to add one: synapse external discover <url>"
            .to_owned(),
    }
}

impl Folder {
    /// The agents in a folder, which is made when the first one comes.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// Those that are known, by alias. A file that cannot be understood is warned of and left alone.
    pub(super) fn list(&self) -> Result<Vec<External>, ExternalError> {
        let listing = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(at(&self.0))?,
        };
        let mut found = Vec::new();
        for file in listing {
            let path = file.map_err(at(&self.0))?.path();
            let is_draft = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if is_draft || path.extension().is_none_or(|kind| kind != "json") {
                continue;
            }
            match read(&path) {
                Ok(external) => found.push(external),
                // Somebody removed it just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "a file of an external agent is broken");
                }
            }
        }
        found.sort_by(|one, other| one.alias.as_str().cmp(other.alias.as_str()));
        Ok(found)
    }

    pub(super) fn find(&self, word: &str) -> Result<External, ExternalError> {
        let word = word.strip_prefix('@').unwrap_or(word);
        let known = self.list()?;
        let names: Vec<String> = known.iter().map(|known| known.alias.to_string()).collect();
        let mut known = known.into_iter();
        known
            .find(|known| known.alias.is(word))
            .ok_or_else(|| ExternalError::Nobody {
                wanted: word.to_owned(),
                nearest: meant(word, names.iter().map(String::as_str)).map(str::to_owned),
            })
    }

    /// An alias that nobody has yet, made of the agent's name, or of where it is if that cannot be one.
    pub(super) fn free_alias(&self, name: &str, url: &str) -> Result<Handle, ExternalError> {
        let host = url.split("://").nth(1).unwrap_or(url);
        let wanted = [name, host].into_iter().find_map(alias_of);
        let wanted = wanted.unwrap_or_else(|| Handle::unchecked("agent"));
        let known = self.list()?;
        let is_free = |alias: &Handle| !known.iter().any(|known| known.alias.is(alias.as_str()));
        let mut all = (1..).take(known.len() + 1).map(|nth| wanted.nth(nth));
        let free = all.find(is_free);
        Ok(free.unwrap_or(wanted))
    }

    /// Keeps an agent and its token. One of the same alias is replaced if it is at the same address.
    pub(super) fn keep(
        &self,
        mut external: External,
        token: Option<&Token>,
    ) -> Result<External, ExternalError> {
        let _turn = self.enter()?;
        let other = self
            .list()?
            .into_iter()
            .find(|known| known.alias.is(external.alias.as_str()));
        if let Some(other) = other {
            if other.url != external.url {
                return Err(ExternalError::Taken {
                    alias: other.alias,
                    url: other.url,
                });
            }
            // The file is called as it was spelled first.
            external.alias = other.alias;
        }
        if let Some(token) = token {
            let path = self.file(&external.alias, "token");
            token.write(&path).map_err(at(&path))?;
            external.token_file = Some(path);
        }
        self.write(&external)?;
        Ok(external)
    }

    pub(super) fn remove(&self, word: &str) -> Result<External, ExternalError> {
        let known = self.find(word)?;
        let _turn = self.enter()?;
        for kind in ["json", "token"] {
            let path = self.file(&known.alias, kind);
            remove(&path).map_err(at(&path))?;
        }
        Ok(known)
    }

    /// Notes when an agent was last seen, unless it was removed meanwhile.
    pub(super) fn seen(&self, alias: &Handle, now: Timestamp) -> Result<(), ExternalError> {
        let _turn = self.enter()?;
        let path = self.file(alias, "json");
        let mut external = read(&path).map_err(at(&path))?;
        external.last_seen = Some(now);
        self.write(&external)
    }

    /// A file of ours that cannot be read.
    pub(super) fn unreadable(&self, why: io::Error) -> ExternalError {
        at(&self.0)(why)
    }

    fn write(&self, external: &External) -> Result<(), ExternalError> {
        let path = self.file(&external.alias, "json");
        let text = serde_json::to_vec_pretty(external).map_err(io::Error::from);
        text.and_then(|text| replace(&path, &text))
            .map_err(at(&path))
    }

    fn file(&self, alias: &Handle, kind: &str) -> PathBuf {
        self.0.join(format!("{alias}.{kind}"))
    }

    fn enter(&self) -> Result<LockGuard, ExternalError> {
        let path = self.0.join(".lock");
        let held = create_folder(&self.0).and_then(|()| LockGuard::wait_for(&path));
        held.map_err(at(&path))
    }
}

/// A name as an alias: `Weather Agent` is `weather-agent`.
fn alias_of(name: &str) -> Option<Handle> {
    let mut alias = String::new();
    for letter in name.chars().take(48).flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() || matches!(letter, '_' | '.') {
            alias.push(letter);
        } else if !alias.is_empty() && !alias.ends_with('-') {
            alias.push('-');
        }
    }
    let alias = alias.trim_matches(['-', '.']);
    Handle::parse(alias).ok()
}

fn read(path: &Path) -> io::Result<External> {
    let external: External = serde_json::from_slice(&private_file::read(path)?)?;
    // Files are named after it.
    Handle::parse(external.alias.as_str()).map_err(io::Error::other)?;
    Ok(external)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ExternalError {
    let path = path.to_owned();
    move |why| ExternalError::File { path, why }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    fn folder() -> (TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path().join("external"));
        (place, folder)
    }

    fn external(alias: &str, url: &str) -> External {
        External {
            name: alias.to_owned(),
            url: url.to_owned(),
            description: String::new(),
            capabilities: json!({}),
            skills: json!([]),
            alias: Handle::parse(alias).unwrap(),
            added_at: Timestamp::UNIX_EPOCH,
            last_seen: None,
            interface: None,
            token_file: None,
        }
    }

    fn token(text: &str) -> Token {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("t");
        fs::write(&path, text).unwrap();
        Token::read(&path).unwrap()
    }

    #[test]
    fn what_is_kept_is_found_in_any_spelling_and_forgotten_with_its_token() {
        let (_place, folder) = folder();
        assert_eq!(folder.list().unwrap(), []);
        let kept = folder
            .keep(external("Weather", "https://w"), Some(&token("secret")))
            .unwrap();
        let file = kept.token_file.clone().unwrap();
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(folder.find("@weather").unwrap(), kept);
        folder.seen(&kept.alias, Timestamp::UNIX_EPOCH).unwrap();
        assert!(folder.find("weather").unwrap().last_seen.is_some());
        folder.remove("WEATHER").unwrap();
        assert!(!file.exists() && folder.list().unwrap().is_empty());
        assert!(
            folder.seen(&kept.alias, Timestamp::UNIX_EPOCH).is_err(),
            "it stays forgotten"
        );
        assert!(folder.list().unwrap().is_empty());
    }

    #[test]
    fn an_alias_is_not_taken_from_another() {
        let (_place, folder) = folder();
        folder.keep(external("a", "https://one"), None).unwrap();
        folder.keep(external("A", "https://one"), None).unwrap();
        let error = folder.keep(external("A", "https://two"), None).unwrap_err();
        assert!(error.to_string().contains("https://one"), "{error}");
        assert_eq!(folder.list().unwrap().len(), 1);
        assert_eq!(folder.free_alias("A", "").unwrap().as_str(), "a-2");
    }

    #[test]
    fn an_alias_is_made_of_a_name() {
        for (name, alias) in [
            ("Weather Agent", Some("weather-agent")),
            ("  GPT/4 (fast!) ", Some("gpt-4-fast")),
            ("天気", Some("天気")),
            ("../../etc/passwd", Some("etc-passwd")),
            ("all", None),
            ("!!!", None),
            ("", None),
        ] {
            assert_eq!(alias_of(name).as_ref().map(Handle::as_str), alias, "{name}");
        }
        let (_place, folder) = folder();
        let alias = folder.free_alias("!!!", "https://w.example:8100").unwrap();
        assert_eq!(alias.as_str(), "w.example-8100");
    }

    #[test]
    fn a_broken_file_hides_nobody_else() {
        let (_place, folder) = folder();
        folder.keep(external("good", "https://g"), None).unwrap();
        fs::write(folder.0.join("bad.json"), "{").unwrap();
        fs::write(folder.0.join(".good.json.draft"), "{}").unwrap();
        let odd = fs::read_to_string(folder.0.join("good.json")).unwrap();
        let odd = odd.replace("\"alias\": \"good\"", "\"alias\": \"../../good\"");
        fs::write(folder.0.join("odd.json"), odd).unwrap();
        assert_eq!(folder.list().unwrap().len(), 1);
        let error = folder.find("god").unwrap_err().to_string();
        assert!(error.contains("the nearest is 'good'"), "{error}");
        let error = folder.find("translator").unwrap_err().to_string();
        assert!(error.contains("synapse external list"), "{error}");
    }
}
