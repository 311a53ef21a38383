//! Programs that speak through hooks and transcripts: whom Synapse believes, and what it answers.

use std::os::unix::fs::PermissionsExt as _;

use crate::world::World;
use crate::world::terminal::Terminal;
use serde_json::Value;

/// A program that takes hooks as Claude Code does. Its screen is that of a line program, and what it prints there is
/// never what it tells through its hooks.
const TOY: &str = r#"#!/bin/bash
# claude --settings JSON
hook=$(printf %s "$2" | sed 's/.*"command":"\([^"]*\)".*/\1/')
tell() { printf '{"session_id":"s","hook_event_name":"%s"%s}' "$1" "$2" | eval "$hook"; }
tell SessionStart
printf '> '
while IFS= read -r line; do
  word=${line%% *} rest=${line#* }
  tell UserPromptSubmit ",\"prompt\":\"$line\""
  case $word in
  reply)
    echo "painted, not said"
    tell Stop ",\"last_assistant_message\":\"$rest\"" ;;
  slow) # looks idle until a file is there
    printf 'painted\n> '
    until [ -e "$rest" ]; do sleep 0.1; ((n++ % 30)) || printf '\rtick %s\n> ' "$n"; done
    tell Stop ",\"last_assistant_message\":\"slow done\""
    continue ;;
  ask)
    call=",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$rest\"},\"tool_use_id\":\"t\""
    tell PreToolUse "$call"
    answer=$(tell PermissionRequest "$call" | tr -d '"')
    tell PostToolUse "$call"
    tell Stop ",\"last_assistant_message\":\"$answer\"" ;;
  edit) # one call that goes well and changes a file, one that fails
    call=",\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"/w/x.txt\",\"old_string\":\"b\",\"new_string\":\"B\"},\"tool_use_id\":\"e\""
    tell PreToolUse "$call"
    tell PostToolUse "$call,\"duration_ms\":30,\"tool_response\":{\"filePath\":\"/w/x.txt\",\"structuredPatch\":[{\"oldStart\":1,\"oldLines\":1,\"newStart\":1,\"newLines\":1,\"lines\":[\"-b\",\"+B\"]}]}"
    call=",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"false\"},\"tool_use_id\":\"f\""
    tell PreToolUse "$call"
    tell PostToolUseFailure "$call"
    tell Stop ",\"last_assistant_message\":\"done\"" ;;
  work) # a call that lasts until a file is there
    call=",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"make all\"},\"tool_use_id\":\"w\""
    tell PreToolUse "$call"
    until [ -e "$rest" ]; do sleep 0.05; done
    tell PostToolUse "$call"
    tell Stop ",\"last_assistant_message\":\"built\"" ;;
  survey)
    call=",\"tool_name\":\"AskUserQuestion\",\"tool_input\":{\"questions\":[{\"question\":\"Colour?\",\"options\":[{\"label\":\"Red\"},{\"label\":\"Blue\"}]},{\"question\":\"Size?\",\"options\":[]}]}"
    answer=$(tell PermissionRequest "$call" | tr -d '"')
    tell Stop ",\"last_assistant_message\":\"$answer\"" ;;
  lie) # a tool says that the turn is over, in every way there is
    tell PreToolUse ",\"tool_name\":\"Bash\",\"tool_use_id\":\"t\""
    (tell Interrupt
    tell UserPromptSubmit ",\"prompt\":\"$line\""
    tell StopFailure ",\"last_assistant_message\":\"FALSE\""
    tell PostToolUse ",\"tool_name\":\"Bash\",\"tool_use_id\":\"another\""
    tell Stop ",\"last_assistant_message\":\"FALSE\"")
    until [ -e "$rest" ]; do sleep 0.05; done
    tell PostToolUse ",\"tool_name\":\"Bash\",\"tool_use_id\":\"t\""
    tell Stop ",\"last_assistant_message\":\"true\"" ;;
  on) # a hook of the user's, of which nobody knows, makes it go on after its first reply
    tell Stop ",\"last_assistant_message\":\"first\""
    until [ -e "$rest" ]; do sleep 0.05; done
    tell Stop ",\"last_assistant_message\":\"second\"" ;;
  talk) # until it is stopped; then it clears what it said, tells it, and paints it again a good while later
    stty -echoctl
    trap 'printf "\r\033[K"; tell Interrupt; stopped=1' INT
    printf 'half of it'
    until [ "$stopped" ]; do sleep 0.05; done
    until [ -e "$rest" ]; do sleep 0.05; done
    printf 'half of it\n' ;;
  esac
  printf '> '
done
"#;

/// A world with the toy in it, under the name `toy`.
fn world_with_toy(more: &str) -> World {
    let world = World::new();
    start_toy(&world, more);
    world
}

fn start_toy(world: &World, more: &str) {
    let program = world.home.path().join("claude");
    std::fs::write(&program, TOY).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    let yaml = format!(
        "name: toy\ncommand: ['{program}']\nprompt_template: '{{text}}'\nidle_regex: '^> $'\n{more}"
    );
    world.start_profile("toy", &yaml);
    world.wait_for_state("toy", "IDLE");
}

fn send(world: &World, message: &str) -> Value {
    let output = world.run(&["send", "toy", message, "--return", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn post(world: &World, message: &str) -> String {
    world.ok(&["send", "toy", message]).trim().to_owned()
}

fn task(world: &World, id: &str) -> Value {
    let tasks = world.json(&["tasks", "toy", "--json"]);
    let tasks = tasks["tasks"].as_array().unwrap();
    tasks.iter().find(|task| task["id"] == id).unwrap().clone()
}

fn wait_for_end(world: &World, id: &str) -> Value {
    let is_over = |world: &World| {
        let state = task(world, id)["status"]["state"].clone();
        state == "completed" || state == "failed"
    };
    world.wait_until("the task is over", is_over);
    task(world, id)
}

#[test]
fn the_reply_is_what_the_program_says_not_what_it_paints() {
    let world = world_with_toy("");
    let sent = send(&world, "reply word for word");
    assert_eq!(sent["reply"], "word for word");
    assert_eq!(sent["source"], "hook");
    let all = world.json(&["tasks", "toy", "--json"]);
    assert_eq!(
        all["tasks"].as_array().unwrap().len(),
        1,
        "a message stands once"
    );
}

#[test]
fn a_program_that_says_it_works_is_not_idle_whatever_its_screen_shows() {
    let world = world_with_toy("");
    let first = post(&world, "slow go");
    world.wait_for_state("toy", "BUSY");
    let behind = post(&world, "reply after it");
    // Longer than a disagreement may last before it is told.
    world.wait_until("the contradiction is told", |world| {
        let why = world.ok(&["status", "toy", "--why"]);
        why.contains("contradictions ") && why.contains("hook           working")
    });
    assert_eq!(world.state("toy"), "BUSY");
    assert_eq!(
        task(&world, &behind)["status"]["state"],
        "submitted",
        "it waits for its turn"
    );
    let (_, metrics) = world.raw_call("GET", "/metrics", "", &Value::Null);
    assert!(
        !metrics.contains("synapse_contradictions_total 0"),
        "{metrics}"
    );
    std::fs::write(world.home.path().join("go"), "").unwrap();
    assert_eq!(wait_for_end(&world, &first)["reply"], "slow done");
    assert_eq!(wait_for_end(&world, &behind)["reply"], "after it");
}

#[test]
fn a_permission_is_answered_through_the_hook_that_asked() {
    let world = world_with_toy("");
    for (answer, expected) in [
        ("yes", "behavior:allow"),
        ("no", "behavior:deny,interrupt:true"),
        (
            "no: use the other one",
            "interrupt:false,message:use the other one",
        ),
    ] {
        let id = post(&world, "ask rm -rf build");
        world.wait_for_state("toy", "INPUT_REQUIRED");
        let prompt = world.json(&["status", "toy", "--json"])["prompt"].clone();
        assert_eq!(prompt["kind"], "permission");
        assert_eq!(prompt["call"]["tool"], "Bash");
        assert_eq!(prompt["call"]["input"], "rm -rf build");
        assert_eq!(prompt["call"]["is_complete"], true);
        world.ok(&["answer", "toy", answer]);
        let reply = wait_for_end(&world, &id)["reply"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(reply.contains(expected), "{answer}: {reply}");
    }
}

#[test]
fn every_question_of_a_survey_is_asked_and_answered_in_its_own_words() {
    let world = world_with_toy("");
    let id = post(&world, "survey x");
    world.wait_for_state("toy", "INPUT_REQUIRED");
    world.ok(&["answer", "toy", "Blue"]);
    world.wait_until("the second question is asked", |world| {
        world.json(&["status", "toy", "--json"])["prompt"]["question"] == "Size?"
    });
    world.ok(&["answer", "toy", "as large as it gets"]);
    let reply = wait_for_end(&world, &id)["reply"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        reply.contains("answers:{Colour?:Blue,Size?:as large as it gets}"),
        "{reply}"
    );
}

#[test]
fn a_tool_cannot_end_the_turn_it_runs_in() {
    let world = world_with_toy("");
    let id = post(&world, "lie go");
    world.wait_until("the lies were heard", |world| {
        let log = world.ok(&["logs", "toy"]);
        log.matches("while a tool is at work").count() == 2
    });
    assert_eq!(task(&world, &id)["status"]["state"], "working");
    std::fs::write(world.home.path().join("go"), "").unwrap();
    assert_eq!(wait_for_end(&world, &id)["reply"], "true");
}

/// A plugin may bring such a hook.
#[test]
fn a_program_that_went_on_after_its_end_is_believed_only_with_its_screen() {
    let world = world_with_toy("");
    assert_eq!(
        send(&world, "on go")["reply"],
        "first",
        "nobody knows better"
    );
    std::fs::write(world.home.path().join("go"), "").unwrap();
    world.wait_until("it is noticed", |world| {
        let log = world.ok(&["logs", "toy"]);
        log.contains("from here on the screen must agree")
    });
    // Its hooks have said that it rests before its prompt is there, behind which the next message belongs.
    world.wait_until("its prompt is back", |world| {
        world.ok(&["screen", "toy"]).trim_end().ends_with('>')
    });
    world.wait_for_state("toy", "IDLE");
    assert_eq!(send(&world, "on go")["reply"], "second");
}

/// Codex takes its words off the screen for a moment when it is stopped, and its hook can be heard just then.
#[test]
fn a_stopped_program_that_clears_its_words_has_said_them_all_the_same() {
    let world = world_with_toy("");
    let id = post(&world, "talk go");
    world.wait_until("it speaks", |world| {
        world.ok(&["screen", "toy"]).contains("half of it")
    });
    world.run(&["interrupt", "toy"]);
    let stopped = wait_for_end(&world, &id);
    assert_eq!(
        stopped["status"]["error"]["code"], "INTERRUPTED",
        "{stopped}"
    );
    assert_eq!(stopped["reply"], "half of it", "{stopped}");
    std::fs::write(world.home.path().join("go"), "").unwrap();
    world.wait_for_state("toy", "IDLE");
}

#[test]
fn a_process_outside_the_program_is_not_heard() {
    let world = world_with_toy("");
    let folder = world.home.path().join("synapse/hooks");
    let socket = std::fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let said = r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}"#;
    let mut hook = world.command(&["hook-event", socket.to_str().unwrap()]);
    let mut hook = hook.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), said.as_bytes()).unwrap();
    assert!(
        hook.wait().unwrap().success(),
        "a hook does no harm, heard or not"
    );
    world.wait_until("it is told", |world| {
        world
            .ok(&["logs", "toy"])
            .contains("a stranger spoke to the hooks")
    });
    assert_eq!(world.state("toy"), "IDLE");
}

#[test]
fn without_hooks_the_screen_is_believed_and_says_so() {
    let world = world_with_toy("hooks: false\n");
    let sent = send(&world, "reply word for word");
    assert_eq!(
        (&sent["source"], &sent["state"]),
        (&Value::from("screen"), &Value::from("completed"))
    );
    assert!(
        world
            .ok(&["status", "toy", "--why"])
            .contains("hooks          not used")
    );
}

#[test]
fn hooks_that_the_users_settings_switch_off_are_not_promised() {
    let world = World::new();
    let settings = world.home.path().join(".claude");
    std::fs::create_dir(&settings).unwrap();
    std::fs::write(
        settings.join("settings.json"),
        r#"{"disableAllHooks":true}"#,
    )
    .unwrap();
    start_toy(&world, "");
    let log = world.ok(&["logs", "toy"]);
    assert!(
        log.contains("switches hooks off (disableAllHooks)"),
        "{log}"
    );
    let why = world.ok(&["status", "toy", "--why"]);
    assert!(why.contains("hooks          not used"), "{why}");
}

#[test]
fn a_hook_without_a_host_is_silent_and_harmless() {
    let world = World::new();
    let output = world.run(&["hook-event", "/no/such/socket"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}

#[test]
fn a_launch_that_dies_of_an_unknown_option_is_made_again_without_it() {
    let world = World::new();
    let program = world.home.path().join("claude");
    let script = "#!/bin/bash\nif [ \"$1\" = --settings ]; then echo \"error: unknown option '--settings'\"; exit 1; fi\n\
                  printf '> '; while read -r line; do echo \"you said $line\"; printf '> '; done\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let yaml = format!(
        "name: old\ncommand: ['{}']\nprompt_template: '{{text}}'\n",
        program.display()
    );
    let file = world.home.path().join("old.yaml");
    std::fs::write(&file, yaml).unwrap();
    let started = world.run(&[
        "start",
        file.to_str().unwrap(),
        "--name",
        "toy",
        "--port",
        "0",
    ]);
    let told = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(
        started.status.success() && told.contains("takes no hooks by argument"),
        "{told}"
    );
    world.wait_for_state("toy", "IDLE");
    assert_eq!(send(&world, "hello")["reply"], "you said hello");
}

#[test]
fn a_program_is_asked_once_what_it_knows_and_again_when_it_changes() {
    let world = World::new();
    let program = world.home.path().join("agent");
    let calls = world.home.path().join("agent.calls");
    let script = "#!/bin/bash\nif [ \"$1\" = --help ]; then echo asked >> \"$0.calls\"; echo '  --known'; exit; fi\n\
                  echo \"with $*\"; printf '> '; while read -r line; do printf '> '; done\n";
    let install = |script: &str| {
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let start = |name: &str, asked: usize| {
        let program = program.display();
        let yaml = format!(
            "name: {name}\ncommand: ['{program}']\nargs: ['--known', '--unknown']\nidle_regex: '^> $'\n"
        );
        world.start_profile(name, &yaml);
        world.wait_for_state(name, "IDLE");
        let shown = world.ok(&["screen", name]);
        assert!(shown.contains("with --known\n"), "{shown}");
        let calls = std::fs::read_to_string(&calls).unwrap();
        assert_eq!(calls.lines().count(), asked, "{name}");
    };
    install(script);
    start("first", 1);
    start("second", 1);
    std::fs::remove_file(&program).unwrap();
    install(&format!("{script}# another version\n"));
    start("third", 2);
}

#[test]
fn settings_of_a_project_that_are_a_pipe_do_not_hold_up_the_start() {
    let world = World::new();
    let settings = world.home.path().join(".claude");
    std::fs::create_dir(&settings).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(settings.join("settings.json"))
        .status();
    assert!(made.unwrap().success());
    start_toy(&world, "");
    assert_eq!(send(&world, "reply well")["reply"], "well");
}

#[test]
fn each_tool_call_is_a_step_of_the_task_in_every_stream() {
    let world = world_with_toy("");
    let id = post(&world, "edit it");
    let steps = wait_for_end(&world, &id)["steps"].clone();
    let told = |at: usize| {
        let step = &steps[at];
        (
            step["tool"].as_str(),
            step["subject"].as_str(),
            step["state"].as_str(),
        )
    };
    assert_eq!(
        told(0),
        (Some("Edit"), Some("/w/x.txt"), Some("ok")),
        "{steps}"
    );
    assert_eq!(steps[0]["duration_ms"], 30);
    assert_eq!(steps[0]["edit"]["diff"], "@@ -1,1 +1,1 @@\n-b\n+B\n");
    assert_eq!(
        told(1),
        (Some("Bash"), Some("false"), Some("failed")),
        "{steps}"
    );

    // Native: resumable by number, and the same after the first two events as from the start.
    let (_, all) = world.raw_call("GET", &format!("/tasks/{id}/subscribe"), "", &Value::Null);
    assert_eq!(all.matches("event: step").count(), 4, "{all}");
    let (_, rest) = world.raw_call(
        "GET",
        &format!("/tasks/{id}/subscribe"),
        "\r\nLast-Event-ID: 3",
        &Value::Null,
    );
    assert_eq!(rest.matches("event: step").count(), 3, "{rest}");

    // A2A: in the metadata of the task.
    let call =
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": id}});
    let (_, shown) = world.raw_call("POST", "/a2a", "\r\nA2A-Version: 1.0", &call);
    assert!(shown.contains("synapse/step/2"), "{shown}");
}

#[test]
fn who_waits_at_a_terminal_sees_what_the_agent_does_and_a_pipe_gets_the_reply_alone() {
    let world = world_with_toy("");
    let done = world.home.path().join("done");
    let message = format!("work {}", done.display());
    let words = ["send", "toy", &message, "--return"];
    let mut terminal = Terminal::open(&world, &words);
    terminal.wait_for("toy: Bash `make all`");
    std::fs::write(&done, "").unwrap();
    terminal.wait_until("the reply is all that is left", |shown| shown == "built");

    let output = world.run(&words);
    let told = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    assert_eq!(told, ["built\n", ""]);
}

#[test]
fn who_answered_is_kept_with_the_task_in_the_words_of_the_option() {
    let world = world_with_toy("");
    let id = post(&world, "ask rm -r build");
    world.wait_until("it asks", |world| world.state("toy") == "INPUT_REQUIRED");
    let answer = serde_json::json!({"value": "1", "by": "Laptop"});
    let (status, said) = world.raw_call("POST", "/answer", "", &answer);
    assert_eq!(status, 200, "{said}");
    let acts = wait_for_end(&world, &id)["acts"].clone();
    assert_eq!(acts.as_array().unwrap().len(), 1, "{acts}");
    assert_eq!(
        (&acts[0]["what"], &acts[0]["by"]),
        (&"answered".into(), &"Laptop".into())
    );
    assert_eq!(acts[0]["value"], "Yes", "{acts}");
}
