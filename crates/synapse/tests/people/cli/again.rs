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

#[test]
fn messages_are_offered_however_the_agent_was_stopped_but_not_those_that_somebody_canceled() {
    for way in ["stop --all", "a shutdown", "restart --now"] {
        let world = World::with_dummy();
        world.ok(&["send", "dummy", "slow:60"]);
        world.wait_for_state("dummy", "BUSY");
        world.ok(&["send", "dummy", "say:still wanted"]);
        let id = world.ok(&["send", "dummy", "say:given up"]);
        world.ok(&["cancel", id.trim()]);
        let (told, code) = match way {
            "stop --all" => {
                world.ok(&["stop", "--all"]);
                told(&world, &["up"])
            }
            "a shutdown" => {
                end(&world, "-TERM");
                told(&world, &["up"])
            }
            _ => told(&world, &["restart", "dummy", "--now"]),
        };
        assert_eq!(code, Some(0), "{told}");
        let offered: Vec<&str> = told.lines().filter(|it| it.contains("not begun")).collect();
        assert!(
            offered.len() == 1 && offered[0].contains("say:still wanted"),
            "{way}: {told}"
        );
    }
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
fn a_profile_of_the_project_is_found_from_anywhere() {
    let world = World::new();
    let dir = folder(&world, "project");
    let profiles = folder(&world, "project/.synapse/profiles");
    let file = format!("{profiles}/ours.yaml");
    std::fs::write(&file, TELLER.replace("name: teller", "name: ours")).unwrap();
    world.ok(&["profile", "trust", &file]);
    let start = ["start", "ours", "--port", "0", "--resume=talk-1"];
    let started = world.command(&start).current_dir(&dir).output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let said = world.ok(&["restart", "ours"]);
    assert!(
        said.starts_with("ours is back with its conversation (talk-1)"),
        "{said}"
    );
    crash(&world);
    let said = world.ok(&["up"]);
    assert!(
        said.starts_with("ours is back with its conversation (talk-1)"),
        "{said}"
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
fn a_conversation_that_cannot_be_continued_is_not_said_to_be() {
    let world = World::new();
    let flag = world.home.path().join("lost");
    let profile = format!(
        "name: loser
command: sh
args: [-c, 'if [ \"$1\" = --continue ] && [ -e {} ]; then exit 1; fi; echo ready; exec cat', loser]
resume: [--continue, '{{session}}']
",
        flag.display()
    );
    let file = world.home.path().join("loser.yaml");
    std::fs::write(&file, profile).unwrap();
    let start = ["start", file.to_str().unwrap(), "--port", "0"];
    world.ok(&[&start[..], &["--resume=talk-1"]].concat());
    world.ok(&["stop", "--all"]);
    let planned = world.json(&["up", "--dry-run", "--json"]);
    assert_eq!(planned["conversation"], "talk-1");
    let planned = world.ok(&["up", "--dry-run"]);
    assert!(
        planned.contains("with its conversation (talk-1)"),
        "{planned}"
    );
    std::fs::write(&flag, "").unwrap();
    let back = world.json(&["up", "--json"]);
    assert_eq!(back["conversation"], serde_json::Value::Null);
    let warning = back["warning"].as_str().unwrap();
    assert!(
        warning.contains("talk-1 could not be continued"),
        "{warning}"
    );
    world.ok(&["stop", "--all"]);
    let planned = world.ok(&["up", "--dry-run"]);
    assert!(planned.contains("with a new conversation"), "{planned}");
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

#[test]
fn the_last_conversation_is_that_of_the_latest_words_and_one_that_nobody_has_open() {
    let world = World::new();
    let profile = rememberer(&world);
    let start = |name: &str| {
        world.ok(&["start", &profile, "--port", "0", "--name", name, "--resume"]);
        world.wait_until("it says how it was started", |world| {
            world.ok(&["screen", name]).contains("started with:")
        });
        world.ok(&["screen", name])
    };
    // What is written down of a start says less than a file that was written to since.
    world.ok(&[
        "start",
        &profile,
        "--port",
        "0",
        "--name",
        "one",
        "--resume=older",
    ]);
    world.ok(&["stop", "one"]);
    let file = world.home.path().join("claude/projects/-here/newer.jsonl");
    let file = std::fs::File::options().write(true).open(file).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    file.set_modified(later).unwrap();
    let shown = start("two");
    assert!(shown.contains("--continue newer"), "{shown}");
    let shown = start("three");
    assert!(shown.contains("--continue older"), "{shown}");
    let args = [
        "start", &profile, "--port", "0", "--name", "four", "--resume",
    ];
    let (said, code) = told(&world, &args);
    assert!(
        code == Some(1) && said.contains("open in another agent"),
        "{said}"
    );
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
