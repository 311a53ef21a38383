//! Reads agent cards of all protocol versions: what the agent is, and which dialect it speaks at which
//! address.

use hyper::Uri;
use hyper::http::uri::Authority;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Dialect;

/// What an agent says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it can do, as it says.
    pub capabilities: Value,
    /// What it knows, as it says.
    pub skills: Value,
    /// Where to talk to it.
    pub interface: Interface,
}

/// Where an agent speaks what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    pub url: String,
    pub dialect: Dialect,
    /// Which of several agents behind one address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Whether it streams.
    #[serde(default)]
    pub streams: bool,
}

/// Why a card cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// It is no card.
    #[error("the card has no name")]
    NoName,
    /// There is nothing in common.
    #[error("the agent speaks only {0}; we speak A2A 1.0 (JSONRPC, HTTP+JSON) and 0.3 (JSONRPC)")]
    NothingInCommon(String),
    /// An address in it is none.
    #[error("the card gives '{0}', which is not the address of an agent")]
    NoAddress(String),
}

impl Card {
    /// Reads a card that was found at an address.
    ///
    /// # Errors
    /// When it is none, or names nothing that we speak.
    pub(super) fn read(card: &Value, found_at: &Uri) -> Result<Self, CardError> {
        let text = |name: &str| {
            card.get(name)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let name = text("name");
        if name.is_empty() {
            return Err(CardError::NoName);
        }
        let (url, dialect, tenant) = choose(card, found_at)?;
        let streams = card
            .pointer("/capabilities/streaming")
            .and_then(Value::as_bool);
        Ok(Self {
            name,
            description: text("description"),
            capabilities: card.get("capabilities").cloned().unwrap_or_default(),
            skills: card.get("skills").cloned().unwrap_or_default(),
            interface: Interface {
                url: mend(&url, found_at)?,
                dialect,
                tenant,
                streams: streams == Some(true),
            },
        })
    }
}

/// The first interface that we speak.
fn choose(card: &Value, found_at: &Uri) -> Result<(String, Dialect, Option<String>), CardError> {
    let mut others = Vec::new();
    for interface in list(card, "supportedInterfaces") {
        let text = |name: &str| interface.get(name).and_then(Value::as_str);
        let binding = text("protocolBinding").unwrap_or_default();
        let version = text("protocolVersion").unwrap_or("1.0");
        let dialect = match (binding, version.split('.').next()) {
            ("JSONRPC", Some("1")) => Dialect::RpcV1,
            ("HTTP+JSON", Some("1")) => Dialect::RestV1,
            ("JSONRPC", Some("0")) => Dialect::RpcV03,
            _ => {
                others.push(format!("{binding} {version}"));
                continue;
            }
        };
        if let Some(url) = text("url") {
            let tenant = text("tenant").filter(|tenant| !tenant.is_empty());
            return Ok((url.to_owned(), dialect, tenant.map(str::to_owned)));
        }
    }
    let url = card.get("url").and_then(Value::as_str);
    if card.get("protocolVersion").is_some() {
        let preferred = card.get("preferredTransport").and_then(Value::as_str);
        let main = url.map(|url| (preferred.unwrap_or("JSONRPC"), url));
        let more = list(card, "additionalInterfaces").filter_map(|more| {
            Some((more.get("transport")?.as_str()?, more.get("url")?.as_str()?))
        });
        for (transport, url) in main.into_iter().chain(more) {
            if transport == "JSONRPC" {
                return Ok((url.to_owned(), Dialect::RpcV03, None));
            }
            others.push(format!("{transport} 0.3"));
        }
    }
    if others.is_empty() {
        // A card that names no interface: the agent speaks where its card is.
        let here = found_at.to_string();
        return Ok((url.map_or(here, str::to_owned), Dialect::Native, None));
    }
    Err(CardError::NothingInCommon(others.join(", ")))
}

fn list<'a>(card: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let items = card.get(name).and_then(Value::as_array);
    items.into_iter().flatten()
}

/// An address of a card as it is reached from here. Servers often name themselves by what they listen on (`0.0.0.0`) or
/// by a name that means another machine here (`localhost`); then they are where their card was found.
fn mend(url: &str, found_at: &Uri) -> Result<String, CardError> {
    let wrong = || CardError::NoAddress(url.to_owned());
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let (Some("http" | "https"), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err(wrong());
    };
    let found = found_at.host().unwrap_or_default();
    let is_here = |host: &str| host == "localhost" || host.starts_with("127.") || host == "[::1]";
    let is_nowhere = matches!(host, "0.0.0.0" | "[::]");
    if !is_nowhere && (!is_here(host) || is_here(found)) {
        return Ok(url.to_owned());
    }
    let scheme = found_at.scheme_str().unwrap_or("http");
    let authority = found_at.authority().map_or("", Authority::as_str);
    Ok(format!("{scheme}://{authority}{}", uri.path()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn interface(card: &Value) -> Result<(String, Dialect), CardError> {
        let found_at: Uri = "http://agents.example:8100".parse().unwrap();
        let card = Card::read(card, &found_at)?;
        Ok((card.interface.url, card.interface.dialect))
    }

    #[test]
    fn the_first_interface_that_we_speak_is_taken() {
        let card = json!({ "name": "a", "supportedInterfaces": [
            { "url": "agents.example:50051", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": "https://agents.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
            { "url": "https://agents.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ] });
        assert_eq!(
            interface(&card).unwrap(),
            ("https://agents.example/rest".to_owned(), Dialect::RestV1)
        );
        let old_only = json!({ "name": "a", "supportedInterfaces": [
            { "url": "https://agents.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "0.3" },
        ] });
        assert_eq!(interface(&old_only).unwrap().1, Dialect::RpcV03);
    }

    #[test]
    fn older_cards_are_understood() {
        let v03 =
            json!({ "name": "a", "protocolVersion": "0.3.0", "url": "https://agents.example/a2a" });
        assert_eq!(
            interface(&v03).unwrap(),
            ("https://agents.example/a2a".to_owned(), Dialect::RpcV03)
        );
        let other_first = json!({ "name": "a", "protocolVersion": "0.3.0", "url": "https://agents.example/g",
            "preferredTransport": "GRPC",
            "additionalInterfaces": [{ "url": "https://agents.example/j", "transport": "JSONRPC" }] });
        assert_eq!(
            interface(&other_first).unwrap().0,
            "https://agents.example/j"
        );
        let native = json!({ "name": "a", "url": "http://agents.example:8100" });
        assert_eq!(
            interface(&native).unwrap(),
            ("http://agents.example:8100".to_owned(), Dialect::Native)
        );
        assert_eq!(
            interface(&json!({ "name": "a" })).unwrap().1,
            Dialect::Native
        );
    }

    #[test]
    fn what_cannot_be_talked_to_is_refused() {
        let grpc = json!({ "name": "a", "supportedInterfaces": [
            { "url": "agents.example:1", "protocolBinding": "GRPC", "protocolVersion": "1.0" }] });
        assert!(
            interface(&grpc)
                .unwrap_err()
                .to_string()
                .contains("GRPC 1.0")
        );
        assert_eq!(
            interface(&json!({ "url": "http://x" })),
            Err(CardError::NoName)
        );
        for odd in ["", "x", "file:///etc/passwd", "ftp://x/"] {
            let card = json!({ "name": "a", "url": odd });
            assert!(interface(&card).is_err(), "{odd}");
        }
    }

    #[test]
    fn an_address_that_means_another_machine_here_is_mended() {
        for (said, reached) in [
            ("http://0.0.0.0:8000/a", "http://agents.example:8100/a"),
            ("http://localhost:8000/a", "http://agents.example:8100/a"),
            ("http://127.0.0.1:8000/", "http://agents.example:8100/"),
            ("http://other.example/a", "http://other.example/a"),
        ] {
            let card = json!({ "name": "a", "url": said });
            assert_eq!(interface(&card).unwrap().0, reached);
        }
        let here: Uri = "http://127.0.0.1:1".parse().unwrap();
        assert_eq!(
            mend("http://localhost:8000/a", &here).unwrap(),
            "http://localhost:8000/a"
        );
    }
}
