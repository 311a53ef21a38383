//! Lines of a reply that go to other agents: only where the profile wants it, and never for ever.

use super::desk::profile;
use crate::world::World;

/// Starts a program whose every answer is a message to the other one.
fn start_ping(world: &World, name: &str, other: &str, routing: &str) {
    let script = format!(
        "
while True:
    input('ping> ')
    print('I pass it on.')
    print('@{other} your turn')
"
    );
    let more = format!("idle_regex: '^ping> $'\n{routing}");
    let profile = profile(world, name, &script, &more);
    world.ok(&["start", &profile, "--port", "0"]);
    world.wait_for_state(name, "IDLE");
}

const ON: &str = "output_routing: { enabled: true }";

fn turns(world: &World, agent: &str) -> usize {
    let tasks = world.json(&["tasks", agent, "--json"]);
    tasks["tasks"].as_array().unwrap().len()
}

#[test]
fn two_agents_that_would_go_on_for_ever_stop_after_four_hops() {
    let world = World::new();
    start_ping(&world, "one", "two", ON);
    start_ping(&world, "two", "one", ON);
    world.ok(&["send", "one", "begin"]);
    let log = world.home.path().join("synapse/logs/input_router.log");
    world.wait_until("somebody stops it", |_| {
        std::fs::read_to_string(&log).is_ok_and(|log| log.contains("stopped: it has made 4 hops"))
    });
    // The first was sent by us; four more by the two of them.
    assert_eq!(turns(&world, "one") + turns(&world, "two"), 5);
    let tasks = world.json(&["tasks", "two", "--json"]);
    assert_eq!(tasks["tasks"][0]["sender"], "one");
}

#[test]
fn nothing_is_sent_unless_the_profile_says_so() {
    let world = World::new();
    start_ping(&world, "one", "two", "");
    start_ping(&world, "two", "one", "");
    let reply = world.ok(&["send", "one", "begin", "--return"]);
    assert_eq!(reply, "I pass it on.\n@two your turn\n");
    assert_eq!(turns(&world, "two"), 0);
}

#[test]
fn a_program_interrupts_nobody_and_gives_away_nothing_from_elsewhere() {
    let world = World::with_dummy();
    let script = "
while True:
    input('talk> ')
    print('@dummy --file /etc/passwd say:look')
    print('@dummy --priority 5 say:hurry')
";
    let more = format!("idle_regex: '^talk> $'\n{ON}");
    let profile = profile(&world, "talk", script, &more);
    world.ok(&["start", &profile, "--port", "0"]);
    world.ok(&["send", "talk", "go", "--return"]);
    world.wait_until("one of them arrives", |world| turns(world, "dummy") > 0);
    let tasks = world.json(&["tasks", "dummy", "--json"]);
    let [task] = tasks["tasks"].as_array().unwrap().as_slice() else {
        panic!("{tasks}");
    };
    assert_eq!(task["message"]["parts"][0]["text"], "say:hurry");
    assert_eq!((&task["priority"], &task["hops"]), (&4.into(), &1.into()));
    let log = world.home.path().join("synapse/logs/input_router.log");
    world.wait_until("the other is refused", |_| {
        std::fs::read_to_string(&log).is_ok_and(|log| log.contains("to=dummy not sent"))
    });
}

#[test]
fn agents_that_send_by_command_stop_as_well() {
    let world = World::new();
    let synapse = world.command(&[]).get_program().to_owned();
    for (name, other) in [("one", "two"), ("two", "one")] {
        let script = format!(
            "
import subprocess
while True:
    input('relay> ')
    done = subprocess.run([{synapse:?}, 'send', '{other}', 'your turn'], capture_output=True)
    print('sent' if done.returncode == 0 else done.stderr.decode())
"
        );
        let profile = profile(&world, name, &script, "idle_regex: '^relay> $'");
        world.ok(&["start", &profile, "--port", "0"]);
        world.wait_for_state(name, "IDLE");
    }
    world.ok(&["send", "one", "begin"]);
    let replies = |world: &World| {
        let tasks = ["one", "two"].map(|agent| world.json(&["tasks", agent, "--json"]));
        let tasks = tasks
            .iter()
            .flat_map(|list| list["tasks"].as_array().unwrap());
        let reply = |task: &serde_json::Value| task["reply"].as_str().unwrap_or("").to_owned();
        tasks.map(reply).collect::<Vec<_>>()
    };
    world.wait_until("somebody is told to stop", |world| {
        let refused = |reply: &String| reply.contains("passed through 5 agents");
        replies(world).iter().any(refused)
    });
    assert_eq!(replies(&world).len(), 5);
    let tasks = world.json(&["tasks", "two", "--json"]);
    assert_eq!(tasks["tasks"][0]["sender"], "one");
}
