//! The agent card over HTTP: the union for whoever does not say what they speak, the pure one for 1.0.
//! It does not change while the agent runs, so a client that has it is told just that.

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use synapse_a2a::wire::card::{self, CardFacts};
use synapse_a2a::wire::operation::Version;

use super::super::ServerState;
use super::super::problem::ProblemBody;
use super::version;
use synapse_machine::hex::hex;

/// How long a client may use the card it has.
const CACHE: &str = "public, max-age=300";

/// The cards of one agent, written once.
pub(super) struct Cards {
    union: CardPage,
    pure: CardPage,
    /// Whether everybody gets the pure one.
    is_pure: bool,
    /// Since when they are as they are.
    since: jiff::Timestamp,
}

/// One card, and what tells it from any other.
struct CardPage {
    body: Bytes,
    tag: String,
}

impl Cards {
    pub(super) fn new(facts: &CardFacts, since: jiff::Timestamp, is_pure: bool) -> Self {
        Self {
            union: CardPage::new(&card::union(facts)),
            pure: CardPage::new(&card::pure(facts)),
            is_pure,
            since,
        }
    }
}

impl CardPage {
    fn new(card: &serde_json::Value) -> Self {
        let body = card.to_string();
        let digits = hex(&Sha256::digest(&body));
        let tag = format!("\"{}\"", digits.get(..32).unwrap_or(&digits));
        Self {
            body: body.into(),
            tag,
        }
    }

    fn answer(&self, headers: &HeaderMap, since: jiff::Timestamp) -> Response {
        let date = since.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let about = [
            (header::ETAG, self.tag.clone()),
            (header::LAST_MODIFIED, date),
            (header::CACHE_CONTROL, CACHE.to_owned()),
            (header::VARY, "A2A-Version".to_owned()),
        ];
        if self.is_known(headers, since) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        let kind = [(header::CONTENT_TYPE, "application/json")];
        (about, kind, self.body.clone()).into_response()
    }

    /// Whether the client has this very card.
    fn is_known(&self, headers: &HeaderMap, since: jiff::Timestamp) -> bool {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        if let Some(tags) = headers.get(header::IF_NONE_MATCH).and_then(text) {
            let mut tags = tags.split(',').map(str::trim);
            return tags.any(|tag| tag == "*" || tag.trim_start_matches("W/") == self.tag);
        }
        let date = headers.get(header::IF_MODIFIED_SINCE).and_then(text);
        let date = date.and_then(|date| jiff::fmt::rfc2822::parse(&date).ok());
        date.is_some_and(|date| date.timestamp().as_second() >= since.as_second())
    }
}

/// Gets the agent card, for clients of A2A 1.0 and for those that do not name a version.
#[utoipa::path(get, path = "/.well-known/agent-card.json", tag = "card", params(("a2a-version" = Option<String>, Query)),
    responses((status = 200, description = "the agent card", body = Object), (status = 304, description = "it has not changed"),
        (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(in crate::http) async fn current(
    State(served): State<ServerState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let cards = &served.a2a.cards;
    let is_current = version(&headers, query.as_deref()) == Ok(Version::V1);
    let page = if cards.is_pure || is_current {
        &cards.pure
    } else {
        &cards.union
    };
    page.answer(&headers, cards.since)
}

/// Gets the agent card at its older address.
#[utoipa::path(get, path = "/.well-known/agent.json", tag = "card",
    responses((status = 200, description = "the agent card", body = Object), (status = 304, description = "it has not changed"),
        (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(in crate::http) async fn old(
    State(served): State<ServerState>,
    headers: HeaderMap,
) -> Response {
    let cards = &served.a2a.cards;
    cards.union.answer(&headers, cards.since)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(name: header::HeaderName, value: &str) -> StatusCode {
        let page = CardPage::new(&serde_json::json!({ "name": "a" }));
        let mut headers = HeaderMap::new();
        let value = value.replace("TAG", &page.tag);
        headers.insert(name, value.parse().unwrap());
        let since = "2026-01-31T09:30:00.5Z".parse().unwrap();
        page.answer(&headers, since).status()
    }

    #[test]
    fn who_has_the_card_is_not_sent_it_again() {
        for (value, is_known) in [
            ("TAG", true),
            ("W/TAG", true),
            ("\"x\", TAG", true),
            ("*", true),
            ("\"x\"", false),
        ] {
            let known = status(header::IF_NONE_MATCH, value) == StatusCode::NOT_MODIFIED;
            assert_eq!(known, is_known, "{value}");
        }
        for (value, is_known) in [
            ("Sat, 31 Jan 2026 09:30:00 GMT", true),
            ("Sat, 31 Jan 2026 09:29:59 GMT", false),
            ("yesterday", false),
        ] {
            let known = status(header::IF_MODIFIED_SINCE, value) == StatusCode::NOT_MODIFIED;
            assert_eq!(known, is_known, "{value}");
        }
    }
}
