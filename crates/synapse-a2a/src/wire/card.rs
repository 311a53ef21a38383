//! The agent card: what an agent says of itself. A 1.0 card knows no members but its own; the union card
//! has those of 0.3 and before beside them, so that a client of any age finds what it looks for.

use serde_json::{Value, json};

use super::object::Object;

/// What a card is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardFacts {
    /// The handle of the agent.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// The version of the agent.
    pub version: String,
    /// Where it is reached, without a slash at the end.
    pub base: String,
    /// Where it speaks gRPC, as `host:port`.
    pub grpc: Option<String>,
    /// The profile it runs with.
    pub profile: String,
    /// The media types it takes.
    pub input_modes: Vec<String>,
    /// The media types it answers with.
    pub output_modes: Vec<String>,
    /// Whether it sends push notifications.
    pub has_push: bool,
    /// Whether it has a card for those it knows.
    pub has_extended: bool,
    /// Whether callers must show a token.
    pub wants_token: bool,
    /// The extensions of the protocol it knows.
    pub extensions: Vec<Extension>,
}

/// An extension of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    pub uri: String,
    /// What it is for.
    pub description: String,
    /// Whether a client must name it.
    pub is_required: bool,
}

/// The card of 1.0 and nothing else.
pub fn pure(facts: &CardFacts) -> Value {
    let scheme = json!({ "httpAuthSecurityScheme": { "scheme": "Bearer" } });
    common(facts, &scheme).done()
}

/// The card for clients of any age.
pub fn union(facts: &CardFacts) -> Value {
    let (rpc, rest) = (
        format!("{}/a2a", facts.base),
        format!("{}/a2a/rest", facts.base),
    );
    let interfaces = vec![
        json!({ "url": rpc, "transport": "JSONRPC" }),
        json!({ "url": rest, "transport": "HTTP+JSON" }),
    ];
    // One entry that both generations can read; each ignores the members of the other.
    let scheme = json!({
        "type": "http",
        "scheme": "bearer",
        "httpAuthSecurityScheme": { "scheme": "Bearer" },
    });
    common(facts, &scheme)
        .with("protocolVersion", "0.3.0")
        .with("url", rpc)
        .with("preferredTransport", "JSONRPC")
        .with("additionalInterfaces", interfaces)
        .with("supportsAuthenticatedExtendedCard", facts.has_extended)
        .maybe(
            "security",
            facts.wants_token.then(|| json!([{ "token": [] }])),
        )
        .done()
}

/// The members that every card has.
fn common(facts: &CardFacts, scheme: &Value) -> Object {
    let interface = |path: &str, binding: &str, version: &str| {
        json!({
            "url": format!("{}{path}", facts.base),
            "protocolBinding": binding,
            "protocolVersion": version,
        })
    };
    let grpc = facts.grpc.as_ref();
    let grpc =
        grpc.map(|url| json!({ "url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0" }));
    let current = [
        interface("/a2a", "JSONRPC", "1.0"),
        interface("/a2a/rest", "HTTP+JSON", "1.0"),
    ];
    let older = [
        interface("/a2a", "JSONRPC", "0.3"),
        interface("/a2a/rest", "HTTP+JSON", "0.3"),
    ];
    let interfaces: Vec<Value> = current.into_iter().chain(grpc).chain(older).collect();
    let schemes = facts.wants_token.then(|| json!({ "token": scheme }));
    let requirements = schemes
        .as_ref()
        .map(|_| json!([{ "schemes": { "token": { "list": [] } } }]));
    Object::default()
        .with("name", facts.name.as_str())
        .with("description", facts.description.as_str())
        .with("version", facts.version.as_str())
        .with("supportedInterfaces", interfaces)
        .with("capabilities", capabilities(facts))
        .with("defaultInputModes", facts.input_modes.clone())
        .with("defaultOutputModes", facts.output_modes.clone())
        .with("skills", vec![skill(facts)])
        .maybe("securitySchemes", schemes)
        .maybe("securityRequirements", requirements)
}

/// Which of the extensions a client named are known here.
///
/// # Errors
/// If it did not name one that it must name: that one.
pub fn activated<'a>(facts: &'a CardFacts, named: &[&str]) -> Result<Vec<&'a str>, &'a str> {
    let is_named = |extension: &&Extension| named.contains(&extension.uri.as_str());
    let mut required = facts.extensions.iter().filter(|one| one.is_required);
    if let Some(missing) = required.find(|one| !is_named(one)) {
        return Err(&missing.uri);
    }
    let known = facts.extensions.iter().filter(is_named);
    Ok(known.map(|one| one.uri.as_str()).collect())
}

fn capabilities(facts: &CardFacts) -> Value {
    let extension = |one: &Extension| json!({ "uri": one.uri, "description": one.description, "required": one.is_required });
    Object::default()
        .with("streaming", true)
        .with("pushNotifications", facts.has_push)
        .with("extendedAgentCard", facts.has_extended)
        .list(
            "extensions",
            facts.extensions.iter().map(extension).collect(),
        )
        .done()
}

fn skill(facts: &CardFacts) -> Value {
    json!({
        "id": facts.profile,
        "name": facts.profile,
        "description": facts.description,
        "tags": ["coding", "cli", facts.profile],
    })
}
