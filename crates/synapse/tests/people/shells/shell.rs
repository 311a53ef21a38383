//! A real shell with the hook in it, in a home of its own with one dummy agent.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use synapse_pty::{Size, Spawn};

use crate::world::World;
use crate::world::terminal::Terminal;

/// What ends every prompt; it begins with the exit code.
const MARK: &str = "⟫";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bash,
    Zsh,
    Fish,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Bash, Kind::Zsh, Kind::Fish];

impl Kind {
    fn prompt(self) -> &'static str {
        match self {
            Self::Bash => "PS1='$?⟫ '\n",
            Self::Zsh => "PS1='%?⟫ '; unsetopt promptsp; HISTSIZE=100\n",
            Self::Fish => {
                "set -g fish_greeting; function fish_prompt; printf '%s⟫ ' $status; end\n"
            }
        }
    }

    /// Twice, which must do no harm.
    fn hook(self) -> String {
        let own = assert_cmd::cargo::cargo_bin!("synapse").display();
        let line = match self {
            Self::Bash | Self::Zsh => format!("eval \"$({own} shell-hook)\"\n"),
            Self::Fish => format!("{own} shell-hook | source\n"),
        };
        line.repeat(2)
    }

    fn start(self, home: &std::path::Path, start_up: &str) -> Vec<String> {
        let (file, words): (PathBuf, &[&str]) = match self {
            Self::Bash => (home.join(".bashrc"), &["bash", "-i"]),
            Self::Zsh => (home.join(".zshrc"), &["zsh", "-i"]),
            Self::Fish => (home.join(".config/fish/config.fish"), &["fish", "-i"]),
        };
        // Without it fish reads all manual pages first.
        fs::create_dir_all(home.join(".local/share/fish/generated_completions")).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, start_up).unwrap();
        words.iter().map(ToString::to_string).collect()
    }
}

pub(crate) struct Shell {
    pub(crate) world: World,
    pub(crate) terminal: Terminal,
    kind: Kind,
    prompts: usize,
}

impl Shell {
    /// A shell with the hook, and an agent to talk to.
    pub(crate) fn hooked(kind: Kind) -> Self {
        Self::begin(kind, "", "")
    }

    /// The same with settings of the user before and after the hook.
    pub(crate) fn begin(kind: Kind, before: &str, after: &str) -> Self {
        let start_up = format!("{}{before}\n{}{after}\n", kind.prompt(), kind.hook());
        Self::run(kind, &start_up, World::with_dummy())
    }

    /// A shell that never heard of us.
    pub(crate) fn bare(kind: Kind, settings: &str) -> Self {
        let start_up = format!("{}{settings}\n", kind.prompt());
        Self::run(kind, &start_up, World::new())
    }

    fn run(kind: Kind, start_up: &str, world: World) -> Self {
        let home = world.home.path();
        let mut spawn = Spawn::new(kind.start(home, start_up));
        spawn.size = Size::new(100, 30);
        spawn.cwd = Some(home.to_owned());
        spawn.env = [
            ("HOME", home.to_owned()),
            ("SYNAPSE_HOME", home.join("synapse")),
            ("A2A_HOME", home.join("a2a")),
            ("TERM", "xterm-256color".into()),
            ("LC_ALL", "C.UTF-8".into()),
            ("SHELL", "/bin/false".into()),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        spawn.env_remove = [
            "HISTFILE",
            "ZDOTDIR",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "NO_COLOR",
        ]
        .map(Into::into)
        .into();
        let mut shell = Self {
            terminal: Terminal::start(&spawn),
            world,
            kind,
            prompts: 0,
        };
        shell.wait_for_prompt();
        shell
    }

    /// Waits for one more prompt; what it says the exit code was.
    pub(crate) fn wait_for_prompt(&mut self) -> u8 {
        let before = self.prompts;
        self.terminal.wait("the next prompt is there", |it| {
            let is_empty = it.before_cursor().ends_with("⟫ ");
            is_empty && it.everything().matches(MARK).count() > before
        });
        let text = self.terminal.everything();
        self.prompts = text.matches(MARK).count();
        let last = text.lines().last().unwrap().trim_end_matches(MARK);
        let digits = last
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |at| at + 1);
        last[digits..]
            .parse()
            .unwrap_or_else(|_| panic!("no exit code: {last}"))
    }

    /// Types a line that is not the whole command, and waits until another is wanted.
    pub(crate) fn begin_lines(&mut self, line: &str) {
        let before = self.terminal.row();
        self.terminal.press(&format!("{line}\r"));
        let is_fish = self.kind == Kind::Fish;
        let is_asked = |it: &mut Terminal| {
            let has_prompt = is_fish || it.before_cursor().ends_with("> ");
            it.row() > before && has_prompt
        };
        self.terminal.wait("it wants more", is_asked);
    }

    /// Waits until the line being edited ends so.
    pub(crate) fn wait_for_line(&mut self, end: &str) {
        let shows = |it: &mut Terminal| it.before_cursor().ends_with(end);
        self.terminal.wait(end, shows);
    }

    /// Types a line and Enter, and waits for the next prompt; the exit code.
    pub(crate) fn enter(&mut self, line: &str) -> u8 {
        self.terminal.press(&format!("{line}\r"));
        self.wait_for_prompt()
    }

    /// What a line printed.
    pub(crate) fn output(&mut self, line: &str) -> String {
        self.enter(line);
        let text = self.terminal.everything();
        let prompts: Vec<usize> = text.match_indices(MARK).map(|(at, _)| at).collect();
        let [.., begin, end] = prompts.as_slice() else {
            panic!("no prompt in front: {text}");
        };
        let said = text[*begin..*end].split_once('\n').unwrap().1;
        let said = said.rsplit_once('\n').map_or("", |(said, _)| said);
        said.to_owned()
    }

    /// The messages the agent was sent, the oldest first: the names of tasks are in that order.
    pub(crate) fn messages(&self) -> Vec<String> {
        let tasks = self.world.json(&["tasks", "dummy", "--json"]);
        let mut tasks = tasks["tasks"].as_array().unwrap().clone();
        tasks.sort_by_key(|task| task["id"].as_str().unwrap().to_owned());
        let text = |task: &Value| {
            task["message"]["parts"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        tasks.iter().map(text).collect()
    }
}
