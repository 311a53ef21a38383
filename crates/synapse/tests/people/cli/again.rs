//! `synapse up`, and what it shares with `restart` and `start --resume`.

mod conversations;
mod messages;
mod restart;
mod store;

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
    end(world, "-KILL");
}

/// Ends the only agent by a signal to its host.
fn end(world: &World, signal: &str) {
    let pid = world.entry()["pid"].to_string();
    let killed = std::process::Command::new("kill")
        .args([signal, &pid])
        .status();
    assert!(killed.unwrap().success());
    world.wait_until("its host is gone", |_| is_gone(&pid));
}

/// What a command says on standard error, and its exit code.
fn told(world: &World, args: &[&str]) -> (String, Option<i32>) {
    let output = world.run(args);
    let told = String::from_utf8(output.stderr).unwrap();
    (told, output.status.code())
}

fn pid(world: &World, handle: &str) -> u64 {
    world.entry_of(handle)["pid"].as_u64().unwrap()
}

/// Makes a folder in the home of this world.
fn folder(world: &World, name: &str) -> String {
    let folder = world.home.path().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    folder.to_str().unwrap().to_owned()
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
fn an_agent_whose_name_is_taken_comes_back_under_another_one() {
    let world = World::new();
    let [here, there] = ["here", "there"].map(|name| folder(&world, name));
    world.ok(&["start", "dummy", "--port", "0", "--cwd", &here]);
    world.ok(&["send", "dummy", "slow:60"]);
    world.wait_for_state("dummy", "BUSY");
    world.ok(&["send", "dummy", "say:still wanted"]);
    world.ok(&["stop", "--all"]);
    world.ok(&["start", "dummy", "--port", "0", "--cwd", &there]);
    let planned = world.json(&["up", "--dry-run", "--json"]);
    assert_eq!(
        (&planned["handle"], &planned["was"]),
        (&"dummy-2".into(), &"dummy".into())
    );
    let output = world.run(&["up"]);
    let (said, told) = (output.stdout, output.stderr);
    let [said, told] = [said, told].map(|text| String::from_utf8(text).unwrap());
    assert!(said.starts_with("dummy-2 is back"), "{said}");
    assert!(told.contains("it was dummy"), "{told}");
    assert!(told.contains("synapse send dummy-2 --again"), "{told}");
    assert_eq!(world.entry_of("dummy-2")["working_dir"], here.as_str());
    assert_eq!(world.entry_of("dummy")["working_dir"], there.as_str());
    assert_eq!(world.ok(&["up", "--json"]), "", "it is brought back once");
}

#[test]
fn the_name_of_an_agent_that_runs_means_no_other_one_that_waits() {
    let world = World::new();
    let [here, there] = ["here", "there"].map(|name| folder(&world, name));
    world.ok(&["start", "dummy", "--port", "0", "--cwd", &here]);
    crash(&world);
    std::fs::remove_dir(&here).unwrap();
    world.ok(&["start", "dummy", "--port", "0", "--cwd", &there]);
    let (said, code) = told(&world, &["up"]);
    assert_eq!(code, Some(1), "{said}");
    let way_out = said
        .lines()
        .find_map(|line| line.split("synapse stop ").nth(1));
    let way_out = way_out.unwrap_or_else(|| panic!("{said}"));
    assert_ne!(way_out, "dummy");
    assert_eq!(
        world.json(&["stop", way_out, "--json"])["forgotten"][0],
        "dummy"
    );
    assert_eq!(world.ok(&["up", "--json"]), "");
    assert_eq!(
        world.json(&["stop", "dummy", "--json"])["stopped"][0],
        "dummy"
    );
}

#[test]
fn two_that_bring_agents_back_at_once_do_not_get_in_each_others_way() {
    let world = World::new();
    for name in ["ada", "bob", "eve"] {
        world.ok(&["start", "dummy", "--port", "0", "--name", name]);
    }
    world.ok(&["stop", "--all"]);
    let begun = [(); 3].map(|()| {
        let mut up = world.command(&["up"]);
        up.stdout(std::process::Stdio::piped());
        up.stderr(std::process::Stdio::piped()).spawn().unwrap()
    });
    let mut back = String::new();
    for up in begun {
        let output = up.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        back += &String::from_utf8(output.stdout).unwrap();
    }
    assert_eq!(back.lines().count(), 3, "{back}");
    let listed = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 3);
}

#[test]
fn what_would_fail_is_said_before_it_is_tried() {
    let world = World::new();
    let dir = folder(&world, "project");
    world.ok(&["start", "dummy", "--port", "0", "--cwd", &dir]);
    crash(&world);
    std::fs::remove_dir(&dir).unwrap();
    let output = world.run(&["up", "--dry-run", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let planned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        planned["error"].as_str().unwrap().contains(&dir),
        "{planned}"
    );
    let (said, code) = told(&world, &["up", "--dry-run"]);
    assert!(code == Some(1) && said.contains(&dir), "{said}");
}

#[test]
fn settings_that_cannot_be_read_are_said_before_an_agent_is_ended_or_tried() {
    let world = World::with_dummy();
    let before = pid(&world, "dummy");
    world.configure("agents: {codex: [");
    let (said, code) = told(&world, &["restart", "dummy"]);
    assert!(code == Some(1) && said.contains("config.yaml"), "{said}");
    assert_eq!(pid(&world, "dummy"), before, "it runs on");
    crash(&world);
    let (said, code) = told(&world, &["up", "--dry-run"]);
    assert!(code == Some(1) && said.contains("config.yaml"), "{said}");
}

#[test]
fn a_record_that_cannot_be_read_is_named() {
    let world = World::new();
    for name in ["one", "two"] {
        world.ok(&["start", "dummy", "--port", "0", "--name", name]);
    }
    world.ok(&["stop", "one"]);
    world.ok(&["stop", "--all"]);
    let file = "broken.json";
    std::fs::write(world.home.path().join("synapse/agents").join(file), "{").unwrap();
    for args in [&["up", "--dry-run"][..], &["up"]] {
        let (said, code) = told(&world, args);
        assert!(
            said.contains(file) && said.contains("cannot be read"),
            "{said}"
        );
        assert_eq!(code, Some(1), "{args:?}");
    }
    let checked = String::from_utf8(world.run(&["doctor"]).stdout).unwrap();
    assert!(checked.contains(file), "{checked}");
    assert_eq!(world.entry()["handle"], "two");
}
