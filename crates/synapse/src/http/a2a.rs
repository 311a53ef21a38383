//! A2A 1.0 and 0.3 beside the native dialect: JSON-RPC at `/`, `/a2a` and `/a2a/`, HTTP+JSON below
//! `/a2a/rest`, gRPC on a port of its own, and the card. The bindings only translate; one service behind them does the
//! work.

pub(super) mod card;
#[cfg(feature = "grpc")]
pub(super) mod grpc;
mod list;
mod operations;
mod push;
mod refusal;
mod rest;
mod rpc;
mod stream;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::routing::{any, get, post};
use synapse_a2a::wire::card::{CardFacts, Extension, activated};
use synapse_a2a::wire::operation::Version;
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::rest::query;
use synapse_term::profile::Profile;

use super::{AccessPolicy, ServerState};
use card::Cards;
use push::PushJobs;

/// The version a client speaks, in its header or its query.
const VERSION: &str = "a2a-version";

/// The extensions a client activates; the second spelling is that of 0.3.
const EXTENSIONS: [HeaderName; 2] = [
    HeaderName::from_static("a2a-extensions"),
    HeaderName::from_static("x-a2a-extensions"),
];

/// The media types of what an agent takes: words, and files that a program can read.
const TAKEN: &[&str] = &[
    "text/plain",
    "text/*",
    "image/*",
    "application/json",
    "application/pdf",
    "application/octet-stream",
];

/// The media types of what it gives.
const GIVEN: &[&str] = &[
    "text/plain",
    "text/*",
    "application/json",
    "application/octet-stream",
];

/// What we note in metadata, as an extension a client can ask for. It is always there.
const METADATA: &str = "urn:synapse:metadata:1";

/// What the A2A side of an agent is made of.
pub struct A2a {
    facts: CardFacts,
    cards: Cards,
    push_jobs: PushJobs,
    /// Whether the program may say things beside its screen.
    has_channel: bool,
}

impl A2a {
    /// The A2A side of an agent of this handle that runs since then. `grpc` is where it speaks gRPC, if it does.
    pub fn new(
        handle: &str,
        profile: &Profile,
        access_policy: &AccessPolicy,
        grpc: Option<String>,
        since: jiff::Timestamp,
    ) -> Self {
        let facts = CardFacts {
            grpc,
            ..facts(handle, &profile.name, access_policy)
        };
        Self {
            cards: Cards::new(&facts, since, access_policy.is_pure_card),
            push_jobs: PushJobs::default(),
            facts,
            has_channel: profile.channel,
        }
    }

    /// Gives notifications that are under way a little time to arrive.
    pub async fn finish(&self) {
        self.push_jobs.finish().await;
    }
}

fn facts(handle: &str, profile: &str, access_policy: &AccessPolicy) -> CardFacts {
    let all = |modes: &[&str]| modes.iter().map(|&mode| mode.to_owned()).collect();
    CardFacts {
        name: handle.to_owned(),
        description: format!("{profile}, a command-line agent, wrapped by Synapse"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        base: access_policy.url.trim_end_matches('/').to_owned(),
        grpc: None,
        profile: profile.to_owned(),
        input_modes: all(TAKEN),
        output_modes: all(GIVEN),
        has_push: true,
        has_extended: false,
        wants_token: access_policy.wants_token(),
        extensions: vec![Extension {
            uri: METADATA.to_owned(),
            description: "Questions, failure codes and the source of replies in metadata under synapse/; \
                          synapse/fingerprint, synapse/priority and synapse/sender are taken in messages"
                .to_owned(),
            is_required: false,
        }],
    }
}

/// The resources of this room.
pub(super) fn routes() -> Router<ServerState> {
    Router::new()
        .route("/", post(rpc::call))
        .route("/a2a", post(rpc::call))
        .route("/a2a/", post(rpc::call))
        .route("/a2a/rest", any(rest::call))
        .route("/a2a/rest/{*path}", any(rest::call))
        .route("/.well-known/agent-card.json", get(card::current))
        .route("/.well-known/agent.json", get(card::old))
}

/// The version of a request. A query says the same as a header, for clients that can set none.
fn version(headers: &HeaderMap, asked: Option<&str>) -> Result<Version, ProtocolError> {
    let header = headers
        .get(VERSION)
        .map(|value| value.to_str().unwrap_or("?"));
    if let Some(said) = header.filter(|said| !said.trim().is_empty()) {
        return Version::read(Some(said));
    }
    let query = query(asked);
    let mut said = query.iter();
    let said = said.find(|(name, _)| name.eq_ignore_ascii_case(VERSION));
    Version::read(said.and_then(|(_, value)| value.as_str()))
}

/// The extensions that are active for a request, as they are told back.
fn extensions(
    facts: &CardFacts,
    headers: &HeaderMap,
) -> Result<Option<(HeaderName, HeaderValue)>, ProtocolError> {
    let [current, old] = EXTENSIONS;
    let name = if headers.contains_key(&current) {
        current
    } else {
        old
    };
    let said: Vec<&str> = headers
        .get_all(&name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let active = activated(facts, &said)
        .map_err(|missing| ProtocolError::ExtensionRequired(missing.to_owned()))?;
    let value = HeaderValue::from_str(&active.join(", ")).ok();
    Ok(value
        .filter(|value| !value.is_empty())
        .map(|value| (name, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_version_is_said_in_the_header_or_the_query() {
        let of = |pairs, query| version(&headers(pairs), query);
        assert_eq!(of(&[("a2a-version", "1.0")], None), Ok(Version::V1));
        assert_eq!(of(&[], Some("A2A-Version=1.0&x=y")), Ok(Version::V1));
        assert_eq!(
            of(&[("a2a-version", "")], Some("a2a-version=1.0")),
            Ok(Version::V1)
        );
        assert_eq!(of(&[], None), Ok(Version::V03));
        assert!(of(&[("a2a-version", "99.0")], Some("A2A-Version=1.0")).is_err());
    }

    #[test]
    fn known_extensions_are_told_back_under_the_name_they_came_in() {
        let facts = CardFacts {
            extensions: vec![Extension {
                uri: "urn:x".into(),
                description: String::new(),
                is_required: false,
            }],
            ..CardFacts::default()
        };
        for name in ["a2a-extensions", "x-a2a-extensions"] {
            let told = extensions(&facts, &headers(&[(name, "urn:y, urn:x")])).unwrap();
            let (told, value) = told.unwrap();
            assert_eq!((told.as_str(), value.to_str().unwrap()), (name, "urn:x"));
        }
        assert_eq!(extensions(&facts, &headers(&[])), Ok(None));
    }
}
