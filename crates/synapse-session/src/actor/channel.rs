//! What the wrapped program says through its own channel (OSC 7710), where its profile allows it.

use synapse_a2a::channel::{ChannelArtifact, Word};
use synapse_a2a::event::{Fact, Question, Source};
use synapse_a2a::id::{ArtifactId, MessageId, TaskId};
use synapse_a2a::message::{Message, Part, Role, readable};

use super::Session;
use crate::turn::{ChannelInput, Input};

impl Session {
    /// The program said something. Outside a turn there is no task it could be about.
    pub(super) fn hear(&mut self, words: &str) {
        let word = match Word::parse(words) {
            Ok(word) => word,
            Err(error) => {
                tracing::warn!(%error, "the program said something on its channel that is no word of it");
                return;
            }
        };
        let Some(task) = self.running.as_ref().map(|running| running.task.clone()) else {
            return;
        };
        let now = self.now();
        let input = match &word {
            Word::Artifact(_) | Word::Message(_) => ChannelInput::Answer,
            Word::Ask(question) => ChannelInput::Ask(Box::new(Question {
                fingerprint: uuid::Uuid::now_v7().simple().to_string(),
                ..question.clone()
            })),
            Word::Reject(reason) => ChannelInput::Refuse(reason.clone()),
            Word::Progress(_) => ChannelInput::Note,
        };
        self.step(Input::Channel(&input), now);
        match word {
            Word::Artifact(artifact) => self.take_artifact(&task, artifact),
            Word::Message(parts) => self.take_message(&task, parts),
            Word::Progress(text) => self.post(&task, Fact::Noted { text }),
            Word::Ask(_) | Word::Reject(_) => {}
        }
    }

    fn take_artifact(&mut self, task: &TaskId, given: ChannelArtifact) {
        let open = self.open.get(task);
        let artifacts = open.map(|open| open.task.artifacts()).unwrap_or_default();
        let name = given.id.unwrap_or_else(|| artifacts.len().to_string());
        // Its own names, apart from ours.
        let artifact = ArtifactId::new(format!("{task}-c-{name}"));
        let is_known = artifacts.iter().any(|known| known.id == artifact);
        if given.is_appended && is_known {
            let parts = given.parts;
            let artifact = artifact.clone();
            self.post(task, Fact::ArtifactExtended { artifact, parts });
        } else {
            let body = given.body;
            let artifact = artifact.clone();
            self.post(task, Fact::ArtifactOpened { artifact, body });
        }
        if given.is_last {
            self.post(task, Fact::ArtifactClosed { artifact });
        }
    }

    fn take_message(&mut self, task: &TaskId, parts: Vec<Part>) {
        let id = MessageId::new(uuid::Uuid::now_v7().to_string());
        let message = Message::new(id, Role::Agent, parts);
        let text = readable(&message.parts);
        self.post(task, Fact::Spoke { message });
        self.say_by_channel(task, text);
    }

    /// What a program gave in pieces is its reply, in words that can be printed.
    pub(super) fn reply_by_artifacts(&mut self, task: &TaskId) {
        let Some(open) = self.open.get(task) else {
            return;
        };
        if open.task.reply().is_some() {
            return;
        }
        let artifacts = open.task.artifacts().iter();
        let pieces = artifacts.filter_map(|artifact| artifact.body.parts());
        let text = pieces.map(readable).collect::<Vec<_>>().join("\n");
        self.say_by_channel(task, text);
    }

    fn say_by_channel(&mut self, task: &TaskId, text: String) {
        let said = synapse_a2a::event::Said {
            text,
            source: Source::Channel,
            is_truncated: false,
        };
        self.post(task, Fact::Replied { said });
    }
}
