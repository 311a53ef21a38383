//! An agent that has others answer for it.

use crate::machines::Machine;

/// Presses a key of the agent that began it all, and writes down what came of that.
const PRESS: &str = "synapse keys NAME x > said.part 2>&1; echo code $? >> said.part; echo end >> said.part; mv said.part said";

#[test]
fn an_agent_does_not_answer_by_way_of_two_others_whoever_is_the_last() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "control");
    let server = desk.join("server", "control");
    desk.start_shell("first");
    laptop.start_shell("second");
    server.start_shell("third");
    desk.start_shell("neighbour");
    desk.wait_for_agent("second@laptop");
    laptop.wait_for_agent("neighbour@desk");
    laptop.wait_for_agent("third@server");
    server.wait_for_agent("first@desk");
    // None of them says who it is.
    let send = "env -u SYNAPSE_AGENT_ID synapse send";
    for (last, name, address) in [
        (&server, "third@server", "first@desk"),
        (&desk, "neighbour@desk", "first"),
    ] {
        let press = last.script("press.sh", &PRESS.replace("NAME", address));
        let relay = format!("{send} {name} '{press}' --no-return");
        let relay = laptop.script("relay.sh", &relay);
        let begin = format!("{send} second@laptop '{relay}' --no-return");
        let begin = desk.script("begin.sh", &begin);
        desk.ok(&["send", "first", &begin, "--no-return"]);
        let said = last.written("said");
        assert!(said.contains("does not answer its own questions"), "{said}");
        assert!(!said.contains("code 0"), "{said}");
        desk.wait_for_state("first", "IDLE");
        laptop.wait_for_state("second", "IDLE");
    }
    let tasks = server.json(&["tasks", "third", "--json"]);
    let via = tasks["tasks"][0]["via"].to_string();
    assert!(
        via.contains("second@laptop") && via.contains("first@desk"),
        "{tasks}"
    );
    // A person of that machine may, and so may its agents on their own account.
    server.ok(&["keys", "first@desk", "x"]);
    std::fs::remove_file(server.home.path().join("said")).unwrap();
    let press = server.script("press.sh", &PRESS.replace("NAME", "first@desk"));
    server.ok(&["send", "third", &press, "--no-return"]);
    let said = server.written("said");
    assert!(said.contains("code 0"), "{said}");
}
