//! What the wrapped program says through its own channel (OSC 7710), where its profile allows it.

use synapse_a2a::channel::{ChannelArtifact, Word};
use synapse_a2a::event::{Fact, Question, Source};
use synapse_a2a::id::{ArtifactId, MessageId, TaskId};
use synapse_a2a::message::{Message, Part, Role};

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
            Word::Progress(_) | Word::Say(_) | Word::Step(_) => ChannelInput::Note,
        };
        self.step(Input::Channel(&input), now);
        match word {
            Word::Artifact(artifact) => self.take_artifact(&task, artifact),
            Word::Message(parts) => self.take_message(&task, parts),
            Word::Progress(text) => self.post(&task, Fact::Noted { text }),
            Word::Say(text) => self.hear_more(&text),
            Word::Step(step) => self.tell_step(&step),
            Word::Ask(_) | Word::Reject(_) => {}
        }
    }

    /// The program said more of its reply.
    fn hear_more(&mut self, text: &str) {
        let Some(running) = &mut self.running else {
            return;
        };
        running.said.push_str(text);
        if self.ledger.board.is_watched() {
            let said = running.said.clone();
            self.tell_reply(said);
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
        let text = message.words();
        self.post(task, Fact::Spoke { message });
        let said = synapse_a2a::event::Said {
            text,
            source: Source::Channel,
            is_truncated: false,
        };
        self.post(task, Fact::Replied { said });
    }
}
