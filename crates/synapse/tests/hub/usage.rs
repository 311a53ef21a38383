//! What turns took of the models: from the program's record to the page, the store and the command line.

use serde_json::{Value, json};

use crate::browser::Desk;

/// A program that keeps a transcript as Claude Code does, and writes what a turn took after it has answered.
const TOY: &str = r#"
file="$CLAUDE_CONFIG_DIR/projects/here/s.jsonl"
mkdir -p "$(dirname "$file")"
put() { printf '%s\n' "$1" >> "$file"; }
n=0
while printf 'toy> ' && read -r line; do
  n=$((n + 1)) now=$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)
  put "{\"type\":\"user\",\"cwd\":\"$PWD\",\"timestamp\":\"$now\",\"message\":{\"content\":\"$line\"}}"
  printf 'said %s\n' "$line"
  usage='"usage":{"input_tokens":1000,"cache_read_input_tokens":90000,"cache_creation_input_tokens":500,"output_tokens":200}'
  put "{\"type\":\"assistant\",\"timestamp\":\"$now\",\"message\":{\"id\":\"m$n\",\"model\":\"${MODEL:-claude-opus-4-5}\",\"content\":[{\"type\":\"text\",\"text\":\"said $line\"}],\"stop_reason\":\"end_turn\",$usage}}"
done
"#;

fn desk_with(model: &str) -> Desk {
    let desk = Desk::new();
    let home = desk.world.home.path();
    let script = home.join("toy.sh");
    std::fs::write(&script, TOY).unwrap();
    let yaml = format!(
        "name: toy\ncommand: [bash, '{}']\nidle_regex: '^toy> $'\nprompt_template: '{{text}}'\nrecord: claude\n\
         env: {{ CLAUDE_CONFIG_DIR: '{}', MODEL: '{model}' }}\n",
        script.display(),
        home.join("claude").display()
    );
    desk.world.start_profile("toy", &yaml);
    desk.browser
        .wait_for("/api/agents/toy", "it appears", |seen| {
            seen["agent"].is_object()
        });
    desk.browser.wait_for_status("toy", "idle");
    desk
}

fn say(desk: &Desk, text: &str) -> Value {
    let task = desk.send("toy", text);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let seen = desk.browser.wait_for(&path, "its usage is known", |seen| {
        seen["task"]["usage"].is_object()
    });
    seen["task"].clone()
}

#[test]
fn what_a_turn_took_is_kept_shown_and_summed() {
    let desk = desk_with("claude-opus-4-5");
    let task = say(&desk, "one");
    let usage = &task["usage"];
    assert_eq!(
        (&usage["input"], &usage["cached"], &usage["output"]),
        (&json!(1_000), &json!(90_000), &json!(200))
    );
    assert_eq!(usage["model"], "claude-opus-4-5");
    // 1000 × 5 + 500 × 6.25 + 90000 × 0.5 + 200 × 25, in millionths.
    assert_eq!(usage["cost_usd"], json!(0.058_125));
    assert_eq!(
        (&usage["context"], &usage["window"]),
        (&json!(91_700), &json!(200_000))
    );
    let agent = desk
        .browser
        .wait_for("/api/agents/toy", "the head has it", |seen| {
            seen["agent"]["usage"]["task"] == task["id"]
        });
    assert_eq!(agent["agent"]["usage"], *usage);
    say(&desk, "two");
    let days = desk.browser.get("/api/usage").ok();
    let day = &days["days"][0];
    assert_eq!((&day["handle"], &day["turns"]), (&json!("toy"), &json!(2)));
    assert_eq!(day["tokens"]["cached"], 180_000);
    assert_eq!(day["cost_usd"], json!(0.116_25));
    let printed = desk.world.json(&["usage", "toy", "--json"]);
    assert_eq!(printed["days"], days["days"]);
    assert_eq!(printed["turns"].as_array().unwrap().len(), 2);
    let text = desk.world.ok(&["usage"]);
    assert!(text.contains("@toy") && text.contains("$0.12"), "{text}");
    desk.browser
        .get("/api/usage?days=0")
        .refused(400, "bad_request");
}

#[test]
fn a_model_without_a_price_costs_an_unknown_sum_until_the_person_knows_it() {
    let desk = desk_with("house-model-1");
    let usage = say(&desk, "one")["usage"].clone();
    assert_eq!(
        (&usage["cost_usd"], &usage["window"]),
        (&Value::Null, &Value::Null)
    );
    let text = desk.world.ok(&["usage"]);
    assert!(text.contains("unknown") && !text.contains('$'), "{text}");
    let file = desk.world.home.path().join("synapse/prices.yaml");
    let table = "models:\n  house-model: { input: 1, output: 10, cache_read: 0, window: 100000 }\n";
    std::fs::write(&file, table).unwrap();
    let days = desk.browser.get("/api/usage").ok();
    assert_eq!(days["days"][0]["cost_usd"], json!(0.003_5));
    std::fs::write(&file, "models:\n  house-model: { input: one }\n").unwrap();
    let output = desk.world.run(&["usage"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        said.contains("prices.yaml") && said.contains("line 2"),
        "{said}"
    );
}
