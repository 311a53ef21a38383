//! Reads what agents answer and stream: the other direction of what the dialects write. Lenient: it takes the
//! spelling of every dialect, and extra or missing members do not matter where the meaning is clear.

use serde_json::Value;

use crate::id::ArtifactId;
use crate::message::{Content, Part};
use crate::task::TaskState;

use super::narrator::Growth;
use super::remote_task::{RemoteTask, Update};
use super::shown::Piece;
use super::{Dialect, fields, v03};

/// The news in an answer or an event of a stream, without the envelope of JSON-RPC; nothing if it has none.
///
/// What a dialect wraps tells what it is by name (1.0, native), by `kind` (0.3), or by its members (0.1).
pub fn read(dialect: Dialect, value: &Value) -> Option<Update> {
    let reader = Reader(dialect);
    if let Some(task) = value.get("task") {
        return Some(Update::Snapshot(reader.task(task)?));
    }
    if let Some(message) = value.get("message").filter(|_| value.get("id").is_none()) {
        return Some(reader.message(message));
    }
    if let Some(update) = value.get("statusUpdate") {
        return reader.status(update);
    }
    if let Some(update) = value.get("artifactUpdate") {
        return reader.piece(update, None);
    }
    match value.get("kind").and_then(Value::as_str) {
        Some("message") => Some(reader.message(value)),
        Some("status-update") => reader.status(value),
        Some("artifact-update") => reader.piece(value, None),
        _ if value.get("final").is_some() => reader.status(value),
        _ if value.get("artifact").is_some() => reader.piece(value, None),
        _ => Some(Update::Snapshot(reader.task(value)?)),
    }
}

/// The news in an event of a stream in the native dialect; nothing if it has none.
pub fn read_native(event: Option<&str>, data: &Value) -> Option<Update> {
    let reader = Reader(Dialect::V1);
    match event {
        // The event is the status itself.
        Some("status") => Some(Update::Status {
            id: text(data, "taskId")?,
            context: None,
            state: state_of(data.get("state")?.as_str()?),
            said: reader.said(data),
        }),
        Some("artifact") => reader.piece(data, data.get("artifactId")),
        _ => read(Dialect::V1, data),
    }
}

/// Parts in whatever dialect; what cannot be understood is kept as data.
pub fn parts(holder: &Value) -> Vec<Part> {
    Reader(Dialect::V1).parts(holder)
}

#[derive(Clone, Copy)]
struct Reader(Dialect);

impl Reader {
    fn task(self, value: &Value) -> Option<RemoteTask> {
        let status = value.get("status")?;
        let pieces = value.get("artifacts").and_then(Value::as_array);
        let pieces = pieces.into_iter().flatten().enumerate();
        let context = ["contextId", "context_id", "sessionId"];
        Some(RemoteTask {
            id: text(value, "id")?,
            context: context.iter().find_map(|name| text(value, name)),
            state: state_of(status.get("state")?.as_str()?),
            said: self.said(status),
            pieces: pieces
                .map(|(at, artifact)| self.artifact(artifact, None, at))
                .collect(),
            exact: text(value, "reply"),
        })
    }

    /// An agent that answers at once makes no task.
    fn message(self, message: &Value) -> Update {
        Update::Snapshot(RemoteTask {
            state: TaskState::Completed,
            said: Some(self.words(message)),
            ..RemoteTask::begun(
                text(message, "taskId").unwrap_or_default(),
                text(message, "contextId"),
            )
        })
    }

    fn status(self, update: &Value) -> Option<Update> {
        let status = update.get("status")?;
        Some(Update::Status {
            id: task_name(update)?,
            context: text(update, "contextId"),
            state: state_of(status.get("state")?.as_str()?),
            said: self.said(status),
        })
    }

    fn piece(self, update: &Value, name: Option<&Value>) -> Option<Update> {
        // The last chunk of our own streams holds nothing.
        let none = Value::Null;
        let artifact = update.get("artifact").unwrap_or(&none);
        let is_more = [update, artifact]
            .iter()
            .any(|holder| holder.get("append").and_then(Value::as_bool) == Some(true));
        Some(Update::Piece {
            id: task_name(update)?,
            context: text(update, "contextId"),
            piece: self.artifact(artifact, name, 0),
            growth: if is_more { Growth::More } else { Growth::Whole },
        })
    }

    fn artifact(self, artifact: &Value, name: Option<&Value>, at: usize) -> Piece {
        let metadata = artifact.get("metadata").and_then(Value::as_object);
        let metadata = metadata.cloned().unwrap_or_default();
        let mut parts = self.parts(artifact);
        // The native dialect notes the language beside the parts, the protocol in them.
        if let (Some(language), Some(part)) = (metadata.get("language"), parts.first_mut()) {
            let noted = part.metadata.entry("language");
            noted.or_insert_with(|| language.clone());
        }
        let id = name.or_else(|| artifact.get("artifactId"));
        let id = id.and_then(Value::as_str).map(str::to_owned);
        let index = artifact.get("index").map(Value::to_string);
        Piece {
            id: ArtifactId::new(id.or(index).unwrap_or_else(|| at.to_string())),
            name: text(artifact, "name"),
            description: text(artifact, "description"),
            parts,
            metadata,
        }
    }

    /// What is said about a state: a message, a question of the native dialect, an error, or just words.
    fn said(self, status: &Value) -> Option<String> {
        if let Some(error) = text(status.get("error").unwrap_or(&Value::Null), "message") {
            return Some(error);
        }
        let message = status.get("message").filter(|message| !message.is_null())?;
        if let Some(words) = message.as_str() {
            return Some(words.to_owned());
        }
        if let Some(prompt) = text(message, "prompt") {
            let options = message.get("options").and_then(Value::as_array);
            let options = options.into_iter().flatten().filter_map(Value::as_str);
            let lines: Vec<String> = std::iter::once(prompt)
                .chain(options.map(|option| format!("  {option}")))
                .collect();
            return Some(lines.join("\n"));
        }
        Some(self.words(message))
    }

    fn words(self, message: &Value) -> String {
        let parts = self.parts(message);
        let words: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
        words.join("\n")
    }

    fn parts(self, holder: &Value) -> Vec<Part> {
        let parts = holder.get("parts").or_else(|| holder.get("content"));
        let parts = parts.and_then(Value::as_array).into_iter().flatten();
        parts.map(|value| self.part(value)).collect()
    }

    fn part(self, value: &Value) -> Part {
        let file = value.get("file").unwrap_or(value);
        let in_file = |names: &[&str]| names.iter().find_map(|name| text(file, name));
        let metadata = value.get("metadata").and_then(Value::as_object);
        let mut metadata = metadata.cloned().unwrap_or_default();
        let mut media_type = in_file(&["mediaType", "mimeType"]);
        let bytes = in_file(&["raw", "bytes", "fileWithBytes"]);
        let content = if let Some(text) = text(value, "text") {
            // Before 1.0, text has no place of its own for this.
            let noted = metadata.get("mimeType").and_then(Value::as_str);
            if let (None, Some(noted)) = (&media_type, noted) {
                media_type = Some(noted.to_owned());
                metadata.remove("mimeType");
            }
            Content::Text { text }
        } else if let Some(bytes) = bytes.and_then(|raw| fields::decode(&raw)) {
            Content::Raw { bytes }
        } else if let Some(url) = in_file(&["url", "uri", "fileWithUri"]) {
            Content::Url { url }
        } else {
            let data = value.get("data").unwrap_or(value);
            let data = match (self.0, data.get("data")) {
                (Dialect::V03Rest, Some(inner)) => inner,
                _ => data,
            };
            Content::Data {
                data: v03::unwrapped(data, &mut metadata),
            }
        };
        Part {
            content,
            media_type,
            filename: in_file(&["filename", "name"]),
            metadata,
        }
    }
}

/// The task an update is about; before 0.2 it is just the `id`.
fn task_name(update: &Value) -> Option<String> {
    text(update, "taskId").or_else(|| text(update, "id"))
}

/// A state in any spelling. One that wants credentials waits for us like one that asks; one nobody knows is still
/// on its way.
fn state_of(word: &str) -> TaskState {
    let word = word.strip_prefix("TASK_STATE_").unwrap_or(word);
    match word.to_lowercase().replace('-', "_").as_str() {
        "submitted" => TaskState::Submitted,
        "input_required" | "auth_required" => TaskState::InputRequired,
        "completed" => TaskState::Completed,
        "failed" => TaskState::Failed,
        "canceled" | "cancelled" => TaskState::Canceled,
        "rejected" => TaskState::Rejected,
        _ => TaskState::Working,
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(value: &Value) -> RemoteTask {
        match read(Dialect::V1, value) {
            Some(Update::Snapshot(task)) => task,
            other => panic!("{other:?}"),
        }
    }

    fn part(value: &Value) -> Part {
        parts(&json!({ "parts": [value] })).remove(0)
    }

    #[test]
    fn a_question_and_a_failure_say_what_they_say() {
        let asked = json!({ "status": { "state": "input_required", "message":
            { "type": "selection", "prompt": "Which?", "options": ["a", "b"] } }, "id": "t" });
        assert_eq!(task(&asked).said.unwrap(), "Which?\n  a\n  b");
        let failed = json!({ "status": { "state": "failed", "error": { "code": "X", "message": "no" } }, "id": "t" });
        assert_eq!(task(&failed).said.unwrap(), "no");
        let asked = json!({ "status": { "state": "auth-required", "message":
            { "parts": [{ "kind": "text", "text": "log in" }] } }, "id": "t" });
        let task = task(&asked);
        assert_eq!(
            (task.state, task.said.as_deref()),
            (TaskState::InputRequired, Some("log in"))
        );
    }

    #[test]
    fn nonsense_is_no_news() {
        for odd in [
            json!(null),
            json!(7),
            json!([]),
            json!({}),
            json!({ "task": {} }),
            json!({ "statusUpdate": 1 }),
        ] {
            for dialect in Dialect::ALL {
                assert_eq!(read(dialect, &odd), None, "{odd}");
            }
        }
    }

    #[test]
    fn bytes_may_be_spelled_in_any_way() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            let part = part(&json!({ "raw": text }));
            assert_eq!(
                part.content,
                Content::Raw {
                    bytes: vec![0xfb, 0xff]
                },
                "{text}"
            );
        }
    }

    #[test]
    fn an_odd_part_is_data() {
        for odd in [json!(7), json!({ "raw": "%%" }), json!({ "kind": "poem" })] {
            let read = part(&odd);
            assert!(matches!(read.content, Content::Data { .. }), "{odd}");
        }
        assert!(parts(&json!({})).is_empty() && parts(&json!({ "parts": "x" })).is_empty());
    }
}
