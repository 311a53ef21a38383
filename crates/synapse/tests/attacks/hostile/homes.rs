//! What another user can do who may write to a folder of ours.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use crate::world::World;

/// A user that is nobody here.
const STRANGER: Option<u32> = Some(65_534);

/// Writes a file in a world, with the folders above it.
fn put(world: &World, name: &str, text: &str) -> std::path::PathBuf {
    let file = world.home.path().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn what_somebody_else_puts_into_a_home_of_ours_is_not_acted_upon() {
    // Only root can give files away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let flow = "steps: {one: {run: [echo, theirs]}}\n";
    let price = "models: {theirs: {input: 1, output: 1}}\n";
    let record = r#"{"agent_id":"eee","handle":"theirs","dir":"/","words":["dummy"],"started_at":"2026-11-19T21:00:00Z"}"#;
    let external = r#"{"alias":"theirs","url":"http://127.0.0.1:9","name":"theirs","added_at":"2026-11-19T21:00:00Z"}"#;
    let files = [
        ("synapse/config.yaml", "queue_limit: 7\n", "config"),
        (
            "synapse/profiles/theirs.yaml",
            "command: [theirs]\n",
            "profile show theirs",
        ),
        ("synapse/flows/theirs.yaml", flow, "flow print theirs"),
        (
            "synapse/prompts/theirs.md",
            "theirs\n",
            "send nobody --template theirs",
        ),
        ("synapse/prices.yaml", price, "usage"),
        ("synapse/agents/theirs.json", record, "up --dry-run"),
        ("a2a/external/theirs.json", external, "external list"),
    ];
    for (name, text, command) in files {
        let words: Vec<&str> = command.split(' ').collect();
        let says = || {
            let output = world.run(&words);
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
        };
        let before = says();
        let file = put(&world, name, text);
        let own = says();
        assert!(
            own != before || name.ends_with("prices.yaml"),
            "{name}: {own}"
        );
        chown(&file, STRANGER, None).unwrap();
        let theirs = says();
        let is_refused = theirs.contains("it belongs to somebody else");
        assert!(theirs == before || is_refused, "{name}: {theirs}");
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_store_of_somebody_else_is_not_opened() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:hi", "--return"]);
    world.ok(&["stop", "dummy"]);
    world.ok(&["tasks", "--json"]);
    let store = world.home.path().join("synapse/synapse.db");
    chown(&store, STRANGER, None).unwrap();
    let refused = world.run(&["tasks", "--json"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("it belongs to somebody else"), "{said}");
}

#[test]
fn a_link_in_a_home_of_ours_has_us_write_nowhere_else() {
    let world = World::new();
    let precious = put(&world, "precious", "mine");
    for name in ["synapse/logs/dummy.log", "synapse/up.lock"] {
        let link = world.home.path().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&precious, link).unwrap();
    }
    world.ok(&["start", "dummy", "--port", "0"]);
    world.ok(&["stop", "--all"]);
    world.run(&["up"]);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
}

#[test]
fn the_doctor_names_folders_that_others_can_write_to() {
    let world = World::new();
    let said = || String::from_utf8(world.run(&["doctor"]).stdout).unwrap();
    let agents = world.home.path().join("synapse/agents");
    fs::create_dir_all(&agents).unwrap();
    let chmod = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod(&agents, 0o777);
    let advice = format!("chmod go-w {}", agents.display());
    assert!(said().contains(&advice), "{}", said());
    chmod(&agents, 0o700);
    assert!(!said().contains("chmod go-w"), "{}", said());
}
