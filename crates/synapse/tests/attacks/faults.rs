//! What must not happen happens: hosts and programs are killed or will not end, output never stops,
//! terminals do not read, disks are full, everybody starts at once.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::world::terminal::Terminal;
use crate::world::{World, is_gone};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::{Value, json};

/// How much a flood has, in megabytes: twice what a host may grow by.
const FLOOD: u64 = 80;

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.parse().unwrap()).unwrap()
}

fn kill(process: &str) {
    kill_process(pid(process), Signal::KILL).unwrap();
}

fn host_of(world: &World) -> String {
    world.entry()["pid"].to_string()
}

/// All processes below one, whichever of its threads started them.
fn family(process: &str) -> Vec<String> {
    let mut found = Vec::new();
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    for thread in threads.into_iter().flatten().flatten() {
        let children = std::fs::read_to_string(thread.path().join("children"));
        for child in children.unwrap_or_default().split_whitespace() {
            found.push(child.to_owned());
            found.extend(family(child));
        }
    }
    found
}

fn registry_files(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.home.path().join("a2a/registry")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The lock of the folder itself belongs to nobody.
    names.filter(|name| name != ".lock").collect()
}

/// Waits for something that takes its time in a build that is not optimized.
fn wait_long(world: &World, what: &str, is_so: impl Fn(&World) -> bool) {
    let deadline = Instant::now() + Duration::from_mins(5);
    while !is_so(world) {
        assert!(Instant::now() < deadline, "{what}: not within 5 min");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_killed_host_leaves_no_process_no_entry_and_no_port() {
    let world = World::with_dummy();
    let entry = world.entry();
    let host = host_of(&world);
    let below = family(&host);
    assert!(below.len() >= 2, "a leader and the program: {below:?}");
    kill(&host);
    for process in below.iter().chain([&host]) {
        world.wait_until("it and what it started are gone", |_| is_gone(process));
    }
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    assert_eq!(registry_files(&world), [""; 0]);
    let again = world.ok(&["start", "dummy", "--port", &entry["port"].to_string()]);
    assert!(
        again.starts_with("dummy ("),
        "name and port are free: {again}"
    );
}

#[test]
fn a_killed_program_ends_the_agent_and_its_task_says_why() {
    let world = World::with_dummy();
    let host = host_of(&world);
    let waiting = world
        .command(&[
            "send",
            "dummy",
            "wait:600",
            "--return",
            "--json",
            "--timeout",
            "600",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_for_state("dummy", "BUSY");
    let program = family(&host).pop().unwrap();
    kill(&program);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["code"], "AGENT_EXITED", "{answer}");
    world.wait_until("the host is gone, too", |_| is_gone(&host));
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    let log = world.ok(&["logs", "dummy"]);
    assert!(log.contains("agent ended code=137"), "{log}");
}

#[test]
fn stop_returns_when_even_the_stubborn_are_gone() {
    let world = World::new();
    // The program will not end, nor what it started in a session of its own.
    let stubborn = "trap '' TERM HUP INT; while :; do sleep 1; done";
    let script = format!("setsid bash -c \\\"{stubborn}\\\" & {stubborn}");
    let yaml = format!("name: stubborn\ncommand: [bash, -c, \"{script}\"]\n");
    world.start_profile("stubborn", &yaml);
    let host = host_of(&world);
    world.wait_until("all of them run", |_| {
        let is_bash = |process: &&String| {
            let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
            name.is_ok_and(|name| name.trim() == "bash")
        };
        family(&host).iter().filter(is_bash).count() >= 2
    });
    let below = family(&host);
    world.ok(&["stop", "stubborn"]);
    for process in below.iter().chain([&host]) {
        assert!(is_gone(process), "{process} is still there");
    }
    assert_eq!(registry_files(&world), [""; 0]);
}

#[test]
fn a_stopped_host_is_stopped_for_good() {
    let world = World::with_dummy();
    let host = host_of(&world);
    let below = family(&host);
    kill_process(pid(&host), Signal::STOP).unwrap();
    world.ok(&["stop", "dummy"]);
    for process in below.iter().chain([&host]) {
        world.wait_until("it is gone", |_| is_gone(process));
    }
    assert_eq!(registry_files(&world), [""; 0]);
}

#[test]
fn a_flood_of_output_is_painted_and_not_kept() {
    let world = World::with_dummy();
    let host = host_of(&world);
    world.ok(&["send", "dummy", "long:3000", "--return", "--timeout", "120"]);
    let before = resident(&host);
    world.ok(&["send", "dummy", &format!("flood:{FLOOD}")]);
    wait_long(&world, "the flood is over", |world| {
        let screen = world.ok(&["screen", "dummy"]);
        screen.contains(&format!("the flood of {FLOOD} MB is over"))
    });
    wait_long(&world, "the agent is idle", |world| {
        world.state("dummy") == "IDLE"
    });
    let screen = world.ok(&["screen", "dummy"]);
    let mut rows = screen.trim_end().lines().rev();
    assert_eq!(rows.next(), Some("dummy>"));
    assert_eq!(
        rows.next(),
        Some(format!("the flood of {FLOOD} MB is over").as_str())
    );
    assert!(rows.next().unwrap().starts_with("the quick brown fox"));
    // The scrollback was full before, so what may be added is the text of a reply of 2,000 rows
    // (0.2 MB) in its several shapes, and output under way (1 MiB) with what the allocator keeps of
    // it. A host that kept the flood would have grown by all of it.
    let grown = resident(&host).saturating_sub(before);
    assert!(grown < 40_000, "grown by {grown} kB, from {before} kB");
}

/// The memory of a process in kB.
fn resident(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

#[test]
fn a_terminal_that_stops_reading_holds_nobody_and_is_repainted() {
    let world = World::new();
    let mut terminal = Terminal::open(&world, &["dummy", "--port", "0"]);
    terminal.wait_for("dummy>");
    // From here nobody reads what is painted; the kernel and we together hold little of it.
    world.ok(&["send", "dummy", "flood:12"]);
    wait_long(&world, "the agent goes on", |world| {
        world.task_state("flood:12") == "completed"
    });
    let reply = world.ok(&[
        "send",
        "dummy",
        "say:nobody held me",
        "--return",
        "--timeout",
        "60",
    ]);
    assert_eq!(reply, "nobody held me\n");
    let screen = world.ok(&["screen", "dummy"]);
    terminal.wait_until("the terminal shows what the agent's screen shows", |text| {
        let plain = |text: &str| -> Vec<String> {
            text.trim_end()
                .lines()
                .map(|line| line.trim_end().to_owned())
                .collect()
        };
        plain(text) == plain(&screen)
    });
    terminal.press("say:and typed\r");
    terminal.wait_for("\nand typed");
    terminal.press("\x04");
    assert_eq!(terminal.end().0.code(), 0);
}

#[test]
fn a_terminal_that_is_closed_ends_the_agent_and_leaves_nothing() {
    let world = World::new();
    let script = "exec script -qc \"$synapse dummy --port 0\" /dev/null";
    let mut terminal = Terminal::bash(&world, script);
    terminal.wait_for("dummy>");
    let all = family(&terminal.pid());
    assert!(all.contains(&host_of(&world)), "{all:?}");
    // The window of the agent is `script`: what it has open is gone with it.
    kill(&terminal.pid());
    wait_long(&world, "nobody is left", |_| {
        all.iter().all(|one| is_gone(one))
    });
    assert_eq!(registry_files(&world), [""; 0]);
}

#[test]
fn a_flood_in_the_humans_terminal_loses_no_line() {
    let world = World::new();
    let profile = world.home.path().join("count.yaml");
    std::fs::write(&profile, "name: count\ncommand: [seq, '1000000']\n").unwrap();
    let profile = profile.to_str().unwrap();
    let (exit, painted) = Terminal::open(&world, &[profile, "--port", "0"]).end();
    assert_eq!(exit.code(), 0);
    let mut lines = painted.lines().map(str::trim);
    let first = lines.position(|line| line == "1");
    assert_eq!(first, Some(0));
    for number in 2..=1_000_000 {
        assert_eq!(lines.next(), Some(number.to_string().as_str()));
    }
}

#[test]
fn a_log_on_a_full_disk_costs_nothing_but_the_log() {
    let world = World::new();
    let logs = world.home.path().join("synapse/logs");
    std::fs::create_dir_all(&logs).unwrap();
    std::os::unix::fs::symlink("/dev/full", logs.join("dummy.log")).unwrap();
    world.ok(&["start", "dummy", "--port", "0"]);
    assert_eq!(world.ok(&["send", "dummy", "say:hi", "--return"]), "hi\n");
    world.ok(&["stop", "dummy"]);
    assert_eq!(registry_files(&world), [""; 0]);
}

#[test]
fn with_no_room_for_files_the_host_serves_and_promises_nothing() {
    let world = World::with_dummy();
    let host = host_of(&world);
    assert_eq!(
        world.ok(&["send", "dummy", "say:before", "--return"]),
        "before\n"
    );
    let limit = |most: Option<u64>| {
        let limits = Rlimit {
            current: most,
            maximum: None,
        };
        prlimit(Some(pid(&host)), Resource::Fsize, limits).unwrap();
    };
    // No file can grow, neither the log nor the store.
    limit(Some(0));
    let refused = world.run(&["send", "dummy", "say:never", "--return"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(world.state("dummy"), "IDLE", "it serves");
    world.ok(&["screen", "dummy"]);
    assert!(!is_gone(&host), "the kernel's signal did not kill it");
    limit(None);
    world.wait_until("it takes tasks again", |world| {
        let output = world.run(&["send", "dummy", "say:after", "--return"]);
        output.status.success() && output.stdout == b"after\n"
    });
}

#[test]
fn fifty_agents_started_at_once_get_fifty_ports_and_fifty_entries() {
    let world = World::new();
    let starting: Vec<_> = (0..50)
        .map(|_| {
            let mut command = world.command(&["start", "dummy"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for start in starting {
        let output = start.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
    }
    let entries = world.json(&["list", "--json"])["agents"].clone();
    let entries = entries.as_array().unwrap();
    let all = |name: &str| -> BTreeSet<String> {
        entries
            .iter()
            .map(|entry| entry[name].to_string())
            .collect()
    };
    for name in ["handle", "port", "agent_id", "pid", "token_path"] {
        assert_eq!(all(name).len(), 50, "{name}");
    }
    for port in all("port") {
        assert!(
            (8103..=8179).contains(&port.parse::<u16>().unwrap()),
            "{port}"
        );
    }
    let answers = world.ok(&["send", "all", "say:here", "--return", "--timeout", "120"]);
    let here = answers.lines().filter(|line| line.ends_with("here"));
    assert_eq!(here.count(), 50, "{answers}");
}

/// Fails the syncs of the process that loads it, while a file is there.
const FAILING_SYNC: &str = r#"
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int fdatasync(int file) {
    if (access(getenv("FAILING_SYNC"), F_OK) == 0) { errno = EIO; return -1; }
    return syscall(SYS_fdatasync, file);
}
"#;

#[test]
fn a_task_whose_sync_failed_is_said_to_be_unknown_and_not_done() {
    let world = World::new();
    let (source, library) = (
        world.home.path().join("s.c"),
        world.home.path().join("s.so"),
    );
    let broken = world.home.path().join("broken");
    std::fs::write(&source, FAILING_SYNC).unwrap();
    let compiled = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.unwrap().success(), "cc links Rust programs, too");
    let started = world
        .command(&["start", "dummy", "--port", "0"])
        .env("LD_PRELOAD", &library)
        .env("FAILING_SYNC", &broken)
        .status();
    assert!(started.unwrap().success());
    std::fs::write(&broken, "").unwrap();
    let message = json!({ "messageId": "m1", "role": "user", "parts": [{ "text": "say:once" }] });
    let send = json!({ "message": message });
    let (status, said) = world.call("POST", "/tasks/send", &send);
    assert_eq!(status, 500, "{said}");
    let said = said["error"].as_str().unwrap();
    assert!(said.starts_with("it is unknown whether task "), "{said}");
    let params = json!({ "message": { "messageId": "m2", "role": "ROLE_USER", "parts": [{ "text": "say:x" }] } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params });
    let (_, refused) = world.raw_call("POST", "/a2a", "\r\nA2A-Version: 1.0", &call);
    for word in ["-32000", "TASK_UNKNOWN", "\"taskId\":"] {
        assert!(refused.contains(word), "{refused}");
    }
    std::fs::remove_file(&broken).unwrap();
    let id = said.split(' ').nth(5).unwrap();
    let (status, task) = world.call("GET", &format!("/tasks/{id}"), &Value::Null);
    assert_eq!(status, 200, "{said}");
    assert_eq!(task["task"]["status"]["state"], "canceled", "{task}");
    let (status, again) = world.call("POST", "/tasks/send", &send);
    assert_eq!(status, 200, "{again}");
    assert_ne!(again["task"]["id"], id);
    let store = world.home.path().join("synapse/synapse.db");
    let kept = synapse_store::Reader::open(store).unwrap();
    let kept = kept.task(&synapse_a2a::id::TaskId::new(id)).unwrap();
    assert_eq!(kept.unwrap().task.state().name(), "canceled");
}
