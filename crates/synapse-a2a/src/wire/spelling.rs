//! What the dialects since 0.3 have in common: the same objects with the same members, under a few
//! different names.

use serde_json::{Value, json};

use crate::id::{ContextId, TaskId};
use crate::message::{Message, Part, Role};
use crate::task::TaskState;

use super::narrator::{Frame, Growth};
use super::object::Object;
use super::shown::{Piece, Snapshot, Standing};
use super::time;

/// How a dialect writes.
pub(super) struct Spelling {
    /// Whether an object says what it is in a member `kind`.
    pub(super) has_kind: bool,
    /// Whether a status update says that the stream ends behind it.
    pub(super) has_final: bool,
    /// The name of a state.
    pub(super) state: fn(TaskState) -> &'static str,
    /// The name of a role.
    pub(super) role: fn(Role) -> &'static str,
    /// What the parts of a message are called.
    pub(super) parts: &'static str,
    pub(super) part: fn(&Part) -> Value,
    /// Whether a message can name other tasks.
    pub(super) has_references: bool,
}

impl Spelling {
    pub(super) fn task(&self, shown: &Snapshot) -> Value {
        let Snapshot { task, context, .. } = shown;
        let pieces = shown.pieces.iter().flatten();
        let history = shown.history.iter();
        self.object("task")
            .with("id", task.as_str())
            .with("contextId", context.as_str())
            .with("status", self.status(&shown.standing, task, context))
            .list("artifacts", pieces.map(|one| self.artifact(one)).collect())
            .list(
                "history",
                history
                    .map(|said| self.message(said, Some(task), context))
                    .collect(),
            )
            .note(&shown.metadata)
            .done()
    }

    /// A frame of a stream, and the name 1.0 has for what it is.
    pub(super) fn frame(
        &self,
        frame: &Frame,
        task: &TaskId,
        context: &ContextId,
        is_final: bool,
    ) -> (&'static str, Value) {
        match frame {
            Frame::Standing { standing, metadata } => {
                let update = self
                    .object("status-update")
                    .with("taskId", task.as_str())
                    .with("contextId", context.as_str())
                    .with("status", self.status(standing, task, context))
                    .maybe("final", self.has_final.then_some(is_final))
                    .note(metadata);
                ("statusUpdate", update.done())
            }
            Frame::Piece {
                piece,
                growth,
                is_last,
            } => {
                let update = self
                    .object("artifact-update")
                    .with("taskId", task.as_str())
                    .with("contextId", context.as_str())
                    .with("artifact", self.artifact(piece))
                    .with("append", *growth == Growth::More)
                    .with("lastChunk", *is_last);
                ("artifactUpdate", update.done())
            }
        }
    }

    /// A message; of the agent's own accord it belongs to no task.
    pub(super) fn message(
        &self,
        said: &Message,
        task: Option<&TaskId>,
        context: &ContextId,
    ) -> Value {
        let references = said.references.iter().filter(|_| self.has_references);
        self.object("message")
            .with("messageId", said.id.as_str())
            .with("role", (self.role)(said.role))
            .with(self.parts, self.parts_of(&said.parts))
            .with("contextId", context.as_str())
            .maybe("taskId", task.map(TaskId::as_str))
            .note(&said.metadata)
            .list(
                "extensions",
                said.extensions.iter().map(|uri| json!(uri)).collect(),
            )
            .list(
                "referenceTaskIds",
                references.map(|task| json!(task.as_str())).collect(),
            )
            .done()
    }

    fn status(&self, standing: &Standing, task: &TaskId, context: &ContextId) -> Value {
        let said = standing.message.as_ref();
        Object::default()
            .with("state", (self.state)(standing.state))
            .with("timestamp", time::write(standing.at))
            .maybe(
                "message",
                said.map(|said| self.message(said, Some(task), context)),
            )
            .done()
    }

    fn artifact(&self, piece: &Piece) -> Value {
        Object::default()
            .with("artifactId", piece.id.as_str())
            .maybe("name", piece.name.as_deref())
            .maybe("description", piece.description.as_deref())
            .with("parts", self.parts_of(&piece.parts))
            .note(&piece.metadata)
            .done()
    }

    fn parts_of(&self, parts: &[Part]) -> Vec<Value> {
        parts.iter().map(self.part).collect()
    }

    fn object(&self, kind: &str) -> Object {
        let object = Object::default();
        if self.has_kind {
            return object.with("kind", kind);
        }
        object
    }
}
