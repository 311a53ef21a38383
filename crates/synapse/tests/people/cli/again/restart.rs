//! `synapse restart`.

use super::{folder, pid, teller, told};
use crate::world::World;
use crate::world::terminal::Terminal;

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
fn no_agent_is_ended_that_cannot_be_started_again() {
    let world = World::new();
    let dir = folder(&world, "project");
    let tool = world.home.path().join("tool.sh");
    let write_tool = || {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(&tool, "#!/bin/sh\necho ready; exec cat\n").unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o700)).unwrap();
    };
    write_tool();
    let profile = world.home.path().join("tool.yaml");
    let text = format!("name: tool\ncommand: {}\n", tool.display());
    std::fs::write(&profile, text).unwrap();
    let start = ["start", profile.to_str().unwrap(), "--port", "0"];
    world.ok(&[&start[..], &["--cwd", &dir]].concat());
    let before = pid(&world, "tool");
    let refuses = |why: &str| {
        let (said, code) = told(&world, &["restart", "tool"]);
        assert!(code == Some(1) && said.contains(why), "{said}");
        assert_eq!(pid(&world, "tool"), before, "it runs on");
    };
    std::fs::remove_dir(&dir).unwrap();
    refuses(&dir);
    folder(&world, "project");
    std::fs::remove_file(&tool).unwrap();
    refuses("command not found");
    let away = profile.with_extension("away");
    std::fs::rename(&profile, &away).unwrap();
    refuses("tool.yaml");
    std::fs::rename(&away, &profile).unwrap();
    write_tool();
    world.ok(&["restart", "tool"]);
}

#[test]
fn what_a_restart_could_not_start_is_brought_back_later() {
    let world = World::new();
    let script = world.home.path().join("lasting.sh");
    std::fs::write(&script, "echo '> '; exec cat").unwrap();
    let words = ["start", "--port", "0", "--name", "kept", "--", "bash"];
    world.ok(&[&words[..], &[script.to_str().unwrap()]].concat());
    let away = script.with_extension("away");
    std::fs::rename(&script, &away).unwrap();
    let (said, code) = told(&world, &["restart", "kept", "--now"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("the next `synapse up` tries it again"),
        "{said}"
    );
    std::fs::rename(&away, &script).unwrap();
    assert!(world.ok(&["up"]).starts_with("kept is back"));
}

#[test]
fn no_restart_ends_the_agent_that_it_runs_in() {
    let world = World::with_dummy();
    world.ok(&["start", "dummy", "--port", "0", "--name", "other"]);
    let before = ["dummy", "other"].map(|handle| pid(&world, handle));
    let id = world.entry_of("dummy")["agent_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let inside = |args: &[&str]| {
        let mut command = world.command(args);
        let output = command.env("SYNAPSE_AGENT_ID", &id).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (told, output.status.code())
    };
    let (said, code) = inside(&["restart", "dummy", "--now"]);
    assert!(
        code == Some(1) && said.contains("this command runs in"),
        "{said}"
    );
    let (said, code) = inside(&["restart", "--all", "--now"]);
    assert!(code == Some(0) && said.contains("left out"), "{said}");
    let after = ["dummy", "other"].map(|handle| pid(&world, handle));
    assert!(after[0] == before[0] && after[1] != before[1]);
}

#[test]
fn how_a_wrapped_agent_is_started_again_is_told_whole() {
    let world = World::new();
    let dir = folder(&world, "my project");
    let file = teller(&world);
    let words = ["--name", "mine", "--port", "0", "--cwd", &dir];
    let resumed = ["--resume=talk-1", "--", "-v", "it's"];
    let mut terminal = Terminal::open(&world, &[&[&*file][..], &words, &resumed].concat());
    terminal.wait_for("started with: --continue talk-1 -v it's");
    let (said, code) = told(&world, &["restart", "mine"]);
    let command = format!(
        "cd '{dir}' && synapse {file} --name mine --port 0 --resume=talk-1 -- -v 'it'\\''s'"
    );
    assert!(code == Some(1) && said.contains(&command), "{said}");
    let (said, code) = told(&world, &["restart", "--all"]);
    assert!(code == Some(0) && said.contains(&command), "{said}");
    world.ok(&["stop", "mine"]);
    terminal.end();
}

#[test]
fn one_that_asks_holds_no_other_that_is_named() {
    let world = World::new();
    for name in ["ada", "bob", "eve"] {
        world.ok(&["start", "dummy", "--name", name, "--port", "0"]);
    }
    let before = ["ada", "bob", "eve"].map(|name| pid(&world, name));
    world.run(&["send", "bob", "ask:yn Really?", "--return"]);
    let (said, code) = told(&world, &["restart", "bob", "ada", "eve", "ada"]);
    assert!(code == Some(4) && said.contains("bob asks"), "{said}");
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(|name| pid(&world, name));
    assert!(ada != before[0] && bob == before[1] && eve != before[2]);
}
