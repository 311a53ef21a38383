//! The flows that ship, simulated with the dummy agent and with scripted agents.

use serde_json::{Value, json};

use super::world::World;
use super::{git, repository, run};

#[test]
fn every_flow_that_ships_comes_to_its_end_in_a_simulation() {
    let world = World::new();
    for (name, input) in [
        ("review", "goal=login"),
        ("debate", "question=tabs or spaces"),
        ("race", "goal=login"),
        ("triage", "agents=claude,codex"),
    ] {
        let result = run(&world, &[name, "--simulate", "--input", input]);
        assert_eq!(result["state"], "done", "{name}: {result}");
        if name == "debate" {
            // Those of an `all` stand below it, and it counts them.
            let shown = world.ok(&["flow", "show", result["id"].as_str().unwrap()]);
            let shown: Vec<&str> = shown.lines().map(str::trim).collect();
            assert!(shown[1].starts_with("✓ opening      2 of 2"), "{shown:?}");
            assert!(shown[2].starts_with("✓ opening.one"), "{shown:?}");
        }
    }
    assert_eq!(world.json(&["list", "--json"])["agents"], json!([]));
}

/// In a repository, with agents of our own; the last line of what it says.
fn run_in(world: &World, dir: &std::path::Path, args: &[&str]) -> Value {
    let all = [&["flow", "run", "--json"][..], args].concat();
    let output = world.command(&all).current_dir(dir).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("{error}"))).unwrap()
}

/// An agent that changes its folder and says what it is told to.
const WRITER: &str = "name: NAME
extends: dummy
command: [bash, -c, 'while read -rp \"dummy> \" line; do echo NAME >> work.txt; echo SAYS; done']
idle_regex: '^dummy> $'
prompt_template: '{text}'
";

fn writer(world: &World, name: &str, says: &str) {
    let folder = world.home.path().join("synapse/profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let text = WRITER.replace("NAME", name).replace("SAYS", says);
    std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
}

#[test]
fn in_a_race_the_tests_decide_and_the_winner_is_offered() {
    let world = World::new();
    let repo = repository(&world);
    writer(&world, "ann", "done");
    writer(&world, "bob", "done");
    let mut command = world.command(&[
        "flow",
        "run",
        "race",
        "--detach",
        "--json",
        "--input",
        "goal=win",
        "--input",
        "agents=ann,bob",
        "--input",
        "test=grep -q bob work.txt",
    ]);
    let told = command.current_dir(&repo).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    let id = told["id"].as_str().unwrap().to_owned();
    let view = || world.json(&["flow", "show", &id, "--json"]);
    world.wait_until("the winner is offered", |_| {
        let view = view();
        assert_ne!(view["state"], "failed", "{view}");
        view["asks"][0]["question"].is_string()
    });
    let question = view()["asks"][0]["question"].as_str().unwrap().to_owned();
    assert!(question.starts_with("bob passes first"), "{question}");
    world.ok(&["flow", "answer", &id, "yes"]);
    world.wait_until("it is done", |_| view()["state"] == "done");
    assert_eq!(
        std::fs::read_to_string(repo.join("work.txt")).unwrap(),
        "bob\n"
    );
    assert!(
        git(&repo, &["worktree", "list"]).lines().count() == 3,
        "the worktrees stay"
    );
}

#[test]
fn in_a_triage_every_failing_test_goes_to_an_agent() {
    let world = World::new();
    let repo = repository(&world);
    writer(&world, "ann", r#"{\"cause\": \"x\", \"fix\": \"y\"}"#);
    let test = r#"test=["sh", "-c", "echo 'test a ... FAILED'; echo 'test b ... FAILED'; exit 1"]"#;
    let result = run_in(
        &world,
        &repo,
        &["triage", "--input", "agents=ann", "--input", test],
    );
    assert_eq!(result["state"], "done", "{result}");
    assert_eq!(result["output"].as_array().unwrap().len(), 2, "{result}");
    assert_eq!(result["output"][1]["item"], "b");
    assert_eq!(result["output"][1]["json"]["fix"], "y");
}
