//! `synapse start --foreground`, and `synapse attach` with keys of one's own.

use std::process::Command;

use synapse_pty::Exit;

use crate::world::World;
use crate::world::terminal::Terminal;

#[test]
fn an_agent_in_the_background_holds_nothing_of_who_started_it() {
    let world = World::new();
    let home = world.home.path();
    std::fs::write(home.join("lock"), "").unwrap();
    let below_lock = |command: &str| {
        let script = format!("exec 9<lock; flock --nonblock 9 && {command}");
        let mut bash = Command::new("bash");
        bash.args(["-c", &script]).current_dir(home);
        bash.env("synapse", assert_cmd::cargo::cargo_bin!("synapse"))
            .env("SYNAPSE_HOME", home.join("synapse"))
            .env("A2A_HOME", home.join("a2a"));
        bash.output().unwrap()
    };
    let started = below_lock("\"$synapse\" start dummy --port 0");
    assert!(started.status.success(), "{started:?}");
    let again = below_lock("echo free");
    assert_eq!(String::from_utf8_lossy(&again.stdout), "free\n");
    assert_eq!(world.state("dummy"), "IDLE");
}

#[test]
fn in_the_foreground_it_says_where_it_is_and_ctrl_c_ends_it() {
    let world = World::new();
    let script = r#"before=$(stty -g); "$synapse" start dummy --port 0 --foreground; echo "code=$?"; test "$(stty -g)" = "$before" && echo it is as it was"#;
    let mut terminal = Terminal::bash(&world, script);
    let shown = terminal.wait_for("http://127.0.0.1:");
    assert!(shown.contains("dummy (PID "), "{shown}");
    assert!(shown.contains("agent started"), "its log is told: {shown}");
    assert_eq!(
        world.ok(&["send", "dummy", "say:hello", "--return"]),
        "hello\n"
    );
    assert!(world.ok(&["logs", "dummy"]).contains("agent started"));
    terminal.press("\x03");
    terminal.wait_for("code=130");
    terminal.wait_for("it is as it was");
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn in_the_foreground_its_end_is_ours() {
    let world = World::new();
    let mut terminal = Terminal::open(&world, &["start", "dummy", "--port", "0", "--foreground"]);
    terminal.wait_for("http://127.0.0.1:");
    world.ok(&["send", "dummy", "exit:7"]);
    assert_eq!(terminal.end().0, Exit::Code(7));
}

#[test]
fn what_cannot_start_in_the_foreground_says_why() {
    let world = World::new();
    let profile = world.home.path().join("nothing.yaml");
    let text = "name: nothing\ncommand: no-such-program\ninstall: make it\n";
    std::fs::write(&profile, text).unwrap();
    let output = world.run(&["start", profile.to_str().unwrap(), "--foreground"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = "no-such-program: command not found; to install it: make it";
    assert!(error.contains(told), "{error}");
    let output = world.run(&["send", "claude", "hello"]);
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("; start it: synapse start claude"),
        "{error}"
    );
}

#[test]
fn what_is_not_there_is_named_with_the_way_to_go() {
    let world = World::new();
    let error = |arguments: &[&str]| {
        let output = world.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = error(&["start", "no-such-program"]);
    assert!(said.contains("synapse start -- PROGRAM"), "{said}");
    let said = error(&["no-such-program"]);
    assert!(said.contains("synapse profile list"), "{said}");
    let said = error(&["start", "--cwd", "/nope", "--", "cat"]);
    assert!(
        said.contains("the working directory /nope cannot be used: No such"),
        "{said}"
    );
    let said = error(&["stop"]);
    assert!(said.contains("synapse stop --all"), "{said}");
}

#[test]
fn a_second_agent_is_not_told_the_first_ones_log() {
    let world = World::with_dummy();
    world.ok(&["start", "dummy", "--port", "0", "--name", "other"]);
    let log = world.ok(&["logs", "other"]);
    assert!(
        log.contains("other") && !log.contains("handle=\"dummy\""),
        "{log}"
    );
}

#[test]
fn attach_detaches_with_the_keys_one_chose() {
    let world = World::with_dummy();
    let args = ["attach", "dummy", "--detach-keys", "ctrl-p,q"];
    let mut terminal = Terminal::open(&world, &args);
    terminal.wait_for("dummy>");
    terminal.press("say:a\x1dd\r");
    terminal.wait_until("the usual keys are only keys", |text| {
        text.lines()
            .filter(|line| line.starts_with("dummy>"))
            .count()
            == 2
    });
    terminal.press("\x10q");
    let (exit, painted) = terminal.end();
    assert_eq!(exit, Exit::Code(0));
    assert!(
        painted.contains("dummy is detached; it runs on"),
        "{painted}"
    );
    assert_eq!(world.state("dummy"), "IDLE");
    let refused = world.run(&["attach", "dummy", "--detach-keys", "f1"]);
    assert_eq!(refused.status.code(), Some(2));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("ctrl-],d"), "{error}");
}

#[test]
fn an_attached_terminal_is_given_back_on_a_signal() {
    let world = World::with_dummy();
    let script = r#"before=$(stty -g); "$synapse" attach dummy; test "$(stty -g)" = "$before" && echo it is as it was"#;
    let mut terminal = Terminal::bash(&world, script);
    terminal.wait_for("dummy>");
    let shell = terminal.pid();
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"));
    Command::new("kill")
        .args(["-TERM", children.unwrap().trim()])
        .status()
        .unwrap();
    terminal.wait_for("it is as it was");
    assert_eq!(world.state("dummy"), "IDLE");
}

#[test]
fn the_exit_code_of_a_program_that_ends_at_once_is_ours() {
    let world = World::new();
    let profile = world.home.path().join("short.yaml");
    for code in [0, 7] {
        let text = format!("name: short\ncommand: [sh, -c, 'echo words; exit {code}']\n");
        std::fs::write(&profile, text).unwrap();
        let (exit, painted) =
            Terminal::open(&world, &[profile.to_str().unwrap(), "--port", "0"]).end();
        assert_eq!(exit.code(), code, "{painted}");
        assert!(painted.contains("words"), "{painted}");
    }
}

#[test]
fn a_command_with_a_slip_is_a_usage_error_that_names_the_right_one() {
    let world = World::new();
    for (slip, meant) in [
        ("lsit", "list"),
        ("stauts", "status"),
        ("statuss codex", "status codex"),
        ("star dummy --json", "start dummy --json"),
    ] {
        let output = world.run(&slip.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error
                .trim_end()
                .ends_with(&format!("did you mean: synapse {meant}")),
            "{error}"
        );
    }
    let nothing_like_it = world.run(&["nosuch", "dummy"]);
    let error = String::from_utf8_lossy(&nothing_like_it.stderr);
    assert_eq!(nothing_like_it.status.code(), Some(2), "{error}");
    assert!(
        error.contains("synapse profile list") && !error.contains("did you mean"),
        "{error}"
    );
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let world = World::with_dummy();
    for command in ["completions bash", "man", "list --json", "profile list"] {
        let script = format!("set -o pipefail; $synapse {command} | true");
        let mut shell = Command::new("bash");
        let synapse = world.command(&[]);
        shell
            .args(["-c", &script])
            .env("synapse", synapse.get_program());
        shell.envs(
            synapse
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let output = shell.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && error.is_empty(),
            "{command}: {error}"
        );
    }
}

#[test]
fn a_tool_server_that_a_program_cannot_take_is_refused_before_the_start() {
    let world = World::new();
    let refused = world.run(&["start", "dummy", "--mcp", "--port", "0"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{told}");
    assert!(told.contains("takes no MCP servers by argument"), "{told}");
    let (exit, painted) = Terminal::open(&world, &["dummy", "--mcp", "--port", "0"]).end();
    assert_ne!(exit.code(), 0, "{painted}");
    assert!(
        painted.contains("takes no MCP servers by argument"),
        "{painted}"
    );
    let agents = world.json(&["list", "--json"])["agents"].clone();
    assert_eq!(agents, serde_json::json!([]));
}

/// What a program started so is told of the colours of its terminal, where the person's own terminal says nothing.
const COLOURS: [&str; 5] = [
    "--",
    "sh",
    "-c",
    "echo \"colours: [$COLORTERM]\"; cat",
    "sh",
];

#[test]
fn a_program_in_the_background_is_told_the_colours_that_we_show() {
    let world = World::new();
    let args = [&["start", "--port", "0", "--name", "told"], &COLOURS[..]].concat();
    let started = world.command(&args).env_remove("COLORTERM").output();
    assert!(started.unwrap().status.success());
    world.wait_until("it says what it was told", |world| {
        world
            .ok(&["screen", "told"])
            .contains("colours: [truecolor]")
    });
}

#[test]
fn a_program_in_a_persons_terminal_is_told_the_colours_of_that_terminal() {
    let world = World::new();
    let synapse = world.command(&[]).get_program().to_owned();
    let words = ["env", "-u", "COLORTERM", synapse.to_str().unwrap()];
    let script = [&words[..], &COLOURS].concat();
    let script: Vec<String> = script.iter().map(|word| format!("'{word}'")).collect();
    let mut terminal = Terminal::bash(&world, &script.join(" "));
    terminal.wait_for("colours: []");
    terminal.press("\x04");
    terminal.end();
}

#[test]
fn a_profile_has_the_last_word_on_the_colours_of_its_program() {
    let world = World::new();
    let file = world.home.path().join("plain.yaml");
    let text = "name: plain\ncommand: [sh, -c, 'echo \"colours: [$COLORTERM]\"; cat']\nenv: {COLORTERM: none}\n";
    std::fs::write(&file, text).unwrap();
    world.ok(&["start", file.to_str().unwrap(), "--port", "0"]);
    world.wait_until("it says what it was told", |world| {
        world.ok(&["screen", "plain"]).contains("colours: [none]")
    });
}
