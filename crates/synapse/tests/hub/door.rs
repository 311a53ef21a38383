//! What other pages, names and forms get: nothing.

use serde_json::json;

use crate::browser::{Browser, Desk, Hub, TOKEN, dial, exchange};
use crate::world::World;

/// A request with a cookie that is right, and everything else as given.
fn head(desk: &Desk, method: &str, path: &str, host: &str, more: &str) -> String {
    let cookie = &desk.browser.cookie;
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}")
}

#[test]
fn a_foreign_host_is_refused_also_for_the_page_itself() {
    let desk = Desk::new();
    let address = &desk.hub.address;
    for host in [
        "evil.example",
        "evil.example:8180",
        "localhost.evil.example",
        "192.168.0.1",
        "",
    ] {
        for path in ["/", "/api/agents", "/healthz"] {
            let head = head(&desk, "GET", path, host, "");
            exchange(address, &head, b"").refused(421, "foreign_host");
        }
    }
    for host in ["localhost", "[::1]:1", "127.0.0.1"] {
        let head = head(&desk, "GET", "/api/agents", host, "");
        exchange(address, &head, b"").ok();
    }
    let twice = head(
        &desk,
        "GET",
        "/api/agents",
        address,
        "Host: evil.example\r\n",
    );
    assert_eq!(exchange(address, &twice, b"").status, 400);
}

#[test]
fn a_page_of_another_origin_is_refused() {
    let desk = Desk::new();
    let address = &desk.hub.address;
    let port = desk.hub.port();
    for origin in [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        "http://localhost:1".to_owned(),
        format!("http://127.0.0.1.evil.example:{port}"),
        format!("ftp://{address}"),
    ] {
        let more = format!("Origin: {origin}\r\nContent-Type: application/json\r\n");
        let get = head(&desk, "GET", "/api/agents", address, &more);
        exchange(address, &get, b"").refused(403, "foreign_origin");
        let act = head(&desk, "POST", "/api/devices", address, &more);
        exchange(address, &act, b"{}").refused(403, "foreign_origin");
        let cookie = Some(desk.browser.cookie.as_str());
        assert_eq!(
            dial(address, "/api/ws", cookie, Some(&origin)).err(),
            Some(403)
        );
        let terminal = "/api/agents/x/terminal";
        assert_eq!(
            dial(address, terminal, cookie, Some(&origin)).err(),
            Some(403)
        );
    }
    let cookie = Some(desk.browser.cookie.as_str());
    assert_eq!(
        dial(address, "/api/ws", cookie, None).err(),
        Some(403),
        "browsers say where from"
    );
    let origin = format!("http://{address}");
    assert_eq!(
        dial(address, "/api/ws", None, Some(&origin)).err(),
        Some(401)
    );
    assert!(dial(address, "/api/ws", cookie, Some(&origin)).is_ok());
}

#[test]
fn a_form_of_another_page_cannot_act() {
    let desk = Desk::new();
    let address = &desk.hub.address;
    for kind in [
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x",
        "",
    ] {
        let more = format!("Content-Type: {kind}\r\n");
        let post = head(&desk, "POST", "/api/devices", address, &more);
        exchange(address, &post, b"{\"read_only\":false}").refused(415, "not_json");
    }
    let no_kind = head(&desk, "POST", "/api/devices", address, "");
    exchange(address, &no_kind, b"{}").refused(415, "not_json");
    for site in ["cross-site", "same-site"] {
        let more = format!("Sec-Fetch-Site: {site}\r\n");
        let post = head(&desk, "POST", "/api/auth/logout", address, &more);
        exchange(address, &post, b"").refused(403, "foreign_origin");
    }
    desk.browser.get("/api/session").ok();
}

#[test]
fn every_answer_has_a_strict_policy() {
    let desk = Desk::new();
    for path in [
        "/",
        "/inbox",
        "/api/agents",
        "/api/nothing",
        "/assets/none.js",
        "/openapi.json",
    ] {
        let answer = desk.browser.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'self'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        for loose in ["unsafe", "*", "http:", "https:"] {
            assert!(!policy.contains(loose), "{policy}");
        }
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(answer.header("access-control-allow-origin").is_none());
        if path.starts_with("/api") {
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
}

#[test]
fn what_cannot_be_used_says_what_would_be_right() {
    let desk = Desk::with_dummy();
    let browser = &desk.browser;
    browser.get("/api/nothing").refused(404, "not_found");
    browser
        .get("/api/agents/nobody")
        .refused(404, "no_such_agent");
    browser
        .get("/api/tasks/nothing")
        .refused(404, "no_such_task");
    browser
        .get("/api/tasks?state=odd")
        .refused(400, "bad_request");
    browser
        .get("/api/tasks?limit=x")
        .refused(400, "bad_request");
    browser
        .get("/api/tasks?before=x")
        .refused(400, "bad_request");
    let send = |body| browser.post("/api/agents/dummy/send", &body);
    send(json!({})).refused(400, "bad_request");
    send(json!({ "text": " " })).refused(400, "bad_request");
    send(json!({ "text": "x", "priority": 9 })).refused(400, "bad_request");
    send(json!({ "text": "x", "from": "nobody" })).refused(404, "no_such_agent");
    send(json!([1])).refused(400, "bad_request");
    let keys = json!({ "keys": ["Escape", "NoSuchKey"] });
    browser
        .post("/api/agents/dummy/keys", &keys)
        .refused(400, "bad_key");
    let level = json!({ "level": "gently" });
    browser
        .post("/api/agents/dummy/interrupt", &level)
        .refused(400, "bad_request");
    let start = |body| browser.post("/api/agents", &body);
    start(json!({ "profile": "nothing" })).refused(404, "no_such_profile");
    start(json!({ "profile": "--help" })).refused(404, "no_such_profile");
    start(json!({ "profile": "dummy", "name": "--all" })).refused(400, "bad_name");
    start(json!({ "profile": "dummy", "worktree": "nope" })).refused(404, "no_such_worktree");
    let large = json!({ "read_only": false, "more": "x".repeat(2 << 20) });
    browser
        .post("/api/devices", &large)
        .refused(413, "too_large");
}

#[test]
fn behind_a_proxy_a_cookie_needs_the_key_that_does_not_travel_with_it() {
    let world = World::new();
    world.configure("host_names: [box.lan]\n");
    let hub = Hub::start(&world, &["--port", "0"]);
    let browser = Browser::open(&hub);
    let ask = |host: &str, more: &str| {
        let cookie = &browser.cookie;
        let head =
            format!("GET /api/session HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}");
        exchange(&hub.address, &head, b"")
    };
    let key = format!("X-Synapse-Key: {}\r\n", browser.key);
    let wrong = format!("X-Synapse-Key: {}x\r\n", browser.key);
    // The kernel says that we are the same user, and nobody stands between.
    ask(&hub.address, "").ok();
    for (host, proxy) in [
        ("box.lan", ""),
        ("BOX.lan:8443", ""),
        (hub.address.as_str(), "X-Forwarded-For: 10.0.0.9\r\n"),
        (hub.address.as_str(), "Via: 1.1 proxy\r\n"),
    ] {
        ask(host, proxy).refused(401, "unauthorized");
        ask(host, &format!("{proxy}{wrong}")).refused(401, "unauthorized");
        ask(host, &format!("{proxy}{key}")).ok();
    }
    // A page can add no header to a WebSocket.
    let open = |protocols: &str| {
        let head = format!(
            "GET /api/ws HTTP/1.1\r\nHost: box.lan\r\nOrigin: http://box.lan\r\nCookie: {}\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: {protocols}\r\n\r\n",
            browser.cookie
        );
        let mut stream = std::net::TcpStream::connect(&hub.address).unwrap();
        std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(stream)).map_while(Result::ok);
        let answer: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        answer.join("\n").to_lowercase()
    };
    assert!(open("synapse").contains(" 401 "));
    let opened = open(&format!("synapse, synapse-key.{}", browser.key));
    assert!(opened.contains(" 101 "), "{opened}");
    assert!(
        opened.contains("sec-websocket-protocol: synapse"),
        "{opened}"
    );
    // A program that has the token needs neither.
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    ask("box.lan", &bearer).ok();
}

#[test]
fn the_cookie_of_one_user_is_none_for_another() {
    // Only root can be somebody else.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let desk = Desk::new();
    let ask = |user: u32, key: &str| {
        let script = "import os, socket, sys\nos.setuid(int(sys.argv[1]))\n\
            host, port = sys.argv[2].split(':')\nc = socket.socket()\nc.connect((host, int(port)))\n\
            k = 'X-Synapse-Key: ' + sys.argv[4] + '\\r\\n' if sys.argv[4] else ''\n\
            c.sendall(('GET /api/session HTTP/1.1\\r\\nHost: %s\\r\\nCookie: %s\\r\\n%s\\r\\n' % (sys.argv[2], sys.argv[3], k)).encode())\n\
            print(c.recv(64).split()[1].decode())";
        let asked = std::process::Command::new("python3")
            .args(["-c", script, &user.to_string(), &desk.hub.address])
            .args([&desk.browser.cookie, key])
            .output();
        String::from_utf8(asked.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(ask(0, ""), "200");
    assert_eq!(ask(65_534, ""), "401", "the hub runs as root");
    assert_eq!(
        ask(65_534, &desk.browser.key),
        "200",
        "who has both is the device"
    );
}
