//! The page itself.

use serde_json::Value;

use crate::browser::{Desk, exchange};

#[test]
fn every_address_of_the_page_gives_the_document() {
    let desk = Desk::new();
    let address = &desk.hub.address;
    let get = |path: &str| {
        exchange(
            address,
            &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n"),
            b"",
        )
    };
    let document = get("/");
    assert_eq!(document.status, 200);
    assert!(
        document.text.contains("<!doctype html>"),
        "{}",
        document.text
    );
    assert_eq!(document.header("cache-control"), Some("no-cache"));
    for path in [
        "/a/1234",
        "/inbox",
        "/mesh",
        "/t/01a1",
        "/w",
        "/search?q=x",
        "/settings",
        "/login",
    ] {
        assert_eq!(get(path).text, document.text, "{path}");
    }
    for path in [
        "/assets/none.js",
        "/none.js",
        "/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
    ] {
        let answer = get(path);
        assert!(
            !answer.text.contains("[package]") && answer.status == 404,
            "{path}: {}",
            answer.text
        );
    }
}

#[test]
fn the_api_describes_itself() {
    let desk = Desk::new();
    let document = desk.browser.get("/openapi.json").ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for path in [
        "/api/agents/{id}/interrupt",
        "/api/worktrees/{id}/interrupt",
        "/api/worktrees/{id}/files/{path}",
        "/api/ws",
    ] {
        assert!(document["paths"][path].is_object(), "{path}");
    }
}

#[test]
fn settings_tell_what_the_hub_runs_with() {
    let desk = Desk::new();
    let settings = desk.browser.get("/api/settings").ok();
    assert_eq!(
        settings["hub"]["dir"],
        desk.repository.path.to_str().unwrap()
    );
    assert_eq!(
        settings["hub"]["address"],
        format!("http://{}", desk.hub.address)
    );
    assert_eq!(settings["problems"], Value::Array(Vec::new()));
    let names: Vec<&Value> = settings["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert!(names.contains(&&Value::from("claude")), "{names:?}");
}
