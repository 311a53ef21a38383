//! What an agent says of itself.

use serde_json::json;

use crate::wire::card;

fn facts() -> card::CardFacts {
    card::CardFacts {
        name: "codex".into(),
        description: "codex wrapped by Synapse".into(),
        version: "0.1.0".into(),
        base: "http://127.0.0.1:8101".into(),
        profile: "codex".into(),
        input_modes: vec!["text/plain".into()],
        output_modes: vec!["text/plain".into()],
        has_push: true,
        extensions: vec![card::Extension {
            uri: "urn:x".into(),
            description: "x".into(),
            is_required: true,
        }],
        ..card::CardFacts::default()
    }
}

#[test]
fn the_pure_card_has_only_the_members_of_10() {
    let card = card::pure(&facts());
    let mut names: Vec<&str> = card
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "capabilities",
            "defaultInputModes",
            "defaultOutputModes",
            "description",
            "name",
            "skills",
            "supportedInterfaces",
            "version",
        ]
    );
    assert_eq!(
        card["supportedInterfaces"][0],
        json!({
            "url": "http://127.0.0.1:8101/a2a",
            "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0",
        })
    );
    assert_eq!(card["capabilities"]["pushNotifications"], true);
    assert_eq!(card["capabilities"]["extendedAgentCard"], false);
}

#[test]
fn the_union_card_is_the_pure_one_and_more() {
    for wants_token in [false, true] {
        let facts = card::CardFacts {
            wants_token,
            ..facts()
        };
        let (pure, union) = (card::pure(&facts), card::union(&facts));
        for (name, value) in pure.as_object().unwrap() {
            if name != "securitySchemes" {
                assert_eq!(&union[name], value);
            }
        }
        assert_eq!(union["protocolVersion"], "0.3.0");
        assert_eq!(union["url"], "http://127.0.0.1:8101/a2a");
        assert_eq!(union.get("security").is_some(), wants_token);
    }
}

#[test]
fn a_required_extension_must_be_named() {
    let facts = facts();
    assert_eq!(card::activated(&facts, &[]), Err("urn:x"));
    assert_eq!(
        card::activated(&facts, &["urn:y", "urn:x"]),
        Ok(vec!["urn:x"])
    );
}
