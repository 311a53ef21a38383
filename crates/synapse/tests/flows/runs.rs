//! Flows that run to their end, by themselves or with what they are told.

use serde_json::{Value, json};

use super::world::World;
use super::{file, git, repository, run};

#[test]
fn replies_go_from_step_to_step_and_agents_are_stopped_after_it() {
    let world = World::new();
    let flow = file(
        &world,
        "talk",
        "name: talk\ninputs: {goal: {}}\nsteps:\n  plan: {agent: dummy, prompt: 'say:plan for ${inputs.goal}'}\n  build: {agent: dummy, prompt: 'say:did ${plan.reply}'}\n",
    );
    let result = run(&world, &[&flow, "--input", "goal=login"]);
    assert_eq!(result["state"], "done", "{result}");
    assert_eq!(result["output"]["reply"], "did plan for login");
    assert_eq!(
        world.json(&["list", "--json"])["agents"],
        json!([]),
        "the agent was started for it"
    );
    let id = result["id"].as_str().unwrap();
    let shown = world.json(&["flow", "show", id, "--json"]);
    assert_eq!(shown["steps"][0]["state"], "done");
    assert!(shown["steps"][0]["items"][0]["task"].is_string(), "{shown}");
    let text = world.ok(&["flow", "show", id]);
    assert!(
        text.contains("✓ plan") && text.contains("✓ build"),
        "{text}"
    );
}

#[test]
fn an_agent_that_runs_is_used_and_left_alone() {
    let world = World::with_dummy();
    let flow = file(
        &world,
        "one",
        "name: one\nsteps: {a: {agent: dummy, prompt: 'say:hi'}}",
    );
    let result = run(&world, &[&flow]);
    assert_eq!(result["output"]["reply"], "hi");
    assert_eq!(
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn an_agent_of_another_run_is_nobody_elses() {
    let world = World::new();
    let text =
        "name: long\nsteps:\n  a: {agent: dummy, copies: 2, each: [1, 2], prompt: 'wait:600'}\n";
    let long = file(&world, "long", text);
    let long = world.json(&["flow", "run", &long, "--detach", "--json"]);
    let id = long["id"].as_str().unwrap();
    world.wait_until("both of its agents work", |world| {
        let view = world.json(&["flow", "show", id, "--json"]);
        let items = view["steps"][0]["items"].as_array().cloned();
        let items = items.unwrap_or_default();
        items.len() == 2 && items.iter().all(|item| item["task"].is_string())
    });
    let text = "name: one\nsteps: {a: {agent: dummy, prompt: 'say:hi'}, b: {run: ['false'], on_error: continue}}";
    let result = run(&world, &[&file(&world, "one", text)]);
    assert_eq!(result["state"], "done", "{result}");
    let shown = world.json(&["flow", "show", result["id"].as_str().unwrap(), "--json"]);
    assert_eq!(shown["steps"][0]["state"], "done");
    assert_eq!(shown["steps"][1]["state"], "failed", "{shown}");
    let agents = world.json(&["list", "--json"]);
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2, "{agents}");
    world.ok(&["flow", "stop", id]);
}

#[test]
fn json_that_does_not_fit_is_asked_for_once_more() {
    let world = World::with_dummy();
    let schema = "{type: object, required: [status], properties: {status: {enum: [ok]}}}";
    let text = format!("name: f\nsteps: {{a: {{agent: dummy, prompt: 'json', expect: {schema}}}}}");
    let result = run(&world, &[&file(&world, "f", &text)]);
    assert_eq!(result["output"]["json"]["count"], 3, "{result}");
    // The dummy echoes the repair, whose schema is the JSON in it, so the second reply has JSON that does not fit.
    let text =
        format!("name: g\nsteps: {{a: {{agent: dummy, prompt: 'say:none', expect: {schema}}}}}");
    let result = run(&world, &[&file(&world, "g", &text)]);
    assert_eq!(result["state"], "failed");
    let why = result["why"].as_str().unwrap();
    assert!(
        why.contains("must have 'status'") && why.contains("neither"),
        "{why}"
    );
    let id = result["id"].as_str().unwrap();
    assert_eq!(
        world.json(&["flow", "show", id, "--json"])["turns"],
        2,
        "one repair, no more"
    );
}

#[test]
fn commands_run_with_their_arguments_and_fail_with_their_code() {
    let world = World::new();
    let flow = file(
        &world,
        "cmd",
        r#"
name: cmd
inputs: {word: {}, test: {type: command, default: [sh, -c, "echo 'test a ... FAILED'; echo 'test b ... FAILED'; exit 3"]}}
steps:
  echo: {run: [printf, "%s|", "${inputs.word}", "x y"]}
  sh: {shell: 'printf "%s" "$WORD"', env: {WORD: "${inputs.word}"}}
  tests: {run: "${inputs.test}", find: '^test (\S+) \.\.\. FAILED', on_error: continue}
  each: {each: "${tests.found}", run: [echo, "fix ${item}"]}
  skip: {run: [false], when: "${tests.ok}"}
output: "${echo.out} ${sh.out} ${tests.code} ${join(each.*.out, '')}"
"#,
    );
    let result = run(&world, &[&flow, "--input", "word=a b; $(id)"]);
    assert_eq!(result["state"], "done", "{result}");
    assert_eq!(
        result["output"],
        "a b; $(id)|x y| a b; $(id) 3 fix a\nfix b\n"
    );
    let result = run(
        &world,
        &[&file(
            &world,
            "bad",
            "name: bad\nsteps: {a: {run: [sh, -c, 'echo no; exit 7'], retry: 1}, b: {run: [touch, never]}}",
        )],
    );
    assert_eq!(result["state"], "failed");
    assert_eq!(result["why"], "a: 'sh -c echo no; exit 7' ended with 7: no");
    assert!(!world.home.path().join("never").exists());
    let option = run(
        &world,
        &[
            &file(
                &world,
                "opt",
                "name: opt\ninputs: {b: {}}\nsteps: {a: {run: [echo, '${inputs.b}']}}",
            ),
            "--input=b=-n",
        ],
    );
    assert!(
        option["why"].as_str().unwrap().contains("begins with -"),
        "{option}"
    );
}

#[test]
fn an_argument_of_any_length_is_told_in_a_line() {
    let world = World::new();
    let long = "name: long\nsteps: {a: {shell: \"head -c 300000 /dev/zero | tr '\\\\0' x\"}, b: {run: [echo, '${a.out}']}}";
    let flow = file(&world, "long", long);
    let output = world.run(&["flow", "run", &flow]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(told.contains("b: failed: 'echo xxxx"), "{told}");
    assert!(told.contains("Argument list too long"), "{told}");
    assert!(told.lines().all(|line| line.len() < 500), "{told}");
}

#[test]
fn worktrees_are_made_committed_when_their_branch_is_wanted_and_their_diff_is_kept() {
    let world = World::new();
    let repo = repository(&world);
    let flow = file(
        &world,
        "tree",
        r#"
name: tree
steps:
  build: {worktree: true, shell: "echo two >> a.txt; echo new > b.txt"}
  look: {run: [git, status, --porcelain], dir: "${build.dir}"}
  merge: {run: [git, merge, -q, "${build.branch}"]}
output: "${look.out}"
"#,
    );
    let output = world
        .command(&["flow", "run", &flow, "--json"])
        .current_dir(&repo)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let result: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(result["state"], "done", "{text}");
    assert!(
        result["output"].as_str().unwrap().contains("a.txt"),
        "not committed until its branch is wanted: {result}"
    );
    assert_eq!(
        std::fs::read_to_string(repo.join("b.txt")).unwrap(),
        "new\n"
    );
    assert!(git(&repo, &["log", "--oneline"]).lines().count() >= 2);
    let folder = world
        .home
        .path()
        .join("synapse/flow-runs")
        .join(result["id"].as_str().unwrap());
    let patch = std::fs::read_to_string(folder.join("build.1.0.1.patch")).unwrap();
    assert!(patch.contains("+new") && patch.contains("+two"), "{patch}");
}

#[test]
fn a_plan_and_a_check_change_nothing_and_say_what_is_wrong() {
    let world = World::new();
    let plan = world.ok(&["flow", "run", "review", "--input", "goal=login", "--plan"]);
    assert!(plan.contains("build  asks codex  after plan"), "{plan}");
    assert!(
        world
            .ok(&["flow", "check", "debate"])
            .contains("is in order")
    );
    let flow = file(
        &world,
        "bad",
        "name: bad\nsteps:\n  a: {agent: nobody-there, prompt: 'x ${b.reply}'}\n",
    );
    let output = world.run(&["flow", "check", &flow]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("bad.yaml:3:3: b.reply: there is no step 'b'"),
        "{text}"
    );
    let flow = file(
        &world,
        "who",
        "name: who\nsteps:\n  a: {agent: nobody-there, prompt: x}\n",
    );
    let output = world.run(&["flow", "check", &flow, "--json"]);
    let problems: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(problems["problems"][0]["line"], 3, "{problems}");
    assert!(
        problems["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("no agent 'nobody-there'")
    );
    let missing = world.run(&["flow", "run", "review"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("needs the input 'goal'"));
    assert_eq!(world.json(&["list", "--json"])["agents"], json!([]));
}
