//! What others wrote, on a person's terminal.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::world::World;
use crate::world::terminal::Terminal;

/// Takes the clipboard, the title, the screen and the direction of text.
const HOSTILE: &str =
    "\x1b]52;c;cm0=\x07\x1b]2;pwned\x07\x1b[2J\u{9b}2J\u{9d}0;x\u{9c}\u{202e}evil";

/// Files that may paint, since they make what they paint themselves; `acp.rs` speaks JSON to an editor.
const PAINTERS: [&str; 14] = [
    "acp.rs",
    "qr.rs",
    "table.rs",
    "record.rs",
    "print.rs",
    "demo.rs",
    "replay.rs",
    "list.rs",
    "picture.rs",
    "doctor.rs",
    "screen.rs",
    "spinner.rs",
    "attach.rs",
    // Shows the program that is learned about, as `record` does.
    "teacher.rs",
];

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("dummy_agent") {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("dummy_agent.rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_command_prints_past_the_writer() {
    let mut found = vec!["src/main.rs".into(), "src/cli.rs".into()];
    sources(Path::new("src/verbs"), &mut found);
    assert!(found.len() > 40);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        for (number, line) in text.lines().enumerate() {
            let line = line
                .replace("stdout().is_terminal()", "")
                .replace("stderr().is_terminal()", "");
            let prints = [
                "println!",
                "print!(",
                "eprint!",
                "stdout()",
                "stderr()",
                "tty::display",
            ];
            let goes_round = line.contains("painted()") || line.contains("painted_err()");
            let is_painter = PAINTERS.contains(&name) || path.ends_with("list/live.rs");
            let is_past = prints.iter().any(|way| line.contains(way)) || goes_round;
            assert!(
                !is_past || is_painter,
                "{}:{}: {line}",
                path.display(),
                number + 1
            );
        }
    }
}

#[test]
fn commands_show_what_others_wrote_and_the_terminal_obeys_none_of_it() {
    let world = World::new();
    let folder = world.home.path().join(format!("x{HOSTILE}"));
    fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    world.ok(&["start", "dummy", "--port", "0", "--cwd", folder]);
    world.wait_for_state("dummy", "IDLE");
    // A message, and a reply in so many words.
    let body = json!({ "message": format!("slow:60 {HOSTILE}"), "sender": HOSTILE });
    let (status, sent) = world.call("POST", "/tasks/send", &body);
    assert_eq!(status, 200, "{sent}");
    let task = sent["task"]["id"].as_str().unwrap();
    world.wait_for_state("dummy", "BUSY");
    let (status, said) = world.call("POST", "/reply", &json!({ "text": HOSTILE }));
    assert_eq!(status, 200, "{said}");
    for command in [
        vec!["list"],
        vec!["tasks"],
        vec!["task", task],
        vec!["replies", "--all"],
        vec!["doctor", "dummy"],
        vec!["status", "dummy"],
        vec!["logs", "dummy"],
        vec!["send", "nobody\u{9b}2J\x1b]2;x\x07", "hello"],
        vec!["start", "nobody\u{202e}\x1b]2;x\x07"],
    ] {
        let (_, raw) = Terminal::open(&world, &command).end();
        for bad in ["\x1b]", "\x1b[2J", "\u{9b}", "\u{9d}", "\u{202e}", "\x07"] {
            assert!(!raw.contains(bad), "{command:?} prints {bad:?}: {raw:?}");
        }
    }
    // Pipes are exact, and so is a terminal where somebody wants it.
    assert!(world.ok(&["task", task]).contains(HOSTILE));
    let (_, raw) = Terminal::open(&world, &["--raw-output", "task", task]).end();
    assert!(raw.contains("\x1b]52;c;cm0=\x07"), "{raw:?}");
}
