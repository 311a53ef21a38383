//! A chat that nobody has described: it reads keys, draws a box to type in, and writes down what it is told.

use serde_json::{Value, json};

use super::send_as;
use super::settled;
use super::start;
use crate::world::World;
use crate::world::terminal::Terminal;

/// It says `Noted, number n.` to each message. `slow` makes it work until Escape is pressed; Ctrl-U empties the box.
const CHAT: &str = r#"
import os, select, sys, tty
tty.setraw(0)
said, typed, busy, beat, count = ["Welcome"], "", False, 0, 0
def paint():
    rows = said[-12:] + ["" for _ in range(12 - len(said[-12:]))]
    if busy:
        rows[11] = "|/-\\"[beat % 4] + " Working" + os.environ.get("HINT", "")
    if os.environ.get("BAR"):
        rows += ["", "┃   " + typed[:56], "", "toy · 1k"]
    else:
        rows += ["╭" + "─" * 60 + "╮", "│ > " + typed[:56].ljust(57) + "│", "╰" + "─" * 60 + "╯", "toy · 1k"]
    out = "\x1b[?25l\x1b[H" + "".join(row + "\x1b[K\r\n" for row in rows)
    os.write(1, (out + "\x1b[14;%dH\x1b[?25h" % (5 + len(typed[:56]))).encode())
os.write(1, b"\x1b[2J")
paint()
while True:
    if busy and not select.select([0], [], [], 0.1)[0]:
        beat += 1
        paint()
        continue
    for key in os.read(0, 4096).decode():
        if key == "\x1b" and busy:
            busy, said = False, said + ["stopped", ""]
        elif key == "\r" and not busy:
            with open("told", "a") as told:
                told.write(typed + "\n")
            busy, count = typed.endswith("slow"), count + 1
            said = said + ["> " + typed, ""] + ([] if busy else ["Noted, number %d." % count, ""])
            typed = ""
        elif key == "\x15":
            typed = ""
        elif key >= " ":
            typed += key
    paint()
"#;

fn chat() -> World {
    chat_in(&[])
}

fn chat_in(variables: &[&str]) -> World {
    let world = World::new();
    std::fs::write(world.home.path().join("chat.py"), CHAT).unwrap();
    let command = [&["env"], variables, &["python3", "chat.py"]].concat();
    start(&world, "chat", &command);
    world
}

/// The last message as the program got it.
fn told(world: &World) -> String {
    let told = std::fs::read_to_string(world.home.path().join("told")).unwrap();
    told.lines().last().unwrap().to_owned()
}

#[test]
fn who_speaks_is_told_where_it_says_something() {
    let world = chat();
    assert_eq!(
        send_as(&world, "user", "hello")["status"]["state"],
        "completed"
    );
    assert_eq!(told(&world), "hello", "a person needs no introduction");
    send_as(&world, "codex", "hello");
    assert!(told(&world).ends_with(":codex] hello"), "{}", told(&world));
    let message = json!({ "messageId": "1", "role": "ROLE_USER", "parts": [{ "text": "hello" }] });
    let body = json!({ "message": message });
    let version = "\r\nA2A-Version: 1.0";
    let (status, answer) = world.raw_call("POST", "/a2a/rest/message:send", version, &body);
    assert_eq!(status, 200, "{answer}");
    assert!(
        told(&world).ends_with(":a2a-client] hello"),
        "a client is no person"
    );
}

#[test]
fn no_message_begins_with_a_command_unless_it_is_raw() {
    // A box that nobody knows is no reason to run what was said.
    for world in [chat(), chat_in(&["BAR=1"])] {
        for text in ["!ls", "/quit"] {
            send_as(&world, "user", text);
            let told = told(&world);
            assert!(told.starts_with("[A2A:") && told.ends_with(text), "{told}");
        }
        world.ok(&["send", "chat", "!ls", "--raw", "--return"]);
        assert_eq!(told(&world), "!ls");
    }
}

#[test]
fn why_a_message_waits_is_told_everywhere_and_it_is_typed_when_the_box_is_empty() {
    let world = chat();
    world.ok(&["keys", "chat", "d", "r", "a", "f", "t"]);
    world.wait_until("the draft is in the box", |world| {
        world.ok(&["screen", "chat"]).contains("> draft")
    });
    let id = world.ok(&["send", "chat", "hello"]);
    world.wait_until("the wait is told", |world| {
        world.ok(&["status", "chat"]).contains("held: ")
    });
    // It is typing first, and then what was typed.
    let is_told = |told: &str| {
        let reasons = [
            "the box shows «draft»",
            "somebody is typing in its terminal",
        ];
        let is_told = reasons
            .iter()
            .any(|why| told.contains(&format!("held: {why}")));
        assert!(is_told, "{told}");
    };
    is_told(&world.json(&["status", "chat", "--json"])["held"].to_string());
    assert!(world.ok(&["list"]).contains("held: "));
    let task = world.call("GET", &format!("/tasks/{}", id.trim()), &Value::Null);
    is_told(&task.1["task"]["held"].to_string());
    is_told(&world.json(&["task", id.trim(), "--json"])["held"].to_string());
    is_told(&world.ok(&["task", id.trim()]));
    let mut follow = Terminal::open(&world, &["task", id.trim(), "--follow"]);
    follow.wait_for("held: ");
    world.ok(&["keys", "chat", "C-u"]);
    assert_eq!(settled(&world, id.trim())["status"]["state"], "completed");
    follow.end();
    assert_eq!(told(&world), "hello", "nothing was typed over the draft");
    assert_eq!(
        world.json(&["status", "chat", "--json"])["held"],
        Value::Null
    );
}

#[test]
fn the_key_that_stops_a_program_is_never_guessed() {
    let world = chat();
    world.ok(&["send", "chat", "slow"]);
    world.wait_for_state("chat", "BUSY");
    let refused = world.run(&["interrupt", "chat"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("--key"),
        "{said}"
    );
    assert_eq!(world.state("chat"), "BUSY");
    world.ok(&["interrupt", "chat", "--key", "Escape"]);
    world.wait_for_state("chat", "IDLE");
}

#[test]
fn the_key_that_the_screen_names_is_pressed() {
    let world = chat_in(&["HINT= (esc to interrupt)"]);
    world.ok(&["send", "chat", "slow"]);
    world.wait_for_state("chat", "BUSY");
    let receipt = world.json(&["interrupt", "chat", "--json"]);
    assert_eq!(receipt["sent"], "Escape", "{receipt}");
    world.wait_for_state("chat", "IDLE");
}

#[test]
fn a_reading_is_explained_row_by_row() {
    let world = chat();
    send_as(&world, "user", "hello");
    for command in [&["status", "chat", "--why"], &["doctor", "chat"][..]] {
        let output = world.run(command);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let row = |part: &str, text: &str| {
            let is_it = |line: &str| line.contains(&format!("{part} │")) && line.contains(text);
            said.lines().any(is_it)
        };
        assert!(row("speech", "Noted, number 1."), "{command:?}: {said}");
        assert!(
            row("echo", "> hello") && row("box", "│ >"),
            "{command:?}: {said}"
        );
    }
}
