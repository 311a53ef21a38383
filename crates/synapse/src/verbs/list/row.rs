//! One agent in a list: its entry in the registry, and what it says of itself now.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use synapse_client::client::Client;
use synapse_client::native::{PromptShape, StandingShape, state_word};
use synapse_machine::registry::Entry;
use tokio::time::timeout;

use super::super::{paint, texts};

/// How long an agent may take to say what it does. One that is stuck must not hold the list.
const PATIENCE: Duration = Duration::from_millis(800);

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) entry: Entry,
    pub(super) state: State,
    /// How many tasks wait, if it said so.
    pub(super) queue: Option<usize>,
    /// What it asks, as `GET /status` has it.
    pub(super) prompt: Option<PromptShape>,
    /// Why tasks wait although it is idle.
    pub(super) held: Option<String>,
    /// What is shown of it among those of all machines.
    pub(super) in_mesh: Option<InMesh>,
}

/// What is shown of an agent of some machine.
#[derive(Clone, Debug)]
pub(super) struct InMesh {
    /// `name@machine`, also for those of this machine.
    pub(super) address: String,
    pub(super) branch: String,
    pub(super) age: String,
}

/// What an agent does, in the order in which people want to see it: who waits for them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Waiting,
    /// It runs, and does not say what it does.
    Silent,
    Working,
    Starting,
    Idle,
    /// It is on its way out.
    Stopping,
    /// Its machine is not there.
    Away,
}

impl State {
    fn of(status: &str) -> Self {
        match status {
            "INPUT_REQUIRED" => Self::Waiting,
            "BUSY" => Self::Working,
            "STARTING" => Self::Starting,
            "IDLE" => Self::Idle,
            "STOPPING" | "EXITED" => Self::Stopping,
            _ => Self::Silent,
        }
    }

    /// Told apart without colours, too.
    pub(super) fn shape(self) -> char {
        match self {
            Self::Waiting => '◆',
            Self::Silent => '?',
            Self::Working => '●',
            Self::Starting => '◌',
            Self::Idle => '○',
            Self::Stopping => '×',
            Self::Away => '-',
        }
    }

    /// In the word of `/status`; nothing where it said nothing.
    fn status(self) -> Option<&'static str> {
        match self {
            Self::Waiting => Some("INPUT_REQUIRED"),
            Self::Silent | Self::Away => None,
            Self::Working => Some("BUSY"),
            Self::Starting => Some("STARTING"),
            Self::Idle => Some("IDLE"),
            Self::Stopping => Some("STOPPING"),
        }
    }

    pub(super) fn word(self) -> String {
        match self {
            Self::Away => "away".to_owned(),
            _ => texts::state(self.status().unwrap_or_default()),
        }
    }

    /// The word behind its shape; alone where shapes would be read aloud.
    pub(super) fn shown(self) -> String {
        if paint::is_plain() {
            self.word()
        } else {
            format!("{} {}", self.shape(), self.word())
        }
    }

    /// The number of its colour, if it has one.
    pub(super) fn ansi(self) -> Option<u8> {
        match self {
            Self::Waiting => Some(33),
            Self::Silent => Some(31),
            Self::Working => Some(32),
            Self::Starting => Some(36),
            Self::Away => Some(90),
            Self::Idle | Self::Stopping => None,
        }
    }
}

impl Row {
    /// A row from an entry and the body of its `GET /status`, if there was one.
    pub(super) fn new(entry: Entry, status: Option<StandingShape>) -> Self {
        let state = status.as_ref().map_or("", |status| &status.status);
        Self {
            entry,
            state: State::of(state),
            queue: status.as_ref().map(|status| status.queue),
            held: status.as_ref().and_then(|status| status.held.clone()),
            prompt: status.and_then(|status| status.prompt),
            in_mesh: None,
        }
    }

    /// A row of an agent whose machine is away, and since when.
    pub(super) fn away(entry: Entry, seen: String) -> Self {
        Self {
            state: State::Away,
            held: Some(seen),
            ..Self::new(entry, None)
        }
    }

    /// What it asks, on one line.
    pub(super) fn question(&self) -> Option<String> {
        let question = &self.prompt.as_ref()?.question;
        let words: Vec<&str> = question.split_whitespace().collect();
        Some(words.join(" "))
    }

    /// That its host is of another version of Synapse than this command, if it is.
    pub(super) fn other_version(&self) -> Option<String> {
        let (version, handle) = (&self.entry.version, &self.entry.handle);
        let is_other = !version.is_empty() && version != env!("CARGO_PKG_VERSION");
        is_other.then(|| texts::other_version(version, handle))
    }

    /// The entry, with what the agent says now.
    pub(super) fn to_json(&self) -> Value {
        let mut entry = json!(self.entry);
        if let Some(fields) = entry.as_object_mut() {
            let status = self.state.status();
            fields.insert("status".to_owned(), json!(status));
            fields.insert("state".to_owned(), json!(status.map(state_word)));
            fields.insert("queue".to_owned(), json!(self.queue));
            fields.insert("prompt".to_owned(), json!(self.prompt));
            fields.insert("held".to_owned(), json!(self.held));
        }
        entry
    }
}

/// Asks all agents at once what they do; sorted.
pub(super) async fn gather(entries: Vec<Entry>) -> Vec<Row> {
    let rows = entries.into_iter().map(async |entry| {
        let status = match Client::of(&entry) {
            Ok(client) => timeout(PATIENCE, client.status()).await,
            Err(error) => Ok(Err(error)),
        };
        Row::new(entry, status.ok().and_then(Result::ok))
    });
    let mut rows = join_all(rows).await;
    sort(&mut rows);
    rows
}

/// Who waits comes first; within a state they keep the order in which they were started.
pub(super) fn sort(rows: &mut [Row]) {
    rows.sort_by_key(|row| row.state);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn row(handle: &str, status: Option<&Value>) -> Row {
        let entry = json!({
            "agent_id": handle, "agent_type": "dummy", "port": 8103, "status": "STARTING", "pid": 1,
            "working_dir": "/work", "endpoint": "http://127.0.0.1:8103", "handle": handle,
        });
        let status = status.map(|told| {
            let mut status = json!({ "status": "", "evidence": "", "queue": 0, "prompt": null, "task": null });
            fill(&mut status, told);
            if let Some(told) = told.get("prompt") {
                let mut prompt = json!({
                    "kind": "text", "question": "", "detail": "", "options": [], "selected": null, "default": null,
                    "fingerprint": "",
                });
                fill(&mut prompt, told);
                status["prompt"] = prompt;
            }
            serde_json::from_value(status).unwrap()
        });
        Row::new(Entry::parse(entry.to_string().as_bytes()).unwrap(), status)
    }

    fn fill(whole: &mut Value, told: &Value) {
        for (name, value) in told.as_object().unwrap() {
            whole[name] = value.clone();
        }
    }

    #[test]
    fn who_waits_comes_first_and_who_is_silent_is_not_overlooked() {
        let mut rows = vec![
            row("idle", Some(&json!({ "status": "IDLE", "queue": 0 }))),
            row("busy", Some(&json!({ "status": "BUSY", "queue": 2 }))),
            row("dead", None),
            row("asks", Some(&json!({ "status": "INPUT_REQUIRED" }))),
        ];
        sort(&mut rows);
        let order: Vec<String> = rows
            .iter()
            .map(|row| row.entry.handle.to_string())
            .collect();
        assert_eq!(order, ["asks", "dead", "busy", "idle"]);
        assert_eq!(rows[2].queue, Some(2));
    }

    #[test]
    fn what_is_asked_fits_on_a_line() {
        let status =
            json!({ "status": "INPUT_REQUIRED", "prompt": { "question": "Do you\n  agree?" } });
        let row = row("x", Some(&status));
        assert_eq!(row.question().as_deref(), Some("Do you agree?"));
        assert_eq!(row.to_json()["status"], "INPUT_REQUIRED");
        assert_eq!(row.to_json()["state"], "waiting");
        assert_eq!(row.to_json()["handle"], "x");
    }

    #[test]
    fn why_tasks_wait_is_told() {
        let status = json!({ "status": "IDLE", "queue": 1, "held": "held: somebody is typing" });
        let row = row("x", Some(&status));
        assert_eq!(row.to_json()["held"], "held: somebody is typing");
    }

    #[test]
    fn a_status_nobody_gave_is_not_made_up() {
        let silent = row("x", None).to_json();
        assert_eq!(
            (&silent["status"], &silent["state"]),
            (&Value::Null, &Value::Null)
        );
    }
}
