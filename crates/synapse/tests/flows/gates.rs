//! Gates, stops, resumes and who may do what.

use std::process::Stdio;

use serde_json::{Value, json};

use super::world::terminal::Terminal;
use super::world::{World, is_gone};
use super::{file, run};

const GATED: &str = "name: gated\nsteps:\n  a: {run: [touch, began]}\n  b: {gate: 'Go on?', run: [touch, went]}\n  c: {run: [touch, after]}\n";

/// Starts a flow in the background; its id.
fn detached(world: &World, flow: &str) -> String {
    let told = world.json(&["flow", "run", flow, "--detach", "--json"]);
    told["id"].as_str().unwrap().to_owned()
}

fn shown(world: &World, id: &str) -> Value {
    world.json(&["flow", "show", id, "--json"])
}

#[test]
fn a_gate_waits_for_a_person_and_no_ends_what_comes_after() {
    let world = World::new();
    let flow = file(&world, "gated", GATED);
    let id = detached(&world, &flow);
    world.wait_until("it asks", |world| {
        shown(world, &id)["asks"][0]["question"] == "Go on?"
    });
    let wrong = world.run(&["flow", "answer", &id, "maybe"]);
    assert_eq!(wrong.status.code(), Some(2));
    let agent = world
        .command(&["flow", "answer", &id, "yes"])
        .env("SYNAPSE_AGENT_ID", "x")
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&agent.stderr).contains("no agent answers"),
        "{agent:?}"
    );
    world.ok(&["flow", "answer", &id, "yes"]);
    world.wait_until("it is done", |world| shown(world, &id)["state"] == "done");
    assert!(world.home.path().join("after").exists());

    std::fs::remove_file(world.home.path().join("after")).unwrap();
    let id = detached(&world, &flow);
    world.wait_until("it asks", |world| {
        shown(world, &id)["asks"][0]["step"] == "b"
    });
    world.ok(&["flow", "answer", &id, "no"]);
    world.wait_until("it is done", |world| shown(world, &id)["state"] == "done");
    let steps = shown(&world, &id)["steps"].clone();
    assert_eq!(
        (&steps[1]["state"], &steps[2]["state"]),
        (&"refused".into(), &"refused".into())
    );
    assert!(!world.home.path().join("after").exists());

    let id = detached(&world, &flow);
    world.ok(&["flow", "stop", &id]);
    let attended = world
        .command(&["flow", "resume", &id])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_until("it asks", |world| {
        let view = shown(world, &id);
        view["state"] != "stopped" && view["asks"][0]["step"] == "b"
    });
    world.ok(&["flow", "answer", &id, "no"]);
    let ended = attended.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("'b' was refused"), "{said}");
    assert_eq!(ended.stdout, b"", "nothing came of it");
}

#[test]
fn a_step_tells_of_the_question_that_it_waits_behind() {
    let world = World::new();
    world.ok(&["start", "dummy", "--port", "0"]);
    world.ok(&["send", "dummy", "ask:yn Delete it?"]);
    world.wait_until("the agent asks", |world| {
        world.json(&["status", "dummy", "--json"])["status"] == "INPUT_REQUIRED"
    });
    let flow = file(
        &world,
        "behind",
        "name: behind\nsteps: {a: {agent: dummy, prompt: 'say:behind'}}\n",
    );
    let id = detached(&world, &flow);
    world.wait_until("the step asks", |world| {
        let item = &shown(world, &id)["steps"][0]["items"][0];
        let question = item["question"].as_str().unwrap_or_default();
        item["state"] == "asking" && question.contains("Delete it?")
    });
    world.ok(&["answer", "dummy", "yes"]);
    world.wait_until("it is done", |world| shown(world, &id)["state"] == "done");
    let steps = shown(&world, &id)["steps"].clone();
    assert_eq!(steps[0]["items"][0]["question"], Value::Null);
    world.ok(&["stop", "dummy"]);
}

#[test]
fn a_stopped_flow_cancels_what_runs_and_goes_on_later() {
    let world = World::new();
    let flow = file(
        &world,
        "long",
        "name: long\nsteps:\n  a: {run: [sh, -c, 'echo x >> count']}\n  b: {agent: dummy, prompt: 'wait:600'}\n  c: {shell: 'sleep 600', needs: [a]}\n",
    );
    let id = detached(&world, &flow);
    world.wait_until("both are under way", |world| {
        let view = shown(world, &id);
        view["steps"][1]["items"][0]["task"].is_string() && view["steps"][2]["state"] == "running"
    });
    let stopped = world.json(&["flow", "stop", &id, "--json"]);
    assert_eq!(stopped["state"], "stopped");
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0,
        "its agent is stopped"
    );
    world.wait_for_task("wait:600", "canceled");
    let mut resumed = world
        .command(&["flow", "resume", &id, "--json"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    world.wait_until("b is asked anew", |world| {
        let view = shown(world, &id);
        let item = &view["steps"][1]["items"][0];
        view["state"] == "running" && item["attempt"] == 2 && item["state"] == "running"
    });
    world.ok(&["flow", "stop", &id]);
    resumed.wait().unwrap();
    assert_eq!(
        std::fs::read_to_string(world.home.path().join("count")).unwrap(),
        "x\n",
        "a is done once"
    );
}

#[test]
fn a_failed_flow_is_taken_up_where_it_failed() {
    let world = World::new();
    let flow = file(
        &world,
        "f",
        "name: f\nsteps:\n  a: {run: [sh, -c, 'echo x >> count']}\n  b: {run: [test, -e, there]}\n",
    );
    let result = run(&world, &[&flow]);
    assert_eq!(result["state"], "failed");
    std::fs::write(world.home.path().join("there"), "").unwrap();
    let id = result["id"].as_str().unwrap();
    world.ok(&["flow", "resume", id]);
    assert_eq!(shown(&world, id)["state"], "done");
    assert_eq!(
        std::fs::read_to_string(world.home.path().join("count")).unwrap(),
        "x\n"
    );
    let again = world.run(&["flow", "resume", id]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("is done"));
}

#[test]
fn timeouts_and_limits_stop_it_and_say_so() {
    let world = World::new();
    let slow = run(
        &world,
        &[&file(
            &world,
            "slow",
            "name: slow\nsteps: {a: {agent: dummy, prompt: 'wait:600', timeout: 1s}}",
        )],
    );
    assert_eq!(slow["why"], "a: it was not done within 1 s");
    let many = run(
        &world,
        &[&file(
            &world,
            "many",
            "name: many\nmax_turns: 2\nat_once: 1\nsteps: {a: {each: [x, y, z], agent: dummy, prompt: 'say:${item}'}}",
        )],
    );
    assert_eq!(many["why"], "it needs more than max_turns: 2");
}

#[test]
fn an_agent_starts_flows_by_name_alone_and_commands_only_if_it_may() {
    let world = World::new();
    let flows = world.home.path().join("synapse/flows");
    std::fs::create_dir_all(&flows).unwrap();
    std::fs::write(
        flows.join("cmd.yaml"),
        "name: cmd\nsteps: {a: {run: [echo, hi]}}",
    )
    .unwrap();
    std::fs::write(
        flows.join("open.yaml"),
        "name: open\nagents: true\nsteps: {a: {run: [echo, hi]}}",
    )
    .unwrap();
    let as_agent = |args: &[&str]| {
        let output = world.run(&[&["flow", "run", "--hops=1", "--json"][..], args].concat());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(as_agent(&["cmd"]).contains("agents: true"));
    assert!(as_agent(&["./x.yaml"]).contains("by its name"));
    assert_eq!(as_agent(&["open"]), "");
}

#[test]
fn no_agent_trusts_what_came_with_a_project() {
    let world = World::new();
    let flow = super::file(&world, "own", "name: own\nsteps: {a: {run: [echo, hi]}}");
    let profile = super::file(&world, "mine", "name: mine\ncommand: [sh]\n");
    for args in [["flow", "trust", &flow], ["profile", "trust", &profile]] {
        let mut command = world.command(&args);
        let output = command.env("SYNAPSE_AGENT_ID", "x").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            error.contains("no agent trusts a file"),
            "{args:?}: {error}"
        );
        assert!(!output.status.success(), "{args:?}");
        world.ok(&args);
    }
}

#[test]
fn a_gate_is_answered_in_the_terminal_and_the_tree_stays_whole() {
    let world = World::new();
    let flow = file(&world, "gated", GATED);
    let script = format!("$synapse flow run {flow}; echo it is over; read x");
    let mut terminal = Terminal::bash(&world, &script);
    terminal.wait_for("? Go on? [yes/no]");
    terminal.press("maybe");
    terminal.wait("what is typed stands behind the question", |terminal| {
        terminal
            .before_cursor()
            .trim_end()
            .ends_with("[yes/no] maybe")
    });
    terminal.press("\r");
    terminal.wait_for("'maybe' is no answer: yes or no");
    terminal.press("y\r");
    let painted = terminal.wait_for("it is over");
    let trees = painted.lines().filter(|line| line.contains("✓ a "));
    assert_eq!(trees.count(), 1, "{painted}");
    let heads = painted.lines().filter(|line| line.contains("gated "));
    assert_eq!(heads.count(), 1, "{painted}");
    assert!(world.home.path().join("went").exists(), "{painted}");
}

#[test]
fn what_is_just_beginning_when_a_flow_is_stopped_is_ended_too() {
    let world = World::new();
    let flow = file(
        &world,
        "early",
        "name: early\nparallel: true\nsteps:\n  a: {shell: 'echo $$ >> pids; exec sleep 600'}\n  b: {agent: dummy, prompt: 'wait:600'}\n",
    );
    for _ in 0..4 {
        let id = detached(&world, &flow);
        world.ok(&["flow", "stop", &id]);
        assert_eq!(shown(&world, &id)["state"], "stopped");
        assert_eq!(world.json(&["list", "--json"])["agents"], json!([]));
    }
    let pids = std::fs::read_to_string(world.home.path().join("pids")).unwrap_or_default();
    for pid in pids.lines() {
        assert!(is_gone(pid), "{pid} was left behind");
    }
    let kept = world.json(&["tasks", "--json"]);
    for task in kept["tasks"].as_array().unwrap() {
        assert_eq!(task["status"]["state"], "canceled", "{task}");
    }
}
