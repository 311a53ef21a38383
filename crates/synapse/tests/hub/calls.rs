//! Calling somebody: webhooks, links that answer, Web Push. What is told, to whom, and who may set it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Desk, Hub, exchange};
use crate::repository::Repository;
use crate::world::World;
use crate::world::receiver::Receiver;

const HOOKS: &str = "/api/notify/webhooks";

/// A program that asks as Claude does before it runs what it is told.
const TOY: &str = r#"
while printf 'toy> ' && read -r line; do
  printf '\033[2J\033[H'
  printf '─%.0s' $(seq "$(stty size </dev/tty | cut -d' ' -f2)")
  printf '\n Bash command\n\n'
  printf '%b\n' "$line" | sed 's/^/   /'
  printf '   \033[38;2;153;153;153mRun it\033[39m\n\n Do you want to proceed?\n'
  printf ' ❯ 1. Yes\n   2. No\n\n Esc to cancel\033[?25l'
  while IFS= read -rsn1 key; do
    case $key in 1) answer=yes ;; 2) answer=no ;; *) continue ;; esac
    break
  done
  printf '\033[?25h\033[2J\033[Hok: %s\n' "$answer"
done
"#;

/// A desk whose hub is known to others as `https://agents.example`.
fn desk() -> Desk {
    let world = World::new();
    let repository = Repository::new(world.home.path(), "repo");
    let hub = Hub::start(
        &world,
        &["--port", "0", "--public-url", "https://agents.example"],
    );
    let browser = Browser::open(&hub);
    let desk = Desk {
        browser,
        hub,
        repository,
        world,
    };
    let script = desk.world.home.path().join("toy.sh");
    std::fs::write(&script, TOY).unwrap();
    let yaml = format!(
        "name: toy\ncommand: [bash, {}]\nidle_regex: '^toy> $'\nprompt_template: '{{text}}'\n\
         asking: {{ by_digit: true }}\n",
        script.display()
    );
    desk.world.start_profile("toy", &yaml);
    desk.browser
        .wait_for("/api/agents/toy", "it appears", |seen| {
            seen["agent"].is_object()
        });
    desk.browser.wait_for_status("toy", "idle");
    desk
}

fn hook(desk: &Desk, shape: &str) -> Receiver {
    let receiver = Receiver::new();
    let url = receiver.url.replace("/hook", "/topic");
    let added = json!({ "url": url, "shape": shape, "token": "tk" });
    assert_eq!(desk.browser.post(HOOKS, &added).status, 201);
    receiver
}

fn wish(desk: &Desk, wanted: &Value) -> Value {
    desk.browser.post("/api/notify", wanted).ok()
}

/// Uses a link as a phone does: from outside, with no cookie, and from a page of ntfy with an empty text.
fn press(desk: &Desk, url: &str) -> Answer {
    let path = url.strip_prefix("https://agents.example").unwrap_or(url);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: agents.example\r\nVia: 1.1 proxy\r\nOrigin: https://ntfy.sh\r\n\
         Content-Type: text/plain;charset=UTF-8\r\n"
    );
    exchange(&desk.browser.address, &head, b"")
}

#[test]
fn a_question_is_told_without_its_words_until_somebody_wants_them() {
    let desk = desk();
    let receiver = hook(&desk, "json");
    desk.send("toy", "rm -r SECRET");
    let told = receiver.next();
    assert!(
        told.head.contains("authorization: bearer tk"),
        "{}",
        told.head
    );
    assert!(told.head.contains("via: 1.1 synapse"), "{}", told.head);
    let body = &told.body;
    assert_eq!(
        (&body["agent"], &body["kind"]),
        (&json!("toy"), &json!("waiting"))
    );
    let page = body["url"].as_str().unwrap();
    assert!(page.starts_with("https://agents.example/a/"), "{body}");
    assert!(!body.to_string().contains("SECRET"), "{body}");
    assert!(
        body["refuse"].is_null() && body["allow"].is_null(),
        "{body}"
    );
    desk.world.ok(&["answer", "toy", "no"]);
    desk.browser.wait_for_status("toy", "idle");
    wish(&desk, &json!({ "with_question": true }));
    desk.send("toy", "rm -r SECRET");
    let body = receiver.next().body;
    assert!(
        body["question"]["detail"]
            .as_str()
            .unwrap()
            .contains("rm -r SECRET"),
        "{body}"
    );
}

#[test]
fn a_link_refuses_once_and_allows_only_where_that_is_switched_on() {
    let desk = desk();
    let receiver = hook(&desk, "ntfy");
    wish(&desk, &json!({ "answer_links": true }));
    let asked = |desk: &Desk, message: &str| {
        let task = desk.send("toy", message);
        (task, receiver.next().body)
    };
    let link = |body: &Value, label: &str| {
        let mut actions = body["actions"].as_array().unwrap().iter();
        let found = actions.find(|action| action["label"] == label);
        found.map(|action| action["url"].as_str().unwrap().to_owned())
    };
    let reply = |desk: &Desk, task: &Value| {
        let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
        desk.browser.wait_for(&path, "it is done", |seen| {
            seen["task"]["status"]["state"] == "completed"
        })["task"]
            .clone()
    };
    // What is left of the question on the screen is of no interest here.
    let last = |task: &Value| {
        let reply = task["reply"].as_str().unwrap();
        reply.lines().last().unwrap_or_default().to_owned()
    };
    let (task, body) = asked(&desk, "one");
    assert_eq!(body["topic"], "topic");
    assert_eq!(link(&body, "Yes"), None, "{body}");
    let no = link(&body, "No").unwrap();
    // Looking at it changes nothing; what an agent has started may not use it.
    let path = no.strip_prefix("https://agents.example").unwrap();
    assert_eq!(desk.browser.get(path).status, 303);
    press(&desk, "/answer/wrong").refused(410, "link_used");
    assert_eq!(press(&desk, &no).ok()["answered"], "no");
    press(&desk, &no).refused(410, "link_used");
    let done = reply(&desk, &task);
    assert_eq!(last(&done), "ok: no");
    assert_eq!(done["acts"][0]["by"], "a notification");
    // The link of a question that was answered otherwise is for no other question.
    let (task, body) = asked(&desk, "two");
    let old = link(&body, "No").unwrap();
    desk.world.ok(&["answer", "toy", "yes"]);
    assert_eq!(last(&reply(&desk, &task)), "ok: yes");
    let (task, _) = asked(&desk, "three");
    press(&desk, &old).refused(409, "prompt_changed");
    desk.world.ok(&["answer", "toy", "no"]);
    reply(&desk, &task);
    wish(&desk, &json!({ "allow_links": true }));
    let (task, body) = asked(&desk, "four");
    assert_eq!(
        press(&desk, &link(&body, "Yes").unwrap()).ok()["answered"],
        "yes"
    );
    assert_eq!(last(&reply(&desk, &task)), "ok: yes");
}

#[test]
fn an_agent_cannot_answer_itself_by_a_link_or_have_itself_called() {
    let desk = desk();
    desk.world.ok(&[
        "start", "--port", "0", "--name", "inner", "--", "bash", "--norc",
    ]);
    let address = &desk.browser.address;
    let ask = |args: &str| {
        let line = format!("curl -s -o /dev/null -w '%{{http_code}}' {args}");
        let output = desk.world.run(&["send", "inner", &line, "--return"]);
        String::from_utf8(output.stdout).unwrap()
    };
    let cookie = &desk.browser.cookie;
    for args in [
        format!("-X POST http://{address}/answer/anything"),
        format!(
            "-X POST -b '{cookie}' -H 'Content-Type: application/json' -d '{{}}' http://{address}/api/notify"
        ),
    ] {
        let said = ask(&args);
        assert!(said.contains("403"), "{args}: {said}");
    }
}

#[test]
fn deaths_and_failures_are_told_and_quiet_hours_are_kept() {
    let desk = desk();
    let receiver = hook(&desk, "json");
    desk.start("dummy", &desk.repository.path);
    // All day but one minute that is not now.
    wish(&desk, &json!({ "quiet": "00:00-23:59" }));
    let is_quiet_now = jiff::Zoned::now().time() < jiff::civil::time(23, 59, 0, 0);
    let task = desk.send("dummy", "crash");
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    desk.browser.wait_for(&path, "it failed", |seen| {
        seen["task"]["status"]["state"] == "failed"
    });
    desk.browser.wait_for("/api/deaths", "it died", |seen| {
        seen["deaths"].as_array().is_some_and(|all| !all.is_empty())
    });
    if is_quiet_now {
        assert!(receiver.waiting().is_empty());
    }
    let shown = wish(&desk, &json!({ "quiet": "" }));
    assert_eq!(shown["wishes"]["quiet"], "");
    desk.start("dummy", &desk.repository.path);
    desk.send("dummy", "exit:3");
    let died = receiver.next().body;
    assert_eq!(
        (&died["agent"], &died["kind"]),
        (&json!("dummy"), &json!("died"))
    );
    desk.browser
        .post("/api/notify", &json!({ "quiet": "late" }))
        .refused(400, "bad_request");
}

#[test]
fn only_a_full_device_sets_it_and_addresses_are_checked() {
    let desk = desk();
    let receiver = hook(&desk, "ntfy");
    let link = desk.world.run(&["web", "login", "--read-only"]);
    let link = String::from_utf8(link.stdout).unwrap();
    let (_, code) = link.trim().split_once("#code=").unwrap();
    let viewer = Browser::with_link(&format!("http://{}/#code={code}", desk.browser.address));
    let seen = viewer.get("/api/notify").ok();
    assert_eq!(
        seen["webhooks"][0]["url"], "127.0.0.1/…",
        "a topic is a secret"
    );
    for (path, body) in [
        ("/api/notify", json!({ "waiting": false })),
        (
            HOOKS,
            json!({ "url": "https://ntfy.sh/x", "shape": "ntfy" }),
        ),
        ("/api/notify/test", json!({})),
        ("/api/notify/push", json!({})),
    ] {
        viewer.post(path, &body).refused(403, "read_only");
    }
    for (url, shape) in [
        ("ftp://x/y", "json"),
        ("https://ntfy.sh/", "ntfy"),
        ("https://a:b@ntfy.sh/x", "ntfy"),
    ] {
        let body = json!({ "url": url, "shape": shape });
        desk.browser.post(HOOKS, &body).refused(400, "bad_request");
    }
    // Where a machine keeps what only it may know nobody is called.
    let metadata = json!({ "url": "http://169.254.169.254/latest", "shape": "json" });
    desk.browser.post(HOOKS, &metadata).ok();
    let told = desk.browser.post("/api/notify/test", &json!({})).ok();
    let told = told["told"].as_array().unwrap();
    let error = |to: &str| {
        let mut all = told.iter();
        all.find(|one| one["to"] == to).unwrap()["error"].clone()
    };
    assert_eq!(error("127.0.0.1"), Value::Null);
    let refused = error("169.254.169.254");
    assert!(
        refused.as_str().unwrap().contains("may not be called"),
        "{refused}"
    );
    assert_eq!(receiver.next().body["title"], "Synapse: a test");
    let file = desk.world.home.path().join("synapse/notify.json");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(file).unwrap());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_browser_is_pushed_to_until_its_subscription_or_its_device_is_gone() {
    let desk = desk();
    // A point of the curve that RFC 8291 has in its example.
    let keys = json!({
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    });
    let push = |browser: &Browser, url: &str| {
        browser.post(
            "/api/notify/push",
            &json!({ "endpoint": url, "keys": keys }),
        )
    };
    push(&desk.browser, "http://push.example/x").refused(400, "bad_request");
    let odd =
        json!({ "endpoint": "https://push.example/x", "keys": { "p256dh": "AAAA", "auth": "AA" } });
    desk.browser
        .post("/api/notify/push", &odd)
        .refused(400, "bad_request");
    let receiver = Receiver::answering(&[201, 410]);
    let set = push(&desk.browser, &receiver.url).ok();
    assert_eq!(set["push"]["is_on_here"], true);
    assert!(set["push"]["key"].as_str().unwrap().len() > 80, "{set}");
    desk.send("toy", "one");
    let told = receiver.next();
    for header in [
        "content-encoding: aes128gcm",
        "ttl: 3600",
        "urgency: high",
        "authorization: vapid t=",
    ] {
        assert!(told.head.contains(header), "{}", told.head);
    }
    desk.world.ok(&["answer", "toy", "no"]);
    desk.browser.wait_for_status("toy", "idle");
    // The push service says that the browser wants no more.
    desk.send("toy", "two");
    receiver.next();
    desk.browser
        .wait_for("/api/notify", "it is forgotten", |seen| {
            seen["push"]["is_on_here"] == false
        });
    push(&desk.browser, &receiver.url).ok();
    desk.browser.press("/api/auth/logout").ok();
    let book = desk.world.home.path().join("synapse/notify.json");
    desk.world.wait_until("it goes with its device", |_| {
        let text = std::fs::read_to_string(&book).unwrap();
        let kept: Value = serde_json::from_str(&text).unwrap();
        kept["subscriptions"] == json!([])
    });
}

#[test]
fn a_phone_gets_an_address_it_can_reach_a_code_to_scan_and_a_fingerprint() {
    let world = World::new();
    world.configure("host_names: [box.lan]\n");
    let mut command =
        world.command(&["web", "--port", "0", "--listen", "0.0.0.0", "--tls", "self"]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut hub = command.spawn().unwrap();
    let mut link = String::new();
    let stdout = hub.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut link).unwrap();
    let port = link
        .split(':')
        .nth(2)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let login = world.run(&["web", "login"]);
    hub.kill().unwrap();
    let mut said = String::new();
    hub.stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    hub.wait().unwrap();
    let printed = String::from_utf8(login.stdout).unwrap();
    assert!(
        printed.starts_with(&format!("https://box.lan:{port}/#code=")),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 1, "{printed}");
    let code = String::from_utf8(login.stderr).unwrap();
    assert!(code.lines().count() > 15 && code.contains('█'), "{code}");
    assert!(said.contains("SHA-256 fingerprint"), "{said}");
    assert!(
        said.contains("need a certificate that the phone trusts"),
        "{said}"
    );
    let key = world.home.path().join("synapse/tls/self.key");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(key).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    // On loopback nobody else reaches it, and that is said.
    let hub = Hub::start(&world, &["--port", "0"]);
    let login = world.run(&["web", "login"]);
    let printed = String::from_utf8(login.stdout).unwrap();
    assert!(
        printed.starts_with(&format!("http://{}/#code=", hub.address)),
        "{printed}"
    );
    let said = String::from_utf8(login.stderr).unwrap();
    assert!(said.contains("works on this machine only"), "{said}");
    let odd = world.run(&["web", "--public-url", "http://agents.example"]);
    let said = String::from_utf8(odd.stderr).unwrap();
    assert!(said.contains("must begin with https://"), "{said}");
}
