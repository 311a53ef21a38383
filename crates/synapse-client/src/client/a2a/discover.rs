//! Discovers which agent is at an address and which dialect it speaks.

use http_body_util::Full;
use hyper::header::{ACCEPT, AUTHORIZATION};
use hyper::{Request, StatusCode, Uri};

use super::error::{json, not_an_agent};
use super::{A2AClient, A2AError, Card, MOMENT, dialect};
use crate::client::{Web, WebError};
use synapse_machine::token::Token;

/// Where cards are, the newest first.
const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

impl A2AClient {
    /// Reads the card of the agent at an address: its own, or that of the card itself.
    ///
    /// # Errors
    /// When nobody is there, it is no agent, or it speaks nothing we do.
    pub async fn discover(web: &Web, url: &str, token: Option<&Token>) -> Result<Card, A2AError> {
        let odd = || WebError::NotAnAddress(url.to_owned());
        let (base, paths) = places(url.trim_end_matches('/'));
        let place: Uri = base.parse().map_err(|_| odd())?;
        if !matches!(place.scheme_str(), Some("http" | "https")) || place.query().is_some() {
            return Err(odd().into());
        }
        let host = place.host().unwrap_or_default();
        for path in paths {
            let mut request = Request::get(format!("{base}{path}"))
                .header(ACCEPT, "application/json")
                .header("a2a-version", "1.0");
            if let Some(token) = token {
                request = request.header(AUTHORIZATION, token.bearer());
            }
            let request = request.body(Full::default()).map_err(|_| odd())?;
            let page = web.fetch(request, MOMENT).await?;
            if page.status == StatusCode::NOT_FOUND {
                continue;
            }
            let body = json(host, &page)?;
            if !page.status.is_success() {
                return Err(dialect::refusal(page.status, &body));
            }
            return Ok(Card::read(&body, &place)?);
        }
        Err(not_an_agent(host, "it has no agent card"))
    }
}

/// Where an agent is, and where below that its card may be. Somebody may have given us the address of the card.
fn places(url: &str) -> (&str, Vec<&str>) {
    if let Some(at) = url.find("/.well-known/") {
        let (base, path) = url.split_at(at);
        return (base, vec![path]);
    }
    (url, CARDS.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_may_be_named_itself() {
        let card = "https://a.example/x/.well-known/agent-card.json";
        let whole = ("https://a.example/x", vec!["/.well-known/agent-card.json"]);
        assert_eq!(places(card), whole);
        assert_eq!(
            places("https://a.example/x"),
            ("https://a.example/x", CARDS.to_vec())
        );
    }
}
