//! The dummy agent as a process, through pipes and on a terminal.
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Waits for what the program shows, types an answer, and so on; prints all that was shown.
const TERMINAL: &str = r#"
import json, os, pty, select, sys, time
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, master = pty.fork()
if child == 0:
    os.execv(command[0], command)
shown, mark = b"", 0
def show():
    global shown
    try:
        more = os.read(master, 65536)
    except OSError:
        more = b""
    shown += more
    return more
for expected, typed in steps:
    deadline = time.monotonic() + 20
    while (at := shown.find(expected.encode(), mark)) < 0:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([master], [], [], left)[0] or not show():
            sys.exit(f"no {expected!r} in {shown[mark:]!r}")
    mark = at + len(expected.encode())
    os.write(master, typed.encode())
while show():
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

fn agent() -> Vec<String> {
    let synapse = assert_cmd::cargo::cargo_bin!("synapse");
    let program = synapse.to_str().unwrap().to_owned();
    vec![program, "dummy-agent".to_owned()]
}

fn start() -> Child {
    let agent = agent();
    let (program, arguments) = agent.split_first().unwrap();
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What it says to some lines, behind its first prompt.
fn talk(lines: &str) -> (String, ExitStatus) {
    let mut process = start();
    let mut input = process.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, said) = text.split_once("dummy> ").unwrap();
    (said.to_owned(), output.status)
}

fn said(lines: &str) -> String {
    let (said, status) = talk(lines);
    assert!(status.success(), "{status}: {said}");
    said
}

fn on_a_terminal(steps: &[(&str, &str)]) -> String {
    let output = Command::new("python3")
        .args(["-c", TERMINAL, &serde_json::to_string(steps).unwrap()])
        .args(agent())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let shown = String::from_utf8(output.stdout).unwrap();
    let (_, shown) = shown.split_once("dummy> ").unwrap();
    shown.replace("\r\n", "\n")
}

#[test]
fn says_what_it_is_told_and_prompts_again() {
    assert_eq!(
        said("say:こんにちは\n[A2A:1234:codex] say:hi\n\nhello there\nerror:no luck\n"),
        "こんにちは\ndummy> hi\ndummy> dummy> ok: hello there\ndummy> error: no luck\ndummy> \n"
    );
}

#[test]
fn replies_come_in_every_shape() {
    assert!(said("code:python\n").contains("\n```python\ndef greet"));
    assert!(said("json\n").starts_with("{\n  \"status\": \"ok\""));
    assert!(said("json:fenced\n").contains("```json\n{"));
    assert!(said("multi\n").contains("| codex | coder | 8101 |"));
    assert!(said("echo:  a\n").contains("received 1 line(s):\n\n```\n\"echo:  a\"\n```\n"));
    let long = said("long:2000\n");
    assert!(long.starts_with("line 1 of 2000\n") && long.contains("\nline 2000 of 2000\n"));
    assert_eq!(said("wait:0.01\n"), "waited 0.01 seconds\ndummy> \n");
    let slow = said("slow:0.01\n");
    assert!(slow.starts_with("alpha bravo charlie "), "{slow}");
    assert!(slow.ends_with(" fourteen.\ndummy> \n"), "{slow}");
    assert_eq!(slow.split_whitespace().count(), 40 + 1);
}

#[test]
fn asks_until_the_answer_makes_sense() {
    assert_eq!(
        said("ask:yn Delete it?\nperhaps\nY\nsay:next\n"),
        "Delete it? (y/n): Delete it? (y/n): ok: yes\ndummy> next\ndummy> \n"
    );
    assert_eq!(
        said("ask:pick red|green\n3\ngreen\n"),
        "1. red\n2. green\nSelect: 1. red\n2. green\nSelect: ok: green\ndummy> \n"
    );
    assert_eq!(
        said("ask:password\nhunter2\n"),
        "Password: \nok: 7 characters\ndummy> \n"
    );
}

#[test]
fn a_question_nobody_answers_ends_with_the_input() {
    assert_eq!(said("ask:yn Go on?\n"), "Go on? (y/n): \n");
}

#[test]
fn ends_as_it_is_told() {
    assert_eq!(talk("exit:7\nsay:never\n").1.code(), Some(7));
    let (said, status) = talk("say:before\ncrash\n");
    assert!(said.starts_with("before\n"));
    assert_eq!(status.signal(), Some(6), "aborted");
}

#[test]
fn a_signal_interrupts_what_is_running() {
    let mut process = start();
    let mut input = process.stdin.take().unwrap();
    input.write_all(b"wait:0\nslow:60\nsay:never\n").unwrap();
    let mut output = process.stdout.take().unwrap();
    wait_for(&mut output, "bravo");
    let signaled = Command::new("kill")
        .args(["-INT", &process.id().to_string()])
        .status();
    assert!(signaled.unwrap().success());
    wait_for(&mut output, "\n^C interrupted\ndummy> ");
    input.write_all(b"say:back\n").unwrap();
    wait_for(&mut output, "back\ndummy> ");
    drop(input);
    assert!(process.wait().unwrap().success());
}

/// Reads up to the end of `wanted`.
fn wait_for(output: &mut impl Read, wanted: &str) {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(wanted.as_bytes()) {
        let count = output.read(&mut byte).unwrap();
        assert_eq!(count, 1, "no {wanted:?} in {seen:?}");
        seen.extend(byte);
    }
}

#[test]
fn works_on_a_terminal_as_at_a_pipe() {
    let shown = on_a_terminal(&[
        ("dummy> ", "ask:yn Sure?\r"),
        ("Sure? (y/n): ", "n\r"),
        ("dummy> ", "\x04"),
    ]);
    assert_eq!(shown, "ask:yn Sure?\nSure? (y/n): n\nok: no\ndummy> \n");
}

#[test]
fn ctrl_c_stops_a_reply_a_question_and_a_line_half_typed() {
    let shown = on_a_terminal(&[
        ("dummy> ", "slow:60\r"),
        ("alpha ", "\x03"),
        ("^C interrupted", ""),
        ("dummy> ", "ask:pick a|b\r"),
        ("Select: ", "\x03"),
        ("^C interrupted", ""),
        ("dummy> ", "half a line\x03"),
        ("dummy> ", "say:whole\r"),
        ("\nwhole", ""),
        ("dummy> ", "\x04"),
    ]);
    assert_eq!(shown.matches("^C interrupted").count(), 2, "{shown}");
    assert!(!shown.contains("ok: half"), "{shown}");
}

#[test]
fn a_password_is_not_shown() {
    let shown = on_a_terminal(&[
        ("dummy> ", "ask:password\r"),
        ("Password: ", "hunter2\r"),
        ("ok: 7 characters", ""),
        ("dummy> ", "say:seen\r"),
        ("dummy> ", "ask:password\r"),
        ("Password: ", "\x03"),
        ("dummy> ", "say:again\r"),
        ("dummy> ", "\x04"),
    ]);
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("say:seen\nseen\n"), "{shown}");
    assert!(shown.contains("say:again\nagain\n"), "{shown}");
}

#[test]
fn a_menu_is_driven_by_arrows_on_a_terminal_and_by_lines_at_a_pipe() {
    let shown = on_a_terminal(&[
        ("dummy> ", "select:red|green|blue\r"),
        ("to cancel)", "\x1b[B"),
        ("❯ green", "\x1b[B\x1b[B"),
        ("❯ red", "\x1b[A\r"),
        ("ok: blue", ""),
        ("dummy> ", "select\r"),
        ("to cancel)", "\x1b"),
        ("^C interrupted", ""),
        ("dummy> ", "say:shown again\r"),
        ("dummy> ", "\x04"),
    ]);
    assert!(shown.contains("say:shown again\nshown again\n"), "{shown}");
    assert_eq!(
        said("select:red|green\n2\n"),
        "1. red\n2. green\nSelect: ok: green\ndummy> \n"
    );
}

#[test]
fn a_whole_screen_is_left_as_it_was_entered() {
    let shown = on_a_terminal(&[
        ("dummy> ", "tui\r"),
        ("\x1b[?2026l", "say:hi\r"),
        ("esc to interrupt", ""),
        ("\r\nhi", ""),
        ("\x1b[?2026l", "leave\r"),
        ("\x1b[?1049l", ""),
        ("left the screen", ""),
        ("dummy> ", "say:seen\r"),
        ("dummy> ", "\x04"),
    ]);
    assert!(shown.contains("say:seen\nseen\n"), "{shown}");
    assert!(said("tui\n").starts_with("error: there is no terminal"));
}

#[test]
fn a_flood_has_the_size_it_was_asked_for_and_can_be_stopped() {
    let flood = said("flood:2\n");
    assert!(
        (1_990_000..2_000_200).contains(&flood.len()),
        "{}",
        flood.len()
    );
    assert!(flood.ends_with("the flood of 2 MB is over\ndummy> \n"));
    let shown = on_a_terminal(&[
        ("dummy> ", "flood:100000\r"),
        ("quick brown fox", "\x03"),
        ("^C interrupted", ""),
        ("dummy> ", "\x04"),
    ]);
    assert!(!shown.contains("is over"));
}

#[test]
fn a_hanging_one_listens_to_nobody() {
    let mut process = start();
    let mut input = process.stdin.take().unwrap();
    input.write_all(b"say:ready\n").unwrap();
    let mut output = process.stdout.take().unwrap();
    wait_for(&mut output, "ready\ndummy> ");
    input.write_all(b"hang\nsay:never\n").unwrap();
    drop(input);
    wait_for(&mut output, "hanging\n");
    for signal in ["-INT", "-TERM", "-HUP"] {
        Command::new("kill")
            .args([signal, &process.id().to_string()])
            .status()
            .unwrap();
    }
    assert!(process.try_wait().unwrap().is_none());
    process.kill().unwrap();
    assert_eq!(process.wait().unwrap().signal(), Some(9));
}
