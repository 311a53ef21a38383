//! `synapse install-service`.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::install::program;
use crate::world::World;

#[test]
fn a_service_is_written_and_removed() {
    let world = World::new();
    let config = world.home.path().join("config");
    let run = |args: &[&str], path: &Path| {
        let mut command = world.command(args);
        command.env("XDG_CONFIG_HOME", &config).env("PATH", path);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = run(&["install-service"], Path::new("/nowhere"));
    assert!(
        said.contains("systemctl --user enable synapse.service"),
        "{said}"
    );
    let folder = config.join("systemd/user");
    let unit = folder.join("synapse.service");
    let mode = unit.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "a proxy may have a password");

    let bin = world.home.path().join("bin");
    let told = world.home.path().join("told");
    program(
        &bin.join("systemctl"),
        &format!("echo \"$*\" >>'{}'", told.display()),
    );
    let said = run(&["install-service"], &bin);
    assert!(said.contains("brought back at login"), "{said}");
    // What `enable` makes; this one does not.
    let link = folder.join("default.target.wants/synapse.service");
    std::fs::create_dir(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&unit, &link).unwrap();
    run(&["install-service", "--remove"], &bin);
    assert!(!unit.exists() && link.symlink_metadata().is_err());
    let told = std::fs::read_to_string(told).unwrap();
    let expected = ["daemon-reload", "enable synapse.service"];
    let expected = [expected, ["disable synapse.service", "daemon-reload"]].concat();
    let told: Vec<&str> = told.lines().map(|line| &line["--user ".len()..]).collect();
    assert_eq!(told, expected);
    run(&["install-service", "--remove"], Path::new("/nowhere"));
}

#[test]
fn a_service_gives_agents_what_they_are_started_with() {
    let world = World::new();
    let odd = world.home.path().join("a b 100% $HOME");
    std::fs::create_dir(&odd).unwrap();
    let odd = odd.to_str().unwrap();
    let unit = |own: &Path| {
        let mut command = std::process::Command::new(own);
        for (name, value) in world.command(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .args(["install-service", "--print"])
            .current_dir(odd)
            .env("PATH", format!("{odd}:/usr/bin"))
            .env("CODEX_HOME", "codex \"x\"\\\nhome")
            .env("A2A_HOME", "")
            .env("HTTPS_PROXY", "http://ada:50%25@proxy")
            .env("ANTHROPIC_API_KEY", "secret")
            .env("SYNAPSE_AGENT_ID", "synapse-dummy-8100");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let own = Path::new(odd).join("synapse");
    std::fs::hard_link(assert_cmd::cargo::cargo_bin!("synapse"), &own)
        .or_else(|_| std::fs::copy(assert_cmd::cargo::cargo_bin!("synapse"), &own).map(|_| ()))
        .unwrap();
    let text = unit(&own);
    let quoted = odd.replace('%', "%%");
    let home = world.home.path().display();
    for line in [
        "RemainAfterExit=yes".to_owned(),
        "OOMPolicy=continue".to_owned(),
        format!("ExecStart=-\"{quoted}/synapse\" up"),
        format!("ExecStop=\"{quoted}/synapse\" install-service --stop"),
        format!("Environment=\"PATH={quoted}:/usr/bin\""),
        format!(r#"Environment="CODEX_HOME={quoted}/codex \"x\"\\\x0ahome""#),
        format!("Environment=\"SYNAPSE_HOME={home}/synapse\""),
        "Environment=\"HTTPS_PROXY=http://ada:50%%25@proxy\"".to_owned(),
        "Environment=\"LANG=C.UTF-8\"".to_owned(),
    ] {
        assert!(text.lines().any(|told| told == line), "{line}\n{text}");
    }
    for name in ["A2A_HOME", "ANTHROPIC", "SYNAPSE_AGENT_ID"] {
        assert!(!text.contains(name), "{name}\n{text}");
    }
    // Where systemd is, it says itself whether it understands the unit.
    let file = Path::new(odd).join("synapse.service");
    std::fs::write(&file, text).unwrap();
    let verified = Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .arg(&file)
        .env("XDG_RUNTIME_DIR", world.home.path())
        .output();
    if let Ok(verified) = verified {
        let said = String::from_utf8_lossy(&verified.stderr);
        assert!(verified.status.success(), "{said}");
        assert!(!said.contains("synapse.service"), "{said}");
    }
}

#[test]
fn a_service_ends_the_agents_that_it_has_started_and_no_others() {
    let world = World::new();
    for (name, invocation) in [("mine", Some("a1")), ("other", Some("b2")), ("shell", None)] {
        let mut command = world.command(&["start", "dummy", "--port", "0", "--name", name]);
        command.env_remove("INVOCATION_ID");
        command.envs(invocation.map(|id| ("INVOCATION_ID", id)));
        assert!(command.status().unwrap().success());
    }
    let handles = || {
        let list = world.json(&["list", "--json"])["agents"].clone();
        let list = list.as_array().unwrap().iter();
        let handles = list.map(|agent| agent["handle"].as_str().unwrap().to_owned());
        handles.collect::<BTreeSet<_>>()
    };
    let stop = |invocation: Option<&str>| {
        let mut command = world.command(&["install-service", "--stop"]);
        command.env_remove("INVOCATION_ID");
        command.envs(invocation.map(|id| ("INVOCATION_ID", id)));
        assert!(command.status().unwrap().success());
    };
    stop(None);
    assert_eq!(
        handles(),
        ["mine", "other", "shell"].map(str::to_owned).into()
    );
    stop(Some("a1"));
    assert_eq!(handles(), ["other", "shell"].map(str::to_owned).into());
    // What the machine's end ended comes back.
    assert!(world.ok(&["up", "--dry-run"]).contains("mine"));
}
