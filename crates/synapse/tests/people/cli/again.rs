//! `synapse restart`, `synapse up` and `start --resume`.

use crate::world::terminal::Terminal;
use crate::world::{World, is_gone};

/// A program that says how it was started and then repeats what it reads.
const TELLER: &str = "name: teller
command: sh
args: [-c, 'echo \"started with: $*\"; cat', teller]
resume: [--continue, '{session}']
";

fn teller(world: &World) -> String {
    let file = world.home.path().join("teller.yaml");
    std::fs::write(&file, TELLER).unwrap();
    file.to_str().unwrap().to_owned()
}

fn crash(world: &World) {
    let pid = world.entry()["pid"].to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    world.wait_until("its host is gone", |_| is_gone(&pid));
}

#[test]
fn what_ran_when_the_machine_went_down_is_started_again_and_nothing_else() {
    let world = World::new();
    let folder = world.home.path().join("project");
    std::fs::create_dir(&folder).unwrap();
    let dir = folder.to_str().unwrap();
    world.ok(&["start", "dummy", "--port", "0", "--name", "ended"]);
    world.ok(&["stop", "ended"]);
    world.ok(&[
        "start", "dummy", "--port", "0", "--name", "kept", "--cwd", dir,
    ]);
    crash(&world);
    let planned = world.json(&["up", "--dry-run", "--json"]);
    assert_eq!(planned["handle"], "kept");
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    let said = world.ok(&["up"]);
    assert!(
        said.starts_with("kept is back, with a new conversation"),
        "{said}"
    );
    let listed = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(
        listed[0]["working_dir"],
        folder.canonicalize().unwrap().to_str().unwrap()
    );
    let output = world.run(&["up"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("nothing to bring back"), "{told}");
    // All were meant to come back.
    world.ok(&["stop", "--all"]);
    assert!(world.ok(&["up"]).starts_with("kept is back"));
}

#[test]
fn an_agent_that_came_back_under_another_id_is_brought_back_once() {
    let world = World::new();
    world.ok(&["start", "dummy", "--port", "0", "--name", "one"]);
    world.ok(&["start", "dummy", "--port", "0", "--name", "two"]);
    world.ok(&["stop", "one"]);
    crash(&world);
    assert!(world.ok(&["up"]).starts_with("two is back"));
    world.ok(&["stop", "--all"]);
    let said = world.ok(&["up"]);
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn what_could_not_be_brought_back_is_tried_again() {
    let world = World::new();
    let script = world.home.path().join("lasting.sh");
    std::fs::write(&script, "echo '> '; exec cat").unwrap();
    let words = ["start", "--port", "0", "--name", "kept", "--", "bash"];
    world.ok(&[&words[..], &[script.to_str().unwrap()]].concat());
    crash(&world);
    let away = script.with_extension("away");
    std::fs::rename(&script, &away).unwrap();
    assert_eq!(world.run(&["up"]).status.code(), Some(1));
    std::fs::rename(&away, &script).unwrap();
    assert!(world.ok(&["up"]).starts_with("kept is back"));
}

#[test]
fn what_can_never_start_again_is_forgotten_by_its_name() {
    let world = World::new();
    let folder = world.home.path().join("project");
    std::fs::create_dir(&folder).unwrap();
    let dir = folder.to_str().unwrap();
    world.ok(&["start", "dummy", "--port", "0", "--cwd", dir]);
    crash(&world);
    std::fs::remove_dir(&folder).unwrap();
    world.ok(&["start", "dummy", "--port", "0", "--name", "other"]);
    let refused = world.run(&["up"]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(told.contains("synapse stop dummy"), "{told}");
    let stopped = world.run(&["stop", "dummy"]);
    let told = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        stopped.status.success() && told.contains("not brought back"),
        "{told}"
    );
    let running = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(running[0]["handle"], "other", "its profile was not meant");
    assert_eq!(world.ok(&["up", "--json"]), "");
    crash(&world);
    let told = world.json(&["stop", "other", "--json"]);
    assert_eq!(told["forgotten"][0], "other");
    assert_eq!(told["stopped"], serde_json::json!([]));
    assert_eq!(world.ok(&["up", "--json"]), "");
    assert_eq!(world.run(&["stop", "other"]).status.code(), Some(3));
}

#[test]
fn one_whose_terminal_is_gone_is_brought_back() {
    for signal in ["-HUP", "-TERM"] {
        let world = World::new();
        let mut terminal = Terminal::open(&world, &["dummy", "--port", "0"]);
        terminal.wait_for("dummy>");
        let pid = world.entry()["pid"].to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status();
        assert!(sent.unwrap().success());
        terminal.end();
        let said = world.ok(&["up"]);
        assert!(said.starts_with("dummy is back"), "{signal}: {said}");
    }
    let world = World::new();
    let mut terminal = Terminal::open(&world, &["dummy", "--port", "0"]);
    terminal.wait_for("dummy>");
    terminal.press("\x04");
    terminal.end();
    assert_eq!(world.ok(&["up", "--json"]), "", "a person ended it");
}

#[test]
fn a_program_that_ended_by_itself_stays_ended() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "crash"]);
    world.wait_until("it has ended", |world| {
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    assert_eq!(world.ok(&["up", "--json"]), "");
}

#[test]
fn a_restart_waits_for_rest_and_keeps_the_name() {
    let world = World::with_dummy();
    let before = world.entry();
    let id = world.ok(&["send", "dummy", "slow:1"]);
    let told = world.json(&["restart", "dummy", "--json"]);
    assert_eq!(told["handle"], "dummy");
    assert_ne!(told["pid"], before["pid"]);
    assert!(world.ok(&["task", id.trim()]).contains("completed"));
    assert_eq!(
        world.ok(&["send", "dummy", "say:hello", "--return"]),
        "hello\n"
    );
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    let output = world.run(&["restart", "dummy"]);
    assert_eq!(output.status.code(), Some(4), "it asks something");
    world.ok(&["restart", "dummy", "--now"]);
}

#[test]
fn all_in_the_background_are_restarted_and_one_that_cannot_be_holds_no_other() {
    let world = World::new();
    let nobody = world.run(&["restart"]);
    assert_eq!(nobody.status.code(), Some(2));
    let said = String::from_utf8_lossy(&nobody.stderr);
    assert!(said.contains("synapse restart --all"), "{said}");
    for name in ["ada", "bob", "eve"] {
        world.ok(&["start", "dummy", "--name", name, "--port", "0"]);
    }
    let pid = |name: &str| {
        let list = world.json(&["list", "--json"]);
        let mut agents = list["agents"].as_array().unwrap().iter();
        let pid = agents.find(|agent| agent["handle"] == name).unwrap()["pid"].as_u64();
        pid.unwrap()
    };
    let before = ["ada", "bob", "eve"].map(pid);
    world.run(&["send", "bob", "ask:yn Really?", "--return"]);
    let all = world.run(&["restart", "--all"]);
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    assert!(!all.status.success() && said.contains("bob"), "{said}");
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(pid);
    assert_eq!(bob, before[1], "it asks something");
    assert!(ada != before[0] && eve != before[2]);
}

#[test]
fn a_conversation_is_continued_by_its_name() {
    let world = World::new();
    let file = teller(&world);
    let output = world.run(&["start", &file, "--port", "0", "--resume"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no conversation of teller"), "{said}");
    let output = world.run(&["start", &file, "--port", "0", "--resume=--all"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("'--all' is no name of a conversation"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(2));
    world.ok(&[
        "start", &file, "--port", "0", "--resume", "talk-1", "--", "-v",
    ]);
    let shown = |world: &World| {
        world
            .ok(&["screen", "teller"])
            .contains("started with: --continue talk-1 -v")
    };
    world.wait_until("it was told", shown);
    // It is known from then on.
    let said = world.ok(&["restart", "teller"]);
    assert!(
        said.starts_with("teller is back with its conversation (talk-1)"),
        "{said}"
    );
    world.wait_until("it was told again", shown);
    world.ok(&["stop", "teller"]);
    world.ok(&["start", &file, "--port", "0", "--resume", "--", "-v"]);
    world.wait_until("it was told once more", shown);
    let said = world.ok(&["restart", "teller", "--fresh"]);
    assert!(
        said.starts_with("teller is back, with a new conversation"),
        "{said}"
    );
}

#[test]
fn messages_that_nobody_had_begun_are_offered_and_not_sent() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    world.ok(&["send", "dummy", "say:still wanted"]);
    crash(&world);
    let output = world.run(&["up"]);
    let told = String::from_utf8(output.stderr).unwrap();
    let offered = told.lines().find(|line| line.contains("not begun"));
    let offered = offered.unwrap_or_else(|| panic!("nothing is offered: {told}"));
    assert!(
        offered.contains("say:still wanted") && !told.contains("slow:60"),
        "{told}"
    );
    let id = offered.rsplit(' ').next().unwrap();
    assert_eq!(
        world.json(&["tasks", "--json"])["tasks"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let said = world.ok(&["send", "dummy", "--again", id, "--return"]);
    assert_eq!(said, "still wanted\n");
}

/// A profile whose program keeps its conversations as Claude Code does, and two of them in this folder.
fn rememberer(world: &World) -> String {
    let home = world.home.path().canonicalize().unwrap();
    let folder = home.join("claude/projects/-here");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, words, age) in [("older", "fix the cart", 100), ("newer", "add a test", 10)] {
        let line = serde_json::json!({
            "type": "user", "cwd": home, "uuid": "u", "message": { "role": "user", "content": words },
        });
        let path = folder.join(format!("{name}.jsonl"));
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let at = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(at).unwrap();
    }
    let file = world.home.path().join("rememberer.yaml");
    let place = home.join("claude");
    let text = format!(
        "{TELLER}record: claude\nhooks: false\nenv: {{CLAUDE_CONFIG_DIR: {}}}\n",
        place.display()
    );
    std::fs::write(&file, text.replace("name: teller", "name: rememberer")).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn older_conversations_of_the_folder_are_listed_and_continued() {
    let world = World::new();
    let profile = rememberer(&world);
    let past = world.json(&["conversations", &profile, "--json"])["conversations"].clone();
    assert_eq!(past[0]["id"], "newer");
    assert_eq!(past[1]["begins"], "fix the cart");
    let listed = world.ok(&["conversations", &profile]);
    let first: Vec<&str> = listed.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(
        (first[0], &first[2..]),
        ("newer", &["add", "a", "test"][..])
    );
    let elsewhere = world.home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let none = world.json(&[
        "conversations",
        &profile,
        "--json",
        "--cwd",
        elsewhere.to_str().unwrap(),
    ]);
    assert_eq!(none["conversations"], serde_json::json!([]));
    // Without a terminal it is the last one.
    world.ok(&["start", &profile, "--port", "0", "--resume"]);
    world.wait_until("it says how it was started", |world| {
        world
            .ok(&["screen", "rememberer"])
            .contains("started with: --continue newer")
    });
}

#[test]
fn a_person_at_a_terminal_chooses_the_conversation() {
    let world = World::new();
    let profile = rememberer(&world);
    let mut terminal = Terminal::open(&world, &["start", &profile, "--port", "0", "--resume"]);
    let shown = terminal.wait_for("which one? 1 to 2, Enter for the first:");
    assert!(
        shown.contains('1') && shown.contains("fix the cart"),
        "{shown}"
    );
    terminal.press("7\r");
    terminal.press("2\r");
    terminal.wait_for("rememberer (PID");
    terminal.end();
    world.wait_until("it says how it was started", |world| {
        world
            .ok(&["screen", "rememberer"])
            .contains("started with: --continue older")
    });
}
