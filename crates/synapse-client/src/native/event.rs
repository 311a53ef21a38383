//! The events of a task as the native dialect streams them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synapse_a2a::artifact::native_part;
use synapse_a2a::error::Failure;
use synapse_a2a::event::{Event, Fact, Question, Source, Status};
use synapse_a2a::id::TaskId;
use synapse_a2a::step::Step;
use synapse_a2a::task::TaskState;

use super::{ActShape, MessageShape, time};

/// One event of a task. The stream gives it a name beside its data.
#[derive(Clone, Debug)]
pub enum TaskEvent {
    Status(StatusEvent),
    Artifact(ArtifactEvent),
    Message(MessageEvent),
    Step(StepEvent),
    Act(ActEvent),
}

/// The task is in another state.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusEvent {
    pub task_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    pub state: TaskState,
    /// What was sent, at the beginning; the question while it asks; the reason if it was canceled or rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    pub timestamp: String,
}

impl StatusEvent {
    /// What it asks, if it does.
    pub fn question(&self) -> Option<Question> {
        let message = self.message.clone()?;
        (self.state == TaskState::InputRequired)
            .then(|| serde_json::from_value(message).ok())
            .flatten()
    }
}

/// A piece of the reply begins, grows or ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactEvent {
    pub task_id: String,
    pub artifact_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Value>,
    /// It is added to what was told of the piece; else it takes its place.
    pub append: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_chunk: bool,
}

impl ArtifactEvent {
    /// The text it carries.
    pub fn text(&self) -> String {
        let parts = self.artifact.as_ref().and_then(|one| one.get("parts"));
        let parts = parts.and_then(Value::as_array).into_iter().flatten();
        parts
            .filter_map(|part| part.get("text")?.as_str())
            .collect()
    }
}

/// Something was said: an answer, a note, or the whole reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageEvent {
    pub task_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageShape>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    pub timestamp: String,
}

/// The agent used a tool or thought, or more is known of when it did.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepEvent {
    pub task_id: String,
    /// It takes the place of the one with this id.
    pub step: Step,
    pub timestamp: String,
}

/// Somebody answered the agent's question, or stopped it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActEvent {
    pub task_id: String,
    pub act: ActShape,
}

impl TaskEvent {
    /// An event as it is streamed.
    pub fn of(task: &TaskId, event: &Event) -> Self {
        let task_id = task.as_str().to_owned();
        let timestamp = time(event.at);
        let said = |message| MessageEvent {
            task_id: task_id.clone(),
            message,
            note: None,
            reply: None,
            source: None,
            truncated: None,
            timestamp: timestamp.clone(),
        };
        let piece = |artifact: &synapse_a2a::id::ArtifactId, body, append| ArtifactEvent {
            task_id: task_id.clone(),
            artifact_id: artifact.as_str().to_owned(),
            artifact: body,
            append,
            last_chunk: false,
        };
        match &event.fact {
            Fact::Submitted {
                context,
                message,
                origin,
                ..
            } => Self::Status(StatusEvent {
                task_id,
                context_id: Some(context.as_str().to_owned()),
                state: TaskState::Submitted,
                message: Some(json!(MessageShape::of(message))),
                error: None,
                sender: Some(origin.sender.clone()),
                priority: Some(origin.priority),
                timestamp,
            }),
            Fact::Moved { status } => {
                let (message, error) = match status {
                    Status::InputRequired { question } => (Some(json!(question)), None),
                    Status::Failed { failure } => (None, Some(failure.clone())),
                    Status::Canceled { reason, .. } | Status::Rejected { reason } => {
                        (Some(json!(reason)), None)
                    }
                    Status::Submitted | Status::Working | Status::Completed => (None, None),
                };
                Self::Status(StatusEvent {
                    task_id,
                    context_id: None,
                    state: status.state(),
                    message,
                    error,
                    sender: None,
                    priority: None,
                    timestamp,
                })
            }
            Fact::ArtifactOpened { artifact, body } => {
                Self::Artifact(piece(artifact, Some(body.to_native_json()), false))
            }
            Fact::ArtifactGrew { artifact, text } => {
                let parts = json!([{ "type": "text", "text": text }]);
                let body = json!({ "type": "text", "name": "output", "parts": parts });
                Self::Artifact(piece(artifact, Some(body), true))
            }
            Fact::ArtifactExtended { artifact, parts } => {
                let parts: Vec<Value> = parts.iter().map(native_part).collect();
                let body = json!({ "type": "parts", "name": "output", "parts": parts });
                Self::Artifact(piece(artifact, Some(body), true))
            }
            Fact::ArtifactClosed { artifact } => Self::Artifact(ArtifactEvent {
                last_chunk: true,
                ..piece(artifact, None, true)
            }),
            Fact::Answered { message } | Fact::Spoke { message } => {
                Self::Message(said(Some(MessageShape::of(message))))
            }
            Fact::Noted { text } => Self::Message(MessageEvent {
                note: Some(text.clone()),
                ..said(None)
            }),
            Fact::Stepped { step } => Self::Step(StepEvent {
                task_id,
                step: (**step).clone(),
                timestamp,
            }),
            Fact::Acted { act } => Self::Act(ActEvent {
                task_id,
                act: ActShape::of(act, event.at),
            }),
            Fact::Replied { said: reply } => Self::Message(MessageEvent {
                reply: Some(reply.text.clone()),
                source: Some(reply.source),
                truncated: Some(reply.is_truncated),
                ..said(None)
            }),
        }
    }

    /// The event with this name and data; nothing if it is of no kind that is known here.
    ///
    /// # Errors
    /// When the data are not those of such an event.
    pub fn read(name: &str, data: &str) -> Result<Option<Self>, serde_json::Error> {
        Ok(Some(match name {
            "status" => Self::Status(serde_json::from_str(data)?),
            "artifact" => Self::Artifact(serde_json::from_str(data)?),
            "message" => Self::Message(serde_json::from_str(data)?),
            "act" => Self::Act(serde_json::from_str(data)?),
            "step" => Self::Step(serde_json::from_str(data)?),
            _ => return Ok(None),
        }))
    }

    /// The name that the stream gives it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status(_) => "status",
            Self::Artifact(_) => "artifact",
            Self::Message(_) => "message",
            Self::Step(_) => "step",
            Self::Act(_) => "act",
        }
    }

    pub fn data(&self) -> Value {
        match self {
            Self::Status(event) => json!(event),
            Self::Artifact(event) => json!(event),
            Self::Message(event) => json!(event),
            Self::Step(event) => json!(event),
            Self::Act(event) => json!(event),
        }
    }

    /// The state that it brings the task to, if it is about that.
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Status(event) => Some(event.state),
            Self::Artifact(_) | Self::Message(_) | Self::Step(_) | Self::Act(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use synapse_a2a::artifact::Body;
    use synapse_a2a::event::{Said, Timestamp};
    use synapse_a2a::id::ArtifactId;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let artifact = ArtifactId::new("a");
        let facts = [
            Fact::Moved {
                status: Status::Working,
            },
            Fact::ArtifactOpened {
                artifact: artifact.clone(),
                body: Body::Text {
                    text: "hel".to_owned(),
                },
            },
            Fact::ArtifactGrew {
                artifact: artifact.clone(),
                text: "lo".to_owned(),
            },
            Fact::ArtifactClosed { artifact },
            Fact::Noted {
                text: "a note".to_owned(),
            },
            Fact::Stepped {
                step: Box::new(Step::call("1", "Bash", &json!({"command": "ls"}))),
            },
            Fact::Replied {
                said: Said {
                    text: "hello".to_owned(),
                    source: Source::Screen,
                    is_truncated: false,
                },
            },
            Fact::Moved {
                status: Status::Completed,
            },
        ];
        for fact in facts {
            let event = Event {
                at: Timestamp(7),
                fact,
            };
            let written = TaskEvent::of(&TaskId::new("t"), &event);
            let data = written.data();
            let read = TaskEvent::read(written.name(), &data.to_string());
            let read = read.unwrap().unwrap();
            assert_eq!((read.name(), read.data()), (written.name(), data));
        }
        assert!(TaskEvent::read("news", "{}").unwrap().is_none());
        assert!(TaskEvent::read("status", "{}").is_err());
    }
}
