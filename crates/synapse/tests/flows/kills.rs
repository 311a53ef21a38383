//! The runner is killed at random moments and taken up again: nothing is done twice, nothing is forgotten.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::file;
use super::world::World;

/// How often; `make soak` has more.
const KILLS: u32 = 10;

const FLOW: &str = r#"
name: kills
at_once: 4
steps:
  one: {each: [1, 2, 3, 4, 5, 6], run: [sh, -c, 'echo "$1" >> ran', sh, "${item}"]}
  two: {each: [7, 8, 9, 10], agent: dummy, prompt: "say:${item}"}
  three: {until: "${three.code == 0 && round > 3}", run: [sh, -c, 'echo r >> ran']}
  four: {each: "${two.*.reply}", run: [sh, -c, 'echo "$1" >> ran', sh, "${item}"]}
output: "${join(two.*.reply, ',')}"
"#;

/// Numbers that are random enough, and the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

#[test]
fn a_runner_that_is_killed_anywhere_repeats_and_loses_nothing() {
    let kills = std::env::var("FLOW_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(KILLS);
    let mut dice = Dice(
        std::env::var("FLOW_SEED")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(7),
    );
    let mut done = 0;
    let mut run = 0;
    while done < kills {
        let world = World::with_dummy();
        let flow = file(&world, "kills", FLOW);
        let mut command = world.command(&["flow", "run", &flow, "--json"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let id = || {
            let list = world.json(&["flow", "list", "--json"]);
            list["runs"][0]["id"].as_str().map(str::to_owned)
        };
        loop {
            // Not to wait for something: the moment is meant to be a random one.
            std::thread::sleep(Duration::from_millis(dice.roll(400)));
            if child.try_wait().unwrap().is_some() {
                break;
            }
            Command::new("kill")
                .args(["-KILL", &child.id().to_string()])
                .status()
                .unwrap();
            child.wait().unwrap();
            done += 1;
            let Some(id) = id() else { break };
            let mut command = world.command(&["flow", "resume", &id, "--json"]);
            child = command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            if done >= kills {
                child.wait().unwrap();
                break;
            }
        }
        let _ = child.wait();
        let Some(id) = id() else { continue };
        check(&world, &id);
        run += 1;
    }
    eprintln!("{done} kills in {run} runs");
}

#[track_caller]
fn check(world: &World, id: &str) {
    let view = world.json(&["flow", "show", id, "--json"]);
    assert_eq!(view["state"], "done", "{view}");
    let ran = std::fs::read_to_string(world.home.path().join("ran")).unwrap();
    let mut lines: Vec<&str> = ran.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "1", "10", "2", "3", "4", "5", "6", "7", "8", "9", "r", "r", "r"
        ],
        "each once"
    );
    let tasks: Value = world.json(&["tasks", "--json"]);
    let tasks = tasks
        .as_array()
        .or_else(|| tasks["tasks"].as_array())
        .unwrap();
    let mut asked: Vec<String> = tasks
        .iter()
        .map(|task| task["message"].to_string())
        .collect();
    asked.sort();
    let count = asked.len();
    asked.dedup();
    assert_eq!(
        (count, asked.len()),
        (4, 4),
        "each agent task once: {asked:?}"
    );
}
