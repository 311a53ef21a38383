//! What the processes we start find in their environment.

use std::fs;
use std::path::{Path, PathBuf};

use crate::world::World;

const HUB_TOKEN: &str = "what-opens-the-hub";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn there_is_one_way_to_start_a_process() {
    let mut found = Vec::new();
    for room in fs::read_dir("..").unwrap() {
        sources(&room.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 200);
    for path in found {
        // The two short names become `synapse` itself, and start nothing.
        // `lsof` gets no environment at all.
        if path.ends_with("child.rs")
            || path.starts_with("../synapse/src/bin")
            || path.ends_with("synapse-platform/src/macos/socket.rs")
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for way in ["Command::new", "execve", "posix_spawn"] {
            assert!(!code.contains(way), "{} uses {way}", path.display());
        }
    }
}

/// No token is in what `env` printed.
fn assert_no_token(world: &World, printed: &Path) {
    let mut printed_now = String::new();
    world.wait_until("it has printed its environment", |_| {
        fs::read_to_string(printed).is_ok_and(|text| text.contains("END_OF_ENV"))
    });
    printed_now.push_str(&fs::read_to_string(printed).unwrap());
    assert!(printed_now.contains("PATH="));
    let mut tokens = vec![HUB_TOKEN.to_owned()];
    let kept = fs::read_dir(world.home.path().join("synapse/tokens"));
    for file in kept.into_iter().flatten().flatten() {
        tokens.push(fs::read_to_string(file.path()).unwrap());
    }
    for token in tokens {
        assert!(!printed_now.contains(token.trim()), "{printed_now}");
    }
}

#[test]
fn an_agent_finds_no_token_in_its_environment() {
    let world = World::new();
    let printed = world.home.path().join("env.txt");
    let file = world.home.path().join("nosy.yaml");
    let command = format!(
        "env > {0}; echo END_OF_ENV >> {0}; exec cat",
        printed.display()
    );
    fs::write(
        &file,
        format!("name: nosy\ncommand: [sh, -c, '{command}']\n"),
    )
    .unwrap();
    let started = world
        .command(&["start", file.to_str().unwrap(), "--port", "0"])
        .env("SYNAPSE_WEB_TOKEN", HUB_TOKEN)
        .env("MCBD_AUTH_TOKEN", HUB_TOKEN)
        .status();
    assert!(started.unwrap().success());
    assert_no_token(&world, &printed);
}

#[test]
fn the_browser_that_the_hub_opens_finds_no_token_in_its_environment() {
    let world = World::with_dummy();
    let printed = world.home.path().join("env.txt");
    let browser = world.home.path().join("browser.sh");
    let script = format!(
        "#!/bin/sh\nenv > {0}\necho END_OF_ENV >> {0}\n",
        printed.display()
    );
    fs::write(&browser, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&browser, mode).unwrap();
    let hub = world
        .command(&["web", "--port", "0", "--open"])
        .env("SYNAPSE_WEB_TOKEN", HUB_TOKEN)
        .env("MCBD_AUTH_TOKEN", HUB_TOKEN)
        .env("BROWSER", &browser)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    let mut hub = hub.unwrap();
    assert_no_token(&world, &printed);
    hub.kill().unwrap();
    hub.wait().unwrap();
}
