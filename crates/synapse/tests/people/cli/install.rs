//! `make install` and `make uninstall`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::world::World;

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// The script, with the binaries of this build, and for nobody's home but this one.
fn script(action: &str, home: &Path, prefix: &str) -> Command {
    let built = assert_cmd::cargo::cargo_bin!("synapse").parent().unwrap();
    let mut command = Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/install"
    ));
    command.arg(action).arg(built).current_dir(home);
    command.env("HOME", home).env("PREFIX", prefix);
    command
}

#[test]
fn a_prefix_is_understood_as_every_shell_hands_it_over() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for (prefix, folder) in [
        ("~/.local", ".local"),
        ("~/local//", "local"),
        ("here/local", "here/local"),
        ("./here", "here"),
    ] {
        let folder = home.join(folder);
        let run = |action: &str| {
            let output = script(action, &home, prefix).output().unwrap();
            assert!(output.status.success(), "{prefix}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let said = run("uninstall");
        let nothing = format!("nothing of Synapse was below {}\n", folder.display());
        assert_eq!(said, nothing, "{prefix}");
        let said = run("install");
        let path = format!("export PATH=\"{}/bin:", folder.display());
        assert!(said.contains(&path), "{prefix}: {said}");
        assert!(folder.join("bin/synapse").is_file(), "{prefix}");
        let said = run("uninstall");
        assert!(said.contains("removed Synapse from"), "{prefix}: {said}");
        assert_eq!(files(&folder), Vec::<PathBuf>::new(), "{prefix}");
    }
    let refused = script("install", &home, "~ada/local").output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!home.join("~ada").exists() && !home.join("~").exists());
}

#[test]
fn everything_is_installed_and_removed_again() {
    let home = tempfile::tempdir().unwrap();
    let prefix = home.path().join("local");
    let run = |action: &str| {
        let mut command = script(action, home.path(), prefix.to_str().unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = run("install");
    assert!(said.contains("is not on your PATH"), "{said}");
    for file in [
        "bin/synapse",
        "bin/synapse-send",
        "bin/synapse-shell",
        "share/man/man1/synapse.1",
        "share/man/man1/synapse-send.1",
        "share/bash-completion/completions/synapse",
        "share/zsh/site-functions/_synapse",
        "share/fish/vendor_completions.d/synapse.fish",
    ] {
        assert!(prefix.join(file).is_file(), "{file}");
    }
    let version = Command::new(prefix.join("bin/synapse-send"))
        .arg("--help")
        .output();
    assert!(version.unwrap().status.success());
    // Once more over the first.
    run("install");
    let said = run("uninstall");
    assert!(said.contains("rm -r ~/.synapse ~/.a2a"), "{said}");
    assert_eq!(files(&prefix), Vec::<PathBuf>::new());
    let left = std::fs::read_dir(&prefix).unwrap().count();
    assert_eq!(left, 0, "empty folders are left");
}

#[test]
fn what_could_stop_the_agents_is_not_removed_while_they_run() {
    let world = World::with_dummy();
    let prefix = world.home.path().join("local");
    let run = |action: &str, force: &str| {
        // With the environment of this world, so that it is its agents that are counted.
        let synapse = world.command(&[]);
        let mut command = script(action, world.home.path(), prefix.to_str().unwrap());
        for (name, value) in synapse.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("FORCE", force).output().unwrap()
    };
    assert!(run("install", "").status.success());
    let refused = run("uninstall", "");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("1 of your agents still run"), "{said}");
    assert!(said.contains("synapse stop --all"), "{said}");
    assert!(prefix.join("bin/synapse").is_file());
    assert!(run("uninstall", "1").status.success());
    assert!(!prefix.join("bin/synapse").exists());
}

#[test]
fn a_service_is_written_and_removed() {
    let world = World::new();
    let config = world.home.path().join("config");
    let run = |args: &[&str]| {
        let mut command = world.command(args);
        command
            .env("XDG_CONFIG_HOME", &config)
            .env("PATH", "/nowhere");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = run(&["install-service"]);
    assert!(
        said.contains("systemctl --user enable synapse.service"),
        "{said}"
    );
    let unit = config.join("systemd/user/synapse.service");
    let text = std::fs::read_to_string(&unit).unwrap();
    assert!(text.contains("synapse\" up\n"), "{text}");
    run(&["install-service", "--remove"]);
    assert!(!unit.exists());
    run(&["install-service", "--remove"]);
}
