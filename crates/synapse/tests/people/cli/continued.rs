//! Which conversation an agent goes on with when it is brought back.

use crate::world::{World, is_gone};

/// A program that says how it was started, repeats what it reads, and keeps its conversation as Gemini CLI does.
const KEEPER: &str = r#"
echo "started with: $*"
name=talk-$$
[ "$1" = --resume ] && name=$2
folder=$HOME/.gemini/tmp/p/chats
mkdir -p "$folder"
file=$folder/session-$name.jsonl
project=$(printf %s "$PWD" | sha256sum | cut -d' ' -f1)
[ -e "$file" ] || printf '{"sessionId":"%s","projectHash":"%s"}\n' "$name" "$project" >"$file"
printf '> '
while IFS= read -r line; do
  ((n++))
  printf '{"id":"%s-%s","type":"user","content":[{"text":"%s"}]}\n' $$ $n "$line" >>"$file"
  echo "said $line"
  printf '{"id":"%s-%s-reply","type":"gemini","content":"said %s"}\n' $$ $n "$line" >>"$file"
  printf '> '
done
"#;

/// A profile of such a program, by the name of its file.
fn profile_of(world: &World, name: &str, script: &str, more: &str) -> String {
    let home = world.home.path().canonicalize().unwrap();
    let program = home.join(format!("{name}.sh"));
    std::fs::write(&program, script).unwrap();
    let profile = home.join(format!("{name}.yaml"));
    let text = format!(
        "name: {name}\ncommand: bash\nargs: [{}]\nresume: [--resume, '{{session}}']\nhooks: false\nenv: {{HOME: {}}}\n{more}",
        program.display(),
        home.display(),
    );
    std::fs::write(&profile, text).unwrap();
    profile.to_str().unwrap().to_owned()
}

/// Two agents of this profile in one folder.
fn two_of(world: &World, profile: &str, more: &[&str]) {
    for name in ["one", "two"] {
        let words = ["start", profile, "--name", name, "--port", "0"];
        world.ok(&[&words[..], more].concat());
    }
}

fn crash_all(world: &World) {
    let listed = world.json(&["list", "--json"])["agents"].clone();
    for agent in listed.as_array().unwrap() {
        let pid = agent["pid"].to_string();
        let kill = std::process::Command::new("kill")
            .args(["-9", &pid])
            .status();
        assert!(kill.unwrap().success());
        world.wait_until("its host is gone", |_| is_gone(&pid));
    }
}

/// The conversation of an agent, as far as it is known for the next start.
fn known(world: &World, handle: &str) -> Option<String> {
    let folder = std::fs::read_dir(world.home.path().join("synapse/agents")).unwrap();
    // A draft may be beside them.
    let files = folder.map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "json"));
    let texts = files.map(|file| std::fs::read_to_string(file).unwrap());
    let mut records = texts.map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    let record = records.find(|record| record["handle"] == handle).unwrap();
    record["conversation"].as_str().map(str::to_owned)
}

#[test]
fn two_agents_of_one_folder_go_on_with_a_conversation_each() {
    let world = World::new();
    let profile = profile_of(&world, "keeper", KEEPER, "record: gemini\n");
    two_of(&world, &profile, &[]);
    for (agent, words) in [("one", "fix the cart"), ("two", "add a test")] {
        world.ok(&["send", agent, words, "--return"]);
        world.wait_until("its conversation is known", |world| {
            known(world, agent).is_some()
        });
    }
    let own = ["one", "two"].map(|agent| known(&world, agent).unwrap());
    assert_ne!(own[0], own[1]);
    crash_all(&world);
    let said = world.ok(&["up"]);
    for (agent, name) in ["one", "two"].into_iter().zip(&own) {
        let back = format!("{agent} is back with its conversation ({name})");
        assert!(said.contains(&back), "{said}");
        let started = format!("started with: --resume {name}");
        world.wait_until("it was told", |world| {
            world.ok(&["screen", agent]).contains(&started)
        });
    }
}

#[test]
fn of_two_conversations_with_the_same_message_none_is_guessed() {
    let world = World::new();
    let profile = profile_of(&world, "keeper", KEEPER, "record: gemini\n");
    two_of(&world, &profile, &[]);
    // Both files have it before either agent looks into them.
    let folder = world.home.path().join(".gemini/tmp/p/chats");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let head = std::fs::read_to_string(&path).unwrap();
        let line = r#"{"id":"0","type":"user","content":[{"text":"hello"}]}"#;
        std::fs::write(&path, format!("{head}{line}\n")).unwrap();
    }
    world.ok(&["send", "one", "hello", "--return"]);
    crash_all(&world);
    let said = world.ok(&["up"]);
    assert_eq!(
        said.matches("is back, with a new conversation").count(),
        2,
        "{said}"
    );
}

#[test]
fn no_two_agents_are_brought_back_into_one_conversation() {
    let world = World::new();
    let profile = profile_of(&world, "keeper", KEEPER, "record: gemini\n");
    // Two that were started at the same moment: none was seen to have it open.
    for (name, talk) in [("one", "talk-1"), ("two", "talk-2")] {
        let words = [
            "start", &profile, "--name", name, "--port", "0", "--resume", talk,
        ];
        world.ok(&words);
    }
    crash_all(&world);
    for record in std::fs::read_dir(world.home.path().join("synapse/agents")).unwrap() {
        let file = record.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("talk-2", "talk-1")).unwrap();
    }
    let output = world.run(&["up"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("one is back with its conversation (talk-1)")
            && said.contains("two is back, with a new conversation"),
        "{said}"
    );
    assert!(told.contains("talk-1 is open in another agent"), "{told}");
}

#[test]
fn what_was_said_at_the_first_start_is_not_said_again() {
    let world = World::new();
    let arguments = "arguments: {switches: [-v], once: [--continue]}\n";
    let profile = profile_of(
        &world,
        "keeper",
        KEEPER,
        &format!("record: gemini\n{arguments}"),
    );
    let words = ["start", &profile, "--port", "0", "--"];
    let own = ["-v", "fix the bug", "--model", "x", "--continue"];
    world.ok(&[&words[..], &own].concat());
    let shown = |world: &World, line: &str| {
        let shown = world.ok(&["screen", "keeper"]);
        shown.lines().any(|row| row == line)
    };
    // As long as there is no conversation, nobody knows that it was taken.
    let first = "started with: -v fix the bug --model x --continue";
    crash_all(&world);
    world.ok(&["up"]);
    world.wait_until("it is told all", |world| shown(world, first));
    world.ok(&["send", "keeper", "hello", "--return"]);
    world.wait_until("its conversation is known", |world| {
        known(world, "keeper").is_some()
    });
    let name = known(&world, "keeper").unwrap();
    world.ok(&["restart", "keeper"]);
    let again = format!("started with: --resume {name} -v --model x");
    world.wait_until("it goes on", |world| shown(world, &again));
    world.ok(&["restart", "keeper", "--fresh"]);
    world.wait_until("it begins anew", |world| {
        shown(world, "started with: -v --model x")
    });
}

#[test]
fn a_program_that_continues_no_conversation_is_told_apart_from_one_without_any() {
    let world = World::new();
    for words in [["conversations", "dummy"], ["start", "dummy"]] {
        let mut words = words.to_vec();
        words.extend((words[0] == "start").then_some("--resume"));
        let output = world.run(&words);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            told.contains("does not say how") && told.contains("claude, codex, gemini"),
            "{told}"
        );
    }
    let listed = world.json(&["conversations", "dummy", "--json"]);
    assert_eq!(listed["conversations"], serde_json::json!([]));
}

/// A program that takes a while to say that it does not find a conversation.
const LOST: &str = r#"
if [ "$1" = --resume ]; then
  echo "loading $2"
  sleep PATIENCE
  echo "no conversation $2 found"
  exit 1
fi
printf 'a new one\n> '
exec cat
"#;

#[test]
fn a_conversation_that_is_not_found_after_a_while_gives_way_to_a_new_one() {
    let world = World::new();
    let profile = profile_of(&world, "keeper", KEEPER, "");
    let start = ["start", &profile, "--port", "0"];
    world.ok(&[&start[..], &["--resume", "talk-1"]].concat());
    crash_all(&world);
    profile_of(&world, "keeper", &LOST.replace("PATIENCE", "2"), "");
    let output = world.run(&["up"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("keeper is back, with a new conversation"),
        "{said}{told}"
    );
    assert!(
        told.contains("talk-1 could not be continued") && told.contains("no conversation talk-1"),
        "{told}"
    );
    assert!(world.ok(&["screen", "keeper"]).contains("a new one"));
    let refused = world.run(&[&start[..], &["--name", "other", "--resume", "talk-1"]].concat());
    assert_eq!(refused.status.code(), Some(1), "a person asked for it");
}

#[test]
fn one_that_is_not_found_when_nobody_waits_any_more_gives_way_as_well() {
    let world = World::new();
    let profile = profile_of(&world, "keeper", &LOST.replace("PATIENCE", "12"), "");
    world.ok(&["start", &profile, "--port", "0", "--resume", "talk-1"]);
    world.wait_until("a new one begins", |world| {
        let shown = world.run(&["screen", "keeper"]);
        String::from_utf8_lossy(&shown.stdout).contains("a new one")
    });
    let log = world.ok(&["logs", "keeper"]);
    assert!(log.contains("no conversation talk-1 found"), "{log}");
    assert_eq!(known(&world, "keeper"), None);
}
