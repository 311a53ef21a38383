//! How a program without a profile is wrapped, and which profiles there are.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::wrapped;
use crate::world::World;
use crate::world::terminal::Terminal;

/// A program called `goose`, in a folder that is on the `PATH`.
fn with_goose() -> (World, String) {
    let world = World::new();
    let folder = world.home.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("goose");
    std::fs::write(
        &file,
        "#!/bin/sh\nwhile read -r line; do echo \"honk $1 $line\"; done\n",
    )
    .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    (world, path)
}

#[test]
fn a_command_behind_two_dashes_is_known_by_the_name_of_its_program() {
    let world = World::new();
    world.ok(&["start", "--port", "0", "--", "/bin/cat"]);
    let entry = world.entry();
    assert_eq!(
        (&entry["handle"], &entry["profile"]),
        (&"cat".into(), &"cat".into())
    );
    world.wait_for_state("cat", "IDLE");
    let nothing = world.run(&["start", "--port", "0"]);
    assert_eq!(nothing.status.code(), Some(2), "a program must be named");
}

#[test]
fn a_program_without_a_profile_is_started_by_its_name() {
    let (world, path) = with_goose();
    let run = |args: &[&str]| world.command(args).env("PATH", &path).output().unwrap();
    let started = run(&["start", "goose", "--port", "0", "--", "loud"]);
    let error = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(started.status.success(), "{error}");
    assert_eq!(
        world.ok(&["send", "goose", "hi", "--return"]),
        "honk loud hi\n"
    );
    let bare = run(&["goose"]);
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert_eq!(bare.status.code(), Some(2));
    assert!(said.contains("synapse -- goose"), "{said}");
    let unknown = run(&["start", "no-such-goose", "--port", "0"]);
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        said.contains("there is no profile 'no-such-goose'"),
        "{said}"
    );
}

#[test]
fn any_program_is_wrapped_in_this_terminal() {
    let (world, path) = with_goose();
    let script = format!("PATH='{path}' exec \"$synapse\" -- goose loud");
    let mut terminal = Terminal::bash(&world, &script);
    world.wait_until("it is there", |world| world.ok(&["list"]).contains("goose"));
    terminal.press("hi\r");
    terminal.wait_for("honk loud hi");
    world.ok(&["stop", "goose"]);
}

#[test]
fn commands_win_over_programs() {
    let world = wrapped("it", &["cat"]);
    assert!(world.ok(&["list"]).contains("it"));
}

#[test]
fn profiles_are_listed_with_their_source_and_whether_they_are_trusted() {
    let world = World::new();
    let write = |folder: &Path, name: &str, text: &str| {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    };
    let own = world.home.path().join("synapse/profiles");
    let project = world.home.path().join("project");
    write(&own, "mine", "name: mine\ncommand: cat\n");
    write(
        &project.join(".synapse/profiles"),
        "ours",
        "name: ours\ncommand: cat -u\n",
    );
    let list = |dir: &Path| {
        let output = world
            .command(&["profile", "list"])
            .current_dir(dir)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let line = |dir: &Path, name: &str| {
        let list = list(dir);
        let found = list
            .lines()
            .find(|line| line.starts_with(name))
            .map(str::to_owned);
        found.unwrap_or_else(|| panic!("{name}: {list}"))
    };
    assert!(line(&project, "mine").contains("yours"));
    assert!(line(&project, "claude").contains("built-in"));
    assert!(line(&project, "ours").contains("project, not trusted"));
    let show = |name: &str| {
        let output = world
            .command(&["profile", "show", name])
            .current_dir(&project)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_eq!(
        show("ours"),
        "name: ours\ncommand: cat -u\n",
        "to look is not to agree"
    );
    assert_eq!(show("mine"), "name: mine\ncommand: cat\n");
    let mut trust = world.command(&["profile", "trust", ".synapse/profiles/ours.yaml"]);
    assert!(trust.current_dir(&project).status().unwrap().success());
    assert!(line(&project, "ours").contains("project, trusted"));
}

#[test]
fn in_the_home_directory_your_own_profiles_are_yours() {
    let world = World::new();
    let own = world.home.path().join(".synapse/profiles");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("mine.yaml"), "name: mine\ncommand: cat\n").unwrap();
    let run = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("SYNAPSE_HOME", world.home.path().join(".synapse"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let list = run(&["profile", "list"]);
    assert!(
        list.contains("yours") && !list.contains("project"),
        "{list}"
    );
    assert!(run(&["start", "mine", "--port", "0"]).starts_with("mine (PID"));
    run(&["stop", "--all"]);
}
