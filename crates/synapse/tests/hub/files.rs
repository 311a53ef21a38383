//! Files of a worktree: what is in it, and nothing outside.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::browser::Desk;

#[test]
fn a_worktree_is_looked_through() {
    let desk = Desk::new();
    desk.repository.commit("src/main.rs", "fn main() {}\n");
    desk.repository.commit("日本/メモ.txt", "こんにちは\n");
    fs::write(desk.repository.path.join("picture"), b"\x89PNG\0\0").unwrap();
    let tree = desk.worktree();
    let listed = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/tree"))
        .ok();
    let names: Vec<(&Value, &Value)> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (&entry["name"], &entry["kind"]))
        .collect();
    let [dir, file] = [json!("dir"), json!("file")];
    assert_eq!(
        names,
        [
            (&json!("src"), &dir),
            (&json!("日本"), &dir),
            (&json!("README.md"), &file),
            (&json!("picture"), &file)
        ]
    );
    let below = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/tree?path=src"))
        .ok();
    assert_eq!(below["entries"][0]["size"], 13);
    let file = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/files/src/main.rs"))
        .ok();
    assert_eq!(
        (&file["text"], &file["binary"]),
        (&json!("fn main() {}\n"), &json!(false))
    );
    let path = "%E6%97%A5%E6%9C%AC/%E3%83%A1%E3%83%A2.txt";
    let file = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/files/{path}"))
        .ok();
    assert_eq!(file["text"], "こんにちは\n");
    let picture = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/files/picture"))
        .ok();
    assert_eq!(
        (&picture["text"], &picture["binary"]),
        (&Value::Null, &json!(true))
    );
    let raw = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/files/README.md?raw=true"));
    assert_eq!(raw.header("content-disposition"), Some("attachment"));
    assert_eq!(raw.text, "hello\n");
}

#[test]
fn nothing_outside_is_read() {
    let desk = Desk::new();
    let home = desk.world.home.path();
    fs::write(home.join("secret.txt"), "secret").unwrap();
    let root = &desk.repository.path;
    fs::create_dir(root.join("sub")).unwrap();
    symlink(home.join("secret.txt"), root.join("leaf")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("/etc", root.join("sub/etc")).unwrap();
    symlink("README.md", root.join("inside")).unwrap();
    let tree = desk.worktree();
    let refused = |path: &str, status: u16, code: &str| {
        for kind in ["files/", "tree?path="] {
            let answer = desk
                .browser
                .get(&format!("/api/worktrees/{tree}/{kind}{path}"));
            assert!(!answer.text.contains("root:"), "{path}");
            answer.refused(status, code);
        }
    };
    for path in [
        "leaf",
        "up",
        "up/secret.txt",
        "sub/etc",
        "sub/etc/passwd",
        "inside",
    ] {
        refused(path, 403, "symlink");
    }
    for path in [
        "../secret.txt",
        "sub/../../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "%2fetc/passwd",
        "/etc/passwd",
        ".git/config",
        "sub/%2Egit",
        "a%00b",
    ] {
        refused(path, 403, "outside");
    }
    refused("missing.txt", 404, "no_such_file");
    desk.browser
        .get("/api/worktrees/nope/files/README.md")
        .refused(404, "no_such_worktree");
    let listed = desk
        .browser
        .get(&format!("/api/worktrees/{tree}/tree"))
        .ok();
    let link = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["name"] == "leaf");
    assert_eq!(link.unwrap()["kind"], "link");
}

#[test]
fn a_pipe_does_not_hang_the_page() {
    let desk = Desk::new();
    let pipe = desk.repository.path.join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let tree = desk.worktree();
    desk.browser
        .get(&format!("/api/worktrees/{tree}/files/pipe"))
        .refused(400, "bad_request");
}
