//! An agent in a terminal, another one to write to, and what passed between them.

use serde_json::Value;

use crate::world::World;
use crate::world::terminal::Terminal;

/// A line program with an editor of its own: it reads keys, moves its cursor and recalls history.
pub(crate) const EDITOR: &str = "
import readline
while True:
    print('ok: ' + input('edit> '))
";

/// Writes a script and a profile that runs it; the profile's path.
pub(crate) fn profile(world: &World, name: &str, script: &str, more: &str) -> String {
    let home = world.home.path();
    let script_path = home.join(format!("{name}.py"));
    std::fs::write(&script_path, script).unwrap();
    let path = home.join(format!("{name}.yaml"));
    let yaml = format!(
        "name: {name}\ncommand: [python3, -u, {}]\nprompt_template: '{{text}}'\n{more}\n",
        script_path.display()
    );
    std::fs::write(&path, yaml).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A profile of a program with an editor.
pub(crate) fn editor(world: &World) -> String {
    profile(world, "editor", EDITOR, "idle_regex: '^edit> $'")
}

pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) terminal: Terminal,
}

impl Desk {
    /// A dummy agent called `here` in a terminal, and one called `target` in the background.
    pub(crate) fn new() -> Self {
        Self::with(World::new(), &["dummy"], "dummy>")
    }

    /// The same in front of a program with an editor.
    pub(crate) fn with_editor() -> Self {
        let world = World::new();
        let profile = editor(&world);
        Self::with(world, &[&profile], "edit>")
    }

    /// Some program in a terminal, with its flags, as soon as it shows its prompt.
    pub(crate) fn with(world: World, program: &[&str], prompt: &str) -> Self {
        world.ok(&["start", "dummy", "--name", "target", "--port", "0"]);
        world.wait_for_state("target", "IDLE");
        let mut args = program.to_vec();
        args.extend(["--name", "here", "--port", "0"]);
        let mut terminal = Terminal::open(&world, &args);
        terminal.wait_until("the prompt is there", |text| text.ends_with(prompt));
        world.wait_for_state("here", "IDLE");
        Self { world, terminal }
    }

    /// The messages an agent got over the network, the oldest first.
    pub(crate) fn messages(&self, agent: &str) -> Vec<String> {
        let tasks = self.world.json(&["tasks", agent, "--json"]);
        let tasks = tasks["tasks"].as_array().unwrap().clone();
        let text = |task: &Value| {
            task["message"]["parts"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let asked = tasks.iter().filter(|task| task["sender"] != "keyboard");
        asked.map(text).rev().collect()
    }

    /// Waits until the target has got so many messages; which.
    pub(crate) fn wait_for_messages(&mut self, count: usize) -> Vec<String> {
        self.world.wait_until("the messages are there", |world| {
            let tasks = world.json(&["tasks", "target", "--json"]);
            tasks["tasks"].as_array().unwrap().len() >= count
        });
        self.messages("target")
    }

    /// Types like a person: a key at a time, each seen before the next.
    pub(crate) fn type_slowly(&mut self, text: &str) {
        for (at, c) in text.char_indices() {
            self.terminal.press(&c.to_string());
            let shown = text[..at + c.len_utf8()].trim_end().to_owned();
            self.terminal
                .wait_until("the key shows", |text| text.ends_with(&shown));
        }
    }

    /// What was decided about lines.
    pub(crate) fn log(&self) -> String {
        let log = self.world.home.path().join("synapse/logs/input_router.log");
        std::fs::read_to_string(log).unwrap_or_default()
    }
}
