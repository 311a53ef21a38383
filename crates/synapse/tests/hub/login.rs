//! Who gets in: links, devices, read-only ones, tokens.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::browser::{Browser, Desk, Hub, TOKEN, exchange, redeem};
use crate::world::World;

fn code_of(link: &str) -> &str {
    link.split_once("#code=").unwrap().1
}

#[test]
fn a_link_lets_one_browser_in() {
    let world = World::new();
    let hub = Hub::start(&world, &["--port", "0"]);
    let answer = redeem(&hub.address, code_of(&hub.link));
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    for word in [
        "HttpOnly",
        "SameSite=Strict",
        "Path=/",
        &format!("synapse_{}=", hub.port()),
    ] {
        assert!(cookie.contains(word), "{cookie}");
    }
    assert_eq!(answer.ok()["session"]["read_only"], false);
    redeem(&hub.address, code_of(&hub.link)).refused(401, "bad_code");
    redeem(&hub.address, "").refused(401, "bad_code");
}

#[test]
fn a_code_that_is_too_old_is_refused() {
    let world = World::new();
    let hub = Hub::start(&world, &["--port", "0"]);
    let file = world.home.path().join("synapse/web.json");
    let mut book: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    book["codes"][0]["expires_at"] = json!("2020-01-01T00:00:00Z");
    std::fs::write(&file, book.to_string()).unwrap();
    redeem(&hub.address, code_of(&hub.link)).refused(401, "bad_code");
}

#[test]
fn without_a_cookie_nothing_is_told() {
    let desk = Desk::new();
    let stranger = |cookie: &str| Browser {
        address: desk.browser.address.clone(),
        cookie: cookie.to_owned(),
        key: String::new(),
    };
    let name = desk.browser.cookie.split('=').next().unwrap();
    for cookie in ["", "a=b", &format!("{name}="), &format!("{name}=wrong")] {
        let stranger = stranger(cookie);
        for path in ["/api/agents", "/api/ws", "/api/worktrees", "/api/nothing"] {
            stranger.get(path).refused(401, "unauthorized");
        }
        stranger
            .post("/api/devices", &json!({}))
            .refused(401, "unauthorized");
    }
    desk.browser.get("/api/agents").ok();
}

#[test]
fn a_program_may_show_the_token_of_the_environment() {
    let desk = Desk::new();
    let address = &desk.hub.address;
    let get = |bearer: &str| {
        let head = format!(
            "GET /api/session HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {bearer}\r\n"
        );
        exchange(address, &head, b"")
    };
    assert_eq!(get(TOKEN).ok()["session"]["device"], Value::Null);
    for wrong in ["", "a", &TOKEN[1..], &format!("{TOKEN}x")] {
        get(wrong).refused(401, "unauthorized");
    }
}

#[test]
fn the_older_name_of_the_token_still_works() {
    let world = World::new();
    let mut command = world.command(&["web", "--port", "0"]);
    command.env_remove("SYNAPSE_WEB_TOKEN");
    let hub = Hub::spawn(command.env("MCBD_AUTH_TOKEN", "older-name"));
    let address = &hub.address;
    let head = format!(
        "GET /api/session HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer older-name\r\n"
    );
    assert_eq!(
        exchange(address, &head, b"").ok()["session"]["device"],
        Value::Null
    );
}

#[test]
fn another_link_is_printed_while_the_hub_runs() {
    let desk = Desk::new();
    let link = desk.world.ok(&["web", "login"]);
    let browser = Browser::with_link(link.trim());
    assert_eq!(
        browser.get("/api/session").ok()["session"]["read_only"],
        false
    );
    let devices = browser.get("/api/devices").ok()["devices"].clone();
    assert_eq!(devices.as_array().unwrap().len(), 2);
    let current: Vec<&Value> = devices
        .as_array()
        .unwrap()
        .iter()
        .filter(|d| d["current"] == true)
        .collect();
    assert_eq!(current.len(), 1);
}

#[test]
fn to_open_the_page_once_more_shows_the_one_that_is_served() {
    let desk = Desk::new();
    let mut command = desk.world.command(&["web", "--open"]);
    let output = command
        .env("PATH", "/nowhere")
        .env_remove("BROWSER")
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let link = String::from_utf8(output.stdout).unwrap();
    let browser = Browser::with_link(link.trim());
    assert_eq!(
        browser.get("/api/session").ok()["session"]["read_only"],
        false
    );
    let other = desk.world.run(&["web", "--open", "--listen", "0.0.0.0"]);
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(
        !other.status.success() && said.contains("served already"),
        "{said}"
    );
}

#[test]
fn a_program_gets_its_login_as_json() {
    let desk = Desk::new();
    let login: Value = serde_json::from_str(&desk.world.ok(&["web", "login", "--json"])).unwrap();
    assert_eq!(login["read_only"], false);
    assert_eq!(login["certificate"], Value::Null);
    let (url, code) = (login["url"].as_str().unwrap(), login["code"].as_str());
    let browser = Browser::with_link(&format!("{url}/#code={}", code.unwrap()));
    assert_eq!(
        browser.get("/api/session").ok()["session"]["read_only"],
        false
    );
}

#[test]
fn without_a_hub_there_is_no_link_and_a_second_hub_says_where_the_first_is() {
    let world = World::new();
    let refused = world.run(&["web", "login"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`synapse web` starts one"));
    let mut hub = Hub::start(&world, &["--port", "0"]);
    let second = world.run(&["web", "--port", "0"]);
    assert_eq!(second.status.code(), Some(1));
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(
        error.contains(&hub.address) && error.contains("synapse web login"),
        "{error}"
    );
    assert_eq!(hub.interrupt(), 0);
    assert_eq!(
        world.run(&["web", "login"]).status.code(),
        Some(1),
        "it is gone"
    );
}

#[test]
fn a_read_only_device_looks_and_does_nothing() {
    let desk = Desk::with_dummy();
    let link = desk.world.ok(&["web", "login", "--read-only"]);
    let guest = Browser::with_link(link.trim());
    assert_eq!(guest.get("/api/session").ok()["session"]["read_only"], true);
    assert_eq!(
        guest.get("/api/agents").ok()["agents"][0]["handle"],
        "dummy"
    );
    guest
        .post("/api/agents/dummy/send", &json!({ "text": "say:x" }))
        .refused(403, "read_only");
    guest
        .press("/api/agents/dummy/interrupt")
        .refused(403, "read_only");
    let tree = desk.worktree();
    guest
        .press(&format!("/api/worktrees/{tree}/interrupt"))
        .refused(403, "read_only");
    guest.delete("/api/agents/dummy").refused(403, "read_only");
    guest
        .delete(&format!("/api/worktrees/{tree}"))
        .refused(403, "read_only");
    guest
        .post("/api/devices", &json!({}))
        .refused(403, "read_only");
    // What it types is dropped; what the owner types afterwards is all there is.
    let mut looking = guest.socket("/api/agents/dummy/terminal");
    looking.0.send(b"say:guest\r".to_vec().into()).unwrap();
    looking.say(r#"{"resize":[30,10]}"#);
    let mut typing = desk.browser.socket("/api/agents/dummy/terminal");
    typing.0.send(b"say:owner\r".to_vec().into()).unwrap();
    let seen = desk
        .browser
        .wait_for("/api/agents/dummy/screen", "it is typed", |seen| {
            seen["text"].as_str().unwrap().contains("\nowner")
        });
    assert!(!seen["text"].as_str().unwrap().contains("guest"), "{seen}");
    guest.press("/api/auth/logout").ok();
    guest.get("/api/session").refused(401, "unauthorized");
}

#[test]
fn a_link_for_another_device_is_made_by_the_page() {
    let desk = Desk::new();
    let invited = desk
        .browser
        .post("/api/devices", &json!({ "read_only": true }));
    assert_eq!(invited.status, 201);
    let invited = invited.ok();
    let url = invited["url"].as_str().unwrap();
    assert!(
        url.starts_with(&format!("http://{}/#code=", desk.hub.address)),
        "{url}"
    );
    let phone = Browser::with_link(url);
    let session = phone.get("/api/session").ok()["session"].clone();
    assert_eq!(session["read_only"], true);
    let id = session["device"].as_str().unwrap();
    let mut socket = phone.socket("/api/ws");
    socket.wait_for("the snapshot", |said| said["type"] == "hello");
    desk.browser.delete(&format!("/api/devices/{id}")).ok();
    assert_eq!(
        socket.close_code(),
        Some(4401),
        "what it has open is closed"
    );
    phone.get("/api/agents").refused(401, "unauthorized");
    desk.browser
        .delete(&format!("/api/devices/{id}"))
        .refused(404, "no_such_device");
}

#[test]
fn logins_are_kept_in_a_private_file_and_outlive_the_hub() {
    let mut desk = Desk::new();
    let file = desk.world.home.path().join("synapse/web.json");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let secret = desk.browser.cookie.split_once('=').unwrap().1.to_owned();
    assert!(!std::fs::read_to_string(&file).unwrap().contains(&secret));
    let port = desk.hub.port().to_owned();
    desk.hub.kill();
    desk.hub = Hub::start(&desk.world, &["--port", &port]);
    desk.browser.get("/api/agents").ok();
}

#[test]
fn a_browser_is_opened_by_way_of_a_file_that_nobody_else_can_read() {
    let world = World::new();
    let home = world.home.path();
    let (program, seen) = (home.join("browser"), home.join("seen"));
    let script = "#!/bin/sh\nstat -c %a \"$1\" > \"$SEEN.tmp\"; cat \"$1\" >> \"$SEEN.tmp\"; mv \"$SEEN.tmp\" \"$SEEN\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = world.command(&["web", "--port", "0", "--open"]);
    let mut hub = Hub::run(command.env("BROWSER", &program).env("SEEN", &seen));
    world.wait_until("the browser was opened", |_| seen.exists());
    let told = std::fs::read_to_string(&seen).unwrap();
    assert!(
        told.starts_with("600\n") && told.contains(&hub.link),
        "{told}"
    );
    assert_eq!(hub.interrupt(), 0);
    assert!(!home.join("synapse/open.html").exists());
}

#[test]
fn wrong_codes_write_nothing_and_are_soon_not_looked_at() {
    let desk = Desk::new();
    let file = desk.world.home.path().join("synapse/web.json");
    // A file that is written is another one.
    let identity = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&file).unwrap());
    let before = identity();
    let link = desk.world.ok(&["web", "login"]);
    assert_ne!(identity(), before, "a code is written down");
    let before = identity();
    let statuses: Vec<u16> = (0..8)
        .map(|number| redeem(&desk.hub.address, &format!("wrong{number}")).status)
        .collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 401, 429, 429]);
    let (_, code) = link.trim().split_once("#code=").unwrap();
    redeem(&desk.hub.address, code).refused(429, "too_many_codes");
    assert_eq!(identity(), before);
    // Who is in stays in.
    desk.browser.get("/api/session").ok();
}

#[test]
fn devices_have_names_addresses_and_a_last_use_and_all_others_can_be_removed() {
    let desk = Desk::new();
    let link = |args: &[&str]| desk.world.ok(&[&["web", "login"], args].concat());
    let phone = Browser::with_link(link(&[]).trim());
    let viewer = Browser::with_link(link(&["--read-only"]).trim());
    let unused = link(&[]);
    phone.get("/api/agents").ok();
    let find = |browser: &Browser, key: &str, value: &Value| {
        let listed = browser.get("/api/devices").ok();
        let devices = listed["devices"].as_array().unwrap().clone();
        devices
            .into_iter()
            .find(|device| device[key] == *value)
            .unwrap()
    };
    let own = find(&phone, "current", &json!(true));
    let id = own["id"].as_str().unwrap();
    let path = format!("/api/devices/{id}");
    let rename = |browser: &Browser, name: &str| {
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nContent-Type: application/json\r\n",
            browser.address, browser.cookie
        );
        exchange(
            &browser.address,
            &head,
            json!({ "name": name }).to_string().as_bytes(),
        )
    };
    assert_eq!(
        rename(&desk.browser, " Ada\u{7}'s phone ").ok()["name"],
        "Ada's phone"
    );
    rename(&desk.browser, " ").refused(400, "bad_request");
    rename(&viewer, "mine").refused(403, "read_only");
    let shown = find(&desk.browser, "id", &json!(id));
    assert_eq!(shown["name"], "Ada's phone");
    desk.browser
        .wait_for("/api/devices", "its address is known", |seen| {
            let mut all = seen["devices"].as_array().unwrap().iter();
            all.any(|device| device["id"] == id && device["address"] == "127.0.0.1")
        });
    assert!(shown["last_seen_at"].as_str() >= own["created_at"].as_str());
    viewer
        .delete("/api/devices/others")
        .refused(403, "read_only");
    assert_eq!(
        desk.browser.delete("/api/devices/others").ok()["removed"],
        2
    );
    phone.get("/api/agents").refused(401, "unauthorized");
    viewer.get("/api/agents").refused(401, "unauthorized");
    redeem(&desk.hub.address, code_of(unused.trim())).refused(401, "bad_code");
    desk.browser.get("/api/agents").ok();
}
