use serde_json::Value;

use super::agent::{Agent, Reply};

const CURRENT: &str = "/.well-known/agent-card.json";

fn card(agent: &Agent, path: &str, headers: &[&str]) -> (Reply, Value) {
    let reply = agent.ask("GET", path, headers, "");
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.headers["content-type"], "application/json");
    let card = reply.json();
    (reply, card)
}

#[test]
fn clients_of_any_age_find_a_card_they_can_read() {
    let agent = Agent::dummy();
    let (_, union) = card(&agent, CURRENT, &[]);
    for name in [
        "name",
        "description",
        "version",
        "supportedInterfaces",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
        "url",
        "protocolVersion",
        "preferredTransport",
        "additionalInterfaces",
    ] {
        assert!(union.get(name).is_some(), "{name} is missing: {union}");
    }
    assert_eq!(union["name"], "dummy");
    let interfaces = union["supportedInterfaces"].as_array().unwrap();
    assert_eq!(interfaces[0]["protocolBinding"], "JSONRPC");
    assert_eq!(interfaces[0]["protocolVersion"], "1.0");
    assert_eq!(card(&agent, "/.well-known/agent.json", &[]).1, union);

    let (_, pure) = card(&agent, CURRENT, &["A2A-Version: 1.0"]);
    assert!(pure.get("url").is_none() && pure.get("protocolVersion").is_none());
    assert_eq!(pure["supportedInterfaces"], union["supportedInterfaces"]);
    assert_eq!(
        card(&agent, &format!("{CURRENT}?A2A-Version=1.0"), &[]).1,
        pure
    );
}

#[test]
fn a_card_that_is_known_is_not_sent_again() {
    let agent = Agent::dummy();
    let (reply, _) = card(&agent, CURRENT, &[]);
    assert!(reply.headers["cache-control"].contains("max-age="));
    assert!(reply.headers["last-modified"].ends_with(" GMT"));
    let tag = &reply.headers["etag"];
    let again = agent.ask("GET", CURRENT, &[&format!("If-None-Match: {tag}")], "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(&again.headers["etag"], tag);
    // The card of 1.0 is another one.
    let headers = [&format!("If-None-Match: {tag}") as &str, "A2A-Version: 1.0"];
    assert_eq!(agent.ask("GET", CURRENT, &headers, "").status, 200);
}

#[test]
fn the_card_can_be_pure_for_all_and_name_another_address() {
    let agent = Agent::started(&[
        "start",
        "dummy",
        "--port",
        "0",
        "--pure-card",
        "--public-url",
        "https://agents.example/dummy/",
    ]);
    let (_, pure) = card(&agent, CURRENT, &[]);
    assert!(pure.get("url").is_none(), "{pure}");
    let interfaces = &pure["supportedInterfaces"];
    assert_eq!(interfaces[0]["url"], "https://agents.example/dummy/a2a");
    assert_eq!(
        interfaces[1]["url"],
        "https://agents.example/dummy/a2a/rest"
    );
}
