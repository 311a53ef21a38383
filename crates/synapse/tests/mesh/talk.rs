//! Agents of other machines, seen, sent to, watched, answered and stopped.

use serde_json::Value;

use crate::machines::Machine;
use crate::world::terminal::Terminal;

#[test]
fn an_agent_of_another_machine_is_used_like_one_of_this() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "control");
    desk.start("codex");
    laptop.wait_for_agent("codex@desk");
    let list = laptop.ok(&["list", "--mesh"]);
    assert!(list.contains("codex@desk"), "{list}");

    // By its address, and by a name that nobody has here.
    let reply = laptop.ok(&["send", "codex@desk", "hello", "--return"]);
    assert_eq!(reply, "ok: hello\n");
    assert_eq!(
        laptop.ok(&["send", "codex", "bare", "--return"]),
        "ok: bare\n"
    );
    let tasks = desk.json(&["tasks", "--json"]);
    let senders = tasks["tasks"].as_array().unwrap().iter();
    let senders: Vec<&Value> = senders.map(|task| &task["sender"]).collect();
    assert_eq!(senders, ["user@laptop", "user@laptop"]);

    // A stream, and a task by its id.
    let task = laptop.ok(&["send", "codex@desk", "again"]);
    let followed = laptop.ok(&["task", task.trim(), "--follow"]);
    assert!(followed.contains("ok: again"), "{followed}");
    let tasks = laptop.ok(&["tasks", "codex@desk"]);
    assert!(
        tasks.contains("again") && tasks.contains("codex@desk"),
        "{tasks}"
    );
    let screen = laptop.ok(&["screen", "codex@desk"]);
    assert!(screen.contains("ok: again"), "{screen}");

    // Its question is seen, answered, and who answered is known.
    laptop.ok(&["send", "codex@desk", "ask:yn Proceed?"]);
    laptop.wait_until("it asks", |world| {
        world.state("codex@desk") == "INPUT_REQUIRED"
    });
    let answered = laptop.ok(&["answer", "codex@desk", "yes"]);
    assert!(answered.contains("answered"), "{answered}");

    // What runs is stopped, and by whom is known.
    laptop.wait_until("it rests", |world| world.state("codex@desk") == "IDLE");
    laptop.ok(&["send", "codex@desk", "slow:600"]);
    laptop.wait_until("it works", |world| world.state("codex@desk") == "BUSY");
    let stopped = laptop.ok(&["interrupt", "codex@desk"]);
    assert!(stopped.contains("is idle"), "{stopped}");
    let tasks = desk.ok(&["tasks", "--json"]);
    assert!(tasks.contains("\"by\":\"user@laptop\""), "{tasks}");

    laptop.wait_until("it rests", |world| world.state("codex@desk") == "IDLE");
    laptop.ok(&["keys", "codex@desk", "h", "i", "Enter"]);
    laptop.wait_until("the keys are typed", |world| {
        world.ok(&["screen", "codex@desk"]).contains("ok: hi")
    });
}

#[test]
fn a_terminal_is_attached_from_another_machine() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "control");
    desk.start("codex");
    laptop.wait_for_agent("codex@desk");
    let mut terminal = Terminal::open(&laptop, &["attach", "codex@desk"]);
    terminal.wait_until("its screen is shown", |screen| screen.contains("dummy>"));
    terminal.press("over there\r");
    terminal.wait_until("what is typed arrives", |screen| {
        screen.contains("ok: over there")
    });
}

#[test]
fn a_name_that_two_machines_have_is_not_guessed() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    let server = desk.join("server", "send");
    laptop.start("codex");
    server.start("codex");
    desk.wait_for_agent("codex@laptop");
    desk.wait_for_agent("codex@server");
    let (code, said) = desk.fails(&["send", "codex", "hello"]);
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains("@codex@laptop") && said.contains("@codex@server"),
        "{said}"
    );
    // One that runs here is meant before all others.
    desk.start("codex");
    assert_eq!(
        desk.ok(&["send", "codex", "here", "--return"]),
        "ok: here\n"
    );
    assert_eq!(
        desk.ok(&["send", "codex@desk", "me", "--return"]),
        "ok: me\n"
    );
    let (code, said) = desk.fails(&["send", "codex@moon", "hello"]);
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains("no machine of the mesh is called 'moon'"),
        "{said}"
    );
}

#[test]
fn a_flow_asks_an_agent_of_another_machine() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    let file = desk.home.path().join("far.yaml");
    let steps = "name: far\nsteps:\n  a: {agent: codex@laptop, prompt: 'say:from afar'}\n  b: {agent: codex@laptop, prompt: 'say:after ${a.reply}'}\n";
    std::fs::write(&file, steps).unwrap();
    let told = desk.ok(&["flow", "run", file.to_str().unwrap(), "--json"]);
    let told: Value = serde_json::from_str(told.lines().next_back().unwrap()).unwrap();
    assert_eq!(told["state"], "done", "{told}");
    assert_eq!(told["output"]["reply"], "after from afar", "{told}");
    let tasks = laptop.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 2, "{tasks}");
    // A folder is one of this machine.
    std::fs::write(
        &file,
        steps.replace("codex@laptop,", "codex@laptop, dir: ., "),
    )
    .unwrap();
    let (_, said) = desk.fails(&["flow", "run", file.to_str().unwrap()]);
    assert!(said.contains("elsewhere"), "{said}");
}

#[test]
fn files_of_a_megabyte_go_across() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    desk.start("codex");
    laptop.wait_for_agent("codex@desk");
    let file = laptop.home.path().join("large.bin");
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&file, &bytes).unwrap();
    let path = file.to_str().unwrap();
    let task = laptop.ok(&["send", "codex@desk", "look", "--file", path]);
    let folder = desk.home.path().join("synapse/tasks").join(task.trim());
    desk.wait_until("the file has arrived", |_| {
        let found = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        found
            .into_iter()
            .any(|file| std::fs::read(file.path()).is_ok_and(|read| read == bytes))
    });
}

#[test]
fn a_list_that_is_watched_shows_every_machine_and_who_is_away() {
    let desk = Machine::begin("desk");
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.start("claude");
    desk.wait_for_agent("codex@laptop");
    desk.wait_for_agent("claude@desk");
    let mut terminal = Terminal::open(&desk, &["list", "--mesh", "--watch"]);
    terminal.wait_until("both are shown", |screen| {
        let shows = |word: &str| screen.contains(word);
        shows("BRANCH") && shows("codex@laptop") && shows("claude@desk") && !shows("PORT")
    });
    laptop.stop_bridge();
    terminal.wait_until("it is away", |screen| {
        let mut lines = screen.lines();
        let line = lines.find(|line| line.contains("codex@laptop"));
        line.is_some_and(|line| line.contains("away") && line.contains("seen"))
    });
}
