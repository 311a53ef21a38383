//! The program's own transcript of a conversation: what it says was asked, done and replied. It is
//! only ever read, by a task of its own that parses what was appended, never by the actor. The screen
//! is lossy by design (fences, tables and stars are rendered away), so where no hook tells the reply,
//! an exact one can come from nowhere else.
//!
//! A transcript counts only if it is this agent's: the hook or an open file of the program names it, or
//! it belongs to the same folder and holds the whole message, and no other one does. In doubt it says
//! nothing, and the reply is read from the screen.
#![forbid(unsafe_code)]

mod aider;
mod claude;
mod cline;
mod cn;
mod codex;
mod copilot;
mod cursor;
mod follower;
mod gemini;
mod gptme;
mod kimi;
mod log;
mod opencode;
mod past;
mod pi;
mod place;
mod qwen;
mod steps;
mod tokens;
mod vibe;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde_json::Value;
use synapse_a2a::step::Step;
use synapse_a2a::usage::Usage;

pub use follower::{Follower, Sighting, Transcript};
pub use past::PastConversation;

/// The programs whose transcripts we can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Claude Code's transcript.
    Claude,
    /// Codex's rollout file.
    Codex,
    /// Gemini CLI's session file.
    Gemini,
    Opencode,
    /// Qwen Code's session file.
    Qwen,
    /// aider's chat history.
    Aider,
    /// The session file of pi.
    Pi,
    Gptme,
    /// The session file of Continue's `cn`.
    Cn,
    /// The events of a GitHub Copilot CLI session.
    Copilot,
    /// The messages of a Cline session.
    Cline,
    /// The wire file of Kimi Code, and of kimi-cli before it.
    Kimi,
    /// The journal of a Mistral Vibe session.
    Vibe,
}

impl Kind {
    /// The file is one JSON value, written anew each time.
    fn is_rewritten(self) -> bool {
        matches!(self, Self::Cn | Self::Cline)
    }
}

/// What stands before the folder in the system prompt of kimi-cli.
const KIMI_FOLDER: &str = "The current working directory is `";

/// Where one program keeps its transcripts, and which of them can be ours.
#[derive(Clone, Debug)]
pub struct Source {
    kind: Kind,
    root: PathBuf,
    /// Where an older version of the program keeps them.
    older_root: Option<PathBuf>,
    /// The folder the program works in.
    dir: PathBuf,
    /// When the program was started.
    since: SystemTime,
}

impl Source {
    /// The transcripts of a profile, if it names a program whose transcripts we can read.
    pub fn of(
        name: &str,
        home: &Path,
        dir: &Path,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Option<Self> {
        let (kind, root) = match name {
            "claude" => {
                let base = variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude"));
                (Kind::Claude, base.join("projects"))
            }
            "codex" => {
                let base = variable("CODEX_HOME").unwrap_or_else(|| home.join(".codex"));
                (Kind::Codex, base.join("sessions"))
            }
            "gemini" => (Kind::Gemini, home.join(".gemini/tmp")),
            "opencode" => {
                let base = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
                (Kind::Opencode, base.join("opencode"))
            }
            "qwen" => (Kind::Qwen, home.join(".qwen/projects")),
            "aider" => (Kind::Aider, dir.to_owned()),
            "copilot" => {
                let base = variable("COPILOT_HOME").unwrap_or_else(|| home.join(".copilot"));
                (Kind::Copilot, base.join("session-state"))
            }
            "pi" => {
                let base =
                    variable("PI_CODING_AGENT_DIR").unwrap_or_else(|| home.join(".pi/agent"));
                (Kind::Pi, base.join("sessions"))
            }
            "gptme" => {
                let base = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
                let logs = variable("GPTME_LOGS_HOME");
                (Kind::Gptme, logs.unwrap_or_else(|| base.join("gptme/logs")))
            }
            "cn" => {
                let base =
                    variable("CONTINUE_GLOBAL_DIR").unwrap_or_else(|| home.join(".continue"));
                (Kind::Cn, base.join("sessions"))
            }
            "cline" => {
                let base = variable("CLINE_DATA_DIR").unwrap_or_else(|| home.join(".cline/data"));
                (Kind::Cline, base.join("sessions"))
            }
            "kimi" => {
                let base = variable("KIMI_CODE_HOME").unwrap_or_else(|| home.join(".kimi-code"));
                (Kind::Kimi, base.join("sessions"))
            }
            "vibe" => {
                let base = variable("VIBE_HOME").unwrap_or_else(|| home.join(".vibe"));
                (Kind::Vibe, base.join("logs/session/unified"))
            }
            _ => return None,
        };
        let older_root = (kind == Kind::Kimi).then(|| {
            let base = variable("KIMI_SHARE_DIR").unwrap_or_else(|| home.join(".kimi"));
            base.join("sessions")
        });
        Some(Self {
            kind,
            root,
            older_root,
            dir: dir.to_owned(),
            since: SystemTime::now(),
        })
    }

    /// Where the transcripts are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the transcripts are, if they are Claude Code's.
    pub fn of_claude(&self) -> Option<&Path> {
        (self.kind == Kind::Claude).then_some(&*self.root)
    }

    /// The same for a program that has run for a while.
    #[must_use]
    pub fn started_at(self, since: SystemTime) -> Self {
        Self { since, ..self }
    }

    /// The transcript that was written to last, if any was since then.
    pub fn newest(&self, since: SystemTime) -> Option<PathBuf> {
        let files = self.changed_since(since).into_iter();
        files.max().map(|(_, path)| path)
    }

    /// The files that may be ours and changed since then.
    fn changed_since(&self, since: SystemTime) -> Vec<(SystemTime, PathBuf)> {
        match self.kind {
            Kind::Opencode => place::of_these([self.root.join("opencode.db-wal")], since),
            // It is in the folder, or in that of the repository.
            Kind::Aider => {
                let folders = self.root.ancestors();
                place::of_these(
                    folders.map(|folder| folder.join(".aider.chat.history.md")),
                    since,
                )
            }
            Kind::Cn | Kind::Cline => place::changed_since(&self.root, since, "json"),
            _ => {
                let roots = std::iter::once(&self.root).chain(&self.older_root);
                roots
                    .flat_map(|root| place::changed_since(root, since, "jsonl"))
                    .collect()
            }
        }
    }

    /// Whether a transcript that does not say so itself belongs to our folder, by the file beside it that does.
    fn is_ours_by_neighbour(&self, path: &Path) -> Option<bool> {
        let folder = match self.kind {
            Kind::Cline => place::named_beside(path, ".messages.json", ".json", "/cwd"),
            Kind::Vibe => {
                place::named_above(path, 2, "meta.json", "/environment/working_directory")
            }
            Kind::Kimi => place::named_above(path, 3, "state.json", "/cwd")
                .or_else(|| place::quoted_beside(path, "context.jsonl", KIMI_FOLDER)),
            _ => None,
        }?;
        Some(Path::new(&folder) == self.dir)
    }
}

/// What a transcript has of one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// What was said since the last tool call.
    pub said: String,
    /// A tool was called and has not answered yet.
    pub has_open_tool: bool,
    /// How the turn ended, if it did.
    pub verdict: Option<Verdict>,
    /// The transcript says explicitly that the turn is over: nothing can follow.
    pub is_closed: bool,
    /// The tools that were called and what was thought, in order.
    pub steps: Vec<Step>,
    /// What it took of the model, where the transcript says so.
    pub usage: Option<Usage>,
}

/// How a turn ended, by its transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With this reply, word for word.
    Replied(String),
    /// With the program's own word for what went wrong.
    Failed(String),
    /// The user stopped it, or refused what it wanted to do.
    Interrupted,
}

/// A message to look for. Programs change white space in what is pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle {
    bare: String,
    since: Timestamp,
}

impl Needle {
    /// A message as it was typed, and when at the earliest: the same words may have been said before.
    pub fn new(message: &str, since: Timestamp) -> Self {
        Self {
            bare: bare(message),
            since,
        }
    }

    /// Whether a recorded message is this one: word for word, or with something of the program's own
    /// around a message that is too long to be in another by chance.
    fn is_in(&self, recorded: &Asked) -> bool {
        const TELLING: usize = 24;
        if recorded.at.is_some_and(|at| at < self.since) {
            return false;
        }
        let recorded = bare(&recorded.text);
        let is_telling = self.bare.len() >= TELLING && recorded.contains(&self.bare);
        !self.bare.is_empty() && (recorded == self.bare || is_telling)
    }
}

/// A message as it was recorded.
#[derive(Debug, Default)]
struct Asked {
    text: String,
    at: Option<Timestamp>,
}

impl Asked {
    fn new(text: String, line: &Value) -> Self {
        let at = steps::time(line);
        Self { text, at }
    }
}

fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// What was read of one transcript.
#[derive(Debug)]
enum Model {
    Claude(claude::Conversation),
    Codex(codex::Conversation),
    Gemini(gemini::Conversation),
    Lines(log::Conversation, fn(&Value) -> Vec<log::Entry>),
    Aider(log::Conversation, aider::Rows),
    Kimi(log::Conversation, kimi::Steps),
}

impl Model {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Claude => Self::Claude(claude::Conversation::default()),
            Kind::Codex => Self::Codex(codex::Conversation::default()),
            Kind::Gemini => Self::Gemini(gemini::Conversation::default()),
            Kind::Qwen => Self::Lines(log::Conversation::default(), qwen::entries),
            Kind::Pi => Self::Lines(log::Conversation::default(), pi::entries),
            Kind::Gptme => Self::Lines(log::Conversation::default(), gptme::entries),
            Kind::Copilot => Self::Lines(log::Conversation::default(), copilot::entries),
            Kind::Cn => Self::Lines(log::Conversation::default(), cn::entries),
            Kind::Cline => Self::Lines(log::Conversation::default(), cline::entries),
            Kind::Vibe => Self::Lines(log::Conversation::default(), vibe::entries),
            Kind::Kimi => Self::Kimi(log::Conversation::default(), kimi::Steps::default()),
            // A database has no lines.
            Kind::Opencode => Self::Lines(log::Conversation::default(), |_| Vec::new()),
            Kind::Aider => Self::Aider(log::Conversation::default(), aider::Rows::default()),
        }
    }

    /// Takes a line, and when its file was last changed before it was read. What is no JSON in a file
    /// of JSON is passed over.
    fn push(&mut self, line: &[u8], changed: Option<Timestamp>) {
        if let Self::Aider(conversation, rows) = self {
            let row = String::from_utf8_lossy(line);
            return conversation.extend(rows.push(&row, changed));
        }
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        match self {
            Self::Claude(conversation) => conversation.push(&line),
            Self::Codex(conversation) => conversation.push(&line),
            Self::Gemini(conversation) => conversation.push(&line),
            Self::Lines(conversation, entries) => {
                conversation.extend(entries(&line).into_iter().map(|entry| match entry {
                    // A message without a time is as old as its file was.
                    log::Entry::Asked(asked) => log::Entry::Asked(Asked {
                        at: asked.at.or(changed),
                        ..asked
                    }),
                    entry => entry,
                }));
            }
            Self::Kimi(conversation, steps) => conversation.extend(steps.push(&line)),
            Self::Aider(..) => {}
        }
    }

    /// The last turn that began with this message.
    fn turn(&self, needle: &Needle) -> Option<TurnRecord> {
        match self {
            Self::Claude(conversation) => conversation.turn(needle),
            Self::Codex(conversation) => conversation.turn(needle),
            Self::Gemini(conversation) => conversation.turn(needle),
            Self::Lines(conversation, _)
            | Self::Aider(conversation, _)
            | Self::Kimi(conversation, _) => conversation.turn(needle),
        }
    }

    /// What the program calls the conversation of this file, where it can go on with one of that name.
    fn name(&self, path: &Path) -> Option<String> {
        match self {
            Self::Claude(_) => Some(path.file_stem()?.to_str()?.to_owned()),
            Self::Codex(conversation) => conversation.name().map(str::to_owned),
            Self::Gemini(conversation) => conversation.name().map(str::to_owned),
            Self::Lines(..) | Self::Aider(..) | Self::Kimi(..) => None,
        }
    }

    /// The first message of the user's, of a conversation that has a name.
    fn first_message(&self) -> Option<String> {
        match self {
            Self::Claude(conversation) => conversation.first_message(),
            Self::Codex(conversation) => conversation.first_message().map(str::to_owned),
            Self::Gemini(conversation) => conversation.first_message().map(str::to_owned),
            Self::Lines(..) | Self::Aider(..) | Self::Kimi(..) => None,
        }
    }

    /// Whether the transcript belongs to this folder, once it says so.
    fn is_of(&self, dir: &Path) -> Option<bool> {
        match self {
            Self::Claude(conversation) => conversation.is_of(dir),
            Self::Codex(conversation) => conversation.is_of(dir),
            Self::Gemini(conversation) => conversation.is_of(dir),
            Self::Lines(conversation, _) | Self::Kimi(conversation, _) => conversation.is_of(dir),
            // It is looked for only where it belongs to it.
            Self::Aider(..) => Some(true),
        }
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// The text of a message: a string, or the texts of its parts.
fn words(content: &Value, between: &str) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| text(part, "/text"))
                .collect();
            texts.join(between)
        }
        _ => String::new(),
    }
}

/// How much of a conversation is remembered: turns far back are of no use.
const MOST_ENTRIES: usize = 8_192;

/// Forgets the older half of a list that has grown too long.
fn bound<T>(entries: &mut Vec<T>) {
    if entries.len() > MOST_ENTRIES {
        entries.drain(..MOST_ENTRIES / 2);
    }
}

#[cfg(test)]
fn turn_of(kind: Kind, lines: &str, message: &str) -> Option<TurnRecord> {
    let mut model = Model::new(kind);
    if kind.is_rewritten() {
        model.push(lines.as_bytes(), None);
    } else {
        for line in lines.lines() {
            model.push(line.as_bytes(), None);
        }
    }
    model.turn(&Needle::new(message, Timestamp::MIN))
}
