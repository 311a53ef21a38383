//! `make install` and `make uninstall`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::world::World;

mod foreign;

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

/// A program of one line.
pub(super) fn program(path: &Path, line: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{line}\n")).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// The script, with the binaries of this build, and for nobody's home but this one.
fn script(action: &str, home: &Path, prefix: &str) -> Command {
    let built = assert_cmd::cargo::cargo_bin!("synapse").parent().unwrap();
    script_of(built, action, home, prefix)
}

fn script_of(built: &Path, action: &str, home: &Path, prefix: &str) -> Command {
    let mut command = Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/install"
    ));
    command.arg(action).arg(built).current_dir(home);
    command.env("HOME", home).env("PREFIX", prefix);
    for name in [
        "SYNAPSE_HOME",
        "A2A_HOME",
        "XDG_CONFIG_HOME",
        "ZDOTDIR",
        "DESTDIR",
        "FORCE",
    ] {
        command.env_remove(name);
    }
    command
}

#[test]
fn what_is_left_behind_is_named_and_no_unit_calls_what_is_gone() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let run = |action: &str| {
        // No systemd of this machine is told anything.
        let mut command = script(action, &home, "~/.local");
        program(&home.join("fake/systemctl"), "exit 1");
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", home.join("fake").display()));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let unit = home.join(".config/systemd/user/synapse.service");
    std::fs::create_dir_all(unit.parent().unwrap()).unwrap();
    let hook = "eval \"$(synapse shell-hook)\"";
    std::fs::write(home.join(".bashrc"), format!("ls\n{hook}\n")).unwrap();
    std::fs::write(home.join(".zshrc"), "synapse list\n").unwrap();
    std::fs::create_dir_all(home.join(".cursor/extensions/synapse.synapse-agents-0.2.0")).unwrap();

    run("install");
    let own = home.join(".local/bin/synapse");
    std::fs::write(&unit, format!("ExecStart=-\"{}\" up\n", own.display())).unwrap();
    let said = run("uninstall");
    assert!(!unit.exists(), "{said}");
    for part in [
        "rm -r ~/.synapse ~/.a2a\n",
        &format!("{}:{hook}\n", home.join(".bashrc").display()),
        "cursor --uninstall-extension synapse.synapse-agents\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains(".zshrc"), "{said}");

    run("install");
    std::fs::write(&unit, "ExecStart=-\"/elsewhere/bin/synapse\" up\n").unwrap();
    let said = run("uninstall");
    assert!(unit.exists(), "that of another installation stays");
    assert!(said.contains(unit.to_str().unwrap()), "{said}");
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
        ("~/R&D 100%/$x", "R&D 100%/$x"),
        ("~/$(id)\"`id`'", "$(id)\"`id`'"),
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
        let hint = said.split("add it: ").nth(1).unwrap();
        let typed = Command::new("bash")
            .args(["-c", &format!("{hint}printf %s \"$PATH\"")])
            .output();
        let path = String::from_utf8(typed.unwrap().stdout).unwrap();
        let expected = format!("{}/bin:", folder.display());
        assert!(path.starts_with(&expected), "{prefix}: {said}");
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
    let version = |name: &str, flag: &str| {
        let output = Command::new(prefix.join("bin").join(name))
            .arg(flag)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let own = version("synapse", "--version");
    assert!(
        own.starts_with(concat!("synapse ", env!("CARGO_PKG_VERSION"))),
        "{own}"
    );
    for name in ["synapse-send", "synapse-shell"] {
        assert_eq!(
            [version(name, "--version"), version(name, "-V")],
            [own.as_str(); 2]
        );
        assert!(version(name, "--help").contains("Usage: synapse s"));
    }
    // Once more over the first, of which a page is no longer there.
    let gone = prefix.join("share/man/man1/synapse-gone.1");
    std::fs::write(&gone, "").unwrap();
    let list = prefix.join("share/synapse/installed");
    let listed = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, format!("share/man/man1/synapse-gone.1\n{listed}")).unwrap();
    run("install");
    assert_eq!(std::fs::read_to_string(&list).unwrap(), listed);
    assert!(!gone.exists());
    let said = run("uninstall");
    assert!(said.contains("rm -r ~/.synapse ~/.a2a"), "{said}");
    assert_eq!(files(&prefix), Vec::<PathBuf>::new());
    let left = std::fs::read_dir(&prefix).unwrap().count();
    assert_eq!(left, 0, "empty folders are left");
}

#[test]
fn what_is_installed_stays_until_the_whole_of_the_new_is_there() {
    let home = tempfile::tempdir().unwrap();
    let prefix = home.path().join("local");
    let run = |built: Option<&Path>| {
        let mut command = script("install", home.path(), prefix.to_str().unwrap());
        if let Some(built) = built {
            command = Command::new(command.get_program());
            command.arg("install").arg(built).env("PREFIX", &prefix);
        }
        command.output().unwrap()
    };
    let contents = || -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files(&prefix).into_iter();
        files
            .map(|file| (file.clone(), std::fs::read(file).unwrap()))
            .collect()
    };
    // For another machine, for one, or cut short; `synapse-shell` is what is looked at last.
    let broken = home.path().join("broken");
    program(&broken.join("synapse"), "echo synapse 9");
    program(&broken.join("synapse-send"), "echo synapse 9");
    std::fs::write(broken.join("synapse-shell"), "\x7fELF").unwrap();
    let refused = run(Some(&broken));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("nothing was changed"),
        "{said}"
    );
    assert!(!prefix.exists());

    assert!(run(None).status.success());
    let before = contents();
    program(&prefix.join("bin/synapse"), "echo older");
    let older = contents();
    assert!(!run(Some(&broken)).status.success());
    assert_eq!(contents(), older);
    // The last file has no place: none is touched.
    let fish = prefix.join("share/fish/vendor_completions.d/synapse.fish");
    std::fs::remove_file(&fish).unwrap();
    std::fs::create_dir(&fish).unwrap();
    let without = contents();
    let refused = run(None);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("synapse.fish is a folder"),
        "{said}"
    );
    assert_eq!(contents(), without);
    std::fs::remove_dir(&fish).unwrap();
    assert!(run(None).status.success());
    assert_eq!(contents(), before);
}

#[test]
fn an_installation_is_for_everyone_whatever_its_owner_keeps_private() {
    let home = tempfile::tempdir().unwrap();
    let prefix = home.path().join("opt/synapse");
    let install = script("install", home.path(), prefix.to_str().unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", "umask 077; exec \"$@\"", "sh"]);
    command.arg(install.get_program()).args(install.get_args());
    command.env("HOME", home.path()).env("PREFIX", &prefix);
    assert!(command.status().unwrap().success());
    let mut paths = files(&prefix);
    assert!(paths.len() > 20, "{paths:?}");
    let folders: BTreeSet<PathBuf> = paths
        .iter()
        .flat_map(|file| file.ancestors().skip(1))
        .filter(|folder| folder.starts_with(home.path().join("opt")))
        .map(Path::to_owned)
        .collect();
    paths.extend(folders);
    for path in paths {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        let is_run = path.is_dir() || path.parent().unwrap().ends_with("bin");
        assert_eq!(
            mode,
            if is_run { 0o755 } else { 0o644 },
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_taken_port_of_the_page_is_told_with_the_command_that_has_another() {
    // Whoever else has it will do.
    let _taken = std::net::TcpListener::bind("127.0.0.1:8180");
    let refused = World::new().run(&["open"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("synapse web --port"), "{said}");
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
    let refuses = |expected: &[&str]| {
        let refused = run("uninstall", "");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success(), "{said}");
        for part in expected {
            assert!(said.contains(part), "{part}\n{said}");
        }
        assert!(prefix.join("bin/synapse").is_file());
    };
    refuses(&["1 of your agents still run", "synapse stop --all"]);
    world.ok(&["stop", "--all"]);
    if cfg!(target_os = "linux") {
        let own = prefix.join("bin/synapse");
        let page = world.command(&["web", "--port", "0"]);
        let mut command = Command::new(&own);
        command.args(page.get_args());
        command.envs(
            page.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let mut page = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        refuses(&[&format!("PID {}: ", page.id()), "synapse web --port 0"]);
        // A new version takes its place; the old one goes on.
        assert!(run("install", "").status.success());
        refuses(&[&format!("PID {}: ", page.id())]);
        page.kill().unwrap();
        page.wait().unwrap();
    }
    world.ok(&["start", "dummy", "--port", "0"]);
    assert!(run("uninstall", "1").status.success());
    assert!(!prefix.join("bin/synapse").exists());
}

#[test]
fn the_debian_package_can_be_installed_and_removed() {
    let is_there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !is_there("dpkg") || !is_there("python3") {
        return;
    }
    // The binaries of the tests are large.
    let built = tempfile::tempdir().unwrap();
    let own = assert_cmd::cargo::cargo_bin!("synapse").display();
    for name in ["synapse", "synapse-send", "synapse-shell"] {
        program(&built.path().join(name), &format!("exec '{own}' \"$@\""));
    }
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/dist");
    let tried = Command::new("python3")
        .args([dist, "--try"])
        .arg(built.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tried.stderr);
    assert!(tried.status.success(), "{said}");
}
