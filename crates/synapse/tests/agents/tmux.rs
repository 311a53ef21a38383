//! Agents in real tmux: adopted as guests, or started in a window.

use std::process::Command;

use serde_json::Value;

use crate::world::World;

/// A tmux server of its own, in a world of its own.
struct Tmux {
    world: World,
}

impl Tmux {
    /// A server with one session, in whose only pane a command runs.
    fn with(command: &str) -> Self {
        let tmux = Self {
            world: World::new(),
        };
        tmux.ok(&[
            "new-session",
            "-d",
            "-s",
            "main",
            "-x",
            "100",
            "-y",
            "30",
            command,
        ]);
        tmux
    }

    fn with_dummy() -> Self {
        let binary = assert_cmd::cargo::cargo_bin!("synapse");
        Self::with(&format!("{} dummy-agent", binary.display()))
    }

    fn socket(&self) -> String {
        let path = self.world.home.path().join("tmux.sock");
        path.to_str().unwrap().to_owned()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .args(["-S", &self.socket(), "-f", "/dev/null"])
            .args(words)
            .env_remove("TMUX")
            .current_dir(self.world.home.path());
        command
    }

    fn ok(&self, words: &[&str]) -> String {
        let done = self.command(words).output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "tmux {words:?}: {error}");
        String::from_utf8(done.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    fn pane(&self, format: &str) -> String {
        self.ok(&["display-message", "-p", "-t", "%0", format])
    }

    fn adopt(&self, more: &[&str]) -> Value {
        let socket = self.socket();
        let args = ["adopt", "%0", "--socket", &socket, "--port", "0", "--json"];
        let told = self.world.json(&[&args[..], more].concat());
        self.world.wait_until("it is idle", |world| {
            world.state(told["handle"].as_str().unwrap()) == "IDLE"
        });
        told
    }

    fn send(&self, text: &str) -> String {
        let sent = self
            .world
            .json(&["send", "dummy", text, "--return", "--json"]);
        sent["reply"].as_str().unwrap_or_default().to_owned()
    }

    fn task(&self) -> Value {
        self.world.json(&["tasks", "--json"])["tasks"][0].clone()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // The guests first: they would see their panes end.
        let _ = self.world.run(&["stop", "--all"]);
        let _ = self.command(&["kill-server"]).output();
    }
}

#[test]
fn a_program_in_a_pane_is_an_agent_and_stays_as_it_was() {
    let tmux = Tmux::with_dummy();
    let look = "#{window_width}x#{window_height} #{pane_pid} #{pane_in_mode} #{window_active}";
    let before = tmux.pane(look);
    let told = tmux.adopt(&[]);
    assert_eq!(told["handle"], "dummy");
    let warning = told["warning"].as_str().unwrap();
    assert!(warning.contains("no hooks"), "{warning}");
    assert_eq!(tmux.pane("#{@synapse}"), "dummy");
    assert_eq!(tmux.send("say:from outside"), "from outside");
    tmux.world.ok(&["send", "dummy", "ask:yn Sure?"]);
    tmux.world.wait_for_task("ask:yn Sure?", "input_required");
    tmux.world.ok(&["answer", "dummy", "yes"]);
    tmux.world.wait_for_task("ask:yn Sure?", "completed");
    assert!(tmux.send("multi").ends_with("Last line: done."));
    let again = tmux.world.run(&["adopt", "%0", "--socket", &tmux.socket()]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("is the agent @dummy already"), "{said}");
    let stopped = tmux.world.run(&["stop", "dummy"]);
    let said = String::from_utf8_lossy(&stopped.stderr);
    assert!(
        said.contains("goes on in its pane") && !said.contains("stopped"),
        "{said}"
    );
    assert_eq!(
        tmux.pane(look),
        before,
        "size, program and mode are as they were"
    );
    assert_eq!(tmux.pane("#{@synapse}"), "");
    assert_eq!(tmux.ok(&["list-clients"]), "", "nobody is left behind");
    // The program is the person's, and goes on.
    tmux.ok(&["send-keys", "-t", "%0", "say:still here", "Enter"]);
    tmux.world.wait_until("it answers in its pane", |_| {
        tmux.ok(&["capture-pane", "-p", "-t", "%0"])
            .contains("\nstill here")
    });
    tmux.adopt(&[]);
    assert_eq!(tmux.send("say:once more"), "once more");
}

#[test]
fn a_pane_that_somebody_scrolls_in_is_typed_to_and_stays_scrolled() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    tmux.ok(&["copy-mode", "-t", "%0"]);
    assert_eq!(tmux.send("say:past copy mode"), "past copy mode");
    assert_eq!(tmux.pane("#{pane_in_mode}"), "1");
    tmux.world.ok(&["send", "dummy", "slow:60"]);
    tmux.world.wait_for_task("slow:60", "working");
    let receipt = tmux.world.json(&["interrupt", "dummy", "--json"]);
    assert_eq!(receipt["confirmed"], true, "{receipt}");
    assert_eq!(tmux.pane("#{pane_in_mode}"), "1");
}

#[test]
fn every_key_that_stops_reaches_the_program_and_is_confirmed() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    tmux.world.ok(&["send", "dummy", "slow:60"]);
    tmux.world.wait_for_task("slow:60", "working");
    let receipt = tmux
        .world
        .json(&["interrupt", "dummy", "--key", "C-c", "--json"]);
    assert_eq!(receipt["confirmed"], true, "{receipt}");
    assert_eq!(tmux.send("say:after it"), "after it");
}

#[test]
fn a_line_that_somebody_has_begun_is_left_alone() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    tmux.ok(&["send-keys", "-t", "%0", "half a li"]);
    tmux.world.wait_until("it is on the screen", |world| {
        world.ok(&["screen", "dummy"]).contains("half a li")
    });
    tmux.world.ok(&["send", "dummy", "say:behind"]);
    tmux.ok(&["send-keys", "-t", "%0", "ne", "Enter"]);
    tmux.world.wait_for_task("say:behind", "completed");
    let screen = tmux.ok(&["capture-pane", "-p", "-t", "%0"]);
    assert!(screen.contains("half a line\n"), "{screen}");
    assert_eq!(tmux.task()["reply"], "behind");
}

#[test]
fn text_in_the_box_of_a_whole_screen_holds_a_message_and_says_so() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    tmux.ok(&["send-keys", "-t", "%0", "tui", "Enter"]);
    tmux.world.wait_until("the box is there", |world| {
        world.ok(&["screen", "dummy"]).contains('─') && world.state("dummy") == "IDLE"
    });
    tmux.ok(&["send-keys", "-t", "%0", "draft"]);
    tmux.world.wait_until("the draft is seen", |world| {
        world.ok(&["screen", "dummy"]).contains("draft")
    });
    tmux.world.ok(&["send", "dummy", "say:held back"]);
    tmux.world.wait_until("it says that it is held", |world| {
        let held = &world.json(&["status", "dummy", "--json"])["held"];
        held.as_str().is_some_and(|why| why.contains("draft"))
    });
    for _ in 0.."draft".len() {
        tmux.ok(&["send-keys", "-t", "%0", "BSpace"]);
    }
    tmux.world.wait_for_task("say:held back", "completed");
}

#[test]
fn a_window_that_is_resized_by_its_user_is_read_in_its_new_size() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    tmux.ok(&["resize-window", "-t", "main", "-x", "60", "-y", "20"]);
    let long =
        "say:a line that is longer than sixty columns, so that it wraps in the narrow window";
    tmux.world.wait_until("the narrow screen is seen", |world| {
        world.ok(&["screen", "dummy"]).lines().count() <= 20
    });
    assert_eq!(format!("say:{}", tmux.send(long)), long);
}

#[test]
fn output_that_tmux_held_back_is_read_anew() {
    let tmux = Tmux::with_dummy();
    tmux.adopt(&[]);
    let client = tmux.ok(&["list-clients", "-F", "#{client_name}"]);
    // As tmux does for a client that has not read for too long: nothing comes until that asks for it.
    tmux.ok(&["refresh-client", "-t", &client, "-A", "%0:pause"]);
    tmux.ok(&["send-keys", "-t", "%0", "say:typed meanwhile", "Enter"]);
    tmux.world
        .wait_until("what was held back is seen", |world| {
            let screen = world.ok(&["screen", "dummy"]);
            screen.lines().any(|line| line == "typed meanwhile")
        });
    tmux.world
        .wait_until("it is idle", |world| world.state("dummy") == "IDLE");
    assert_eq!(tmux.send("say:after the pause"), "after the pause");
}

#[test]
fn adopt_inside_a_pane_takes_the_program_it_is_typed_in() {
    let tmux = Tmux::with("env PS1='$ ' sh");
    let home = tmux.world.home.path();
    let binary = assert_cmd::cargo::cargo_bin!("synapse");
    let line = format!(
        "SYNAPSE_HOME={home}/synapse A2A_HOME={home}/a2a {} adopt --name here --port 0 --json >told",
        binary.display(),
        home = home.display()
    );
    tmux.ok(&["send-keys", "-t", "%0", &line, "Enter"]);
    tmux.world.wait_until("it is adopted and idle", |world| {
        let told = std::fs::read_to_string(home.join("told")).unwrap_or_default();
        told.contains("here") && world.state("here") == "IDLE"
    });
    assert_eq!(tmux.pane("#{@synapse}"), "here");
    let shell = tmux.pane("#{pane_pid}");
    let why = tmux.world.ok(&["status", "here", "--why"]);
    assert!(why.contains(&format!("PID {shell}")), "{shell}: {why}");
    let text = "echo $((6 * 7)) from the shell";
    let sent = tmux
        .world
        .json(&["send", "here", text, "--return", "--json"]);
    assert_eq!(sent["reply"], "42 from the shell", "{sent}");
}

#[test]
fn an_agent_whose_program_ends_in_its_pane_has_ended() {
    let tmux = Tmux::with("bash --norc");
    let binary = assert_cmd::cargo::cargo_bin!("synapse");
    let line = format!("{} dummy-agent", binary.display());
    tmux.ok(&["send-keys", "-t", "%0", &line, "Enter"]);
    tmux.world.wait_until("it runs", |_| {
        tmux.ok(&["capture-pane", "-p", "-t", "%0"])
            .contains("dummy>")
    });
    let socket = tmux.socket();
    let listed = tmux
        .world
        .json(&["adopt", "--list", "--json", "--socket", &socket]);
    assert_eq!(listed["panes"][0]["profile"], "dummy", "{listed}");
    assert_eq!(listed["panes"][0]["place"], "main:0.0");
    tmux.adopt(&[]);
    assert_eq!(tmux.send("say:in a shell"), "in a shell");
    tmux.ok(&["send-keys", "-t", "%0", "exit:0", "Enter"]);
    tmux.world.wait_until("it is gone", |world| {
        world.json(&["list", "--json"])["agents"]
            .as_array()
            .unwrap()
            .is_empty()
    });
    let program = tmux.pane("#{pane_current_command}");
    assert_eq!(program, "bash", "the shell behind it is untouched");
}

#[test]
fn nothing_is_typed_into_the_shell_behind_a_suspended_program() {
    let tmux = Tmux::with("bash --norc");
    let binary = assert_cmd::cargo::cargo_bin!("synapse");
    let line = format!("{} dummy-agent", binary.display());
    tmux.ok(&["send-keys", "-t", "%0", &line, "Enter"]);
    tmux.world.wait_until("it runs", |_| {
        tmux.ok(&["capture-pane", "-p", "-t", "%0"])
            .contains("dummy>")
    });
    tmux.adopt(&[]);
    tmux.ok(&["send-keys", "-t", "%0", "C-z"]);
    tmux.world.wait_until("the shell is back", |_| {
        tmux.ok(&["capture-pane", "-p", "-t", "%0"])
            .contains("Stopped")
    });
    tmux.world.ok(&["send", "dummy", "say:not for a shell"]);
    tmux.ok(&["send-keys", "-t", "%0", "fg", "Enter"]);
    tmux.world.wait_until("it has the keyboard again", |_| {
        let program = tmux.pane("#{pane_current_command}");
        program == "synapse"
    });
    // It does not show its prompt again by itself.
    tmux.ok(&["send-keys", "-t", "%0", "Enter"]);
    tmux.world.wait_for_task("say:not for a shell", "completed");
    let screen = tmux.ok(&["capture-pane", "-p", "-t", "%0"]);
    assert!(!screen.contains("not found"), "{screen}");
}

#[test]
fn an_agent_is_started_in_a_window_and_ends_with_it() {
    let tmux = Tmux::with("sleep 600");
    let mut command = tmux.world.command(&[
        "start", "dummy", "--name", "lodger", "--port", "0", "--in", "tmux", "work",
    ]);
    let around = format!("{},1,0", tmux.socket());
    let done = command.env("TMUX", around).env("TMUX_PANE", "%0").output();
    let done = done.unwrap();
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{error}");
    let world = &tmux.world;
    world.wait_until("it is idle", |world| world.state("lodger") == "IDLE");
    let sent = world.json(&["send", "lodger", "say:in a window", "--return", "--json"]);
    assert_eq!(sent["reply"], "in a window");
    assert_eq!(
        tmux.ok(&["list-windows", "-t", "work", "-F", "#{window_name}"]),
        "lodger"
    );
    world.ok(&["stop", "lodger"]);
    tmux.world.wait_until("its window is gone", |_| {
        !tmux.ok(&["list-sessions", "-F", "#S"]).contains("work")
    });
}

#[test]
fn what_cannot_be_adopted_is_named() {
    let tmux = Tmux::with_dummy();
    let socket = tmux.socket();
    for (args, said) in [
        (vec!["adopt", "%77", "--socket", &socket], "no pane %77"),
        (vec!["adopt"], "which pane?"),
        (
            vec!["start", "dummy", "--in", "screen"],
            "it is `--in tmux [SESSION]`",
        ),
    ] {
        let done = tmux
            .world
            .command(&args)
            .env_remove("TMUX")
            .env_remove("TMUX_PANE")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            !done.status.success() && error.contains(said),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn an_adopted_agent_is_not_restarted_with_what_another_one_was_started_with() {
    let tmux = Tmux::with_dummy();
    let world = &tmux.world;
    // It had the name, the folder and so the id.
    world.ok(&["start", "dummy", "--port", "0"]);
    world.ok(&["stop", "--all"]);
    let adopted = tmux.adopt(&["--profile", "dummy"]);
    assert_eq!(adopted["handle"], "dummy");
    let refused = world.run(&["restart", "dummy", "--now"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(said.contains("dummy was adopted"), "{said}");
    assert_eq!(world.entry()["pid"], adopted["pid"]);
    let up = world.ok(&["up"]);
    assert!(up.starts_with("dummy-2 is back"), "{up}");
}
