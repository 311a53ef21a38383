//! How an agent is reached: where it listens, by which names, who gets in, and its limits.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use hyper::Uri;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Auth, Config, seconds, settings};
use crate::paths::expand_home;

/// The most connections an agent may be told to take.
const MOST_CONNECTIONS: usize = 65_536;

/// How one agent is reached: the settings, and what was said when it was started.
#[derive(Clone, Debug)]
pub struct ListenConfig {
    /// The address it listens on.
    pub listen: IpAddr,
    /// The address others know it by, where that is another one.
    pub public_url: Option<PublicUrl>,
    /// Whether its card is always that of the newest protocol, with nothing for older clients.
    pub is_pure_card: bool,
    /// Whether what the agent has started may answer the agent's questions.
    pub may_answer_itself: bool,
    /// Who gets in.
    pub auth: Auth,
    /// The names it may be called by besides those of this machine itself.
    pub host_names: Vec<String>,
    /// What makes it speak TLS.
    pub tls: Option<Tls>,
    /// Limits on connections, headers and bodies.
    pub limits: Limits,
}

/// Why an agent must not be reached like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "with `auth: none` an agent may listen only on 127.0.0.1, because on {0} anybody could call it; set auth to token or same-user, and let others show the agent's token"
)]
pub struct OpenToAll(IpAddr);

impl Config {
    /// How an agent is reached whose start names nothing else.
    pub fn reach(&self) -> ListenConfig {
        ListenConfig {
            listen: self.listen,
            public_url: None,
            is_pure_card: false,
            may_answer_itself: false,
            auth: self.auth,
            host_names: self.host_names.clone(),
            tls: self.tls.clone(),
            limits: self.limits,
        }
    }
}

impl ListenConfig {
    /// Refuses what would let anybody in.
    ///
    /// # Errors
    /// When it listens beyond this machine and asks nobody for a token.
    pub fn check(&self) -> Result<(), OpenToAll> {
        if self.auth == Auth::None && !self.listen.to_canonical().is_loopback() {
            return Err(OpenToAll(self.listen));
        }
        Ok(())
    }
}

/// `tls`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Pair")]
pub struct Tls {
    /// The certificate and those between it and the authority, PEM.
    pub cert: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
}

/// What may stand below `tls`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Pair {
    #[serde(deserialize_with = "optional_file")]
    cert: Option<PathBuf>,
    #[serde(deserialize_with = "optional_file")]
    key: Option<PathBuf>,
}

impl TryFrom<Pair> for Tls {
    type Error = &'static str;

    fn try_from(pair: Pair) -> Result<Self, &'static str> {
        let (Some(cert), Some(key)) = (pair.cert, pair.key) else {
            return Err("both cert and key are needed");
        };
        Ok(Self { cert, key })
    }
}

/// `limits`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Limits {
    /// Connections at one time.
    #[serde(deserialize_with = "connections")]
    pub connections: usize,
    /// How long a client may take for the headers of a request, and be silent between two.
    #[serde(deserialize_with = "seconds", serialize_with = "settings::seconds")]
    pub header_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_024,
            header_timeout: Duration::from_secs(30),
        }
    }
}

/// The address others know an agent by: `https://agents.example/reviewer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    url: String,
    host: String,
}

/// A word that is no such address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an address such as https://agents.example/reviewer")]
pub struct PublicUrlError(String);

impl PublicUrl {
    /// As it is written, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The name in it, without the port.
    pub fn host(&self) -> &str {
        &self.host
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let wrong = || PublicUrlError(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let host = uri.host().filter(|host| !host.is_empty());
        let is_address = matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.query().is_none()
            && !text.contains(['#', '@']);
        match host {
            Some(host) if is_address => Ok(Self {
                url: text.trim_end_matches('/').to_owned(),
                host: host.to_owned(),
            }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// A list of names, each as it stands in a Host header.
pub(super) fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let is_name =
        |name: &String| !name.is_empty() && !name.contains(['/', '*', ' ', '@', '#', '?']);
    match names.iter().find(|name| !is_name(name)) {
        Some(odd) => Err(D::Error::custom(format!("'{odd}' is not a host name"))),
        None => Ok(names),
    }
}

/// A file, which may lie below the person's home.
pub(super) fn optional_file<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(expand_home(text)))
}

fn connections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let most = usize::deserialize(deserializer)?;
    if !(1..=MOST_CONNECTIONS).contains(&most) {
        return Err(D::Error::custom(format!("{most} is out of range")));
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_open_to_all_is_not_started() {
        let mut reach = Config::default().reach();
        reach.auth = Auth::None;
        for (listen, is_fine) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false),
            ("::", false),
            ("192.168.1.2", false),
        ] {
            reach.listen = listen.parse().unwrap();
            assert_eq!(reach.check().is_ok(), is_fine, "{listen}");
        }
        reach.auth = Auth::SameUser;
        assert!(reach.check().is_ok(), "others show the token");
    }

    #[test]
    fn a_public_url_is_an_address() {
        let url: PublicUrl = "https://agents.example:8443/a/".parse().unwrap();
        assert_eq!(url.as_str(), "https://agents.example:8443/a");
        assert_eq!(url.host(), "agents.example");
        let url: PublicUrl = "http://[2001:db8::1]:80".parse().unwrap();
        assert_eq!(url.host(), "[2001:db8::1]");
        for odd in [
            "",
            "agents.example",
            "ftp://x",
            "https://",
            "https://a@b",
            "http://x?y",
            "http://x#y",
        ] {
            assert!(odd.parse::<PublicUrl>().is_err(), "{odd}");
        }
    }
}
