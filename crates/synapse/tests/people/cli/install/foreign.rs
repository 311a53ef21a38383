//! What the installer does not take for its own, and what it leaves when it is killed.

use std::path::PathBuf;
use std::process::Command;

use super::{files, program, script_of};

/// A home with a `local` that is installed to, from binaries that take no room.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let own = assert_cmd::cargo::cargo_bin!("synapse").display();
        for name in ["synapse", "synapse-send", "synapse-shell"] {
            let built = home.path().join("built").join(name);
            program(&built, &format!("exec '{own}' \"$@\""));
        }
        Self { home }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("local").join(name)
    }

    /// Whatever is below `local`.
    fn files(&self) -> Vec<PathBuf> {
        files(&self.home.path().join("local"))
    }

    fn script(&self, action: &str) -> Command {
        let prefix = self.home.path().join("local");
        let built = self.home.path().join("built");
        script_of(&built, action, self.home.path(), prefix.to_str().unwrap())
    }

    /// What it says when it succeeds.
    fn run(&self, action: &str) -> String {
        let output = self.script(action).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn only_what_was_installed_is_ever_removed() {
    let machine = Machine::new();
    let foreign = machine.file("share/man/man1/synapse-janitor.1");
    std::fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    std::fs::write(&foreign, "").unwrap();
    assert!(machine.run("uninstall").starts_with("nothing of Synapse"));
    assert!(foreign.exists());
    let own = [foreign.clone()];
    // 0.2.0 left no list.
    for is_0_2_0 in [false, true] {
        machine.run("install");
        if is_0_2_0 {
            std::fs::remove_file(machine.file("share/synapse/installed")).unwrap();
            let listed = machine.files().len();
            machine.run("install");
            assert_eq!(machine.files().len(), listed + 1);
            std::fs::remove_file(machine.file("share/synapse/installed")).unwrap();
        }
        assert!(foreign.exists());
        assert!(machine.run("uninstall").starts_with("removed Synapse"));
        assert_eq!(machine.files(), own);
    }
}

#[test]
fn a_program_of_the_same_name_is_not_replaced_unasked() {
    let machine = Machine::new();
    let foreign = machine.file("bin/synapse");
    // It is not even run.
    program(&foreign, "echo synapse 9; touch \"$0.ran\"");
    let refused = machine.script("install").output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{said}");
    for part in [foreign.to_str().unwrap(), "FORCE=1"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let said = machine.run("uninstall");
    assert!(said.contains("is another program"), "{said}");
    assert_eq!(machine.files(), [foreign]);
    let mut forced = machine.script("install");
    assert!(forced.env("FORCE", "1").status().unwrap().success());
    machine.run("install");
    machine.run("uninstall");
    assert_eq!(machine.files(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_killed_installation_has_left_goes_with_the_next_and_with_its_removal() {
    let machine = Machine::new();
    // It dies as soon as this file is staged.
    let fake = machine.home.path().join("fake");
    program(
        &fake.join("install"),
        "/usr/bin/install \"$@\"; case $4 in *_synapse.new.*) kill -9 $PPID ;; esac",
    );
    let path = format!("{}:{}", fake.display(), std::env::var("PATH").unwrap());
    for next in ["install", "uninstall"] {
        let mut command = machine.script("install");
        let killed = command.env("PATH", &path).output().unwrap();
        assert!(!killed.status.success());
        assert!(machine.files().len() >= 5, "{:?}", machine.files());
        machine.run(next);
        let is_staged = |file: &PathBuf| file.to_string_lossy().contains(".new.");
        assert!(!machine.files().iter().any(is_staged));
        machine.run("uninstall");
        assert_eq!(machine.files(), Vec::<PathBuf>::new());
    }
}

#[test]
fn what_cannot_be_a_prefix_and_no_arguments_are_refused() {
    let machine = Machine::new();
    machine.run("install");
    let before = machine.files();
    let name = machine.file("new\nline");
    for variable in ["PREFIX", "DESTDIR"] {
        for action in ["install", "uninstall"] {
            let refused = machine.script(action).env(variable, &name).output();
            let refused = refused.unwrap();
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{said}");
            assert!(said.contains("no line break"), "{said}");
        }
    }
    assert_eq!(machine.files(), before);
    let refused = Command::new(machine.script("install").get_program()).output();
    let refused = refused.unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.starts_with("usage: "), "{said}");
}

#[test]
fn what_is_advised_can_be_typed_as_it_stands() {
    let machine = Machine::new();
    machine.run("install");
    let home = machine.home.path().join("my $(stuff)");
    let mut command = machine.script("uninstall");
    let output = command.env("SYNAPSE_HOME", &home).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let advice = said.split("to delete them: rm -r ").nth(1).unwrap();
    let advice = advice.lines().next().unwrap();
    let typed = Command::new("bash")
        .args(["-c", &format!("printf '%s\n' {advice}")])
        .env("HOME", machine.home.path())
        .output();
    let typed = String::from_utf8(typed.unwrap().stdout).unwrap();
    let expected = [home, machine.home.path().join(".a2a")];
    let expected = expected.map(|path| path.display().to_string());
    assert_eq!(typed.lines().collect::<Vec<_>>(), expected);
}
