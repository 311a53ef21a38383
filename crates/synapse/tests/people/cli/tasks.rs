//! `synapse tasks` and `synapse task`, as people read them.

use crate::world::World;
use crate::world::terminal::Terminal;

#[test]
fn a_list_fits_the_terminal_and_its_ids_can_be_typed() {
    let world = World::with_dummy();
    let long = format!("say:{}", "word ".repeat(60));
    world.ok(&["send", "dummy", &long, "--return"]);
    let mut terminal = Terminal::open(&world, &["tasks"]);
    let shown = terminal.wait_for("completed");
    terminal.end();
    let line = shown.lines().find(|line| line.contains("completed"));
    let line = line.unwrap_or_else(|| panic!("no task in {shown}"));
    assert!(shown.contains("ID") && shown.contains("AGE") && shown.contains("FROM"));
    let id = line.split_whitespace().next().unwrap();
    assert_eq!(id.len(), 8, "{line}");
    assert!(world.ok(&["task", id]).contains("completed"));
    assert!(line.trim_end().ends_with('…'), "{line}");
}

#[test]
fn the_newest_are_listed_and_none_is_said() {
    let world = World::with_dummy();
    let output = world.run(&["tasks"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty());
    assert!(said.contains("no tasks yet: synapse send"), "{said}");
    assert_eq!(world.run(&["tasks", "-n", "0"]).status.code(), Some(2));
    for word in ["one", "two", "three"] {
        world.ok(&["send", "dummy", &format!("say:{word}"), "--return"]);
    }
    let listed = world.ok(&["tasks", "-n", "2"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].ends_with("say:three") && lines[1].ends_with("say:two"));
}

#[test]
fn a_store_that_cannot_be_read_is_told_once() {
    let world = World::new();
    let mut tasks = world.command(&["tasks"]);
    let output = tasks.env("SYNAPSE_HOME", "/dev/null").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_task_is_followed_to_its_end_past_its_questions() {
    let world = World::with_dummy();
    let id = world.ok(&["send", "dummy", "ask:yn Really?"]);
    let follow = world
        .command(&["task", id.trim(), "--follow"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_until("it asks", |world| world.state("dummy") == "INPUT_REQUIRED");
    let shown = world.run(&["task", id.trim()]);
    let shown = String::from_utf8([shown.stdout, shown.stderr].concat()).unwrap();
    world.ok(&["answer", "dummy", "yes"]);
    let output = follow.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "ok: yes\n");
    for part in ["dummy asks something", "dummy completed"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    for said in [told, shown] {
        for part in [
            "Really?",
            "\n  y\n",
            "answer it with: synapse answer dummy <option>",
        ] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }
}

#[test]
fn words_are_joined_and_times_have_units() {
    let world = World::with_dummy();
    let said = world.ok(&[
        "send",
        "dummy",
        "say:hello",
        "there",
        "--return",
        "--timeout",
        "1m",
    ]);
    assert_eq!(said, "hello there\n");
    let output = world.run(&["send", "dummy", "slow:30", "--return", "--timeout", "0.2"]);
    assert_eq!(output.status.code(), Some(5));
    let output = world.run(&["send", "dummy", "hello", "--timeout", "soon"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("'soon' is no time: give seconds, or 500ms"),
        "{said}"
    );
}

#[test]
fn commands_that_do_something_print_json_too() {
    let world = World::new();
    let started = world.json(&["start", "dummy", "--port", "0", "--json"]);
    assert_eq!(started["handle"], "dummy");
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    assert_eq!(
        world.json(&["answer", "dummy", "yes", "--json"])["status"],
        "IDLE"
    );
    let id = world.ok(&["send", "dummy", "slow:30"]);
    let canceled = world.json(&["cancel", id.trim(), "--json"]);
    assert_eq!(canceled["task"]["id"], id.trim());
    assert_eq!(
        world.json(&["status", "--json"])["agents"][0]["handle"],
        "dummy"
    );
    assert_eq!(
        world.json(&["stop", "dummy", "--json"])["stopped"][0],
        "dummy"
    );
}

#[test]
fn a_shell_is_offered_agents_tasks_and_answers() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    let offered = |words: &[&str]| {
        let last = words.len().to_string();
        let mut line = vec!["--", "synapse"];
        line.extend(words);
        let mut command = world.command(&line);
        command
            .env("COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", last);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(offered(&["send", "d"]).lines().any(|word| word == "dummy"));
    assert!(
        offered(&["answer", "dummy", ""])
            .lines()
            .any(|word| word == "2")
    );
    assert!(
        offered(&["start", "cl"])
            .lines()
            .any(|word| word == "claude")
    );
    let id = world.json(&["tasks", "--json"])["tasks"][0]["id"].clone();
    let tasks = offered(&["task", ""]);
    assert!(
        tasks
            .lines()
            .any(|word| id.as_str().unwrap().ends_with(word)),
        "{tasks}"
    );
    let task = id.as_str().unwrap();
    let is_offered = |offered: &str| offered.lines().any(|word| task.ends_with(word));
    assert!(is_offered(&offered(&["cancel", ""])));
    world.ok(&["cancel", task]);
    assert!(!is_offered(&offered(&["cancel", ""])), "it is over");
    assert!(is_offered(&offered(&["task", ""])));
    assert!(
        !offered(&[""]).contains("hook-event"),
        "hidden commands are hidden"
    );
    std::fs::write(world.home.path().join("mine.yaml"), "name: mine\n").unwrap();
    for (words, word) in [
        (&["cod"][..], "codex"),
        (&["doctor", "d"], "dummy"),
        (&["replies", "d"], "dummy"),
        (&["send", "@d"], "@dummy"),
        (&["task", task.get(..12).unwrap()], task),
        (&["profile", "check", "mi"], "mine.yaml"),
        (&["start", "./mi"], "./mine.yaml"),
        (&["help", "exi"], "exit-codes"),
        (&["help", "profile", "ch"], "check"),
        (&["interrupt", "dummy", "--key", "C"], "C-c"),
        (&["flow", "run", "rev"], "review"),
    ] {
        let offered = offered(words);
        assert!(
            offered.lines().any(|one| one == word),
            "{words:?}: {offered}"
        );
    }
}
