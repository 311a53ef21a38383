//! What a client is shown of a task, before any dialect spells it. What is ours and not the protocol's
//! goes into metadata, under names that begin with `synapse/`.

use serde_json::{Map, Value, json};

use crate::artifact::{Artifact, Body, language, mime_type};
use crate::event::{Question, Status, Timestamp};
use crate::id::{ArtifactId, ContextId, MessageId, TaskId};
use crate::message::{Content, Message, Part, Role};
use crate::task::{Task, TaskState};

use super::request::History;

/// The name of a step in the metadata. Each has its own, so that a client which merges the metadata of updates into
/// that of the task, as the published ones do, has all of them.
pub(super) fn step_name(place: usize) -> String {
    format!("synapse/step/{}", place + 1)
}

/// A task as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub task: TaskId,
    /// The conversation it belongs to.
    pub context: ContextId,
    pub standing: Standing,
    /// What has come of it; not told where nobody asked.
    pub pieces: Option<Vec<Piece>>,
    pub history: Vec<Message>,
    /// What we note about it.
    pub metadata: Map<String, Value>,
}

impl Snapshot {
    /// A task with everything that has come of it.
    pub fn of(task: &Task, history: History) -> Self {
        let mut shown = Self::without_pieces(task, history);
        let mut metadata = std::mem::take(&mut shown.metadata);
        let steps = task.steps().iter().enumerate();
        metadata.extend(steps.map(|(place, step)| (step_name(place), json!(step))));
        Self {
            pieces: Some(task.artifacts().iter().map(Piece::of).collect()),
            metadata,
            ..shown
        }
    }

    /// A task without what has come of it, as a list shows it.
    pub fn without_pieces(task: &Task, history: History) -> Self {
        let said = task.history();
        let kept = match history {
            History::All => said,
            History::Last(most) => said.get(said.len().saturating_sub(most)..).unwrap_or(said),
        };
        Self {
            task: task.id().clone(),
            context: task.context().clone(),
            standing: Standing::of(task),
            pieces: None,
            history: kept.to_vec(),
            metadata: ending(task),
        }
    }
}

/// A state with the words that go with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The bare state.
    pub state: TaskState,
    /// What the agent says to it: the question, the reason, how far it is.
    pub message: Option<Message>,
    pub at: Timestamp,
}

impl Standing {
    /// Where a task stands.
    pub fn of(task: &Task) -> Self {
        Self::new(task, task.status(), task.note(), task.since())
    }

    /// Where a task stood.
    pub(super) fn new(task: &Task, status: &Status, note: Option<&str>, at: Timestamp) -> Self {
        let say = |text: &str| {
            let id = MessageId::new(format!("{}-{}", task.id(), at.0));
            Message::text(id, Role::Agent, text)
        };
        let message = match status {
            Status::Submitted => None,
            Status::Working => note.map(say),
            Status::InputRequired { question } => Some(ask(question, task.id())),
            Status::Completed => task.spoken().cloned(),
            Status::Failed { failure } => Some(say(&failure.message)),
            Status::Canceled { reason, .. } | Status::Rejected { reason } => Some(say(reason)),
        };
        Self {
            state: status.state(),
            message,
            at,
        }
    }
}

/// An artifact, or a chunk of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its name within the task.
    pub id: ArtifactId,
    pub name: Option<String>,
    /// What is said of it.
    pub description: Option<String>,
    /// What it holds; never nothing.
    pub parts: Vec<Part>,
    /// What we note about it.
    pub metadata: Map<String, Value>,
}

impl Piece {
    /// A whole artifact.
    pub fn of(artifact: &Artifact) -> Self {
        Self::new(artifact.id.clone(), &artifact.body)
    }

    /// An artifact of this body.
    pub(super) fn new(id: ArtifactId, body: &Body) -> Self {
        let mut metadata = Map::new();
        let (name, description, parts) = match body {
            Body::Text { text } => ("output", None, vec![Part::text(text)]),
            Body::Code { info, text } => ("code", None, vec![code(info, text)]),
            Body::File { path } => (path.as_str(), None, vec![file(path)]),
            Body::Data { data } => ("json_output", None, vec![json_part(data)]),
            Body::Parts {
                name,
                description,
                parts,
            } => (
                name.as_deref().unwrap_or("output"),
                description.clone(),
                parts.clone(),
            ),
            Body::Error { code, text } => {
                metadata.insert("synapse/error".to_owned(), json!(code));
                ("error", None, vec![Part::text(text)])
            }
        };
        Self {
            name: Some(name.to_owned()),
            description,
            metadata,
            ..Self::chunk(id, parts)
        }
    }

    /// More of an artifact. The protocol wants at least one part in everything.
    pub(super) fn chunk(id: ArtifactId, mut parts: Vec<Part>) -> Self {
        if parts.is_empty() {
            parts.push(Part::text(""));
        }
        Self {
            id,
            name: None,
            description: None,
            parts,
            metadata: Map::new(),
        }
    }
}

/// What is noted about a task that is over.
pub(super) fn ending(task: &Task) -> Map<String, Value> {
    let mut metadata = Map::new();
    if let Some(said) = task.reply().filter(|_| task.state().is_final()) {
        metadata.insert("synapse/source".to_owned(), json!(said.source.name()));
        if said.is_truncated {
            metadata.insert("synapse/truncated".to_owned(), json!(true));
        }
    }
    if let Status::Failed { failure } = task.status() {
        metadata.insert("synapse/error".to_owned(), json!(failure.code));
    }
    metadata
}

/// The question in words, and again in a form that a program can answer.
fn ask(question: &Question, task: &TaskId) -> Message {
    let mut message = question.to_message(task);
    let noted = [
        ("synapse/kind", json!(question.kind)),
        ("synapse/options", json!(question.options)),
        ("synapse/default", json!(question.default)),
        ("synapse/fingerprint", json!(question.fingerprint)),
    ];
    let noted = noted.into_iter().filter(|(_, value)| !value.is_null());
    message
        .metadata
        .extend(noted.map(|(name, value)| (name.to_owned(), value)));
    message
}

fn code(info: &str, text: &str) -> Part {
    let language = language(info);
    let mut part = Part::text(text);
    part.media_type = Some(mime_type(language).to_owned());
    part.metadata.insert("language".to_owned(), json!(language));
    part
}

fn json_part(data: &Value) -> Part {
    Part {
        media_type: Some("application/json".to_owned()),
        ..Part::data(data.clone())
    }
}

/// A file that lies on the agent's machine. A path that begins at the root is a whole URL; any other is
/// left relative, to the folder the agent works in.
fn file(path: &str) -> Part {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    Part {
        filename: Some(path.to_owned()),
        ..Part::new(Content::Url {
            url: format!("{scheme}{}", escape(path)),
        })
    }
}

/// A path as it may stand in a URL.
fn escape(path: &str) -> String {
    use std::fmt::Write as _;
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                escaped.push(char::from(byte));
            }
            _ => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_says_its_language_and_a_file_its_name() {
        let piece = Piece::new(ArtifactId::new("a"), &Body::code("python,x", "1"));
        assert_eq!(piece.parts[0].media_type.as_deref(), Some("text/x-python"));
        assert_eq!(piece.parts[0].metadata["language"], "python");

        for (path, url) in [
            ("/tmp/a b.rs", "file:///tmp/a%20b.rs"),
            ("src/日.rs", "src/%E6%97%A5.rs"),
        ] {
            let piece = Piece::new(ArtifactId::new("a"), &Body::file(path));
            let url = Content::Url { url: url.into() };
            assert_eq!(piece.parts[0].content, url);
            assert_eq!(piece.parts[0].filename.as_deref(), Some(path));
        }
    }
}
