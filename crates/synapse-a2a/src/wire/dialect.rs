//! The dialects behind one door: the same answer, spelled as the client speaks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ContextId;
use crate::message::Message;
use crate::task::{Task, TaskState};

use super::narrator::Frame;
use super::request::{History, PushConfig};
use super::shown::Snapshot;
use super::{v01, v1, v03, v03_rest};

/// A spelling of the domain. Who asked in one is answered in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// A2A 1.0, the same over JSON-RPC and HTTP+JSON.
    V1,
    /// A2A 0.3 over JSON-RPC; 0.2 is alike.
    V03,
    /// A2A 0.3 over HTTP+JSON, which is spelled as its proto is.
    V03Rest,
    /// The first published A2A, where the client names the task.
    V01,
}

impl Dialect {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::V1, Self::V03, Self::V03Rest, Self::V01];

    /// The name it is kept under.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V03 => "v03",
            Self::V03Rest => "v03_rest",
            Self::V01 => "v01",
        }
    }

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    pub fn task(self, task: &Task, history: History) -> Value {
        let shown = Snapshot::of(task, history);
        match self {
            Self::V1 => v1::task(&shown),
            Self::V03 => v03::task(&shown),
            Self::V03Rest => v03_rest::task(&shown),
            Self::V01 => v01::task(&shown, task.message().id.as_str()),
        }
    }

    /// What a message is answered with when it is a task, and how a stream begins.
    pub fn sent_task(self, task: &Task, history: History) -> Value {
        match self {
            Self::V1 => v1::sent_task(&Snapshot::of(task, history)),
            Self::V03Rest => v03_rest::sent_task(&Snapshot::of(task, history)),
            Self::V03 | Self::V01 => self.task(task, history),
        }
    }

    /// What a message is answered with: the task, or the message the agent gave instead.
    pub fn sent(self, task: &Task, history: History) -> Value {
        match self.spoken(task) {
            Some(said) => self.sent_message(said, task.context()),
            None => self.sent_task(task, history),
        }
    }

    /// The message that stands for a task, if its agent gave one and the dialect knows such answers.
    pub fn spoken(self, task: &Task) -> Option<&Message> {
        let is_all = task.state() == TaskState::Completed && task.artifacts().is_empty();
        task.spoken().filter(|_| is_all && self != Self::V01)
    }

    /// What a message is answered with when it is another message.
    fn sent_message(self, said: &Message, context: &ContextId) -> Value {
        match self {
            Self::V1 => v1::sent_message(said, context),
            Self::V03 | Self::V01 => v03::sent_message(said, context),
            Self::V03Rest => v03_rest::sent_message(said, context),
        }
    }

    /// A frame of a stream; `is_final` if the stream ends behind it.
    pub fn frame(self, frame: &Frame, task: &Task, is_final: bool) -> Value {
        let (id, context) = (task.id(), task.context());
        match self {
            Self::V1 => v1::frame(frame, id, context),
            Self::V03 => v03::frame(frame, id, context, is_final),
            Self::V03Rest => v03_rest::frame(frame, id, context, is_final),
            Self::V01 => v01::frame(frame, task, task.message().id.as_str(), is_final),
        }
    }

    /// Where notifications of a task go.
    pub fn push(self, config: &PushConfig, task: &Task) -> Value {
        match self {
            Self::V1 => v1::push(config, task.id()),
            Self::V03 => v03::push(config, task.id()),
            Self::V03Rest => v03_rest::push(config, task.id()),
            Self::V01 => v01::push(config, task.message().id.as_str()),
        }
    }

    /// Everywhere notifications of a task go.
    pub fn pushes(self, configs: &[PushConfig], task: &Task) -> Value {
        match self {
            Self::V1 => v1::pushes(configs, task.id()),
            Self::V03 | Self::V01 => v03::pushes(configs, task.id()),
            Self::V03Rest => v03_rest::pushes(configs, task.id()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_found_by_the_name_it_is_kept_under() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::named(dialect.name()), Some(dialect));
            assert_eq!(serde_json::to_value(dialect).unwrap(), dialect.name());
        }
        assert_eq!(Dialect::named("v2"), None);
    }
}
