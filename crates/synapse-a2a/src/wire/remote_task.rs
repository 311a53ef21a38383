//! A task of an agent elsewhere, as far as it told us: a snapshot, or the sum of what it streamed.

use serde_json::{Value, json};

use crate::artifact::native_part;
use crate::message::{Content, Part};
use crate::task::TaskState;

use super::narrator::Growth;
use super::shown::Piece;

/// A task of an agent elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteTask {
    /// Its name, given by the agent; empty if the agent answered with a message and made no task.
    pub id: String,
    /// The conversation it belongs to.
    pub context: Option<String>,
    /// Where it stands. A task that wants credentials of us asks for input.
    pub state: TaskState,
    /// What the agent says about the state: its question, or why it failed.
    pub said: Option<String>,
    /// What came of it so far.
    pub pieces: Vec<Piece>,
    /// The exact reply, where the agent tells it apart from its pieces.
    pub exact: Option<String>,
}

/// News of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// The whole task as it stands.
    Snapshot(RemoteTask),
    Status {
        id: String,
        context: Option<String>,
        state: TaskState,
        said: Option<String>,
    },
    /// A piece, or more of one.
    Piece {
        id: String,
        context: Option<String>,
        piece: Piece,
        growth: Growth,
    },
}

impl RemoteTask {
    /// A task of which nothing is known but its name.
    pub(super) fn begun(id: String, context: Option<String>) -> Self {
        Self {
            id,
            context,
            state: TaskState::Submitted,
            said: None,
            pieces: Vec::new(),
            exact: None,
        }
    }

    /// Whether nothing more comes unless somebody does something.
    pub fn is_settled(&self) -> bool {
        self.state.is_final() || self.state == TaskState::InputRequired
    }

    /// What the agent replied, as text.
    pub fn reply(&self) -> String {
        if let Some(exact) = &self.exact {
            return exact.clone();
        }
        if self.pieces.is_empty() && self.state == TaskState::Completed {
            return self.said.clone().unwrap_or_default();
        }
        let pieces: Vec<String> = self.pieces.iter().map(Piece::text).collect();
        pieces.join("\n\n")
    }

    /// Lets news happen to what is known; what is known then.
    pub fn fold(known: &mut Option<Self>, update: Update) -> &mut Self {
        match update {
            Update::Snapshot(task) => known.insert(task),
            Update::Status {
                id,
                context,
                state,
                said,
            } => {
                let task = known.get_or_insert_with(|| Self::begun(id, context));
                (task.state, task.said) = (state, said);
                task
            }
            Update::Piece {
                id,
                context,
                piece,
                growth,
            } => {
                let task = known.get_or_insert_with(|| Self::begun(id, context));
                task.take(piece, growth);
                task
            }
        }
    }

    fn take(&mut self, piece: Piece, growth: Growth) {
        let known = self.pieces.iter_mut().find(|known| known.id == piece.id);
        match (known, growth) {
            (Some(known), Growth::More) => known.grow(piece.parts),
            (Some(known), Growth::Whole) => *known = piece,
            (None, _) if piece.parts.is_empty() => {}
            (None, _) => self.pieces.push(piece),
        }
    }

    /// The task in the native dialect.
    pub fn to_native_json(&self, asked: &Value, at: &str) -> Value {
        let (mut message, mut error) = (Value::Null, Value::Null);
        match self.state {
            TaskState::Failed => error = json!({ "code": "AGENT_ERROR", "message": self.said }),
            TaskState::InputRequired => {
                let prompt = self.said.as_deref().unwrap_or_default();
                message =
                    json!({ "type": "text", "prompt": prompt, "options": [], "default": null });
            }
            _ => message = json!(self.said),
        }
        json!({
            "id": self.id,
            "context_id": self.context,
            "status": {
                "state": self.state.name(),
                "message": message,
                "error": error,
                "timestamp": at,
            },
            "message": asked,
            "artifacts": self.pieces.iter().map(Piece::to_native_json).collect::<Vec<_>>(),
            "created_at": at,
            "updated_at": at,
            "reply": (self.state == TaskState::Completed).then(|| self.reply()),
            "source": null,
        })
    }
}

impl Piece {
    /// What it says, as text. Plain words in a row are one text that came in chunks; everything else is a block of its own.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut were_words = false;
        for part in &self.parts {
            let are_words = part.as_text().is_some() && language(part).is_none();
            if !(are_words && were_words || text.is_empty() || text.ends_with('\n')) {
                text.push('\n');
            }
            text.push_str(&readable(part));
            were_words = are_words;
        }
        text
    }

    /// Adds to its end.
    fn grow(&mut self, parts: Vec<Part>) {
        for part in parts {
            // Code that comes in chunks has its language with the first.
            if let Some(Content::Text { text: before }) =
                self.parts.last_mut().map(|part| &mut part.content)
                && let Content::Text { text } = &part.content
            {
                before.push_str(text);
            } else {
                self.parts.push(part);
            }
        }
    }

    fn to_native_json(&self) -> Value {
        let kind = match self
            .parts
            .first()
            .map(|part| (&part.content, language(part)))
        {
            Some((Content::Text { .. }, Some(_))) => "code",
            Some((Content::Data { .. }, _)) => "data",
            Some((Content::Raw { .. } | Content::Url { .. }, _)) => "file",
            _ => "text",
        };
        let noted = self.parts.first().map(|part| &part.metadata);
        let metadata = noted.filter(|noted| !noted.is_empty());
        let metadata = metadata.or(Some(&self.metadata));
        json!({
            "type": kind,
            "name": self.name.as_deref().unwrap_or("output"),
            "parts": self.parts.iter().map(native_part).collect::<Vec<_>>(),
            "metadata": metadata.filter(|metadata| !metadata.is_empty()),
        })
    }
}

fn language(part: &Part) -> Option<&str> {
    part.metadata.get("language").and_then(Value::as_str)
}

fn readable(part: &Part) -> String {
    match &part.content {
        Content::Text { text } => match language(part) {
            Some(language) => format!("```{language}\n{}\n```", text.trim_end_matches('\n')),
            None => text.clone(),
        },
        Content::Data { data } => serde_json::to_string_pretty(data).unwrap_or_default(),
        Content::Url { url } => url.clone(),
        Content::Raw { bytes } => {
            let name = part.filename.as_deref().unwrap_or("file");
            format!("[{name}: {} bytes]", bytes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ArtifactId;

    fn piece(id: &str, text: &str) -> Piece {
        Piece::chunk(ArtifactId::new(id), vec![Part::text(text)])
    }

    fn news(id: &str, text: &str, growth: Growth) -> Update {
        Update::Piece {
            id: "t".to_owned(),
            context: None,
            piece: piece(id, text),
            growth,
        }
    }

    #[test]
    fn chunks_add_up_and_a_new_begin_replaces() {
        let mut task = None;
        for update in [
            news("a", "hel", Growth::Whole),
            news("a", "lo", Growth::More),
            news("b", "world", Growth::Whole),
            news("b", "World", Growth::Whole),
        ] {
            RemoteTask::fold(&mut task, update);
        }
        let done = Update::Status {
            id: "t".to_owned(),
            context: None,
            state: TaskState::Completed,
            said: None,
        };
        let task = RemoteTask::fold(&mut task, done);
        assert_eq!(task.reply(), "hello\n\nWorld");
        assert!(task.is_settled());
    }

    #[test]
    fn a_snapshot_says_what_its_chunks_said() {
        let mut task = None;
        RemoteTask::fold(&mut task, news("a", "hel", Growth::Whole));
        let streamed = RemoteTask::fold(&mut task, news("a", "lo", Growth::More)).reply();
        let mut whole = piece("a", "hel");
        whole.parts.push(Part::text("lo"));
        assert_eq!(whole.text(), streamed);
    }

    #[test]
    fn an_answer_without_artifacts_is_what_was_said() {
        let mut task = RemoteTask::begun("t".to_owned(), None);
        task.said = Some("done".to_owned());
        assert_eq!(task.reply(), "", "not yet a reply");
        task.state = TaskState::Completed;
        assert_eq!(task.reply(), "done");
    }

    #[test]
    fn code_is_fenced_and_files_are_named() {
        let mut code = Part::text("x = 1\n");
        code.metadata.insert("language".to_owned(), json!("python"));
        let file = Part {
            filename: Some("a.bin".to_owned()),
            ..Part::new(Content::Raw { bytes: vec![1, 2] })
        };
        let mut task = RemoteTask::begun("t".to_owned(), Some("c".to_owned()));
        task.pieces = vec![Piece::chunk(ArtifactId::new("a"), vec![code, file])];
        assert_eq!(task.reply(), "```python\nx = 1\n```\n[a.bin: 2 bytes]");
        let native = task.to_native_json(&json!("hi"), "2026-01-01T00:00:00Z");
        assert_eq!(native["artifacts"][0]["type"], "code");
        assert_eq!(native["status"]["state"], "submitted");
        assert_eq!(native["context_id"], "c");
    }
}
