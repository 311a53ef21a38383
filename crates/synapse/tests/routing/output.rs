//! Lines of a reply that go to other agents: only where the profile wants it, and never for ever.

use crate::desk::profile;
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
